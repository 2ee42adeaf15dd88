"""The studio in a headless Chromium, with the program as its back end: from a scan to a finished run by pointer and
keys.

OSTEON_PICTURES=FOLDER writes the pictures for docs/images.
"""

import json
import os
import subprocess
import time
from pathlib import Path

import browser
import numpy as np
import pytest
import studio
from whole_job import BINARY

missing = browser.why_not() or studio.why_not() or ("" if BINARY.exists() else f"{BINARY} is not built")
pytestmark = pytest.mark.skipif(bool(missing), reason=missing)

READY = "document.body?.dataset.ready === 'yes' && document.querySelector('#views')?.dataset.ready === 'yes'"
RUN = "document.querySelector('[data-run]')"
EDGE = 40


JOB = """name = "bone"

[image]
path = "bone.npy"
spacing_mm = 0.05

[segment]
threshold = 120

[[material]]
youngs_modulus_MPa = 6829
poisson_ratio = 0.3

[load]
test = "axial_bonded"
axis = "z"
strain = -0.005
"""


def made(tmp_path, edge, more=""):
    np.save(tmp_path / "bone.npy", studio.small_bone(edge))
    (tmp_path / "bone.toml").write_text(JOB + more)
    return tmp_path


@pytest.fixture(scope="module")
def started():
    with browser.browser() as page:
        yield page


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return made(tmp_path_factory.mktemp("page"), EDGE)


# A job that can run: tests run in any order, and leave it runnable.
@pytest.fixture(scope="module")
def served(folder):
    with studio.studio(folder, "bone.toml", binary=BINARY) as made_here:
        yield made_here


@pytest.fixture
def page(started, served):
    return opened(started, served.address)


def opened(page, address, width=1400, height=900):
    page.size(width, height, touch=width < 600)
    page.dark(False)
    page.complaints.clear()
    page.open(address)
    page.wait_for(READY)
    settle(page)
    return page


def settle(page):
    """Wait until edits are written and checked."""
    page.wait_for("!studio.isBusy() && studio.checked.value?.digest === studio.job.value?.digest")
    page.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")  # and drawn


def data(page):
    return json.loads(page.value("JSON.stringify(studio.job.value.data)"))


def told(page):
    return page.value("document.querySelector('#verdict').textContent")


def push_on_a_disc(page):
    """Place by a click on the solid."""
    middle = page.centre("canvas.gl")
    page.click("[data-tool=disc]")
    page.click("[data-tool=push]")
    page.drag((middle[0], middle[1] + 10), (middle[0], middle[1] + 10))


def hold_the_lower_face_by_keys(page):
    """Place by keys: the cursor to the lowest plane, on the solid, the tool, Enter."""
    page.value("document.querySelectorAll('.slice canvas')[1].focus()")
    for _ in range(EDGE):
        page.key("ArrowDown")
    page.key("f")
    page.key("h")
    page.value("(studio.cursor.value = [0, 20, 3], 0)")
    page.value("document.querySelectorAll('.slice input')[2].dispatchEvent(new Event('input'))")
    for _ in range(17):
        page.key("ArrowLeft")
    page.wait_for("studio.cursor.value[0] === 0")
    page.key("Enter")


def keep_picture(page, name):
    """Write a picture for the documentation, small and in few colours, if $OSTEON_PICTURES names a folder."""
    if not os.environ.get("OSTEON_PICTURES"):
        return
    from PIL import Image

    page.wait_for("!studio.isBusy()")
    time.sleep(1.5)  # a slow machine refines the 3-D view when the scene is at rest
    target = Path(os.environ["OSTEON_PICTURES"]) / f"{name}.png"
    page.picture(target)
    picture = Image.open(target).convert("RGB")
    picture.thumbnail((1100, 1100), Image.Resampling.LANCZOS)
    picture.quantize(96, dither=Image.Dither.NONE).save(target, optimize=True)


LEFT_OUT = {"stages", "files", "started", "finished", "machine", "io", "command", "memory", "peak_rss_bytes"}


