"""Projects of InVesalius (.inv3): a tar file, often gzipped, with main.plist and the raw matrix to which main.plist
refers.

A gzipped file ends with a checksum of all bytes. A plain tar file has only checksums of its headers. Therefore the
reader can verify sizes, but not voxels.
"""

import gzip
import plistlib
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from ..errors import DataError
from .packed import BLOCK, most_unpacked
from .pieces import Pieces, in_values
from .volume import Volume, check_shape

TYPES = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "float32", "float64")
LARGEST_PLIST = 1 << 20


def read_inv3(path: Path) -> Volume:
    with path.open("rb") as file:
        zipped = file.read(2) == b"\x1f\x8b"
    size = path.stat().st_size
    limit = most_unpacked(size) if zipped else size
    with (
        gzip.open(path) if zipped else path.open("rb") as stream,
        tarfile.open(fileobj=stream, mode="r:") as archive,
    ):
        members = _members(archive, limit, path)
        head = _main(archive, members, path)
        shape = tuple(head["shape"])
        check_shape(shape, str(path))
        kind = np.dtype(head["dtype"]).newbyteorder("<")
        matrix = _member(members, head["filename"], path)
        expected = int(np.prod(shape, dtype=np.int64)) * kind.itemsize
        if matrix.size != expected:
            raise DataError(
                f"'{path}' is truncated or damaged: its matrix has {matrix.size} bytes, but the "
                f"shape {list(shape)} of {head['dtype']} requires {expected}; copy it again"
            )

    def read() -> Iterator[np.ndarray]:
        with gzip.open(path) if zipped else path.open("rb") as stream:
            stream.seek(matrix.offset_data)
            yield from in_values(_blocks(stream, matrix.size), kind)
            while zipped and stream.read(BLOCK):  # The checksum of all bytes is at the end.
                pass

    values = Pieces(shape, kind, read)
    x, y, z = head["spacing"]
    return Volume(values, "inv3", (z, y, x), facts={"unit": "HU"} if head["modality"] == "CT" else {})


def _blocks(stream: BinaryIO, length: int) -> Iterator[bytes]:
    while length > 0 and (block := stream.read(min(length, BLOCK))):
        length -= len(block)
        yield block


def _members(archive: tarfile.TarFile, limit: int, path: Path) -> dict[str, tarfile.TarInfo]:
    """Return regular files by name. No file is written to disk, so paths in names are harmless."""
    members: dict[str, tarfile.TarInfo] = {}
    total = 0
    for member in archive:
        total += member.size
        if total > limit:
            raise DataError(f"'{path}' claims to contain more than {limit} bytes, which is impossible; do not trust it")
        if member.isreg() and not member.issparse():
            members[Path(member.name).name] = member
    return members


def _member(members: dict[str, tarfile.TarInfo], name: str, path: Path) -> tarfile.TarInfo:
    if name not in members:
        raise DataError(f"'{path}': missing '{name}', so the InVesalius project is incomplete; copy it again")
    return members[name]


def _main(archive: tarfile.TarFile, members: dict[str, tarfile.TarInfo], path: Path) -> dict:
    """Return the content of main.plist: shape (z, y, x), dtype, filename, spacing (x, y, z) in mm, modality."""
    member = _member(members, "main.plist", path)
    if member.size > LARGEST_PLIST:
        raise DataError(f"'{path}' has a main.plist of {member.size} bytes; the limit is {LARGEST_PLIST}")
    # Accept only XML, which InVesalius writes. plistlib rejects XML entities, because entities could expand without
    # limit.
    plist = plistlib.loads(archive.extractfile(member).read(), fmt=plistlib.FMT_XML)
    try:
        matrix = plist["matrix"]
        head = {
            "shape": [int(n) for n in matrix["shape"]],
            "dtype": str(matrix["dtype"]),
            "filename": Path(matrix["filename"]).name,
            "spacing": [float(h) for h in plist["spacing"]],
            "modality": plist.get("modality", ""),
        }
    except (KeyError, TypeError, ValueError) as e:
        raise DataError(f"the main.plist of '{path}' is not from an InVesalius project ({e!r})") from None
    if head["dtype"] not in TYPES or len(head["shape"]) != 3 or len(head["spacing"]) != 3:
        raise DataError(f"the main.plist of '{path}' does not describe a volume: {str(head)[:200]}")
    return head
