"""Sides of the patient along the axes of an image, and handedness of the axes. The direction of a scan determines both
properties."""

from typing import Any

import numpy as np

LETTERS = (("R", "L"), ("A", "P"), ("I", "S"))  # letters for the directions of smaller and larger values on an LPS axis


def letters_of(direction: Any) -> list[list[str]] | None:
    """Return the patient's sides at the low and high ends of x, y and z. For missing or oblique axes, the result is
    None."""
    if direction is None:
        return None
    axes = np.array(direction, float).reshape(3, 3)
    found = []
    for column in axes.T:
        most = int(np.abs(column).argmax())
        if abs(column[most]) < 0.8:
            return None
        ends = list(LETTERS[most])
        found.append(ends if column[most] > 0 else ends[::-1])
    return found


def is_left_handed(direction: Any) -> bool:
    """Return True if the axes x, y, z of an image are left-handed in space. An image without axes is right-handed."""
    if direction is None:
        return False
    return bool(np.linalg.det(np.array(direction, float).reshape(3, 3)) < 0)
