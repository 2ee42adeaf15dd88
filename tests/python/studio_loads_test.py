"""Tests of sets, supports, forces and load cases in the studio, by pointer and keys, in a headless Chromium."""

import json

import browser
import numpy as np
import pytest
import studio
from studio_page import (
    EDGE,
    JOB,
    MISSING,
    RUN,
    at_voxel,
    data,
    hold_the_lower_face_by_keys,
    in_a_terminal,
    keep_picture,
    numbers,
    opened,
    push_on_a_disc,
    settle,
    verdict,
    write_job,
)
from whole_job import BINARY

pytestmark = pytest.mark.skipif(bool(MISSING), reason=MISSING)


@pytest.fixture(scope="module")
def tab():
    with browser.browser() as page:
        yield page


def test_supports_and_forces_by_clicking(tab, tmp_path):
    """Oracle: the job file, and the report of the program on the loads of this file on the solid."""
    folder = write_job(tmp_path, EDGE)
    with studio.studio(folder, "bone.toml", binary=BINARY) as served:
        page = opened(tab, served.address)
        push_on_a_disc(page)
        page.wait_for("studio.job.value.data.force?.length === 1")
        settle(page)
        job = data(page)
        assert (
            job["load"] == {"test": "custom", "axis": "z"}
            and job["set"][0]["select"] == "disk"
            and job["set"][0]["surface"] is True
        )
        assert np.hypot.reduce(job["force"][0]["force_N"]) == pytest.approx(100, rel=0.01)
        assert "the job cannot run" in verdict(page)  # no support fixes the solid
        hold_the_lower_face_by_keys(page)
        page.wait_for("studio.job.value.data.support?.length === 1")
        settle(page)
        assert data(page)["support"][0] == {"on": "z_low", "fix": "zyx"}
        assert "the job can run" in verdict(page), page.value("document.querySelector('#check').textContent")
        sets = {s["name"]: s for s in json.loads(page.value("JSON.stringify(studio.checked.value.loads.sets)"))}
        assert sets["z_low"]["nodes"] > 100 and sets["disc_1"]["nodes"] > 3
        assert f"{sets['disc_1']['nodes']} nodes" in page.value(
            "document.querySelector('[data-set=disc_1]').textContent"
        )
        keep_picture(page, "studio_build")
        # The fields of a set change its conditions.
        page.type("[data-key='force.0.force_N.0']", "-50")
        page.wait_for("studio.job.value.data.force[0].force_N[0] === -50")
        page.type("[data-key='name disc_1']", "plate")
        page.wait_for("studio.job.value.data.set[0].name === 'plate'")
        assert data(page)["force"][0]["on"] == "plate"
        settle(page)
        assert page.complaints == []


def test_several_load_cases(tab, tmp_path):
    """Oracle: the file. The test of the job becomes its first case. Conditions set by clicks are added to the selected
    case. The run has the numbers of the file in a terminal."""
    folder = write_job(tmp_path, EDGE)
    with studio.studio(folder, "bone.toml", binary=BINARY) as served:
        page = opened(tab, served.address)
        page.click("[data-key='add case']")
        page.wait_for("studio.job.value.data.case?.length === 2")
        settle(page)
        job = data(page)
        assert job["case"][0] == {"name": "case_1", "test": "axial_bonded", "strain": -0.005}
        assert job["load"] == {"axis": "z"} and job["case"][1] == {"name": "case_2"}
        page.type("[data-key='case.1.name']", "push")
        page.wait_for("studio.job.value.data.case[1].name === 'push'")
        # The disc has a force, and the lower face is fixed. Both conditions are in the second case.
        push_on_a_disc(page)
        page.wait_for("studio.job.value.data.case[1].force?.length === 1")
        settle(page)
        hold_the_lower_face_by_keys(page)
        page.wait_for("studio.job.value.data.case[1].support?.length === 1")
        settle(page)
        job = data(page)
        assert job["case"][1]["test"] == "custom" and "force" not in job and "support" not in job
        assert "the job can run" in verdict(page), page.value("document.querySelector('#check').textContent")
        page.click("#run")
        page.wait_for(f"['done', 'failed'].includes({RUN}?.dataset.state)")
        there = json.loads((folder / "bone.run1.out" / "summary.json").read_text())
        assert [c["name"] for c in there["cases"]] == ["case_1", "push"]
        assert numbers(in_a_terminal(folder, "bone.toml")) == numbers(there)
        # Undo restores a removed case.
        before = page.value("studio.job.value.text")
        page.click("[data-key='remove case']")
        page.wait_for("studio.job.value.data.case.length === 1")
        page.value("document.activeElement.blur()")
        page.key("z", "Control")
        page.wait_for("studio.job.value.data.case.length === 2")
        assert page.value("studio.job.value.text") == before
        assert page.complaints == []


LOADED = """
[load]
test = "custom"
[[set]]
name = "side"
select = "face"
face = "x_high"
of = "solid"
[[support]]
on = "z_low"
fix = "zyx"
[[force]]
on = "z_high"
force_N = [-40.0, 0.0, 30.0]
[[force]]
on = "side"
toward_mm = [3.0, 1.0, 4.0]
magnitude_N = 20.0
"""


