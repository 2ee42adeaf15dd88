"""`osteon bench flow` starts its ranks and reports correct values for an image."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from whole_job import BINARY


# Oracle: plates at a distance of g voxels have (g^2 + 2) / 12 of the open area, to the tolerance of the solver
# (docs/reference/flow.md).
@pytest.mark.parametrize("ranks", [1, 2])
def test_plates(tmp_path: Path, ranks: int) -> None:
    solid = np.ones((8, 8, 8), np.uint8)
    solid[:, 1:6, :] = 0
    np.save(tmp_path / "plates.npy", solid)
    answer = tmp_path / "answer.json"
    words = (
        f"--image {tmp_path / 'plates.npy'} -n {ranks} --repeat 1 --along zx --tolerance 1e-8 --json {answer}".split()
    )
    done = subprocess.run([BINARY, "bench", "flow", *words], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(answer.read_text())["rows"]
    assert row["fluid_voxels"] == 5 * 64
    assert [d["along"] for d in row["directions"]] == ["z", "x"]
    for direction in row["directions"]:
        assert direction["permeability_voxel2"] == pytest.approx(27 / 12 * 5 / 8, rel=1e-7)
    assert "plates.npy" in done.stdout
