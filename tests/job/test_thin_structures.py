"""Tests of options that preserve thin structures, in a whole job. tests/python/fine_structures_test.py tests the
filters themselves."""

from __future__ import annotations

import json

import numpy as np
import pytest
import SimpleITK as sitk  # noqa: N813
from whole_job import Job, job_text


def test_the_threshold_of_two_greys_keeps_the_volume(job: Job) -> None:
    """Oracle: a blurred image of a known solid. The fraction of voxels above the threshold is the fraction of the
    solid, to one voxel."""
    solid = np.random.default_rng(4).random((20, 20, 20)) < 0.4
    image = np.where(solid, 200, 40).astype("f4")
    mean = sitk.GetArrayFromImage(sitk.DiscreteGaussian(sitk.GetImageFromArray(image), [0.8] * 3, 32, 1e-3, False))
    np.save(job.folder / "image.npy", mean)
    job.write(job_text("image.npy", more='[segment]\ngreys = [40, 200]\nkeep = "all"\n'))
    done = job.run("--json", "-", command="import")
    assert done.code == 0, done.err
    reported = json.loads(done.out)["segmentation"]
    assert reported["method"] == "volume" and reported["kept_voxels"] == (mean > reported["threshold"]).sum()
    assert reported["kept_voxels"] == pytest.approx((mean.mean() - 40) / 160 * mean.size, abs=2)
    # the estimate reads only some planes
    estimate = json.loads(job.run("--quick", "--json", "-", command="estimate").out)
    assert estimate["elements"] == pytest.approx(reported["kept_voxels"], rel=0.1)
    changed = job.run("--set", "segment.threshold=110", "--json", "-", command="import")  # this key takes precedence
    assert json.loads(changed.out)["segmentation"]["threshold"] == 110
    job.write(job_text("image.npy", more="[segment]\ngreys = [400, 500]\n"))
    refused = job.run(command="import")
    assert refused.code == 3 and "pass the grey values of its two phases" in refused.err


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("[segment]\ngreys = [210, 10]\n", "empty < solid"),
        ("[segment]\ngreys = [10]\n", "empty < solid"),
        ("[segment]\ngreys = [10, 210]\nlabels = true\n", "segment.labels = true"),
        (
            '[[image.step]]\nkind = "hysteresis"\nlow = 50\nhigh = 100\n',
            "must be 100, the value of high in image.step[1]",
        ),
        (
            '[[image.step]]\nkind = "hysteresis"\nlow = 150\nhigh = 100\n[segment]\nthreshold = 100\n',
            "must be greater than",
        ),
        ('[[image.step]]\nkind = "hysteresis"\nlow = 50\n', "low or high is missing"),
        ('[[image.step]]\nkind = "local_threshold"\nlow = 50\nhigh = 100\n[segment]\nthreshold = 100\n', "in [2, 64]"),
        (
            '[[image.step]]\nkind = "gaussian"\nsigma_voxels = 1\ncutoff = 0.2\n',
            'belongs to kind = "laplace_hamming", not to',
        ),
        ('[[image.step]]\nkind = "laplace_hamming"\ncutoff = 0.7\n', "(0, 0.5] cycles per voxel"),
    ],
)
def test_what_makes_no_sense_is_refused(job: Job, more: str, words: str) -> None:
    np.save(job.folder / "image.npy", np.full((4, 4, 4), 200, "u1"))
    job.write(job_text("image.npy", more=more))
    done = job.run(command="check")
    assert done.code == 2 and words in done.out + done.err, done.out + done.err


def test_a_strut_that_a_threshold_cuts_is_kept(job: Job) -> None:
    """Two blurred blocks that a strut of 2 x 2 voxels connects. A threshold half-way leaves two parts, which faces do
    not connect."""
    image = np.full((24, 12, 12), 20, "f4")
    image[:8], image[16:] = 230, 230
    image[8:16, 5:7, 5:7] = 230
    blurred = sitk.GetArrayFromImage(sitk.DiscreteGaussian(sitk.GetImageFromArray(image), [1.44] * 3, 32, 1e-3, False))
    np.save(job.folder / "image.npy", blurred)
    job.write(job_text("image.npy", more="[segment]\nthreshold = 125\n"))
    cut = job.run(command="import")
    assert cut.code == 3 and "does not touch the high z face" in cut.err, cut.err
    for step in (
        '[[image.step]]\nkind = "local_threshold"\nradius_voxels = 3\n'
        "low = 50\nhigh = 125\n[segment]\nthreshold = 125\n",
        '[[image.step]]\nkind = "hysteresis"\nlow = 50\nhigh = 125\n[segment]\nthreshold = 125\n',
    ):
        job.write(job_text("image.npy", more=step))
        done = job.run("--json", "-", command="import")
        assert done.code == 0, done.err
        kept = json.loads(done.out)["segmentation"]["kept_voxels"]
        assert kept >= 16 * 144 + 6 * 4
