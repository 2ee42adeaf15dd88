"""Tests that run the tutorials and notebooks as a reader would."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from page_runner import blocks_of, run_page, same

ROOT = Path(__file__).resolve().parents[2]
BINARY = Path(os.environ.get("OSTEON_BINARY", ROOT / "build/release/src/app/osteon"))
NOTEBOOKS = ROOT / "examples" / "notebooks"
SCANS = ROOT / ".cache" / "scans"
needs_program = pytest.mark.skipif(not BINARY.exists(), reason="the osteon program is not built (OSTEON_BINARY)")


def test_blocks_of_a_page_are_found() -> None:
    """Oracle: determined by hand."""
    page = (
        "`a.toml`:\n\n```toml\nx = 1\n```\nRun:\n```sh\necho 2.0003\n```\n<!-- not run: why -->\n```sh\nsbatch\n```\n"
    )
    file, command, left_out = blocks_of(page)
    assert (file.name, file.text, file.left_out) == ("a.toml", "x = 1\n", False)
    assert (command.kind, command.name, command.left_out) == ("sh", "", False)
    assert left_out.left_out
    assert same("x  2.0000 mm", "x 2.0003 mm")
    assert not same("x 2.0", "x 2.1")
    assert not same("x 2.0", "x 2.0 mm")
    assert same("x 2.0 ...", "x 2.0 mm")


def test_a_page_that_says_what_is_not_printed_fails(tmp_path: Path) -> None:
    """Oracle: the contract."""
    page = tmp_path / "page.md"
    page.write_text("```sh\necho one\n```\n```\ntwo\n```\n")
    (tmp_path / "run").mkdir()
    with pytest.raises(AssertionError, match="two"):
        run_page(page, tmp_path / "run", BINARY, 60)


@needs_program
@pytest.mark.parametrize("name", ["own_tiff", "electrode", "permeability", "perfusion", "on_a_cluster", "bite"])
def test_tutorial(name: str, tmp_path: Path, scan: Path) -> None:
    """Oracle: the output printed on the page."""
    folder = tmp_path / "run"
    folder.mkdir()
    shutil.copy(scan, folder / "scan.tif")
    if name == "on_a_cluster":
        own = blocks_of((ROOT / "docs/tutorials/own_tiff.md").read_text())
        text = next(b.text for b in own if b.name == "femur.toml")
        piece = "crop_voxels = [[32, 72], [32, 72], [32, 72]]"  # the page contains no number of the whole bone
        (folder / "femur.toml").write_text(text.replace("[image]\n", f"[image]\n{piece}\n"))
    if name == "bite":
        head = SCANS / "Cranium.inv3"
        if not head.exists():
            pytest.skip("the head CT is not here (./run demo skull fetches it)")
        job = (ROOT / "examples/skull.toml").read_text()
        (folder / "skull.toml").write_text(job.replace("../.cache/scans/", f"{SCANS}/"))
    run_page(ROOT / "docs/tutorials" / f"{name}.md", folder, BINARY, 240)


def run_notebook(name: str, folder: Path, *expressions: str) -> list:
    """Run the notebook as a program. Then evaluate these expressions of its names."""
    driver = (
        "import json, runpy, sys\n"
        "names = runpy.run_path(sys.argv[1])\n"
        "print('\\n' + json.dumps([eval(text, names) for text in sys.argv[2:]], default=lambda v: v.tolist()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", driver, str(NOTEBOOKS / f"{name}.py"), *expressions],
        cwd=folder,
        env={**os.environ, "OSTEON_BINARY": str(BINARY), "PYTHONPATH": str(ROOT / "python")},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@needs_program
def test_notebook_bone_stiffness(tmp_path: Path) -> None:
    """Oracle: Voigt's bound, the certificate, the work of the load, and Pistoia's ratio."""
    modulus, share, converged, force, energy, factor, failure = run_notebook(
        "bone_stiffness",
        tmp_path,
        "bone.apparent_modulus_MPa",
        "float(np.mean(np.isfinite(bone['sed'])))",
        "bone.certificate['converged']",
        "bone.reaction_N[0]",
        "bone.strain_energy_mJ",
        "bone.summary['pistoia']['factor']",
        "bone.failure_load_N",
    )
    assert converged
    assert 0.1 * 6829 * share < modulus < 6829 * share
    assert energy == pytest.approx(abs(force) * 0.01 * 48 * 0.05 / 2, rel=1e-5)
    assert failure == pytest.approx(factor * force, rel=1e-9)


@needs_program
def test_notebook_lattice_stiffness(tmp_path: Path) -> None:
    """Oracle: the symmetry of the cell, and the modulus along an axis that the program reports. Kinematic faces only
    increase the stiffness."""
    tensor, along, reported, bound = run_notebook(
        "lattice_stiffness",
        tmp_path,
        "lattice.stiffness_MPa",
        "youngs_modulus((1, 0, 0))",
        "lattice.summary['homogenisation']['youngs_modulus_MPa']",
        "bound.stiffness_MPa",
    )
    c = np.array(tensor)
    assert np.diag(c)[:3] == pytest.approx([c[0, 0]] * 3, rel=1e-5)
    assert np.diag(c)[3:] == pytest.approx([c[3, 3]] * 3, rel=1e-5)
    assert list(reported.values()) == pytest.approx([along] * 3, rel=1e-5)
    assert np.linalg.eigvalsh(np.array(bound) - c).min() > -1e-5 * c[0, 0]


@needs_program
def test_notebook_battery_electrode(tmp_path: Path) -> None:
    """Oracle: the definitions. Flat particles make the path across them the longest path."""
    tau, porosity, parameters = run_notebook("battery_electrode", tmp_path, "tau", "float(porosity)", "parameters")
    assert tau["z"] > max(tau["y"], tau["x"]) > 1
    exponent = parameters["Positive electrode Bruggeman coefficient (electrolyte)"]
    assert porosity**exponent == pytest.approx(porosity / tau["z"], rel=1e-9)


@needs_program
def test_notebook_heat_sink(tmp_path: Path) -> None:
    """Oracle: inflow equals outflow. The heat that films conduct is proportional to their area."""
    flows, hottest, area_mm2 = run_notebook(
        "heat_sink",
        tmp_path,
        "sink.face_inflow_W",
        "sink.temperature_K['high']",
        "int(heat_sink(2)[-1].sum() + heat_sink(2)[:, 0].sum() + heat_sink(2)[:, -1].sum())",
    )
    assert flows["z_low"] == pytest.approx(4, rel=1e-6)
    assert sum(flows.values()) == pytest.approx(0, abs=1e-4)
    assert hottest > 300 + 4 / (50 * area_mm2 * 1e-6)
