"""Tests of stop requests in every stage of a job, of the end of a job after another part has ended, and of launchers of
other MPIs."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from read_rest import read_rest
from test_checkpoint import EVERY_ITERATION, TIGHT, make_struts
from whole_job import BINARY, ROOT, Finished, Job, job_text

STOPPED, FROM_KEYBOARD, USAGE, DATA, NOT_CONVERGED, MACHINE = 75, 130, 2, 3, 4, 5
LAUNCHERS = ROOT / ".venv-launchers"


@pytest.fixture
def foam(tmp_path: Path) -> Path:
    return make_struts(tmp_path / "foam.npy", 20)


def start(job: Job, *arguments: str, **more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [str(BINARY), "run", "job.toml", "-n", "2", *arguments],
        cwd=job.folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **job.environment, **more},
    )


def read_until(process: subprocess.Popen[str], text: str) -> str:
    printed = ""
    while text not in printed:
        line = process.stderr.readline()
        assert line, printed
        printed += line
    return printed


def end(process: subprocess.Popen[str], said: str = "") -> Finished:
    said += read_rest(process)
    return Finished(process.returncode, "", said, 0, Path())


def is_alive(pid: int) -> bool:
    with contextlib.suppress(OSError, IndexError):
        return Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1][0] not in "ZX"
    return False


def children(pid: int) -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(entry.read_text().rsplit(") ", 1)[1].split()[1]) == pid:
                found.append(int(entry.parent.name))
    return [*found, *(grandchild for child in found for grandchild in children(child))]


def ranks_of(pid: int) -> list[int]:
    """Return the ranks of a job below the launcher. Ranks are processes whose executable is osteon itself."""
    found = []
    for child in children(pid):
        with contextlib.suppress(OSError):
            if Path(f"/proc/{child}/exe").resolve() == BINARY.resolve():
                found.append(child)
    return found


def wait_until_gone(pids: list[int]) -> None:
    deadline = time.monotonic() + 60
    while any(is_alive(pid) for pid in pids):
        assert time.monotonic() < deadline, "ranks go on without the process that started them"
        time.sleep(0.02)


@pytest.fixture
def slow_reader(tmp_path: Path) -> dict[str, str]:
    """A wrapper of the real Python. The wrapper reports when it reads an image, and delays a report."""
    script = tmp_path / "python"
    script.write_text(
        f"""#!/bin/sh
case "$*" in
  *{{STAGE}}*) echo $$ >"{tmp_path}/begun"; exec sleep 60 ;;
