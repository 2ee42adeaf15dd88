"""Labels around a picture: digits, ticks, lengths."""

import json

import numpy as np
import pytest
from fake_output import write_output, write_scene
from osteon.report.page import main
from osteon.report.picture_labels import Labels, digits_for, draw, round_length, ticks
from osteon.report.picture_marks import Camera
from PIL import Image


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0, 1.86, ["0", "0.5", "1", "1.5"]),
        (0, 100, ["0", "20", "40", "60", "80", "100"]),
        (300, 301, ["300", "300.2", "300.4", "300.6", "300.8", "301"]),
        (0, 4e-6, ["0", "1.00e-06", "2.00e-06", "3.00e-06", "4.00e-06"]),
    ],
)
def test_ticks_have_as_many_digits_as_tell_them_apart(low, high, words):
    """Oracle: round numbers, determined by hand."""
    found = [text for _, text in ticks(low, high, 5)]
    assert found == words and len(set(found)) == len(found)


@pytest.mark.parametrize(
    ("value", "step", "text"), [(0.812, 0.812, "0.812"), (12.34, 12.34, "12.3"), (373.2, 373.2, "373")]
)
def test_ends_of_a_bar_have_three_digits(value, step, text):
    """Oracle: three digits, determined by hand."""
    assert digits_for(value, step, value) == text


@pytest.mark.parametrize(("longest", "length"), [(0.9, 0.5), (5, 5), (19.9, 10), (0.0021, 0.002)])
def test_lengths_are_round(longest, length):
    """Oracle: the largest of the numbers 1, 2 and 5 times a power of ten."""
    assert round_length(longest) == pytest.approx(length)


def test_the_specimen_fills_the_picture_as_the_camera_does():
    """Oracle: at zoom 1, the sphere around the box touches the shorter edges. In perspective, its outline is larger by
    1 / cos 15."""
    labels = Labels("", "", 0, 1, shape=[3, 4, 12], spacing_mm=[1, 1, 1])
    seen = 2 * 6.5 / labels.camera(800, 600).mm_per_pixel
    assert seen == pytest.approx(600 * np.cos(np.radians(15)))


def test_points_are_seen_where_the_camera_of_the_program_sees_them():
    """Oracle: from azimuth 0, y points to the right and z upwards. At a sixth of the distance to the eye, everything is
    larger by 6/5."""
    camera = Camera(np.array([3.0, 4.0, 12.0]), 0.0, 0.0, 2.0, 800, 600)
    middle = np.array([1.5, 2.0, 6.0])
    assert camera.project(middle) == pytest.approx((400, 300))
    column, row = camera.project(middle + np.array([0, 1, 2]))
    assert (column - 400, 300 - row) == pytest.approx((1 / camera.mm_per_pixel, 2 / camera.mm_per_pixel))
    near = middle + np.array([camera.distance / 6, 1, 2])
    assert camera.depth(near) == pytest.approx(-camera.distance / 6)
    assert camera.project(near)[0] - 400 == pytest.approx(1.2 / camera.mm_per_pixel)
    for azimuth, elevation in ((35, 22), (251, -40)):
        turned = Camera(np.array([3.0, 4.0, 12.0]), azimuth, elevation, 1.0, 800, 600)
        axes = np.array([turned.right, turned.up, -turned.ahead])
        np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
        assert np.linalg.det(axes) == pytest.approx(1)


def test_of_left_handed_axes_the_other_side_is_right():
    """Oracle: the mirror image of x, seen from the mirrored position, has an equal column and row."""
    size = np.array([3.0, 4.0, 12.0])
    here, there = Camera(size, 35.0, 22.0, 1.5, 800, 600), Camera(size, 180 - 35.0, 22.0, 1.5, 800, 600, True)
    for point in np.random.default_rng(3).random((8, 3)) * size:
        mirrored = np.array([size[0] - point[0], point[1], point[2]])
        assert there.project(mirrored) == pytest.approx(here.project(point))
        assert there.depth(mirrored) == pytest.approx(here.depth(point))


