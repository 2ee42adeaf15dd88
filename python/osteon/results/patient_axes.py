"""Sides of the patient along the axes of an image, and handedness of the axes, from the direction of a scan."""

from typing import Any

import numpy as np

LETTERS = (("R", "L"), ("A", "P"), ("I", "S"))  # letters towards smaller and larger values of an LPS axis


def letters_of(direction: Any) -> list[list[str]] | None:
    """Return the patient's sides at the low and high ends of x, y and z; None for missing or oblique axes."""
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
    """Return True if the axes x, y, z of an image are left-handed in space; without axes an image is right-handed."""
    if direction is None:
        return False
    return bool(np.linalg.det(np.array(direction, float).reshape(3, 3)) < 0)