esac
exec {sys.executable} "$@"
"""
    )
    script.chmod(0o755)
    return {"script": str(script), "begun": str(tmp_path / "begun")}


@pytest.mark.parametrize("stage", ["osteon.images.read_image", "osteon.report"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_programs_that_osteon_started_end_with_it(
    job: Job, foam: Path, slow_reader: dict[str, str], stage: str, number: signal.Signals
) -> None:
    """Oracle: the exit code that shells and batch systems expect. No process and no copy of the image remains."""
    script, begun = Path(slow_reader["script"]), Path(slow_reader["begun"])
    script.write_text(script.read_text().replace("{STAGE}", stage))
    job.write(job_text(foam))
    temporary = job.folder / "tmp"
    temporary.mkdir()
    process = start(job, OSTEON_PYTHON=str(script), TMPDIR=str(temporary))
    deadline = time.monotonic() + 60
    while not begun.exists() or not begun.read_text().strip():
        assert time.monotonic() < deadline
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(number)
    done = end(process)
    assert done.code == (FROM_KEYBOARD if number == signal.SIGINT else STOPPED), done.err
    assert not is_alive(int(begun.read_text()))
    assert not list(temporary.glob("osteon*"))
    if stage == "osteon.images.read_image":
        assert "no checkpoint was needed" in done.err
        assert not (job.folder / "job.out").exists()
    else:
        assert (job.folder / "job.out/summary.json").exists()


def test_no_copy_of_the_image_outlives_a_killed_import(job: Job, foam: Path, slow_reader: dict[str, str]) -> None:
    script, begun = Path(slow_reader["script"]), Path(slow_reader["begun"])
    script.write_text(script.read_text().replace("{STAGE}", "osteon.images.read_image").replace("sleep 60", "sleep 1"))
    job.write(job_text(foam))
    temporary = job.folder / "tmp"
    temporary.mkdir()
    process = start(job, OSTEON_PYTHON=str(script), TMPDIR=str(temporary))
    while not begun.exists():
        time.sleep(0.02)
    process.kill()
    process.communicate(timeout=60)
    assert not list(temporary.glob("osteon-import*"))


def let_go_on(ranks: list[int]) -> None:
    """Wake ranks that are suspended at each write (PAUSING_ALWAYS), until the ranks have ended."""
    deadline = time.monotonic() + 60
    while any(Path(f"/proc/{rank}").exists() for rank in ranks):
        time.sleep(0.02)
        for rank in ranks:
            with contextlib.suppress(ProcessLookupError):
                os.kill(rank, signal.SIGCONT)
        assert time.monotonic() < deadline


def wait_until_paused(pid: int) -> list[int]:
    """Return the ranks as soon as one of them is suspended (failing_disk.c)."""
    deadline = time.monotonic() + 60
    while True:
        ranks = ranks_of(pid)
        for rank in ranks:
            with contextlib.suppress(OSError, IndexError):
                if Path(f"/proc/{rank}/stat").read_text().rsplit(") ", 1)[1][0] == "T":
                    return ranks
        assert time.monotonic() < deadline
        time.sleep(0.01)


# The sign of a stage, which is a line of the log before the whole solve, or a file while it is being written.
STAGES = {
    "started": "bound",
    "reading the model": "reading the model",
    "solving": "solving",
    "iterating": ".checkpoint.tmp",
    "writing results": "results.nc.tmp",
    "writing the summary": "summary.json.tmp",
    "drawing the picture": "picture.png.tmp",
}


@pytest.mark.parametrize(
    ("stage", "number"),
    [*((stage, signal.SIGINT) for stage in STAGES), ("solving", signal.SIGTERM), ("iterating", signal.SIGUSR1)],
)
def test_every_stage_stops_in_order(
    job: Job, foam: Path, failing_disk: Path, stage: str, number: signal.Signals
) -> None:
    """Oracle: the exit code. The same job resumes and runs to its end."""
    sign = STAGES[stage]
    job.write(job_text(foam, more=TIGHT + EVERY_ITERATION))
    if sign.endswith(".tmp"):
        process, said = start(job, "--no-report", LD_PRELOAD=str(failing_disk), PAUSING_PATH=sign), ""
        ranks = wait_until_paused(process.pid)
    else:
        process = start(job, "--no-report")
        said, ranks = read_until(process, sign), []
    process.send_signal(number)
    time.sleep(
        0.1 if ranks else 0
    )  # the ranks that are not stopped are notified; without this pause, the test stops the job in a later stage
    for rank in ranks:
        os.kill(rank, signal.SIGCONT)
    done = end(process, said)
    assert done.code == (FROM_KEYBOARD if number == signal.SIGINT else STOPPED), done.err
    assert len([line for line in done.err.splitlines() if line.startswith("osteon: ")]) == 1, done.err
    assert "osteon: stopped on request" in done.err
    kept = list((job.folder / "job.out").glob("checkpoint/*.checkpoint"))
    assert ("continue with: osteon resume" in done.err) == bool(kept) or "are written" in done.err
    assert kept or stage != "iterating"
    assert not list((job.folder / "job.out").glob("**/*.tmp.*"))
    again = job.run("-n", "2", "--resume", "--no-report")
    assert again.code == 0, again.err
    assert again.summary["status"] == "done"


def test_a_second_signal_does_not_wait(job: Job, foam: Path) -> None:
    """Suspended ranks cannot exit in order."""
    job.write(job_text(foam, more=TIGHT + EVERY_ITERATION))
    process = start(job, "--no-report")
    printed = read_until(process, "solving")
    ranks = ranks_of(process.pid)
    for rank in ranks:
        os.kill(rank, signal.SIGSTOP)
    process.send_signal(signal.SIGINT)
    time.sleep(0.4)  # an earlier second signal counts as an echo of the first signal
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    done = end(process, printed)
    assert done.code == FROM_KEYBOARD, done.err
    assert "ended immediately" in done.err
    wait_until_gone(ranks)


def test_ranks_hold_the_folder_and_end_with_who_started_them(job: Job, foam: Path) -> None:
    """Oracle: two jobs never write to one folder."""
    job.write(job_text(foam, more=TIGHT + EVERY_ITERATION))
    process = start(job, "--no-report")
    read_until(process, "checkpoint after")
    ranks = ranks_of(process.pid)
    assert len(ranks) == 2
    for rank in ranks:
        os.kill(rank, signal.SIGSTOP)
    process.kill()
    process.wait(timeout=60)  # the standard error of the process remains open, because the ranks have it open
    refused = job.run("-n", "1", "--no-report")
    assert refused.code == USAGE, refused.err
    assert "another job is writing to 'job.out'" in refused.err
    for rank in ranks:
        os.kill(rank, signal.SIGCONT)
    wait_until_gone(ranks)
    assert list((job.folder / "job.out/checkpoint").glob("*.checkpoint")), "what was computed is kept"
    assert job.run("-n", "1", "--resume", "--no-report").code == 0


NOTEBOOK = """
import osteon
try:
    osteon.run("job.toml")
