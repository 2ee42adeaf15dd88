"""One program, compiled once, as one job under two MPIs that `osteon join` starts."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest
from two_mpis import join
from whole_job import BINARY

COMPILER = BINARY.parents[1] / "bridge" / "bin" / "osteon-mpicc"
PROGRAM = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  long mine = 1L << (8 * rank), sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  int next = -1;
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &next, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  printf("rank %d of %d: sum %lx, before me %d\\n", rank, size, sum, next);
  MPI_Finalize();
  return 0;
}
"""
KILLED = """
#include <mpi.h>
#include <signal.h>
int main(int argc, char** argv) {
  int rank, sum;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int k = 0;; ++k) {
    if (rank >= 2 && k == 20) raise(SIGKILL);
    MPI_Allreduce(&k, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
}
"""


def joined(folder: Path, program: str) -> subprocess.CompletedProcess[str]:
    if not COMPILER.exists():
        pytest.skip(f"{COMPILER} is not built")
    (folder / "program.c").write_text(program)
    subprocess.run([COMPILER, folder / "program.c", "-o", folder / "program"], check=True, timeout=60)
    return join(folder, folder / "program")


# Oracle: hand; every rank adds one digit, and the ring goes over both clusters.
def test_two_mpis_are_one_world(tmp_path: Path) -> None:
    done = joined(tmp_path, PROGRAM)
    assert done.returncode == 0, done.stderr
    expected = {
        f"[{'open' if rank < 2 else 'mpich'}] rank {rank} of 4: sum 1010101, before me {(rank + 3) % 4}"
        for rank in range(4)
    }
    assert expected <= set(done.stdout.splitlines())


# Oracle: the cluster that was killed is named, and the other one ends too, long before a connection would be given up.
def test_a_cluster_that_is_killed_ends_the_other(tmp_path: Path) -> None:
    began = time.monotonic()
    done = joined(tmp_path, KILLED)
    assert done.returncode != 0
    assert time.monotonic() - began < 30
    assert "cluster 'mpich' has ended" in done.stderr, done.stderr
