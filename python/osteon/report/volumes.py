"""Volumes of a report. Large fields and scans are thinned. All volumes are packed into bytes for the page."""

import base64
import gzip
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

LARGEST_PAGE = 4_000_000  # maximum number of voxels of a volume
CODES = 254  # number of codes; the codes 1 to 255 are values, and 0 means empty


def thinning(shape: tuple[int, ...]) -> int:
    """Return the number of voxels along the edge of the blocks that are merged for the page."""
    k = 1
    while np.prod([-(-n // k) for n in shape]) > LARGEST_PAGE:
        k += 1
    return k


def blocks(plane: np.ndarray, k: int, add: Any = np.add) -> np.ndarray:
    """Sum a plane over squares of k x k pixels. The last squares may be incomplete."""
    if k == 1:
        return plane
    rows = add.reduceat(plane, np.arange(0, plane.shape[0], k), axis=0)
    return add.reduceat(rows, np.arange(0, plane.shape[1], k), axis=1)


@dataclass
class ThinField:
    """A field of the page with shape (z, y, x). The values are means over the solid voxels of each block. Outside of
    the solid, values are NaN."""

    values: np.ndarray
    largest: float  # maximum over all voxels
    largest_at: tuple[float, float, float]  # position (x, y, z) of the maximum in voxels of the page

    @cached_property
    def has_value(self) -> np.ndarray:
        """Mask that is True for voxels with a value."""
        return np.isfinite(self.values)

    @cached_property
    def sorted_values(self) -> np.ndarray:
        """All values in ascending order. Plots, scales and colours use these values for percentiles."""
        return np.sort(self.values[self.has_value])

    @property
    def has_values(self) -> bool:
        return bool(self.has_value.any())

    def percentiles(self, *shares: float) -> list[float]:
        """Return percentiles in the same way as np.percentile. There must be at least one value."""
        return percentiles_of_sorted(self.sorted_values, shares)


def percentiles_of_sorted(values: np.ndarray, shares: Sequence[float]) -> list[float]:
    """Return percentiles. The interpolation is that of np.percentile. @param values at least one value"""
    places = [(values.size - 1) * share / 100 for share in shares]
    return [
        float(values[int(p)]) + (p - int(p)) * (float(values[min(int(p) + 1, values.size - 1)]) - float(values[int(p)]))
        for p in places
    ]


def thin_field(planes: Iterator[tuple[int, np.ndarray]], shape: tuple[int, int, int], k: int) -> ThinField:
    """Thin a cell field. The planes are processed in order. The result is the mean of a block. With the maximum, every
    percentile would be too large."""
    if k == 1:
        return _full_field(planes, shape)
    small = tuple(-(-n // k) for n in shape)
    total = np.zeros(small, "f8")
    count = np.zeros(small, "u1" if k < 7 else "u4")
    largest, where = -np.inf, (0, 0, 0)
    for first, group in planes:
        for z, plane in enumerate(group, start=first):
            has_value = np.isfinite(plane)
            if not has_value.any():
                continue
            filled = np.where(has_value, plane, 0)
            top = int(np.argmax(np.where(has_value, plane, -np.inf)))
            if (value := float(plane.flat[top])) > largest:
                largest, where = value, (top % shape[2], top // shape[2], z)
            total[z // k] += blocks(filled, k)
            count[z // k] += blocks(has_value.astype(count.dtype), k)
    with np.errstate(invalid="ignore", divide="ignore"):
        values = (total / np.where(count, count, np.nan)).astype("f4")
    return ThinField(values, largest, tuple((n + 0.5) / k for n in where))


def _full_field(planes: Iterator[tuple[int, np.ndarray]], shape: tuple[int, int, int]) -> ThinField:
    """Read a field for a page with all voxels."""
    values = np.full(shape, np.nan, "f4")
    largest, where = -np.inf, (0, 0, 0)
    for first, group in planes:
        part = values[first : first + len(group)]
        np.copyto(part, group, where=np.isfinite(group), casting="same_kind")
        value = float(np.fmax.reduce(part, axis=None))  # if all values are NaN, the maximum is NaN
        if value > largest:
            z, y, x = np.unravel_index(int(np.argmax(part == value)), part.shape)
            largest, where = value, (int(x), int(y), first + int(z))
    return ThinField(values, largest, tuple(n + 0.5 for n in where))


def magnitudes(planes: Iterator[tuple[int, np.ndarray]], on_nodes: bool) -> Iterator[tuple[int, np.ndarray]]:
    """Yield planes of the magnitude of a vector field in the voxels. For a node field, the value of a voxel is the mean
    over its eight corners."""
    below: np.ndarray | None = None
    for first, group in planes:
        length = np.sqrt(np.einsum("...i,...i", group, group))
        if not on_nodes:
            yield first, length
            continue
        corners = length if below is None else np.concatenate([below, length])
        begin = first if below is None else first - 1
        below = length[-1:]
        if len(corners) < 2:
            continue
        edges = corners[:, :, 1:] + corners[:, :, :-1]
        faces = edges[:, 1:] + edges[:, :-1]
        yield begin, (faces[1:] + faces[:-1]) / 8  # if a corner has no value, the voxel is empty, and its value is NaN


def thin_scan(values: np.ndarray, k: int) -> np.ndarray:
    """Compute means of the grey values over blocks of k^3 voxels."""
    if k == 1:
        return values
    small = [-(-n // k) for n in values.shape]
    total, count = np.zeros(small), np.zeros(small)
    ones = blocks(np.ones(values.shape[1:]), k)
    for z, plane in enumerate(values):
        total[z // k] += blocks(plane.astype("f8"), k)
        count[z // k] += ones
    return (total / count).astype("f4")


def thin_labels(values: np.ndarray, k: int) -> np.ndarray:
    """Return the largest label in each block. A layer of one voxel is then preserved."""
    if k == 1:
        return values
    small = np.zeros([-(-n // k) for n in values.shape], "u1")
    for z, plane in enumerate(values):
        np.maximum(small[z // k], blocks(plane, k, np.maximum), out=small[z // k])
    return small


def solid_share(planes: Iterator[tuple[int, np.ndarray]], shape: tuple[int, int, int], k: int) -> np.ndarray:
    """Return the solid fraction of each block from 0 to 255."""
    if k == 1:
        full = np.zeros(shape, "u1")
        for first, group in planes:
            full[first : first + len(group)][group != 0] = 255
        return full
    total = np.zeros([-(-n // k) for n in shape], "f4")
    for first, group in planes:
        for z, plane in enumerate(group, start=first):
            total[z // k] += blocks((plane != 0).astype("f4"), k)
    return np.minimum(np.round(total * (255 / k**3)), 255).astype("u1")


@dataclass
class Scale:
    """Map from codes to values. The value is low + (high - low) ((code - 1) / 254)^power."""

    low: float
    high: float
    power: float
    diverging: bool = False


def scale_of(values: np.ndarray) -> Scale:
    """Return the scale of a field. @param values sorted values without NaN

    If the values of a field begin near zero, the square root resolves small values. For other fields, the codes have
    equal distances.
    """
    if not values.size:
        return Scale(0.0, 1.0, 1.0)
    least = float(values[0])
    low, high = percentiles_of_sorted(values, (0.01, 99.99))
    if least >= 0 and least < 0.2 * high:
        return Scale(0.0, high or 1.0, 2.0)
    high = high if high > low else low + (abs(low) or 1.0) * 1e-6
    both = low < 0 < high and min(-low, high) > 0.05 * max(-low, high)
    return Scale(low, high, 1.0, both)


def codes_of(field: ThinField, scale: Scale) -> np.ndarray:
    """Return a code for each voxel. The code of missing values is 0."""
    share = (field.values[field.has_value] - scale.low) / (scale.high - scale.low)
    np.clip(share, 0, 1, out=share)
    codes = np.zeros(field.values.shape, "u1")
    codes[field.has_value] = 1 + np.round((np.sqrt(share) if scale.power == 2 else share) * CODES)
    return codes


def packed(volume: np.ndarray) -> str:
    """Pack bytes in the form that viewer/volumes.js unpacks. Level 2 takes a third of the time of level 6, and produces
    8 % more bytes."""
    return base64.b64encode(gzip.compress(np.ascontiguousarray(volume, "u1").tobytes(), 2, mtime=0)).decode("ascii")


@dataclass
class ScanCodes:
    """The scan in 64 grey levels, and the histogram of the scan at full resolution. With more levels, the noise would
    not compress."""

    codes: np.ndarray
    low: float
    high: float
    counts: np.ndarray = field(default_factory=lambda: np.zeros(0, int))
    edges: np.ndarray = field(default_factory=lambda: np.zeros(0))


def scan_codes(values: np.ndarray, k: int) -> ScanCodes:
    step = max(1, round((values.size / 2e6) ** (1 / 3)))
    sample = values[::step, ::step, ::step]
    if values.dtype == np.uint8:
        return _codes_of_bytes(values, sample, k)
    low, high = (float(v) for v in np.percentile(sample, (0.1, 99.9)))
    if not high > low:
        low, high = float(sample.min()), float(sample.min()) + 1.0
    counts, edges = np.histogram(sample, bins=128, range=(low, high))
    return ScanCodes(_grey_codes(thin_scan(values, k), low, high), low, high, counts, edges)


def _codes_of_bytes(values: np.ndarray, sample: np.ndarray, k: int) -> ScanCodes:
    """Return the result of scan_codes for a scan of type uint8. The function uses the counts of the 256 values."""
    every, of_each = np.arange(256), np.bincount(sample.ravel(), minlength=256)
    up_to = np.cumsum(of_each)

    def percentile(share: float) -> float:
        place = (sample.size - 1) * share / 100
        first, second = (float(np.searchsorted(up_to, n, side="right")) for n in (int(place), int(np.ceil(place))))
        return first + (place - int(place)) * (second - first)

    low, high = percentile(0.1), percentile(99.9)
    if not high > low:
        low = float(np.flatnonzero(of_each)[0])
        high = low + 1.0
    counts, edges = np.histogram(every, bins=128, range=(low, high), weights=of_each)
    codes = _grey_codes(thin_scan(values, k), low, high) if k > 1 else _grey_codes(every, low, high)[values]
    return ScanCodes(codes, low, high, counts, edges)


def _grey_codes(values: np.ndarray, low: float, high: float) -> np.ndarray:
    return (np.clip((values.astype("f4", copy=False) - low) / (high - low), 0, 1) * 255).astype("u1") & 0xFC
