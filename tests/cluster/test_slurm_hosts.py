"""A host that is lost, and programs that start by srun: placements and joined clusters."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from slurm_cluster import SlurmCluster, why_not
from slurm_job import SlurmJob
from whole_job import BINARY, EVERY_ITERATION, TIGHT, job_text, make_struts

NO_PICTURE = ("[picture]", "[picture]\nenabled = false")
COMPILER = BINARY.parents[2] / "bridge" / "bin" / "osteon-mpicc"


@pytest.fixture
def lossy_job(tmp_path: Path) -> Iterator[SlurmJob]:
    """A job in a separate cluster, one host of which the test ends."""
    if reason := why_not():
        pytest.skip(reason)
    with SlurmCluster(hosts=3) as cluster:
        yield SlurmJob(cluster, tmp_path)


def test_a_lost_host(lossy_job: SlurmJob) -> None:
    """Host n2 ends with its ranks, and the job then has one task instead of two. Oracle: Slurm queues the job again; the
    job continues from its checkpoint to the answer of an uninterrupted job."""
    text = job_text(make_struts(lossy_job.folder / "foam.npy", 30), more=TIGHT + EVERY_ITERATION)
    lossy_job.write(text.replace(*NO_PICTURE))
    whole = lossy_job.run(BINARY, "run", "job.toml", "-n", "2", "--no-report", "-o", "whole")
    assert whole.returncode == 0, whole.stderr
    run = "{osteon} run job.toml --requeue --no-report"
    number = lossy_job.sbatch(run, "-N2", "--ntasks-per-node=1", "--time=10")
    lossy_job.wait_for_text(number, "checkpoint after iteration", times=2)
    lossy_job.cluster.kill_host("n2")
    lossy_job.cluster.wait_for(number, ("PENDING",))
    lossy_job.cluster.good("scontrol", "update", f"JobId={number}", "NumNodes=1", "NumTasks=1", "NumCPUs=1")
    facts = lossy_job.cluster.wait_for(number, timeout=90)
    out = lossy_job.output(number)
    assert facts["JobState"] == "COMPLETED", out
    assert facts["Restarts"] == "1"
    assert "resumed after iteration" in out
    assert "1 task on 1 host" in out
    assert lossy_job.summary["ranks"] == 1
    expected = json.loads((lossy_job.folder / "whole/summary.json").read_text())
    assert lossy_job.summary["apparent_modulus_MPa"] == pytest.approx(expected["apparent_modulus_MPa"], rel=1e-9)


def test_a_placement_runs(slurm_job: SlurmJob, sponge: Path) -> None:
    """The default --mpi of the cluster is none. Oracle: one job of two ranks on the hosts of the placement."""
    slurm_job.write(job_text(sponge, "heat").replace(*NO_PICTURE))
    probed = slurm_job.run("srun", "-N2", "-n2", "--mpi=pmix", BINARY, "probe", "--budget", "1s", "-o", "machine.json")
    assert probed.returncode == 0, probed.stderr
    words = ["--job", "job.toml", "-n", "2", "--machine", "machine.json"]
    program = f"{BINARY} run job.toml --no-report"
    placed = slurm_job.run(BINARY, "place", *words, "--batch", "slurm", "--program", program, "-o", "placed.sbatch")
    assert placed.returncode == 0, placed.stderr
    assert '--mpi="${SLURM_MPI_TYPE:-pmix}"' in (slurm_job.folder / "placed.sbatch").read_text()
    text = (slurm_job.folder / "placed.sbatch").read_text().removeprefix("#!/bin/bash\n")
    code, out = slurm_job.batch(text)
    assert code == 0, out
    assert slurm_job.summary["ranks"] == 2
    emitted = slurm_job.run(BINARY, "place", *words, "--emit", "slurm", "-o", "hosts")
    line = next(line for line in emitted.stdout.splitlines() if "SLURM_HOSTFILE" in line).partition("use it as: ")[2]
    code, out = slurm_job.batch(line.replace("PROGRAM", f"{program} --force"), "-N2", "-n4")
    assert code == 0, out
    assert slurm_job.summary["ranks"] == 2


PROGRAM = """
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char** argv) {
  int rank, size;
  char host[64];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  long mine = 1L << (8 * rank), sum = 0;
  for (int turn = 0; turn < 50; ++turn) MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  gethostname(host, sizeof host);
  printf("rank %d of %d on %s: sum %lx\\n", rank, size, host, sum);
  MPI_Finalize();
  return 0;
}
"""

CLUSTERS = """
[[cluster]]
name = "open"
ranks = 2
launcher = ["srun", "--mpi=pmix", {first}]
adapter = "ompi4"
[[cluster]]
name = "mpich"
ranks = 2
launcher = ["srun", "--mpi=pmi2", {second}]
adapter = "mpich4"
"""


def write_program(folder: Path) -> None:
    if not COMPILER.exists():
        pytest.skip(f"{COMPILER} is not built")
    (folder / "program.c").write_text(PROGRAM)
    subprocess.run([COMPILER, folder / "program.c", "-o", folder / "program"], check=True, timeout=60)


def test_two_mpis_of_one_allocation(slurm_job: SlurmJob) -> None:
    """Without the key `server`. Oracle: one world of four ranks on two hosts."""
    write_program(slurm_job.folder)
    words = '"--exact", "-N2"'
    (slurm_job.folder / "clusters.toml").write_text(CLUSTERS.format(first=words, second=words))
    code, out = slurm_job.batch("{osteon} join clusters.toml -- ./program", "-N2", "-n4", "--mem-per-cpu=100")
    assert code == 0, out
    assert out.count("of 4 on n1: sum 1010101") == 2, out
    assert out.count("of 4 on n2: sum 1010101") == 2, out
    assert "connect to this machine as 'n1' (guessed)" in out


HETEROGENEOUS = "#SBATCH -N1 -n2\n#SBATCH hetjob\n#SBATCH -N2 -n2\n"


def test_heterogeneous_jobs_end(slurm_job: SlurmJob) -> None:
    """Twenty jobs, each over both groups with two MPIs. Oracle: all end with one world and without advice."""
    write_program(slurm_job.folder)
    groups = {"first": '"--het-group=0"', "second": '"--het-group=1"'}
    (slurm_job.folder / "clusters.toml").write_text(CLUSTERS.format(**groups))
    run = "for turn in $(seq 20); do timeout 40 {osteon} join clusters.toml -- ./program || exit; done"
    code, out = slurm_job.batch(HETEROGENEOUS + run, timeout=300)
    assert code == 0, out
    assert out.count("of 4 on n1: sum 1010101") == 40, out
    assert out.count("of 4 on n2: sum 1010101") == 20
    assert "--exact" not in out
