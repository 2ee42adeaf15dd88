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
UNITS_MM = {0: 1.0, 1: 1000.0, 2: 1.0, 3: 1e-3}  # xyzt_units; 0 is no unit
LPS_FROM_RAS = np.diag([-1.0, -1.0, 1.0])


def load(path: Path):
    """The image by nibabel, which rejects any quaternion that is longer than 1 by rounding, used or not."""
    import nibabel

    kinds = (nibabel.Nifti1Header, nibabel.Nifti2Header)
    before = [kind.quaternion_threshold for kind in kinds]
    try:
        for kind in kinds:
            kind.quaternion_threshold = -1.0  # `_qform` applies a limit of its own
        return nibabel.load(path)
    finally:
        for kind, threshold in zip(kinds, before, strict=True):
            kind.quaternion_threshold = threshold


def read_nifti(path: Path) -> Volume:
    import nibabel

    # nibabel stops at the last voxel; the checksum of a gzip file comes behind it.
    held = unpacked_length(path) if path.name.lower().endswith(".gz") else path.stat().st_size
    image = load(path)
    if not isinstance(image, nibabel.Nifti1Image):
        raise DataError(f"'{path}' is of type {type(image).__name__}; needed is a single NIfTI file (.nii, .nii.gz)")
    check_shape(image.shape[::-1], str(path))
    if image.get_data_dtype().kind not in "iuf":
        raise DataError(f"'{path}' holds values of type {image.get_data_dtype()}; needed is one grey value a voxel")
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
            f"'{path}' contradicts itself: its pixdim states voxels of {stored.tolist()}, its affine of "
            f"{lengths.tolist()} (x, y, z); it went through a registration: write the scanner's affine into it"
        )
    # The rest of a placement has no meaning without a unit, but the axes need none.
    placement = placed(LPS_FROM_RAS @ steps[:3, 3] * (unit or 0), axes, lengths * (unit or 0), str(path), oriented)
    values = Pieces(image.shape[::-1], None, lambda: _values(image, path))
    x, y, z = (float(h) for h in lengths * (unit or 1))
    return Volume(values, "nifti", (z, y, x) if unit else None, placement, warnings=warnings)


def doubts(image, path: Path) -> list[str]:
    """Warnings of the header, and of bytes behind the voxels unless these would have to be unpacked."""
    header, found = image.header, []
    claimed = int(image.dataobj.offset) + int(np.prod(image.shape, dtype=np.int64)) * image.get_data_dtype().itemsize
    if not path.name.lower().endswith(".gz") and path.stat().st_size > claimed:
        found.append(_of_surplus(path, path.stat().st_size - claimed))
    if int(header["xyzt_units"]) & 7 == 0:
        stated = ", ".join(f"{abs(h):g}" for h in header.get_zooms()[2::-1])
        found.append(
            f"'{path}' states voxels of {stated} (z, y, x) without a unit; taken as "
            "mm, as NIfTI's programs do: give spacing_mm in [image] if that is wrong"
        )
    code = int(header["sform_code"])
    if code > 0 and int(header["qform_code"]) > 0 and not _is_usable(header):
        found.append(f"'{path}' has an sform of zeros although its code is {code}; its qform is used")
    return found


def _of_surplus(path: Path, count: int) -> str:
    return f"'{path}' has {count} bytes behind the voxels that its header states"


def _is_usable(header) -> bool:
    """Whether the sform gives the axes."""
    matrix = np.asarray(header.get_sform(), float)
    return bool(np.isfinite(matrix).all() and (np.linalg.norm(matrix[:3, :3], axis=0) > 0).all())


def _values(image, path: Path) -> Iterator[np.ndarray]:
    """The values with scl_slope and scl_inter in them, of the types that nibabel takes."""
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
    """So many unpacked bytes."""
    with gzip.open(path) as file:
        while length > 0 and (block := file.read(min(length, BLOCK))):
            length -= len(block)
            yield block


def _steps(image, path: Path) -> tuple[np.ndarray, bool]:
    """Steps from voxel to voxel in RAS, and whether the file says so: else they are only the voxel size."""
    header = image.header
    with_sform, with_qform = int(header["sform_code"]) > 0, int(header["qform_code"]) > 0
    if with_sform and (_is_usable(header) or not with_qform):
        return np.asarray(header.get_sform(), float), True
    if with_qform:
        return _qform(header, path), True
    return np.diag([*np.abs(header.get_zooms()[:3]), 1.0]) * [-1, -1, 1, 1], False


def _qform(header, path: Path) -> np.ndarray:
    """Steps by the quaternion; one that is longer than 1 by rounding is normalised, as NIfTI's own library does."""
    b, c, d = (float(header[f"quatern_{name}"]) for name in "bcd")
    rest = 1 - (b * b + c * c + d * d)
    if not rest >= -SQUARE:
        raise DataError(
            f"'{path}' rotates by the quaternion ({b:g}, {c:g}, {d:g}), whose square is {1 - rest:g}; at most "
            "1 is allowed: write the scanner's affine into the file"
        )
    if rest < 3 * np.finfo(np.float32).eps:  # half a turn; nibabel's limit
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
