"""Tests of the drawing of scene.json in a report: sets, arrows and letters, and the treatment of invalid scenes."""

import json

import numpy as np
import pytest
from fake_output import write_output, write_scene
from osteon.report.data import load
from osteon.report.page import build
from osteon.report.scene import letters_of, parts_of, read_scene, spread_points


@pytest.fixture
def folder(tmp_path):
    made = write_output(tmp_path / "job")
    write_scene(made)
    return made


def change(folder, **keys):
    path = folder / "scene.json"
    scene = json.loads(path.read_text())
    scene.update(keys)
    path.write_text(json.dumps(scene))


def test_sets_and_arrows_are_those_of_the_scene(folder):
    """Oracle: the faces of the block. A force of 3 N downwards on the upper face is drawn from above."""
    result = load(folder)
    scene = read_scene(result)
    assert scene.notes == []
    assert [e["label"] for e in scene.entries] == ["grip: fixed along x, y, z (8 nodes)", "<top>: 3 N (9 nodes)"]
    assert (scene.sets[0] == 1).sum() == (result.share[0] > 0).sum()
    (arrow,) = scene.arrows
    assert arrow["to"] == pytest.approx([0.2, 0.2, 0.4])
    assert arrow["from"][2] > arrow["to"][2] and arrow["from"][:2] == pytest.approx(arrow["to"][:2])
    page = build(result)
    assert "&lt;top&gt;: 3 N" in page and "\\u003ctop>" in page


@pytest.mark.parametrize(
    "keys",
    [
        {"schema": "other/1"},
        {"spacing_mm": "<b>"},
        {"set_volume": {"file": "../../etc/passwd", "sha256": "00"}},
        {"set_volume": {"file": "sets.nrrd", "sha256": "00"}},
        {"cases": [{"forces": [{"force_N": [1]}]}]},
        {"direction": [1, 2]},
        {"sets": [{}]},
    ],
)
def test_a_bad_scene_is_a_note_and_the_page_is_made(folder, keys):
    """Oracle: the note. The numbers of the summary are unchanged."""
    change(folder, **keys)
    page = build(load(folder))
    assert (
        "Supports and forces are not drawn" in page
        and "1348" in page
        and "<b>" not in page.split("<script")[0].split("keys")[0]
    )


def test_a_scene_that_is_no_json_is_a_note(folder):
    """Oracle: the note."""
    (folder / "scene.json").write_text("{")
    assert "scene.json cannot be read" in build(load(folder))


@pytest.mark.parametrize(
    ("direction", "letters"),
    [
        (None, None),
        ([1, 0, 0, 0, 1, 0, 0, 0, 1], [["R", "L"], ["A", "P"], ["I", "S"]]),
        ([-1, 0, 0, 0, 0, 1, 0, 1, 0], [["L", "R"], ["I", "S"], ["A", "P"]]),
        ([0.7, -0.7, 0, 0.7, 0.7, 0, 0, 0, 1], None),
    ],
)
def test_letters_say_the_sides_of_the_patient(direction, letters):
    """Oracle: LPS, with x to the left, y to the back, and z to the head."""
    assert letters_of(direction) == letters


def test_parts_and_spread_points():
    """Oracle: two clusters by construction. The corners of a square are farthest from its centre."""
    a = np.random.default_rng(0).random((50, 3))
    groups = parts_of(np.vstack((a, a + np.array([10, 0, 0]))), 1.0)
    assert sorted(map(len, groups)) == [50, 50]
    square = np.array([[x, y, 0.0] for x in range(5) for y in range(5)])
    chosen = spread_points(square, 5).tolist()
    assert chosen[0] == [2, 2, 0] and sorted(chosen[1:]) == [[0, 0, 0], [0, 4, 0], [4, 0, 0], [4, 4, 0]]


def test_openings_lie_on_their_part_of_a_face(tmp_path):
    """Oracle: the voxels of the face inside the box, determined by hand."""
    folder = write_output(tmp_path / "job", "heat")
    write_scene(folder)
    change(
        folder,
        cases=[],
        sets=[],
        set_volume=None,
        boundaries=[
            {"face": "z_high", "kind": "temperature", "temperature_K": 310},
            {
                "face": "z_high",
                "kind": "temperature",
                "temperature_K": 300,
                "low_mm": [0, 0, 0],
                "high_mm": [1, 0.2, 1],
            },
        ],
    )
    result = load(folder)
    scene = read_scene(result)
    assert scene.notes == []
    solid = result.share[-1] > 0
    inside = (np.arange(solid.shape[0]) + 0.5) * 0.02 <= 0.2
    np.testing.assert_array_equal(scene.sets[-1] == 2, solid & inside[:, None])
    np.testing.assert_array_equal(scene.sets[-1] == 1, solid & ~inside[:, None])
    assert scene.entries[0]["label"] == "z_high: temperature, 310 K"
