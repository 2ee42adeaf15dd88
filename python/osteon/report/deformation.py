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


def coarse_displacement(
    planes: Iterator[tuple[int, np.ndarray]], shape: tuple[int, int, int], on_nodes: bool = True
) -> Deformation | None:
    """Means over blocks of nodes; what has none gets the mean of those around, from near to far.

    @param planes of shape (planes, y, x, 3) in order, NaN where there is no solid
    @param shape of the voxels
    @return None if nothing moves
    """
    nodes = [n + 1 if on_nodes else n for n in shape]
    cells = [min(MOST, n) for n in shape]
    begins = [np.arange(c) * n // c for n, c in zip(nodes, cells, strict=True)]
    total, count = np.zeros((*cells, 3)), np.zeros((*cells, 1))
    for first, group in planes:
        for z, plane in enumerate(group, start=first):
            there = np.isfinite(plane[..., :1])
            at = int(np.searchsorted(begins[0], z, side="right")) - 1
            for into, values in ((total, np.where(there, plane, 0)), (count, there.astype("f8"))):
                rows = np.add.reduceat(values, begins[1], axis=0)
                into[at] += np.add.reduceat(rows, begins[2], axis=1)
    if not count.any():
        return None
    values = np.where(count > 0, total / np.maximum(count, 1), 0)
    values = _spread(values, count > 0)
    largest = float(np.abs(values).max())
    return Deformation(values.astype("f4"), largest) if largest > 0 else None


def _spread(values: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Cells without a value get the mean of their neighbours that have one, layer by layer."""
    while not known.all():
        total, count = np.zeros_like(values), np.zeros(known.shape)
        for axis in range(3):
            for to, of in (
                (slice(1, None), slice(None, -1)),
                (slice(None, -1), slice(1, None)),
            ):
                place = tuple(to if a == axis else slice(None) for a in range(3))
                other = tuple(of if a == axis else slice(None) for a in range(3))
                total[place] += np.where(known[other], values[other], 0)
                count[place] += known[other]
        new = ~known & (count > 0)
        values = np.where(new, total / np.maximum(count, 1), values)
        known = known | new
    return values
