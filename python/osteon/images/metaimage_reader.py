"""MetaImage (.mha, .mhd). The header is parsed here because ITK ignores the unit of the header and keys in lower case.
The voxels are read here because ITK does not verify the checksum of compressed voxels.
"""

import os
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..errors import DataError
from .placement import placed
from .volume import Volume, check_shape
from .voxel_files import VoxelFiles, numbered

ENDINGS = (".mha", ".mhd")
TYPES = {
    "MET_CHAR": "i1",
    "MET_UCHAR": "u1",
    "MET_SHORT": "i2",
    "MET_USHORT": "u2",
    "MET_INT": "i4",
    "MET_UINT": "u4",
    "MET_LONG": "i4",
    "MET_ULONG": "u4",
    "MET_LONG_LONG": "i8",
    "MET_ULONG_LONG": "u8",
    "MET_FLOAT": "f4",
    "MET_DOUBLE": "f8",
}
UNITS_MM = {"mm": 1.0, "um": 1e-3, "cm": 10.0}  # values of DistanceUnits; "?" and a missing unit mean mm, as in ITK
LONGEST_HEADER = 1 << 20


@dataclass
class Header:
    keys: dict[str, str]  # values by key in lower case
    end: int  # offset after the line ElementDataFile
    listed: list[str]  # data files on the lines after ElementDataFile = LIST
    shape: tuple[int, ...]  # z, y, x
    spacing: np.ndarray | None  # x, y, z in mm; None if it is not stated
    unit_mm: float

    def vector(self, *names: str) -> np.ndarray | None:
        """Return the numbers of the first key that is in the header."""
        for name in names:
            if name.lower() in self.keys:
                return np.array([float(v) for v in self.keys[name.lower()].split()])
        return None

    def is_true(self, *names: str) -> bool:
        return any(self.keys.get(name, "")[:1].lower() in ("t", "1", "y") for name in names)


def read_metaimage(path: Path) -> Volume:
    header = read_header(path)
    values = voxel_files(header, path).values()
    spacing, warnings = header.spacing, doubts(header, path)
    count = len(header.shape)
    stated = None if spacing is None else tuple(float(h) for h in spacing[:3][::-1])
    if count != 3:
        return Volume(values, "metaimage", stated, warnings=warnings)
    axes = header.vector("TransformMatrix", "Rotation", "Orientation")
    first = header.vector("Offset", "Position", "Origin")
    first = np.zeros(3) if first is None else first * header.unit_mm
    matrix = np.eye(3) if axes is None else axes.reshape(3, 3).T  # row i of the file is the direction of axis i
    if first.shape != (3,) or not (np.isfinite(first).all() and np.isfinite(matrix).all()):
        raise DataError(f"'{path}' states the position {first.tolist()}; it must be three finite numbers")
    step = np.zeros(3) if spacing is None else spacing
    placement = placed(first, matrix, step, str(path), axes is not None)
    return Volume(values, "metaimage", stated, placement, warnings=warnings)


def read_header(path: Path) -> Header:
    """@throws DataError if the header is truncated, inconsistent, or does not describe grey values"""
    keys, end, listed = _lines(path)
    try:
        header = Header(keys, end, listed, (), None, 1.0)
        count = int(keys.get("ndims", "0"))
        lengths = [int(n) for n in keys.get("dimsize", "").split()]
        channels = int(keys.get("elementnumberofchannels", "1") or 1)
        spacing = header.vector("ElementSpacing", "ElementSize")
    except ValueError as e:
        raise DataError(f"'{path}' has a damaged header ({e}); copy it again") from None
    if len(lengths) != count or not lengths:
        raise DataError(f"'{path}' states NDims = {count} and DimSize = {lengths}; copy it again")
    if channels != 1:
        raise DataError(f"'{path}': {channels} components per voxel; one is required")
    header.shape = tuple(lengths[::-1])
    check_shape(header.shape, str(path))
    header.unit_mm = _unit_mm(keys.get("distanceunits", ""), path)
    if spacing is not None:
        if len(spacing) != count:
            raise DataError(f"'{path}' states {len(spacing)} voxel sizes for {count} axes; copy it again")
        header.spacing = spacing * header.unit_mm
    return header


