"""Tests of one program that is compiled once. The program runs as one job under two MPIs that `osteon join` starts."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from two_mpis import join
from whole_job import BINARY

COMPILER = BINARY.parents[2] / "bridge" / "bin" / "osteon-mpicc"
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


def joined(folder: Path, program: str, **variables: str) -> subprocess.CompletedProcess[str]:
    if not COMPILER.exists():
        pytest.skip(f"{COMPILER} is not built")
    (folder / "program.c").write_text(program)
    subprocess.run([COMPILER, folder / "program.c", "-o", folder / "program"], check=True, timeout=60)
    return join(folder, folder / "program", **variables)


# Oracle: determined by hand. Every rank adds one digit, and the ring spans both clusters.
def test_two_mpis_are_one_world(tmp_path: Path) -> None:
    done = joined(tmp_path, PROGRAM)
    assert done.returncode == 0, done.stderr
    expected = {
        f"[{'open' if rank < 2 else 'mpich'}] rank {rank} of 4: sum 1010101, before me {(rank + 3) % 4}"
        for rank in range(4)
    }
    assert expected <= set(done.stdout.splitlines())


COLLECTIVES = """
#include <mpi.h>
int main(int argc, char** argv) {
  int rank, size, all[64], some[64] = {0};
  double sum[3], own[3] = {1, 2, 3};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Bcast(some, 7, MPI_INT, size - 1, MPI_COMM_WORLD);
  MPI_Allreduce(own, sum, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Reduce(own, sum, 3, MPI_DOUBLE, MPI_MAX, 1, MPI_COMM_WORLD);
  MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, 2, MPI_COMM_WORLD);
  MPI_Scatter(some, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Alltoall(some, 2, MPI_INT, all, 2, MPI_INT, MPI_COMM_WORLD);
  MPI_Scan(own, sum, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
"""


def verified(folder: Path, lines: list[str]) -> dict:
    """Return the output of `osteon plan` for a list of messages."""
    (folder / "messages.txt").write_text("\n".join(lines) + "\n")
    done = subprocess.run(
        [BINARY, "plan", "messages.txt", "--json", "-"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd=folder,
    )
    return json.loads(done.stdout)


# Oracle: the verifier of plans, on both ends of every message that the collectives of the bridge send. There is one
# round per collective. The verifier detects a missing end and an end of different length.
def test_what_collectives_send_between_clusters_is_a_sound_plan(tmp_path: Path) -> None:
    done = joined(tmp_path, COLLECTIVES, OSTEON_BRIDGE_TRACE=str(tmp_path / "trace"))
    assert done.returncode == 0, done.stderr
    ends = [line.split() for rank in range(4) for line in (tmp_path / f"trace.{rank}").read_text().splitlines()]
    ends = [e for e in ends if e[2] != e[3]]  # data that a rank keeps are not a message of a plan
    number = {key: n for n, key in enumerate(sorted({(int(e[0]), int(e[1])) for e in ends}))}
    assert len(number) >= 9
    lines = [" ".join([str(number[int(e[0]), int(e[1])]), *e[2:]]) for e in ends]
    assert sum(line.endswith(" sent") for line in lines) * 2 == len(lines)
    assert all(plan["verified"] for plan in verified(tmp_path, lines)["plans"])
    assert any((int(e[2]) < 2) != (int(e[3]) < 2) for e in ends)  # between the clusters
    assert not any(plan["verified"] for plan in verified(tmp_path, lines[1:])["plans"])
    first = lines[0].split()
    first[3] = str(int(first[3]) + 1)
    assert not any(plan["verified"] for plan in verified(tmp_path, [" ".join(first), *lines[1:]])["plans"])


# Oracle: the killed cluster is named. The other cluster also ends, long before the connection time-out.
def test_a_cluster_that_is_killed_ends_the_other(tmp_path: Path) -> None:
    began = time.monotonic()
    done = joined(tmp_path, KILLED)
    assert time.monotonic() - began < 30
    assert done.returncode == 137
    # the line occurs once, although all ranks detect the failure
    assert done.stderr.count("cluster 'mpich' has ended") == 1, done.stderr
    assert "one of its processes was killed by signal 9 (Killed)" in done.stderr


# Oracle: determined by hand. An error that all ranks have, such as this variable, is reported once per cluster.
def test_a_fault_of_all_ranks_is_reported_once_per_cluster(tmp_path: Path) -> None:
    done = joined(tmp_path, PROGRAM, OSTEON_WIRE_STREAMS="40")
    assert done.returncode == 70
    assert done.stderr.count("OSTEON_WIRE_STREAMS: 40 must be in 1 .. 16") <= 2, done.stderr
    assert "osteon bridge: OSTEON_WIRE_STREAMS: 40 must be in 1 .. 16" in done.stderr


# Oracle: determined by hand.
def test_the_wrappers_compile_or_say_how(tmp_path: Path) -> None:
    if not COMPILER.exists():
        pytest.skip(f"{COMPILER} is not built")
    (tmp_path / "hello.cpp").write_text(
        "#include <mpi.h>\n#include <iostream>\nint main() {\n  MPI_Init(nullptr, nullptr);\n  int n = 0;\n"
        '  MPI_Comm_size(MPI_COMM_WORLD, &n);\n  std::cout << "size " << n << std::endl;\n  MPI_Finalize();\n}\n'
    )
    subprocess.run(
        [COMPILER.with_name("osteon-mpicxx"), "hello.cpp", "-o", "hello"], check=True, timeout=60, cwd=tmp_path
    )
    alone = subprocess.run([tmp_path / "hello"], capture_output=True, text=True, timeout=60, check=False)
    assert alone.stdout == "size 1\n", alone.stderr
    (tmp_path / "bin").mkdir()
    for name in (
        "osteon-mpicc",
        "osteon-mpicxx",
        "osteon-mpif90",
    ):  # the state after ./run demo, which builds osteon only
        shutil.copy(COMPILER.with_name(name), tmp_path / "bin" / name)
        done = subprocess.run(
            [tmp_path / "bin" / name, "hello.cpp"], capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 1
        assert f"{name}: mpi" in done.stderr
        assert "not built yet; build them:\n  cmake --build" in done.stderr
