"""The measured programs run and count the measured quantities."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from whole_job import ROOT

PROGRAM = ROOT / "build" / "release" / "src" / "osteon" / "bench" / "osteon_bench_kernel"


# Oracle: determined by hand. A full box of 4 x 5 x 6 voxels next to empty space has 5 * 6 * 7 nodes, and one run per
# (z, y).
def test_kernel_bench_reports_its_measurements(tmp_path: Path) -> None:
    if not PROGRAM.exists():
        pytest.skip(f"{PROGRAM} is not built")
    scan = np.zeros((4, 5, 9), np.uint8)
    scan[:, :, :6] = 200
    np.save(tmp_path / "box.npy", scan)
    done = subprocess.run(
        [str(PROGRAM), "2", str(tmp_path / "box.npy")], capture_output=True, text=True, timeout=60, check=True
    )
    result = json.loads(done.stdout)
    assert all(bandwidth > 0 for bandwidth in result["triad_GB_per_s"])
    assert {(row["materials"], row["precision"]) for row in result["rows"]} == {
        (materials, precision) for materials in ("one", "by grey value") for precision in ("double", "float")
    }
    for row in result["rows"]:
        assert (row["elements"], row["dofs"], row["runs"]) == (120, 630, 20)
        assert row["ns_per_dof"] > 0
