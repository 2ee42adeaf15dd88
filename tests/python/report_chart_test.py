"""Tests of diagrams of the report: ticks, positions of lines and steps, and modules that a report does not import."""

import base64
import json
import math
import re
import subprocess
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from fake_output import write_output
from osteon.processes.child_process import python_command, python_environment
from osteon.report.chart import LEFT, MOST_POINTS, RIGHT, Line, Panel, Rule, _thinned, svg_uri
from osteon.report.ticks import log_ticks, power_of_ten, round_ticks, tick_labels

SVG = "{http://www.w3.org/2000/svg}"


def tree_of(uri: str) -> ET.Element:
    return ET.fromstring(base64.b64decode(uri.removeprefix("data:image/svg+xml;base64,")))


def words(tree: ET.Element) -> list[str]:
    return [text.text or "" for text in tree.iter(f"{SVG}text")]


def points(way: str) -> list[tuple[float, float]]:
    return [(float(a), float(b)) for a, b in re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", way)]


@pytest.mark.parametrize(
    ("low", "high", "most", "whole", "ticks"),
    [
        (0, 1.86, 5, False, [0, 0.5, 1, 1.5]),
        (-0.3, 0.27, 8, False, [-0.3, -0.2, -0.1, 0, 0.1, 0.2]),
        (0, 3, 8, True, [0, 1, 2, 3]),
        (0, 21, 8, True, [0, 5, 10, 15, 20]),
        (2.2, 2.9, 1, False, [2.5]),
        (7, 7, 5, False, [7]),
    ],
)
def test_ticks_are_multiples_of_a_round_step(low, high, most, whole, ticks):
    """Oracle: steps of 1, 2, 2.5 and 5 times powers of ten, determined by hand."""
    found = round_ticks(low, high, most, whole)
    assert found == pytest.approx(ticks) if len(ticks) > 1 else set(ticks) <= set(found)


def test_ticks_of_a_logarithmic_axis():
    """Oracle: powers of ten, determined by hand. A range of less than two decades also has ticks at 2 and 5 times
    powers of ten. A tiny range has round values."""
    assert log_ticks(2e-7, 3, 7) == pytest.approx([1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1])
    assert log_ticks(1e-12, 1, 7) == pytest.approx([1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2, 1])
    assert log_ticks(0.15, 3, 7) == pytest.approx([0.2, 0.5, 1, 2])
    assert log_ticks(1.02, 1.08, 4) == pytest.approx([1.02, 1.04, 1.06, 1.08])
    assert [power_of_ten(v) for v in (1e-6, 0.01, 0.5, 1000, 2e5, 1e7)] == [
        "10⁻⁶",
        "0.01",
        "0.5",
        "1000",
        "2·10⁵",
        "10⁷",
    ]


def test_words_of_ticks_have_one_number_of_decimals():
    """Oracle: determined by hand."""
    assert tick_labels([-0.5, 0, 0.5]) == (["−0.5", "0.0", "0.5"], "")
    assert tick_labels([0, 2e-6, 4e-6]) == (["0", "2", "4"], "×10⁻⁶")
    assert tick_labels([250000, 500000]) == (["2.5", "5.0"], "×10⁵")


def test_lines_are_where_their_values_are():
    """Oracle: proportions along the axes, computed by hand. The line fills 10/11 of the width. A gap starts a new
    part."""
    uri = svg_uri(
        (5, 3), [Panel("time (s)", "force < 1 N", [Line([0, 1, 2, 3, 4], [0, 1, math.nan, 3, 4], label="a & b")])]
    )
    tree = tree_of(uri)
    way = next(p.get("d") for p in tree.iter(f"{SVG}path") if p.get("stroke-linejoin"))
    assert way.count("M") == 2
    found = points(way)
    across = 360 - RIGHT - LEFT
    assert [x for x, _ in found] == pytest.approx([LEFT + across * (0.2 + n) / 4.4 for n in (0, 1, 3, 4)], abs=0.06)
    heights = [y for _, y in found]
    assert heights[0] - heights[3] == pytest.approx(4 * (heights[0] - heights[1]), abs=0.3)
    assert {"time (s)", "force < 1 N", "a & b", "0", "4"} <= set(words(tree))


def test_steps_have_the_heights_of_their_values():
    """Oracle: on a logarithmic axis, each factor of ten has an equal height. Values below the axis have no height."""
    panel = Panel(steps=(np.arange(4.0), np.array([1.0, 10.0, 0.0])), log_y=True, y_range=(0.1, 100))
    panel.rules = [Rule("x", 1.5, "#d1603d", "half"), Rule("y", 1e6, "#d1603d")]
    tree = tree_of(svg_uri((5, 3), [panel]))
    way = next(p.get("d") for p in tree.iter(f"{SVG}path") if "Z" in p.get("d"))
    bottom, first, second, third, _ = (float(v) for v in re.findall(r"(?:^M[\d.]+ |V)([\d.]+)", way))
    assert bottom - second == pytest.approx(2 * (bottom - first), abs=0.2)
    assert third == bottom
    rules = [p for p in tree.iter(f"{SVG}path") if p.get("stroke-width") == "1.2"]
    assert len(rules) == 1  # a rule beyond the axis is not drawn


def test_panels_share_an_axis_and_values_without_any_are_drawn():
    """Oracle: the ticks of x are written once. Panels of gaps, of one value and of a constant have their own axes."""
    panels = [Panel(lines=[Line([0, 10], y)]) for y in ([math.nan, math.nan], [5, 5], [0, 0])]
    panels.append(Panel("time (s)", lines=[Line([5], [2], dot=3)]))
    found = words(tree_of(svg_uri((8, 6), panels, share_x=True)))
    assert found.count("10") == 1
    assert all(math.isfinite(float(n)) for n in re.findall(r"-?\d+\.\d+", str(found)))


def test_a_long_line_keeps_its_extremes():
    """Oracle: the minimum, the maximum and the end points of the drawn line equal those of the data."""
    x = np.linspace(0, 400, 50 * MOST_POINTS)
    y = np.sin(7 * x)
    y[12345], y[6] = 9, math.nan
    px, py = _thinned(x, y)
    assert px.size <= 4 * 801
    assert (np.nanmax(py), py[0], py[-1]) == (9, y[0], y[-1])
    assert np.nanmin(py) == np.nanmin(y)
    assert px[np.nanargmax(py)] == x[12345]


HEAVY = {
    "matplotlib",
    "pandas",
    "xarray",
    "h5netcdf",
    "scipy",
    "h5py",
    "tifffile",
    "nibabel",
    "pydicom",
    "tomlkit",
    "skimage",
}


def test_a_report_imports_none_of_the_heavy_packages(tmp_path):
    """The import of these modules takes longer than the page of a small job. Oracle: the modules of a process that has
    written a report."""
    folder = write_output(tmp_path / "job")
    ran = (
        "import json, sys\nfrom osteon.report.page import main\ncode = main(sys.argv[1:])\n"
        "print(json.dumps([code, sorted({name.partition('.')[0] for name in sys.modules})]))"
    )
    command = [python_command("osteon.report")[0], "-P", "-c", ran, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, env=python_environment(), timeout=120, check=True)
    code, modules = json.loads(done.stdout.splitlines()[-1])
    assert code == 0
    assert (folder / "report.html").stat().st_size > 10000
    # the report was made from the result file, which needs these modules
    assert {"numpy", "PIL", "netCDF4"} <= set(modules)
    assert not HEAVY & set(modules)
