"""A volume as read from disk, and checks that every volume must pass."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ..errors import DataError
from .pieces import Pieces
from .placement import Placement

# Types that the program reads. Other types are converted to the next of these types that represents every value.
ACCEPTED = ("u1", "i1", "u2", "i2", "u4", "i4", "f4", "f8")
MAX_VOXELS = 2**40


@dataclass
class Missing:
    """Missing chunks of a file. A library replaces their values by a fill value. The fill value is None if the file
    states no fill value."""

    count: int
    of: int
    fill_value: float | None = None


@dataclass
class Volume:
    """Grey values, shape (z, y, x), in memory or readable piece by piece, and properties of the file.
    Lengths are in mm, order z, y, x.

    `facts` are further properties: the unit of the values, a calibration, the digest of the voxels. `warnings` are
    sentences for the user, each with the name of the file.
    """

    values: np.ndarray | Pieces
    format: str
    spacing_mm: tuple[float, float, float] | None = None
    placement: Placement | None = None
    facts: dict[str, object] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    missing: Missing | None = None
    stored: "Callable[[], Stored | None] | None" = None  # place of the values in the files of the image


@dataclass
class Stored:
    """Values that the program reads from the files of the image without a copy (io::open_stored_image).

    `layout` has the keys of open_stored_image. `codecs` are the codecs that the reading requires. `pieces` are the
    values that the layout describes. `check` verifies a digest of the values, if there is one.
    """

    layout: dict[str, object]
    pieces: Pieces
    codecs: list[str] = field(default_factory=list)
    check: Callable[[], None] = lambda: None


def settle_missing(missing: Missing | None, source: str, accepts_fill_value: bool) -> str:
    """Return a warning about missing chunks that are replaced by the fill value; empty if no chunk is missing.

    @throws DataError unless the file states a fill value and the job accepts it
    """
    if missing is None:
        return ""
    lost = f"'{source}': {missing.count} of {missing.of} chunks of voxels are missing"
    if missing.fill_value is None:
        raise DataError(
            f"{lost}, and the file states no fill value: it is incomplete or damaged; write or copy it again"
        )
    if not accepts_fill_value:
        raise DataError(
            f"{lost}, whose values would be the fill value {missing.fill_value:g}: write or copy the file again, or "
            "set accept_fill_value = true in [image] if this is intended"
        )
    return f"{lost}; their voxels have the fill value {missing.fill_value:g} (image.accept_fill_value)"


def check_shape(shape: tuple[int, ...], source: str) -> None:
    """Reject arrays that are not volumes. Call this function before allocation."""
    lengths = [n for n in shape if n != 1]
    if len(shape) < 3 or len(lengths) > 3:
        raise DataError(
            f"'{source}' has shape {tuple(shape)}, which is {len(shape)}-dimensional; a scan has three axes z, y, x: "
            "use a multi-page file or a folder of slices"
        )
    count = 1
    for n in shape:
        count *= int(n)
    if min(shape) < 1:
        raise DataError(
            f"'{source}' has shape {tuple(shape)}; each axis must have at least 1 voxel, at most {MAX_VOXELS} in all"
        )
    if count > MAX_VOXELS:
        raise DataError(f"'{source}' has shape {tuple(shape)}, which is {count} voxels; the limit is {MAX_VOXELS}")


def check_kind(kind: np.dtype, source: str) -> None:
    if kind.kind not in "buif":
        raise DataError(f"'{source}' has values of type {kind}; grey values (integers or floats) are required")


def three_axes(shape: tuple[int, ...], source: str) -> tuple[int, int, int]:
    """Remove axes of length 1 while there are more than three axes."""
    check_shape(shape, source)
    lengths = [int(n) for n in shape]
    while len(lengths) > 3:
        lengths.remove(1)
    return (lengths[0], lengths[1], lengths[2])


def type_to_store(kind: np.dtype) -> np.dtype:
    """Return a little-endian type that the program reads; integers of 8 bytes are not converted until their values are
    known."""
    size = kind.itemsize
    if kind.kind == "b":
        return np.dtype("u1")
    if kind.kind == "f":
        return np.dtype("<f4" if size <= 4 else "<f8")
    return np.dtype(f"<{kind.kind}{size}")


def type_of_layout(kind: np.dtype) -> dict[str, object]:
    """Return the keys `type` and `is_big_endian` of a layout (Stored)."""
    return {"type": f"{kind.kind}{kind.itemsize}", "is_big_endian": not _is_little(kind)}


def _is_little(kind: np.dtype) -> bool:
    return kind.itemsize == 1 or kind.newbyteorder("<") == kind


def checked(volume: Volume, source: str) -> Volume:
    """Return the volume in memory, with three axes, an accepted little-endian type and C order.

    @throws DataError for colours, text, wrong dimensions, NaN and infinities
    """
    values = volume.values
    if values.dtype is not None:
        check_kind(values.dtype, source)
    shape = three_axes(values.shape, source)
    if isinstance(values, Pieces):
        values = values.whole(source)
    values = _accepted(values, source).reshape(shape)
    if values.dtype.kind == "f":
        _refuse_not_finite(values, source)
    volume.values = np.ascontiguousarray(values)
    forget_no_spacing(volume)
    return volume


def forget_no_spacing(volume: Volume) -> None:
    """Treat a spacing of 0 as missing. The job must then state the spacing."""
    if volume.spacing_mm is not None and not all(np.isfinite(s) and s > 0 for s in volume.spacing_mm):
        volume.spacing_mm = None


def too_wide(source: str, low: int, high: int) -> str:
    return f"'{source}' has integers from {low} to {high}; at most 32 bits are allowed: rescale the image"


def not_finite(source: str, count: int, first: tuple[int, ...]) -> str:
    return (
        f"'{source}' has {count} values that are NaN or infinite, the first at (z, y, x) = {first}; "
        "every voxel must have a grey value: replace them, for example by the value of air"
    )


def not_finite_in_plane(source: str, count: int, first: tuple[int, ...]) -> str:
    """Return the message of `not_finite` for a single plane, if the other planes were not read."""
    return (
        f"'{source}' has {count} values that are NaN or infinite in the plane z = {first[0]} alone, the first at "
        f"(z, y, x) = {first}; every voxel must have a grey value: replace them, for example by the value of air"
    )


def _accepted(values: np.ndarray, source: str) -> np.ndarray:
    kind = type_to_store(values.dtype)
    if kind.kind == "f" or kind.itemsize <= 4:
        return values.astype(kind, copy=False)
    low, high = int(values.min()), int(values.max())
    if low < -(2**31) or high >= 2**31:
        raise DataError(too_wide(source, low, high))
    return values.astype("<i4")


def _refuse_not_finite(values: np.ndarray, source: str) -> None:
    bad = ~np.isfinite(values)
    count = int(np.count_nonzero(bad))
    if count:
        first = tuple(int(i) for i in np.unravel_index(int(np.argmax(bad)), values.shape))
        raise DataError(not_finite(source, count, first))
