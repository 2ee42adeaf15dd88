"""Tests of the residence time of a flow on the command line: closed forms, ranks, files, the picture, and rejected
jobs."""

from __future__ import annotations

from pathlib import Path

import netCDF4
import numpy as np
import pytest
from test_flow_through import INLET, OUTLET, SIDES, H, run, save, text
from whole_job import Job

AGES = "residence_time = true\n"


def pores(folder: Path) -> np.ndarray:
    """A channel with a width of 6 voxels, an adjacent pocket of 2 x 4 voxels, and an unconnected pore."""
    solid = np.zeros((12, 14, 3), bool)
    solid[:, 6:] = True
    solid[5:7, 6:10] = False
    solid[2:4, 12] = False
    save(folder, solid)
    return solid


def test_ages_have_the_mean_of_volume_over_flow_rate_on_any_number_of_ranks(job: Job, tmp_path: Path) -> None:
    """Oracle: volume divided by flow rate, which is exact for any flow and diffusivity, and one rank."""
    solid = pores(tmp_path)
    volume, rate = (12 * 6 + 2 * 4) * 3 * H**3, 2 * 18 * H**2
    more = "[solve]\ntolerance = 1e-6\n"
    first: dict = {}
    for ranks in ("1", "3"):
        picture = more + '[picture]\nfield = "residence_time"\n'
        job_file = text(INLET + OUTLET + SIDES, AGES, picture).replace("\n[picture]\nwidth", "\nwidth")
        s = run(job, job_file, "-n", ranks)
        assert s["residence_time_s"]["mean"] == pytest.approx(volume / rate, rel=1e-4)
        assert s["residence_certificate"]["converged"]
        assert s["residence_certificate"]["reaction_imbalance"] < 1e-4
        ages = s["fluid_age_s"]
        assert 0 < ages["median"] < ages["p95"] < ages["high"]
        assert s["residence_time_s"]["median"] <= s["residence_time_s"]["p95"]
        assert s["stagnant_share"] >= 6 / (~solid).sum()
        assert s["shown"]["field"] == "residence_time"
        assert s["load"]["diffusivity_m2_per_s"] == 2.3e-9
        first = first or s
        for key in ("mean", "median", "p95"):
            assert s["fluid_age_s"][key] == pytest.approx(first["fluid_age_s"][key], rel=1e-4)
    with netCDF4.Dataset(tmp_path / "job.out" / "results.nc") as file:
        field = file["VTKHDF/CellData/residence_time"]
        assert field.units == "s"
        age = np.ma.filled(field[:].astype("f8"), np.nan)
    renewed = ~solid
    renewed[2:4, 12] = False
    assert np.array_equal(np.isfinite(age), renewed)
    assert age[renewed].mean() == pytest.approx(s["fluid_age_s"]["mean"], rel=1e-5)
    assert age[6, 9].mean() == pytest.approx(s["fluid_age_s"]["high"], rel=0.1)
    assert (np.diff(age[:, 2, 1]) > 0).all()


def test_a_mixed_vessel_is_of_one_age(job: Job, tmp_path: Path) -> None:
    """Oracle: volume divided by flow rate everywhere, if diffusion is fast."""
    pores(tmp_path)
    flow = AGES + "diffusivity_m2_per_s = 1e-3\nmultiples = [1, 2]"
    s = run(job, text(INLET + OUTLET + SIDES, flow, "[solve]\ntolerance = 1e-6\n"), "-n", "1")
    age = (12 * 6 + 2 * 4) * H / (2 * 2 * 6)
    assert s["fluid_age_s"] == pytest.approx({"mean": age, "median": age, "p95": age, "high": age}, rel=5e-3)
    assert s["shown"]["field"] == "speed"


@pytest.mark.parametrize(
    ("flow", "more", "code", "words"),
    [
        ("diffusivity_m2_per_s = 1e-9", "", 2, "flow.residence_time = true"),
        (AGES + "diffusivity_m2_per_s = 0", "", 2, "must be > 0 m2/s"),
        (AGES + "inertia = true", "[transient]\nend_s = 1", 2, "requires a steady flow"),
        ("", "picture.field=residence_time", 2, "requires flow.residence_time"),
        ("", "picture.field=temperature", 2, "requires flow.heat"),
        ("", "picture.field=sed", 2, "use 'speed', 'temperature' or 'residence_time'"),
    ],
)
def test_what_makes_no_sense_is_refused(job: Job, tmp_path: Path, flow: str, more: str, code: int, words: str) -> None:
    """Oracle: the exit code and the message."""
    pores(tmp_path)
    changes = [f"--set={more}"] if more.startswith("picture") else []
    job.write(text(INLET + OUTLET + SIDES, flow, "" if changes else more))
    refused = job.run("--no-report", *changes)
    assert refused.code == code
    assert words in refused.err