except KeyboardInterrupt:
    print("interrupted")
"""


def heed_interrupts() -> None:
    """In a new process, enable interrupts as in a terminal. The tests may run in the background, where SIGINT is
    ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_python_that_is_interrupted_or_killed(job: Job, foam: Path, failing_disk: Path, number: signal.Signals) -> None:
    """As in a notebook, the job stops in order, and no part of the job continues.

    The ranks are suspended at each write of a checkpoint, so that they cannot finish before the stop request."""
    job.write(job_text(foam, more=TIGHT + EVERY_ITERATION + "[run]\nranks = 2\n"))
    process = subprocess.Popen(
        [sys.executable, "-c", NOTEBOOK],
        cwd=job.folder,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=heed_interrupts,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT / "python"),
            "OSTEON_BINARY": str(BINARY),
            "LD_PRELOAD": str(failing_disk),
            "PAUSING_PATH": STAGES["iterating"],
            "PAUSING_ALWAYS": "1",
        },
    )
    ranks = wait_until_paused(process.pid)
    started = children(process.pid)
    process.send_signal(number)
    let_go_on(ranks)
    out = process.communicate(timeout=60)[0]
    assert out == ("interrupted\n" if number == signal.SIGINT else "")
    wait_until_gone(started)
    again = job.run("-n", "2", "--resume", "--no-report")
    assert again.code == 0, again.err
    assert "resumed after iteration" in again.err


def launcher(name: str) -> Path:
    path = LAUNCHERS / name / "bin" / "mpiexec"
    if not path.exists():
        pytest.skip(f"{path} is not here (./run test fetches it where it can be had)")
    return path


def test_the_launcher_of_open_mpi_5(job: Job, foam: Path) -> None:
    """Oracle: the answer under the MPI with which osteon was built."""
    mpiexec = launcher("openmpi")
    job.write(job_text(foam, more=TIGHT + EVERY_ITERATION))
    want = job.run("-n", "2", "--no-report").summary["reaction_N"]
    job.environment = {"OSTEON_MPIRUN": str(mpiexec)}
    process = start(job, "--no-report")
    stopped = end(process, read_until_and_signal(process))
    assert stopped.code == STOPPED, stopped.err
    done = job.run("-n", "2", "--no-report", "--resume")
    assert done.code == 0, done.err
    assert done.summary["reaction_N"] == want
    assert "prterun" not in stopped.err + done.err


def read_until_and_signal(process: subprocess.Popen[str]) -> str:
    printed = read_until(process, "checkpoint after")
    process.send_signal(signal.SIGTERM)
    return printed


@pytest.mark.parametrize("name", ["mpich", "mpiexec.mpich"])
def test_the_launcher_of_another_mpi_is_reported(job: Job, foam: Path, name: str) -> None:
    """The processes do not find each other, so that each process would compute the whole job."""
    job.write(job_text(foam))
    job.environment = {"OSTEON_MPIRUN": str(launcher(name)) if name == "mpich" else name}
    done = job.run("-n", "2", "--no-report")
    if "cannot start" in done.err:
        pytest.skip(f"{name} is not installed")
    assert done.code == USAGE, done.err
    assert done.err.count("2 processes were started without a common MPI world") == 1
    assert "OSTEON_MPIRUN" in done.err
    assert not (job.folder / "job.out").exists()


