"""Tests of a physics that is defined only by its own entry. The physics passes through the whole pipeline: checks,
estimate, run, table, report and schema."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from osteon.report.page import page_of
from whole_job import BINARY, ROOT

PROGRAM = BINARY.parents[2] / "tests" / "osteon_toy_physics"
JOB = """name = "toy"
physics = "census"
[image]
path = "sponge.npy"
spacing_mm = [0.5, 0.2, 0.1]
[segment]
keep = "all"
[picture]
width = 64
height = 64
[census]
weight = 3
"""


def toy(folder: Path, task: str, text: str = JOB, ranks: int = 1) -> subprocess.CompletedProcess:
    if not PROGRAM.exists():
        pytest.skip(f"{PROGRAM} is not built")
    (folder / "job.toml").write_text(text)
    launcher = [str(ROOT / "tools" / "mpirun.sh"), str(ranks)] if ranks > 1 else []
    return subprocess.run(
        [*launcher, str(PROGRAM), task, "job.toml"],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=folder,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        check=False,
    )


@pytest.mark.parametrize("ranks", [1, 2])
def test_it_runs_and_its_answers_are_shown(tmp_path: Path, sponge: Path, ranks: int) -> None:
    """Oracle: the number of solid voxels counted by numpy."""
    voxels = int((np.load(sponge) > 100).sum())
    done = toy(tmp_path, "run", ranks=ranks)
    assert done.returncode == 0, done.stderr
    out = tmp_path / "toy.out"
    summary = json.loads((out / "summary.json").read_text())
    assert summary["elements"] == voxels
    assert summary["count"] == {"weighted": 3 * voxels}
    assert summary["solid_mm3"] == pytest.approx(voxels * 0.01)
    assert [a["key"] for a in summary["answers"]] == ["count.weighted", "solid_mm3"]
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["voxels,", "weighted", str(3 * voxels)] in lines
    assert ["volume", "of", "the", "solid", f"{voxels * 0.01:.6g}", "mm3"] in lines
    page = page_of(out)
    for words in (
        *("Voxels, weighted", "Each as often as its weight says.", "Volume of the solid", "mm³", "All voxels, counted"),
        *("The voxels", "height above the lowest voxel"),
    ):
        assert words in page, words


def test_it_is_checked_and_estimated(tmp_path: Path, sponge: Path) -> None:
    voxels = int((np.load(sponge) > 100).sum())
    done = toy(tmp_path, "estimate")
    assert done.returncode == 0, done.stderr
    assert f"unknowns          {voxels:>14}  counted" in done.stdout
    for wrong, words in (
        (JOB.replace("weight = 3", "weight = -1"), "census.weight: -1 must be > 0"),
        (JOB.replace("weight", "wieght"), "did you mean 'weight'?"),
        (JOB.replace('"census"', '"headcount"'), "did you mean 'census'?"),
        (JOB + "[[support]]\non = 'z_low'\nfix = 'zyx'\n", 'support: belongs to physics = "elasticity"'),
        (JOB + "[transient]\nend_s = 1\n", 'transient: belongs to physics = "heat"'),
        (JOB.replace("[picture]", "connectivity = 7\n[picture]"), "7 must be 6"),
    ):
        done = toy(tmp_path, "check", wrong)
        assert done.returncode == 2 and words in done.stderr, done.stderr


def test_keys_renew_the_model_according_to_their_use(tmp_path: Path, sponge: Path) -> None:
    """Oracle: the time stamp of the model file, which is the time stamp of an earlier or a later run."""

    def time_of_model(change: str) -> int:
        done = toy(tmp_path, "run", JOB.replace("weight = 3", change))
        assert done.returncode == 0, done.stderr
        return (tmp_path / "toy.out" / "model.nc").stat().st_mtime_ns

    first = time_of_model("weight = 3")
    assert time_of_model("weight = 4") == first
    assert time_of_model("weight = 3\nedition = 2") > first


def test_its_keys_are_in_the_schema(tmp_path: Path) -> None:
    schema = json.loads(toy(tmp_path, "schema").stdout)
    assert schema["properties"]["physics"]["enum"] == ["elasticity", "heat", "thermo_elasticity", "census"]
    assert "census: how many voxels there are" in schema["properties"]["physics"]["description"]
    weight = schema["properties"]["census"]["properties"]["weight"]
    assert weight == {
        "type": "number",
        "description": "What each voxel counts, > 0.",
        "exclusiveMinimum": 0.0,
        "default": 1.0,
    }
