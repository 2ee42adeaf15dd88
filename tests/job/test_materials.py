"""Tests of sources of the moduli of a whole job: laws of the density, and images of constants."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from whole_job import BINARY, Finished, Job

import osteon

QUIET = "[picture]\nenabled = false\n[solve]\ntolerance = 1e-9\n"


def head(image: str = "scan.npy") -> str:
    return f'[image]\npath = "{image}"\nspacing_mm = [0.03, 0.02, 0.01]\n[segment]\nthreshold = 50\n'


def stiffness(job: Job, text: str) -> tuple[float, Finished]:
    job.write(text + QUIET)
    done = job.run("-n", "2", "--no-report")
    assert done.code == 0, done.err
    return done.summary["stiffness_N_per_mm"], done


@pytest.fixture
def scan(tmp_path: Path) -> np.ndarray:
    """Greys 100, 120 ... 200 in most voxels, and 10 in the other voxels."""
    rng = np.random.default_rng(8)
    shape = (9, 8, 7)
    grey = np.where(rng.random(shape) < 0.85, 100 + 20 * rng.integers(0, 6, shape), 10).astype(np.uint8)
    np.save(tmp_path / "scan.npy", grey)
    return grey


def test_three_ways_to_the_same_moduli_give_the_same_stiffness(job: Job, scan: np.ndarray, tmp_path: Path) -> None:
    """Oracle: comparison of the results with each other. The moduli are a cubic in the density, an image of moduli, and
    labels with materials."""
    rho = 0.002 * scan.astype(float) - 0.1
    modulus = 50 + 400 * rho - 100 * rho**2 + 9000 * rho**3
    np.save(tmp_path / "E.npy", np.where(scan > 50, modulus, -5))
    np.save(tmp_path / "nu.npy", np.full(scan.shape, 0.25, np.float32))
    law = 'law = "polynomial"\ncoefficients_MPa = [50, 400, -100, 9000]\npoisson_ratio = 0.25\n'
    by_law, done = stiffness(job, head() + f"[density_law]\nslope = 0.002\nintercept = -0.1\n{law}")
    assert done.summary["segmentation"]["largest_relative_modulus_error"] == 0
    assert done.summary["segmentation"]["materials"] == 6
    points = "calibration = [[0, -0.1], [100, 0.1], [250, 0.4]]\n"
    by_points, done = stiffness(job, head() + f"[density_law]\n{points}{law}")
    assert done.summary["segmentation"]["calibration"]["slope"] == pytest.approx(0.002, rel=1e-12)
    images = '[modulus_image]\npath = "E.npy"\n[poisson_image]\npath = "nu.npy"\n'
    by_images, done = stiffness(job, head() + images)
    assert done.summary["segmentation"]["largest_relative_modulus_error"] == 0
    table = "".join(
        f"[[material]]\nlabel = {g}\nyoungs_modulus_MPa = {modulus[scan == g][0]}\npoisson_ratio = 0.25\n"
        for g in range(100, 201, 20)
    )
    by_labels, _ = stiffness(job, head().replace("threshold = 50", "labels = true\nvoid_labels = [10]") + table)
    assert [by_points, by_images, by_labels] == pytest.approx([by_law] * 3, rel=1e-7)


def in_series(moduli: np.ndarray) -> float:
    """Stiffness of layers of 2 x 3 voxels without Poisson's ratio."""
    return (2 * 0.02 * 3 * 0.01) / (0.03 / moduli).sum()


@pytest.mark.parametrize("line", ["slope = 0.002\nintercept = -0.1\n", "calibration = [[50, 0], [150, 0.2]]\n"])
def test_the_check_reports_moduli_over_the_greys(job: Job, scan: np.ndarray, line: str) -> None:
    """Oracle: the formula of the power law between its limits, from the lowest to the highest grey value of the
    image."""
    law = f"[density_law]\n{line}coefficient_MPa = 900\nexponent = 1.7\nmin_modulus_MPa = 5\npoisson_ratio = 0.3\n"
    job.write(head() + law)
    found = json.loads(job.run("--json", "-", command="check").out)
    moduli = found["image"]["moduli"]
    assert (moduli["grey_min"], moduli["grey_max"]) == (10, 200)
    rho = np.maximum(0, 0.002 * np.linspace(10, 200, len(moduli["youngs_modulus_MPa"])) - 0.1)
    assert moduli["youngs_modulus_MPa"] == pytest.approx(np.maximum(5, 900 * rho**1.7), rel=1e-9)


