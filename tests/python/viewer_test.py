"""Tests of the viewer of the report in a headless Chromium: pages, keys, pointer, wheel, touch, no WebGL, and paper."""

import re

import browser
import numpy as np
import pytest
from fake_output import write_output, write_scene
from osteon.report.page import main
from osteon.results.result_file import ResultFile

pytestmark = pytest.mark.skipif(bool(browser.why_not()), reason=browser.why_not())

READY = "document.querySelector('.viewer')?.dataset.ready === 'yes'"
Z, Y, X = (f".slice:nth-of-type({n}) canvas" for n in (1, 2, 3))
SPACING = 0.02


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = write_output(tmp_path_factory.mktemp("viewer") / "job")
    write_scene(folder)
    assert main([str(folder)]) == 0
    return folder / "report.html"


@pytest.fixture(scope="module")
def started():
    with browser.browser() as page:
        yield page


@pytest.fixture
def page(started, report):
    started.size(1400, 1000)
    started.dark(False)
    started.complaints.clear()
    started.open(report)
    started.wait_for(READY)
    return started


def cursor(page):
    """The voxel (z, y, x) of the cursor, from the displayed position."""
    text = page.value("document.querySelector('.readout').textContent")
    place = {axis: float(value) for axis, value in re.findall(r"([xyz]) (-?[0-9.]+)", text)}
    return tuple(round(place[axis] / SPACING - 0.5) for axis in "zyx")


def read_out(page, name):
    spans = page.value("[...document.querySelectorAll('.readout span')].map(s => s.textContent)")
    return next((s[len(name) :].strip() for s in spans if s.startswith(name)), None)


def press(page, selector, *keys):
    page.value(f"document.querySelector({selector!r}).focus()")
    for key in keys:
        page.key(key)


def pixels(page, selector):
    """A checksum of a canvas. The checksum changes with the picture of the canvas. 3-D pictures are drawn before the
    next frame."""
    return page.value(
        "new Promise(done => setTimeout(() => { const c = document.querySelector("
        + repr(selector)
        + "); const t = document.createElement('canvas'); t.width = t.height = 64; const p = t.getContext('2d');"
        "p.drawImage(c, 0, 0, 64, 64); done([...p.getImageData(0, 0, 64, 64).data].reduce((s, v, i) => (s * 31 + v) % 1000003, 7)); }, 700))"
    )


BROKEN_WORDS = """
[...document.querySelectorAll('td, th')].flatMap(cell => {
  const broken = [], texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT), range = document.createRange();
  if (cell.matches('.pairs td:last-child')) return broken;  // file names and digests
  for (let text; (text = texts.nextNode()); )
    for (const word of text.data.matchAll(/[A-Za-z]{3,14}/g)) {
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      if (new Set([...range.getClientRects()].map(r => Math.round(r.top))).size > 1) broken.push(word[0]);
    }
  return broken;
})"""


def test_tables_keep_words_whole_on_a_narrow_screen(started, report):
    """Oracle: the lines of each word in the layout of the browser, and a width of at least 90 pixels for columns of
    text."""
    started.size(420, 900, touch=True)
    started.dark(False)
    started.open(report)
    started.wait_for(READY)
    assert started.value(BROKEN_WORDS) == []
    narrow = "[...document.querySelectorAll('td.m, .answers td:first-child')].filter(c => c.clientWidth < 90 && c.innerText.length > 30)"
    assert started.value(f"{narrow}.map(c => c.innerText)") == []


@pytest.mark.parametrize("width", [1400, 420])
@pytest.mark.parametrize("dark", [False, True])
def test_the_page_fits_and_complains_of_nothing(started, report, width, dark):
    """Oracle: the page width that the browser computes, and the console of the browser."""
    started.complaints.clear()
    started.size(width, 900, touch=width < 600)
    started.dark(dark)
    started.open(report)
    started.wait_for(READY)
    assert started.value("document.documentElement.scrollWidth") <= width
    assert started.value("!document.querySelector('.viewer').classList.contains('nogl')")
    assert started.value(
        "[...document.querySelectorAll('.viewer figure:not([hidden]) canvas')].every(c => c.clientWidth > 100)"
    )
    assert started.complaints == []


def test_keys_move_the_cursor_and_the_values_follow(page, report):
    """Oracle: the values of the file at the voxel, to half a code of one byte and to three digits."""
    begin = cursor(page)
    press(page, Z, "ArrowRight", "ArrowRight", "ArrowUp", "PageUp", "PageUp", "PageUp")
    z, y, x = cursor(page)
    assert (z, y, x) == (begin[0] + 3, begin[1] + 1, begin[2] + 2)
    press(page, Y, "ArrowUp", "PageDown")
    press(page, X, "ArrowLeft")
    assert cursor(page) == (z + 1, y - 1 - 1, x)
    with ResultFile(report.parent / "results.nc") as file:
        sed = file["sed"]
    scan = np.load(report.parent / "scan.npy")
    high = page.value("JSON.parse(document.querySelector('.description').textContent).fields[0].high")
    seen = set()
    for _ in range(8):
        press(page, Z, "ArrowRight", "PageDown")
        at = cursor(page)
        told = read_out(page, "strain energy density")
        seen.add(np.isnan(sed[at]))
        if np.isnan(sed[at]):
            assert told == "–"
        else:
            value = min(float(sed[at]), high)
            half_a_code = ((254 * (value / high) ** 0.5 + 0.5) / 254) ** 2 * high - value
            assert float(told.split()[1]) == pytest.approx(value, abs=1.01 * half_a_code + 0.005 * value)
        assert float(read_out(page, "scan")) == pytest.approx(float(scan[at]), abs=5)
    assert len(seen) == 2


