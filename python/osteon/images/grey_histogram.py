"""Grey values of an image: histogram, Otsu's threshold, and its uncertainty."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

MOST_BINS = 65536
PARTS = 8  # number of parts of the image along z; the thresholds of the parts are compared


@dataclass
class Greys:
    """Statistics of a histogram. Fractions refer to the sampled voxels."""

    low: float
    high: float
    voxels: int
    values: list[int]  # all values, if there are only few integer values
    threshold: float | None = None  # None if there is only one value
    deviation: float = 0.0  # standard deviation of the thresholds of the parts
    separation: float = 0.0  # fraction of the variance that is between the two classes; 1 for two sharp peaks
    above: float = 0.0
    above_at_deviation: tuple[float, float] = (0.0, 0.0)  # fractions at the threshold minus and plus its deviation


def greys_of(planes: list[np.ndarray], few: int = 16) -> Greys:
    """@param planes planes of an image, all or a sample"""
    low, high = _range(planes)
    exact = planes[0].dtype.kind in "bui" and high - low < MOST_BINS
    bins = int(high - low) + 1 if exact else MOST_BINS
    width = 1.0 if exact else (high - low) / bins
    parts = [_histogram(part, low, width, bins) for part in _parts(planes)]
    whole = np.sum(parts, axis=0)
    values = np.flatnonzero(whole) + int(low) if exact else np.arange(few + 1)
    found = Greys(low, high, int(whole.sum()), values.tolist() if values.size <= few else [])
    if low == high:
        return found
    at, found.separation = otsu(whole)
    found.threshold = _grey(at, low, width, exact)
    each = [_grey(otsu(h)[0], low, width, exact) for h in parts if np.count_nonzero(h) > 1]
    found.deviation = float(np.std(each)) if len(each) > 1 else 0.0
    above = np.cumsum(whole[::-1])[::-1] / whole.sum()  # fraction of the values in each bin and all higher bins

    def share(threshold: float) -> float:
        first = int(np.floor((threshold - low) / width)) + int(exact)
        return float(above[np.clip(first, 0, bins - 1)]) if first < bins else 0.0

    found.above = share(found.threshold)
    found.above_at_deviation = (share(found.threshold - found.deviation), share(found.threshold + found.deviation))
    return found


def otsu(histogram: np.ndarray) -> tuple[int, float]:
    """Return the last bin of the lower class, as osteon's import does, and the separation of the classes."""
    bins = np.arange(histogram.size)
    total, moment = float(histogram.sum()), float((histogram * bins).sum())
    below = np.cumsum(histogram).astype(float)[:-1]
    moment_below = np.cumsum(histogram * bins).astype(float)[:-1]
    with np.errstate(divide="ignore", invalid="ignore"):
        difference = moment_below / below - (moment - moment_below) / (total - below)
        between = np.where((below > 0) & (below < total), below * (total - below) * difference**2, -1.0)
    at = int(np.argmax(between))
    variance = float((histogram * (bins - moment / total) ** 2).sum()) / total
    return at, float(between[at]) / total**2 / variance if variance > 0 else 0.0


def _grey(at: int, low: float, width: float, exact: bool) -> float:
    return low + at if exact else low + width * (at + 1)


def _range(planes: list[np.ndarray]) -> tuple[float, float]:
    return min(float(p.min()) for p in planes), max(float(p.max()) for p in planes)


def _parts(planes: list[np.ndarray]) -> Iterable[list[np.ndarray]]:
    """Split the planes of a volume into stacks; return single planes unchanged."""
    if len(planes) == 1 and planes[0].ndim == 3:
        yield from ([part] for part in np.array_split(planes[0], min(PARTS, len(planes[0]))))
    else:
        yield from ([plane] for plane in planes)


def _histogram(planes: list[np.ndarray], low: float, width: float, bins: int) -> np.ndarray:
    counts = np.zeros(bins, np.int64)
    if width == 0:
        counts[0] = sum(p.size for p in planes)
        return counts
    for plane in planes:
        for rows in plane.reshape(len(plane), -1):  # one row at a time, because indices need 8 bytes per voxel
            at = ((rows.astype(np.float64) - low) / width).astype(np.int64)
            counts += np.bincount(np.minimum(at, bins - 1), minlength=bins)
    return counts
