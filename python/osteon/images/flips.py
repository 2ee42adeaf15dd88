"""Axes of a label image that are reversed relative to its scan. dcm2niix, for example, stores images of a DICOM series
with reversed axes."""

from dataclasses import replace

import numpy as np

from .pieces import Pieces
from .volume import Volume, three_axes

ALIKE = 2e-3  # tolerance of cosines, as in the check of the common grid


def lay_along(volume: Volume, direction: list[float], source: str) -> None:
    """Reverse axes that are opposite to the axes of a scan, with a warning. Positions in the patient do not change.

    @param direction axes x, y, z of the scan in LPS (columns, by rows); if an axis of the image is neither parallel nor
    opposite to one of these axes, the volume is not changed
    """
    if volume.placement is None or volume.placement.direction is None or volume.spacing_mm is None:
        return
    wanted, found = np.array(direction, float).reshape(3, 3), volume.placement.direction
    signs = np.sign((wanted * found).sum(axis=0))
    if (signs > 0).all() or np.abs(found * signs - wanted).max() > ALIKE:
        return
    shape = three_axes(volume.values.shape, source)
    reversed_axes = [axis for axis in range(3) if signs[2 - axis] < 0]  # z, y, x
    values = volume.values.whole(source) if isinstance(volume.values, Pieces) else volume.values
    volume.values = np.flip(values.reshape(shape), reversed_axes)
    lengths = np.array(shape[::-1]) * np.array(volume.spacing_mm[::-1])
    corner = np.where(signs < 0, -(volume.placement.corner_mm + lengths), volume.placement.corner_mm)
    volume.placement = replace(volume.placement, corner_mm=corner + 0.0, direction=found * signs + 0.0)
    names = " and ".join("zyx"[axis] for axis in reversed_axes)
    volume.warnings.append(
        f"'{source}' stores {names} in the reverse direction of the scan, as dcm2niix does; its voxels are reordered "
        "to the order of the scan, at the same positions in the patient"
    )
