#!/usr/bin/env python3
"""The studio in a headless Chromium: seconds until a large scan is shown, frames of a dragged threshold, clicks.

The scan is a gyroid in a cylinder, bytes, generated at the start. The server runs, the page is opened: measured are the
times until the three slices are drawn, and until the 3-D view is shown. WebGL is in software. A click with the disc
tool is timed until the set is in the job file, and until the program has found its nodes (`osteon check --deep`). The
demo follows the tutorial with the bone scan, without pauses for typing.

./run bench studio [--sizes 512 1000] [--json FILE]
"""

import argparse
import json
import shutil
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from _program import BINARY

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

import browser
import studio

SCAN = Path(__file__).resolve().parents[1] / ".cache" / "scans" / "bone_128x128x128.tif"
JOB = """name = "scan"
[image]
path = "scan.npy"
spacing_mm = 0.02
[segment]
threshold = 128
[[material]]
youngs_modulus_MPa = 10000
poisson_ratio = 0.3
"""
DRAWN = (
    "window.studio?.counts.slices >= 3 && [...document.querySelectorAll('.slice canvas')].every(c => c.width > 1)"
    " && document.body.dataset.ready === 'yes'"
)
READY = "document.querySelector('#views')?.dataset.ready === 'yes'"
DRAG_S = 4.0
DRAG = """new Promise(done => {
  const h = document.querySelector('.hist'), b = h.getBoundingClientRect(), y = b.top + 40;
  const send = (type, x) =>
    h.dispatchEvent(new PointerEvent(type, {clientX: x, clientY: y, bubbles: true, button: 0}));
  const begin = performance.now(), frames = studio.counts.frames, slices = studio.counts.slices;
  let n = 0;
  const step = () => {
    n++;
    send('pointermove', b.left + b.width * (0.5 + 0.2 * Math.sin(n / 6)));
    const s = (performance.now() - begin) / 1000;
    if (s < DRAG_S) { requestAnimationFrame(step); return; }
    send('pointerup', b.left + b.width / 2);
    done([(studio.counts.frames - frames) / s, (studio.counts.slices - slices) / 3 / s, n / s]);
  };
  send('pointerdown', b.left + b.width / 2);
  requestAnimationFrame(step);
})""".replace("DRAG_S", str(DRAG_S))


def make_scan(path: Path, n: int) -> None:
    """Write the scan plane by plane."""
    values = np.lib.format.open_memmap(path, "w+", "u1", (n, n, n))
    at = np.linspace(0, 14 * np.pi, n)
    y, x = np.meshgrid(at, at, indexing="ij")
    inside = (x - 7 * np.pi) ** 2 + (y - 7 * np.pi) ** 2 < (6.6 * np.pi) ** 2
    for plane, z in enumerate(at):
        wave = np.sin(x) * np.cos(y) + np.sin(y) * np.cos(z) + np.sin(z) * np.cos(x)
        values[plane] = np.where(inside, np.clip(128 + 80 * wave, 0, 255), 20)
    values.flush()


def waited(page: browser.Page, script: str) -> float:
    begin = time.perf_counter()
    page.wait_for(script)
    return time.perf_counter() - begin


def measure(n: int) -> dict:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_scan(folder / "scan.npy", n)
        (folder / "scan.toml").write_text(JOB)
        with studio.studio(folder, "scan.toml", binary=BINARY) as served, browser.browser(time_out=600) as page:
            page.size(1400, 900)
            page.open("about:blank")
            begin = time.perf_counter()
            page.open(served.address)
            page.wait_for(DRAWN)
            slices = time.perf_counter() - begin
            page.wait_for(READY)
            all_views = time.perf_counter() - begin
            settled = "!studio.isBusy() && studio.checked.value?.digest === studio.job.value?.digest"
            checked = waited(page, settled)
            page.value("new Promise(done => setTimeout(() => done(1), 1500))")
            # The threshold moves back and forth in each frame of the browser.
            drag = page.value(DRAG)
            page.wait_for(settled)
            page.click("[data-tool=disc]")
            page.click("[data-tool=set]")
            x, y = page.centre("canvas.gl")
            clicks = []
            for number in range(1, 4):
                page.drag((x + 8 * number, y + 12), (x + 8 * number, y + 12))
                clicks.append(waited(page, f"studio.job.value.data.set?.length === {number}"))
            nodes = waited(page, settled)
            return {
                "edge": n,
                "slices_s": slices,
                "all_views_s": all_views,
                "checked_s": all_views + checked,
                "frames_3d_per_s": drag[0],
                "frames_slices_per_s": drag[1],
                "frames_browser_per_s": drag[2],
                "click_to_set_s": sorted(clicks)[1],
                "click_to_nodes_s": nodes,
            }


def demo(scan: Path) -> dict:
    """Follow the tutorial with the bone scan: open the scan, enter spacing and material, run the job, show the
    report."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(scan, folder / "bone.tif")
        with studio.studio(folder, "bone.tif", binary=BINARY) as served, browser.browser(time_out=600) as page:
            page.size(1400, 900)
            settled = "!studio.isBusy() && studio.checked.value?.digest === studio.job.value?.digest"
            begin = time.perf_counter()
            page.open(served.address)
            page.wait_for(READY)
            for key, value in (
                ("spacing", "0.02"),
                ("material.0.youngs_modulus_MPa", "6829"),
                ("material.0.poisson_ratio", "0.3"),
            ):
                page.type(f"[data-key='{key}']", value)
                page.wait_for(settled)
            ready = time.perf_counter() - begin
            page.click("#run")
            page.wait_for("['done', 'failed'].includes(document.querySelector('[data-run]')?.dataset.state)")
            page.click("[data-key='results 1']")
            page.wait_for("!!document.querySelector('#results iframe')")
            whole = time.perf_counter() - begin
            state = page.value("document.querySelector('[data-run]').dataset.state")
            return {"demo_state": state, "demo_until_it_can_run_s": ready, "demo_until_the_report_s": whole}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[512], help="edges of the scans; 0: none")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    if why := browser.why_not() or studio.why_not():
        print(f"cannot be measured: {why}", file=sys.stderr)
        return 5
    answer: dict = {"schema": "osteon.bench.studio/1", "scans": [measure(n) for n in given.sizes if n > 0]}
    if SCAN.exists():
        answer["demo"] = demo(SCAN)
        for key, value in answer["demo"].items():
            print(f"{key.replace('_', ' '):<28} {value if isinstance(value, str) else f'{value:.3g}'}")
    for one in answer["scans"]:
        for key, value in one.items():
            print(f"{key.replace('_', ' '):<24} {value:.3g}")
    if given.json:
        given.json.write_text(json.dumps(answer, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
