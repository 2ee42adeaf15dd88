"""Write an image as .npy, piece by piece."""

from typing import BinaryIO

import numpy as np

from ..errors import DataError
from .pieces import require_count
from .volume import Volume, check_kind, not_finite, three_axes, too_wide, type_to_store

HEADER = 128  # bytes; longer than any needed header, so that the header can be written last
BLOCK = 1 << 20  # values


class WriteError(Exception):
    """An error of the output file, not of the image. The text is the text of the system's error."""


class NpyWriter:
    """Write pieces of an image in C order and collect statistics of their values.

    If a later piece requires a wider type, the earlier pieces are rewritten.
    """

    def __init__(self, file: BinaryIO):
        self.file = file  # open for reading and writing
        self.stored: np.dtype | None = None  # common type of all pieces
        self.dtype: np.dtype | None = None  # type in the file
        self.count = 0
        self.low: int | float | None = None
        self.high: int | float | None = None
        self.not_finite = 0
        self.first_not_finite = -1

    def append(self, piece: np.ndarray) -> None:
        kind = piece.dtype if self.stored is None else np.result_type(self.stored, piece.dtype)
        if self.stored is None or kind != self.stored:  # numpy reads None as float64
            self._widen(type_to_store(kind))
            self.stored = kind
        values = np.ascontiguousarray(piece, self.dtype).ravel()
        if values.size == 0:
            return
        if values.dtype.kind == "f":
            self._look_for_not_finite(values)
        low, high = values.min().item(), values.max().item()
        self.low = low if self.low is None else min(self.low, low)
        self.high = high if self.high is None else max(self.high, high)
        self._put(self.count, values)
        self.count += values.size

    def finish(self, shape: tuple[int, int, int], source: str) -> None:
        """Write the header. @throws DataError for values that are not allowed"""
        require_count(self.count, int(np.prod(shape, dtype=np.int64)), source)
        if self.dtype.kind in "iu" and self.dtype.itemsize > 4:
            if self.low < -(2**31) or self.high >= 2**31:
                raise DataError(too_wide(source, self.low, self.high))
            self._narrow(np.dtype("<i4"))
        if self.not_finite:
            first = tuple(int(i) for i in np.unravel_index(self.first_not_finite, shape))
            raise DataError(not_finite(source, self.not_finite, first))
        self.low, self.high = (self.dtype.type(v).item() for v in (self.low, self.high))
        self._put_header(shape)

    def _look_for_not_finite(self, values: np.ndarray) -> None:
        bad = ~np.isfinite(values)
        count = int(np.count_nonzero(bad))
        if count and not self.not_finite:
            self.first_not_finite = self.count + int(np.argmax(bad))
        self.not_finite += count

    def _put_header(self, shape: tuple[int, int, int]) -> None:
        kind = np.lib.format.dtype_to_descr(self.dtype)
        text = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {tuple(int(n) for n in shape)}, }}"
        start = b"\x93NUMPY\x01\x00" + (HEADER - 10).to_bytes(2, "little")
        try:
            self.file.seek(0)
            self.file.write(start + text.encode("ascii").ljust(HEADER - 11) + b"\n")
            self.file.flush()
        except OSError as e:
            raise WriteError(e.strerror) from None

    def _put(self, first: int, values: np.ndarray) -> None:
        try:
            self.file.seek(HEADER + first * values.dtype.itemsize)
            self.file.write(values.data)
        except OSError as e:
            raise WriteError(e.strerror) from None

    def _read(self, first: int, count: int) -> np.ndarray:
        try:
            self.file.seek(HEADER + first * self.dtype.itemsize)
            return np.frombuffer(self.file.read(count * self.dtype.itemsize), self.dtype)
        except OSError as e:
            raise WriteError(e.strerror) from None

    def _widen(self, to: np.dtype) -> None:
        # Start at the end, so that unread data are not overwritten.
        last = (self.count - 1) // BLOCK * BLOCK if self.count and to != self.dtype else -1
        for first in range(last, -1, -BLOCK):
            self._put(first, self._read(first, min(BLOCK, self.count - first)).astype(to))
        self.dtype = to

    def _narrow(self, to: np.dtype) -> None:
        for first in range(0, self.count, BLOCK):
            self._put(first, self._read(first, min(BLOCK, self.count - first)).astype(to))
        self.dtype = to
        try:
            self.file.truncate(HEADER + self.count * to.itemsize)
        except OSError as e:
            raise WriteError(e.strerror) from None


def write_pieces(volume: Volume, source: str, file: BinaryIO) -> tuple[NpyWriter, tuple[int, int, int]]:
    """Check and write an image from its reader. Return the statistics of the values, and the shape.

    @throws DataError for colours, text, wrong dimensions, NaN and infinities; WriteError
    """
    values = volume.values
    if values.dtype is not None:
        check_kind(values.dtype, source)
    shape = three_axes(values.shape, source)
    writer = NpyWriter(file)
    if isinstance(values, np.ndarray):
        for plane in values.reshape(shape):
            writer.append(plane)
    else:
        for piece in values.read():
            writer.append(piece)
    writer.finish(shape, source)
    return writer, shape
