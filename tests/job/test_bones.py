"""Tests of the jaw and the femur of examples/bones at a coarser resolution, which are compared with levers and
beams."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from whole_job import BINARY, ROOT

BONES = ROOT / "examples" / "bones"


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bones")
    made = [sys.executable, BONES / "make_bones.py", folder, "--jaw-voxel-mm", "2", "--femur-voxel-mm", "2"]
    subprocess.run([str(word) for word in made], check=True, capture_output=True)
    return folder


def run(name: str, image: Path, out: Path) -> dict:
    changes = [f"image.path={image}", "image.spacing_mm=2", "picture.enabled=false", "solve.tolerance=1e-8"]
    words = [word for change in changes for word in ("--set", change)]
    command = [str(BINARY), "run", str(BONES / f"{name}.toml"), "-n", "2", "-o", str(out), "--no-report", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads((out / "summary.json").read_text())


def test_the_bite_follows_from_the_levers_of_the_jaw(images: Path, tmp_path: Path) -> None:
    """Oracle: the moments of muscles and bite about the midpoint of the joints, and the reactions of the joints."""
    found = run("jaw_bite", images / "jaw.npy", tmp_path / "out")
    joints, bite = found["supports"]
    assert (joints["on"], bite["on"]) == ("joints", "bite")
    z, y, _ = joints["about_mm"]
    moment = bite["reaction_N"][0] * (bite["about_mm"][1] - y) - bite["reaction_N"][1] * (bite["about_mm"][0] - z)
    # For each muscle, the force acts at the centre of its node set. The values z and y are those of the example, to one
    # voxel.
    middle = {"masseter": (17, 24), "temporalis": (49.5, 30.5)}
    for force in found["forces"]:
        at_z, at_y = middle[force["on"].split("_")[0]]
        moment += force["force_N"][0] * (at_y - y) - force["force_N"][1] * (at_z - z)
    pull = sum(force["force_N"][0] for force in found["forces"])
    assert abs(moment) < 0.2 * pull * 20, (moment, pull)  # the lever arms of the muscles are about 20 mm
    assert 0.25 < -bite["reaction_N"][0] / pull < 0.5
    assert joints["reaction_N"][2] == pytest.approx(0, abs=1e-2 * pull)  # left and right are symmetric
    assert 0 < found["principal_strain_1"]["p98"] < found["principal_strain_1"]["max"] < 0.01


def test_the_shaft_of_the_femur_is_a_bent_and_pressed_tube(images: Path, tmp_path: Path) -> None:
    """Oracle: the moment about the knee of the load on the head. The stress is M c / I - F / A of a tube of 14 and 7.5
    mm, at the centre of a voxel."""
    found = run("femur_axial", images / "femur.npy", tmp_path / "out")
    (knee,) = found["supports"]
    load, shaft_mm, head_mm = 1470.0, 34.0, 80.0
    assert knee["reaction_N"][0] == pytest.approx(load, rel=1e-4)
    assert -knee["moment_N_mm"][1] == pytest.approx(load * (head_mm - knee["about_mm"][2]), rel=0.02)
    netcdf4 = pytest.importorskip("netCDF4")
    with netcdf4.Dataset(tmp_path / "out" / "results.nc") as file:
        strain = np.ma.filled(file["VTKHDF/CellData/principal_strain_1"][:], np.nan).reshape(220, 42, 55)
    area, inertia = math.pi * (14**2 - 7.5**2), math.pi / 4 * (14**4 - 7.5**4)
    outermost = 13.0  # distance in mm from the axis to the centre of the last voxel
    expected = (load * (head_mm - shaft_mm) * outermost / inertia - load / area) / 17000
    assert np.nanmax(strain[100:120]) == pytest.approx(expected, rel=0.1)
    assert found["principal_strain_1"]["max"] >= np.nanmax(strain[100:120])
