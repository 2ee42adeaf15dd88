"""`osteon run` under a real Slurm: steps of srun, scripts of sbatch, stop and continuation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from page_runner import blocks_of
from slurm_job import SlurmJob
from whole_job import BINARY, EVERY_ITERATION, ROOT, TIGHT, job_text, make_struts

STOPPED, USAGE, MACHINE = 75, 2, 5


def heat(image: Path) -> str:
    return job_text(image, "heat").replace("[picture]", "[picture]\nenabled = false")


def test_a_step_on_two_hosts(slurm_job: SlurmJob, sponge: Path) -> None:
    """Oracle: ranks and hosts of the summary, and the answer on one rank."""
    slurm_job.write(heat(sponge))
    alone = slurm_job.run(BINARY, "run", "job.toml", "-n", "1", "--no-report", "-o", "alone")
    assert alone.returncode == 0, alone.stderr
    done = slurm_job.run("srun", "-N2", "-n4", "--mpi=pmix", BINARY, "run", "job.toml", "--no-report")
    assert done.returncode == 0, done.stderr
    assert slurm_job.summary["ranks"] == 4


def test_script_of_the_tutorial(slurm_job: SlurmJob, sponge: Path) -> None:
    """The script of docs/tutorials/on_a_cluster.md, with fewer hosts and ranks. Oracle: its hosts and tasks."""
    page = (ROOT / "docs/tutorials/on_a_cluster.md").read_text()
    (script,) = [block.text for block in blocks_of(page) if block.name == "femur.sbatch"]
    changes = {
        "--nodes=4": "--nodes=2",
        "per-node=32": "per-node=2",
        "module load osteon": f"PATH={BINARY.parent}:$PATH",
    }
    for old, new in changes.items():
        assert old in script
        script = script.replace(old, new)
    slurm_job.write(heat(sponge)).rename(slurm_job.folder / "femur.toml")
    code, out = slurm_job.batch(script.removeprefix("#!/bin/bash\n"))
    assert code == 0, out
    summary = json.loads((slurm_job.folder / "femur.out/summary.json").read_text())
    assert summary["ranks"] == 4


def test_a_step_without_mpi_is_rejected(slurm_job: SlurmJob, sponge: Path) -> None:
    """Oracle: exit code 2, one sentence, no results."""
    slurm_job.write(heat(sponge))
    done = slurm_job.run("srun", "-n2", "--mpi=none", BINARY, "run", "job.toml", "--no-report")
    assert done.returncode == USAGE
    assert done.stderr.count("srun started 2 independent copies") == 1
    assert "--mpi=pmix" in done.stderr
    assert not (slurm_job.folder / "job.out").exists()


def test_a_signalled_job_is_queued_again_and_continues(slurm_job: SlurmJob) -> None:
    """The script of docs/reference/checkpoint.md. Oracle: the uninterrupted job."""
    text = job_text(make_struts(slurm_job.folder / "foam.npy", 28), more=TIGHT + EVERY_ITERATION)
    slurm_job.write(text.replace("[picture]", "[picture]\nenabled = false"))
    whole = slurm_job.run(BINARY, "run", "job.toml", "-n", "2", "--no-report", "-o", "whole")
    assert whole.returncode == 0, whole.stderr
    script = """#SBATCH --nodes=2 --ntasks-per-node=1
    srun --mpi=pmix {osteon} run job.toml --resume --no-report || { [ $? -eq 75 ] && scontrol requeue $SLURM_JOB_ID; }"""
    number = slurm_job.sbatch(script)
    slurm_job.wait_for_text(number, "checkpoint after iteration")
    slurm_job.cluster.good("scancel", "--signal=USR1", f"{number}.0")
    slurm_job.wait_for_text(number, "stopped on request after iteration")
    slurm_job.wait_for_text(number, "resumed after iteration", timeout=90)
    assert slurm_job.cluster.wait_for(number)["JobState"] == "COMPLETED", slurm_job.output(number)
    expected = json.loads((slurm_job.folder / "whole/summary.json").read_text())
    assert slurm_job.summary["apparent_modulus_MPa"] == pytest.approx(expected["apparent_modulus_MPa"], rel=1e-9)
    assert slurm_job.summary["iterations"] == expected["iterations"]
