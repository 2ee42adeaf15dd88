"""Selection of the file of `osteon._native` by Python, and cases without a suitable file. Oracle: expected values by
hand."""

from __future__ import annotations

import importlib.machinery
import os
import types
from pathlib import Path

import pytest
from osteon.processes import installed_program, native_module


@pytest.fixture
def loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str | None]]:
    """Names of the loaded files, and the MPI library that these files see. The package folder contains files for three
    Python versions."""
    printed: list[tuple[str, str | None]] = []
    for suffix in (*importlib.machinery.EXTENSION_SUFFIXES[:2], ".cpython-39-x86_64-linux-gnu.so"):
        (tmp_path / f"_native{suffix}").touch()

    class Loader:
        def __init__(self, path: Path) -> None:
            self.path = path

        def create_module(self, spec: object) -> types.ModuleType:
            printed.append((self.path.name, os.environ.get("OSTEON_MPI")))
            if self.path.name.endswith(importlib.machinery.EXTENSION_SUFFIXES[0]):
                raise ImportError("CPU ISA level is lower than required")
            module = types.ModuleType("osteon._native")
            module.end = lambda other_threads: None
            return module

        def exec_module(self, module: types.ModuleType) -> None:
            pass

    monkeypatch.setattr(native_module, "__file__", str(tmp_path / "processes" / "native_module.py"))
    monkeypatch.setattr(
        native_module.importlib.util,
        "spec_from_file_location",
        lambda name, path: importlib.machinery.ModuleSpec(name, Loader(path)),
    )
    for name in ("OSTEON_BINARY", "OSTEON_IN_PROCESS", "OSTEON_MPI"):
        monkeypatch.delenv(name, raising=False)
    return printed


def find() -> types.ModuleType | None:
    return native_module.native_module.__wrapped__()


def test_it_is_for_this_python_and_the_next_one_is_tried(loaded: list) -> None:
    """The first file cannot be loaded, as on an older processor. The file for another Python version is not tried."""
    assert find() is not None
    first, second = importlib.machinery.EXTENSION_SUFFIXES[:2]
    assert loaded == [(f"_native{first}", None), (f"_native{second}", None)]


def test_that_of_the_wheel_sees_the_mpi_of_the_program_only_while_it_is_loaded(
    loaded: list, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installed_program, "PROGRAM", tmp_path / "native_module_test")
    installed_program.PROGRAM.touch()
    monkeypatch.setattr(installed_program, "mpi_of", lambda environment: "ompi4:/lib/libmpi.so.40")
    assert find() is not None
    assert {mpi for _, mpi in loaded} == {"ompi4:/lib/libmpi.so.40"}
    assert "OSTEON_MPI" not in os.environ


def test_without_an_mpi_that_of_the_wheel_is_not_loaded(
    loaded: list, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installed_program, "PROGRAM", tmp_path / "native_module_test")
    installed_program.PROGRAM.touch()
    monkeypatch.setattr(installed_program, "mpi_of", lambda environment: None)
    assert find() is None and not loaded


def test_it_can_be_switched_off(loaded: list, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OSTEON_IN_PROCESS", "0")
    assert find() is None and not loaded
