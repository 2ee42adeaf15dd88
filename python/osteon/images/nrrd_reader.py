"""NRRD. pynrrd reads the header. This module decompresses compressed voxels up to the checksum at the end."""

import os
import re
from pathlib import Path

import numpy as np

from ..errors import DataError
from .placement import Placement, placed, split
from .units import in_mm
from .volume import Volume, check_shape
from .voxel_files import VoxelFiles, numbered

ENDINGS = (".nrrd", ".nhdr")
PACKED = {"gzip": "gzip", "gz": "gzip", "bzip2": "bzip2", "bz2": "bzip2"}
TEXT = ("ascii", "text", "txt")
LONGEST_HEADER = 1 << 20
LIST = re.compile(rb"^data ?file:[ \t]*LIST(?:[ \t]+\d+)?[ \t\r]*(?:\n|\Z)", re.M)
DATA_FILE = re.compile(rb"^data ?file:(.*)$", re.M)
# Coordinate systems of a header, as signs of LPS.
SPACES = {
    "left-posterior-superior": (1, 1, 1),
    "lps": (1, 1, 1),
    "right-anterior-superior": (-1, -1, 1),
    "ras": (-1, -1, 1),
    "left-anterior-superior": (1, -1, 1),
    "las": (1, -1, 1),
}


def read_nrrd(path: Path) -> Volume:
    header, end, names = read_header(path)
    sizes = [int(n) for n in header["sizes"]]
    check_shape(tuple(sizes[::-1]), str(path))
    axes = [i for i, n in enumerate(sizes) if n != 1] if len(sizes) > 3 else list(range(3))
    if len(axes) != 3:
        raise DataError(f"'{path}' has axes of {sizes} samples; three are required, z, y, x")
    values = voxel_files(header, end, names, path).values()
    spacing, placement, warnings = _geometry(header, axes, path)
    return Volume(values, "nrrd", spacing, placement, warnings=warnings)


def spacing_of(header, path: Path) -> tuple[tuple[float, float, float] | None, list[str]]:
    """Return the spacing in mm, or None if it is not stated, and warnings.

    @throws DataError if the same axis has a direction and a spacing, or if directions are not perpendicular
    """
    sizes = [int(n) for n in header["sizes"]]
    axes = [i for i, n in enumerate(sizes) if n != 1] if len(sizes) > 3 else list(range(3))
    if len(axes) != 3:
        return None, []
    spacing, _, warnings = _geometry(header, axes, path)
    return spacing, warnings


def _geometry(header, axes: list[int], path: Path) -> tuple[tuple | None, Placement | None, list[str]]:
    """Return spacing, placement and warnings."""
    unit = _unit_mm(path)
    scale = 1.0 if unit is None else unit
    space = str(header.get("space", "")).strip().lower()
    warnings = []
    if "space directions" not in header:
        spacing = _spacings(header, axes, scale)
        if unit is None and spacing is not None:
            warnings = [_without_unit(spacing, path)]
        return spacing if scale else None, None, warnings
    _refuse_both(header, axes, path)
    columns = np.asarray(header["space directions"], float)[axes].T
    if columns.shape != (3, 3):
        raise DataError(f"'{path}' has directions of {columns.shape[0]} components; three are required")
    signs = np.diag(SPACES.get(space, (1, 1, 1))).astype(float)
    lengths, directions = split(signs @ columns, str(path))
    first = signs @ np.asarray(header.get("space origin", np.zeros(3)), float)
    placement = placed(first * scale, directions, lengths * scale, str(path), space in SPACES)
    if not np.isfinite(placement.corner_mm).all():
        raise DataError(f"'{path}' states the origin {first.tolist()}; it must be finite")
    x, y, z = (float(h) for h in lengths * scale)
    if unit is None and space not in SPACES:  # patient coordinates are in mm by DICOM's convention
        warnings = [_without_unit((z, y, x), path)]
    return (z, y, x) if scale else None, placement, warnings


def _without_unit(spacing: tuple[float, float, float], path: Path) -> str:
    sizes = ", ".join(f"{h:g}" for h in spacing)
    return (
        f"'{path}' states voxels of {sizes} (z, y, x) without a unit; read as mm, as ITK does. If that is wrong, set "
        "spacing_mm in [image]"
    )


def _refuse_both(header, axes: list[int], path: Path) -> None:
    """Reject an axis with both a direction and a spacing, as teem and ITK do. The length of a direction is the voxel
    size."""
    directions = np.asarray(header["space directions"], float)
    spacings = np.asarray(header.get("spacings", np.full(len(directions), np.nan)), float)
    both = [i for i in axes if i < len(spacings) and np.isfinite(spacings[i]) and np.isfinite(directions[i]).all()]
    if both:
        lengths = ", ".join(f"{np.linalg.norm(directions[i]):g}" for i in both)
        others = ", ".join(f"{spacings[i]:g}" for i in both)
        raise DataError(
            f"'{path}' states both space directions (lengths {lengths}) and spacings ({others}) of the same axes, so "
            "its voxel size is ambiguous; remove one of the two from the header"
        )


