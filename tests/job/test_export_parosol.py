"""Tests of a job that is exported as a model of ParOSol. The tests check the content of the file and the results of
ParOSol for this file."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from whole_job import ROOT, Job, follows_schema, job_text
from whole_job import osteon as command

h5py = pytest.importorskip("h5py")
LOAD = '[segment]\nthreshold = 100\n[load]\ntest = "axial_bonded"\naxis = "{axis}"\nstrain = -0.01\n'


def sponge() -> np.ndarray:
    """Columns and plates of a random pattern that are connected to all faces."""
    solid = np.random.default_rng(8).random((9, 8, 7)) < 0.75
    solid[0] = solid[-1] = solid[:, 0] = solid[:, -1] = solid[:, :, 0] = solid[:, :, -1] = True
    return np.where(solid, 200, 10).astype("u1")


def exported(job: Job, text: str, *more: str, code: int = 0) -> tuple[str, dict]:
    np.save(job.folder / "image.npy", sponge())
    job.write(text)
    target = job.folder / "model.h5"
    done = command("export", str(job.folder / "job.toml"), "-o", str(target), *more, "--json", str(target) + ".json")
    assert done.returncode == code, done.stderr
    return done.stderr, json.loads((job.folder / "model.h5.json").read_text()) if code == 0 else {}


def parosol() -> Path:
    peer = next(ROOT.glob(".venv-peers/lib/python3*/site-packages/parosol_py/bin/parosol"), None)
    if peer is None:
        pytest.skip("ParOSol is not installed")
    return peer


def computed_by(peer: Path, job: Job) -> None:
    """Run ParOSol, which writes the solution to the file."""
    words = [str(peer), "--tol", "1e-9", "model.h5"]
    ran = subprocess.run(words, cwd=job.folder, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stdout[-500:] + ran.stderr[-500:]


@pytest.mark.parametrize("axis", ["z", "y", "x"])
def test_the_file_has_moduli_and_all_that_is_prescribed(job: Job, axis: str) -> None:
    """Oracle: the image by numpy. The faces of the box are fixed in all directions, and one face is driven."""
    _, answer = exported(job, job_text("image.npy", more=LOAD.format(axis=axis)))
    follows_schema(answer, "h5")
    solid = sponge() > 100
    with h5py.File(job.folder / "model.h5") as file:
        group = file["Image_Data"]
        np.testing.assert_array_equal(group["Image"][...], np.where(solid, np.float32(6.829), 0))  # GPa
        assert group["Voxelsize"][()] == 0.02 and group["Poisons_ratio"][()] == 0.3
        places, values = group["Fixed_Displacement_Coordinates"][...], group["Fixed_Displacement_Values"][...]
        assert len(group["Loaded_Nodes_Values"]) == answer["loaded"] == 0
    n = "zyx".index(axis)
    direction = 2 - n
    faces = [np.prod([s + 1 for a, s in enumerate(solid.shape) if a != n])] * 2  # solid everywhere (see sponge())
    assert answer["fixed"] == len(values) == 3 * sum(faces) and answer["elements"] == solid.sum()
    assert set(places[:, n]) == {0, solid.shape[n]}
    driven = values[(places[:, n] != 0) & (places[:, 3] == direction)]
    still = values[(places[:, n] == 0) | (places[:, 3] != direction)]
    np.testing.assert_allclose(np.abs(driven), 0.01 * solid.shape[n] * 0.02, rtol=1e-6)
    assert not still.any()


def test_parosol_computes_the_same_force(job: Job) -> None:
    """Oracle: ParOSol, another program, with its nodal forces on the driven face."""
    peer = parosol()
    exported(job, job_text("image.npy", more=LOAD.format(axis="z")))
    computed_by(peer, job)
    with h5py.File(job.folder / "model.h5") as file:
        nodes = file["Solution/force"][...]
        places = file["Mesh/Coordinates"][...]
    done = job.run("-n", "1", "--no-report", "--set", "picture.enabled=false", "--set", "solve.tolerance=1e-9")
    assert done.code == 0, done.err
    top = places[:, 2] > places[:, 2].max() - 1e-6
    assert abs(nodes[top, 2].sum()) == pytest.approx(abs(done.summary["reaction_N"][0]), rel=1e-6)


def test_displacements_by_forces_agree_with_parosol(job: Job) -> None:
    """Oracle: ParOSol, with the work of the forces, which is twice the strain energy. Each axis has a force of its
    own."""
    peer = parosol()
    load = '[segment]\nthreshold = 100\n[load]\ntest = "custom"\n[[support]]\non = "z_low"\nfix = "zyx"\n'
    load += '[[force]]\non = "z_high"\nforce_N = [-5.0, 2.0, 1.0]\nspread = "area"\n'
    _, answer = exported(job, job_text("image.npy", more=load))
    computed_by(peer, job)
    with h5py.File(job.folder / "model.h5") as file:
        moved, places = file["Solution/disp"][...], file["Mesh/Coordinates"][...]
        loaded, values = (file[f"Image_Data/Loaded_Nodes_{k}"][...] for k in ("Coordinates", "Values"))
    assert answer["loaded"] == len(values)
    sums = [values[loaded[:, 3] == direction].sum() for direction in range(3)]
    np.testing.assert_allclose(sums, [1, 2, -5], rtol=1e-5)  # x, y, z
    at = {tuple(np.rint(p / 0.02).astype(int)): u for p, u in zip(places, moved, strict=True)}
    work = sum(f * at[x, y, z][direction] for (z, y, x, direction), f in zip(loaded, values, strict=True))
    done = job.run("-n", "1", "--no-report", "--set", "picture.enabled=false", "--set", "solve.tolerance=1e-9")
    assert done.code == 0, done.err
    assert work / 2 == pytest.approx(done.summary["strain_energy_mJ"], rel=1e-5)


def test_it_is_read_as_an_image_of_moduli(job: Job) -> None:
    """Round trip: the file is the image and the [modulus_image] of another job. The stiffness of this job is the
    stiffness of the first job."""
    exported(job, job_text("image.npy", more=LOAD.format(axis="z")))
    first = job.run("-n", "1", "--no-report", "--set", "picture.enabled=false")
    assert first.code == 0, first.err
    text = job_text("model.h5", more=LOAD.format(axis="z").replace("threshold = 100", "threshold = 0"))
    begin, end = text.index("[[material]]"), text.index("[segment]")
    job.write(text[:begin] + '[modulus_image]\npath = "model.h5"\npoisson_ratio = 0.3\n' + text[end:])
    again = job.run("-n", "1", "--no-report", "--force", "--set", "picture.enabled=false")
    assert again.code == 0, again.err
    assert again.summary["stiffness_N_per_mm"] == pytest.approx(first.summary["stiffness_N_per_mm"], rel=1e-6)


def test_what_parosol_cannot_hold_is_refused(job: Job) -> None:
    cubes = job_text("image.npy", more=LOAD.format(axis="z"))
    reported, _ = exported(job, cubes.replace("spacing_mm = 0.02", "spacing_mm = [0.02, 0.02, 0.03]"), code=2)
    assert "require cubic voxels" in reported
    cases = '[segment]\nthreshold = 100\n[[case]]\nname = "a"\nstrain = -0.01\n[[case]]\nname = "b"\naxis = "x"\nstrain = 0.01\n'
    reported, _ = exported(
        job, job_text("image.npy", more=cases.replace("strain", 'test = "axial_bonded"\nstrain')), code=2
    )
    assert "2 load cases" in reported
    assert not (job.folder / "model.h5").exists()
