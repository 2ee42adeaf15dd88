"""DICOM files by pydicom, with memory bounded by the length of the file."""

import io
import logging
import os
import warnings
from pathlib import Path

# Bytes that any compressed file may claim, because a large uniform slice compresses to almost 0 bytes.
HARMLESS = 64 << 20


class BoundedFile(io.BufferedReader):
    """A file whose reads are limited to its length.

    Python allocates as many bytes as a read requests, and a damaged element length may request up to 4 GiB.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(io.FileIO(path))
        self._size = os.fstat(self.fileno()).st_size

    def read(self, size: int | None = -1, /) -> bytes:
        rest = max(self._size - self.tell(), 0)
        return super().read(rest if size is None or size < 0 else min(size, rest))


def read_tags(path: Path, **options):
    """Read tags as pydicom.dcmread does, without its warnings about values that violate the standard."""
    import pydicom

    logging.getLogger("pydicom").setLevel(logging.CRITICAL)
    with warnings.catch_warnings(), BoundedFile(path) as file:
        warnings.simplefilter("ignore")
        return pydicom.dcmread(file, **options)


def size_of_packed(data: bytes) -> tuple[int, int] | None:
    """Return rows and columns from the start of a JPEG, JPEG-LS or JPEG 2000 stream; None if the stream does not state
    the size.

    Decoders allocate the size stated in the stream. This size is therefore first compared with the tags of the file.
    """
    if data[:4] == b"\xff\x4f\xff\x51":  # start and size of a JPEG 2000 code stream
        width, height, left, top = (int.from_bytes(data[i : i + 4], "big") for i in (8, 12, 16, 20))
        return height - top, width - left
    at = 2
    while at + 9 <= len(data) and data[at] == 0xFF:
        marker, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
        if marker == 0xF7 or (0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC)):
            return int.from_bytes(data[at + 5 : at + 7], "big"), int.from_bytes(data[at + 7 : at + 9], "big")
        at += 1 if marker == 0xFF else 2 + length
    return None
