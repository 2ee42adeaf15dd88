"""Tests of the keys of `summary.json` that only scripts of earlier versions read. The table of docs/reference/json.md
is compared with whole jobs."""

from __future__ import annotations

import re

import numpy as np
from whole_job import ROOT, Job, job_text

FACE = '[[boundary]]\nface = "z_low"\ntemperature_K = 310.0\n'
WARM = "[[material]]\nconductivity_W_per_mK = 0.5\nheat_capacity_J_per_m3K = 2e6\n"
STEPS = "[transient]\ninitial_K = 290.0\nend_s = 1.0\nstep_s = 0.5\n"


def reported() -> str:
    return (ROOT / "docs" / "reference" / "json.md").read_text().split("## Older keys", 1)[1]


def summary_of(job: Job, text: str) -> dict:
    np.save(job.folder / "block.npy", np.full((4, 3, 3), 9, np.uint8))
    job.write(text)
    done = job.run("-n", "1", "--no-report")
    assert done.code == 0, done.err
    return done.summary


def with_low_line(by_face: dict) -> dict:
    return {face.replace("-", "_"): value for face, value in by_face.items()}


def test_older_keys_have_the_values_of_present_keys(job: Job) -> None:
    """Oracle: the current key of the same summary. Every older key is in the table."""
    text = job_text("block.npy", more='[segment]\nthreshold = 1\n[load]\ntest = "homogenise"\n')
    found = summary_of(job, text)
    for place in (found["homogenisation"], found["load"]):
        assert place["boundary"] == place["boundary_condition"]

    heat = f'physics = "heat"\n[image]\npath = "block.npy"\nspacing_mm = 0.5\n[segment]\nthreshold = 1\n{WARM}[picture]\nenabled = false\n'
    load = summary_of(job, heat + '[load]\ntest = "conductivity_tensor"\n')["load"]
    assert load["surroundings"] == load["boundary_condition"]

    found = summary_of(job, heat + '[load]\ntest = "heat_transfer"\n' + FACE + STEPS)
    assert "z-low" in found["heat_inflow_W"] and with_low_line(found["heat_inflow_W"]) == found["face_inflow_W"]
    steps = found["history"]
    older, now = (steps[key] for key in ("inflow_W", "face_inflow_W"))
    assert with_low_line(older) == now if isinstance(older, dict) else [with_low_line(o) for o in older] == now

    for key in ("heat_inflow_W", "history.inflow_W", "boundary", "load.surroundings"):
        assert f"`{key}`" in reported(), key


def test_older_keys_end_with_the_documented_version() -> None:
    """Oracle: the version of CMakeLists.txt. From that version on, keys and table must be removed."""
    since, gone = (
        tuple(map(int, v.split(".")))
        for v in re.findall(
            r"before version ([\d.]+\d), osteon[^.]*\. Version ([\d.]+\d) will not contain", reported()
        )[0]
    )
    version = re.search(r"project\(osteon VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())
    assert version
    assert tuple(map(int, version[1].split("."))) < gone
    assert since < gone
