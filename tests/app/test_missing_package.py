"""Tests of missing optional packages. One sentence names the command that installs the package."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from osteon.calls.one_frame import one_frame
from whole_job import osteon

from osteon import MachineError, extras


@pytest.fixture
def without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Return a function that hides a package from the Python of the program and from this Python."""

    def hide(name: str) -> None:
        package = tmp_path / "hidden" / name
        package.mkdir(parents=True)
        (package / "__init__.py").write_text(f"raise ImportError('hidden', name={name!r})\n")
        monkeypatch.setenv("PYTHONPATH", f"{tmp_path / 'hidden'}:{os.environ.get('PYTHONPATH', '')}")

    return hide


@pytest.mark.parametrize("command", ["check", "run"])
def test_a_reader_that_is_missing(tmp_path: Path, without, command: str) -> None:
    """Oracle: determined by hand, with the exit code for a machine with a missing component."""
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
    assert complaints[0].endswith(" -m pip install nibabel` installs it")


@pytest.mark.parametrize(
    ("module", "package"),
    [("report", "PIL"), ("report.label_pictures", "PIL"), ("compare", "matplotlib"), ("studio", "starlette")],
)
def test_a_program_of_the_package_says_what_is_missing(tmp_path: Path, module: str, package: str) -> None:
    """Oracle: determined by hand. One sentence and the exit code for a machine with a missing component precede any
    other check."""
    more = {"report": ["nowhere"], "compare": ["--page=p.html", "a", "b"]}.get(module, [])
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


def test_the_sentence_names_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Oracle: determined by hand. The sentence names all missing packages of an extra. It never names osteon, whose
    name is not registered on PyPI."""
    assert extras.missing_package(ImportError(name="pydicom.pixels")).endswith("pip install pydicom` installs it")
    monkeypatch.setattr(extras, "_lacks", lambda module: module != "cmcrameri")
    assert extras.missing_package(ImportError(name="PIL")).endswith("pip install pillow matplotlib` installs it")
    assert extras.missing_package(ImportError(name="unheard_of")).endswith("pip install unheard_of` installs it")


def test_a_function_raises_it_as_an_error_of_ours() -> None:
    """Oracle: the exit code of the command line."""

    @one_frame
    def call() -> None:
        raise ImportError("no", name="pyvista")

    with pytest.raises(MachineError, match="'pyvista' is missing") as caught:
        call()
    assert caught.value.exit_code == 5


def test_no_page_installs_a_package_of_this_name_from_pypi() -> None:
    """Oracle: on all pages and in all messages, a pip command names a wheel file or other packages."""
    root = Path(__file__).resolve().parents[2]
    pages = [root / "README.md", root / "run"]
    for folder, pattern in (
        ("docs", "*.md"),
        ("packaging", "*"),
        ("python", "*.py"),
        ("src", "*.?pp"),
        ("examples", "*"),
    ):
        pages += [p for p in (root / folder).rglob(pattern) if p.is_file() and p.suffix not in (".png", ".npy", ".nii")]
    named = re.compile(r"(pip|pipx|uv) (install|add)[^\n`#]*(?<![\w/.*-])osteon(\[|[ =<>~`'\"]|$)", re.M)
    found = [f"{p.relative_to(root)}: {m[0]}" for p in pages for m in named.finditer(p.read_text(errors="replace"))]
    assert found == []
    for text in ("pip install 'osteon[all]'", "pip install osteon", "pip install -U osteon==1"):
        assert named.search(text), text
    assert not named.search('pip install "$(ls dist/osteon-*.whl)[all]"')
