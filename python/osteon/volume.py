"""A volume as read from disk, and the checks that every volume has to pass."""

from dataclasses import dataclass, field

import numpy as np

from .errors import DataError
from .placement import Placement

# Types that the program reads. Others are widened to the next of these that holds every value.
ACCEPTED = ("u1", "i1", "u2", "i2", "u4", "i4", "f4", "f8")
MAX_VOXELS = 2**40


@dataclass
class Volume:
    """Grey values, shape (z, y, x), and what the file says about them. Lengths in mm, order z, y, x.

    `facts` is what else there is to keep: the unit of the values, a calibration, the digest of the voxels. `warnings`
    are sentences for the user, each with the name of the file.
    """

    values: np.ndarray
    format: str
    spacing_mm: tuple[float, float, float] | None = None
    placement: Placement | None = None
    facts: dict[str, object] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def check_shape(shape: tuple[int, ...], source: str) -> None:
    """Refuse what is not a volume. To be called before memory is taken."""
    lengths = [n for n in shape if n != 1]
    if len(shape) < 3 or len(lengths) > 3:
        raise DataError(
            f"'{source}' has shape {tuple(shape)}, which is {len(shape)}-dimensional; a scan has three axes z, y, x: "
            "give a multi-page file or a folder of slices"
        )
    count = 1
    for n in shape:
        count *= int(n)
    if min(shape) < 1:
        raise DataError(
            f"'{source}' has shape {tuple(shape)}; every axis has at least 1 voxel: allowed are 1 to {MAX_VOXELS}"
        )
    if count > MAX_VOXELS:
        raise DataError(f"'{source}' has shape {tuple(shape)}, which is {count} voxels; allowed are 1 to {MAX_VOXELS}")


def checked(volume: Volume, source: str) -> Volume:
    """The volume with three axes, an accepted little-endian type and C order.

    @throws DataError for colours, text, wrong dimensions, NaN and infinities
    """
    values = volume.values
    if values.dtype.kind not in "buif":
        raise DataError(f"'{source}' holds values of type {values.dtype}; needed are grey values (integers or floats)")
    check_shape(values.shape, source)
    while values.ndim > 3:
        values = np.squeeze(values, axis=values.shape.index(1))
    values = _accepted(values, source)
    if values.dtype.kind == "f":
        _refuse_not_finite(values, source)
    volume.values = np.ascontiguousarray(values)
    if volume.spacing_mm is not None and not all(np.isfinite(s) and s > 0 for s in volume.spacing_mm):
        volume.spacing_mm = None  # A spacing of nothing is as good as none; the job has to state it.
    return volume


def _accepted(values: np.ndarray, source: str) -> np.ndarray:
    kind, size = values.dtype.kind, values.dtype.itemsize
    if kind == "b":
        return values.astype("u1")
    if kind == "f":
        return values.astype("<f4" if size <= 4 else "<f8", copy=False)
    if size <= 4:
        return values.astype(f"<{kind}{size}", copy=False)
    low, high = int(values.min()), int(values.max())
    if low < -(2**31) or high >= 2**31:
        raise DataError(f"'{source}' holds integers from {low} to {high}; allowed are 32 bits: rescale the image")
    return values.astype("<i4")


def _refuse_not_finite(values: np.ndarray, source: str) -> None:
    bad = ~np.isfinite(values)
    count = int(np.count_nonzero(bad))
    if count:
        first = tuple(int(i) for i in np.unravel_index(int(np.argmax(bad)), values.shape))
        raise DataError(
            f"'{source}' holds {count} values that are NaN or infinite, the first at (z, y, x) = {first}; "
            "every voxel needs a grey value: replace them, for example by the value of air"
        )
