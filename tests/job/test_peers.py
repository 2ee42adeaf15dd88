"""Other people's programs on the same voxels. Skipped, with a line that says so, where they cannot be had."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from whole_job import ROOT, Job, job_text

PEER = ROOT / ".venv-peers" / "bin" / "python"

PAROSOL = """
import json, sys
import numpy as np
import parosol_py
solid = np.load(sys.argv[1])
r = parosol_py.solve(material=np.where(solid, 6829.0, 0.0).astype(np.float32), spacing=(0.02,) * 3, test="axial",
    test_axis="z", strain=-0.01, load_case_type="constrained_axial", tolerance=1e-8, level=4, mpi_processes=1,
    mpi_launcher="packaged", outputs=("sed",))
work = float((r.fields["forces"] * r.fields["displacements"]).sum())
print("work", work)
"""


def test_stiffness_agrees_with_parosol(job: Job, scan: Path) -> None:
    """Oracle: parosol-py, another voxel finite-element program; the work of its nodal forces gives its stiffness."""
    if not PEER.exists():
        pytest.skip("parosol-py is not here (./run test installs it into .venv-peers where it can be had)")
    crop = "crop_voxels = [[44, 84], [44, 84], [44, 84]]"
    job.write(job_text(scan, more="[segment]\nthreshold = 120\n[solve]\ntolerance = 1e-8\n", image_more=crop))
    done = job.run("--no-report")
    assert done.code == 0, done.err
    with netCDF4.Dataset(str(done.folder / "model.nc")) as file:
        solid = np.asarray(file["VTKHDF/CellData/material"][:]) > 0
    np.save(job.folder / "solid.npy", solid)
    peer = subprocess.run(
        [str(PEER), "-c", PAROSOL, str(job.folder / "solid.npy")],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        cwd=job.folder,
    )
    work = float(peer.stdout.split("work")[-1])
    driven_mm = 0.01 * 40 * 0.02
    assert done.summary["stiffness_N_per_mm"] == pytest.approx(abs(work) / driven_mm**2, rel=1e-6), json.dumps(
        done.summary["certificate"]
    )


def test_pictures_agree_with_vtk(tmp_path: Path) -> None:
    """Oracle: VTK's fixed-point ray caster on the same volume, transfer function, camera and step: SSIM >= 0.98."""
    sys.path.insert(0, str(ROOT / "bench"))
    import render

    if not render.has_vtk():
        pytest.skip("VTK is not here or cannot draw (./run test installs it into .venv-peers where it can be had)")
    rows = render.measure(tmp_path, edge=64, pixels=128, frames=1, peer=True, step=0.5)["rows"]
    similar = {row["name"]: row["similarity"] for row in rows if "similarity" in row}
    assert len(similar) == 2
    assert min(similar.values()) >= 0.98, similar
