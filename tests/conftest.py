"""What all Python tests share: they may run several at once, so those who wait leave the cores to those who work. And jobs."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
import pytest
from whole_job import BINARY, SCAN, Job

# Open MPI and OpenMP poll while they wait, which would take the time of the tests beside. Programs that measure set
# their own.
os.environ.setdefault("OMPI_MCA_mpi_yield_when_idle", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

# `nohup ./run test &` starts with SIGINT ignored, which programs inherit: tests of interrupts need the usual action.
signal.signal(signal.SIGINT, signal.default_int_handler)


LONG = Path(__file__).parent / "long_tests.txt"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The tests of long_tests.txt are marked `long`."""
    names = [line for line in LONG.read_text().splitlines() if line and not line.startswith("#")]
    found = set()
    for item in items:
        for name in names:
            if item.nodeid.startswith(name):
                found.add(name)
                item.add_marker(pytest.mark.long)
    is_all = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    if is_all and (gone := [name for name in names if name not in found]):
        raise pytest.UsageError(f"{LONG.name} names tests that are not there: {', '.join(gone)}")


@pytest.fixture
def job(tmp_path: Path) -> Job:
    if not BINARY.exists():
        pytest.skip(f"{BINARY} is not built")
    return Job(tmp_path)


@pytest.fixture
def sponge(tmp_path: Path) -> Path:
    """A small two-phase image whose solid joins all faces, shape (18, 15, 14), grey 10 and 200."""
    rng = np.random.default_rng(5)
    solid = rng.random((18, 15, 14)) < 0.75
    path = tmp_path / "sponge.npy"
    np.save(path, np.where(solid, 200, 10).astype(np.uint8))
    return path


@pytest.fixture(scope="session")
def scan() -> Path:
    """The bone scan of the demo, which `./run test` fetches."""
    if not SCAN.exists():
        pytest.skip("the bone scan is not here (the package that holds it could not be had)")
    return SCAN
