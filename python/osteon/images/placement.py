"""Position of an image in the patient.

Scans state the position of the centre of their first voxel and three directions in patient coordinates. The patient
coordinates of DICOM, ITK and VTK are "LPS": left (x), posterior (y), superior (z). NIfTI uses "RAS". osteon computes
along the axes of the image. A placement therefore consists of the rotation `direction` and the low corner of the image.
The columns of `direction` are the LPS directions of the image's x, y and z axes. The low corner is in coordinates along
these axes: direction @ p is p in LPS.
"""

from dataclasses import dataclass

import numpy as np

from ..errors import DataError

# Rounding of headers: DICOM's decimal text and NIfTI's 32 bits preserve at least four digits of a direction.
SQUARE = 1e-3


@dataclass
class Placement:
    """Low corner along the image's axes (x, y, z) in mm, and the directions of these axes in LPS (columns) if the file
    states them."""

    corner_mm: np.ndarray
    direction: np.ndarray | None = None

    def origin_z_y_x(self) -> tuple[float, float, float]:
        x, y, z = (float(c) for c in self.corner_mm)
        return (z, y, x)


def right_angled(axes: np.ndarray, source: str) -> np.ndarray:
    """Return the rotation (or reflection) closest to three unit columns.

    @throws DataError if the columns are not perpendicular to each other
    """
    worst = float(np.abs(axes.T @ axes - np.eye(3)).max())
    if not worst <= SQUARE:
        raise DataError(
            f"the axes of '{source}' are not perpendicular (their cosines differ from those of a box by {worst:.2g}, "
            f"the limit is {SQUARE:g}): it is sheared, as by a tilted gantry or an affine registration; "
            "resample it onto a rectangular grid first"
        )
    u, _, v = np.linalg.svd(axes)
    return u @ v + 0.0  # No negative zeros.


def placed(
    first_mm: np.ndarray, axes: np.ndarray, spacing_x_y_z: np.ndarray, source: str, oriented: bool = True
) -> Placement:
    """Return the placement of an image whose first voxel has its centre at `first_mm` (LPS).

    @param axes unit columns: directions of the image's x, y and z axis in LPS
    @param oriented True if the file states that these are the axes of a patient
    """
    direction = right_angled(axes, source)
    corner = direction.T @ np.asarray(first_mm, float) - np.asarray(spacing_x_y_z) / 2
    return Placement(corner + 0.0, direction if oriented else None)


def split(columns: np.ndarray, source: str) -> tuple[np.ndarray, np.ndarray]:
    """Return lengths and unit columns of a 3 x 3 matrix of steps between voxels."""
    lengths = np.linalg.norm(columns, axis=0)
    if not (np.isfinite(columns).all() and (lengths > 0).all()):
        raise DataError(f"'{source}' states steps of {lengths.tolist()} mm between voxels; they must be > 0")
    return lengths, columns / lengths
