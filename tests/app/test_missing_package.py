"""A package that only some tasks need is not there: one sentence says what brings it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from osteon.one_frame import one_frame
from whole_job import osteon

from osteon import MachineError, extras


@pytest.fixture
def without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A function that hides a package from the program's Python and from this one."""

    def hide(name: str) -> None:
        package = tmp_path / "hidden" / name
        package.mkdir(parents=True)
        (package / "__init__.py").write_text(f"raise ImportError('hidden', name={name!r})\n")
        monkeypatch.setenv("PYTHONPATH", f"{tmp_path / 'hidden'}:{os.environ.get('PYTHONPATH', '')}")

    return hide


@pytest.mark.parametrize("command", ["check", "run"])
def test_a_reader_that_is_missing(tmp_path: Path, without, command: str) -> None:
    """Oracle: hand; the code of a machine that lacks something."""
    without("nibabel")
    np.save(tmp_path / "scan.npy", np.ones((4, 4, 4), np.uint8))
    (tmp_path / "scan.npy").rename(tmp_path / "scan.nii")
    (tmp_path / "job.toml").write_text(
        'name = "a"\nphysics = "heat"\n[image]\npath = "scan.nii"\nspacing_mm = [1, 1, 1]\n[segment]\nthreshold = 0.5\n'
        "[[material]]\nconductivity_W_per_mK = 1.0\n[load]\ntest = 'conduction'\naxis = 'z'\n"
    )
    done = osteon(command, str(tmp_path / "job.toml"))
    assert done.returncode == 5
    complaints = [line for line in done.stderr.splitlines() if line.startswith("osteon: ")]
    assert len(complaints) == 1, done.stderr
    assert complaints[0].startswith("osteon: the Python package 'nibabel' is missing; `")
    assert complaints[0].endswith(" -m pip install nibabel` brings it")


@pytest.mark.parametrize(("module", "package"), [("report", "PIL"), ("compare", "matplotlib"), ("studio", "starlette")])
def test_a_program_of_the_package_says_what_is_missing(tmp_path: Path, module: str, package: str) -> None:
    """Oracle: hand: one sentence and the code of a machine that lacks something, before anything else is looked at."""
    more = {"report": ["nowhere"], "compare": ["--page=p.html", "a", "b"], "studio": []}[module]
    script = (
        f"import runpy, sys\nsys.modules[{package!r}] = None\nsys.argv = ['osteon', *{more!r}]\n"
        f"runpy.run_module('osteon.{module}', run_name='__main__')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path
    )
    assert done.returncode == 5, done.stderr
    assert done.stderr.count("\n") == 1
    assert "is missing" in done.stderr and "-m pip install" in done.stderr


def test_the_sentence_names_the_extra_where_pip_knows_osteon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Oracle: hand."""
    monkeypatch.setattr(extras, "_is_installed", lambda: True)
    assert extras.missing_package(ImportError(name="pydicom.pixels")).endswith("pip install 'osteon[dicom]'` brings it")
    assert extras.missing_package(ImportError(name="unheard_of")).endswith("pip install unheard_of` brings it")


def test_a_function_raises_it_as_an_error_of_ours() -> None:
    """Oracle: the exit code of the command line."""

    @one_frame
    def call() -> None:
        raise ImportError("no", name="pyvista")

    with pytest.raises(MachineError, match="'pyvista' is missing") as caught:
        call()
    assert caught.value.exit_code == 5
