"""Exchanges of numpy arrays between the ranks of an mpi4py communicator.

    from mpi4py import MPI
    from osteon.exchange import AllToAll, broadcast, prefix_sum, transpose

    exchange = AllToAll(MPI.COMM_WORLD)
    received = exchange([numpy.arange(10 * to) for to in range(exchange.ranks)])
    columns = transpose(MPI.COMM_WORLD, rows)
    offset = prefix_sum(MPI.COMM_WORLD, numpy.array([len(rows)]))[0] - len(rows)

The module requires mpi4py with the MPI library of the osteon build, and the library libosteon_exchange.so.
"""

from __future__ import annotations

import ctypes
import itertools
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mpi4py import MPI

_MESSAGE_BYTES = 1024


def _library_path() -> Path:
    """Return $OSTEON_EXCHANGE_LIBRARY, or the library that was built with the program $OSTEON_BINARY."""
    named = os.environ.get("OSTEON_EXCHANGE_LIBRARY")
    program = os.environ.get("OSTEON_BINARY")
    if named:
        found = Path(named)
    elif program:
        found = Path(program).resolve().parents[1] / "osteon/comm/libosteon_exchange.so"
    else:
        found = Path("libosteon_exchange.so")
    if not found.exists():
        raise FileNotFoundError(
            f"{found} was not found; build it (cmake --build --preset release --target osteon_exchange) and set "
            "OSTEON_EXCHANGE_LIBRARY to its path"
        )
    return found


def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(str(_library_path()))
    library.osteon_all_to_all_schedule.restype = ctypes.c_char_p
    library.osteon_all_to_all_free.restype = None
    return library


def _pointer(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def _checked(function: Callable[..., int], *arguments: object) -> None:
    error = ctypes.create_string_buffer(_MESSAGE_BYTES)
    code = function(*arguments, error, ctypes.c_size_t(_MESSAGE_BYTES))
    if code:
        raise (ValueError if code == 2 else RuntimeError)(error.value.decode(errors="replace"))


def _address(comm: MPI.Comm) -> ctypes.c_void_p:
    from mpi4py import MPI

    return ctypes.c_void_p(MPI._addressof(comm))


class AllToAll:
    """Exchange parcels of any length between all ranks. An exchange is planned once, and can be repeated many times.

    `schedule` is shared (memory of one host), ring, shift:4x4, xor, pairwise, bruck, hierarchical:RANKS, transposition,
    or auto. Construction, calls and `close` are collective.
    """

    def __init__(self, comm: MPI.Comm, schedule: str = "auto", barriers: bool = False) -> None:
        """@throws ValueError for an unknown schedule, or for a schedule that does not support the number of ranks"""
        self._library = _library()
        self._handle = ctypes.c_void_p()
        self.ranks = comm.Get_size()
        self._call(
            "make",
            _address(comm),
            schedule.encode(),
            ctypes.c_int(barriers),
            ctypes.byref(self._handle),
        )

    def _call(self, function: str, *arguments: object) -> None:
        _checked(getattr(self._library, f"osteon_all_to_all_{function}"), *arguments)

    @property
    def schedule(self) -> str:
        """Name of the used schedule."""
        return self._library.osteon_all_to_all_schedule(self._handle).decode()

    def __call__(self, parcels: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Send parcels[r] to rank r. Return the received parcels in the order of the ranks.

        All parcels of all ranks must have the same type, and the same shape except for the first axis.
        """
        arrays = [np.atleast_1d(np.asarray(parcel)) for parcel in parcels]
        if len(arrays) != self.ranks:
            raise ValueError(f"{len(arrays)} parcels for {self.ranks} ranks: pass one for each, also if empty")
        kinds = {(array.dtype, array.shape[1:]) for array in arrays}
        if len(kinds) > 1 or arrays[0].dtype.hasobject:
            raise ValueError(
                f"parcels of types and row shapes {sorted(map(str, kinds))}: all must have the same numeric type"
            )
        out = np.concatenate(arrays)
        row_bytes = out.dtype.itemsize * int(np.prod(out.shape[1:], dtype=np.int64))
        to = np.array([len(array) for array in arrays], np.int64)
        counts = np.empty_like(to)
        self._call("counts", self._handle, _pointer(to), _pointer(counts))
        arrived = np.empty((int(counts.sum()), *out.shape[1:]), out.dtype)
        if row_bytes:
            self._call(
                "run",
                self._handle,
                _pointer(out),
                _pointer(to),
                _pointer(arrived),
                _pointer(counts),
                ctypes.c_int64(row_bytes),
            )
        return np.split(arrived, np.cumsum(counts)[:-1])

    def close(self) -> None:
        """Free the memory and the communicator."""
        if self._handle:
            self._library.osteon_all_to_all_free(self._handle)
            self._handle = ctypes.c_void_p()

    def __enter__(self) -> AllToAll:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def prefix_sum(comm: MPI.Comm, values: np.ndarray) -> np.ndarray:
    """Sum over this rank and all lower ranks by a binary tree. Each element is summed separately.

    `values` must have the same shape and type on all ranks. The type is float32, float64, int32 or int64. The function
    is collective.

    @throws ValueError for another type
    """
    sums = np.array(values, order="C")
    kind = {"float32": b"f", "float64": b"d", "int32": b"i", "int64": b"l"}.get(sums.dtype.name)
    if kind is None:
        raise ValueError(f"values of type {sums.dtype} have no prefix sum: use float32, float64, int32 or int64")
    _checked(
        _library().osteon_prefix_sum, _address(comm), _pointer(sums), ctypes.c_int64(sums.size), ctypes.c_char(kind)
    )
    return sums


def broadcast(comm: MPI.Comm, values: np.ndarray, root: int = 0) -> np.ndarray:
    """Return the values of rank `root`. A binomial tree sends these values. `values` must have the same shape and type
    on all ranks. The function is collective.

    @throws ValueError if the rank does not exist
    """
    result = np.array(values, order="C")
    if result.dtype.hasobject:
        raise ValueError(f"values of type {result.dtype}: pass numbers")
    _checked(
        _library().osteon_broadcast, _address(comm), _pointer(result), ctypes.c_int64(result.nbytes), ctypes.c_int(root)
    )
    return result


def transpose(comm: MPI.Comm, rows: np.ndarray, schedule: str = "auto") -> np.ndarray:
    """Return columns of a matrix. The rows of the matrix are distributed over the ranks in order. `rows` has shape (own
    rows, columns).

    The result has shape (own columns, rows). Rank r of P receives the columns [r n / P, (r + 1) n / P) of n columns,
    rounded down. Ranks may have any number of rows, including 0. The function is collective.
    """
    rows = np.asarray(rows)
    if rows.ndim != 2:
        raise ValueError(f"an array of {rows.ndim} dimensions: pass rows of a matrix, shape (own rows, columns)")
    ranks, columns = comm.Get_size(), rows.shape[1]
    cuts = [r * columns // ranks for r in range(ranks + 1)]
    own = cuts[comm.Get_rank() + 1] - cuts[comm.Get_rank()]
    with AllToAll(comm, schedule) as exchange:
        arrived = exchange([rows[:, a:b].T.ravel() for a, b in itertools.pairwise(cuts)])
    return np.concatenate([part.reshape(own, -1) if own else part.reshape(0, 0) for part in arrived], axis=1)
