"""osteon: physics straight from voxel CT images. `osteon.run(job)` and `osteon.solve(image, ...)`."""

from .api import Result, run, solve
from .errors import DataError

__all__ = ["DataError", "Result", "run", "solve"]
