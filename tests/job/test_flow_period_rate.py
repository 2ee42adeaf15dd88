"""Tests of a prescribed transient flow rate over the period of a periodic image, on the command line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from test_checkpoint import answers, fields, stop_and_resume
from test_flow_through import H, run, step, text
from test_flow_transient import transient
from whole_job import Job

SIDES = '[[boundary]]\nface = "x"\nkind = "periodic"\n'
RATE = 2.0  # flow rate in mm3/s
ALONG = f'[[boundary]]\nface = "z"\nkind = "periodic"\nflow_rate_mm3_per_s = {RATE}\n'
SWING = "factor_at_s = [[0, 1], [0.005, 2], [0.01, 1]]\nperiod_s = 0.01\n"


def test_the_rate_is_held_and_the_history_has_its_drop(job: Job, tmp_path: Path) -> None:
    """Oracle: the table of factors, and a pressure drop that oscillates with the flow rate. The test uses several
    numbers of ranks."""
    step(tmp_path)
    first: dict = {}
    for ranks in ("1", "3"):
        more = transient(end_s=0.02, step_s=0.0005) + "[solve]\ntolerance = 1e-6\n"
        s = run(job, text(SIDES + ALONG + SWING, "inertia = true\ncfl = 1", more), "-n", ranks)
        history = s["flow_history"]
        time = np.array(history["time_s"])
        factor = 1 + np.interp(time % 0.01, [0, 0.005, 0.01], [0, 1, 0])
        assert history["period_flow_rate_mm3_per_s"]["z"] == pytest.approx(RATE * factor, rel=1e-9)
        drop = np.array(history["period_pressure_drop_Pa"]["z"])
        # Inertia requires rho l dQ/dt / A. The whole cross-section as A yields a lower bound.
        late = time > 0.0101
        rising = late & (time % 0.01 < 0.0049) & (time % 0.01 > 0.0006)
        falling = late & (time % 0.01 > 0.0056)
        push = 1e-3 * 1000 * RATE / 0.005 * 12 * H / (64 * H**2) * 1e-3
        assert drop[rising].min() - drop[falling].max() > push
        assert s["period_pressure_drop_Pa"]["z"] == drop[-1]
        assert s["load"]["boundary"][1]["factor_at_s"][1] == [0.005, 2]
        first = first or s
        assert drop == pytest.approx(first["flow_history"]["period_pressure_drop_Pa"]["z"], rel=1e-3, abs=1e-4)


def test_a_stopped_rate_reaches_the_same_bits(job: Job, tmp_path: Path) -> None:
    """Oracle: the same job without interruption, with adaptive time steps."""
    step(tmp_path)
    job_file = text(SIDES + ALONG, "inertia = true\ncfl = 0.4", transient(end_s=0.02))
    job.write(job_file)
    whole = job.run("-n", "2", "--no-report")
    assert whole.code == 0, whole.err
    want, printed = fields(whole.folder), answers(whole)
    done = stop_and_resume(job, job_file, 4)
    got = fields(done.folder)
    for name in want:
        assert got[name].tobytes() == want[name].tobytes(), name
    assert answers(done) == printed
