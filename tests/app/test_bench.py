"""Tests of models that the measurements use."""

import json
import sys

import numpy as np
from whole_job import ROOT, Job

sys.path.insert(0, str(ROOT / "bench"))
import _program
import make_mandible
import mandible


def test_a_small_jaw_is_one_solid_between_its_faces(tmp_path):
    # Oracle: the counts of `import`. A valid model of a jaw has one part and a shell.
    image = tmp_path / "jaw.npy"
    made = make_mandible.make(image, 1 / 8)
    labels = np.load(image)
    assert list(labels.shape) == made["shape"] == [110, 62, 75]
    assert np.bincount(labels.ravel())[1:].tolist() == [made["trabecular"], made["cortical"]]
    job = Job(tmp_path)
    job.write(mandible.JOB.format(image=image, spacing=0.6, trabecula=1, cortex=2))
    done = job.run("--json", "-", "-o", str(tmp_path / "model.nc"), command="import")
    assert done.code == 0, done.err
    found = json.loads(done.out)["segmentation"]
    assert found["percolates"]["z"]
    assert found["kept_voxels"] > 0.999 * (made["trabecular"] + made["cortical"])


def test_the_recipe_of_the_jaw_is_fixed_by_its_seed(tmp_path):
    # Oracle: an invariant. The trabeculae depend on the seed. The outer surface does not depend on the seed.
    images = {}
    for name, seed in (("first", 1), ("again", 1), ("other", 2)):
        make_mandible.make(tmp_path / f"{name}.npy", 1 / 16, seed)
        images[name] = np.load(tmp_path / f"{name}.npy")
    assert np.array_equal(images["first"], images["again"])
    assert not np.array_equal(images["first"], images["other"])
    assert np.array_equal(images["first"] == make_mandible.CORTEX, images["other"] == make_mandible.CORTEX)


def test_the_stages_cpu_seconds_are_those_of_the_whole_run(tmp_path):
    # Oracle: the accounting of processes by the operating system, which includes their start and termination.
    image = tmp_path / "jaw.npy"
    make_mandible.make(image, 1 / 16)
    text = mandible.JOB.format(image=image, spacing=1.2, trabecula=1, cortex=2)
    importing, running, summary = _program.osteon(text, tmp_path, ranks=2)
    found = mandible.figures(importing, running, summary)
    stages = found["solver_cpu_seconds"] + found["io_cpu_seconds"]
    assert 0.5 * summary["cpu_seconds"] < stages <= summary["cpu_seconds"] <= running.cpu
    assert found["elements"] > 5000
    assert found["memory_bar_met"] and found["peak_bytes"] > 1 << 20
