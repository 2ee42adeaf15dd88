"""Path of the module `osteon._native`, and a check that this process can load the module.

The module of the wheel uses the MPI that the program would use (installed_program.py). It is linked to the bridge,
which terminates the process if it finds no MPI at load time. This file therefore searches for the MPI first.
"""

import atexit
import importlib.util
import os
import threading
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import ModuleType

from . import installed_program


@cache
def native_module() -> ModuleType | None:
    """Return the module of the installed package, or else of the build that contains $OSTEON_BINARY.

    Return None without a module for this Python and processor, without an MPI, or if $OSTEON_IN_PROCESS is 0.
    """
    if os.environ.get("OSTEON_IN_PROCESS") == "0":
        return None
    own, built = Path(__file__).parents[1], Path(os.environ.get("OSTEON_BINARY", "/nonexistent"))
    for folder in (own, *(p / "python" / "osteon" for p in built.parents[2:3])):
        for path in (folder / f"_native{suffix}" for suffix in EXTENSION_SUFFIXES):
            if not path.exists():
                continue
            if folder == own and installed_program.PROGRAM.exists():
                mpi = installed_program.mpi_of(dict(os.environ))
                module = _load(path, {"OSTEON_MPI": mpi}) if mpi else None
            else:
                module = _load(path, {})
            if module is not None:
                atexit.register(end, module)
                return module
    return None


def end(module: ModuleType) -> None:
    """Finalise MPI when Python exits. All remaining threads are then daemon threads."""
    module.end(threading.active_count() > 1)


def _load(path: Path, environment: dict[str, str]) -> ModuleType | None:
    """Load the module from a file; return None if it was built for another Python or a newer processor.

    The variables are set only during loading, so that programs that start later choose their own MPI."""
    spec = importlib.util.spec_from_file_location("osteon._native", path)
    if spec is None or spec.loader is None:
        return None
    before = {name: os.environ.get(name) for name in environment}
    os.environ.update(environment)
    try:
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except ImportError:
        return None
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
    return module
