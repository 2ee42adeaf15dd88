"""Tests of one colour map for all views of a job. The map is the map of the picture, in the range of the picture."""

import json
import re

import numpy as np
import pytest
from fake_output import write_output, write_scene
from matplotlib import colormaps
from osteon.compare.program import main as compare
from osteon.export.export import main as export
from osteon.report.colours import colour_table, table_of_job
from osteon.report.page import main as report

SHOWN = {"colour_map": "inferno", "part_of_map": [75 / 255, 230 / 255], "low": 0.0, "high": 1.0}


def test_the_table_of_a_job_is_the_part_of_its_map_that_the_picture_uses():
    """Oracle: entries 75 and 230 of inferno in matplotlib at the ends. Between the ends, entries differ by at most one.
    If the summary names no map or is damaged, the map is the whole ivory map."""
    inferno = np.asarray(colormaps["inferno"](np.arange(256)))[:, :3] * 255
    table = table_of_job(SHOWN).astype(float)
    np.testing.assert_array_equal(table[[0, -1]], inferno[[75, 230]].round())
    places = np.abs(table[:, None] - inferno[None]).sum(axis=2).argmin(axis=1)
    assert np.abs(places - np.linspace(75, 230, 256)).max() <= 1
    for damaged in (None, {}, [], {"part_of_map": "all"}, {"part_of_map": [0]}, {"part_of_map": [None, 1]}):
        np.testing.assert_array_equal(table_of_job(damaged), colour_table("ivory"))


@pytest.fixture
def folder(tmp_path):
    folder = write_output(tmp_path / "job")
    write_scene(folder)
    path = folder / "summary.json"
    summary = json.loads(path.read_text())
    summary["shown"] |= SHOWN
    path.write_text(json.dumps(summary))
    return folder


def maps_of(page):
    found = re.findall(r'class="description"[^>]*>(\{.*?\})</script>', page.read_text(), re.S)
    return [json.loads(text)["maps"] for text in found]


def test_report_and_comparison_have_the_map_of_the_picture(folder, tmp_path, capsys):
    """Oracle: the table of the previous test, in each viewer of both pages. Fields with both signs use vik."""
    want = {"field": table_of_job(SHOWN).tobytes().hex(), "diverging": colour_table("vik").tobytes().hex()}
    assert report([str(folder)]) == 0
    assert maps_of(folder / "report.html") == [want]
    (tmp_path / "two").symlink_to(folder)
    page = tmp_path / "page.html"
    assert compare([str(folder), str(tmp_path / "two"), "--page", str(page)]) == 0
    found = maps_of(page)
    assert len(found) >= 2 and all(maps == want for maps in found)
    capsys.readouterr()


@pytest.mark.parametrize("program", ["paraview", "slicer"])
def test_scripts_have_the_map_of_the_picture(folder, tmp_path, program):
    """Oracle: every fifth colour of the table, as numbers up to 1."""
    script = tmp_path / "open.py"
    assert export([str(folder / "results.nc"), "-o", str(script), "--open-in", program]) == 0
    found = re.search(r"^COLOURS = (\[.*\])$", script.read_text(), re.M)
    colours = np.array(json.loads(found[1].replace("(", "[").replace(")", "]")))
    np.testing.assert_allclose(255 * colours, table_of_job(SHOWN)[::5], atol=0.02)
