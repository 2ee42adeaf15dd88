"""The measured program of bench/io.py runs, and what it counts is right."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from whole_job import BINARY, ROOT


# Oracle: hand; a box of 4 x 5 x 6 voxels has 5 * 6 * 7 nodes, its text a line for each element and node.
def test_io_bench_says_what_it_measured(tmp_path: Path) -> None:
    scan = np.zeros((4, 5, 9), np.uint8)
    scan[:, :, :6] = 200
    np.save(tmp_path / "box.npy", scan)
    done = subprocess.run(
        [BINARY, "bench", "io", "-n2", "--image", tmp_path / "box.npy", "--folder", tmp_path, "--repeat=1", "--json=-"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    result = json.loads(done.stdout)
    assert (result["elements"], result["nodes"], result["raw_bytes"]) == (120, 210, 4 * 5 * 9 + 12 * 5 * 6 * 10)
    rows = {(row["operation"], row["way"]): row for row in result["rows"]}
    assert all(row["cpu_seconds"] > 0 for row in rows.values())
    assert rows["write result", "raw MPI-IO"]["bytes"] == result["raw_bytes"]
    assert [path.name for path in tmp_path.iterdir()] == ["box.npy"]


# Oracle: the name of the folder in the message.
def test_io_bench_refuses_a_folder_it_cannot_use(tmp_path: Path) -> None:
    done = subprocess.run(
        [BINARY, "bench", "io", "--size", "8", "--folder", tmp_path / "missing"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 5
    assert "missing" in done.stderr
    assert "--folder" in done.stderr


# Oracle: [Johnson2012]'s own numbers, 22 times as fast with serial text, and 148 s of it in one process's 3.7 thousand.
def test_io_study_reproduces_the_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(ROOT / "bench"), *sys.path])
    from _io_study import paper_runs

    serial, parallel = paper_runs()
    assert serial.speedup == pytest.approx(22)
    assert serial.alone == pytest.approx(3689, abs=1)
    assert 90 < parallel.speedup < 180


# Oracle: the names of the ways; words that none has are refused by all ranks, with one message.
def test_io_bench_measures_the_ways_that_are_asked_for(tmp_path: Path) -> None:
    def ways(*only: str) -> subprocess.CompletedProcess[str]:
        words = ["--size=8", "--repeat=1", "--json=-", "--folder", tmp_path, *(f"--only={words}" for words in only)]
        return subprocess.run([BINARY, "bench", "io", *words], capture_output=True, text=True, timeout=60, check=False)

    done = ways("write result, raw")
    assert [row["way"] for row in json.loads(done.stdout)["rows"]] == ["raw MPI-IO", "raw MPI-IO, synced"], done.stderr
    done = ways("synced", "result, netCDF, none")
    assert [row["way"] for row in json.loads(done.stdout)["rows"]] == ["raw MPI-IO, synced", "netCDF, none"], (
        done.stderr
    )
    refused = ways("raw", "zip")
    assert refused.returncode == 2
    assert refused.stderr.count("--only 'zip'") == 1
    assert not list(tmp_path.iterdir())
