"""Tests of many calls in one process. Memory, file descriptors and threads remain constant."""

import gc
import os
import threading
from pathlib import Path

import numpy as np
import pytest

import osteon

CALLS = int(os.environ.get("OSTEON_SOAK_CALLS", "100000"))
MASK = np.ones((10, 10, 10), bool)
MASK[3:7, 3:7, 3:7] = False


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def threads_of_system() -> int:
    return sum(1 for _ in Path("/proc/self/task").iterdir())


def descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def call() -> float:
    return osteon.stiffness(
        MASK, 0.05, youngs_modulus_MPa=1000.0, poisson_ratio=0.3, run={"threads": 1}
    ).stiffness_N_per_mm


@pytest.mark.parametrize("calls", [500, pytest.param(CALLS, id="many")])
def test_calls_leave_nothing_behind(calls):
    """Oracle: the values after the first tenth of the calls. Memory agrees to 1 MB, and descriptors and threads
    exactly."""
    from osteon.processes.native_module import native_module

    if native_module() is None:
        pytest.skip("osteon._native is not built")
    first = call()
    for _ in range(max(100, calls // 10)):
        call()
    gc.collect()
    before = resident_bytes(), descriptors(), threads_of_system(), threading.active_count()
    for _ in range(calls):
        assert call() == first
    gc.collect()
    after = resident_bytes(), descriptors(), threads_of_system(), threading.active_count()
    assert after[1:] == before[1:]
    assert after[0] - before[0] < 1e6, f"{(after[0] - before[0]) / calls:.1f} bytes a call"
