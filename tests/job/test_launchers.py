"""Tests of launchers: the MPI worlds that they create, and their termination."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from whole_job import BINARY, ROOT, Job, job_text

USAGE, DATA, MACHINE = 2, 3, 5
MPIRUN = ["mpirun", "--oversubscribe", "-n", "2"]
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
HEAT = "[segment]\nthreshold = 100\nkeep = 'all'\n"

SWEEP = """
import os
import numpy as np, osteon
me = int(os.environ["OMPI_COMM_WORLD_RANK"])
a = np.zeros((64, 16, 16), np.uint8)
if me == 0:
    a[:, :8, :] = 1
else:
    a[:32, :4, :] = a[32:, :4, :] = 1
r = osteon.conductivity(a, spacing_mm=0.1, threshold=0.5, conductivity_W_per_mK=1.0, segment={"keep": "all"},
                        output={"directory": f"out_{me}"}, run={"ranks": 1})
print("process", me, "k", round(r.summary["effective_conductivity_W_per_mK"], 6), "ranks", r.summary["ranks"], flush=True)
"""


def heat(image: str) -> str:
    return job_text(image, "heat", more=HEAT).replace("[picture]", "[picture]\nenabled = false")


def mpirun(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*MPIRUN, *words],
        cwd=folder,
        env={**os.environ, **AS_ROOT, "OSTEON_BINARY": str(BINARY), "PYTHONPATH": str(ROOT / "python")},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


@pytest.mark.skipif(not shutil.which("mpirun"), reason="Open MPI's mpirun is not installed")
def test_a_sweep_of_several_processes(tmp_path: Path) -> None:
    """Each process has its own image. Oracle: k is the fraction of the cross-section, 1/2 and 1/4."""
    (tmp_path / "sweep.py").write_text(SWEEP)
    for _ in range(2):  # with new folders, and then with the models of the first run
        done = mpirun(tmp_path, sys.executable, "sweep.py")
        assert done.returncode == 0, done.stderr
        assert sorted(done.stdout.splitlines()) == ["process 0 k 0.5 ranks 1", "process 1 k 0.25 ranks 1"]


@pytest.fixture
def two_jobs(job: Job) -> Job:
    """Folders 0 and 1 with equal job files. The images have equal numbers of solid voxels per plane."""
    for me in (0, 1):
        values = np.full((24, 12, 12), 10, np.uint8)
        values[:, 6 * me : 6 * me + 6] = 200
        (job.folder / str(me)).mkdir()
        np.save(job.folder / f"{me}/block.npy", values)
        (job.folder / f"{me}/job.toml").write_text(heat("block.npy"))
    return job


@pytest.mark.skipif(not shutil.which("mpirun"), reason="Open MPI's mpirun is not installed")
def test_ranks_with_jobs_of_their_own_are_refused(two_jobs: Job) -> None:
    """The processes form one world. Oracle: one sentence, and no results."""
    for me in (0, 1):
        (two_jobs.folder / f"job{me}.toml").write_text(heat(f"{me}/block.npy"))
    done = mpirun(two_jobs.folder, "sh", "-c", f"exec {BINARY} run job$OMPI_COMM_WORLD_RANK.toml --no-report")
    assert done.returncode != 0
    assert done.stderr.count("rank 1 has another job than rank 0") == 1, done.stderr
    assert "a separate launcher" in done.stderr
    assert not list(two_jobs.folder.glob("job*.out/results.nc"))


@pytest.mark.skipif(not shutil.which("mpirun"), reason="Open MPI's mpirun is not installed")
def test_ranks_with_models_of_their_own_are_refused(two_jobs: Job) -> None:
    """The jobs are equal, but the folders differ. Each process has already imported its image into its folder."""
    for me in (0, 1):
        subprocess.run(
            [str(BINARY), "import", "job.toml"], cwd=two_jobs.folder / str(me), check=True, capture_output=True
        )
    command = f"cd $OMPI_COMM_WORLD_RANK && exec {BINARY} run job.toml --no-report"
    done = mpirun(two_jobs.folder, "sh", "-c", command)
    assert done.returncode != 0
    assert done.stderr.count("rank 1 reads a different model") == 1, done.stderr
    assert not list(two_jobs.folder.glob("*/job.out/results.nc"))


@pytest.mark.parametrize(
    "variables",
    [
        {"PMI_RANK": "0", "PMI_SIZE": "1"},
        {"PMIX_RANK": "0"},
        {"PMIX_RANK": "0", "PMIX_NAMESPACE": "slurm.pmix.1.0", "SLURM_STEP_NUM_TASKS": "1", "SLURM_PROCID": "0"},
    ],
    ids=["pmi", "pmix", "srun --mpi=pmix"],
)
def test_ranks_in_a_shell_of_srun(job: Job, sponge: Path, variables: dict[str, str]) -> None:
    """The test runs `srun --pty bash`, and then `osteon run -n 2` in that shell. Oracle: two ranks."""
    job.write(job_text(sponge, "heat").replace("[picture]", "[picture]\nenabled = false"))
    job.environment = variables
    done = job.run("-n", "2", "--no-report")
    assert done.code == 0, done.err
    assert done.summary["ranks"] == 2


@pytest.mark.skipif(not shutil.which("mpirun"), reason="Open MPI's mpirun is not installed")
def test_a_number_of_ranks_that_has_no_effect_is_reported(job: Job, sponge: Path) -> None:
    job.write(job_text(sponge, "heat").replace("[picture]", "[picture]\nenabled = false"))
    done = mpirun(job.folder, str(BINARY), "run", "job.toml", "-n", "3", "--no-report")
    assert done.returncode == 0, done.stderr
    assert "-n 3 has no effect: the launcher has started 2 ranks" in done.stderr


def is_alive(pid: int) -> bool:
    with contextlib.suppress(OSError, IndexError):
        return Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1][0] not in "ZX"
    return False


def test_a_second_signal_ends_a_launcher_that_ignores_the_first(job: Job, sponge: Path) -> None:
    """The mpirun of Open MPI ignores the first signal if its ranks failed in MPI_Init. Oracle: all processes of the
    group of mpirun end."""
    launcher, pids = job.folder / "launcher", job.folder / "pids"
    launcher.write_text(
        f"#!/bin/sh\ntrap '' TERM INT USR1\nsleep 600 &\necho $$ $! > {pids}.part\nmv {pids}.part {pids}\nwait\nwait\n"
    )
    launcher.chmod(0o755)
    job.write(job_text(sponge, "heat"))
    process = subprocess.Popen(
        [str(BINARY), "run", "job.toml", "-n", "2", "--no-report"],
        cwd=job.folder,
        env={**os.environ, "OSTEON_MPIRUN": str(launcher)},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        deadline = time.monotonic() + 60
        while not pids.exists():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        time.sleep(1)
        assert process.poll() is None, "the first asks the ranks to stop in order"
        process.send_signal(signal.SIGTERM)
        start = time.monotonic()
        _, err = process.communicate(timeout=60)
        assert time.monotonic() - start < 20
    finally:
        process.kill()
    assert process.returncode == 128 + signal.SIGTERM
    assert "ended immediately" in err
    assert not any(is_alive(int(pid)) for pid in pids.read_text().split())


@pytest.mark.skipif(not shutil.which("mpirun"), reason="Open MPI's mpirun is not installed")
def test_a_launcher_that_does_not_end_after_its_ranks(job: Job, sponge: Path) -> None:
    """Oracle: the results exist, and the exit code is that of the ranks."""
    launcher = job.folder / "launcher"
    launcher.write_text('#!/bin/sh\nmpirun "$@"\nexec sleep 600\n')
    launcher.chmod(0o755)
    job.write(job_text(sponge, "heat").replace("[picture]", "[picture]\nenabled = false"))
    job.environment = {"OSTEON_MPIRUN": str(launcher)}
    done = job.run("-n", "2", "--no-report")
    assert done.code == 0, done.err
    assert done.seconds < 100
    assert done.summary["status"] == "done"


@pytest.fixture
def small_folder(tmp_path: Path) -> Iterator[Path]:
    """A file system of 4 MB for temporary files."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "none", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("mounting a small tmpfs is not allowed here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_no_room_for_the_files_of_a_launcher(job: Job, sponge: Path, small_folder: Path) -> None:
    """Oracle: one sentence before any rank is started. A single rank, which needs no launcher, computes."""
    job.write(job_text(sponge, "heat").replace("[picture]", "[picture]\nenabled = false"))
    job.environment = {"TMPDIR": str(small_folder)}
    done = job.run("-n", "2", "--no-report")
    assert done.code == MACHINE, done.err
    assert f"'{small_folder}' has 4." in done.err
    assert "set TMPDIR to another folder" in done.err
    assert not (job.folder / "job.out/results.nc").exists()
    assert job.run("-n", "1", "--no-report").code == 0
