"""NRRD, by pynrrd."""

import re
from pathlib import Path

import numpy as np

from .errors import DataError
from .placement import placed, split
from .units import in_mm
from .volume import Volume, check_shape

ENDINGS = (".nrrd", ".nhdr")
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
    sizes = [int(n) for n in header["sizes"]]
    check_shape(tuple(sizes[::-1]), str(path))
    axes = [i for i, n in enumerate(sizes) if n != 1] if len(sizes) > 3 else list(range(3))
    if len(axes) != 3:
        raise DataError(f"'{path}' has axes of {sizes} samples; needed are three, z, y, x")
    values, _ = nrrd.read(str(path), index_order="C")
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