def numbers(value, name=""):
    """All numbers of an answer except those of time, files and machine."""
    if isinstance(value, dict):
        told = {
            k: v for k, v in value.items() if k not in LEFT_OUT and "second" not in k and not k.startswith("share_of_")
        }
        return {f"{name}/{k}/{n}": v for k, x in told.items() for n, v in numbers(x).items()}
    if isinstance(value, list):
        return {f"{name}/{i}/{n}": v for i, x in enumerate(value) for n, v in numbers(x).items()}
    return {name: value} if isinstance(value, (int, float)) and not isinstance(value, bool) else {}


def test_from_a_scan_to_a_finished_run_by_pointer_and_keys(started, tmp_path):
    """Oracle: the file written by the page, run in a terminal: the same numbers in all digits."""
    folder = tmp_path
    np.save(folder / "bone.npy", studio.small_bone(EDGE))
    with studio.studio(folder, "bone.npy", binary=BINARY) as served:
        page = opened(started, served.address)
        assert "the job cannot run" in told(page)
        field = "document.querySelector('[data-path=\"material.0.youngs_modulus_MPa\"]')"
        assert page.value(f"{field}.getAttribute('aria-invalid')") == "true"
        assert "missing" in page.value(f"{field}.closest('.field').querySelector('.finding').textContent")
        keep_picture(page, "studio_scan")
        page.type("[data-key=spacing]", "0.05")
        settle(page)
        page.type("[data-key='material.0.youngs_modulus_MPa']", "6829")
        page.type("[data-key='material.0.poisson_ratio']", "0.3")
        page.type("[data-key='load.strain']", "-0.005")
        settle(page)
        assert data(page)["image"]["spacing_mm"] == [0.05] * 3 and data(page)["load"]["strain"] == -0.005
        assert "the job can run" in told(page)
        assert "Estimate for" in page.value("document.querySelector('#estimate').textContent")
        page.click("#run")
        page.wait_for(f"['done', 'failed'].includes({RUN}?.dataset.state)")
        page.wait_for("!!document.querySelector('[data-answer=stiffness_N_per_mm]')")
        shown = float(page.value("document.querySelector('[data-answer=stiffness_N_per_mm]').dataset.value"))
        done = subprocess.run(
            [str(BINARY), "run", "bone.toml", "-o", "terminal.out", "--no-report"],
            cwd=folder, capture_output=True, text=True, timeout=200, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        here = json.loads((folder / "terminal.out" / "summary.json").read_text())
        there = json.loads((folder / "bone.run1.out" / "summary.json").read_text())
        assert shown == here["stiffness_N_per_mm"] == there["stiffness_N_per_mm"]
        assert numbers(here) == numbers(there) and len(numbers(here)) > 30
        assert (folder / "bone.run1.toml").read_text() == (folder / "bone.toml").read_text()
        assert page.complaints == []


def test_supports_and_forces_by_clicking(started, tmp_path):
    """Oracle: the job file, and the report of the program for it on the solid."""
    folder = made(tmp_path, EDGE)
    with studio.studio(folder, "bone.toml", binary=BINARY) as served:
        page = opened(started, served.address)
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
        assert "the job cannot run" in told(page)  # no support holds it
        hold_the_lower_face_by_keys(page)
        page.wait_for("studio.job.value.data.support?.length === 1")
        settle(page)
        assert data(page)["support"][0] == {"on": "z_low", "fix": "zyx"}
        assert "the job can run" in told(page), page.value("document.querySelector('#check').textContent")
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


def test_every_tool_makes_its_set(page):
    """Oracle: the kinds of sets in the file; each is undone by the keyboard."""
    page.value("document.querySelector('canvas.gl').focus()")
    page.key("n")
    for key, kind in (("p", "plane"), ("b", "box"), ("d", "disk")):
        before = page.value("studio.job.value.text")
        count = len(data(page).get("set", []))
        page.key(key)
        page.key("Enter")
        page.wait_for(f"(studio.job.value.data.set || []).length === {count + 1}")
        assert data(page)["set"][-1]["select"] == kind
        page.key("z", "Control")
        page.wait_for(f"(studio.job.value.data.set || []).length === {count}")
        assert page.value("studio.job.value.text") == before
    settle(page)


def test_the_threshold_follows_the_drag_and_the_file_its_end(page):
    """Oracle: the file changes once, when the pointer is released; a key press is one step."""
    page.value("document.querySelector('.hist').scrollIntoView({block: 'center'})")
    x, y, w = page.value(
        "(() => { const r = document.querySelector('.hist').getBoundingClientRect(); return [r.x, r.y + 40, r.width]; })()"
    )
    undo, before = page.value("studio.job.value.undo"), page.value("studio.job.value.text")
    page.call("Input.dispatchMouseEvent", type="mousePressed", x=x + 0.5 * w, y=y, button="left", clickCount=1)
    shown = []
    for n in range(1, 9):
        page.call(
            "Input.dispatchMouseEvent", type="mouseMoved", x=x + (0.5 + 0.02 * n) * w, y=y, button="left", buttons=1
        )
        shown.append(page.value("studio.threshold.value"))
    assert shown == sorted(shown) and len(set(shown)) > 4
    assert page.value("studio.job.value.text") == before
    page.call("Input.dispatchMouseEvent", type="mouseReleased", x=x + 0.66 * w, y=y, button="left", clickCount=1)
    page.wait_for(f"studio.job.value.data.segment.threshold === {shown[-1]}")
    assert page.value("studio.job.value.undo") == undo + 1
    assert "Otsu's is" in page.value("studio.job.value.text")
    page.value("document.querySelector('.hist').focus()")
    page.key("ArrowLeft")
    page.wait_for(f"studio.job.value.data.segment.threshold === {shown[-1] - 1}")
    page.key("z", "Control")
    page.key("z", "Control")
    page.wait_for(f"studio.job.value.undo === {undo}")
    assert page.value("studio.job.value.text") == before
    assert page.value("studio.threshold.value") == data(page)["segment"]["threshold"]
    settle(page)


def test_fifty_undos_by_the_keyboard(page):
    """Oracle: the text, to the byte."""
    before = page.value("studio.job.value.text")
    undo = page.value("studio.job.value.undo")
    for n in range(50):
        page.value(f"studio.set(['material', 0, 'youngs_modulus_MPa'], {7000 + n})")
    page.wait_for(f"studio.job.value.undo === {undo + 50}")
    page.value("document.activeElement.blur()")
    for _ in range(50):
        page.key("z", "Control")
    page.wait_for(f"studio.job.value.undo === {undo}")
    assert page.value("studio.job.value.text") == before
    settle(page)


def test_a_wrong_token_is_told_and_shows_nothing(started, served):
    started.open(served.address.replace(studio.TOKEN, "wrong"))
    started.wait_for("!!document.querySelector('#refused')")
    assert "token" in started.value("document.body.textContent")
    assert "bone" not in started.value("document.body.textContent")


def test_a_change_on_disk_comes_to_the_page(page, folder):
    path = folder / "bone.toml"
    before = path.read_text()
    path.write_text(before + "\n# by an editor\n")
    page.wait_for("studio.job.value.text.endsWith('# by an editor\\n')")
    assert "changed by another program" in page.value("document.querySelector('#status').textContent")
    path.write_text(before)
    page.wait_for("!studio.job.value.text.endsWith('# by an editor\\n')")
    settle(page)


@pytest.mark.parametrize("width", [1400, 1024, 420])
@pytest.mark.parametrize("dark", [False, True])
def test_the_page_fits_and_complains_of_nothing(started, served, width, dark):
    """Oracle: the page width computed by the browser, its console, and the requested addresses."""
    page = opened(started, served.address, width, 900 if width != 1024 else 768)
    page.dark(dark)
    settle(page)
    assert page.value("document.documentElement.scrollWidth") <= width
    assert page.value("!document.querySelector('#views').classList.contains('nogl')")
    assert page.value("[...document.querySelectorAll('.viewer canvas')].every(c => c.clientWidth > 100)")
    asked = page.value("performance.getEntriesByType('resource').map(e => new URL(e.name).origin)")
    assert set(asked) == {f"http://127.0.0.1:{served.port}"}
    assert page.value("location.hash") == "" and page.value("document.cookie") == ""
    assert page.complaints == []
    keep_picture(page, f"studio_{width}{'_dark' if dark else ''}")


def test_each_control_has_a_name(page):
    """Oracle: the accessibility tree of the browser."""
    page.call("Accessibility.enable")
    nodes = page.call("Accessibility.getFullAXTree")["nodes"]
    roles = {"slider", "combobox", "checkbox", "button", "image", "textbox"}
    named = [(n["role"]["value"], n.get("name", {}).get("value")) for n in nodes if not n.get("ignored")]
    assert sum(role in roles for role, _ in named) >= 30
    assert [role for role, name in named if role in roles and not name] == []


def test_without_webgl_slices_tools_and_keys_work(served):
    with browser.browser(has_gl=False) as page:
        opened(page, served.address)
        assert page.value("document.querySelector('#views').classList.contains('nogl')")
        count = len(data(page).get("set", []))
        page.value("document.querySelectorAll('.slice canvas')[0].focus()")
        for key in ("n", "b"):
            page.key(key)
        page.value("(studio.cursor.value, 0)")
        for _ in range(18):
            page.key("ArrowLeft")
        page.key("Enter")
        page.wait_for(f"(studio.job.value.data.set || []).length === {count + 1}")
        page.key("z", "Control")
        page.wait_for(f"(studio.job.value.data.set || []).length === {count}")
        settle(page)


def at_voxel(page, z, y, x):
    """The cursor, set by the sliders of the slices; the slice across y has the focus."""
    for number, place in enumerate((z, y, x)):
        page.value(
            f"(s => {{ s.value = {place}; s.dispatchEvent(new Event('input')); }})"
            f"(document.querySelectorAll('.slice input')[{number}])"
        )
    page.wait_for(f"studio.cursor.value.join() === '{z},{y},{x}'")
    page.value("document.querySelectorAll('.slice canvas')[1].focus()")


def in_a_terminal(folder, job):
    done = subprocess.run(
        [str(BINARY), "run", job, "-o", "terminal.out", "--no-report"],
        cwd=folder, capture_output=True, text=True, timeout=200, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "terminal.out" / "summary.json").read_text())


