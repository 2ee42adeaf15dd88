"""NIfTI, by nibabel."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ..errors import DataError
from .packed import BLOCK, check_claim, unpacked_length
from .pieces import Pieces, in_values, stored
from .placement import SQUARE, placed, split
from .volume import Volume, check_shape

ENDINGS = (".nii", ".nii.gz")
UNITS_MM = {0: 1.0, 1: 1000.0, 2: 1.0, 3: 1e-3}  # xyzt_units; 0: no unit
LPS_FROM_RAS = np.diag([-1.0, -1.0, 1.0])


def load(path: Path):
    """Load the image by nibabel with a changed limit. Otherwise nibabel rejects quaternions that exceed 1 by rounding,
    even if they are unused."""
    import nibabel

    kinds = (nibabel.Nifti1Header, nibabel.Nifti2Header)
    before = [kind.quaternion_threshold for kind in kinds]
    try:
        for kind in kinds:
            kind.quaternion_threshold = -1.0  # `_qform` applies its own limit
        return nibabel.load(path)
    finally:
        for kind, threshold in zip(kinds, before, strict=True):
            kind.quaternion_threshold = threshold


def read_nifti(path: Path) -> Volume:
    import nibabel

    # nibabel stops at the last voxel, but the checksum of a gzip file is after the last voxel.
    held = unpacked_length(path) if path.name.lower().endswith(".gz") else path.stat().st_size
    image = load(path)
    if not isinstance(image, nibabel.Nifti1Image):
        raise DataError(f"'{path}' is of type {type(image).__name__}; a single NIfTI file (.nii, .nii.gz) is required")
    check_shape(image.shape[::-1], str(path))
    if image.get_data_dtype().kind not in "iuf":
        raise DataError(f"'{path}' has values of type {image.get_data_dtype()}; one grey value per voxel is required")
    header = image.header
    first = int(image.dataobj.offset)
    claimed = int(np.prod(image.shape, dtype=np.int64)) * image.get_data_dtype().itemsize
    check_claim(claimed, path, held - first)
    warnings = doubts(image, path)
    if path.name.lower().endswith(".gz") and held > first + claimed:
        warnings.insert(0, _of_surplus(path, held - first - claimed))
    stored = np.abs(np.asarray(header.get_zooms()[:3], float))
    unit = UNITS_MM.get(int(header["xyzt_units"]) & 7)
    steps, oriented = _steps(image, path)
    lengths, axes = split(LPS_FROM_RAS @ steps[:3, :3], str(path))
    if not np.allclose(lengths, stored, rtol=1e-3):
        raise DataError(
            f"'{path}' is inconsistent: the voxel sizes of pixdim {stored.tolist()} and of the affine "
            f"{lengths.tolist()} (x, y, z) differ, which a registration can cause; restore the affine of the scanner"
        )
    # A placement requires a unit, except for its axes.
    placement = placed(LPS_FROM_RAS @ steps[:3, 3] * (unit or 0), axes, lengths * (unit or 0), str(path), oriented)
    values = Pieces(image.shape[::-1], None, lambda: _values(image, path))
    x, y, z = (float(h) for h in lengths * (unit or 1))
    return Volume(values, "nifti", (z, y, x) if unit else None, placement, warnings=warnings)


def doubts(image, path: Path) -> list[str]:
    """Return warnings about the header, and about bytes after uncompressed voxels."""
    header, found = image.header, []
    claimed = int(image.dataobj.offset) + int(np.prod(image.shape, dtype=np.int64)) * image.get_data_dtype().itemsize
    if not path.name.lower().endswith(".gz") and path.stat().st_size > claimed:
        found.append(_of_surplus(path, path.stat().st_size - claimed))
    if int(header["xyzt_units"]) & 7 == 0:
        stated = ", ".join(f"{abs(h):g}" for h in header.get_zooms()[2::-1])
        found.append(
            f"'{path}' states voxels of {stated} (z, y, x) without a unit; read as "
            "mm, as NIfTI programs do. If that is wrong, set spacing_mm in [image]"
        )
    code = int(header["sform_code"])
    if code > 0 and int(header["qform_code"]) > 0 and not _is_usable(header):
        found.append(f"'{path}' has an sform of zeros although its code is {code}; its qform is used")
    return found


def _of_surplus(path: Path, count: int) -> str:
    return f"'{path}' has {count} bytes after the voxels that its header states"


def _is_usable(header) -> bool:
    """Return True if the sform defines the axes."""
    matrix = np.asarray(header.get_sform(), float)
    return bool(np.isfinite(matrix).all() and (np.linalg.norm(matrix[:3, :3], axis=0) > 0).all())


def _values(image, path: Path) -> Iterator[np.ndarray]:
    """Yield the values after scl_slope and scl_inter, in the types of nibabel."""
    from nibabel.volumeutils import apply_read_scaling

    stored_as = image.dataobj
    kind, first = np.dtype(stored_as.dtype), int(stored_as.offset)
    slope, inter = np.asanyarray(stored_as.slope), np.asanyarray(stored_as.inter)
    count = int(np.prod(image.shape, dtype=np.int64))
    if path.name.lower().endswith(".gz"):
        found = in_values(first_bytes_of_gzip(path, first + count * kind.itemsize), kind, first)
    else:
        found = stored(path, first, kind, count)
    for values in found:
        yield apply_read_scaling(values, slope, inter)


def first_bytes_of_gzip(path: Path, length: int) -> Iterator[bytes]:
    """Yield the first decompressed bytes."""
    with gzip.open(path) as file:
        while length > 0 and (block := file.read(min(length, BLOCK))):
            length -= len(block)
            yield block


def _steps(image, path: Path) -> tuple[np.ndarray, bool]:
    """Return steps between voxels in RAS, and True if the file states axes. Without axes, the steps contain only the
    voxel size."""
    header = image.header
    with_sform, with_qform = int(header["sform_code"]) > 0, int(header["qform_code"]) > 0
    if with_sform and (_is_usable(header) or not with_qform):
        return np.asarray(header.get_sform(), float), True
    if with_qform:
        return _qform(header, path), True
    return np.diag([*np.abs(header.get_zooms()[:3]), 1.0]) * [-1, -1, 1, 1], False


def _qform(header, path: Path) -> np.ndarray:
    """Return steps from the quaternion. A quaternion that exceeds 1 by rounding is normalised, as in the NIfTI
    library."""
    b, c, d = (float(header[f"quatern_{name}"]) for name in "bcd")
    rest = 1 - (b * b + c * c + d * d)
    if not rest >= -SQUARE:
        raise DataError(
            f"'{path}' has the quaternion ({b:g}, {c:g}, {d:g}) with the square {1 - rest:g}; at most "
            "1 is allowed: write the scanner's affine to the file"
        )
    if rest < 3 * np.finfo(np.float32).eps:  # rotation by 180 degrees; nibabel's limit
        b, c, d = np.array([b, c, d]) / np.sqrt(1 - rest)
        rest = 0.0
    a = np.sqrt(rest)
    turn = np.array(
        [
            [a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)],
            [2 * (b * c + a * d), a * a + c * c - b * b - d * d, 2 * (c * d - a * b)],
            [2 * (b * d - a * c), 2 * (c * d + a * b), a * a + d * d - b * b - c * c],
        ]
    )
    steps = np.eye(4)
    handed = -1.0 if float(header["pixdim"][0]) < 0 else 1.0
    steps[:3, :3] = turn * np.abs(np.asarray(header.get_zooms()[:3], float)) * [1, 1, handed]
    steps[:3, 3] = [float(header[f"qoffset_{axis}"]) for axis in "xyz"]
    return steps
