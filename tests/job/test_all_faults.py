"""Tests that all errors of a job are reported at once. The errors concern its keys, and the path, voxel size and shape
of its image."""

import json
from pathlib import Path

import numpy as np
import pytest
from whole_job import osteon

JOB = """
name = "faults"
[image]
path = "image.npy"
[segment]
threshold = 0.5
[[material]]
name = "bone"
[load]
strain = -0.01
"""
OF_MATERIAL = ["material[1].youngs_modulus_MPa: missing", "material[1].poisson_ratio: missing"]


@pytest.fixture
def job(tmp_path: Path) -> Path:
    path = tmp_path / "faults.toml"
    path.write_text(JOB, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("image", "words"),
    [
        (np.ones((4, 4, 4), "u1"), "image.spacing_mm: missing; "),
        (np.ones((4, 4), complex), "image.path: "),
        (np.ones((2, 3, 4, 5), "u1"), "image.path: "),
        (None, "image.path: '"),
    ],
    ids=["no spacing", "type", "shape", "no file"],
)
def test_a_missing_modulus_hides_no_fault_of_the_image(job: Path, image: np.ndarray | None, words: str):
    """Oracle: the errors in the job file."""
    if image is not None:
        np.save(job.parent / "image.npy", image)
    for command in ("check", "run"):
        done = osteon(command, str(job))
        printed = done.stdout + done.stderr
        assert done.returncode == 2, printed
        for fault in (*OF_MATERIAL, words):
            assert fault in printed, (command, fault, printed)
        assert not (job.parent / "faults.out").exists()


def test_check_lists_the_faults_of_keys_and_image_with_their_places(job: Path):
    """Oracle: the keys as the studio reads them."""
    np.save(job.parent / "image.npy", np.ones((4, 4, 4), "u1"))
    text = JOB.replace('path = "image.npy"', 'path = "image.npy"\ncrop_voxels = [[0, 9], [0, 4], [0, 4]]')
    job.write_text(text.replace("strain = -0.01", "strain = -0.5"), encoding="utf-8")
    answer = job.parent / "check.json"
    osteon("check", str(job), "--json", str(answer))
    told = json.loads(answer.read_text())
    assert [".".join(map(str, p["path"])) for p in told["problems"]] == [
        "material.0.youngs_modulus_MPa",
        "material.0.poisson_ratio",
        "image.spacing_mm",
        "image.crop_voxels",
    ]
    assert [w["path"] for w in told["warnings"]] == [["load", "strain"]]
    assert "only the header of the image was checked" in told["looked_at"]
