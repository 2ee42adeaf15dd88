"""Tests of image steps before the threshold in whole jobs: their effects, their provenance, and the conditions for a
new import."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from whole_job import Job, job_text, osteon

GAUSS = '[[image.step]]\nkind = "gaussian"\nsigma_voxels = 1.0\n'
FEW = "[picture]\nenabled = false\n"


def imported(job: Job, image: Path, steps: str, more: str = "", **options: str) -> tuple[dict, str]:
    path = job.write(job_text(image, more=more, image_more=steps, **options))
    done = osteon("import", str(path), "-o", str(job.folder / "m.nc"), "--json", "-")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


def test_steps_are_stored_and_identify_the_model(job: Job, sponge: Path) -> None:
    """Oracle: equal steps reuse their model, and other steps do not. The provenance contains the steps, their shapes
    and sizes."""
    first, printed = imported(job, sponge, GAUSS)
    assert not first["reused"] and "image steps: gaussian; a step uses up to" in printed
    step = first["image"]["steps"][0]
    assert (
        step["kind"] == "gaussian"
        and step["sigma_voxels"] == 1.0
        and step["shape"] == [18, 15, 14]
        and step["bytes"] > 0
    )
    assert imported(job, sponge, GAUSS)[0]["reused"]
    assert not imported(job, sponge, GAUSS.replace("1.0", "1.5"))[0]["reused"]
    assert not imported(job, sponge, "")[0]["reused"]


def test_a_resampled_job_has_its_box(job: Job, sponge: Path) -> None:
    """Oracle: the number of voxels, determined by hand. A threshold on a blurred image, computed in NumPy, selects
    between none and all voxels."""
    steps = GAUSS + '[[image.step]]\nkind = "resample"\nspacing_mm = 0.04\n'
    answer, _ = imported(job, sponge, steps)
    assert answer["image"]["shape"] == [9, 8, 7] and answer["image"]["spacing_mm"] == [0.04] * 3
    path = job.folder / "job.toml"
    done = osteon("check", str(path), "--json", "-")
    assert done.returncode == 0, done.stderr


def test_label_images_are_cropped_like_the_scan(job: Job, sponge: Path) -> None:
    """Oracle: a set of all remaining labels has the nodes of the whole solid."""
    np.save(job.folder / "labels.npy", np.where(np.load(sponge) > 100, 5, 0).astype("u1"))
    steps = '[[image.step]]\nkind = "crop"\nvoxels = [[2, 10], [0, 15], [1, 13]]\n'
    more = (
        '[[set]]\nname = "all"\nselect = "image"\nimage = "labels.npy"\nlabels = [5]\n[[set]]\nname = "low"\nselect = "face"\n'
        'face = "z_low"\n[[support]]\non = "low"\nfix = "zyx"\n[[force]]\non = "all"\nforce_N = [1, 0, 0]\n'
    )
    job.write(job_text(sponge, more=more, image_more=steps))
    done = job.run("-n", "1", "--no-report")
    assert done.code == 0, done.err
    force = done.summary["forces"][0]
    assert 3 * (force["nodes"] - done.summary["supports"][0]["nodes"]) == done.summary["dofs"]
    assert done.summary["image"]["origin_mm"] == pytest.approx([0.04, 0.0, 0.02])
    assert done.summary["image"]["steps"][0]["voxels"] == [[2, 10], [0, 15], [1, 13]]


def test_ranges_of_greys_become_materials(job: Job, sponge: Path) -> None:
    """Oracle: the number of voxels of each range, counted by NumPy."""
    steps = '[[image.step]]\nkind = "labels"\nranges = [[0, 50, 0], [51, 255, 3]]\n'
    text = job_text(sponge, image_more=steps, more='[segment]\nlabels = true\nkeep = "all"\n').replace(
        "[[material]]", "[[material]]\nlabel = 3"
    )
    path = job.write(text)
    done = osteon("import", str(path), "-o", str(job.folder / "m.nc"), "--json", "-")
    assert done.returncode == 0, done.stderr
    with pytest.importorskip("netCDF4").Dataset(job.folder / "m.nc") as model:
        assert (model["VTKHDF/CellData/material"][:] > 0).sum() == (np.load(sponge) > 50).sum()


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ('kind = "sharpen"', "'sharpen' is not one of gaussian, median, close, open, resample, crop, labels"),
        ("sigma_mm = 1", "image.step[1].kind: missing"),
        ('kind = "gaussian"', "requires either sigma_mm or sigma_voxels"),
        ('kind = "gaussian"\nsigma_mm = 1\nsigma_voxels = 1', "requires either sigma_mm or sigma_voxels"),
        ('kind = "gaussian"\nsigma_mm = -1', "sigma -1 must be in (0, 1000]"),
        ('kind = "median"\nradius_voxels = 40', "40 must be in [1, 16]"),
        ('kind = "median"\nsigma_mm = 1', 'sigma_mm: belongs to kind = "gaussian", not to "median"'),
        ('kind = "resample"', "must be one number or [z, y, x]"),
        ('kind = "resample"\nspacing_mm = [1, 1]', "must be one number or [z, y, x]"),
        ('kind = "crop"\nvoxels = [[3, 1], [0, 1], [0, 1]]', "expected [[z0, z1], [y0, y1], [x0, x1]]"),
        ('kind = "labels"\nranges = [[0, 1, 1]]', 'kind = "labels" requires segment.labels = true'),
        ('kind = "labels"\nranges = [[0, 1]]', "expected [[low, high, label], ...]"),
        ('kind = "gaussian"\nsigma_mm = 1\nsigmaa = 2', "sigmaa"),
    ],
)
def test_wrong_steps_are_refused(job: Job, sponge: Path, steps: str, words: str) -> None:
    """Oracle: the contract, with exit code 2, the key, and the remedy."""
    path = job.write(job_text(sponge, image_more="[[image.step]]\n" + steps + "\n"))
    done = osteon("import", str(path), "-o", str(job.folder / "m.nc"))
    assert done.returncode == 2 and words in done.stderr, done.stderr


def test_a_step_that_the_image_does_not_bear(job: Job, sponge: Path) -> None:
    """Oracle: the contract, with exit code 3 and the number of the step."""
    path = job.write(job_text(sponge, image_more='[[image.step]]\nkind = "crop"\nvoxels = [[0, 99], [0, 1], [0, 1]]\n'))
    done = osteon("import", str(path), "-o", str(job.folder / "m.nc"))
    assert (
        done.returncode == 3
        and "image.step[1] (crop): z = [0, 99] exceeds the image, which has 18 voxels" in done.stderr
    )
