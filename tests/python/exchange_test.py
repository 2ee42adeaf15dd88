"""osteon.exchange. Oracle: values that each rank computes from the data of the other ranks, and the rules for the
input."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from osteon import exchange

ROOT = Path(__file__).parents[2]
PROGRAM = """
import numpy as np
from mpi4py import MPI
from osteon.exchange import AllToAll, broadcast, prefix_sum, transpose

me, ranks = MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size


def parcel(sender, receiver):
    rows = (sender * 7 + receiver * 3) % 5
    return np.full((rows, 2), sender * 100 + receiver, np.float32)


for schedule in ("auto", "ring", "bruck"):
    with AllToAll(MPI.COMM_WORLD, schedule) as exchange:
        for _ in range(2):
            arrived = exchange([parcel(me, to) for to in range(ranks)])
            for sender in range(ranks):
                np.testing.assert_array_equal(arrived[sender], parcel(sender, me))
                assert arrived[sender].dtype == np.float32
        try:
            exchange([np.zeros(1)] * (ranks + 1))
        except ValueError as fault:
            assert "pass one for each" in str(fault)
        else:
            raise AssertionError("too many parcels were taken")
try:
    AllToAll(MPI.COMM_WORLD, "butterfly")
except ValueError as fault:
    assert "is not an all-to-all exchange" in str(fault)
else:
    raise AssertionError("a butterfly was taken")
whole = np.arange(35.0).reshape(5, 7)
cuts = [r * r * 5 // ranks**2 for r in range(ranks + 1)]
columns = transpose(MPI.COMM_WORLD, whole[cuts[me] : cuts[me + 1]])
np.testing.assert_array_equal(columns, whole.T[me * 7 // ranks : (me + 1) * 7 // ranks])
for kind in (np.float32, np.float64, np.int32, np.int64):
    values = np.array([[me + 1, 10 * me]], kind)
    sums = prefix_sum(MPI.COMM_WORLD, values)
    np.testing.assert_array_equal(sums, sum(np.array([[r + 1, 10 * r]], kind) for r in range(me + 1)))
    assert sums.dtype == kind
    np.testing.assert_array_equal(broadcast(MPI.COMM_WORLD, values, ranks - 1), [[ranks, 10 * (ranks - 1)]])
for refused in (
    lambda: prefix_sum(MPI.COMM_WORLD, np.zeros(2, complex)),
    lambda: broadcast(MPI.COMM_WORLD, np.zeros(2), ranks),
    lambda: transpose(MPI.COMM_WORLD, np.zeros(3)),
):
    try:
        refused()
    except ValueError as fault:
        assert "use float32" in str(fault) or "pass" in str(fault) or "is not one of" in str(fault)
    else:
        raise AssertionError("was taken")
print("rank", me, "done")
"""


def test_a_missing_library_is_named(monkeypatch):
    monkeypatch.setenv("OSTEON_EXCHANGE_LIBRARY", "/nonexistent/libosteon_exchange.so")
    with pytest.raises(FileNotFoundError, match="OSTEON_EXCHANGE_LIBRARY"):
        exchange._library_path()


@pytest.mark.skipif(importlib.util.find_spec("mpi4py") is None, reason="mpi4py is not installed")
@pytest.mark.parametrize("ranks", [1, 3])
def test_arrays_come_from_every_rank(ranks, tmp_path):
    try:
        exchange._library_path()
    except FileNotFoundError as fault:
        pytest.skip(str(fault))
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    done = subprocess.run(
        [str(ROOT / "tools/mpirun.sh"), str(ranks), sys.executable, str(program)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "python"), os.environ.get("PYTHONPATH", "")])},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("done") == ranks