def read_header(path: Path) -> tuple[dict, int, list[str] | None]:
    """Return the fields by pynrrd, the offset after the header, and the names of data files in a list."""
    import nrrd

    with path.open("rb") as file:
        head = file.read(LONGEST_HEADER)
        listed = LIST.search(head)
        if listed is not None and b"\n\n" not in head[: listed.start()].replace(b"\r", b""):
            names = [name.strip() for name in os.fsdecode(head[listed.end() :]).splitlines()]
            lines = [line + b"\n" for line in head[: listed.start()].split(b"\n")[:-1]]
            return nrrd.read_header(lines), 0, [name for name in names if name]
        file.seek(0)
        return nrrd.read_header(file), file.tell(), None


def data_files(path: Path) -> list[Path]:
    """Return the data files of a header, existing or not; none if the voxels follow the header."""
    header, _, names = read_header(path)
    return _named(header, names, path) or []


def _named(header, names: list[str] | None, path: Path) -> list[Path] | None:
    if names is not None:
        return [path.parent / name for name in names]
    named = header.get("data file", header.get("datafile"))
    if named is None:
        return None
    named = _data_file_as_written(path) or str(named)
    planes = int(np.prod([int(n) for n in header["sizes"]][2:], dtype=np.int64))
    several = None if (path.parent / named).is_file() else numbered(named, planes, path)
    return [path.parent / name for name in several or [named]]


def _data_file_as_written(path: Path) -> str | None:
    """Return the name in the header, from which pynrrd removes non-ASCII characters."""
    found = DATA_FILE.search(_head(path))
    return os.fsdecode(found[1].strip()) if found else None


def voxel_files(header, end: int, names: list[str] | None, path: Path) -> VoxelFiles:
    """@throws DataError if voxels are missing, or their type is not a number"""
    from nrrd.reader import _determine_datatype

    kind = _determine_datatype(header)
    if kind.kind not in "iuf":
        raise DataError(f"'{path}' has values of type '{header.get('type')}'; grey values are required")
    shape = tuple(int(n) for n in header["sizes"])[::-1]
    if int(header["dimension"]) != len(shape):
        raise DataError(f"'{path}' states {header['dimension']} dimensions and {len(shape)} sizes; copy it again")
    others = _named(header, names, path)
    encoding = str(header["encoding"]).lower()
    known = ("raw", *TEXT, *PACKED)
    if encoding not in known:
        raise DataError(f"'{path}' has the encoding '{encoding}'; known: {', '.join(known)}. Save it raw")
    lines, skip = (int(header.get(f"{what} skip", header.get(f"{what}skip", 0))) for what in ("line", "byte"))
    if lines < 0 or skip < -1:
        raise DataError(f"'{path}' skips {lines} lines and {skip} bytes; these must be at least 0 (bytes: or -1)")
    if skip == -1 and encoding != "raw":
        raise DataError(f"'{path}' has byte skip -1, but its voxels are compressed or text; save it without byte skip")
    begin = -1 if skip == -1 else end if others is None else 0
    packing = PACKED.get(encoding)
    return VoxelFiles(
        path,
        [path] if others is None else others,
        shape,
        kind,
        begin,
        packing,
        max(skip, 0),
        is_text=encoding in TEXT,
        lines=lines,
    )


def _spacings(header, axes: list[int], scale: float) -> tuple[float, float, float] | None:
    if "spacings" not in header:
        return None
    x, y, z = (scale * float(header["spacings"][i]) for i in axes)
    return (z, y, x) if all(np.isfinite(h) for h in (z, y, x)) else None


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(LONGEST_HEADER).replace(b"\r\n", b"\n").split(b"\n\n")[0]


def _unit_mm(path: Path) -> float | None:
    """Return the length of the header's unit in mm; None for no unit; 0 for an unknown unit, or if the axes have
    different units.

    The unit is parsed here because pynrrd removes non-ASCII characters and would change µm to m.
    """
    named = re.search(r"^(?:space units|units)\s*:\s*(.*)$", _text(_head(path)), re.M)
    units = {unit.strip().lower() for unit in re.findall(r'"([^"]*)"', named.group(1))} - {""} if named else set()
    if not units:
        return None
    return in_mm(units.pop()) or 0.0 if len(units) == 1 else 0.0