def _lines(path: Path) -> tuple[dict[str, str], int, list[str]]:
    keys: dict[str, str] = {}
    with path.open("rb") as file:
        while file.tell() < LONGEST_HEADER:
            line = file.readline(LONGEST_HEADER).decode("latin-1")
            key, _, value = re.sub("[=:]", "=", line, count=1).partition("=")
            keys[key.strip().lower()] = value.strip()
            if key.strip().lower() == "elementdatafile":
                keys["elementdatafile"] = _name(value.strip())
                names = _name(file.read(LONGEST_HEADER).decode("latin-1")) if value.strip()[:4] == "LIST" else ""
                return keys, file.tell(), [name.strip() for name in names.splitlines() if name.strip()]
            if not line:
                break
    raise DataError(f"'{path}' is truncated or not MetaImage: its header has no line ElementDataFile; copy it again")


def _name(text: str) -> str:
    """Return a file name with these bytes, independent of the encoding of the file system."""
    return os.fsdecode(text.encode("latin-1"))


def _unit_mm(unit: str, path: Path) -> float:
    if unit.strip("\"' ") in ("", "?"):
        return 1.0
    if unit.lower() not in UNITS_MM:
        raise DataError(f"'{path}' has DistanceUnits = {unit}; known: {', '.join(UNITS_MM)}. Correct the header")
    return UNITS_MM[unit.lower()]


def doubts(header: Header, path: Path) -> list[str]:
    """Return warnings about the header."""
    if header.unit_mm == 1.0 or header.spacing is None:
        return []
    unit = header.keys["distanceunits"]
    return [f"'{path}' states its lengths in {unit}, which are converted to mm; ITK does not convert them"]


def data_files(path: Path) -> list[Path]:
    """Return the data files of a header, existing or not; none if the voxels follow the header."""
    return _named(read_header(path), path) or []


def _named(header: Header, path: Path) -> list[Path] | None:
    name = header.keys["elementdatafile"]
    if name.upper() == "LOCAL":
        return None
    if name.split()[:1] == ["LIST"]:
        return [path.parent / each for each in header.listed]
    planes = int(np.prod([n for n in header.shape[:-2] if n > 0], dtype=np.int64))
    names = None if (path.parent / name).is_file() else numbered(name, planes, path)
    return [path.parent / each for each in names or [name]]


def voxel_files(header: Header, path: Path) -> VoxelFiles:
    """@throws DataError if voxels are missing, or their type is not a number"""
    keys = header.keys
    kind = TYPES.get(keys.get("elementtype", "").upper())
    if kind is None:
        raise DataError(f"'{path}' has ElementType '{keys.get('elementtype', '')}'; known: {', '.join(TYPES)}")
    others = _named(header, path)
    files = [path] if others is None else others
    is_packed = header.is_true("compresseddata")
    is_text = "binarydata" in keys and not header.is_true("binarydata")
    try:
        skip = int(keys.get("headersize", "0") or 0)
    except ValueError:
        skip = -2
    if skip < -1 or (skip == -1 and is_packed):
        raise DataError(
            f"'{path}' has HeaderSize = {keys['headersize']}; it must be at least 0, or -1 for uncompressed voxels"
        )
    if "LONG" in keys["elementtype"].upper() and "LONG_LONG" not in keys["elementtype"].upper():
        kind = _long(kind, header, files, path)
    big = header.is_true("binarydatabyteordermsb", "elementbyteordermsb")
    return VoxelFiles(
        path,
        files,
        header.shape,
        np.dtype(kind).newbyteorder(">" if big else "<"),
        begin=-1 if skip == -1 else skip + (header.end if others is None else 0),
        packing="zlib" if is_packed else None,
        is_text=is_text and not is_packed,
        exact="headersize" not in keys,
    )


def _long(kind: str, header: Header, files: list[Path], path: Path) -> str:
    """Return the type of MET_LONG, which has 4 or 8 bytes, depending on program and machine. The length of uncompressed
    voxels determines the type."""
    held = sum(file.stat().st_size for file in files if file.is_file()) - (header.end if files == [path] else 0)
    count = int(np.prod(header.shape, dtype=np.int64))
    return kind[0] + "8" if held == 8 * count and not header.is_true("compresseddata") else kind
