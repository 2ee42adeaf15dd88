"""The displacement of a result as the viewer takes it: coarse, and known where there is no solid, too."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

MOST = 40  # cells along an axis: a deformed shape is bent as a whole, its struts are not shown to bend one by one


@dataclass
class Deformation:
    """Displacement of the cells of a coarse grid over the image, in mm, shape (z, y, x, 3) with components x, y, z."""

    values: np.ndarray
    largest: float  # of the components' absolute values

    def codes(self) -> np.ndarray:
        """A byte for each component: 0 is -largest, 255 is +largest."""
        return np.round(127.5 + 127.5 * self.values / self.largest).astype("u1")


class CoarseDisplacement:
    """Means over blocks of nodes of a displacement whose planes come in order."""

    def __init__(self, shape: tuple[int, int, int], on_nodes: bool = True) -> None:
        """@param shape of the voxels"""
        nodes = [n + 1 if on_nodes else n for n in shape]
        cells = [min(MOST, n) for n in shape]
        self._begins = [np.arange(c) * n // c for n, c in zip(nodes, cells, strict=True)]
        self._total, self._count = np.zeros((*cells, 3)), np.zeros((*cells, 1))

    def add(self, first: int, group: np.ndarray) -> None:
        """@param first number of the first plane @param group shape (planes, y, x, 3), NaN where there is no solid"""
        there = np.isfinite(group[..., :1])
        at = np.searchsorted(self._begins[0], np.arange(first, first + len(group)), side="right") - 1
        cells, begins = np.unique(at, return_index=True)
        for into, values in ((self._total, np.where(there, group, 0).astype("f8")), (self._count, there.astype("f8"))):
            # Planes first: sums along the last axis, of a few numbers each, take longest.
            for axis, edges in enumerate((begins, *self._begins[1:])):
                values = np.add.reduceat(values, edges, axis=axis)
            into[cells] += values

    def seen(self, planes: Iterator[tuple[int, np.ndarray]]) -> Iterator[tuple[int, np.ndarray]]:
        """The planes as they come, which are added on the way: a file is read once for several ends."""
        for first, group in planes:
            self.add(first, group)
            yield first, group

    def result(self) -> Deformation | None:
        """None if nothing moves. Blocks without a node get the mean of those around, from near to far."""
        if not self._count.any():
            return None
        values = _spread(self._total / np.maximum(self._count, 1), self._count > 0)
        largest = float(np.abs(values).max())
        return Deformation(values.astype("f4"), largest) if largest > 0 else None


def coarse_displacement(
    planes: Iterator[tuple[int, np.ndarray]], shape: tuple[int, int, int], on_nodes: bool = True
) -> Deformation | None:
    """The displacement of all planes. @param shape of the voxels"""
    coarse = CoarseDisplacement(shape, on_nodes)
    for first, group in planes:
        coarse.add(first, group)
    return coarse.result()


def _spread(values: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Cells without a value get the mean of their neighbours that have one, layer by layer.

    @param values 0 where there is none
    """
    there = known.astype("f8")
    while not there.all():
        total, count = np.zeros_like(values), np.zeros_like(there)
        for axis in range(3):
            for to, of in (
                (slice(1, None), slice(None, -1)),
                (slice(None, -1), slice(1, None)),
            ):
                place = tuple(to if a == axis else slice(None) for a in range(3))
                other = tuple(of if a == axis else slice(None) for a in range(3))
                total[place] += values[other]
                count[place] += there[other]
        new = (there == 0) & (count > 0)
        values = np.where(new, total / np.maximum(count, 1), values)
        there = np.where(new, 1.0, there)
    return values