def test_the_axes_have_the_sides_of_the_patient():
    """Oracle: without a direction, the corner of the axes has fewer dark pixels than with letters. All other pixels are
    equal."""
    ground = Image.new("RGB", (900, 900))
    plain, named = (
        np.asarray(draw(ground, Labels("t", "q", 0, 1, shape=[1, 1, 1], spacing_mm=[1, 1, 1], letters=letters)))
        for letters in (None, [["R", "L"], ["A", "P"], ["I", "S"]])
    )
    differs = np.argwhere((plain != named).any(axis=2))
    assert differs[:, 0].min() > 700 and differs[:, 1].min() > 900
    assert named.max(axis=2).astype(bool).sum() > plain.max(axis=2).astype(bool).sum()


def test_the_bar_ends_with_the_colour_of_the_low_end():
    """Oracle: colours at the ends of the bar, determined by hand. The sizes are sizes at which the bar ends within a
    pixel."""
    for edge in range(300, 340, 3):
        labels = Labels("", "", 0, 1, colours=[(255, 0, 0)] * 8 + [(0, 255, 0)] * 240 + [(0, 0, 255)] * 8)
        page = np.asarray(draw(Image.new("RGB", (edge, edge)), labels)).astype(int)
        column = page[:, edge + 6]
        ours = np.flatnonzero(column.any(axis=1))
        assert column[ours[-1]].argmax() == 0 and column[ours[0]].argmax() == 2


def test_arrows_and_the_largest_value_are_drawn_where_they_are():
    """Oracle: the projections of the points of the arrows. An arrow on the far side is faint."""
    ground = Image.new("RGB", (400, 300), (0, 0, 0))
    arrow = {"from": [0.5, 0.5, 0.5], "to": [0.5, 0.5, 1.0], "colour": [255, 120, 20], "label": "", "case": ""}
    far = {**arrow, "from": [-0.4, 0.8, 0.5], "to": [-0.4, 0.8, 1.0]}
    labels = Labels("", "", 0, 0, shape=[1, 1, 1], spacing_mm=[1, 1, 1], arrows=[arrow, far], peak_mm=[0.2, 0.2, 0.5])
    drawn = np.asarray(draw(ground, labels)).astype(int)[-300:, :400]
    camera = labels.camera(400, 300)

    def at(point):  # shafts are two pixels wide
        column, row = camera.project(np.array(point))
        return drawn[round(row), round(column) - 2 : round(column) + 3].max(axis=0)

    np.testing.assert_array_equal(at([0.5, 0.5, 0.7])[:2], [255, 120])  # the outline has a larger blue value
    assert 60 < at([-0.4, 0.8, 0.7])[0] < 160
    column, row = camera.project(np.array([0.5, 0.2, 0.2]))
    ring = drawn[round(row) - 8 : round(row) + 9, round(column) - 8 : round(column) + 9]
    assert (ring.min(axis=2) > 240).sum() > 8 and ring[8, 8].max() == 0


def test_labels_leave_the_picture_as_it_is(tmp_path):
    """Oracle: the pixels of the picture. The page of the report also contains the true maximum and the limit."""
    picture = Image.fromarray(np.random.default_rng(1).integers(0, 255, (200, 240, 3), "u1"))
    labels = Labels(
        "bone", "von Mises stress (MPa)", 0, 90, at_least=True, largest=165, shape=[9, 9, 9], spacing_mm=[1, 1, 1]
    )
    page = draw(picture, labels)
    head = page.height - 200
    assert page.width > 240 and head > 0
    np.testing.assert_array_equal(np.asarray(page)[head:, :240], np.asarray(picture))
    beside = np.asarray(page)[:, 240:]
    assert len(np.unique(beside.reshape(-1, 3), axis=0)) > 50


def test_a_report_writes_the_labelled_picture(tmp_path):
    """Oracle: the size of the picture. The labelled picture is not written from the picture of an earlier job."""
    folder = write_output(tmp_path / "job")
    write_scene(folder)
    assert main([str(folder)]) == 0
    with Image.open(folder / "picture_labelled.png") as labelled, Image.open(folder / "picture.png") as picture:
        assert labelled.width > picture.width and labelled.height > picture.height
    (folder / "picture_labelled.png").unlink()
    summary = json.loads((folder / "summary.json").read_text())
    del summary["files"]["picture"]
    (folder / "summary.json").write_text(json.dumps(summary))
    assert main([str(folder)]) == 0
    assert not (folder / "picture_labelled.png").exists()
