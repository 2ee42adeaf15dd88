"""Tests of ranks and estimates within the limits of a container. The limits are in the files of a simulated system
(OSTEON_SYSTEM_ROOT)."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from whole_job import Job, job_text


def container(root: Path, cores: str, memory: str, used: str = "0") -> dict[str, str]:
    (root / "proc/self").mkdir(parents=True, exist_ok=True)
    (root / "sys/fs/cgroup").mkdir(parents=True, exist_ok=True)
    (root / "proc/self/cgroup").write_text("0::/\n")
    (root / "proc/self/mountinfo").write_text("30 23 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")
    (root / "sys/fs/cgroup/cpu.max").write_text(cores)
    (root / "sys/fs/cgroup/memory.max").write_text(memory)
    (root / "sys/fs/cgroup/memory.current").write_text(used)
    return {"OSTEON_SYSTEM_ROOT": str(root)}


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="a quota is no limit on one core")
def test_ranks_within_a_quota(job: Job, sponge: Path, tmp_path: Path) -> None:
    """Oracle: one rank for a quota of 1.5 cores, and two ranks if two are requested."""
    job.write(job_text(sponge, "heat").replace("[picture]", "[picture]\nenabled = false"))
    job.environment = container(tmp_path / "root", "150000 100000", "max")
    done = job.run("--no-report")
    assert done.code == 0, done.err
    assert done.summary["ranks"] == 1
    assert "the container allows 1.5 of" in done.err
    assert job.run("--no-report", "-n", "2").summary["ranks"] == 2
    estimated = job.run("--quick", "--json", "-", command="estimate")
    assert json.loads(estimated.out)["ranks"] == 1


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one rank in any case")
def test_ranks_within_the_memory(job: Job, sponge: Path, tmp_path: Path) -> None:
    """Oracle: a process uses 36 MB before it reads any data, so that 100 MB suffice for one process."""
    job.write(job_text(sponge, "heat").replace("[picture]", "[picture]\nenabled = false"))
    job.environment = container(tmp_path / "root", "max 100000", "100000000")
    assert job.run("--no-report").summary["ranks"] == 1


def test_an_estimate_beyond_the_memory(job: Job, sponge: Path, tmp_path: Path) -> None:
    """Oracle: 10 MB, of which 5 MB are in use, are less than the minimum of any job."""
    job.write(job_text(sponge, "heat"))
    job.environment = container(tmp_path / "root", "max 100000", "10000000", "5000000")
    done = job.run("--quick", "-n", "1", command="estimate")
    assert done.code == 0, done.err
    assert "the container has 0.005 GB left" in done.err
    job.environment = container(tmp_path / "root", "max 100000", "max")
    assert "but the container has" not in job.run("--quick", "-n", "1", command="estimate").err
