"""Settings and fixtures of all Python tests. Tests may run in parallel, so that waiting processes yield their cores to
computing processes."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from warm_python import warm_python
from whole_job import BINARY, SCAN, Job, job_text, sponge_in

# Open MPI and OpenMP poll while they wait. Polling would take time from parallel tests. Benchmark programs set their
# own values.
os.environ.setdefault("OMPI_MCA_mpi_yield_when_idle", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

# `nohup ./run test &` starts with SIGINT ignored, and child processes inherit this setting. Tests of interrupts need
# the default action.
signal.signal(signal.SIGINT, signal.default_int_handler)


LONG = Path(__file__).parent / "long_tests.txt"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests of long_tests.txt as `long`."""
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


@pytest.fixture(scope="session", autouse=True)
def python_of_jobs() -> Iterator[None]:
    """Read the images of jobs in forks of one interpreter."""
    with warm_python():
        yield


@pytest.fixture
def fresh_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the program start an interpreter for each image, so that a child process contains the memory of the
    reader."""
    monkeypatch.setenv("OSTEON_PYTHON", os.environ.get("OSTEON_TEST_PYTHON", sys.executable))


def job_in(folder: Path) -> Job:
    if not BINARY.exists():
        pytest.skip(f"{BINARY} is not built")
    return Job(folder)


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return job_in(tmp_path)


@pytest.fixture(scope="module")
def shared_job(tmp_path_factory: pytest.TempPathFactory) -> Job:
    """A job that a module fixture runs once. Tests only read the results of this job."""
    return job_in(tmp_path_factory.mktemp("shared"))


@pytest.fixture
def sponge(tmp_path: Path) -> Path:
    return sponge_in(tmp_path)


@pytest.fixture(scope="session")
def solved_sponge(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Elasticity results of the sponge. Tests only read these results."""
    made = job_in(tmp_path_factory.mktemp("solved_sponge"))
    made.write(job_text(sponge_in(made.folder)) + "enabled = false\n")
    done = made.run("-n", "1", "--no-report")
    assert done.code == 0, done.err
    return done.folder / "results.nc"


@pytest.fixture(scope="session")
def scan() -> Path:
    """The bone scan of the demo, downloaded by `./run test`."""
    if not SCAN.exists():
        pytest.skip("the bone scan is not here (the package that holds it could not be had)")
    return SCAN