def state(page, run):
    return page.value(f"studio.runs.value.runs.find(r => r.number === {run})?.state")


def test_several_load_cases(started, tmp_path):
    """Oracle: the file: the test of the job becomes its first case; conditions set by clicks are added to the selected
    case; the run has the numbers of the file in a terminal."""
    folder = made(tmp_path, EDGE)
    with studio.studio(folder, "bone.toml", binary=BINARY) as served:
        page = opened(started, served.address)
        page.click("[data-key='add case']")
        page.wait_for("studio.job.value.data.case?.length === 2")
        settle(page)
        job = data(page)
        assert job["case"][0] == {"name": "case_1", "test": "axial_bonded", "strain": -0.005}
        assert job["load"] == {"axis": "z"} and job["case"][1] == {"name": "case_2"}
        page.type("[data-key='case.1.name']", "push")
        page.wait_for("studio.job.value.data.case[1].name === 'push'")
        # The disc carries a force, the lower face is fixed: both in the second case.
        push_on_a_disc(page)
        page.wait_for("studio.job.value.data.case[1].force?.length === 1")
        settle(page)
        hold_the_lower_face_by_keys(page)
        page.wait_for("studio.job.value.data.case[1].support?.length === 1")
        settle(page)
        job = data(page)
        assert job["case"][1]["test"] == "custom" and "force" not in job and "support" not in job
        assert "the job can run" in told(page), page.value("document.querySelector('#check').textContent")
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


