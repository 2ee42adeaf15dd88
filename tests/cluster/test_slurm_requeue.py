"""The end of an allocation: the last checkpoint, `osteon run --requeue`, and a batch whose items are queued again."""

from __future__ import annotations

import json
import re
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
from slurm_job import SlurmJob
from whole_job import BINARY, EVERY_ITERATION, TIGHT, job_text, make_struts

STOPPED, USAGE, DATA, MACHINE = 75, 2, 3, 5
NO_PICTURE = ("[picture]", "[picture]\nenabled = false")


def tight(folder: Path, size: int = 28) -> str:
    """A job of some seconds that stores a checkpoint after each iteration."""
    text = job_text(make_struts(folder / "foam.npy", size), more=TIGHT + EVERY_ITERATION)
    return text.replace(*NO_PICTURE)


def endless(folder: Path) -> str:
    """Heat in time with more steps than any test waits for."""
    return (
        f'physics = "heat"\n[image]\npath = "{make_struts(folder / "foam.npy", 20)}"\nspacing_mm = 0.5\n'
        "[[material]]\nconductivity_W_per_mK = 0.5\nheat_capacity_J_per_m3K = 2e6\n"
        '[[boundary]]\nface = "z_low"\ntemperature_K = 310.0\n'
        "[transient]\ninitial_K = 290.0\nend_s = 2e5\nstep_s = 0.25\n[picture]\nenabled = false\n"
    )


def ends_in(seconds: int) -> str:
    """Line of a script that lets the running job end soon: limits of sbatch are minutes."""
    return f'scontrol update JobId=$SLURM_JOB_ID EndTime=$(date -d "now + {seconds} seconds" +%FT%T)\n'


def programs(job: SlurmJob, **scripts: str) -> str:
    """PATH with replaced programs; `requeue` requests are recorded in a file."""
    folder = job.folder / "bin"
    folder.mkdir(exist_ok=True)
    for name, text in scripts.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)
    return f"export PATH={folder}:$PATH\n"


RECORDED = 'echo "$@" >>requests'


def test_requeue_after_a_signal(slurm_job: SlurmJob) -> None:
    """Oracle: the uninterrupted job; Slurm counts one restart."""
    slurm_job.write(tight(slurm_job.folder))
    whole = slurm_job.run(BINARY, "run", "job.toml", "-n", "2", "--no-report", "-o", "whole")
    assert whole.returncode == 0, whole.stderr
    number = slurm_job.sbatch("{osteon} run job.toml --requeue --no-report", "-N2", "--ntasks-per-node=1", "--time=5")
    slurm_job.wait_for_text(number, "checkpoint after iteration")
    slurm_job.cluster.good("scancel", "--signal=USR1", f"{number}.0")
    slurm_job.wait_for_text(number, f"queueing Slurm job {number} again")
    facts = slurm_job.cluster.wait_for(number, timeout=90)
    out = slurm_job.output(number)
    assert facts["JobState"] == "COMPLETED", out
    assert facts["Restarts"] == "1"
    assert "resumed after iteration" in out
    expected = json.loads((slurm_job.folder / "whole/summary.json").read_text())
    assert slurm_job.summary["apparent_modulus_MPa"] == pytest.approx(expected["apparent_modulus_MPa"], rel=1e-9)
    assert slurm_job.summary["iterations"] == expected["iterations"]
    assert not (slurm_job.folder / "job.out/checkpoint").exists()


@pytest.mark.parametrize("launcher", ["", "srun --mpi=pmix "], ids=["parent", "srun"])
def test_last_checkpoint_before_the_end(slurm_job: SlurmJob, launcher: str) -> None:
    """Oracle: the job stops by itself before Slurm ends it, and its checkpoint is complete."""
    slurm_job.write(endless(slurm_job.folder))
    path = programs(slurm_job, scontrol=f'case $1 in requeue) {RECORDED} ;; *) exec /usr/bin/scontrol "$@" ;; esac')
    script = (
        path + ends_in(22) + f"{launcher}{{osteon}} run job.toml --requeue --no-report; code=$?\nsleep 0.5; exit $code"
    )
    begun = time.monotonic()
    code, out = slurm_job.batch(script, "-N2", "--ntasks-per-node=1", "--time=10")
    assert code == STOPPED, out
    assert time.monotonic() - begun < 22
    found = re.search(r"osteon: stopped (\d+) s before the end of the batch job after step (\d+); continue with", out)
    assert found, out
    assert 5 < int(found[1]) <= 20
    assert int(found[2]) > 1
    assert (slurm_job.folder / "requests").read_text().splitlines() == [f"requeue {slurm_job.submitted[0]}"]
    code, out = slurm_job.batch(ends_in(18) + "{osteon} run job.toml --resume --no-report", "-n1", "--time=10")
    assert code == STOPPED, out
    assert f"resumed after step {found[2]}" in out


