"""Tests of stopped jobs, which resume from their checkpoint and obtain the same answer."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import time
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from read_rest import read_rest
from whole_job import BINARY, EVERY_ITERATION, TIGHT, Finished, Job, job_text, make_struts

STOPPED = 75
CASES = TIGHT + "".join(
    f'[[case]]\nname = "{name}"\ntest = "{test}"\naxis = "{axis}"\n{more}'
    for name, test, axis, more in (
        ("along", "axial_bonded", "z", "strain = -0.01\n"),
        ("twist", "torsion", "z", "angle_deg = 1.0\n"),
    )
)
TRANSIENT = (
    '[[boundary]]\nface = "z_low"\ntemperature_K = 310.0\n[transient]\ninitial_K = 290.0\nend_s = 3.0\nstep_s = 0.25\n'
    "write_steps = true\n"
)
WARM = "[[material]]\nconductivity_W_per_mK = 0.5\nheat_capacity_J_per_m3K = 2e6\n"


def transient_text(image: Path) -> str:
    return (
        f'physics = "heat"\n[image]\npath = "{image}"\nspacing_mm = 0.5\n{WARM}{TRANSIENT}[picture]\nenabled = false\n'
    )


@pytest.fixture
def foam(tmp_path: Path) -> Path:
    return make_struts(tmp_path / "foam.npy", 20)


def fields(folder: Path) -> dict[str, np.ndarray]:
    with netCDF4.Dataset(folder / "results.nc") as file:
        file.set_auto_mask(False)
        groups = file["VTKHDF"].groups
        return {name: v[:] for g in ("CellData", "PointData") for name, v in groups[g].variables.items()}


def read_steps(folder: Path) -> dict[float, bytes]:
    """Return temperatures of the series of steps, by time."""
    series = folder / "results.vtkhdf.series"
    steps = {}
    for entry in json.loads(series.read_text())["files"] if series.exists() else ():
        with netCDF4.Dataset(folder / entry["name"]) as file:
            steps[entry["time"]] = file["VTKHDF/CellData/temperature"][:].tobytes()
    return steps


def answers(done: Finished) -> dict:
    """Return the physical answers of a summary, without resource figures."""
    spent = {
        "setup_seconds",
        "solve_seconds",
        "cpu_seconds",
        "peak_rss_bytes",
        "stages",
        "files",
        "ranks",
        "imbalance",
        "io",
        "solver",
    }
    summary = {k: v for k, v in done.summary.items() if k not in spent}
    for case in summary.get("cases", []):
        case["certificate"].pop("solve_seconds")
    return summary


def stop(job: Job, kept: int, *arguments: str, sign: str = "checkpoint after") -> Finished:
    """Start a command, and send SIGTERM after a number of checkpoints, or after a number of messages with another sign
    of an iteration."""
    process = subprocess.Popen(
        [str(BINARY), *arguments, "--no-report"],
        cwd=job.folder,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    printed = ""
    while printed.count(sign) < kept:
        line = process.stderr.readline()
        assert line, printed
        printed += line
    sent = time.monotonic()
    process.terminate()
    printed += read_rest(process)
    assert process.returncode != STOPPED or time.monotonic() - sent < 10
    return Finished(process.returncode, "", printed, time.monotonic() - sent, job.folder / "job.out")


def resume(job: Job, ranks: int) -> Finished:
    done = subprocess.run(
        [str(BINARY), "resume", "job.out", "-n", str(ranks), "--no-report"],
        cwd=job.folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return Finished(done.returncode, done.stdout, done.stderr, 0, job.folder / "job.out")


def stop_and_resume(job: Job, job_file: str, kept: int) -> Finished:
    """Run the job again from the start on 2 ranks, stop the job after a number of checkpoints, and resume the job."""
    shutil.rmtree(job.folder / "job.out")
    job.write(job_file + EVERY_ITERATION)
    stopped = stop(job, kept, "run", "job.toml", "-n", "2")
    assert stopped.code == STOPPED, stopped.err
    assert "stopped on request after step" in stopped.err
    done = resume(job, 2)
    assert done.code == 0, done.err
    assert "resumed after step" in done.err
    return done


@pytest.mark.parametrize("physics", ["elasticity", "heat", "transient"])
def test_stopped_jobs_reach_the_same_bits(job: Job, foam: Path, physics: str) -> None:
    """Oracle: the same job without interruption."""
    text = {
        "elasticity": job_text(foam, more=CASES),
        "heat": job_text(foam, "heat", more=TIGHT),
        "transient": transient_text(foam),
    }[physics]
    job.write(text)
    whole = job.run("-n", "2", "--no-report")
    assert whole.code == 0, whole.err
    want, printed, steps = fields(whole.folder), answers(whole), read_steps(whole.folder)
    assert len(steps) == (13 if physics == "transient" else 0)
    shutil.rmtree(whole.folder)
    job.write(text + EVERY_ITERATION)
    source = random.Random(4)
    command, stops = ("run", "job.toml"), 0
    for _ in range(3):
        done = stop(job, source.randint(1, 5), *command, "-n", "2")
        if done.code != STOPPED:
            break
        stops += 1
        where = r"(after (iteration|step) \d+|while setting up the solver|while writing the results)"
        assert re.search(rf"osteon: stopped on request {where}; continue with: osteon resume", done.err)
        assert not list(done.folder.glob("**/*.tmp.*"))
        command = ("resume", "job.out")
    if done.code == STOPPED:
        done = resume(job, 2)
    assert stops >= 1
    assert done.code == 0, done.err
    assert not (done.folder / "checkpoint").exists(), "a finished job leaves no checkpoint"
    got = fields(done.folder)
    assert got.keys() == want.keys()
    for name in want:
        assert got[name].tobytes() == want[name].tobytes(), name
    assert answers(done) == printed
    assert read_steps(done.folder) == steps


def test_resumed_on_other_ranks(job: Job, foam: Path) -> None:
    """Oracle: the same job without interruption. Results are not bitwise equal if sums are formed in another order."""
    text = job_text(foam, more=TIGHT + '[run]\ndecomposition = "bricks"\n')
    job.write(text)
    whole = job.run("-n", "2", "--no-report")
    want = fields(whole.folder)
    job.write(text + EVERY_ITERATION)
    stopped = stop(job, 3, "run", "job.toml", "-n", "2")
    assert stopped.code == STOPPED, stopped.err
    done = resume(job, 3)
    assert done.code == 0, done.err
    assert "resumed after iteration" in done.err
    force, wanted = np.array(done.summary["reaction_N"]), np.array(whole.summary["reaction_N"])
    assert np.abs(force - wanted).max() <= 1e-10 * np.abs(wanted).max()
    u, v = want["displacement"].astype(float), fields(done.folder)["displacement"].astype(float)
    assert np.nanmax(np.abs(u - v)) <= 1e-6 * np.nanmax(np.abs(u)), "single precision of the file"


def test_a_damaged_slot_gives_way_to_the_other(job: Job, foam: Path) -> None:
    """Oracle: the same job without interruption. An earlier state of the job leads to an equal answer."""
    text = job_text(foam, more=TIGHT)
    job.write(text)
    want = fields(job.run("-n", "2", "--no-report").folder)
    job.write(text + EVERY_ITERATION)
    stopped = stop(job, 4, "run", "job.toml", "-n", "2")
    assert stopped.code == STOPPED, stopped.err
    slots = sorted((job.folder / "job.out/checkpoint").glob("slot_*.checkpoint"), key=lambda p: p.stat().st_mtime_ns)
    assert len(slots) == 2
    damaged = bytearray(slots[-1].read_bytes())
    damaged[len(damaged) // 3] ^= 4
    slots[-1].write_bytes(damaged)
    done = resume(job, 2)
    assert done.code == 0, done.err
    assert re.search(rf"{re.escape(slots[-1].name)}': .*(damaged|digest)", done.err)
    assert "using the other slot" in done.err
    assert f"{slots[0].name}'" in done.err.split("resumed", 1)[1]
    got = fields(done.folder)
    assert all(got[name].tobytes() == want[name].tobytes() for name in want)


def test_checkpoints_belong_to_a_job(job: Job, foam: Path) -> None:
    text = job_text(foam, more=TIGHT + EVERY_ITERATION)
    job.write(text)
    stopped = stop(job, 1, "run", "job.toml", "-n", "1")
    assert stopped.code == STOPPED, stopped.err
    for changed, what in (
        (text.replace("1e-11", "1e-10"), "belongs to another job (different keys that affect the answers)"),
        (text.replace("6829.0", "7000.0"), "belongs to another model (different voxels or materials)"),
    ):
        job.write(changed)
        refused = job.run("-n", "1", "--resume", "--no-report")
        assert refused.code == 3
        assert what in refused.err
        assert "start without --resume" in refused.err
    job.write(text.replace("width = 64", "width = 65"))  # no answer depends on the picture
    assert job.run("-n", "1", "--resume", "--no-report").code == 0


def test_resume_without_a_checkpoint(job: Job, sponge: Path) -> None:
    job.write(job_text(sponge))
    done = job.run("-n", "1", "--resume", "--no-report")
    assert done.code == 0
    assert "no checkpoint in 'job.out/checkpoint'; starting from iteration 0" in done.err
    done = resume(job, 1)
    assert done.code == 3
    assert "no checkpoint in 'job.out'" in done.err


def test_a_checkpoint_that_cannot_be_written(job: Job, foam: Path) -> None:
    """A failed periodic checkpoint causes only a warning, because hours of computing are more valuable. A failed
    checkpoint that was requested causes one message and an exit code."""
    (job.folder / "file").write_text("no folder")
    broken = '[checkpoint]\ndirectory = "file/checkpoint"\nevery_minutes = 1e-9\n'
    job.write(job_text(foam, more=broken))
    done = job.run("-n", "2", "--no-report")
    assert done.code == 0
    assert "warning: no checkpoint: cannot create the checkpoint folder 'file/checkpoint'" in done.err
    job.write(job_text(foam, more=broken.replace("file/checkpoint", "file")))
    assert job.run("-n", "1", "--no-report").code == 0
    assert (job.folder / "file").read_text() == "no folder"
    job.write(job_text(foam, more=TIGHT + broken))
    for _ in range(5):  # on a busy machine the solver may end before the signal arrives
        stopped = stop(job, 1, "run", "job.toml", "-n", "2", sign="warning: no checkpoint")
        if "the results are written" not in stopped.err:
            break
    assert stopped.code == 5, stopped.err
    assert stopped.seconds < 10
    assert len([line for line in stopped.err.splitlines() if line.startswith("osteon: ")]) == 1


def test_ranks_of_a_launcher_take_the_signal_themselves(job: Job, tmp_path: Path) -> None:
    """A batch system sends SIGUSR1 to the processes of a job. mpirun forwards this signal with some delay."""
    job.write(job_text(make_struts(tmp_path / "large.npy", 40), more=TIGHT + EVERY_ITERATION))
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    process = subprocess.Popen(
        ["mpirun", "-q", "--oversubscribe", "-np", "2", str(BINARY), "run", "job.toml", "--no-report"],
        cwd=job.folder,
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    )
    printed = ""
    while "checkpoint after" not in printed:
        printed += process.stderr.readline()
    process.send_signal(10)  # SIGUSR1
    printed += read_rest(process)
    assert process.returncode == STOPPED, printed
    assert resume(job, 1).code == 0
