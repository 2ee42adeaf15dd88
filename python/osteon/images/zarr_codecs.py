"""Codecs of the chunks of Zarr."""

import bz2
import zlib
from dataclasses import dataclass

WBITS = {"zlib": 15, "gzip": 31}
KNOWN = ("zlib", "gzip", "bz2", "zstd", "lz4", "blosc")


@dataclass(frozen=True)
class Codec:
    """A conversion of bytes to bytes."""

    name: str


def decoded(data: bytes, codecs: list[Codec], expected: int) -> bytes:
    """Decode a chunk, to at most slightly more than the expected bytes.

    @param codecs in the order of encoding
    """
    for i in reversed(range(len(codecs))):
        # Checksums and further codecs before the last decoding add bytes, but no decoder creates a multiple of a chunk.
        limit = expected if i == 0 else 2 * expected + 65536
        data = checked_crc32c(data) if codecs[i].name == "crc32c" else _unpacked(data, codecs[i].name, limit)
    return data


def _unpacked(data: bytes, name: str, expected: int) -> bytes:
    if name in WBITS:
        unpacker = zlib.decompressobj(WBITS[name])
        found = unpacker.decompress(data, expected + 1)
        if not unpacker.eof:
            raise EOFError("the end of the stream is missing")  # the end contains the checksum
        if unpacker.unused_data:
            raise ValueError(f"{len(unpacker.unused_data)} bytes follow the end of the stream")
        return found
    if name == "bz2":
        opened = bz2.BZ2Decompressor()
        found = opened.decompress(data, expected + 1)
        if not opened.eof:
            raise EOFError("the end of the stream is missing")
        return found
    import imagecodecs

    if name == "blosc":
        unpacked, packed = (int.from_bytes(data[at : at + 4], "little") for at in (4, 12))
        if (unpacked, packed) != (expected, len(data)):
            raise ValueError(f"header: {packed} bytes, decompressed {unpacked}; expected {len(data)} and {expected}")
        return bytes(imagecodecs.blosc_decode(data))
    if name == "lz4":
        if int.from_bytes(data[:4], "little") != expected:
            raise ValueError(f"its header states {int.from_bytes(data[:4], 'little')} bytes; expected {expected}")
        return bytes(imagecodecs.lz4_decode(data, header=True))
    return bytes(imagecodecs.zstd_decode(data, out=expected + 1))


def _table() -> list[int]:
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


_CRC32C = _table()


def crc32c(data: bytes) -> int:
    """Checksum CRC-32C (Castagnoli)."""
    value = 0xFFFFFFFF
    for byte in data:
        value = value >> 8 ^ _CRC32C[(value ^ byte) & 255]
    return value ^ 0xFFFFFFFF


def checked_crc32c(data: bytes) -> bytes:
    """Return the data without the checksum of four bytes at the end. @throws ValueError for a wrong checksum"""
    if len(data) < 4 or crc32c(data[:-4]) != int.from_bytes(data[-4:], "little"):
        raise ValueError("its checksum (CRC-32C) is wrong")
    return data[:-4]