def test_a_density_law_over_the_histogram(started, tmp_path):
    """Oracle: E = coefficient (slope grey + intercept)^exponent at the threshold; the curve is drawn; the job runs."""
    folder = made(tmp_path, 24)
    with studio.studio(folder, "bone.toml", binary=BINARY) as served:
        page = opened(started, served.address)
        drawn = "document.querySelector('.hist').toDataURL()"
        before = page.value(drawn)
        page.click("[data-key='add law']")
        page.wait_for("!!studio.job.value.data.density_law")
        settle(page)
        assert "material" not in data(page) and "fault" in told(page)  # no value is guessed
        law = {"slope": 2, "intercept": -40, "coefficient_MPa": 0.5, "exponent": 1.5, "poisson_ratio": 0.3}
        for key, value in law.items():
            page.type(f"[data-key='density_law.{key}']", str(value))
            settle(page)
        assert "the job can run" in told(page), page.value("JSON.stringify(studio.checked.value.problems)")
        text = page.value("document.querySelector('#law').textContent")
        assert f"{float(f'{0.5 * (2 * 120 - 40) ** 1.5:.3g}'):g} MPa at the threshold" in text
        assert page.value(drawn) != before
        page.click("#run")
        page.wait_for(f"['done', 'failed'].includes({RUN}?.dataset.state)")
        assert state(page, 1) == "done"
        assert page.complaints == []


