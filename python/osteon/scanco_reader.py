"""Scanco's AIM and ISQ, by aimio-py. Values stay as they are stored; the scanner's calibration is kept beside them."""

import re
import sys
from functools import partial
from pathlib import Path

import numpy as np

from .errors import DataError
from .placement import Placement
from .volume import Volume, check_shape

# Scanco's machines put a version behind the name: C0001234.ISQ;1
ENDING = re.compile(r"\.(aim|isq)(;\d+)?$", re.I)


def read_scanco(path: Path) -> Volume:
    try:
        import py_aimio
    except ImportError:
        raise DataError(
            f"'{path}' is of Scanco; to read it the Python package aimio-py is needed: "
            f"`{Path(sys.executable)} -m pip install aimio-py`"
        ) from None
    kind = ENDING.search(path.name).group(1).lower()
    head = py_aimio.aim_info(str(path)) if kind == "aim" else py_aimio.isq_info(str(path))
    check_shape(tuple(int(n) for n in head["dimensions"])[::-1], str(path))
    if kind == "aim":
        values, _ = py_aimio.read_aim(str(path))
        equation = partial(py_aimio.get_aim_density_equation, str(head.get("processing_log", "")))
    else:
        values, _ = py_aimio.read_isq(str(path))
        equation = partial(py_aimio.get_isq_density_equation, head)
    spacing = np.array([float(str(np.float32(h))) for h in head["element_size"]])  # stored in 32 bits: 0.082, as meant
    facts: dict[str, object] = {"unit": "Scanco native"}
    try:
        slope, intercept = equation()
    except ValueError:
        pass  # Not calibrated, which many images are not; then nothing is stated.
    else:
        facts["calibration"] = {"slope": slope, "intercept": intercept, "unit": "mg HA/cm3"}
    # The position counts voxels from the scanner's zero, and is that of the low corner.
    corner = np.array(head.get("position", (0, 0, 0)), float) * spacing
    x, y, z = (float(h) for h in spacing)
    return Volume(values, f"scanco {kind}", (z, y, x), Placement(corner), facts)