def test_little_time_is_reported(slurm_job: SlurmJob) -> None:
    """Oracle: a warning with both times; the job stops after its first step instead of being killed."""
    slurm_job.write(endless(slurm_job.folder))
    code, out = slurm_job.batch(ends_in(12) + "{osteon} run job.toml --no-report", "-n1", "--time=10")
    assert code == STOPPED, out
    assert re.search(
        r"Slurm job \d+ ends in \d+ s, but an iteration and a checkpoint may need 15 s; request more time", out
    )
    assert "before the end of the batch job after step 1;" in out


def test_three_restarts_without_an_iteration(slurm_job: SlurmJob, sponge: Path) -> None:
    """The reader of the image stops the job each time. Oracle: three requests, and the fourth stop requests none."""
    slurm_job.write(job_text(sponge, "heat").replace(*NO_PICTURE))
    path = programs(slurm_job, scontrol=RECORDED, python="kill -USR1 $PPID; exec sleep 10")
    run = "{osteon} run job.toml --requeue --no-report; echo code $?\n"
    python = f"export OSTEON_PYTHON={slurm_job.folder}/bin/python\n"
    code, out = slurm_job.batch(path + python + run * 4, "-n1")
    assert out.count(f"code {STOPPED}\n") == 4, out
    assert len((slurm_job.folder / "requests").read_text().splitlines()) == 3
    assert out.count("was restarted 3 times without an iteration; it is not queued again") == 1
    assert code == 0


def test_changed_input_of_a_job_that_was_queued_again(slurm_job: SlurmJob) -> None:
    """Oracle: exit code 3 with the remedy, and no further request."""
    slurm_job.write(tight(slurm_job.folder))
    path = programs(slurm_job, scontrol=RECORDED)
    first = "{osteon} run job.toml --requeue --no-report -n 1 2>log & pid=$!\n"
    stop = "until grep -qs 'checkpoint after' log; do sleep 0.05; done; kill -USR1 $pid; wait $pid; echo first $?; cat log\n"
    change = "cp other.npy foam.npy\n"
    image = np.load(slurm_job.folder / "foam.npy")
    image[:3] = 200
    np.save(slurm_job.folder / "other.npy", image)
    code, out = slurm_job.batch(
        path + first + stop + change + "{osteon} run job.toml --requeue --no-report -n 1", "-n1"
    )
    assert f"first {STOPPED}" in out, out
    assert code == DATA, out
    assert "belongs to another model" in out
    assert "start without --resume" in out
    assert len((slurm_job.folder / "requests").read_text().splitlines()) == 1


def test_a_cancelled_job_is_not_queued_again(slurm_job: SlurmJob) -> None:
    slurm_job.write(endless(slurm_job.folder))
    number = slurm_job.sbatch("exec {osteon} run job.toml --requeue --no-report", "-n1", "--time=5")
    slurm_job.wait_for_text(number, "solving")
    slurm_job.cluster.good("scancel", number)
    facts = slurm_job.cluster.wait_for(number)
    assert facts["JobState"] == "CANCELLED"
    time.sleep(1)
    assert slurm_job.cluster.facts(number)["JobState"] == "CANCELLED"
    assert slurm_job.cluster.facts(number)["Restarts"] == "0"


def test_requeue_outside_of_a_batch_job(slurm_job: SlurmJob, sponge: Path) -> None:
    slurm_job.write(job_text(sponge, "heat"))
    done = slurm_job.run(BINARY, "run", "job.toml", "--requeue")
    assert done.returncode == USAGE
    assert "--requeue requires a batch job of Slurm" in done.stderr