def test_arrows_are_dragged(tab, tmp_path):
    """Oracle: a drag rotates the force and preserves its magnitude in N. With Shift, a drag changes the magnitude. A
    muscle points to the end of its arrow. Undo restores all values."""
    folder = write_job(tmp_path, EDGE)
    text = JOB.split("[load]")[0] + LOADED
    (folder / "bone.toml").write_text(text)
    with studio.studio(folder, "bone.toml", binary=BINARY) as served:
        page = opened(tab, served.address)
        settle(page)
        assert "the job can run" in verdict(page), page.value("JSON.stringify(studio.checked.value.problems)")

        def end_of(on):
            found = f"studio.shownArrows().find(a => a.force?.on === '{on}')"
            return [float(v) for v in page.value(f"studio.projected({found}.free).join()").split(",")]

        before = page.value("[studio.camera().azimuth, studio.camera().elevation].join()")
        x, y = end_of("z_high")
        page.drag((x, y), (x + 50, y + 20))
        page.wait_for("studio.job.value.data.force[0].force_N[0] !== -40")
        settle(page)
        force = np.array(data(page)["force"][0]["force_N"])
        assert np.linalg.norm(force) == pytest.approx(50, rel=1e-3)
        now = end_of("z_high")
        away = np.hypot(now[0] - x - 50, now[1] - y - 20)
        # the end is on a sphere around its point, towards the pointer
        assert away < 25 and np.hypot(now[0] - x, now[1] - y) > away
        assert page.value("[studio.camera().azimuth, studio.camera().elevation].join()") == before
        # A muscle
        x, y = end_of("side")
        page.drag((x, y), (x - 30, y - 40))
        page.wait_for("studio.job.value.data.force[1].toward_mm[0] !== 3")
        settle(page)
        assert data(page)["force"][1]["magnitude_N"] == 20
        keep_picture(page, "studio_arrows")
        for _ in range(2):
            page.key("z", "Control")
            settle(page)
        page.wait_for("studio.job.value.data.force[0].force_N[0] === -40")
        assert (folder / "bone.toml").read_text() == text
        # Elsewhere a drag rotates the view.
        middle = page.centre("canvas.gl")
        page.drag((middle[0], middle[1] + 90), (middle[0] + 30, middle[1] + 90))
        page.wait_for(f"[studio.camera().azimuth, studio.camera().elevation].join() !== '{before}'")
        assert page.complaints == []


def test_strokes_of_the_brush(tab, tmp_path):
    """Oracle: the points of a stroke are on the path of the pointer and on the solid. The program finds nodes within
    the radius of the stroke. A second stroke extends the set. Selecting the tool again starts another set."""
    folder = write_job(tmp_path, EDGE)
    with studio.studio(folder, "bone.toml", binary=BINARY) as served:
        page = opened(tab, served.address)
        hold_the_lower_face_by_keys(page)
        page.wait_for("studio.job.value.data.support?.length === 1")
        settle(page)
        before = page.value("[studio.camera().azimuth, studio.camera().elevation].join()")
        middle = page.centre("canvas.gl")
        page.click("[data-tool=brush]")
        page.click("[data-tool=push]")
        page.drag((middle[0] - 20, middle[1] + 15), (middle[0] + 40, middle[1] + 25))
        page.wait_for("studio.job.value.data.set?.length === 1")
        settle(page)
        job = data(page)
        stroke = job["set"][0]
        assert stroke["name"] == "brush_1" and stroke["select"] == "brush" and stroke["surface"] is True
        assert len(stroke["points_mm"]) >= 2 and job["force"][0]["on"] == "brush_1"
        bone = np.load(folder / "bone.npy")
        for point in stroke["points_mm"]:
            assert bone[tuple(int(v / 0.05) for v in point)] > 120
        # the view is unchanged
        assert page.value("[studio.camera().azimuth, studio.camera().elevation].join()") == before
        nodes = page.value("studio.checked.value.loads.sets.find(s => s.name === 'brush_1').nodes")
        assert nodes > 4
        keep_picture(page, "studio_brush")
        # In a slice, one further stroke is drawn, and its nodes are added.
        x, y = page.centre(".slice canvas")
        page.drag((x - 40, y), (x + 40, y + 10))
        page.wait_for("studio.job.value.data.set.length === 2")
        settle(page)
        job = data(page)
        assert [s["name"] for s in job["set"]] == ["brush_1", "brush_1"] and len(job["force"]) == 1
        # The tool is selected again by keys, and places a dab at the cursor.
        at_voxel(page, *(int(v / 0.05) for v in stroke["points_mm"][0]))
        page.key("s")
        page.key("n")
        page.key("Enter")
        page.wait_for("studio.job.value.data.set.length === 3")
        settle(page)
        dab = data(page)["set"][2]
        assert dab["name"] == "brush_2" and len(dab["points_mm"]) == 1
        for _ in range(3):
            page.key("z", "Control")
            settle(page)
        page.wait_for("!studio.job.value.data.set?.length && studio.job.value.data.support.length === 1")
        assert page.complaints == []
