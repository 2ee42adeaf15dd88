"""Tests of the uncertainty of the answers. The job is solved again on modified images."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from whole_job import Job, job_text

ALL = "[uncertainty]\nthreshold_sd = 10\nvoxel_size = true\nnoise_sd = 5\n"


def sponge(folder: Path, shape: tuple[int, int, int] = (13, 12, 12)) -> str:
    """Smooth greys around 100. A threshold yields a solid that is connected to all faces."""
    z, y, x = (np.arange(n)[(slice(None), *[None] * (2 - a))] for a, n in enumerate(shape))
    values = 100 + 40 * (np.sin(0.8 * x + 0.3) + np.sin(0.7 * y) + np.sin(0.9 * z + 0.5)) + 30
    np.save(folder / "greys.npy", values.astype("f4"))
    return "greys.npy"


def value(summary: dict, key: str = "stiffness_N_per_mm") -> float:
    return summary[key]


def summary_of(folder: Path) -> dict:
    return json.loads((folder / "summary.json").read_text())


def known(summary: dict, key: str = "stiffness_N_per_mm") -> dict:
    return next(a for a in summary["uncertainty"]["answers"] if a["key"] == key)


def test_the_job_is_solved_on_changed_images(job: Job, tmp_path: Path) -> None:
    """Oracle: separate jobs with the reported keys. The resulting numbers are computed by hand."""
    text = job_text(sponge(tmp_path), more="[segment]\nthreshold = 100\n")
    job.write(text + ALL)
    done = job.run("-n", "2")
    assert done.code == 0, done.err
    reported = known(done.summary)
    at = {name: value(summary_of(done.folder / "uncertainty" / name)) for name in
          ("threshold_low", "threshold_high", "voxels_2", "voxels_4", "noise_1", "noise_2")}  # fmt: skip
    k = value(done.summary)
    assert reported["threshold"] == pytest.approx(
        np.sqrt(((at["threshold_low"] - k) ** 2 + (at["threshold_high"] - k) ** 2) / 2)
    )
    assert reported["noise"] == pytest.approx(np.sqrt(((at["noise_1"] - k) ** 2 + (at["noise_2"] - k) ** 2) / 2))
    assert at["threshold_low"] > k > at["threshold_high"] and at["noise_1"] != at["noise_2"]
    assert reported["total"] == pytest.approx(
        np.sqrt(reported["threshold"] ** 2 + reported["voxel_size"] ** 2 + reported["noise"] ** 2)
    )
    assert [reported["low"], reported["high"]] == pytest.approx([k - 2 * reported["total"], k + 2 * reported["total"]])
    coarse = summary_of(done.folder / "uncertainty" / "voxels_4")["image"]
    assert coarse["shape"] == [4, 3, 3] and coarse["coarsened"] == 4
    assert coarse["spacing_mm"] == pytest.approx([0.02 * 13 / 4, 0.08, 0.08])
    assert not list((done.folder / "uncertainty").glob("*/results.nc"))  # only reported quantities are kept
    line = done.summary["uncertainty"]["words"][1]
    assert line.startswith("stiffness ") and "(threshold) ± " in line and line in done.out
    page = (done.folder / "report.html").read_text()
    assert "Uncertainty of the answers" in page and "± voxel size" in page and "interval (k = 2)" in page

    job.write(text)
    for name, change in (("threshold_high", "segment.threshold=110"), ("voxels_2", "image.coarsen=2")):
        out = tmp_path / name
        alone = job.run("--no-report", "-n", "1", "--set", change, "--set", "picture.enabled=false", "-o", str(out))
        assert alone.code == 0, alone.err
        assert value(summary_of(out)) == pytest.approx(at[name], rel=1e-5)


def test_an_image_without_a_solid_is_reported_and_others_remain(job: Job, tmp_path: Path) -> None:
    job.write(job_text(sponge(tmp_path), more="[segment]\nthreshold = 100\n[uncertainty]\nthreshold_sd = 200\n"))
    done = job.run("--no-report", "-n", "1", "--set", "picture.enabled=false")
    assert done.code == 0, done.err
    low, high = done.summary["uncertainty"]["runs"]
    assert low["computed"] and not high["computed"] and "no solid voxel" in high["fault"]
    assert "without a threshold of 300: " in done.out
    assert known(done.summary)["threshold"] > 0


@pytest.mark.parametrize(
    ("physics", "key", "more"),
    [
        ("heat", "effective_conductivity_W_per_mK", ""),
        ("flow", "permeability_m2", '[load]\ntest = "permeability"\n'),
    ],
)
def test_other_physics_have_it_too(job: Job, tmp_path: Path, physics: str, key: str, more: str) -> None:
    job.write(
        job_text(
            sponge(tmp_path, (12, 12, 12)),
            physics,
            more=f"[segment]\nthreshold = 120\n{more}[uncertainty]\nthreshold_sd = 5\n",
        )
    )
    done = job.run("--no-report", "-n", "1", "--set", "picture.enabled=false")
    assert done.code == 0, done.err
    assert 0 < known(done.summary, key)["threshold"] < done.summary[key]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("[uncertainty]\nthreshold_sd = -3\n", "uncertainty.threshold_sd: -3 must be > 0"),
        ("[uncertainty]\nenabled = true\n", "no source of uncertainty"),
        ("[uncertainty]\nnoise_sd = 3\nnoise_blur_voxels = 9\n", "9 must be in [0, 4] voxels"),
        ("[segment]\nlabels = true\n[uncertainty]\nthreshold_sd = 3\n", "labels have neither noise nor a threshold"),
        ("[segment]\nlabels = true\n[uncertainty]\nvoxel_size = true\n", "labels have no mean"),
        (
            '[uncertainty]\nvoxel_size = true\n[[set]]\nname = "s"\nselect = "voxels"\nvoxels = [[0, 0, 0]]\n',
            "the set 's', which lists voxels of the original image",
        ),
    ],
)
def test_what_cannot_be_varied_is_refused(job: Job, tmp_path: Path, more: str, words: str) -> None:
    job.write(job_text(sponge(tmp_path), more=more))
    done = job.run()
    assert done.code == 2 and words in done.err, done.err


def test_the_sensitivity_is_the_derivative(job: Job, tmp_path: Path) -> None:
    """Oracle: differences of the stiffness for changed moduli of one material, and sum E dK/dE = K."""
    from osteon.results.result_file import ResultFile

    labels = np.ones((4, 3, 3), "u1")
    labels[1:3, 1:] = 2
    np.save(tmp_path / "labels.npy", labels)
    text = (
        '[image]\npath = "labels.npy"\nspacing_mm = 0.5\n[segment]\nlabels = true\n'
        "[[material]]\nlabel = 1\nyoungs_modulus_MPa = 1000\npoisson_ratio = 0.3\n[[material]]\nlabel = 2\nyoungs_modulus_MPa = {}\npoisson_ratio = 0.3\n"
        '[solve]\ntolerance = 1e-9\n[picture]\nenabled = false\n[output]\nfields = ["stiffness_sensitivity"]\n'
    )
    stiffness = {}
    for modulus in (299, 301, 300):
        job.write(text.format(modulus))
        done = job.run("--no-report", "-n", "1", "--force")
        assert done.code == 0, done.err
        stiffness[modulus] = value(done.summary)
    with ResultFile(done.folder / "results.nc") as file:
        found = np.asarray(file["stiffness_sensitivity"], float)
    assert found[labels == 2].sum() == pytest.approx((stiffness[301] - stiffness[299]) / 2, rel=1e-4)
    assert (found * np.where(labels == 2, 300, 1000)).sum() == pytest.approx(stiffness[300], rel=1e-6)
