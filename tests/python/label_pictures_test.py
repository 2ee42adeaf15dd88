"""Tests of labels on pictures of the program. A separate process draws the labels on request."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from osteon.report.label_pictures import labels_of
from PIL import Image

import osteon

VIEW = {"right": [0, 1, 0], "up": [0, 0, 1], "mm_per_pixel": 0.01}


def test_labels_are_drawn_on_request(tmp_path):
    """Oracle: the protocol, with a line for each request, the size of the page, the pixels of the picture, and no
    further data."""
    picture = Image.fromarray(np.random.default_rng(1).integers(0, 255, (300, 340, 3), "u1"))
    picture.save(tmp_path / "it.png")
    request = {
        "picture": str(tmp_path / "it.png"), "page": [440, 330], "job": "bone", "field": "von_mises",
        "long_name": "von Mises stress at the voxel's centre", "units": "MPa", "low": 0, "high": 90, "largest": 165,
        "view": {"right": [0, 1, 0], "up": [0, 0, 1], "mm_per_pixel": 0.01}, "direction": np.eye(3).ravel().tolist(),
        "colours": list(range(256)),
    }  # fmt: skip
    lines = [json.dumps(request), json.dumps({**request, "picture": str(tmp_path / "none.png")}), "{"]
    done = subprocess.run(
        [sys.executable, "-P", "-m", "osteon.report.label_pictures"],
        input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=120, check=True,
        env={**os.environ, "PYTHONPATH": str(Path(osteon.__file__).parents[1])},
    )  # fmt: skip
    ready, first, second, third = done.stdout.splitlines()
    assert (ready, first) == ("ready", "done")
    assert second.startswith("failed: FileNotFoundError") and third.startswith("failed: JSONDecodeError")
    page = Image.open(tmp_path / "it.png")
    assert page.size == (440, 330) and page.mode == "RGBA"
    np.testing.assert_array_equal(np.asarray(page.convert("RGB"))[30:, :340], np.asarray(picture))
    assert [p.name for p in tmp_path.iterdir()] == ["it.png"]


def test_words_and_title_are_those_of_the_report(tmp_path):
    """Oracle: determined by hand. If the run has displayed the field, the text is the caption. Otherwise, the text is
    the name of the field in words. A damaged summary provides no words."""
    summary = tmp_path / "summary.json"
    shown = {"field": "sed", "title": "strain energy density", "caption": "The specimen under load"}
    summary.write_text(json.dumps({"shown": shown}))
    asked = {
        "results": str(tmp_path / "results.nc"),
        "job": "bone",
        "page": [500, 400],
        "low": 0,
        "high": 2,
        "view": VIEW,
    }
    same = labels_of({**asked, "field": "sed", "units": "MPa", "largest": 2.0})
    assert (same.title, same.quantity) == ("bone: The specimen under load", "strain energy density (MPa)")
    assert not same.at_least and same.largest is None
    other = labels_of({**asked, "field": "heat_flux_density", "component": "z", "units": "W mm-2", "largest": 3})
    assert (other.title, other.quantity) == ("bone: heat flux density, z", "heat flux density, z (W/mm²)")
    assert other.at_least and other.largest == 3
    for damaged in ("{", "[]", '{"shown": 5}', '"shown"'):
        summary.write_text(damaged)
        assert labels_of({**asked, "field": "sed", "units": "1"}).title == "bone: sed"
    assert labels_of({**asked, "field": "sed", "units": "1", "title": "mine"}).title == "mine"
