"""osteon: physics computed directly on voxel CT images.

`stiffness`, `homogenise`, `conductivity`, `tortuosity`, `permeability` and `permeability_tensor` accept an array and
return a `Result`. `run` executes any job, which is a file or a mapping. `load` reads a completed job. `morphometry`
measures the shape of a solid. `load_history` estimates the loads on a bone from load cases.
"""

from .calls.api import load_fields, run
from .calls.properties import conductivity, homogenise, permeability, permeability_tensor, solve, stiffness, tortuosity
from .calls.result import Answer, Result, load
from .calls.shape import morphometry
from .errors import DataError, Error, FileWarning, Interrupted, JobWarning, MachineError, SolveError, UsageError
from .load_history import load_history
from .moved_modules import keep_earlier_paths

__all__ = [
    "Answer",
    "DataError",
    "Error",
    "FileWarning",
    "Interrupted",
    "JobWarning",
    "MachineError",
    "Result",
    "SolveError",
    "UsageError",
    "__version__",
    "conductivity",
    "homogenise",
    "load",
    "load_fields",
    "load_history",
    "morphometry",
    "permeability",
    "permeability_tensor",
    "run",
    "solve",
    "stiffness",
    "tortuosity",
]

__version__: str

keep_earlier_paths()


def __getattr__(name: str) -> object:
    """The version is read on its first use. Each reader of images imports this package, and must start fast."""
    if name == "__version__":
        from .calls.version import package_version

        return package_version()
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
