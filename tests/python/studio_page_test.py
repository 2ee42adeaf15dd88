"""Tests of the page of the studio in a headless Chromium: layout, keys, undo, and access by token."""

import browser
import pytest
import studio
from studio_page import EDGE, MISSING, data, keep_picture, opened, settle, write_job
from whole_job import BINARY

pytestmark = pytest.mark.skipif(bool(MISSING), reason=MISSING)


@pytest.fixture(scope="module")
def tab():
    with browser.browser() as page:
        yield page


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_job(tmp_path_factory.mktemp("page"), EDGE)


# A job that can run. Tests run in any order and leave the job in a state in which it can run.
@pytest.fixture(scope="module")
def served(folder):
    with studio.studio(folder, "bone.toml", binary=BINARY) as made_here:
        yield made_here


@pytest.fixture
def page(tab, served):
    return opened(tab, served.address)


def test_every_tool_makes_its_set(page):
    """Oracle: the kinds of sets in the file. The keyboard undoes each set."""
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
    """Oracle: the file changes once, when the pointer is released. A key press is one step."""
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


def test_a_wrong_token_is_told_and_shows_nothing(tab, served):
    tab.open(served.address.replace(studio.TOKEN, "wrong"))
    tab.wait_for("!!document.querySelector('#refused')")
    assert "token" in tab.value("document.body.textContent")
    assert "bone" not in tab.value("document.body.textContent")


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
def test_the_page_fits_and_complains_of_nothing(tab, served, width, dark):
    """Oracle: the page width that the browser computes, the console of the browser, and the requested addresses."""
    page = opened(tab, served.address, width, 900 if width != 1024 else 768)
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
