"""IceT and osteon in one program."""

from __future__ import annotations

import json
import subprocess

import pytest
from whole_job import BINARY, ROOT


def test_the_bench_beside_icet_composites_the_same_images() -> None:
    """Oracle: binary swap of two ranks. In any implementation, each rank sends a half. One rank then sends the other
    half of the picture."""
    program = BINARY.parents[2] / "studies" / "compositing" / "osteon_bench_icet"
    if not program.exists():
        pytest.skip("IceT is not installed (Debian: paraview and paraview-dev)")
    done = subprocess.run(
        [ROOT / "tools" / "mpirun.sh", "2", program, "64x32", "rgba8", "1", "0", "icet:bswap", "binary-swap"],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    theirs, ours = json.loads(done.stdout)["rows"]
    size = 64 * 32 * 4
    assert ours["most_bytes"] == size
    assert size <= theirs["most_bytes"] < 1.02 * size
    assert 0.4 < ours["error"] <= 0.51 < theirs["error"] <= 1.1
