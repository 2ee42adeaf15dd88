"""The page of a studio in a headless browser for tests. The functions open the page, read its state, and act by pointer
and keys.

OSTEON_PICTURES=FOLDER writes the pictures for docs/images.
"""

import json
import os
import subprocess
import time
from pathlib import Path

import browser
import numpy as np
import studio
from whole_job import BINARY

MISSING = browser.why_not() or studio.why_not() or ("" if BINARY.exists() else f"{BINARY} is not built")

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


def write_job(tmp_path, edge, more=""):
    np.save(tmp_path / "bone.npy", studio.small_bone(edge))
    (tmp_path / "bone.toml").write_text(JOB + more)
    return tmp_path


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
    # wait until the page is drawn
    page.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")


def data(page):
    return json.loads(page.value("JSON.stringify(studio.job.value.data)"))


def verdict(page):
    return page.value("document.querySelector('#verdict').textContent")


def push_on_a_disc(page):
    """Place a force on a disc by a click on the solid."""
    middle = page.centre("canvas.gl")
    page.click("[data-tool=disc]")
    page.click("[data-tool=push]")
    page.drag((middle[0], middle[1] + 10), (middle[0], middle[1] + 10))


def hold_the_lower_face_by_keys(page):
    """Place a support by keys: move the cursor to the lowest plane on the solid, select the tool, press Enter."""
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
    """Write a picture for the documentation, with a small size and few colours, if $OSTEON_PICTURES names a folder."""
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


LEFT_OUT = {"stages", "files", "tab", "finished", "machine", "io", "command", "memory", "peak_rss_bytes"}


def numbers(value, name=""):
    """All numbers of an answer, except numbers of time, files and machine."""
    if isinstance(value, dict):
        counted = {
            k: v for k, v in value.items() if k not in LEFT_OUT and "second" not in k and not k.startswith("share_of_")
        }
        return {f"{name}/{k}/{n}": v for k, x in counted.items() for n, v in numbers(x).items()}
    if isinstance(value, list):
        return {f"{name}/{i}/{n}": v for i, x in enumerate(value) for n, v in numbers(x).items()}
    return {name: value} if isinstance(value, (int, float)) and not isinstance(value, bool) else {}


def at_voxel(page, z, y, x):
    """Set the cursor by the sliders of the slices. The slice across y has the focus."""
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
