"""Tests of runs and results in the studio, in a headless Chromium, with the program as back end."""

import json
import subprocess

import browser
import numpy as np
import pytest
import studio
from studio_page import (
    EDGE,
    MISSING,
    RUN,
    data,
    in_a_terminal,
    keep_picture,
    numbers,
    opened,
    settle,
    state,
    verdict,
    write_job,
)
from whole_job import BINARY

pytestmark = pytest.mark.skipif(bool(MISSING), reason=MISSING)


@pytest.fixture(scope="module")
def tab():
    with browser.browser() as page:
        yield page


def test_from_a_scan_to_a_finished_run_by_pointer_and_keys(tab, tmp_path):
    """Oracle: the file that the page wrote, run in a terminal. The numbers are equal in all digits."""
    folder = tmp_path
    np.save(folder / "bone.npy", studio.small_bone(EDGE))
    with studio.studio(folder, "bone.npy", binary=BINARY) as served:
        page = opened(tab, served.address)
        assert "the job cannot run" in verdict(page)
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
        assert "the job can run" in verdict(page)
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


def test_a_reload_a_stop_a_killed_studio_and_on(tab, tmp_path):
    """Oracle: the same job in a terminal without interruption. The earlier output of the run is present after each
    reload."""
    folder = write_job(tmp_path, 144, "\n[solve]\ntolerance = 1e-11\n\n[run]\nranks = 1\nthreads = 1\n")
    has_begun = "(studio.runLines.get(1) || []).filter(l => l.kind === 'progress' && l.iteration > 1).length > 0"
    served = studio.start(folder, "bone.toml", binary=BINARY)
    try:
        page = opened(tab, served.address)
        page.click("#run")
        page.wait_for(has_begun)
        assert state(page, 1) == "running"
        page.click("[data-key='stop 1']")
        page.wait_for("['stopped', 'done'].includes(studio.runs.value.runs[0].state)")
        assert state(page, 1) == "stopped" and "Resume" in page.value(f"{RUN}.textContent")
        assert not (folder / "bone.run1.out" / "results.nc").exists()
        served.process.kill()
        served.process.wait()
        page.wait_for("document.querySelector('#status').textContent.includes('does not respond')")
        studio.stop(served)
        served = studio.start(folder, "bone.toml", binary=BINARY)
        page = opened(tab, served.address)
        assert state(page, 1) == "stopped"
        page.wait_for(has_begun)
        page.click("[data-key='resume 1']")
        page.wait_for("['running', 'done'].includes(studio.runs.value.runs[0].state)")
        page = opened(tab, served.address)  # a reload
        page.wait_for(has_begun)
        assert state(page, 1) in ("running", "done")
        served.process.kill()  # the studio is killed during the run, and the run continues
        served.process.wait()
        studio.stop(served)
        served = studio.start(folder, "bone.toml", binary=BINARY)
        page = opened(tab, served.address)
        page.wait_for("['done', 'failed'].includes(studio.runs.value.runs[0].state)")
        assert state(page, 1) == "done"
        there = json.loads((folder / "bone.run1.out" / "summary.json").read_text())
        here = in_a_terminal(folder, "bone.toml")
        assert there["stiffness_N_per_mm"] == pytest.approx(here["stiffness_N_per_mm"], rel=1e-9)
        assert page.value("studio.runLines.get(1).some(l => (l.text || '').includes('resumed'))")
    finally:
        studio.stop(served)


def test_results_are_opened_as_a_folder(tab, tmp_path):
    """Oracle: the stiffness of the file in the displayed report. All files are offered."""
    folder = write_job(tmp_path, 24)
    done = subprocess.run([str(BINARY), "run", "bone.toml"], cwd=folder, capture_output=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr
    with studio.studio(folder, "bone.out", binary=BINARY) as served:
        tab.size(1400, 900)
        tab.complaints.clear()
        tab.open(served.address)
        tab.wait_for("document.body?.dataset.ready === 'yes' && !document.querySelector('#results').hidden")
        tab.wait_for("!!document.querySelector('#results iframe')")
        # the page has no builder
        assert tab.value("getComputedStyle(document.querySelector('#build')).display") == "none"
        report = tab.value(
            "fetch(document.querySelector('#results iframe').src).then(r => r.text()).then(t => t.length)"
        )
        assert report > 100_000
        keep_picture(tab, "studio_results")
        tab.click("[data-key='tab export']")
        files = tab.value("[...document.querySelectorAll('#results .links a')].map(a => a.download)")
        assert {"results.nc", "summary.json", "report.html", "picture.png"} <= set(files)
        assert tab.complaints == []
