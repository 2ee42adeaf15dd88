"""What is written beside a picture: digits, ticks, lengths."""

import json

import numpy as np
import pytest
from fake_output import write_output, write_scene
from osteon.picture_labels import Labels, digits_for, draw, mm_per_pixel, round_length, ticks
from osteon.report import main
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
    """Oracle: round numbers by hand."""
    found = [text for _, text in ticks(low, high, 5)]
    assert found == words and len(set(found)) == len(found)


@pytest.mark.parametrize(
    ("value", "step", "text"), [(0.812, 0.812, "0.812"), (12.34, 12.34, "12.3"), (373.2, 373.2, "373")]
)
def test_ends_of_a_bar_have_three_digits(value, step, text):
    """Oracle: three digits by hand."""
    assert digits_for(value, step, value) == text


@pytest.mark.parametrize(("longest", "length"), [(0.9, 0.5), (5, 5), (19.9, 10), (0.0021, 0.002)])
def test_lengths_are_round(longest, length):
    """Oracle: the largest of 1, 2, 5 times a power of ten."""
    assert round_length(longest) == pytest.approx(length)


def test_the_specimen_fills_the_picture_as_the_camera_does():
    """Oracle: at zoom 1 the sphere around the box touches the shorter edges: in perspective its outline is larger by 1 / cos 15."""
    labels = Labels("", "", 0, 1, shape=[3, 4, 12], spacing_mm=[1, 1, 1])
    seen = 2 * 6.5 / mm_per_pixel(labels, 800, 600)
    assert seen == pytest.approx(600 * np.cos(np.radians(15)))


def test_labels_leave_the_picture_as_it_is(tmp_path):
    """Oracle: the pixels of the picture; the true maximum and the limit are on the page of the report, too."""
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
    """Oracle: its size; none of an earlier job is made where there is no picture."""
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
