"""Ranks, hosts, memory and launcher of `osteon run` from the allocation of a real Slurm."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from slurm_job import SlurmJob
from whole_job import BINARY, EVERY_ITERATION, job_text

USAGE, MACHINE = 2, 5


def heat(image: Path) -> str:
    return job_text(image, "heat").replace("[picture]", "[picture]\nenabled = false")


def test_ranks_of_two_hosts_start_by_srun(slurm_job: SlurmJob, sponge: Path) -> None:
    """Oracle: four tasks on two hosts, as requested."""
    slurm_job.write(heat(sponge))
    code, out = slurm_job.batch("{osteon} run job.toml --no-report", "-N2", "--ntasks-per-node=2", "--time=5")
    assert code == 0, out
    assert slurm_job.summary["ranks"] == 4
    assert "4 tasks on 2 hosts" in out
    assert "srun --mpi=pmix starts the ranks" in out
    assert slurm_job.hosts() == ["n1", "n2"]


def test_a_number_of_ranks_overrides_the_tasks(slurm_job: SlurmJob, sponge: Path) -> None:
    slurm_job.write(heat(sponge))
    code, out = slurm_job.batch("{osteon} run job.toml --no-report -n 3", "-N2", "--ntasks-per-node=2")
    assert code == 0, out
    assert slurm_job.summary["ranks"] == 3


def test_tasks_with_threads(slurm_job: SlurmJob, sponge: Path) -> None:
    """Two hosts of two cores. Oracle: a rank of two threads on each."""
    slurm_job.write(heat(sponge))
    code, out = slurm_job.batch("{osteon} run job.toml --no-report -t 2", "-N2", "--ntasks-per-node=1", "-c2")
    assert code == 0, out
    assert slurm_job.summary["ranks"] == 2
    assert slurm_job.hosts() == ["n1", "n2"]


def test_scaling_in_an_allocation(slurm_job: SlurmJob, sponge: Path) -> None:
    """Oracle: the ranks and hosts of each run."""
    slurm_job.write(heat(sponge))
    words = "-n 1,4 --repeat 1 --strong"
    code, out = slurm_job.batch(f"{{osteon}} bench scaling job.toml {words}", "-N2", "--ntasks-per-node=2")
    assert code == 0, out
    points = json.loads((slurm_job.folder / "scaling.out/scaling.json").read_text())["points"]
    assert [point["ranks"] for point in points] == [1, 4]
    manifest = slurm_job.folder / "scaling.out/strong_0004x001_1.out/manifest.json"
    assert sorted(json.loads(manifest.read_text())["hosts"]) == ["n1", "n2"]


def test_jobs_at_once_in_one_allocation(slurm_job: SlurmJob, sponge: Path) -> None:
    """Oracle: neither job waits for the step of the other one."""
    slurm_job.write(heat(sponge))
    run = "{osteon} run job.toml --no-report -n 2 -o"
    code, out = slurm_job.batch(f"{run} a & {run} b; code=$?; wait $! && exit $code", "-N1", "-n2", timeout=60)
    assert code == 0, out
    assert "busy" not in out
    assert "temporarily" not in out


def test_without_srun_the_reason_is_reported(slurm_job: SlurmJob, sponge: Path) -> None:
    """A PATH without srun, as in a container. Oracle: the ranks of one host, and one line with the reason."""
    slurm_job.write(heat(sponge))
    folder = slurm_job.folder / "bin"
    folder.mkdir()
    for program in ("mpirun", "orted", "sh", "hostname", "env"):
        found = shutil.which(program)
        if found is None:
            pytest.skip(f"{program} is not installed")
        (folder / program).symlink_to(found)
    code, out = slurm_job.batch(f"PATH={folder} {{osteon}} run job.toml --no-report", "-N2", "--ntasks-per-node=2")
    assert code == 0, out
    assert out.count("the ranks use 1 of the 2 hosts of the batch job, because srun is not installed") == 1
    assert slurm_job.summary["ranks"] == 2


def test_interface_that_srun_does_not_offer(slurm_job: SlurmJob, sponge: Path) -> None:
    slurm_job.write(heat(sponge))
    code, out = slurm_job.batch("{osteon} run job.toml --no-report -n 1", "-N2", SLURM_MPI_TYPE="pmix_v99")
    assert code == 0, out
    assert "srun does not offer --mpi=pmix_v99" in out


def large_picture(image: Path) -> str:
    """A job whose memory is mostly that of its picture, much more than that of the image reader."""
    return job_text(image, "heat").replace("width = 64\nheight = 64", "width = 2048\nheight = 2048")


NEEDS = re.compile(
    r"needs (\d+) MB of memory on a host \(2 ranks of (\d+) MB\), but Slurm job \d+ has (\d+) MB per host"
)


@pytest.mark.parametrize("launcher", ["", "srun -n2 --mpi=pmix "], ids=["parent", "srun"])
def test_memory_beyond_the_limit(slurm_job: SlurmJob, sponge: Path, launcher: str) -> None:
    """Oracle: exit code 5 before the solve, with both values; no process is killed."""
    slurm_job.write(large_picture(sponge))
    code, out = slurm_job.batch(f"{launcher}{{osteon}} run job.toml --no-report", "-N1", "-n2", "--mem=400")
    assert code == MACHINE, out
    found = NEEDS.search(out)
    assert found, out
    needed, of_rank, limit = map(int, found.groups())
    assert limit == round(400 * 1.048576)
    assert limit < needed == pytest.approx(2 * of_rank, abs=2)
    assert not list((slurm_job.folder / "job.out").glob("results*"))


def test_memory_just_below_the_limit(slurm_job: SlurmJob, sponge: Path) -> None:
    """Oracle: a job that is not rejected is not killed. Slurm measures the memory each second."""
    slurm_job.write(large_picture(sponge))
    code, out = slurm_job.batch("{osteon} run job.toml --no-report", "-N1", "-n2", "--mem=400")
    needed = int(NEEDS.search(out)[1])
    code, out = slurm_job.batch(
        "{osteon} run job.toml --no-report", "-N1", "-n2", f"--mem={int(needed / 1.048576) + 2}"
    )
    assert code == 0, out


def test_no_memory_for_a_checkpoint(slurm_job: SlurmJob, sponge: Path) -> None:
    """Slurm reports a lower limit to the ranks than to the check before the start. Oracle: the periodic checkpoints are
    reported as missing with both values, and the job continues."""
    slurm_job.write(heat(sponge) + EVERY_ITERATION)
    wrapper = slurm_job.folder / "srun"
    wrapper.write_text(
        '#!/bin/sh\ncase $* in *run*) export SLURM_MEM_PER_NODE=1 ;; esac\nunset SLURM_MEM_PER_CPU\nexec /usr/bin/srun --mem=0 "$@"\n'
    )
    wrapper.chmod(0o755)
    code, out = slurm_job.batch(f"PATH={slurm_job.folder}:$PATH {{osteon}} run job.toml --no-report", "-N1", "-n2")
    assert code == 0, out
    found = re.search(
        r"no checkpoint: a checkpoint requires ([0-9.e-]+) GB on this host .* but only ([0-9.e-]+) GB are", out
    )
    assert found, out
    assert 0 < float(found[1]) < 0.01
    assert float(found[2]) == 0


def test_pmi2_with_open_mpi(slurm_job: SlurmJob, sponge: Path) -> None:
    """Oracle: one sentence with the interface of Open MPI, instead of the text of each rank."""
    slurm_job.write(heat(sponge))
    done = slurm_job.run("srun", "-n2", "--mpi=pmi2", BINARY, "run", "job.toml", "--no-report")
    assert done.returncode == USAGE, done.stderr
    assert done.stderr.count("does not support the interface PMI-2 of this step; use srun --mpi=pmix") == 1


def test_a_host_without_the_file_system(slurm_job: SlurmJob, sponge: Path) -> None:
    """The folder of the job is hidden on the second host. Oracle: exit code 5, and the name of the host."""
    slurm_job.write(heat(sponge))
    cluster = slurm_job.cluster
    hidden = slurm_job.folder / "hidden"
    hidden.mkdir()
    for name in ("job.toml", "sponge.npy"):
        shutil.copy(slurm_job.folder / name, hidden)
    cluster.good_as_root("mount", "-t", "tmpfs", "none", hidden, host="n2")
    try:
        code, out = slurm_job.batch(
            f"cd {hidden} && {{osteon}} run job.toml --no-report", "-N2", "--ntasks-per-node=1", "-w", "n1,n2"
        )
    finally:
        cluster.good_as_root("umount", hidden, host="n2")
    assert code == MACHINE, out
    assert "on host n2 does not find 'job.toml', which other ranks find" in out
