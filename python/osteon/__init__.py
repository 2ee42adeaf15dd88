"""osteon: physics straight from voxel CT images.

`stiffness`, `homogenise`, `conductivity`, `tortuosity` and `permeability` take an array and give a `Result`; `run`
takes any job, as a file or a mapping; `load` reads a job that has been run. `morphometry` measures the shape of a
solid, `load_history` tells from load cases how a bone is loaded.
"""

from .api import load_fields, run
from .errors import DataError, Error, FileWarning, Interrupted, MachineError, SolveError, UsageError
from .load_history import load_history
from .properties import conductivity, homogenise, permeability, solve, stiffness, tortuosity
from .result import Answer, Result, load
from .shape import morphometry

__all__ = [
    "Answer",
    "DataError",
    "Error",
    "FileWarning",
    "Interrupted",
    "MachineError",
    "Result",
    "SolveError",
    "UsageError",
    "conductivity",
    "homogenise",
    "load",
    "load_fields",
    "load_history",
    "morphometry",
    "permeability",
    "run",
    "solve",
    "stiffness",
    "tortuosity",
]
