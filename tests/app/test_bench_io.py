"""The measured program of bench/io.py runs and counts correctly."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from whole_job import BINARY, ROOT


# Oracle: determined by hand. A box of 4 x 5 x 6 voxels has 5 * 6 * 7 nodes. Its text has one line per element and node.
def test_io_bench_reports_its_measurements(tmp_path: Path) -> None:
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


# Oracle: values computed by hand for a model of the size of the jaw. Text needs its CPU time. netCDF needs 1/512 of the
# CPU time, and the time for its bytes at 1 GB/s.
def test_io_study_scales_files_and_no_solver(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "path", [str(ROOT / "bench"), *sys.path])
    from _io_study import JAW_ELEMENTS, JAW_NODES, JAW_SHAPE, jaw_files, print_study

    def row(operation: str, way: str, cpu_seconds: float, size: float) -> dict:
        return {"operation": operation, "way": way, "cpu_seconds": cpu_seconds, "bytes": size}

    result = {
        "shape": JAW_SHAPE,
        "elements": JAW_ELEMENTS,
        "nodes": JAW_NODES,
        "rows": [
            row("read model", "text, scanf, root scatters", 10.0, 0),
            row("write result", "text, printf, one after the other", 50.0, 0),
            row("read model", "netCDF, deflate", 51.2, 1e8),
            row("write result", "netCDF, deflate", 512.0, 1e9),
        ],
    }
    assert jaw_files(result) == pytest.approx({"serial text": 60.0, "netCDF, deflate": 0.1 + 0.1 + 1.0 + 1.0})
    print_study(result)
    assert "solving" not in capsys.readouterr().out


# Oracle: the names of the modes. All ranks reject unknown names with one message.
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
