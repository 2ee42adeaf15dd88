"""Volumes of a report: fields and scan, thinned where they are large, and packed into bytes for the page."""

import base64
import gzip
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

LARGEST_PAGE = 4_000_000  # voxels of a volume
CODES = 254  # a value is one of 1 .. 255, 0 is empty


def thinning(shape: tuple[int, ...]) -> int:
    """The edge of the blocks of voxels that become one voxel of the page."""
    k = 1
    while np.prod([-(-n // k) for n in shape]) > LARGEST_PAGE:
        k += 1
    return k


def blocks(plane: np.ndarray, k: int, add: Any = np.add) -> np.ndarray:
    """Sums over squares of k x k pixels; the last ones may be cut."""
    if k == 1:
        return plane
    rows = add.reduceat(plane, np.arange(0, plane.shape[0], k), axis=0)
    return add.reduceat(rows, np.arange(0, plane.shape[1], k), axis=1)


@dataclass
class ThinField:
    """A field of the page, shape (z, y, x), NaN where there is no solid: means over the solid voxels of each block."""

    values: np.ndarray
    largest: float  # of all voxels
    largest_at: tuple[float, float, float]  # its centre in voxels of the page, x, y, z

    @property
    def has_values(self) -> bool:
        return bool(np.isfinite(self.values).any())


def thin_field(planes: Iterator[tuple[int, np.ndarray]], shape: tuple[int, int, int], k: int) -> ThinField:
    """Thin a cell field whose planes come in order: by the mean, as the maximum would raise every percentile."""
    if k == 1:
        return _full_field(planes, shape)
    small = tuple(-(-n // k) for n in shape)
    total = np.zeros(small, "f8")
    count = np.zeros(small, "u1" if k < 7 else "u4")
    largest, where = -np.inf, (0, 0, 0)
    for first, group in planes:
        for z, plane in enumerate(group, start=first):
            there = np.isfinite(plane)
            if not there.any():
                continue
            filled = np.where(there, plane, 0)
            top = int(np.argmax(np.where(there, plane, -np.inf)))
            if (value := float(plane.flat[top])) > largest:
                largest, where = value, (top % shape[2], top // shape[2], z)
            total[z // k] += blocks(filled, k)
            count[z // k] += blocks(there.astype(count.dtype), k)
    with np.errstate(invalid="ignore", divide="ignore"):
        values = (total / np.where(count, count, np.nan)).astype("f4")
    return ThinField(values, largest, tuple((n + 0.5) / k for n in where))


def _full_field(planes: Iterator[tuple[int, np.ndarray]], shape: tuple[int, int, int]) -> ThinField:
    """The field of a page that shows every voxel."""
    values = np.full(shape, np.nan, "f4")
    largest, where = -np.inf, (0, 0, 0)
    for first, group in planes:
        there = np.isfinite(group)
        if not there.any():
            continue
        top = int(np.argmax(np.where(there, group, -np.inf)))
        if (value := float(group.flat[top])) > largest:
            z, y, x = np.unravel_index(top, group.shape)
            largest, where = value, (int(x), int(y), first + int(z))
        np.copyto(values[first : first + len(group)], group, where=there, casting="same_kind")
    return ThinField(values, largest, tuple(n + 0.5 for n in where))


def magnitudes(planes: Iterator[tuple[int, np.ndarray]], on_nodes: bool) -> Iterator[tuple[int, np.ndarray]]:
    """The lengths of a vector field in the voxels, by planes: of a node field the mean of the eight corners."""
    below: np.ndarray | None = None
    for first, group in planes:
        length = np.linalg.norm(group, axis=-1)
        if not on_nodes:
            yield first, length
            continue
        corners = length if below is None else np.concatenate([below, length])
        begin = first if below is None else first - 1
        below = length[-1:]
        if len(corners) < 2:
            continue
        mean = sum(
            corners[dz : len(corners) - 1 + dz, dy : corners.shape[1] - 1 + dy, dx : corners.shape[2] - 1 + dx]
            for dz in (0, 1)
            for dy in (0, 1)
            for dx in (0, 1)
        )
        yield begin, mean / 8  # NaN where a corner is missing: the voxel is empty


def thin_scan(values: np.ndarray, k: int) -> np.ndarray:
    """Means of the grey values over blocks of k^3 voxels."""
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
    """The largest number of each block, so that a layer of one voxel stays."""
    if k == 1:
        return values
    small = np.zeros([-(-n // k) for n in values.shape], "u1")
    for z, plane in enumerate(values):
        np.maximum(small[z // k], blocks(plane, k, np.maximum), out=small[z // k])
    return small


def solid_share(planes: Iterator[tuple[int, np.ndarray]], shape: tuple[int, int, int], k: int) -> np.ndarray:
    """The share of solid in each block, 0 .. 255."""
    total = np.zeros([-(-n // k) for n in shape], "f4")
    for first, group in planes:
        for z, plane in enumerate(group, start=first):
            total[z // k] += blocks((plane != 0).astype("f4"), k)
    return np.minimum(np.round(total * (255 / k**3)), 255).astype("u1")


@dataclass
class Scale:
    """How values become codes: low + (high - low) ((code - 1) / 254)^power."""

    low: float
    high: float
    power: float
    diverging: bool = False


def scale_of(values: np.ndarray) -> Scale:
    """Of a field that begins at nothing, a square root keeps small values apart; of others, the codes are even."""
    some = values[np.isfinite(values)]
    if not some.size:
        return Scale(0.0, 1.0, 1.0)
    least, high = float(some.min()), float(np.percentile(some, 99.99))
    if least >= 0 and least < 0.2 * high:
        return Scale(0.0, high or 1.0, 2.0)
    low = float(np.percentile(some, 0.01))
    high = high if high > low else low + (abs(low) or 1.0) * 1e-6
    both = low < 0 < high and min(-low, high) > 0.05 * max(-low, high)
    return Scale(low, high, 1.0, both)


def codes_of(values: np.ndarray, scale: Scale) -> np.ndarray:
    there = np.isfinite(values)
    share = np.clip((np.where(there, values, scale.low) - scale.low) / (scale.high - scale.low), 0, 1)
    return np.where(there, 1 + np.round(share ** (1 / scale.power) * CODES), 0).astype("u1")


def packed(volume: np.ndarray) -> str:
    """Bytes as viewer/volumes.js unpacks them. Level 3 takes half the time of level 6 for a tenth more bytes."""
    return base64.b64encode(gzip.compress(np.ascontiguousarray(volume, "u1").tobytes(), 3, mtime=0)).decode("ascii")


@dataclass
class ScanCodes:
    """The scan in 64 greys, as noise does not compress; and how many voxels have which grey, in full."""

    codes: np.ndarray
    low: float
    high: float
    counts: np.ndarray = field(default_factory=lambda: np.zeros(0, int))
    edges: np.ndarray = field(default_factory=lambda: np.zeros(0))


def scan_codes(values: np.ndarray, k: int) -> ScanCodes:
    step = max(1, round((values.size / 2e6) ** (1 / 3)))
    sample = values[::step, ::step, ::step]
    low, high = (float(v) for v in np.percentile(sample, (0.1, 99.9)))
    if not high > low:
        low, high = float(sample.min()), float(sample.min()) + 1.0
    counts, edges = np.histogram(sample, bins=128, range=(low, high))
    thin = thin_scan(values, k).astype("f4", copy=False)
    codes = (np.clip((thin - low) / (high - low), 0, 1) * 255).astype("u1") & 0xFC
    return ScanCodes(codes, low, high, counts, edges)
