"""NumPy archives, `.npz`: the array of the voxels, and optionally `spacing_mm` (z, y, x).

The format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html. Members are decompressed completely,
because zipfile verifies the checksum at the end of a member.
"""

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO

import numpy as np

from ..errors import DataError
from .packed import BLOCK, check_claim
from .pieces import Pieces, in_values
from .volume import Volume, check_shape

ENDINGS = (".npz",)
NAME = "image"  # array of the voxels, if there are several arrays of three axes
SPACING = "spacing_mm"


@dataclass
class Member:
    """Header of an array in an archive."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype
    is_fortran: bool
    offset: int  # offset of the values in the decompressed member


def read_npz(path: Path) -> Volume:
    with _reported_as_data_error(path), zipfile.ZipFile(path) as archive:
        members = [_member(archive, name, path) for name in archive.namelist() if name.endswith(".npy")]
        voxels = _voxels(members, path)
        check_shape(voxels.shape, str(path))
        return Volume(_values(path, voxels), "npz", _spacing(archive, members, path))


def read_structure(path: Path) -> tuple[Member, tuple[float, float, float] | None]:
    """Return the header of the voxels, and the spacing. @throws DataError"""
    with _reported_as_data_error(path), zipfile.ZipFile(path) as archive:
        members = [_member(archive, name, path) for name in archive.namelist() if name.endswith(".npy")]
        return _voxels(members, path), _spacing(archive, members, path)


@contextmanager
def _reported_as_data_error(path: Path) -> Iterator[None]:
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as e:
        raise DataError(f"'{path}' is truncated or damaged: {e}; save it again by numpy.savez_compressed") from None


def _member(archive: zipfile.ZipFile, name: str, path: Path) -> Member:
    info = archive.getinfo(name)
    with archive.open(info) as file:
        major, _ = np.lib.format.read_magic(file)
        read = np.lib.format.read_array_header_1_0 if major == 1 else np.lib.format.read_array_header_2_0
        shape, fortran, kind = read(file)
        offset = file.tell()
    if kind.hasobject:
        raise DataError(f"'{path}' contains Python objects in '{name}', which osteon does not load; save numbers")
    size = kind.itemsize
    for n in shape:
        size *= int(n)
    check_claim(size, path, info.compress_size, packed=info.compress_type != zipfile.ZIP_STORED)
    if info.file_size != offset + size:
        raise DataError(
            f"'{path}' is damaged: '{name}' has {info.file_size} bytes, but its header requires {offset + size}; "
            "copy it again"
        )
    return Member(name.removesuffix(".npy"), shape, kind, fortran, offset)


def _voxels(members: list[Member], path: Path) -> Member:
    found = [m for m in members if m.name == NAME] or [m for m in members if len(m.shape) >= 3]
    if len(found) == 1:
        return found[0]
    names = ", ".join(f"'{m.name}' {m.shape}" for m in members) or "nothing"
    raise DataError(
        f"'{path}' contains {names}; one array of shape (z, y, x) is required, or several with one named '{NAME}': "
        f"numpy.savez_compressed(path, {NAME}=..., {SPACING}=(dz, dy, dx))"
    )


def _spacing(archive: zipfile.ZipFile, members: list[Member], path: Path) -> tuple[float, float, float] | None:
    for m in members:
        if m.name != SPACING:
            continue
        if m.shape not in ((), (1,), (3,)) or m.dtype.kind not in "uif":
            raise DataError(f"'{path}': {SPACING} has shape {m.shape} of {m.dtype}; it must be 3 numbers (z, y, x)")
        with archive.open(m.name + ".npy") as file:
            file.read(m.offset)
            values = np.frombuffer(file.read(), m.dtype).astype(float)
        values = np.broadcast_to(values, 3)
        if not (np.isfinite(values) & (values > 0)).all():
            raise DataError(f"'{path}': {SPACING} is {values.tolist()}; voxel edges must be > 0")
        return (float(values[0]), float(values[1]), float(values[2]))
    return None


def _values(path: Path, member: Member) -> np.ndarray | Pieces:
    if member.is_fortran and len(member.shape) > 1:  # the planes are not contiguous in the member
        flat = Pieces(member.shape[::-1], member.dtype, partial(_pieces, path, member)).whole(str(path))
        return np.ascontiguousarray(flat.T)
    return Pieces(member.shape, member.dtype, partial(_pieces, path, member))


def _pieces(path: Path, member: Member) -> Iterator[np.ndarray]:
    with _reported_as_data_error(path), zipfile.ZipFile(path) as archive, archive.open(member.name + ".npy") as file:
        yield from in_values(_blocks(file), member.dtype, member.offset)


def _blocks(file: BinaryIO) -> Iterator[bytes]:
    while block := file.read(BLOCK):
        yield block
