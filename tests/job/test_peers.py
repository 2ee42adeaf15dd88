"""Other programs on the same voxels. Tests are skipped, with a message, if a program is not available."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import matplotlib as mpl
import netCDF4
import numpy as np
import pytest
from whole_job import BINARY, ROOT, Job, job_text

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
np.save("peer_sed.npy", r.fields["sed"])
print("work", work)
"""


def test_stiffness_and_energy_density_agree_with_parosol(job: Job, scan: Path) -> None:
    """Oracle: parosol-py, another voxel finite-element program. The work of its nodal forces yields its stiffness. Its
    energy densities at the centres of voxels yield the effective strains and the failure load, as in FAIM."""
    if not PEER.exists():
        pytest.skip("parosol-py is not here (./run test installs it into .venv-peers where it can be had)")
    crop = "crop_voxels = [[50, 78], [50, 78], [50, 78]]"
    job.write(job_text(scan, more="[segment]\nthreshold = 120\n[solve]\ntolerance = 1e-8\n", image_more=crop))
    done = job.run("--no-report")
    assert done.code == 0, done.err
    with netCDF4.Dataset(str(done.folder / "model.nc")) as file:
        solid = np.asarray(file["VTKHDF/CellData/material"][:]) > 0
    with netCDF4.Dataset(str(done.folder / "results.nc")) as file:
        file.set_auto_mask(False)
        sed = file["VTKHDF/CellData/sed"][:][solid].astype(float)
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
    driven_mm = 0.01 * 28 * 0.02
    assert done.summary["stiffness_N_per_mm"] == pytest.approx(abs(work) / driven_mm**2, rel=1e-6), json.dumps(
        done.summary["certificate"]
    )
    # the values are in the order of an octree
    theirs = np.sort(np.load(job.folder / "peer_sed.npy").astype(float).ravel())
    np.testing.assert_allclose(np.sort(sed), theirs, rtol=2e-5, atol=2e-5 * theirs.mean())
    strain = np.sqrt(2 * theirs / 6829.0)
    critical = strain[int(np.ceil(0.98 * strain.size)) - 1]
    failure = done.summary["reaction_N"][0] * 0.007 / critical
    assert done.summary["pistoia"]["failure_load_N"] == pytest.approx(failure, rel=2e-5)


def test_pictures_agree_with_vtk(tmp_path: Path) -> None:
    """Oracle: the fixed-point ray caster of VTK on this volume, with equal transfer function, camera and step, and SSIM
    >= 0.98."""
    sys.path.insert(0, str(ROOT / "bench"))
    import render

    if not render.has_vtk():
        pytest.skip("VTK is not here or cannot draw (./run test installs it into .venv-peers where it can be had)")
    rows = render.measure(tmp_path, edge=64, pixels=128, frames=1, peer=True, step=0.5)["rows"]
    similar = {row["name"]: row["similarity"] for row in rows if "similarity" in row}
    assert len(similar) == 2
    assert min(similar.values()) >= 0.98, similar


@pytest.mark.parametrize("method", ["maximum", "volume"])
def test_pictures_of_results_agree_with_vtk(job: Job, tmp_path: Path, method: str) -> None:
    """Oracle: the maximum intensity projection of VTK, and the volume of VTK for the same control points, with SSIM >=
    0.98.

    The volume of VTK ends at the centres of the outer voxels, so that the volume of osteon is clipped there. The
    difference from 1 is mostly due to the edge of the volume, which VTK smooths.
    """
    sys.path.insert(0, str(ROOT / "bench"))
    import render

    if not render.has_vtk():
        pytest.skip("VTK is not here or cannot draw (./run test installs it into .venv-peers where it can be had)")
    edge, spacing = 48, 0.02
    z, y, x = np.meshgrid(*[np.arange(edge)] * 3, indexing="ij")
    np.save(tmp_path / "all.npy", (120 + 60 * np.sin(x / 4) * np.cos(y / 5) + 40 * np.sin(z / 3)).astype(np.uint8))
    job.write(job_text(tmp_path / "all.npy", more="[segment]\nthreshold = 0\n") + "enabled = false\n")
    results = job.run("-n", "1", "--no-report").folder / "results.nc"
    with netCDF4.Dataset(results) as file:
        values = np.asarray(file["VTKHDF/CellData/von_mises"][:], dtype=np.float32)
    np.save(tmp_path / "values.npy", values)
    low, high = (f"{p:.6g}" for p in np.percentile(values, (1, 99.9)))
    parallel = method == "volume"
    look = {
        "maximum": ["--method", "maximum", "--map", "viridis", "--range", low, high],
        "volume": ["--points", f"{low}:0:#ffffff,{high}:0.05:#ffffff", "--solid", "0", "--orthographic"],
    }[method]
    for axis in range(3):
        for side, offset in ((1, edge * spacing - spacing / 2), (-1, -spacing / 2)):
            look += ["--clip", f"{'xyz'[axis]}={side},offset={offset:g}"]
    own = subprocess.run(
        [BINARY, "render", results, "--field", "von_mises", *look, "--width", "512", "--height", "512",
         "--step", "0.25", "-o", tmp_path / "own.npy"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert own.returncode == 0, own.stderr
    subprocess.run(
        [PEER, ROOT / "bench" / "_vtk_projection.py", tmp_path / "values.npy", str(spacing), method, low, high,
         str(int(parallel)), "512", tmp_path / "vtk.npy"],
        capture_output=True, timeout=120, check=True,
    )  # fmt: skip
    picture = np.load(tmp_path / "own.npy")
    grey = 255 * picture[..., 0]
    # fraction of the range, computed from the green value of the colour, which increases in viridis
    if method == "maximum":
        grey = np.where(picture[..., 3] > 0, np.interp(picture[..., 1], *viridis_green()), 0)
    assert render.similarity(grey, np.load(tmp_path / "vtk.npy")) >= 0.98


def viridis_green() -> tuple[np.ndarray, np.ndarray]:
    """Linear green values of viridis, and the corresponding entries from 0 to 255."""
    srgb = mpl.colormaps["viridis"](np.arange(256))[:, 1]
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4), np.arange(256)
