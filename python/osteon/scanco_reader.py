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
    if ENDING.search(path.name).group(1).lower() == "aim":
        head = py_aimio.aim_info(str(path))
        # Stored in 32 bits: 0.082, as meant. The position counts voxels from the scanner's zero to the low corner.
        spacing = np.array([float(str(np.float32(h))) for h in head["element_size"]])
        corner = np.array(head["position"], float) * spacing
        read, kind = py_aimio.read_aim, "aim"
        equation = partial(py_aimio.get_aim_density_equation, str(head.get("processing_log", "")))
    else:
        head = py_aimio.isq_info(str(path))
        spacing = 1e-3 * np.array(head["dimensions_um"]) / np.array(head["dimensions_p"])
        corner = np.zeros(3)
        read, kind = py_aimio.read_isq, "isq"
        equation = partial(py_aimio.get_isq_density_equation, head)
    check_shape(tuple(int(n) for n in head["dimensions"])[::-1], str(path))
    values, _ = read(str(path))
    facts: dict[str, object] = {"unit": "Scanco native"}
    try:
        slope, intercept = equation()
    except ValueError:
        pass  # Not calibrated, which many images are not; then nothing is stated.
    else:
        facts["calibration"] = {"slope": slope, "intercept": intercept, "unit": "mg HA/cm3"}
    x, y, z = (float(h) for h in spacing)
    return Volume(values, f"scanco {kind}", (z, y, x), Placement(corner), facts)
