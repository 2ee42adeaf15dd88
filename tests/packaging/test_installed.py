"""Tests of the result of `cmake --install`: a program that runs, and packages that a small CMake project finds and
links."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("OSTEON_BINARY", ROOT / "build/release/src/app/osteon")).parents[2]
CONSUMER = Path(__file__).parent / "consumer"


def run(*command: str | Path, **more: object) -> str:
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, timeout=300, check=False, **more
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("installed")
    run("cmake", "--install", BUILD, "--prefix", folder, "--strip")
    return folder


def test_the_installed_program_finds_its_python_half(prefix: Path, tmp_path: Path) -> None:
    """Oracle: a volume fraction of one half. PYTHONPATH contains no folder of the source tree."""
    import numpy as np

    image = np.zeros((6, 4, 4), np.uint8)
    image[:, :2] = 200
    np.save(tmp_path / "half.npy", image)
    (tmp_path / "half.toml").write_text(
        'name = "half"\nphysics = "heat"\n[image]\npath = "half.npy"\nspacing_mm = [0.1, 0.1, 0.1]\n'
        '[segment]\nthreshold = 100\n[[material]]\nname = "m"\nconductivity_W_per_mK = 2.0\n'
        '[load]\ntest = "conduction"\naxis = "z"\n'
    )
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "OSTEON_BINARY")}
    environment["OSTEON_PYTHON"] = sys.executable
    text = run(
        prefix / "bin/osteon", "import", "half.toml", "-o", "half.nc", "--json", "-", cwd=tmp_path, env=environment
    )
    assert json.loads(text)["segmentation"]["volume_fraction"] == 0.5


def test_a_foreign_project_links_the_modules_and_the_bridge(prefix: Path, tmp_path: Path) -> None:
    """Oracle: the force of a bar, the sum over ranks, and the exit code of a usage error (consumer/)."""
    moved = f"-DMOVED_HEADERS={ROOT}/cmake/moved_headers.txt"
    run("cmake", "-S", CONSUMER, "-B", tmp_path, "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_PREFIX_PATH={prefix}", moved)
    run("cmake", "--build", tmp_path)
    for program in ("bar", "bar_by_old_names"):
        assert "force 0.075" in run(tmp_path / program, env={**os.environ, "OMPI_MCA_ess_singleton_isolated": "1"})
    assert "exit code 2" in run(tmp_path / "joiner")
    over = ROOT / "bridge/tests/over.sh"
    for vendor in ("ompi4", "mpich4"):
        if (prefix / f"lib/osteon-bridge/lib/osteon_mpi_{vendor}.so").exists():
            assert "2 ranks, sum 1" in run(over, vendor, "2", tmp_path / "ring")


def test_an_install_lists_the_targets_that_are_not_built(tmp_path: Path) -> None:
    """Oracle: a configured build folder without libraries."""
    run("cmake", "-S", ROOT, "-B", tmp_path / "build", "-DOSTEON_TESTS=OFF", "-DOSTEON_MPI=OFF")
    text = run("cmake", "--install", tmp_path / "build", "--prefix", tmp_path / "prefix")
    (line,) = (line for line in text.splitlines() if "Not installed, because not built" in line)
    assert {"osteon_base", "osteon_plan", "osteon_kernel"} <= set(line.split())
    assert (tmp_path / "prefix/include/osteon/base/error.hpp").is_file()
    assert not list((tmp_path / "prefix").rglob("*.a"))
