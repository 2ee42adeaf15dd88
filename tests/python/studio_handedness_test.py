"""Tests of the studio on images with left-handed axes. The studio displays the object and not its mirror image, and the
sides of the patient."""

import base64
import io

import browser
import numpy as np
import pytest
import studio
from PIL import Image
from whole_job import BINARY

missing = browser.why_not() or studio.why_not() or ("" if BINARY.exists() else f"{BINARY} is not built")
pytestmark = pytest.mark.skipif(bool(missing), reason=missing)
nrrd = pytest.importorskip("nrrd")

READY = "document.body?.dataset.ready === 'yes' && document.querySelector('#views')?.dataset.ready === 'yes'"
H, EDGE, AZIMUTH = 0.1, (16, 14, 20), 35
JOB = """name = "block"
[image]
path = "block.nrrd"
[segment]
threshold = 100
[[material]]
youngs_modulus_MPa = 1000
poisson_ratio = 0.3
"""


def block():
    """A column with three arms, shape (z, y, x). No rotation maps the column onto its mirror image."""
    solid = np.full(EDGE[::-1], 10, np.uint8)
    solid[:, 5:10, 5:10] = 200
    solid[3:7, 6:9, 10:15] = 200
    solid[9:12, 10:13, 5:9] = 200
    solid[15:18, 1:5, 6:8] = 200
    return solid


def made(folder, is_flipped):
    folder.mkdir()
    values = block()[:, :, ::-1] if is_flipped else block()
    axes = np.diag([-1.0 if is_flipped else 1.0, 1.0, 1.0])
    header = {"space": "left-posterior-superior", "space directions": H * axes, "space origin": np.zeros(3)}
    nrrd.write(str(folder / "block.nrrd"), np.ascontiguousarray(values.transpose(2, 1, 0)), header)
    (folder / "block.toml").write_text(JOB)
    return folder


def still(page):
    """The 3-D view as PNG, after the view has been drawn again at full resolution and no longer changes."""
    before, times = "", 0
    for _ in range(60):
        now = page.value(
            "new Promise(done => setTimeout(() => done(document.querySelector('canvas.gl').toDataURL('image/png')), 500))"
        )
        before, times = now, times + 1 if now == before else 0
        if times == 4:
            break
    return base64.b64decode(before.partition(",")[2])


def seen_in(page, is_flipped):
    """Letters, positions of points on the page, and the 3-D view, after one step of the view to the right."""
    page.value(f"(studio.camera().azimuth = {180 - AZIMUTH if is_flipped else AZIMUTH}, 0)")
    page.value("document.querySelector('canvas.gl').focus()")
    page.key("ArrowRight")
    points = np.random.default_rng(2).random((6, 3)) * np.array(EDGE) * H
    if is_flipped:
        points[:, 0] = EDGE[0] * H - points[:, 0]
    places = [page.value(f"studio.projected({p.tolist()})") for p in points]
    picture = Image.open(io.BytesIO(still(page))).convert("RGB").resize((96, 96))
    return page.value("studio.scan.value.letters"), np.array(places), np.asarray(picture).astype(int)


def test_the_studio_shows_the_object(tmp_path):
    """Oracle: the same object, stored right-handed, with positions and pixels of the 3-D view. The LPS letters are
    determined by hand."""
    seen = []
    with browser.browser() as page:
        for is_flipped in (False, True):
            folder = made(tmp_path / f"flipped_{is_flipped}", is_flipped)
            with studio.studio(folder, "block.toml", binary=BINARY) as served:
                page.size(1300, 850)
                page.open(served.address)
                page.wait_for(READY)
                seen.append(seen_in(page, is_flipped))
                assert page.complaints == []
                page.open("about:blank")  # close the page before its server ends
    (letters, places, picture), (other_letters, other_places, other_picture) = seen
    assert letters == [["R", "L"], ["A", "P"], ["I", "S"]]
    assert other_letters == [["L", "R"], ["A", "P"], ["I", "S"]]
    np.testing.assert_allclose(other_places, places, atol=0.5)
    off = np.abs(other_picture - picture).mean()
    assert off < 3
    assert np.abs(other_picture[:, ::-1] - picture).mean() > 4 * off
