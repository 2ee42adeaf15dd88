"""Tests of modules that are compiled for several processor levels. The dynamic loader selects the best level."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(*command: str | Path, timeout: float = 300) -> str:
    done = subprocess.run([str(w) for w in command], capture_output=True, text=True, timeout=timeout, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("levels")
    run(
        "cmake",
        *("-S", ROOT / "tests/packaging/levels", "-B", folder, "-G", "Ninja"),
        *(f"-DOSTEON_SOURCE={ROOT}", "-DOSTEON_ARCH=x86-64-v2", "-DOSTEON_HWCAPS=x86-64-v3;x86-64-v4"),
    )
    run("cmake", "--build", folder, "--target", "levels")
    return folder / "levels"


def best_level() -> int:
    flags = Path("/proc/cpuinfo").read_text().split("flags", 1)[1].splitlines()[0].split()
    if {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"} <= set(flags):
        return 4
    return 3 if {"avx2", "bmi1", "bmi2", "fma", "f16c", "movbe", "abm"} <= set(flags) else 2


def test_the_loader_takes_the_level_of_the_processor(program: Path) -> None:
    """Oracle: the flags of /proc/cpuinfo. The program with its inline functions, and all modules without computation,
    remain at x86-64-v2."""
    level = best_level()
    assert run(program).split() == ["2", "2", str(level), str(level)]


def test_an_older_processor_gets_the_oldest_level(program: Path) -> None:
    """Oracle: Nehalem of qemu, which has x86-64-v2 and no AVX."""
    if shutil.which("qemu-x86_64") is None:
        pytest.skip("qemu-x86_64 is not installed (Debian: qemu-user)")
    assert run("qemu-x86_64", "-cpu", "Nehalem", program).split() == ["2", "2", "2", "2"]
