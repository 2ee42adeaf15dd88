"""The module `osteon._native`: where it lies, and whether this process can take it.

The one of the wheel runs over the MPI that the program would take (installed_program.py). The bridge, which it is
linked to, looks for that when it is loaded, and ends the process where there is none: so it is looked for before.
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
    """The module: in the package where osteon is installed, else where $OSTEON_BINARY was built.

    None: there is none for this Python and this processor, or no MPI for it, or $OSTEON_IN_PROCESS is 0.
    """
    if os.environ.get("OSTEON_IN_PROCESS") == "0":
        return None
    here, built = Path(__file__).parents[1], Path(os.environ.get("OSTEON_BINARY", "/nonexistent"))
    for folder in (here, *(p / "python" / "osteon" for p in built.parents[2:3])):
        for path in (folder / f"_native{suffix}" for suffix in EXTENSION_SUFFIXES):
            if not path.exists():
                continue
            if folder == here and installed_program.PROGRAM.exists():
                mpi = installed_program.mpi_of(dict(os.environ))
                module = _load(path, {"OSTEON_MPI": mpi}) if mpi else None
            else:
                module = _load(path, {})
            if module is not None:
                atexit.register(end, module)
                return module
    return None


def end(module: ModuleType) -> None:
    """End MPI at the end of Python. All other threads are daemon threads by then."""
    module.end(threading.active_count() > 1)


def _load(path: Path, environment: dict[str, str]) -> ModuleType | None:
    """The module of this file; None if it is for another Python or a newer processor.

    The variables are set meanwhile, and do not stay: programs that Python starts later choose for themselves."""
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
