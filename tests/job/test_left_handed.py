"""Tests of images with left-handed axes. Pictures show the object, and never its mirror image."""

from __future__ import annotations

import base64
import io
import json
import re
from pathlib import Path

import browser
import numpy as np
import pytest
from osteon.results.patient_axes import is_left_handed, letters_of
from PIL import Image
from whole_job import Job, osteon

nrrd = pytest.importorskip("nrrd")

H = 0.1
AZIMUTH, SIZE = 35, 360
# The voxels of both files have equal positions in the patient. The x axis of one file is the reverse of the x axis of
# the other file.
RIGHT = np.diag([1.0, 1.0, 1.0])
LEFT = np.diag([-1.0, 1.0, 1.0])


def block() -> np.ndarray:
    """A column with three arms, shape (z, y, x). No rotation of the column equals its mirror image."""
    solid = np.zeros((20, 14, 16), np.uint8)
    solid[:, 5:10, 5:10] = 200
    solid[3:7, 6:9, 10:15] = 200
    solid[9:12, 10:13, 5:9] = 200
    solid[15:18, 1:5, 6:8] = 200
    return solid


def write(path: Path, values: np.ndarray, axes: np.ndarray) -> Path:
    """@param axes columns, which are x, y and z of the image in LPS"""
    x_first = np.ascontiguousarray(values.transpose(2, 1, 0))
    header = {"space": "left-posterior-superior", "space directions": H * axes.T, "space origin": np.zeros(3)}
    nrrd.write(str(path), x_first, header)
    return path


def solved(job: Job, folder: Path, axes: np.ndarray) -> Path:
    """The folder of the results. The flipped image is viewed from the other end of x, which is the same side in
    space."""
    folder.mkdir()
    is_flipped = axes[0, 0] < 0
    image = write(folder / "image.nrrd", block()[:, :, ::-1] if is_flipped else block(), axes)
    run = Job(folder, environment=job.environment)
    run.write(
        f'name = "block"\n[image]\npath = "{image}"\n[segment]\nthreshold = 100\n'
        "[[material]]\nyoungs_modulus_MPa = 1000.0\npoisson_ratio = 0.3\n"
        f"[solve]\ntolerance = 1e-10\n[picture]\nwidth = {SIZE}\nheight = {SIZE}\n"
        f"azimuth_deg = {180 - AZIMUTH if is_flipped else AZIMUTH}\n"
    )
    done = run.run("-n", "1")
    assert done.code == 0, done.err
    return folder / "block.out"


@pytest.fixture
def both(job: Job, tmp_path: Path) -> dict[str, Path]:
    return {name: solved(job, tmp_path / name, axes) for name, axes in (("right", RIGHT), ("left", LEFT))}


def pixels(path: Path) -> np.ndarray:
    return np.asarray(Image.open(path).convert("RGB")).astype(int)


def are_alike(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether pictures are equal, except for pixels at edges. At edges, rays hit the voxels in another order."""
    return float((np.abs(a - b).max(axis=2) <= 3).mean()) > 0.985


def test_a_left_handed_image_is_no_mirror_image(both: dict[str, Path], tmp_path: Path) -> None:
    """Oracle: the same anatomy, stored right-handed and viewed from the same position. The pixels are equal in
    picture.png and for each method of render. The picture that is reversed from left to right differs."""
    one, other = (pixels(both[name] / "picture.png") for name in ("right", "left"))
    assert are_alike(one, other)
    assert not are_alike(one, other[:, ::-1])
    for method in ("surface", "volume", "maximum"):
        made = []
        for name, azimuth in (("right", AZIMUTH), ("left", 180 - AZIMUTH)):
            path = tmp_path / f"{name}.png"
            words = ["--method", method, "--plain", "--azimuth", str(azimuth), "--width", "300", "--height", "240"]
            done = osteon("render", str(both[name] / "results.nc"), *words, "-o", str(path))
            assert done.returncode == 0, done.stderr
            made.append(pixels(path))
        assert are_alike(*made), method
        assert not are_alike(made[0], made[1][:, ::-1]), method


def described(folder: Path) -> dict:
    page = (folder / "report.html").read_text()
    found = re.search(r'class="description"[^>]*>(\{.*?\})</script>', page, re.S)
    assert found is not None
    return json.loads(found[1])


def test_the_report_has_the_sides_and_the_handedness(both: dict[str, Path]) -> None:
    """Oracle: LPS, determined by hand. The x axis points to the left of the patient, and in the reversed image to the
    right."""
    right, left = (described(both[name]) for name in ("right", "left"))
    assert right["letters"] == [["R", "L"], ["A", "P"], ["I", "S"]]
    assert left["letters"] == [["L", "R"], ["A", "P"], ["I", "S"]]
    assert (right["camera"]["is_left_handed"], left["camera"]["is_left_handed"]) == (False, True)
    one, other = (pixels(both[name] / "picture_labelled.png") for name in ("right", "left"))
    assert one.shape == other.shape
    head = one.shape[0] - SIZE
    assert are_alike(one[head:, :SIZE], other[head:, :SIZE])


def three_d(page: browser.Page) -> np.ndarray:
    """The 3-D view of a page without the labels of the view."""
    text = page.value(
        "new Promise(done => setTimeout(() => done(document.querySelector('.three canvas.gl').toDataURL('image/png')), 1500))"
    )
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(text.partition(",")[2]))).convert("RGB")).astype(int)


@pytest.mark.skipif(bool(browser.why_not()), reason=browser.why_not())
def test_the_viewer_shows_the_object(both: dict[str, Path]) -> None:
    """Oracle: the pixels of the 3-D view of the image stored right-handed."""
    seen = []
    with browser.browser() as page:
        for name in ("right", "left"):
            page.size(1300, 900)
            page.open(both[name] / "report.html", "#fine")
            page.wait_for("document.querySelector('.viewer')?.dataset.ready === 'yes'")
            seen.append(three_d(page))
    assert are_alike(*seen)
    assert not are_alike(seen[0], seen[1][:, ::-1])


@pytest.mark.parametrize(
    ("direction", "is_left", "letters"),
    [
        (None, False, None),
        (np.eye(3).tolist(), False, [["R", "L"], ["A", "P"], ["I", "S"]]),
        ([-1, 0, 0, 0, 1, 0, 0, 0, 1], True, [["L", "R"], ["A", "P"], ["I", "S"]]),
        ([-1, 0, 0, 0, -1, 0, 0, 0, 1], False, [["L", "R"], ["P", "A"], ["I", "S"]]),
        ([1, 0, 0, 0, 1, 0, 0, 0, -1], True, [["R", "L"], ["A", "P"], ["S", "I"]]),
        ([0, 1, 0, 1, 0, 0, 0, 0, 1], True, [["A", "P"], ["R", "L"], ["I", "S"]]),
    ],
)
def test_the_sign_of_a_direction(direction: object, is_left: bool, letters: object) -> None:
    """Oracle: an odd number of reversed or exchanged axes is left-handed."""
    assert is_left_handed(direction) == is_left
    assert letters_of(direction) == letters
