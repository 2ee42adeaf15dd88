"""Values of an image that are read piece by piece, so that the image may exceed the memory."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..errors import DataError
from .packed import BLOCK


@dataclass
class Pieces:
    """An array in C order. `read` yields the values in C order, in arrays of any shape. `read` is called once.

    `dtype` is None if the pieces have different types. The array then has a type that represents the values of all
    pieces.
    """

    shape: tuple[int, ...]
    dtype: np.dtype | None
    read: Callable[[], Iterator[np.ndarray]]

    def whole(self, source: str) -> np.ndarray:
        """Return the array. @throws DataError if the number of values does not match the shape"""
        count = int(np.prod(self.shape, dtype=np.int64))
        if self.dtype is None:
            pieces = [piece.ravel() for piece in self.read()]
            values = np.concatenate(pieces).astype(np.result_type(*{p.dtype for p in pieces}), copy=False)
            require_count(values.size, count, source)
            return values.reshape(self.shape)
        values = np.empty(count, self.dtype)
        at = 0
        for piece in self.read():
            if at + piece.size <= count:
                values[at : at + piece.size] = piece.ravel()
            at += piece.size
        require_count(at, count, source)
        return values.reshape(self.shape)


def require_count(found: int, expected: int, source: str) -> None:
    if found != expected:
        raise DataError(f"'{source}' is damaged: it contains {found} values instead of {expected}; copy it again")


def stored(path: Path, offset: int, kind: np.dtype, count: int) -> Iterator[np.ndarray]:
    """Yield values as stored in a file."""
    with path.open("rb") as file:
        file.seek(offset)
        while count > 0:
            values = np.fromfile(file, kind, min(count, BLOCK // kind.itemsize))
            if values.size == 0:
                raise DataError(f"'{path}' is truncated: {count} of its values are missing; copy it again")
            count -= values.size
            yield values


def in_values(blocks: Iterable[bytes], kind: np.dtype, skip: int = 0) -> Iterator[np.ndarray]:
    """Yield the values in blocks of bytes, after `skip` bytes. A value may extend over two blocks."""
    rest = b""
    for block in blocks:
        if skip >= len(block):
            skip -= len(block)
            continue
        data = rest + block[skip:] if rest or skip else block
        skip = 0
        whole = len(data) // kind.itemsize * kind.itemsize
        rest = bytes(data[whole:])
        if whole:
            yield np.frombuffer(data, kind, whole // kind.itemsize)
