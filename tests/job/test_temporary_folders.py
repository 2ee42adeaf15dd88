"""Tests of temporary files of MPI. No temporary file remains in TMPDIR, however a run ends."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_stop import children, wait_until_gone
from whole_job import BINARY, ROOT, Job, job_text

pytestmark = pytest.mark.skipif(not shutil.which("mpirun"), reason="Open MPI's mpirun is not installed")
SOLVE = """
import os, signal, sys, time
import numpy, osteon
osteon.stiffness(numpy.ones((6, 6, 6), bool), 0.05, youngs_modulus_MPa=1.0, poisson_ratio=0.3)
print(os.environ.get("TMPDIR"), flush=True)
os.kill(os.getpid(), int(sys.argv[1]))
"""


@pytest.fixture
def tmpdir_of_job(job: Job) -> Iterator[Path]:
    """The name is short. A longer name might leave no space for a further folder in socket addresses."""
    with tempfile.TemporaryDirectory(prefix="t", dir="/tmp") as folder:
        job.environment = {"TMPDIR": folder}
        yield Path(folder)


def kill_tree(process: subprocess.Popen[bytes]) -> None:
    for pid in [process.pid, *children(process.pid)]:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)


ENDS = {
    "all processes are killed": kill_tree,
    "the first process is killed": subprocess.Popen.kill,
    "SIGTERM": subprocess.Popen.terminate,
    "SIGINT": lambda process: process.send_signal(signal.SIGINT),
    "SIGTERM twice": lambda process: (process.terminate(), time.sleep(0.3), process.terminate()),
}


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("end", ENDS)
def test_no_files_remain_after_kills_and_signals(
    job: Job, sponge: Path, tmpdir_of_job: Path, end: str, ranks: int
) -> None:
    """Oracle: runs are ended at random moments. TMPDIR is empty after a further run."""
    job.write(job_text(sponge, "heat").replace("[picture]", "[picture]\nenabled = false"))
    moments = random.Random(f"{end} {ranks}")
    for _ in range(3):
        process = subprocess.Popen(
            [str(BINARY), "run", "job.toml", "-n", str(ranks), "--no-report", "--force"],
            cwd=job.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **job.environment},
        )
        time.sleep(moments.uniform(0.05, 0.8))
        started = children(process.pid)
        ENDS[end](process)
        process.wait(60)
        wait_until_gone(started)
    done = job.run("-n", "2", "--no-report", "--force")
    assert done.code == 0, done.err
    assert list(tmpdir_of_job.rglob("*")) == []


def test_a_run_leaves_the_folder_of_another_run_alone(job: Job, sponge: Path, tmpdir_of_job: Path) -> None:
    """Oracle: the folder of a running launcher whose parent was killed is kept. The run after the end of this launcher
    removes the folder."""
    job.write(job_text(sponge, "heat").replace("[picture]", "[picture]\nenabled = false"))
    launcher = job.folder / "launcher"
    launcher.write_text(f'#!/bin/sh\necho "$TMPDIR" >"{job.folder}/seen"\nmpirun "$@"\nexec sleep 600\n')
    launcher.chmod(0o755)
    process = subprocess.Popen(
        [str(BINARY), "run", "job.toml", "-n", "2", "--no-report"],
        cwd=job.folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **job.environment, "OSTEON_MPIRUN": str(launcher)},
    )
    seen = job.folder / "seen"
    deadline = time.monotonic() + 60
    while not seen.exists() or not seen.read_text().strip():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    folder = Path(seen.read_text().strip())
    started = children(process.pid)
    process.kill()
    process.wait(60)
    assert folder.parent == tmpdir_of_job
    subprocess.run([BINARY, "run", "job.toml", "-n", "1", "--no-report", "--force", "-o", "other"], cwd=job.folder, env={**os.environ, **job.environment}, check=True, capture_output=True)  # fmt: skip
    assert (folder / "lock").exists()
    for pid in started:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)
    wait_until_gone(started)
    assert job.run("-n", "1", "--no-report", "--force").code == 0
    assert list(tmpdir_of_job.rglob("*")) == []


@pytest.mark.parametrize("number", [0, signal.SIGTERM, signal.SIGKILL])
def test_a_solve_in_python_leaves_no_files(job: Job, tmpdir_of_job: Path, number: int) -> None:
    """Oracle: TMPDIR is unchanged after the start of MPI, and empty after a further solve."""
    environment = {**os.environ, **job.environment, "OSTEON_BINARY": str(BINARY), "PYTHONPATH": str(ROOT / "python")}
    for last in (number, 0):
        done = subprocess.run(
            [sys.executable, "-c", SOLVE, str(int(last))],
            cwd=job.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == -last, done.stderr
        assert done.stdout.strip() == str(tmpdir_of_job)
    assert list(tmpdir_of_job.rglob("*")) == []


def test_joined_clusters_leave_no_files(job: Job, tmpdir_of_job: Path) -> None:
    """Oracle: both launchers use one folder below TMPDIR. A further job removes the folder of a killed launcher."""
    (job.folder / "clusters.toml").write_text(
        "".join(
            f'[[cluster]]\nname = "{name}"\nranks = 1\nlauncher = ["sh", "-c", "mkdir -p $TMPDIR/ompi.host.0; '
            f'echo $TMPDIR >seen.{name}; exec sleep $SECONDS_TO_SLEEP"]\n'
            for name in "ab"
        )
    )
    words = [str(BINARY), "join", "clusters.toml", "--", "true"]

    def start(seconds: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            words,
            cwd=job.folder,
            env={**os.environ, **job.environment, "SECONDS_TO_SLEEP": seconds},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    process = start("600")
    deadline = time.monotonic() + 60
    seen = [job.folder / f"seen.{name}" for name in "ab"]
    while not all(file.exists() and file.read_text().strip() for file in seen):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    folders = {Path(file.read_text().strip()) for file in seen}
    assert len(folders) == 1
    assert folders.pop().parent == tmpdir_of_job
    started = children(process.pid)
    kill_tree(process)
    process.wait(60)
    wait_until_gone(started)
    assert list(tmpdir_of_job.iterdir()) != []
    start("0").wait(60)  # none of the processes joins
    assert list(tmpdir_of_job.rglob("*")) == []