def test_a_job_that_slurm_does_not_queue_again(slurm_job: SlurmJob) -> None:
    """`sbatch --no-requeue`. Oracle: exit code 5, and the remedy."""
    slurm_job.write(endless(slurm_job.folder))
    script = ends_in(20) + "{osteon} run job.toml --requeue --no-report"
    code, out = slurm_job.batch(script, "-n1", "--time=10", "--no-requeue")
    assert code == MACHINE, out
    assert re.search(r"Slurm job \d+ cannot be queued again: .+; submit it again with --resume", out)


CLOCK = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
/* The real-time clock is a day ahead from the second second of the process on. */
static time_t jump(void) {
  static time_t first;
  struct timespec now;
  int (*real)(clockid_t, struct timespec*) = dlsym(RTLD_NEXT, "clock_gettime");
  real(CLOCK_MONOTONIC, &now);
  if (!first) first = now.tv_sec;
  return now.tv_sec > first + 1 ? 86400 : 0;
}
time_t time(time_t* at) {
  struct timespec now;
  int (*real)(clockid_t, struct timespec*) = dlsym(RTLD_NEXT, "clock_gettime");
  real(CLOCK_REALTIME, &now);
  now.tv_sec += jump();
  if (at) *at = now.tv_sec;
  return now.tv_sec;
}
int clock_gettime(clockid_t clock, struct timespec* at) {
  int (*real)(clockid_t, struct timespec*) = dlsym(RTLD_NEXT, "clock_gettime");
  int code = real(clock, at);
  if (clock == CLOCK_REALTIME) at->tv_sec += jump();
  return code;
}
"""


def test_a_clock_that_jumps(slurm_job: SlurmJob) -> None:
    """The clock jumps by a day during the solve, and squeue does not answer. Oracle: the job stops by the time that has
    passed, not at the jump."""
    (slurm_job.folder / "clock.c").write_text(CLOCK)
    clock = slurm_job.folder / "clock.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", clock, slurm_job.folder / "clock.c", "-ldl"], check=True)
    slurm_job.write(endless(slurm_job.folder))
    script = programs(slurm_job, squeue="exit 1") + (
        "export SLURM_JOB_END_TIME=$(($(date +%s) + 23))\nstart=$(date +%s)\n"
        f"LD_PRELOAD={clock} {{osteon}} run job.toml --no-report -n 1; code=$?\n"
        "echo ran $(($(date +%s) - start))\nexit $code"
    )
    code, out = slurm_job.batch(script, "-n1", "--time=10")
    assert code == STOPPED, out
    assert "before the end of the batch job" in out
    assert int(re.search(r"ran (\d+)", out)[1]) >= 5


def test_items_of_a_batch_are_queued_again(slurm_job: SlurmJob) -> None:
    """Both items are stopped once. Oracle: both are done after one submission, and the table has both rows."""
    slurm_job.write(tight(slurm_job.folder))
    for name in ("one", "two"):
        make_struts(slurm_job.folder / f"{name}.npy", 48)  # longer than the start of both items
    done = slurm_job.run(
        BINARY, "batch", "job.toml", "--images", "one.npy", "two.npy", "--out", "both", "-n", "1", "--no-report",
        "--slurm", "--submit", "--requeue", "--slurm-line=--time=5",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    number = int(re.search(r"submitted as (\d+)", done.stdout)[1])
    later = int(re.search(r"then (\d+)", done.stdout)[1])
    slurm_job.submitted += [number, later]
    logs = slurm_job.folder / "both/logs"
    deadline = time.monotonic() + 60
    for name in ("one", "two"):
        while not ((log := logs / f"{name}.log").exists() and "checkpoint after" in log.read_text()):
            assert time.monotonic() < deadline, slurm_job.cluster.logs()
            time.sleep(0.1)
    slurm_job.cluster.good("scancel", "--batch", "--signal=TERM", number)
    facts = slurm_job.cluster.wait_for(later, timeout=90)
    assert facts["JobState"] == "COMPLETED", [log.read_text() for log in logs.iterdir()]
    rows = (slurm_job.folder / "both/batch.csv").read_text()
    assert rows.count("done") == 2, rows
    assert all("resumed after iteration" in (logs / f"{name}.log").read_text() for name in ("one", "two"))
