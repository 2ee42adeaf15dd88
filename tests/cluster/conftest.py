"""The Slurm cluster of the tests, and jobs in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from slurm_cluster import SlurmCluster, why_not
from slurm_job import SlurmJob


@pytest.fixture(scope="session")
def slurm() -> Iterator[SlurmCluster]:
    """A cluster of three hosts. Tests share it and must leave its hosts idle."""
    if reason := why_not():
        pytest.skip(reason)
    with SlurmCluster(hosts=3) as cluster:
        yield cluster


@pytest.fixture
def slurm_job(slurm: SlurmCluster, tmp_path: Path) -> Iterator[SlurmJob]:
    job = SlurmJob(slurm, tmp_path)
    yield job
    job.cancel_all()
