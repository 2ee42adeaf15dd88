"""Where an image lies in the patient.

Scans state the position of the centre of their first voxel and three directions, in the axes of the patient: to the
left (x), to the back (y), to the head (z), "LPS" for short, as DICOM, ITK and VTK have them; NIfTI's are "RAS". osteon
computes along the axes of the image. So a placement is the rotation `direction`, whose columns are the LPS directions
of the image's x, y and z axis, and the low corner of the image in coordinates along the image's own axes:
direction @ p is p in LPS.
"""

from dataclasses import dataclass

import numpy as np

from ..errors import DataError

# What headers lose: DICOM's decimal text and NIfTI's 32 bits keep at least four digits of a direction.
SQUARE = 1e-3


@dataclass
class Placement:
    """Low corner along the image's axes (x, y, z), in mm; and these axes in LPS (columns), if the file states them."""

    corner_mm: np.ndarray
    direction: np.ndarray | None = None

    def origin_z_y_x(self) -> tuple[float, float, float]:
        x, y, z = (float(c) for c in self.corner_mm)
        return (z, y, x)


def right_angled(axes: np.ndarray, source: str) -> np.ndarray:
    """The rotation (or reflection) closest to three unit columns.

    @throws DataError if they are not at right angles to each other
    """
    worst = float(np.abs(axes.T @ axes - np.eye(3)).max())
    if not worst <= SQUARE:
        raise DataError(
            f"the axes of '{source}' are not at right angles (their cosines differ from those of a box by {worst:.2g}, "
            f"allowed are {SQUARE:g}): it is sheared, as by a tilted gantry or an affine registration; "
            "resample it onto a straight grid first"
        )
    u, _, v = np.linalg.svd(axes)
    return u @ v + 0.0  # No negative zeros.


def placed(
    first_mm: np.ndarray, axes: np.ndarray, spacing_x_y_z: np.ndarray, source: str, oriented: bool = True
) -> Placement:
    """The placement of an image whose first voxel has its centre at `first_mm` (LPS).

    @param axes unit columns: directions of the image's x, y and z axis in LPS
    @param oriented whether the file says that these are the axes of a patient
    """
    direction = right_angled(axes, source)
    corner = direction.T @ np.asarray(first_mm, float) - np.asarray(spacing_x_y_z) / 2
    return Placement(corner + 0.0, direction if oriented else None)


def split(columns: np.ndarray, source: str) -> tuple[np.ndarray, np.ndarray]:
    """Lengths and unit columns of a 3 x 3 matrix of steps from voxel to voxel."""
    lengths = np.linalg.norm(columns, axis=0)
    if not (np.isfinite(columns).all() and (lengths > 0).all()):
        raise DataError(f"'{source}' states steps of {lengths.tolist()} mm from voxel to voxel; they have to be > 0")
    return lengths, columns / lengths