def test_hundreds_of_materials_in_series_have_the_exact_stiffness(job: Job, tmp_path: Path) -> None:
    """Oracle: closed form for layers without Poisson's ratio. The layers are given by an image of moduli and by labels.
    The last label is also a set."""
    moduli = 10 ** np.random.default_rng(9).uniform(2, 4, 300)
    np.save(tmp_path / "E.npy", np.ones((300, 2, 3)) * moduli[:, None, None])
    found, done = stiffness(job, head("E.npy") + '[modulus_image]\npath = "E.npy"\npoisson_ratio = 0.0\n')
    reported = done.summary["segmentation"]
    assert (reported["materials"], reported["largest_relative_modulus_error"]) == (300, 0)
    assert found == pytest.approx(in_series(moduli), rel=1e-8)
    assert "by_material" not in done.summary

    np.save(
        tmp_path / "labels.npy", np.ones((300, 2, 3), np.uint16) * (1000 + np.arange(300, dtype="u2"))[:, None, None]
    )
    table = "".join(
        f'[[material]]\nname = "layer {n}"\nlabel = {1000 + n}\nyoungs_modulus_MPa = {e!r}\npoisson_ratio = 0.0\n'
        for n, e in enumerate(moduli.tolist())
    )
    text = head("labels.npy").replace("threshold = 50", "labels = true") + table
    by_labels, done = stiffness(job, text)
    assert by_labels == pytest.approx(in_series(moduli), rel=1e-8)
    fields = osteon.load_fields(done.folder / "results.nc")
    material = np.asarray(fields["material"])
    assert material.dtype == np.uint16
    assert (material == np.arange(1, 301)[:, None, None]).all()
    checked = subprocess.run([BINARY, "verify", done.folder / "results.nc"], timeout=60, check=False)
    assert checked.returncode == 0


def test_more_moduli_than_classes_are_within_the_reported_error(job: Job, tmp_path: Path) -> None:
    """Oracle: closed form for layers in series without Poisson's ratio. Each voxel of a layer has its own modulus."""
    moduli = 10 ** np.random.default_rng(9).uniform(2, 4, 6000)
    np.save(tmp_path / "E.npy", np.ones((6000, 2, 3)) * moduli[:, None, None])
    found, done = stiffness(job, head("E.npy") + '[modulus_image]\npath = "E.npy"\npoisson_ratio = 0.0\n')
    reported = done.summary["segmentation"]
    assert 255 < reported["materials"] <= 4096
    assert 0 < reported["largest_relative_modulus_error"] <= (100 ** (1 / 4096) - 1) / (100 ** (1 / 4096) + 1)
    assert found == pytest.approx(in_series(moduli), rel=reported["largest_relative_modulus_error"])


def test_a_changed_modulus_image_makes_a_new_model(job: Job, scan: np.ndarray, tmp_path: Path) -> None:
    """Oracle: the stiffness is proportional to the moduli."""
    np.save(tmp_path / "E.npy", np.full(scan.shape, 1000, np.uint16))
    text = head() + '[modulus_image]\npath = "E.npy"\npoisson_ratio = 0.3\n'
    first, _ = stiffness(job, text)
    np.save(tmp_path / "E.npy", np.full(scan.shape, 2000, np.uint16))
    second, _ = stiffness(job, text)
    assert second == pytest.approx(2 * first, rel=1e-8)


@pytest.mark.parametrize(
    ("lines", "code", "words"),
    [
        ('[modulus_image]\npath = "none.npy"\npoisson_ratio = 0.3\n', 3, "modulus_image.path: "),
        ('[modulus_image]\npath = "small.npy"\npoisson_ratio = 0.3\n', 3, "both must have the same shape"),
        ('[modulus_image]\npath = "zero.npy"\npoisson_ratio = 0.3\n', 3, "have an invalid Young's modulus"),
        (
            '[modulus_image]\npath = "scan.npy"\n[poisson_image]\npath = "scan.npy"\n',
            3,
            "have an invalid Poisson's ratio",
        ),
        ('[poisson_image]\npath = "scan.npy"\n', 2, "poisson_image: requires [modulus_image]"),
        ('[density_law]\nslope = 1\nlaw = "linear"\ncoefficients_MPa = [1, 2, 3]\n', 2, 'law = "linear" requires two'),
        ("[density_law]\ncoefficient_MPa = 1\ncalibration = [[1, 2], [1, 3]]\n", 2, "two different grey values"),
        ("[density_law]\ncoefficient_MPa = 1\ncalibration = [1, 2]\n", 2, "expected a list in brackets"),
    ],
)
def test_bad_constants_are_refused(
    job: Job, scan: np.ndarray, tmp_path: Path, lines: str, code: int, words: str
) -> None:
    np.save(tmp_path / "small.npy", scan[1:])
    np.save(tmp_path / "zero.npy", np.zeros_like(scan))
    job.write(head() + lines + QUIET)
    done = job.run("-n", "1", "--no-report")
    assert done.code == code, done.err
    assert words in done.err + done.out
