"""Packed voxels: how much a file can hold at most, and unpacking that checks every sum to the end."""

import bz2
import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from ..errors import DataError

# Deflate makes at most 1032 bytes of one; what claims more than that is there to fill time or memory.
LARGEST_RATIO = 1032
HARMLESS = 1 << 30
BLOCK = 4 << 20


def most_unpacked(held: int, harmless: int = HARMLESS) -> int:
    """Bytes that so many packed ones may claim to hold."""
    return max(LARGEST_RATIO * held, harmless)


def check_claim(
    claimed: int, path: Path, held: int | None = None, packed: bool = False, harmless: int = HARMLESS
) -> None:
    """Refuse a header that asks for more voxels than its file can hold. To be called before memory is taken.

    @param claimed bytes of the voxels @param held bytes that there are; those of the file if left out
    @param harmless bytes that any packed file may claim
    """
    held = path.stat().st_size if held is None else held
    limit = most_unpacked(held, harmless) if packed else held
    if claimed > limit:
        raise DataError(
            f"'{path}' is truncated, or its header is damaged: the header asks for {claimed} bytes of voxels, the "
            f"{held} bytes that there are hold at most {limit}; copy it again"
        )


def unpacked(file: BinaryIO, path: Path, expected: int, kind: str) -> Iterator[bytes]:
    """All bytes of a packed stream that reaches to the end of its file, a block at a time.

    @param file open at the first packed byte @param kind `gzip`, `bzip2` or `zlib`
    @throws DataError if a checksum is wrong, if the stream ends early, or if it holds other than the expected bytes;
            it is known when all blocks are taken
    """
    check_claim(expected, path, packed=True)
    found = 0
    try:
        for block in _blocks(file, kind):
            found += len(block)
            if found > expected:
                break
            yield block
    except (zlib.error, OSError, EOFError, ValueError) as e:
        raise DataError(
            f"'{path}' is truncated or damaged: its packed voxels do not unpack to their end ({e}); copy it again"
        ) from None
    if found != expected:
        much = "more than the" if found > expected else f"{found} of the"
        raise DataError(
            f"'{path}' is truncated or damaged: it unpacks to {much} {expected} bytes that its header asks for; "
            "copy it again"
        )


def _blocks(file: BinaryIO, kind: str) -> Iterator[bytes]:
    if kind == "zlib":
        yield from _blocks_of_zlib(file)
        return
    # These check each member's sum when they come to its end, which is before they say that there is no more.
    with gzip.GzipFile(fileobj=file) if kind == "gzip" else bz2.BZ2File(file) as stream:
        while block := stream.read(BLOCK):
            yield block


def _blocks_of_zlib(file: BinaryIO) -> Iterator[bytes]:
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 32)  # zlib's own frame or that of gzip
    while data := file.read(BLOCK):
        while data and not unpacker.eof:
            yield unpacker.decompress(data, BLOCK)
            data = unpacker.unconsumed_tail
        if unpacker.eof and (unpacker.unused_data or file.read(1)):
            raise EOFError("there are bytes behind their end")
    if not unpacker.eof:
        raise EOFError("their end is missing")


def unpacked_length(path: Path) -> int:
    """Bytes that a gzip file unpacks to, when every checksum in it is right.

    @throws OSError, EOFError, zlib.error if it is damaged
    """
    length = 0
    with gzip.open(path) as file:
        while block := file.read(BLOCK):
            length += len(block)
    return length
