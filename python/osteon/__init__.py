"""osteon: physics straight from voxel CT images. `osteon.run(job)` and `osteon.solve(image, ...)`."""

from .api import Result, load_fields, permeability, run, solve
from .errors import DataError, Error, FileWarning, Interrupted, MachineError, SolveError, UsageError

__all__ = [
    "DataError",
    "Error",
    "FileWarning",
    "Interrupted",
    "MachineError",
    "Result",
    "SolveError",
    "UsageError",
    "load_fields",
    "permeability",
    "run",
    "solve",
]