def test_necks_are_shown(started, tmp_path):
    """Oracle: a rod of six voxels between two blocks, and its connections to them; the button moves to the first."""
    image = np.full((18, 12, 12), 20, "u1")
    image[:6] = image[12:] = 200
    image[6:12, 3, 8] = 200
    np.save(tmp_path / "bone.npy", image)
    (tmp_path / "bone.toml").write_text(JOB)
    with studio.studio(tmp_path, "bone.toml", binary=BINARY) as served:
        page = opened(started, served.address)
        assert page.value("document.querySelector('#necks').textContent").startswith(
            "8 single voxels connect other parts"
        )
        page.click("[data-key='to neck']")
        page.wait_for("studio.cursor.value.join() === '5,3,8'")
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


def test_arrows_are_dragged(started, tmp_path):
    """Oracle: a drag rotates the force and preserves its magnitude in N, with Shift it changes the magnitude; a muscle
    points to the end of its arrow; Undo restores all values."""
    folder = made(tmp_path, EDGE)
    text = JOB.split("[load]")[0] + LOADED
    (folder / "bone.toml").write_text(text)
    with studio.studio(folder, "bone.toml", binary=BINARY) as served:
        page = opened(started, served.address)
        settle(page)
        assert "the job can run" in told(page), page.value("JSON.stringify(studio.checked.value.problems)")

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
        assert away < 25 and np.hypot(now[0] - x, now[1] - y) > away  # on a sphere around its point, toward the pointer
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


def test_strokes_of_the_brush(started, tmp_path):
    """Oracle: the points of a stroke are on the path of the pointer and on the solid; the program finds nodes within
    its radius; a second stroke extends the same set, and selecting the tool again starts another set."""
    folder = made(tmp_path, EDGE)
    with studio.studio(folder, "bone.toml", binary=BINARY) as served:
        page = opened(started, served.address)
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
        assert page.value("[studio.camera().azimuth, studio.camera().elevation].join()") == before  # view unchanged
        nodes = page.value("studio.checked.value.loads.sets.find(s => s.name === 'brush_1').nodes")
        assert nodes > 4
        keep_picture(page, "studio_brush")
        # In a slice, one more stroke; its nodes are added.
        x, y = page.centre(".slice canvas")
        page.drag((x - 40, y), (x + 40, y + 10))
        page.wait_for("studio.job.value.data.set.length === 2")
        settle(page)
        job = data(page)
        assert [s["name"] for s in job["set"]] == ["brush_1", "brush_1"] and len(job["force"]) == 1
        # Selected again, by keys: a dab at the cursor.
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


def test_a_reload_a_stop_a_killed_studio_and_on(started, tmp_path):
    """Oracle: the same job in a terminal, without interruption; the earlier output of the run is present after each
    reload."""
    folder = made(tmp_path, 144, "\n[solve]\ntolerance = 1e-11\n\n[run]\nranks = 1\nthreads = 1\n")
    has_begun = "(studio.told.get(1) || []).filter(l => l.kind === 'progress' && l.iteration > 1).length > 0"
    served = studio.start(folder, "bone.toml", binary=BINARY)
    try:
        page = opened(started, served.address)
        page.click("#run")
        page.wait_for(has_begun)
        assert state(page, 1) == "running"
        page.click("[data-key='stop 1']")
        page.wait_for("['stopped', 'done'].includes(studio.runs.value.runs[0].state)")
        assert state(page, 1) == "stopped" and "Resume" in page.value(f"{RUN}.textContent")
        assert not (folder / "bone.run1.out" / "results.nc").exists()
        served.process.kill()
        served.process.wait()
        page.wait_for("document.querySelector('#status').textContent.includes('does not answer')")
        studio.stop(served)
        served = studio.start(folder, "bone.toml", binary=BINARY)
        page = opened(started, served.address)
        assert state(page, 1) == "stopped"
        page.wait_for(has_begun)
        page.click("[data-key='resume 1']")
        page.wait_for("['running', 'done'].includes(studio.runs.value.runs[0].state)")
        page = opened(started, served.address)  # a reload
        page.wait_for(has_begun)
        assert state(page, 1) in ("running", "done")
        served.process.kill()  # during the run, which continues
        served.process.wait()
        studio.stop(served)
        served = studio.start(folder, "bone.toml", binary=BINARY)
        page = opened(started, served.address)
        page.wait_for("['done', 'failed'].includes(studio.runs.value.runs[0].state)")
        assert state(page, 1) == "done"
        there = json.loads((folder / "bone.run1.out" / "summary.json").read_text())
        here = in_a_terminal(folder, "bone.toml")
        assert there["stiffness_N_per_mm"] == pytest.approx(here["stiffness_N_per_mm"], rel=1e-9)
        assert page.value("studio.told.get(1).some(l => (l.text || '').includes('resumed'))")
    finally:
        studio.stop(served)


