"""Tests of results in the studio, in a headless Chromium: pictures of the program, files for other programs, and runs
side by side."""

import json
import shlex
import subprocess
from pathlib import Path

import browser
import numpy as np
import pytest
import studio
from studio_page import MISSING, RUN, data, keep_picture, opened, settle, write_job
from whole_job import BINARY

pytestmark = pytest.mark.skipif(bool(MISSING), reason=MISSING)

COLOURS = """(() => {
  const c = document.getElementById('picture'), p = c.getContext('2d').getImageData(0, 0, c.width, c.height).data, found = new Set();
  for (let i = 0; i < p.length; i += 4) found.add(p[i] << 16 | p[i + 1] << 8 | p[i + 2]);
  return found.size;
})()"""
PIXELS = "document.getElementById('picture').toDataURL()"
DRAWN = "document.getElementById('picture')?.dataset.state === 'drawn'"


@pytest.fixture(scope="module")
def started():
    with browser.browser() as page:
        yield page


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A job with two runs. The second run has another threshold, and vectors."""
    return write_job(tmp_path_factory.mktemp("results"), 28, '\n[output]\nfields = ["von_mises", "displacement"]\n')


@pytest.fixture(scope="module")
def served(started, folder):
    with studio.studio(folder, "bone.toml", binary=BINARY) as made_here:
        page = opened(started, made_here.address)
        for run, threshold in ((1, 120), (2, 175)):
            page.type("[data-key=threshold]", str(threshold))
            settle(page)
            page.click("#run")
            page.wait_for(f"{RUN}?.dataset.run === '{run}' && {RUN}.dataset.state === 'done'")
        assert data(page)["segment"]["threshold"] == 175
        yield made_here


def choose(page, key, value):
    """Select an entry of a list on the page, as a user does."""
    page.value(
        f"(s => {{ s.value = {json.dumps(value)}; s.dispatchEvent(new Event('change')); }})"
        f"(document.querySelector('[data-key=\"{key}\"]'))"
    )


def pictured(page):
    page.wait_for(DRAWN)
    return page.value(PIXELS)


def test_pictures_are_those_of_the_program(started, served, folder, tmp_path):
    """Oracle: the displayed command writes equal pixels in a terminal. Each control changes the pixels."""
    page = opened(started, served.address)
    page.click("[data-key='results 2']")
    page.wait_for("!!document.querySelector('#results iframe')")
    page.click("[data-key='tab picture']")
    seen = [pictured(page)]
    assert page.value(COLOURS) > 500
    for key, value in (
        ("view field", "displacement"),
        ("view component", "z"),
        ("view method", "maximum"),
        ("view method", "surface"),
        ("view cut", "y"),
        ("view keeps", "above"),
    ):
        choose(page, key, value)
        seen.append(pictured(page))
    page.value("document.getElementById('picture').focus()")
    page.key("ArrowLeft")
    page.wait_for("document.getElementById('picture').dataset.state !== 'drawn'")
    seen.append(pictured(page))
    middle = page.centre("#picture")
    page.drag(middle, (middle[0] + 60, middle[1] + 20))
    seen.append(pictured(page))
    # the method is unchanged, and all other options differ
    assert seen[4] == seen[2] and len(set(seen)) == len(seen) - 1
    # Wheel events arrive faster than pictures are drawn. Few pictures are drawn, and the last picture is that of the
    # final position.
    asked = "performance.getEntriesByType('resource').filter(e => e.name.includes('results/picture')).length"
    before = page.value(asked)
    for _ in range(12):
        page.wheel(middle, -60)
    page.wait_for(f"{DRAWN} && !document.getElementById('picture-command').textContent.includes('--zoom 1 ')")
    page.wait_for("document.getElementById('picture-command').textContent.includes('--zoom 2.94')")
    assert page.value(asked) - before < 12
    seen.append(pictured(page))
    keep_picture(page, "studio_picture")
    words = shlex.split(page.value("document.getElementById('picture-command').textContent"))
    assert "--component" in words and "--clip" in words and words[:3] == ["osteon", "render", "results.nc"]
    target = tmp_path / "same.png"
    done = subprocess.run([str(BINARY), *words[1:-1], str(target)], cwd=folder / "bone.run2.out", check=False)
    assert done.returncode == 0
    import base64
    import io

    from PIL import Image

    here = np.asarray(Image.open(io.BytesIO(base64.b64decode(seen[-1].partition(",")[2]))).convert("RGB"))
    np.testing.assert_array_equal(here, np.asarray(Image.open(target).convert("RGB")))
    # An isosurface requires a level.
    choose(page, "view field", "von_mises")
    choose(page, "view method", "level")
    page.wait_for("!!document.querySelector('[data-key=\"view level\"]')")
    before = pictured(page)
    page.type("[data-key='view level']", "20")
    page.wait_for("document.getElementById('picture-command').textContent.includes('--level 20')")
    assert pictured(page) != before
    assert page.complaints == []


def test_results_are_written_for_other_programs(started, served, folder):
    """Oracle: the files that `osteon export` writes. The log contains the command."""
    page = opened(started, served.address)
    page.click("[data-key='results 1']")
    page.wait_for("!!document.querySelector('#results iframe')")
    page.click("[data-key='tab export']")
    for key, name in (
        ("export .vti", "results.vti"),
        ("export .npy", "von_mises.npy"),
        ("export paraview", "open_in_paraview.py"),
        ("export .inp", "job.inp"),
    ):
        page.click(f"[data-key='{key}']")
        page.wait_for(f"[...document.querySelectorAll('#results .links a')].some(a => a.download === '{name}')")
    folder_ = folder / "bone.run1.out"
    other = folder / "other.npy"
    done = subprocess.run(
        [str(BINARY), "export", "results.nc", "-f", "von_mises", "-o", str(other)], cwd=folder_, check=False
    )
    assert done.returncode == 0 and (folder_ / "von_mises.npy").read_bytes() == other.read_bytes()
    assert "*ELEMENT, TYPE=C3D8" in (folder_ / "job.inp").read_text().upper()
    log = (folder / "bone.studio" / "log.jsonl").read_text()
    assert "osteon export results.nc --field von_mises -o von_mises.npy" in log
    page.click("[data-key='export .npy']")  # no file is overwritten
    page.wait_for("[...document.querySelectorAll('#results .links a')].some(a => a.download === 'von_mises_2.npy')")
    assert page.complaints == []


def test_two_runs_side_by_side(started, served, folder):
    """Oracle: the stiffness of both runs on the page of `osteon compare`."""
    page = opened(started, served.address)
    page.click("[data-key='more 1']")
    for run in (1, 2):
        page.click(f"[data-key='pick {run}']")
    page.click("[data-key=compare]")
    page.wait_for("document.querySelector('#results iframe')?.title === 'Comparison of runs'")
    text = page.value("fetch(document.querySelector('#results iframe').src).then(r => r.text())")
    assert "bone.run1.out" in text and "bone.run2.out" in text and "stiffness" in text.lower()
    assert (folder / "bone.studio" / "compare_1_2.html").is_file()
    keep_picture(page, "studio_compare")
    page.click("#results header button")
    page.wait_for("document.querySelector('#results').hidden")
    assert page.complaints == []


def test_pictures_while_it_runs(started, tmp_path):
    """Oracle: the key of the job. The displayed picture is one of the frames of the run, and at the end the last
    frame."""
    folder = write_job(tmp_path, 96, "\n[solve]\ntolerance = 1e-9\n[run]\nranks = 1\nthreads = 1\n")
    with studio.studio(folder, "bone.toml", binary=BINARY) as served:
        page = opened(started, served.address)
        page.click("[data-key=frames]")
        page.wait_for("studio.job.value.data.picture?.every === 2")
        settle(page)
        page.click("#run")
        page.wait_for("document.querySelector('.frame')?.naturalWidth > 100")
        name = page.value("document.querySelector('.frame').title")
        page.wait_for(f"['done', 'failed'].includes({RUN}?.dataset.state)")
        frames = sorted(p.name for p in (folder / "bone.run1.out").glob("frame_*.png"))
        assert name in frames and page.value(f"{RUN}.dataset.state") == "done"
        page.click("[data-key=frames]")
        page.wait_for("!studio.job.value.data.picture?.every")
        assert page.complaints == []


@pytest.mark.parametrize(
    ("path", "body", "words"),
    [
        ("results/picture", {"run": 1, "view": {"field": "--help"}}, "not the name of a field"),
        ("results/picture", {"run": 1, "view": {"field": "nothing"}}, "nothing"),
        ("results/picture", {"run": 1, "view": {"method": "magic"}}, "magic"),
        ("results/picture", {"run": 1, "view": {"azimuth": "nan"}}, "not a number"),
        ("results/picture", {"run": 9, "view": {}}, "no run 9"),
        ("results/export", {"run": 1, "ending": "../x"}, "cannot be written as"),
        ("results/export", {"run": 1, "ending": ".nrrd", "field": "a b"}, "not the name of a field"),
        ("results/compare", {"runs": [1, 7]}, "no run 7"),
    ],
)
def test_what_is_no_view_is_refused(served, path, body, words):
    answer = served.ask(f"/api/{path}", "POST", body)
    assert answer.status >= 400 and words in json.loads(answer.body)["error"], answer.body


def test_a_film_needs_ffmpeg(served, folder):
    """Oracle: a file, or the sentence that names the missing program."""
    import shutil

    answer = served.ask("/api/results/film", "POST", {"run": 1, "view": {"field": "von_mises"}})
    if shutil.which("ffmpeg"):
        name = json.loads(answer.body)["name"]
        assert (Path(folder) / "bone.run1.out" / name).read_bytes()[4:8] == b"ftyp"
    else:
        assert answer.status >= 400 and "ffmpeg" in json.loads(answer.body)["error"]
