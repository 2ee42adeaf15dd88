"""From an image to answers by `osteon new`, and the response of `run` to an image."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from whole_job import BINARY, Job, job_text, osteon

nrrd = pytest.importorskip("nrrd")


def at(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    if not BINARY.exists():
        pytest.skip(f"{BINARY} is not built")
    return subprocess.run(
        [str(BINARY), *words], cwd=folder, capture_output=True, text=True, timeout=120, check=False, env=os.environ
    )


@pytest.fixture
def image(tmp_path: Path) -> Path:
    rng = np.random.default_rng(2)
    grey = np.where(rng.random((14, 12, 10)) < 0.8, 180, 40) + rng.normal(0, 8, (14, 12, 10))
    nrrd.write(
        str(tmp_path / "scan.nrrd"), np.clip(grey, 0, 255).astype("u1"), {"spacings": [0.0607] * 3}, index_order="C"
    )
    return tmp_path / "scan.nrrd"


@pytest.mark.parametrize("protocol", ["xtremect2-radius", "rock", "electrode"])
def test_a_new_job_runs_as_it_is(image: Path, protocol: str) -> None:
    """Oracle: check reports no errors. If protocol and image define all values, run computes answers."""
    made = at(image.parent, "new", "scan.nrrd", "--protocol", protocol)
    assert made.returncode == 0 and "wrote scan.toml" in made.stdout, made.stderr
    checked = at(image.parent, "check", "scan.toml")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    done = at(image.parent, "run", "scan.toml", "-n", "1", "--no-report", "--quiet")
    assert done.returncode == 0, done.stderr
    assert (image.parent / "scan.out/summary.json").is_file()


@pytest.mark.parametrize("protocol", ["solid", "vertebra", "femur-fall"])
def test_check_asks_for_what_is_missing(image: Path, protocol: str) -> None:
    """Oracle: exit code 2 and the undefined keys."""
    assert at(image.parent, "new", "scan.nrrd", "-p", protocol).returncode == 0
    checked = at(image.parent, "check", "scan.toml")
    assert checked.returncode == 2
    printed = checked.stdout + checked.stderr
    for key in {"solid": ["youngs_modulus_MPa"], "vertebra": ["slope"], "femur-fall": ["slope", "trochanter"]}[
        protocol
    ]:
        assert key in printed, printed


@pytest.mark.parametrize(
    ("protocol", "coefficient", "exponent", "strength"),
    [
        ("vertebra-failure", 3814.4, 1.05, lambda rho, e: 57.4464 * rho**1.39),
        ("femoral-neck-failure", 8768.0, 1.49, lambda rho, e: 0.0085 * e),
    ],
)
def test_a_protocol_of_failure_yields_where_its_source_says(
    image: Path, protocol: str, coefficient: float, exponent: float, strength: Callable[[float, float], float]
) -> None:
    """Oracle: the laws of the cited source, at the density of the only grey value, in a cube between smooth plates."""
    folder, slope = image.parent, 0.002
    grey = np.full((6, 6, 6), 200, "u1")
    nrrd.write(str(folder / "cube.nrrd"), grey, {"spacings": [0.5] * 3}, index_order="C")
    assert at(folder, "new", "cube.nrrd", "-p", protocol).returncode == 0
    text = (folder / "cube.toml").read_text()
    assert "parosol-py 0.1.26" in text
    checked = at(folder, "check", "cube.toml")
    assert checked.returncode == 2 and "slope" in checked.stdout + checked.stderr
    rho = slope * 200
    more = [f"density_law.slope={slope}", "load.test=uniaxial", "segment.threshold=100", "picture.enabled=false"]
    done = at(folder, "run", "cube.toml", "-n", "1", "--no-report", "--quiet", *(w for m in more for w in ("--set", m)))
    assert done.returncode == 0, done.stderr
    reported = json.loads((folder / "cube.out/summary.json").read_text())
    modulus = coefficient * rho**exponent
    assert reported["stiffness_N_per_mm"] == pytest.approx(modulus * 9 / 3, rel=2e-3)
    assert abs(reported["first_yield"]["force_N"]) == pytest.approx(strength(rho, modulus) * 9, rel=5e-3)


def test_a_job_that_is_there_is_kept(image: Path) -> None:
    """Oracle: the contract. The exit code is 3, and the job file is unchanged."""
    (image.parent / "scan.toml").write_text("mine")
    done = at(image.parent, "new", "scan.nrrd")
    assert done.returncode == 3 and "not overwritten" in done.stderr
    assert (image.parent / "scan.toml").read_text() == "mine"


@pytest.mark.parametrize("command", ["run", "check", "import", "estimate"])
def test_an_image_is_no_job(image: Path, command: str) -> None:
    """Oracle: the contract. The exit code is 2, and the message contains the command that creates a job from the
    image."""
    done = at(image.parent, command, "scan.nrrd")
    assert done.returncode == 2
    said = done.stdout + done.stderr
    assert "is an image, not a job file" in said and "osteon new 'scan.nrrd'" in said


def test_a_folder_is_no_job(tmp_path: Path) -> None:
    """Oracle: the message for an image, which is also printed for a folder of slices."""
    (tmp_path / "slices").mkdir()
    done = at(tmp_path, "run", "slices")
    assert done.returncode == 2 and "is a folder, not a job file" in done.stderr


def test_quiet_and_verbose(job: Job, sponge: Path) -> None:
    """Oracle: quiet prints no messages, and verbose prints the time of each stage. Both options together are
    rejected."""
    job.write(job_text(sponge))
    quiet = job.run("-n", "1", "--no-report", "--quiet")
    assert quiet.code == 0 and quiet.out == "" and quiet.err == ""
    usual = job.run("-n", "1", "--no-report", "--force")
    loud = job.run("-n", "1", "--no-report", "--force", "--verbose")
    assert usual.out and "solving\n" in usual.err and " s]" not in usual.err
    assert re.search(r"^solving  \[\d+\.\d{3} s\]$", loud.err, re.MULTILINE)
    both = job.run("--quiet", "--verbose")
    assert both.code == 2 and "mutually exclusive" in both.err


def test_new_needs_an_image() -> None:
    """Oracle: the usage of the command."""
    assert osteon("new").returncode == 2
