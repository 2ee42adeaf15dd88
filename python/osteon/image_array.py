"""Arrays that are taken as images."""

from typing import TYPE_CHECKING

from .errors import DataError

if TYPE_CHECKING:
    import numpy as np


def fault_of_array(values: "np.ndarray") -> DataError | None:
    """Why an array is no image, in words of one who has no file; None: it may be one."""
    if values.dtype.kind not in "biuf":
        return DataError(
            f"the array holds values of type {values.dtype}; needed are integers, floats, or a mask of bools"
        )
    if values.ndim < 3 or sum(n != 1 for n in values.shape) > 3:
        return DataError(
            f"the array has shape {values.shape}; an image has three axes, (z, y, x): of a slice give "
            "`image[numpy.newaxis]`, of several channels one"
        )
    if values.size == 0:
        return DataError(f"the array has shape {values.shape}; every axis needs at least one voxel")
    return None
