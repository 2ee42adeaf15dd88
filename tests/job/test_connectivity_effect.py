"""Tests of the effect of voxels that edges and corners connect, and of keys on the command line."""

from __future__ import annotations

import json
import signal

import numpy as np
import pytest
from test_stop import STOPPED, end, read_until, start
from whole_job import Job, job_text

COMPARE = ("--set", "segment.compare_connectivity=true")


def frame(strut: bool) -> np.ndarray:
    """Two plates on a column. The strut shares one edge with each plate, and carries load if it is kept."""
    image = np.zeros((10, 5, 4), np.uint8)
    image[:2, :4] = image[8:, :4] = 100
    image[2:8, :2, :2] = 100
    if strut:
        image[2:8, 4, :] = 100
    return image


def write(job: Job, image: np.ndarray, more: str = "") -> None:
    np.save(job.folder / "image.npy", image)
    text = job_text("image.npy", more="[segment]\nthreshold = 50\n" + more + "\n[solve]\ntolerance = 1e-9\n")
    job.write(text)


def effect_on(done, key: str) -> float:
    answers = done.summary["effect_of_connectivity"]["answers"]
    return next(a["relative_change"] for a in answers if a["key"] == key)


def test_a_strut_that_hangs_by_edges_bears(job: Job) -> None:
    """Oracle: a separate job with connectivity 26."""
    write(job, frame(strut=True))
    done = job.run("-n", "2", *COMPARE)
    assert done.code == 0, done.err
    assert "compute their effect with segment.compare_connectivity = true" in done.err
    reported = done.summary["effect_of_connectivity"]
    assert (reported["connectivity"], reported["hanging_voxels"], reported["computed"]) == (26, 24, True)
    assert effect_on(done, "stiffness_N_per_mm") > 0.01
    assert effect_on(done, "reaction_N.0") == pytest.approx(effect_on(done, "stiffness_N_per_mm"), rel=1e-5)
    assert "with the voxels connected by edges or corners only: " in done.out
    assert "with the voxels connected by edges or corners only: " in (done.folder / "report.html").read_text()
    small = done.summary["stiffness_N_per_mm"]

    other = done.folder / "connectivity_26"
    assert not list(other.glob("*.png")) and not (other / "report.html").exists()
    command = json.loads((other / "manifest.json").read_text())["command"]
    assert "--set segment.connectivity=26" in command
    assert command.endswith("--no-report") or "--no-report" in command

    write(job, frame(strut=True), "connectivity = 26\ndrop_unsupported = true\n")
    alone = job.run("-n", "1", "--no-report", "-o", str(job.folder / "alone.out"))
    assert alone.code == 0, alone.err
    large = json.loads((job.folder / "alone.out" / "summary.json").read_text())["stiffness_N_per_mm"]
    value = next(a["value"] for a in reported["answers"] if a["key"] == "stiffness_N_per_mm")
    assert value == pytest.approx(large, rel=1e-7)
    assert effect_on(done, "stiffness_N_per_mm") == pytest.approx(large / small - 1, rel=1e-5)


def test_from_26_the_effect_is_that_of_leaving_them_out(job: Job) -> None:
    """Oracle: the frame without its strut."""
    write(job, frame(strut=False))
    without = job.run("-n", "1", "--no-report", "-o", str(job.folder / "without.out"))
    assert without.code == 0, without.err
    bare = json.loads((job.folder / "without.out" / "summary.json").read_text())["stiffness_N_per_mm"]
    write(job, frame(strut=True), "connectivity = 26\n")
    done = job.run("-n", "1", "--no-report", *COMPARE)
    assert done.code == 0, done.err
    assert "without the voxels connected by edges or corners only: " in done.out
    change = bare / done.summary["stiffness_N_per_mm"] - 1
    assert change < -0.01
    assert effect_on(done, "stiffness_N_per_mm") == pytest.approx(change, rel=1e-5)
    assert (done.folder / "connectivity_6" / "summary.json").exists()


def test_a_voxel_at_a_corner_has_no_effect(job: Job) -> None:
    """Oracle: the voxel rotates freely about the corner, so that it carries no load."""
    image = frame(strut=False)
    image[4, 2, 2] = 100  # the voxel shares an edge with the column
    write(job, image)
    done = job.run("-n", "2", "--no-report", *COMPARE)
    assert done.code == 0, done.err
    reported = done.summary["effect_of_connectivity"]
    assert (reported["hanging_voxels"], reported["computed"]) == (1, True)
    for answer in reported["answers"]:
        assert answer["relative_change"] == pytest.approx(0, abs=1e-6), answer


def test_without_parts_at_edges_there_is_no_second_job(job: Job) -> None:
    write(job, frame(strut=False))
    done = job.run("-n", "2", "--no-report", *COMPARE)
    assert done.code == 0, done.err
    assert done.summary["effect_of_connectivity"]["computed"] is False
    assert "no voxel is connected by edges or corners only: connectivity 26 gives the same results" in done.out
    assert not (done.folder / "connectivity_26").exists()


def test_a_fault_of_the_other_job_leaves_the_results(job: Job) -> None:
    """Oracle: the contract. A strut that rotates about its only edge is unsupported, and homogenise does not remove
    this strut."""
    image = frame(strut=False)
    image[4, 2, 2] = 100
    write(job, image, '[load]\ntest = "homogenise"\n')
    done = job.run("-n", "2", "--no-report", *COMPARE)
    assert done.code == 0, done.err
    told = done.summary["effect_of_connectivity"]
    assert told["computed"] is False
    assert "are loose" in told["fault"]
    assert "could not be computed" in done.out
    assert "homogenisation" in done.summary


