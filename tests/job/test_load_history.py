"""Tests of `osteon loads` with real results. The specimens are crossed bars, and each load case strains one bar."""

from __future__ import annotations

import json

import numpy as np
import pytest
from whole_job import Job, follows_schema, job_text
from whole_job import osteon as command

import osteon

MODULUS = 6829.0  # modulus of job_text
CASES = """
[[case]]
name = "along_z"
test = "axial_bonded"
axis = "z"
strain = -0.01
[[case]]
name = "along_x"
test = "axial_bonded"
axis = "x"
strain = -0.02
"""


def test_crossed_bars_tell_their_loads(job: Job) -> None:
    """Oracle: in each bar, half of E strain^2 is the density of its own case. The factor is therefore the square root
    of target divided by density."""
    image = np.zeros((20, 8, 20), np.uint8)
    image[:, 2:6, 8:12] = image[8:12, 2:6, :] = 200
    np.save(job.folder / "image.npy", image)
    job.write(job_text("image.npy", more=CASES).replace("[picture]", "[picture]\nenabled = false"))
    done = job.run("-n", "2", "--no-report")
    assert done.code == 0, done.err
    reported = command("loads", str(done.folder), "--json", "-")
    answer = json.loads(reported.stdout)
    follows_schema(answer, "loads")
    history = osteon.load_history(done.folder, target_MPa=0.02)
    z, x = history.amplitudes
    assert [a["factor"] for a in answer["amplitudes"]] == [z.factor, x.factor]
    # the bars are equal, and the second case has twice the strain
    assert z.factor == pytest.approx(2 * x.factor, rel=0.02)
    assert z.factor == pytest.approx(np.sqrt(0.02 / (MODULUS / 2 * 0.01**2)), rel=0.1)
    assert z.low <= z.factor <= z.high and history.condition < 5 and z.share == pytest.approx(0.5, abs=0.01)
    assert z.force_N[0] == pytest.approx(z.factor * done.summary["cases"][0]["reaction_N"][0])
    assert "95 %" in command("loads", str(done.folder)).stdout
    more = osteon.load_history(done.folder, target_MPa=0.08)
    assert more.amplitudes[0].factor == pytest.approx(2 * z.factor)


def test_cases_that_load_alike_have_no_condition(job: Job) -> None:
    """The cases are two strains of one test, so that one case is a multiple of the other."""
    np.save(job.folder / "image.npy", np.full((4, 4, 4), 200, np.uint8))
    alike = CASES.replace('axis = "x"', 'axis = "z"').replace("along_x", "more")
    text = job_text("image.npy", more="[segment]\nthreshold = 100\n" + alike)
    job.write(text.replace("[picture]", "[picture]\nenabled = false"))
    done = job.run("-n", "1", "--no-report")
    assert done.code == 0, done.err
    reported = command("loads", str(done.folder), "--json", "-")
    answer = json.loads(reported.stdout)
    follows_schema(answer, "loads")
    assert answer["condition"] is None and answer["deviation"] < 0.5
    assert "amplitudes cannot be distinguished" in command("loads", str(done.folder)).stdout


def test_what_has_no_history_is_refused(job: Job) -> None:
    np.save(job.folder / "image.npy", np.full((4, 4, 4), 200, np.uint8))
    job.write(
        job_text("image.npy", more="[segment]\nthreshold = 100\n").replace("[picture]", "[picture]\nenabled = false")
    )
    done = job.run("--no-report")
    assert done.code == 0, done.err
    with pytest.raises(osteon.UsageError, match="has fewer than two load cases"):
        osteon.load_history(done.folder)
    with pytest.raises(osteon.UsageError, match="must be > 0"):
        osteon.load_history(done.folder, target_MPa=0)
    with pytest.raises(osteon.DataError):
        osteon.load_history(job.folder / "none")
    for words, code, printed in (
        ([str(done.folder)], 2, "has fewer than two load cases"),
        ([str(done.folder), "--target", "-1"], 2, "must be > 0"),
        (["none"], 3, "pass the output directory of a completed job"),
    ):
        reported = command("loads", *words)
        assert reported.returncode == code and printed in reported.stderr and "Warning" not in reported.stderr, (
            reported.stderr
        )