def test_pointer_and_wheel_move_the_cursor(page):
    """Oracle: the centre of a canvas is the centre of the image. One step of the wheel is one slice."""
    middle = page.centre(Z)
    page.drag((middle[0] + 30, middle[1]), middle)
    z, y, x = cursor(page)
    assert abs(y - 12) <= 1 and abs(x - 14) <= 1
    page.wheel(middle, 120)
    page.wait_for(f"document.querySelector('.slice input').value == {z - 1}")
    page.wheel(middle, -120)
    page.wait_for(f"document.querySelector('.slice input').value == {z}")


def test_the_surface_turns_and_comes_nearer(page):
    """Oracle: another picture after each rotation, and the first picture again after Home."""
    first = pixels(page, "canvas.gl")
    press(page, "canvas.gl", "ArrowRight")
    turned = pixels(page, "canvas.gl")
    press(page, "canvas.gl", "+")
    near = pixels(page, "canvas.gl")
    press(page, "canvas.gl", "Home")
    assert len({first, turned, near}) == 3
    middle = page.centre("canvas.gl")
    before = pixels(page, "canvas.gl")
    page.drag(middle, (middle[0] + 60, middle[1] + 20))
    dragged = pixels(page, "canvas.gl")
    page.wheel(middle, -240)
    assert len({before, dragged, pixels(page, "canvas.gl")}) == 3
    assert page.complaints == []


def test_controls_change_field_colours_cut_and_sets(page):
    """Oracle: another picture for each control. The colour bar states its limit, and states that there are values above
    the limit."""

    def put(name, value, event="input"):
        page.value(
            f"(() => {{ const c = document.querySelector('[name={name}]'); if (c.type === 'checkbox') c.checked = {value}; "
            f"else c.value = {value}; c.dispatchEvent(new Event('{event}')); }})()"
        )

    shown = [pixels(page, Z)]
    assert "≥" in page.value("document.querySelector('.bar em').textContent")
    put("limit", 1000)
    high = page.value("JSON.parse(document.querySelector('.description').textContent).fields[0].high")
    told = page.value("document.querySelector('.bar em').textContent")
    assert float(told.removeprefix("≥ ")) == pytest.approx(high, rel=0.01)
    shown.append(pixels(page, Z))
    put("opacity", 0)
    shown.append(pixels(page, Z))
    put("level", 60)
    shown.append(pixels(page, Z))
    put("window", 60)
    shown.append(pixels(page, Z))
    put("outline", "false", "change")
    shown.append(pixels(page, Z))
    assert len(set(shown)) == len(shown)
    views = [pixels(page, "canvas.gl")]
    for name, value in (("sets", "false"), ("cut", 1), ("mode", 1)):
        put(name, value, "change")
        views.append(pixels(page, "canvas.gl"))
    assert len(set(views)) == len(views)
    assert page.complaints == []


def test_the_deformed_shape_and_values_along_a_line(started, tmp_path):
    """Oracle: the tip moves in the direction of bending, and moves farther for a larger scale. The plot shows the range
    of the field on the line."""
    folder = write_output(tmp_path / "job", bends=True)
    assert main([str(folder)]) == 0
    page = started
    page.size(1400, 1000)
    page.complaints.clear()
    page.open(folder / "report.html")
    page.wait_for(READY)
    label = "document.querySelector('[name=deform]').closest('label')"
    assert page.value(f"!{label}.hidden && {label}.querySelector('output').textContent === 'off'")

    def put(name, value):
        page.value(
            f"(c => {{ c.value = {value}; c.dispatchEvent(new Event('input')); c.dispatchEvent(new Event('change')); }})"
            f"(document.querySelector('[name={name}]'))"
        )

    views, tips = [pixels(page, "canvas.gl")], [tip(page)]
    for scale in (50, 100):
        put("deform", scale)
        views.append(pixels(page, "canvas.gl"))
        tips.append(tip(page))
    assert len(set(views)) == 3
    assert abs(tips[1] - tips[0]) > 1 and abs(tips[2] - tips[0]) > 2 * abs(tips[1] - tips[0])
    reported = float(page.value(f"{label}.querySelector('output').textContent").removeprefix("× "))
    assert reported == pytest.approx(
        28 * SPACING / 6 / 1e-3, rel=0.06
    )  # a sixth of the longest edge; block means are smaller than the value at the tip
    put("deform", 0)
    assert pixels(page, "canvas.gl") == views[0]

    assert page.value("document.querySelector('.plot').hidden")
    z, y, _ = cursor(page)
    put("plot", 1)
    with ResultFile(folder / "results.nc") as file:
        line = file["sed"][z, y]
    text = page.value("document.querySelector('.plot figcaption').textContent")
    low, high = (float(v) for v in re.findall(r"([0-9.e-]+) MPa", text)[-2:])
    assert low == pytest.approx(np.nanmin(line), rel=0.05, abs=1e-4) and high == pytest.approx(
        np.nanmax(line), rel=0.05
    )
    before = pixels(page, ".plot canvas")
    put("plot", 2)
    assert pixels(page, ".plot canvas") != before and "along y" in page.value(
        "document.querySelector('.plot figcaption').textContent"
    )
    assert page.complaints == []


