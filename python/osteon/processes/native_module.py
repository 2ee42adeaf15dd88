"""Path of the module `osteon._native`, and check that this process can load the module.

The module of the wheel uses the same MPI library as the program (installed_program.py). The module is linked to the
bridge. If the bridge finds no MPI library at load time, the bridge terminates the process. This file therefore searches
for an MPI library first.
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
    """Return the module of the installed package. Otherwise, return the module of the build that contains
    $OSTEON_BINARY.

    The result is None if there is no module for this Python interpreter and processor, if there is no MPI library, or
    if $OSTEON_IN_PROCESS is 0.
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
    """Finalise MPI when Python exits. All remaining threads are daemon threads at this point."""
    module.end(threading.active_count() > 1)


def _load(path: Path, environment: dict[str, str]) -> ModuleType | None:
    """Load the module from a file. If the module was built for another Python or a newer processor, the result is None.

    The variables are set only during loading. Programs that start later therefore choose their own MPI library."""
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