def test_a_stop_in_the_other_job_leaves_the_results(job: Job) -> None:
    """Oracle: the contract. The exit code is that of SIGTERM, the numbers are those of the first job, and no effect is
    reported."""
    write(job, frame(strut=True))
    process = start(job, "--no-report", *COMPARE)
    said = read_until(process, "solving with connectivity 26")
    process.send_signal(signal.SIGTERM)
    done = end(process, said)
    assert done.code == STOPPED, done.err
    assert "the results of the job are written; the stop affects the effect of connectivity 26" in done.err
    summary = json.loads((job.folder / "job.out" / "summary.json").read_text())
    assert "stiffness_N_per_mm" in summary
    assert "effect_of_connectivity" not in summary
    again = job.run("-n", "1", "--no-report", "--resume", *COMPARE)
    assert again.code == 0, again.err
    assert effect_on(again, "stiffness_N_per_mm") > 0.01


def test_cases_have_effects_of_their_own(job: Job) -> None:
    cases = '[[case]]\nname = "push"\n[[case]]\nname = "slide"\ntest = "shear"\ndirection = "x"\n'
    write(job, frame(strut=True), cases)
    done = job.run("-n", "1", "--no-report", *COMPARE)
    assert done.code == 0, done.err
    answers = done.summary["effect_of_connectivity"]["answers"]
    assert {a["case"] for a in answers} == {"push", "slide"}
    assert all(a["relative_change"] > 0 for a in answers if a["key"] == "stiffness_N_per_mm")


def test_earlier_results_go_with_their_effect(job: Job) -> None:
    write(job, frame(strut=True))
    assert job.run("-n", "1", "--no-report", *COMPARE).code == 0
    assert job.run("-n", "1", "--no-report").code == 0
    assert not (job.folder / "job.out" / "connectivity_26").exists()
    assert (job.folder / "job.out.1" / "connectivity_26" / "summary.json").exists()
    done = job.run("-n", "1", "--no-report", "--force", *COMPARE)
    assert done.code == 0, done.err
    again = job.run("-n", "1", "--no-report", "--force", *COMPARE)
    assert again.code == 0, again.err
    assert not list(again.folder.glob("connectivity_26.*"))


@pytest.mark.parametrize(
    ("more", "physics", "printed"),
    [
        ('keep = "all"\n', "elasticity", 'no effect with segment.keep = "all"'),
        ("", "heat", "heat does not flow through edges or corners"),
    ],
)
def test_jobs_that_have_no_such_effect(job: Job, more: str, physics: str, printed: str) -> None:
    np.save(job.folder / "image.npy", frame(strut=True))
    job.write(job_text("image.npy", physics, "[segment]\nthreshold = 50\n" + more))
    done = job.run(*COMPARE, command="check")
    assert done.code == 2
    assert printed in done.out


def test_keys_are_set_as_in_the_file(job: Job) -> None:
    """Oracle: the same keys in the file."""
    write(job, frame(strut=False), "[load]\nstrain = -0.01\n")
    words = ("--set", "segment.keep=percolating", "--set", "material[1].youngs_modulus_MPa=3414.5", "--set",
             "load.strain=-0.02", "--set", "image.spacing_mm=[0.02, 0.02, 0.02]", "--set", "solve.tolerance=1e-9")  # fmt: skip
    done = job.run("-n", "2", "--no-report", *words)
    assert done.code == 0, done.err
    half = done.summary["stiffness_N_per_mm"]
    assert done.summary["load"]["strain"] == -0.02
    command = json.loads((done.folder / "manifest.json").read_text())["command"]
    assert "--set segment.keep=percolating" in command and "--set 'material[1].youngs_modulus_MPa=3414.5'" in command
    whole = job.run("-n", "2", "--no-report", "--force")
    assert whole.summary["stiffness_N_per_mm"] == pytest.approx(2 * half, rel=1e-7)


@pytest.mark.parametrize(
    ("change", "printed"),
    [
        ("a" + ".a" * 40_000 + "=1", "--set: a key has 40001 parts; the maximum is 32"),
        ("segment.kep=all", "--set: segment.kep: unknown key; did you mean 'keep'?"),
        ("segment.keep=al", "--set: segment.keep: 'al' is not one of largest, percolating, all"),
        ("segment.keep=5", "--set: segment.keep: expected a text in quotes, found 5"),
        ("segment.connectivity=7", "--set: segment.connectivity: 7 must be 6"),
        ("material[2].poisson_ratio=0.2", "refers to 'material[2]', but the job has 1 [[material]]"),
        ("material.poisson_ratio=0.2", "requires 'material' to be a table"),
        ("physics", "must have the form KEY=VALUE"),
        ("name=[1", "has an invalid TOML value"),
        ("segment..keep=all", "contains an empty key name"),
        ("name=a\nphysics = 'heat'", "has an invalid TOML value"),
        ("name=" + "[" * 100, "--set"),
    ],
)
def test_changes_are_checked_as_the_file(job: Job, change: str, printed: str) -> None:
    write(job, frame(strut=False))
    for command in ("check", "run", "estimate", "import"):
        done = job.run("--set", change, command=command)
        assert done.code == 2, done
        assert printed in done.out + done.err
