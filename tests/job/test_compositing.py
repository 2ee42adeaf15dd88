"""Tests of whole commands with pictures. The compositing methods leave the result on one rank.
tests/render/compositing_forms_test.cpp tests all methods on 1 to 7 ranks. A time-out checks the termination."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from whole_job import BINARY, ROOT, Job, job_text

LIMIT_S = 120.0


def render(ranks: int, results: Path, *words: str) -> None:
    done = subprocess.run(
        [ROOT / "tools" / "mpirun.sh", str(ranks), BINARY, "render", results, "--plain", *words],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture
def compressed(solved_sponge: Path) -> Path:
    return solved_sponge


def test_a_picture_of_one_pixel_is_rendered_by_several_ranks(compressed: Path, tmp_path: Path) -> None:
    """Oracle: the pixel of one rank, which must be equal bit for bit."""
    size = ["--width", "1", "--height", "1"]
    for ranks in (1, 3):
        render(ranks, compressed, *size, "-o", str(tmp_path / f"{ranks}.npy"))
    assert np.array_equal(np.load(tmp_path / "1.npy"), np.load(tmp_path / "3.npy"))


def test_an_orbit_is_joined_by_a_tree(compressed: Path, tmp_path: Path) -> None:
    """Oracle: the orbit of one rank, to one level of 8 bits."""
    orbit = ["--orbit", "2", "--method", "volume", "--width", "32", "--height", "24", "--compositing", "tree"]
    views = []
    for ranks in (1, 3):
        folder = tmp_path / str(ranks)
        render(ranks, compressed, *orbit, "-o", str(folder))
        views.append([np.asarray(Image.open(path)).astype(int) for path in sorted(folder.glob("*.png"))])
    assert len(views[0]) == len(views[1]) == 2
    for one, three in zip(*views, strict=True):
        assert np.abs(one - three).max() <= 1


def test_picture_and_frames_of_a_job_are_joined_by_steps(job: Job, sponge: Path) -> None:
    """Oracle: the picture of direct send, which must be equal bit for bit. There is a frame for every fourth
    iteration."""
    pictures = []
    for method in ("multi-step:2", "direct-send:overlap"):
        job.write(job_text(sponge) + f'compositing = "{method}"\nevery = 4\n')
        done = job.run("-n", "3", "--no-report", timeout=LIMIT_S)
        assert done.code == 0, done.err
        last = done.summary["iterations"]
        wanted = [f"frame_{n:06}.png" for n in (*range(4, last, 4), last)]
        assert sorted(path.name for path in done.folder.glob("frame_*.png")) == wanted
        pictures.append(np.asarray(Image.open(done.folder / "picture.png")))
    assert np.array_equal(*pictures)