def tip(page):
    """The centre of the drawn part in the upper third of the 3-D view, in pixels of the view."""
    return page.value(
        "new Promise(done => setTimeout(() => { const c = document.querySelector('canvas.gl'), t = document.createElement('canvas');"
        "t.width = c.width; t.height = c.height; const p = t.getContext('2d'); p.drawImage(c, 0, 0);"
        "const d = p.getImageData(0, 0, t.width, t.height / 3 | 0).data, w = t.width; let sum = 0, n = 0;"
        "for (let i = 0; i < d.length; i += 4) if (Math.abs(d[i] - d[i + 2]) > 24) { sum += i / 4 % w; n++; } done(sum / n); }, 900))"
    )


def test_sets_are_named_and_the_maximum_is_found(page, report):
    """Oracle: the maximum in the file, and the sets of the scene."""
    assert "grip: fixed along x, y, z" in page.value("document.querySelector('.legend').textContent")
    assert "<top>: 3 N" in page.value("document.querySelector('.legend').textContent")
    page.value("document.querySelector('[name=peak]').click()")
    with ResultFile(report.parent / "results.nc") as file:
        sed = file["sed"]
    assert sed[cursor(page)] == np.nanmax(sed)
    press(page, Z, *["PageDown"] * 20)
    for _ in range(28):
        if read_out(page, "set"):
            break
        page.key("ArrowRight")
    assert read_out(page, "set").startswith("grip")


def test_fingers_move_the_cursor_and_the_surface(started, report):
    """Oracle: the position of the cursor. Two fingers that move apart enlarge the surface."""
    started.size(420, 900, touch=True)
    started.complaints.clear()
    started.open(report)
    started.wait_for(READY)
    middle = started.centre(Z)
    started.touch([(middle[0] - 60, middle[1])])
    left = cursor(started)
    started.touch([(middle[0] - 20, middle[1])], [(middle[0] + 60, middle[1])])
    assert cursor(started)[2] > left[2]
    a, b = started.centre("canvas.gl")
    before = pixels(started, "canvas.gl")
    started.touch([(a - 20, b), (a + 20, b)], [(a - 60, b), (a + 60, b)])
    assert pixels(started, "canvas.gl") != before
    assert started.complaints == []


@pytest.mark.parametrize("how", ["address", "browser"])
def test_without_webgl_the_slices_live_and_a_picture_stands_there(started, report, how):
    """Oracle: the visible elements. Keys still move the cursor."""
    if how == "address":
        look_at_page_without_gl(started, report, "#nogl")
    else:
        with browser.browser(has_gl=False) as page:
            look_at_page_without_gl(page, report, "")


def look_at_page_without_gl(page, report, fragment):
    page.size(1400, 1000)
    page.open(report, fragment)
    page.wait_for(READY)
    height = "document.querySelector('{}').getBoundingClientRect().height"
    assert page.value(height.format(".still")) > 100 and page.value(height.format("canvas.gl")) == 0
    assert page.value("document.querySelector('.still').naturalWidth") > 100
    begin = cursor(page)
    press(page, Z, "ArrowRight")
    assert cursor(page)[2] == begin[2] + 1


def test_without_javascript_numbers_and_picture_stand(report):
    """Oracle: the markup."""
    text = report.read_text(encoding="utf-8")
    assert "<noscript>" in text and 'class="still"' in text and "1348" in text


def test_each_control_has_a_name(page):
    """Oracle: the accessibility tree of the browser."""
    page.call("Accessibility.enable")
    nodes = page.call("Accessibility.getFullAXTree")["nodes"]
    roles = {"slider", "combobox", "checkbox", "button", "image"}
    named = [(n["role"]["value"], n.get("name", {}).get("value")) for n in nodes if not n.get("ignored")]
    assert sum(role in roles for role, _ in named) >= 15
    assert [role for role, name in named if role in roles and not name] == []
    assert page.value("document.querySelector('.readout').getAttribute('role')") == "status"


def test_paper_has_at_most_four_pages(page, tmp_path):
    """Oracle: the pages of the PDF."""
    assert 1 <= page.paper(tmp_path / "report.pdf") <= 4
