"""Tests of the types of the public functions, as mypy checks them in the program of a user."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("mypy") is None, reason="the package mypy is not installed (tools/requirements-test.txt)"
)

ROOT = Path(__file__).resolve().parents[2]
HEAD = """import numpy as np
import osteon
image = np.ones((4, 4, 4), bool)
"""
RIGHT = """
for spacing in (0.05, [0.05, 0.05, 0.05], (1, 2, 3), np.full(3, 0.05)):
    osteon.stiffness(image, spacing_mm=spacing, youngs_modulus_MPa=1000, poisson_ratio=0.3, output={"fields": ["sed"]})
result = osteon.run({"name": "x"}, progress=lambda stage, share, detail: print(stage.upper(), share + 1, detail))
field: np.ndarray = result["sed"]
unit: str = osteon.load("folder").answers["stiffness_N_per_mm"].unit
shape: dict = osteon.morphometry(image.tolist(), 0.05)
fields: dict[str, np.ndarray] = osteon.load_fields("results.nc")
"""
# The types of NumPy and osteon are read. The types of packages that no listed public function uses would take 12 CPU
# seconds.
SETTINGS = """[mypy]
ignore_missing_imports = True
follow_imports = silent
[mypy-pyvista.*,vtk.*,vtkmodules.*,xarray.*,zarr.*,numcodecs.*,matplotlib.*,scipy.*,pandas.*]
follow_imports = skip
"""
# A call, and the error that mypy reports for the call.
WRONG = {
    "osteon.stiffness(image, 0.05, youngs_modulus_MPa=1000.0)": r'Missing named argument "poisson_ratio"',
    'osteon.stiffness(image, "x", youngs_modulus_MPa=1.0, poisson_ratio=0.3)': 'incompatible type "str"',
    'osteon.stiffness(image, 0.05, youngs_modulus_MPa="stiff", poisson_ratio=0.3)': 'incompatible type "str"',
    "osteon.stiffness(image, 0.05, youngs_modulus_MPa=1.0, poisson_ratio=0.3, tolerence=1e-6)": '"tolerence"',
    "osteon.homogenise(image, 0.05, youngs_modulus_MPa=1.0)": r'Missing named argument "poisson_ratio"',
    "osteon.load(3)": 'incompatible type "int"',
    'osteon.morphometry(image, 0.05, throats="no")': 'incompatible type "str"',
    "number: int = osteon.load('folder')": "Incompatible types in assignment",
}


def mypy(folder: Path, text: str) -> str:
    path = folder / "program.py"
    path.write_text(text)
    settings = folder / "mypy.ini"
    settings.write_text(SETTINGS)
    words = ["--cache-dir", str(folder / "cache"), "--config-file", str(settings), str(path)]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *words],
        cwd=folder, capture_output=True, text=True, timeout=500, check=False,
        env={**os.environ, "MYPYPATH": str(ROOT / "python")},
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.stdout


def test_calls_are_checked_by_mypy(tmp_path):
    """Oracle: mypy. Correct calls pass, and each wrong call causes one error on its own line."""
    calls = list(WRONG)
    printed = mypy(tmp_path, HEAD + "\n".join(calls) + RIGHT)
    errors = {int(n): text for n, text in re.findall(r"^program\.py:(\d+): error: (.*)$", printed, re.M)}
    first = HEAD.count("\n") + 1
    assert sorted(errors) == list(range(first, first + len(calls))), printed
    for n, call in enumerate(calls):
        assert re.search(WRONG[call], errors[first + n]), printed


def test_the_package_states_that_it_has_types():
    """Oracle: PEP 561."""
    assert (ROOT / "python" / "osteon" / "py.typed").exists()
