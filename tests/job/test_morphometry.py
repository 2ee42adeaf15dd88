"""The shape of a solid: the command, the key of a job, and the function."""

from __future__ import annotations

import json
import subprocess

import numpy as np
import pytest
from whole_job import BINARY, ROOT, Job, follows_schema, job_text
from whole_job import osteon as command

import osteon


def rods() -> np.ndarray:
    """Rods of 4 x 4 voxels along all axes, through whose middles they cross: a frame with tunnels."""
    thick = np.zeros(24, bool)
    thick[[4, 5, 6, 7, 16, 17, 18, 19]] = True
    z, y, x = thick[:, None, None], thick[None, :, None], thick[None, None, :]
    return (y & x) | (z & x) | (z & y)


def test_ranks_and_threads_measure_the_same_bytes(job: Job) -> None:
    """Oracle: the other number of ranks; numbers of the frame by hand."""
    np.save(job.folder / "frame.npy", rods().astype("u1"))
    job.write(job_text("frame.npy", more="[segment]\nthreshold = 0.5\n"))
    alone = job.run("--json", "-", command="morphometry")
    assert alone.code == 0, alone.err
    told = json.loads(alone.out)
    follows_schema(told, "morphometry")
    words = ["sh", str(ROOT / "tools" / "mpirun.sh"), "3", str(BINARY), "morphometry", "job.toml", "--json", "-"]
    three = subprocess.run(words, cwd=job.folder, capture_output=True, text=True, timeout=120, check=True)
    assert three.stdout == alone.out
    # 12 rods through 24 voxels; at each of 8 crossings three share a cube.
    assert told["BV_TV"] == pytest.approx((12 * 16 * 24 - 8 * 2 * 64) / 24**3)
    assert told["euler"] == 8 - 12  # crossings less the rods between them, of which the ends are free
    assert told["Tb_Th_mm"]["median"] == pytest.approx(4 * 0.02, rel=0.2)
    assert told["fabric"]["DA"] == pytest.approx(1, abs=1e-9)


def test_a_run_measures_too(job: Job) -> None:
    """Oracle: the command."""
    np.save(job.folder / "frame.npy", rods().astype("u1"))
    text = job_text("frame.npy", more="[segment]\nthreshold = 0.5\n[output]\nmorphometry = true\n")
    job.write(text)
    done = job.run("-n", "2", "--set", "picture.enabled=false")
    assert done.code == 0, done.err
    told = done.summary["morphometry"]
    assert told["phase"] == "solid" and "Tb.Th, thickness by inscribed balls" in done.out
    assert "Conn.D, (1 - Euler number)/TV" in (done.folder / "report.html").read_text()
    alone = job.run("--json", "-", command="morphometry")
    assert told == {key: value for key, value in json.loads(alone.out).items() if key in told}


def test_the_function_has_the_units_in_its_keys() -> None:
    told = osteon.morphometry(rods(), spacing_mm=0.1)
    assert told["Tb_Th_mm"]["median"] == pytest.approx(0.4, rel=0.2) and told["euler"] == -4
    with pytest.raises(osteon.DataError, match="every voxel of the image is solid"):
        osteon.morphometry(np.ones((4, 4, 4), bool), spacing_mm=0.1)


def test_the_command_has_help() -> None:
    assert "docs/morphometry.md" in command("morphometry", "--help").stdout