def test_results_are_opened_as_a_folder(started, tmp_path):
    """Oracle: the stiffness of the file in the displayed report; all files are offered."""
    folder = made(tmp_path, 24)
    done = subprocess.run([str(BINARY), "run", "bone.toml"], cwd=folder, capture_output=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr
    with studio.studio(folder, "bone.out", binary=BINARY) as served:
        started.size(1400, 900)
        started.complaints.clear()
        started.open(served.address)
        started.wait_for("document.body?.dataset.ready === 'yes' && !document.querySelector('#results').hidden")
        started.wait_for("!!document.querySelector('#results iframe')")
        assert started.value("getComputedStyle(document.querySelector('#build')).display") == "none"  # no builder
        report = started.value(
            "fetch(document.querySelector('#results iframe').src).then(r => r.text()).then(t => t.length)"
        )
        assert report > 100_000
        keep_picture(started, "studio_results")
        started.click("[data-key='tab export']")
        files = started.value("[...document.querySelectorAll('#results .links a')].map(a => a.download)")
        assert {"results.nc", "summary.json", "report.html", "picture.png"} <= set(files)
        assert started.complaints == []


def test_filters_change_what_is_seen_and_the_file(started, tmp_path):
    """Oracle: the tables of the file; the histogram of the image after the step; removing a filter restores the earlier
    text."""
    folder = made(tmp_path, EDGE)
    with studio.studio(folder, "bone.toml", binary=BINARY) as served:
        page = opened(started, served.address)
        before, counts = (
            page.value("studio.job.value.text"),
            page.value("JSON.stringify(studio.histogram.value.counts)"),
        )
        page.value("document.querySelector('.filters').open = true")
        choose = "(() => {{ const s = document.querySelector(\"[data-key='add filter']\"); s.value = '{}'; s.dispatchEvent(new Event('change')); }})()"
        page.value(choose.format("gaussian"))
        page.wait_for("studio.job.value.data.image.step?.length === 1")
        page.wait_for(f"JSON.stringify(studio.histogram.value.counts) !== '{counts}'")
        settle(page)
        assert data(page)["image"]["step"] == [{"kind": "gaussian", "sigma_voxels": 0.8}]
        page.type("[data-key='image.step.0.sigma_voxels']", "1.2")
        page.wait_for("studio.job.value.data.image.step[0].sigma_voxels === 1.2")
        page.value(choose.format("local_threshold"))
        page.wait_for("studio.job.value.data.image.step?.length === 2")
        settle(page)
        step = data(page)["image"]["step"][1]
        assert step["high"] == data(page)["segment"]["threshold"] and step["low"] < step["high"]
        assert "the job can run" in told(page), page.value("document.querySelector('#check').textContent")
        keep_picture(page, "studio_filters")
        for left in (1, 0):
            page.click(f"[data-key='remove step {left}']")
            page.wait_for(f"(studio.job.value.data.image.step || []).length === {left}")
            settle(page)
        assert page.value("studio.job.value.text") == before
        page.value("[...document.querySelectorAll('#solid details')].forEach(d => d.open = true)")
        page.type("[data-key='greys 0']", "60")
        page.wait_for("studio.job.value.data.segment.greys?.[0] === 60")
        assert "threshold" not in data(page)["segment"]
        settle(page)
        assert page.complaints == []
