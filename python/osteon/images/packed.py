"""Compressed voxels: the largest size that a file can contain, and decompression that verifies all checksums."""

import bz2
import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from ..errors import DataError

# Deflate expands by a factor of at most 1032. A header that claims more can only be an attack on time or memory.
LARGEST_RATIO = 1032
HARMLESS = 1 << 30
BLOCK = 4 << 20


def most_unpacked(held: int, harmless: int = HARMLESS) -> int:
    """Return the largest number of bytes that this number of compressed bytes may claim to contain."""
    return max(LARGEST_RATIO * held, harmless)


def check_claim(
    claimed: int, path: Path, held: int | None = None, packed: bool = False, harmless: int = HARMLESS
) -> None:
    """Reject a header that claims more voxels than its file can contain. Call this function before allocation.

    @param claimed bytes of the voxels @param held bytes available; default: size of the file
    @param harmless bytes that any compressed file may claim
    """
    held = path.stat().st_size if held is None else held
    limit = most_unpacked(held, harmless) if packed else held
    if claimed > limit:
        raise DataError(
            f"'{path}' is truncated, or its header is damaged: the header requires {claimed} bytes of voxels, but the "
            f"{held} bytes available contain at most {limit}; copy it again"
        )


def unpacked(file: BinaryIO, path: Path, expected: int, kind: str) -> Iterator[bytes]:
    """Decompress a stream that extends to the end of its file, block by block.

    @param file open at the first compressed byte @param kind `gzip`, `bzip2` or `zlib`
    @throws DataError for a wrong checksum, an early end, or a length other than expected, at the latest after the last
            block
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
            f"'{path}' is truncated or damaged: its compressed voxels end early or are invalid ({e}); copy it again"
        ) from None
    if found != expected:
        much = "more than the" if found > expected else f"{found} of the"
        raise DataError(
            f"'{path}' is truncated or damaged: it decompresses to {much} {expected} bytes that its header requires; "
            "copy it again"
        )


def _blocks(file: BinaryIO, kind: str) -> Iterator[bytes]:
    if kind == "zlib":
        yield from _blocks_of_zlib(file)
        return
    # These readers verify the checksum at the end of each member, before they report the end of the stream.
    with gzip.GzipFile(fileobj=file) if kind == "gzip" else bz2.BZ2File(file) as stream:
        while block := stream.read(BLOCK):
            yield block


def _blocks_of_zlib(file: BinaryIO) -> Iterator[bytes]:
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 32)  # frames of zlib or gzip
    while data := file.read(BLOCK):
        while data and not unpacker.eof:
            yield unpacker.decompress(data, BLOCK)
            data = unpacker.unconsumed_tail
        if unpacker.eof and (unpacker.unused_data or file.read(1)):
            raise EOFError("bytes follow their end")
    if not unpacker.eof:
        raise EOFError("their end is missing")


def unpacked_length(path: Path) -> int:
    """Return the decompressed length of a gzip file, and verify its checksums.

    @throws OSError, EOFError, zlib.error if the file is damaged
    """
    length = 0
    with gzip.open(path) as file:
        while block := file.read(BLOCK):
            length += len(block)
    return length
