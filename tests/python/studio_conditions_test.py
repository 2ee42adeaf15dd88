"""Tests of loads of heat and flow in the studio, in a headless Chromium, by clicks on faces and by buttons."""

import json

import browser
import numpy as np
import pytest
import studio
from studio_page import MISSING, RUN, at_voxel, data, in_a_terminal, keep_picture, numbers, opened, settle, verdict
from whole_job import BINARY

pytestmark = pytest.mark.skipif(bool(MISSING), reason=MISSING)

EDGE = 14
JOB = """name = "channel"

[image]
path = "channel.npy"
spacing_mm = 0.1

[segment]
threshold = 100

[[material]]
name = "wall"
youngs_modulus_MPa = 1000
poisson_ratio = 0.3
"""


@pytest.fixture(scope="module")
def started():
    with browser.browser() as page:
        yield page


@pytest.fixture
def folder(tmp_path):
    """A channel along z in a block."""
    image = np.full((EDGE, EDGE, EDGE), 200, "u1")
    image[:, 4:10, 4:10] = 10
    np.save(tmp_path / "channel.npy", image)
    (tmp_path / "channel.toml").write_text(JOB)
    return tmp_path


def choose(page, key, value):
    page.value(
        f"(s => {{ s.value = '{value}'; s.dispatchEvent(new Event('change')); }})(document.querySelector('[data-key=\"{key}\"]'))"
    )
    settle(page)


def test_heat_by_clicks_and_keys(started, folder):
    """Oracle: the tables of the file. A run of the file in a terminal yields equal numbers. No condition is stated
    twice."""
    with studio.studio(folder, "channel.toml", binary=BINARY) as served:
        page = opened(started, served.address)
        choose(page, "physics", "heat")
        page.type("[data-key='material.0.conductivity_W_per_mK']", "2")
        settle(page)
        assert "youngs_modulus" not in page.value("document.querySelector('#material').innerHTML")
        page.click("[data-tool=face]")
        assert page.value("!!document.querySelector('[data-tool=temperature]')")
        at_voxel(page, 0, 2, 2)
        page.key("t")
        page.key("Enter")
        page.wait_for("studio.job.value.data.boundary?.length === 1")
        at_voxel(page, EDGE - 1, 2, 2)
        page.key("d")  # this tool does not exist here, because conditions of heat apply to whole faces
        assert not page.value("!!document.querySelector('[data-tool=disc]')")
        page.key("q")
        page.key("Enter")
        page.wait_for("studio.job.value.data.boundary?.length === 2")
        settle(page)
        first, second = data(page)["boundary"]
        assert first == {"face": "z_low", "kind": "temperature", "temperature_K": 300}
        assert second == {"face": "z_high", "kind": "flux", "flux_W_per_m2": 1000}
        choose(page, "boundary.1.kind", "convection")
        job = data(page)
        assert job["boundary"][1]["transfer_W_per_m2K"] == 10 and "flux_W_per_m2" not in job["boundary"][1]
        page.type("[data-key='boundary.1.temperature_K']", "350")
        settle(page)
        assert "the job can run" in verdict(page), page.value("JSON.stringify(studio.checked.value.problems)")
        keep_picture(page, "studio_heat")
        page.click("#run")
        page.wait_for(f"['done', 'failed'].includes({RUN}?.dataset.state)")
        there = numbers_of(folder)
        assert numbers(in_a_terminal(folder, "channel.toml")) == there
        # There is no face inside. The other test removes the conditions, and Undo restores them.
        at_voxel(page, 9, 2, 2)
        page.key("f")
        page.key("Enter")
        page.wait_for("document.querySelector('#status').textContent.includes('outer faces')")
        choose(page, "load.test", "conduction")
        assert "boundary" not in data(page) or not data(page)["boundary"]
        page.key("z", "Control")
        page.wait_for("studio.job.value.data.boundary?.length === 2")
        assert page.complaints == []


def numbers_of(folder):
    return numbers(json.loads((folder / "channel.run1.out" / "summary.json").read_text()))


def test_flow_by_buttons(started, folder):
    """Oracle: the flow rate is the velocity times the area of the opening."""
    with studio.studio(folder, "channel.toml", binary=BINARY) as served:
        page = opened(started, served.address)
        choose(page, "physics", "flow")
        choose(page, "load.test", "flow")
        for face, kind in (("z_low", "velocity"), ("z_high", "outlet")):
            page.value(f"document.querySelector('#free-face').value = '{face}'")
            page.click(f"[data-key='add {kind}']")
            page.wait_for(f"studio.job.value.data.boundary?.some(b => b.face === '{face}')")
            settle(page)
        assert data(page)["boundary"] == [
            {"face": "z_low", "kind": "velocity", "velocity_mm_per_s": 1},
            {"face": "z_high", "kind": "outlet"},
        ]
        assert page.value("[...document.querySelectorAll('#free-face option')].map(o => o.value).join()") == (
            "y_low,y_high,x_low,x_high"
        )
        page.type("[data-key='boundary.0.velocity_mm_per_s']", "3")
        settle(page)
        assert "the job can run" in verdict(page), page.value("JSON.stringify(studio.checked.value.problems)")
        page.click("#run")
        page.wait_for(f"['done', 'failed'].includes({RUN}?.dataset.state)")
        summary = json.loads((folder / "channel.run1.out" / "summary.json").read_text())
        assert summary["opening_inflow_mm3_per_s"]["z_low"] == pytest.approx(3 * 0.6**2, rel=1e-6)
        page.click("[data-key='remove boundary.0']")
        page.wait_for("studio.job.value.data.boundary.length === 1")
        settle(page)
        # A disc on the face. Keys place the disc where the wall is cut.
        at_voxel(page, 0, 2, 2)
        for key in ("d", "i", "Enter"):
            page.key(key)
        page.wait_for("studio.job.value.data.boundary.length === 2")
        disc = data(page)["boundary"][1]
        assert disc["face"] == "z_low" and disc["kind"] == "velocity" and len(disc["centre_mm"]) == 3
        assert disc["radius_mm"] > 0 and disc["velocity_mm_per_s"] == 1
        assert page.complaints == []
