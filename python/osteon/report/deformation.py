"""Displacement for the viewer. The displacement is on a coarse grid, and is extended beyond the solid."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

# Number of cells along an axis. This number is sufficient for the deformation of the specimen, but not for the bending
# of single struts.
MOST = 40


@dataclass
class Deformation:
    """Displacement of the cells of a coarse grid over the image in mm. The shape is (z, y, x, 3), with components x, y,
    z."""

    values: np.ndarray
    largest: float  # largest magnitude of a component

    def codes(self) -> np.ndarray:
        """Return a byte for each component. The byte 0 means -largest, and 255 means +largest."""
        return np.round(127.5 + 127.5 * self.values / self.largest).astype("u1")


class CoarseDisplacement:
    """Mean displacement over blocks of nodes. The planes are processed in order."""

    def __init__(self, shape: tuple[int, int, int], on_nodes: bool = True) -> None:
        """@param shape shape of the image in voxels"""
        nodes = [n + 1 if on_nodes else n for n in shape]
        cells = [min(MOST, n) for n in shape]
        self._edges = [np.arange(c + 1) * n // c for n, c in zip(nodes, cells, strict=True)]
        # Planes and rows are summed here. Short sums along x follow at the end in one step.
        self._total, self._count = np.zeros((*cells[:2], nodes[2], 3)), np.zeros((*cells[:2], nodes[2]))

    def add(self, first: int, group: np.ndarray) -> None:
        """@param first number of the first plane @param group values with shape (planes, y, x, 3), NaN outside of the
        solid"""
        has_value = np.isfinite(group[..., 0])
        filled = np.where(has_value[..., None], group, 0)
        cells = np.searchsorted(self._edges[0], np.arange(first, first + len(group)), side="right") - 1
        for cell in range(cells[0], cells[-1] + 1):
            planes = cells == cell
            for into, values in ((self._total, filled), (self._count, has_value)):
                plane = values[planes].sum(axis=0, dtype="f8")
                for n, (begin, end) in enumerate(pairwise(self._edges[1])):
                    into[cell, n] += plane[begin:end].sum(axis=0)

    def pass_through(self, planes: Iterator[tuple[int, np.ndarray]]) -> Iterator[tuple[int, np.ndarray]]:
        """Add the planes, and yield them unchanged. The file is therefore read only once."""
        for first, group in planes:
            self.add(first, group)
            yield first, group

    def result(self) -> Deformation | None:
        """For zero displacement, the result is None. Blocks without a node receive the mean of their neighbours, layer
        by layer."""
        total, count = (
            np.stack([v[:, :, begin:end].sum(axis=2) for begin, end in pairwise(self._edges[2])], axis=2)
            for v in (self._total, self._count)
        )
        if not count.any():
            return None
        values = _spread(total / np.maximum(count, 1)[..., None], count > 0)
        largest = float(np.abs(values).max())
        return Deformation(values.astype("f4"), largest) if largest > 0 else None


def coarse_displacement(
    planes: Iterator[tuple[int, np.ndarray]], shape: tuple[int, int, int], on_nodes: bool = True
) -> Deformation | None:
    """Return the mean displacement of all planes. @param shape shape of the image in voxels"""
    coarse = CoarseDisplacement(shape, on_nodes)
    for first, group in planes:
        coarse.add(first, group)
    return coarse.result()


def _spread(values: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Set cells without a value to the mean of neighbours with a value, layer by layer.

    @param values values; 0 in cells without a value
    """
    inner = (slice(1, -1),) * 3  # cells inside a margin of empty cells
    shape = tuple(n + 2 for n in known.shape)
    around, has_value, missing = np.zeros((*shape, 3)), np.zeros(shape), np.zeros(shape, bool)
    around[inner], has_value[inner], missing[inner] = values, known, ~known
    all_values, all_has_value = around.reshape(-1, 3), has_value.reshape(-1)
    left = np.flatnonzero(missing)
    while left.size:
        beside = [left + sign * step for step in (shape[1] * shape[2], shape[2], 1) for sign in (-1, 1)]
        total, count = sum(all_values[n] for n in beside), sum(all_has_value[n] for n in beside)
        new = count > 0
        all_values[left[new]] = total[new] / count[new, None]
        all_has_value[left[new]] = 1
        left = left[~new]
    return around[inner]
