"""NRRD, the header by pynrrd; packed voxels are unpacked here, to the end, where their checksum is."""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ..errors import DataError
from .packed import check_claim, unpacked
from .pieces import Pieces, in_values, stored
from .placement import placed, split
from .units import in_mm
from .volume import Volume, check_shape

ENDINGS = (".nrrd", ".nhdr")
PACKED = {"gzip": "gzip", "gz": "gzip", "bzip2": "bzip2", "bz2": "bzip2"}
TEXT = ("ascii", "text", "txt")
# Axes that a header may be in, as signs of LPS.
SPACES = {
    "left-posterior-superior": (1, 1, 1),
    "lps": (1, 1, 1),
    "right-anterior-superior": (-1, -1, 1),
    "ras": (-1, -1, 1),
    "left-anterior-superior": (1, -1, 1),
    "las": (1, -1, 1),
}


def read_nrrd(path: Path) -> Volume:
    import nrrd

    with path.open("rb") as file:
        header = nrrd.read_header(file)
        end = file.tell()
    sizes = [int(n) for n in header["sizes"]]
    check_shape(tuple(sizes[::-1]), str(path))
    axes = [i for i, n in enumerate(sizes) if n != 1] if len(sizes) > 3 else list(range(3))
    if len(axes) != 3:
        raise DataError(f"'{path}' has axes of {sizes} samples; needed are three, z, y, x")
    values = _values(header, end, tuple(sizes[::-1]), path)
    unit = _unit_mm(path)
    if "space directions" not in header:
        return Volume(values, "nrrd", _spacings(header, axes, unit))
    columns = np.asarray(header["space directions"], float)[axes].T
    if columns.shape != (3, 3):
        raise DataError(f"'{path}' has directions of {columns.shape[0]} components; needed are three")
    space = str(header.get("space", "")).strip().lower()
    signs = np.diag(SPACES.get(space, (1, 1, 1))).astype(float)
    lengths, directions = split(signs @ columns, str(path))
    first = signs @ np.asarray(header.get("space origin", np.zeros(3)), float)
    scale = unit or 0
    placement = placed(first * scale, directions, lengths * scale, str(path), space in SPACES)
    if not np.isfinite(placement.corner_mm).all():
        raise DataError(f"'{path}' states the origin {first.tolist()}; it has to be finite")
    x, y, z = (float(h) for h in lengths * (unit or 1))
    return Volume(values, "nrrd", (z, y, x) if unit else None, placement)


def _values(header, end: int, shape: tuple[int, ...], path: Path) -> np.ndarray | Pieces:
    import nrrd
    from nrrd.reader import _determine_datatype

    kind = _determine_datatype(header)
    if kind.kind not in "iuf":
        raise DataError(f"'{path}' holds values of type '{header.get('type')}'; needed are grey values")
    if int(header["dimension"]) != len(shape):
        raise DataError(f"'{path}' states {header['dimension']} dimensions and {len(shape)} sizes; copy it again")
    named = header.get("data file", header.get("datafile"))
    data = path if named is None else path.parent / str(named)
    encoding = str(header["encoding"]).lower()
    start = end if named is None else 0
    lines, skip = (int(header.get(f"{what} skip", header.get(f"{what}skip", 0))) for what in ("line", "byte"))
    count = int(np.prod(shape, dtype=np.int64))
    if encoding not in PACKED:
        # As text, a value has at least a digit and what parts it from the next.
        check_claim(2 * count - 1 if encoding in TEXT else count * kind.itemsize, data)
        if encoding == "raw" and min(lines, skip + 1) >= 0:
            size = data.stat().st_size
            first = size - count * kind.itemsize if skip == -1 else _behind(data, start, lines) + skip
            if (size - first) // kind.itemsize == count:
                return Pieces(shape, kind, lambda: stored(data, first, kind, count))
        return nrrd.read(str(path), index_order="C")[0]
    if lines < 0 or skip < -1:
        raise DataError(f"'{path}' skips {lines} lines and {skip} bytes; allowed are 0 and more (and -1 byte)")
    if skip == -1:
        raise DataError(f"'{path}' has byte skip -1 although its voxels are packed; save it without one")
    check_claim(skip + count * kind.itemsize, data, packed=True)

    def read() -> Iterator[np.ndarray]:
        with data.open("rb") as file:
            file.seek(_behind(data, start, lines))
            blocks = unpacked(file, data, skip + count * kind.itemsize, PACKED[encoding])
            yield from in_values(blocks, kind, skip)

    return Pieces(shape, kind, read)


def _behind(data: Path, start: int, lines: int) -> int:
    """Where a file is after so many lines behind `start`."""
    with data.open("rb") as file:
        file.seek(start)
        for _ in range(min(lines, data.stat().st_size)):
            file.readline()
        return file.tell()


def _spacings(header, axes: list[int], unit: float | None) -> tuple[float, float, float] | None:
    if "spacings" not in header or unit is None:
        return None
    x, y, z = (unit * float(header["spacings"][i]) for i in axes)
    return (z, y, x)


def _unit_mm(path: Path) -> float | None:
    """Length in mm of the header's unit; 1 if it states none (mm by custom), None if it is unknown.

    Read here, as pynrrd drops what is not ASCII: µm would become m.
    """
    with path.open("rb") as file:
        head = file.read(65536).split(b"\n\n")[0]
    try:
        text = head.decode("utf-8")
    except UnicodeDecodeError:
        text = head.decode("latin-1")
    named = re.search(r"^(?:space units|units)\s*:\s*(.*)$", text, re.M)
    units = {unit.strip().lower() for unit in re.findall(r'"([^"]*)"', named.group(1))} - {""} if named else set()
    if not units:
        return 1.0
    return in_mm(units.pop()) if len(units) == 1 else None
