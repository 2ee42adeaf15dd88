"""Scanco's AIM and ISQ, by aimio-py. Values remain as stored; the scanner's calibration is returned separately.

density = slope * value + intercept in mg HA/cm3; the slope includes the scaling of the attenuation (mu_scaling).
"""

import re
import struct
from pathlib import Path

import numpy as np

from ..errors import DataError
from ..extras import missing_package
from .packed import check_claim
from .placement import Placement
from .volume import Volume, check_shape

# Scanco's machines append a version to the name: C0001234.ISQ;1
ENDING = re.compile(r"\.(aim|isq)(;\d+)?$", re.I)
BLOCK = 512
# Bytes of a value by type number. Other types are run-length encoded with one byte per value.
PLAIN_AIM = {65537: 1, 131074: 2, 262148: 4}


def read_scanco(path: Path) -> Volume:
    try:
        import py_aimio
    except ImportError:
        needed = missing_package(ImportError(name="py_aimio"))
        raise DataError(f"'{path}' is a Scanco file: {needed}") from None
    if ENDING.search(path.name).group(1).lower() == "aim":
        _check_blocks(path)
        head = py_aimio.aim_info(str(path))
        # The spacing is stored in 32 bits; convert it to the shortest decimal number, such as 0.082. The position
        # counts voxels from the scanner's origin to the low corner.
        spacing = np.array([float(str(np.float32(h))) for h in head["element_size"]])
        corner = np.array(head["position"], float) * spacing
        read, kind = py_aimio.read_aim, "aim"
        first, value_bytes = int(head["byte_offset"]), PLAIN_AIM.get(int(head["aim_type"]), 0)
        line = _aim_calibration(py_aimio, str(head.get("processing_log", "")))
    else:
        head = py_aimio.isq_info(str(path))
        spacing = 1e-3 * np.array(head["dimensions_um"]) / np.array(head["dimensions_p"])
        corner = np.zeros(3)
        read, kind = py_aimio.read_isq, "isq"
        first, value_bytes = BLOCK, 2
        line = _isq_calibration(py_aimio, path)
    shape = tuple(int(n) for n in head["dimensions"])[::-1]
    check_shape(shape, str(path))
    claimed = int(np.prod(shape, dtype=np.int64)) * (value_bytes or 1)
    check_claim(claimed, path, max(0, path.stat().st_size - first), packed=value_bytes == 0)
    values, _ = read(str(path))
    facts: dict[str, object] = {"unit": "Scanco native"}
    if line is not None and np.isfinite(line).all() and line[0] > 0:
        facts["calibration"] = {"slope": line[0], "intercept": line[1], "unit": "mg HA/cm3"}
    x, y, z = (float(h) for h in spacing)
    return Volume(values, f"scanco {kind}", (z, y, x), Placement(corner), facts)


def _check_blocks(path: Path) -> None:
    """Compare the lengths of an AIM's blocks (header, structure, log, voxels) with the length of the file."""
    with path.open("rb") as file:
        head = file.read(64)
    new = head.startswith(b"AIMDATA_V030")
    if len(head) < 64:
        raise DataError(f"'{path}' is truncated: its {len(head)} bytes are not a header of an AIM; copy it again")
    first = 16 if new else 0
    blocks = struct.unpack_from("<5q" if new else "<5i", head, first)
    size = path.stat().st_size
    if min(blocks) < 0 or first + sum(blocks[:4]) > size:
        raise DataError(
            f"'{path}' is truncated, or its header is damaged: its header requires blocks of {list(blocks)} bytes, the "
            f"file has {size}; copy it again"
        )


def _aim_calibration(py_aimio, log: str) -> tuple[float, float] | None:
    try:
        return py_aimio.get_aim_density_equation(log)
    except (ValueError, ZeroDivisionError):
        return None  # The image is not calibrated, which is common.


def _isq_calibration(py_aimio, path: Path) -> tuple[float, float] | None:
    """Read the density calibration from the header's block `Calibration`, if it exists.

    The slope refers to the attenuation in 1/cm, which is the value divided by mu_scaling. aimio-py 0.4.1 omits this
    division, and finds the block only if the block is first. vtkbone and ITKIOScanco use the same formula as this
    function.
    """
    with path.open("rb") as file:
        head = file.read(BLOCK)
        size = BLOCK * (1 + struct.unpack_from("<i", head, BLOCK - 4)[0]) if len(head) == BLOCK else 0
        if not 4 * BLOCK <= size <= 1 << 20:
            return None
        head += file.read(size - BLOCK)
    mu_scaling = struct.unpack_from("<i", head, 88)[0]
    if len(head) < size or mu_scaling <= 0:
        return None
    table = 2 * BLOCK if head[BLOCK + 8 : BLOCK + 24] == b"MultiHeader     " else BLOCK
    at = table + BLOCK
    for entry in (head[table + 128 * i :][:128] for i in range(4)):
        length = BLOCK * struct.unpack_from("<i", entry, 24)[0]
        if length < 0 or at + length > size:
            return None
        if entry[8:24] == b"Calibration     " and length >= 2 * BLOCK:
            if "HA" not in head[at + 648 : at + 664].decode("ascii", errors="replace"):
                return None
            slope, intercept = (py_aimio.decode_scanco_double(head[at + k : at + k + 8]) for k in (664, 672))
            return slope / mu_scaling, intercept
        at += length
    return None