def test_copies_that_srun_started(job: Job, foam: Path) -> None:
    """With srun --mpi=none, one process reports the fault, and no process computes."""
    job.write(job_text(foam))
    said = []
    for number in ("0", "1"):
        job.environment = {"SLURM_STEP_NUM_TASKS": "2", "SLURM_PROCID": number, "SLURM_STEP_ID": "0"}
        done = job.run("--no-report")
        assert done.code == USAGE
        said.append(done.err)
    assert "srun started 2 independent copies of osteon" in said[0]
    assert "--mpi=pmix" in said[0]
    assert said[1] == ""
    assert not (job.folder / "job.out").exists()
    # In a script of sbatch, or in salloc, there is one process. This process starts its ranks.
    job.environment = {"SLURM_NTASKS": "2", "SLURM_PROCID": "0", "SLURM_JOB_ID": "1"}
    assert job.run("-n", "2", "--no-report").code == 0


@pytest.mark.parametrize("how", ["full", "closed"])
def test_messages_that_cannot_be_written(job: Job, foam: Path, how: str) -> None:
    job.write(job_text(foam, "heat"))
    redirect = "2>/dev/full" if how == "full" else "2>&-"
    command = f'"{BINARY}" run job.toml -n 2 --no-report --json - {redirect}'
    done = subprocess.run(
        ["sh", "-c", command], cwd=job.folder, stdout=subprocess.PIPE, text=True, timeout=120, check=False
    )
    assert done.returncode == 0
    assert json.loads(done.stdout)["status"] == "done"
    assert (job.folder / "job.out/.lock").stat().st_size == 0
    wrong = subprocess.run(
        ["sh", "-c", f'"{BINARY}" run none.toml {redirect}'], cwd=job.folder, timeout=60, check=False
    )
    assert wrong.returncode == USAGE


def test_output_that_cannot_be_written() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([str(BINARY), "version"], stdout=full, stderr=subprocess.PIPE, check=False, timeout=60)
    assert done.returncode == MACHINE
    assert b"standard output" in done.stderr


def test_earlier_results_are_kept(job: Job, foam: Path) -> None:
    """Oracle: the bytes of the existing file."""
    good, poor = job_text(foam), job_text(foam, more="[solve]\nmax_iterations = 2\n")
    job.write(good)
    assert job.run("-n", "1", "--no-report").code == 0
    first = (job.folder / "job.out/results.nc").read_bytes()
    (job.folder / "job.out/mine.txt").write_text("the user's")
    job.write(poor)
    done = job.run("-n", "1", "--no-report")
    assert done.code == NOT_CONVERGED
    assert "to 'job.out.1'" in done.err
    assert (job.folder / "job.out.1/results.nc").read_bytes() == first
    assert json.loads((job.folder / "job.out.1/summary.json").read_text())["status"] == "done"
    assert (job.folder / "job.out/mine.txt").exists()
    job.write(good)
    assert job.run("-n", "1", "--no-report").code == 0
    assert not (job.folder / "job.out.2").exists(), "what did not converge is not kept"
    assert job.run("-n", "1", "--no-report", "--force").code == 0
    assert not (job.folder / "job.out.2").exists()
    assert job.run("-n", "1", "--no-report").code == 0
    assert (job.folder / "job.out.2/results.nc").exists()


def test_a_failed_run_brings_earlier_results_back(job: Job, foam: Path, failing_disk: Path) -> None:
    """Oracle: the bytes of the existing file."""
    job.write(job_text(foam))
    assert job.run("-n", "1", "--no-report").code == 0
    before = {path.name: path.read_bytes() for path in (job.folder / "job.out").iterdir()}
    job.environment = {"LD_PRELOAD": str(failing_disk), "FAILING_PATH": "results.nc.tmp", "FAILING_AFTER": "0"}
    failed = job.run("-n", "1", "--no-report")
    assert failed.code == MACHINE, failed.err
    assert "to 'job.out.1'" in failed.err
    assert {path.name: path.read_bytes() for path in (job.folder / "job.out").iterdir()} == before
    assert not (job.folder / "job.out.1").exists()


def test_a_failed_run_leaves_no_folder(job: Job) -> None:
    np.save(job.folder / "block.npy", np.full((6, 6, 6), 200, np.uint8))
    job.write(job_text("none.npy"))
    assert job.run("-n", "1", "-o", "a/b/out", "--no-report").code == DATA
    assert not (job.folder / "a").exists()
    job.write(job_text("block.npy", more="[segment]\nthreshold = 250\n"))
    assert job.run("-n", "1", "--no-report").code == DATA
    assert not (job.folder / "job.out").exists()
    (job.folder / "mine").mkdir()
    assert job.run("-n", "1", "-o", "mine", "--no-report").code == DATA
    assert (job.folder / "mine").exists(), "a folder that was there stays"
