"""Tests of flow jobs. The permeability is compared with closed forms and invariants. Rejected jobs are also tested."""

from __future__ import annotations

from pathlib import Path

import netCDF4
import numpy as np
import pytest
from whole_job import Job

H = 0.01  # voxel edge in mm


def text(image: str, load: str = "", more: str = "") -> str:
    return (
        f'physics = "flow"\n[image]\npath = "{image}"\nspacing_mm = {H}\n[segment]\nthreshold = 50\n'
        f"[load]\n{load}\n{more}\n[picture]\nwidth = 64\nheight = 64\n"
    )


def save(folder: Path, solid: np.ndarray) -> str:
    np.save(folder / "image.npy", np.where(solid, 100, 0).astype(np.uint8))
    return "image.npy"


def run(job: Job, job_file: str, *arguments: str) -> dict:
    job.write(job_file)
    done = job.run("--no-report", *arguments)
    assert done.code == 0, done.err
    return done.summary


def slit(gap: int, walls: int = 2) -> np.ndarray:
    """Parallel plates across y. The flow is along z."""
    solid = np.zeros((6, gap + walls, 5), bool)
    solid[:, gap:, :] = True
    return solid


def grains(shape: tuple[int, int, int] = (16, 14, 12), seed: int = 4) -> np.ndarray:
    """Overlapping balls in a periodic box."""
    rng = np.random.default_rng(seed)
    at = np.stack(np.meshgrid(*(np.arange(n) + 0.5 for n in shape), indexing="ij"), -1)
    solid = np.zeros(shape, bool)
    for _ in range(9):
        d = np.abs(at - rng.random(3) * shape)
        solid |= (np.minimum(d, np.array(shape) - d) ** 2).sum(-1) < 3.2**2
    return solid


def test_dead_ends_and_islands_are_reported(job: Job, tmp_path: Path) -> None:
    """Oracle: eddies in a blind pocket decay by a factor of about 350 per pocket width (Moffatt 1964, J. Fluid Mech.
    18). An enclosed pore is at rest in every voxel."""
    solid = np.ones((12, 30, 3), bool)
    solid[:, :4] = False  # the channel
    solid[4:8, 4:24] = False  # the pocket, which is 4 voxels wide and 20 voxels deep
    solid[2:4, 26:28] = False  # the enclosed pore
    s = run(job, text(save(tmp_path, solid), 'axis = "z"', "[solve]\ntolerance = 1e-8"))
    fluid, island = np.count_nonzero(~solid), 2 * 2 * 3
    assert s["flowing_share"] == pytest.approx(1 - island / fluid)
    deep, deepest = (4 * 20 * 3, 4 * 12 * 3)
    assert deepest + island < s["still_share"] * fluid < deep + island


@pytest.mark.parametrize("gap", [1, 2, 5])
def test_a_slit_has_the_value_of_its_grid(job: Job, tmp_path: Path, gap: int) -> None:
    """Oracle: (g^2 + 2) / 12 voxels^2 per open area, exact on this grid. The pressure decreases linearly. In the
    mirrored image, the fluid has a wall on one side only, so that the distance of the plates is twice as large."""
    image = save(tmp_path, slit(gap))
    for condition in ("periodic", "mirrored"):
        s = run(
            job,
            text(image, f'axis = "z"\nboundary_condition = "{condition}"', "[solve]\ntolerance = 1e-9"),
            "-n",
            "2",
            "--force",
        )
        open_area = gap / (gap + 2)
        apart = gap if condition == "periodic" else 2 * gap
        exact = (apart**2 + 2) / 12 * open_area * (H * 1e-3) ** 2
        assert s["permeability_m2"] == pytest.approx(exact, rel=1e-8, abs=0)
        assert s["permeability_darcy"] == pytest.approx(exact / 9.869233e-13, rel=1e-8)
        assert s["porosity"] == pytest.approx(open_area)
        assert s["percolates"] is True
        assert s["hydraulic_tortuosity"] == pytest.approx(1, rel=1e-6)
        assert s["still_share"] == 0
        assert s["mean_velocity_mm_per_s"] == pytest.approx(1e6 * exact / open_area / 1e-3 / (6 * H), rel=1e-6)
    with netCDF4.Dataset(tmp_path / "job.out" / "results.nc") as file:
        velocity = np.ma.filled(file["VTKHDF/CellData/velocity"][:].astype("f8"), np.nan)
        pressure = np.ma.filled(file["VTKHDF/CellData/pressure"][:].astype("f8"), np.nan)
    fluid = ~slit(gap)
    assert np.array_equal(np.isfinite(pressure), fluid)
    assert np.abs(velocity[fluid][:, :2]).max() < 1e-6 * np.abs(velocity[fluid]).max()
    assert pressure[:, 0, 0] == pytest.approx((6 - np.arange(6) - 0.5) / 6, abs=1e-5)


def test_ranks_and_ways_to_say_the_fluid_do_not_matter(job: Job, tmp_path: Path) -> None:
    """Oracle: comparison of the results with each other. The pores are given as empty space, as a bright phase, and as
    labels."""
    solid = grains()
    image = save(tmp_path, solid)
    one = run(job, text(image), "-n", "1")
    for arguments in (("-n", "3"), ("-n", "2", "-t", "2")):
        other = run(job, text(image), *arguments, "--force")
        assert other["permeability_m2"] == pytest.approx(one["permeability_m2"], rel=2e-4, abs=0)
        assert other["fluid"] == one["fluid"]
    np.save(tmp_path / "bright.npy", np.where(solid, 0, 100).astype(np.uint8))
    bright = run(job, text("bright.npy", more='[flow]\nfluid = "solid"'), "-n", "1", "--force")
    assert bright["permeability_m2"] == pytest.approx(one["permeability_m2"], rel=1e-9, abs=0)
    np.save(tmp_path / "labels.npy", np.where(solid, 3, np.where(solid[::-1], 5, 7)).astype(np.uint8))
    of_labels = text("labels.npy", more="[flow]\nfluid_labels = [5, 7]").replace("threshold = 50", "labels = true")
    labels = run(job, of_labels, "-n", "1", "--force")
    assert labels["permeability_m2"] == pytest.approx(one["permeability_m2"], rel=1e-9, abs=0)
    low, high = one["permeability_bounds_m2"]
    assert low <= one["permeability_m2"] <= high
    assert high - low == pytest.approx(one["permeability_error"] * one["permeability_m2"], rel=1e-9, abs=0)
    assert one["permeability_error"] <= 1e-4


def test_the_tensor_is_symmetric_and_knows_its_directions(job: Job, tmp_path: Path) -> None:
    """Oracle: the diagonal of the tensor is the permeability along each axis. The eigenvalues are positive. A layered
    image conducts along its layers."""
    image = save(tmp_path, grains())
    tensor = run(job, text(image, 'test = "permeability_tensor"', "[solve]\ntolerance = 1e-6"), "-n", "2")
    k = np.array(tensor["permeability_tensor_m2"])
    assert np.allclose(k, k.T, rtol=0, atol=1e-9 * k.max())
    assert np.linalg.eigvalsh(k).min() > 0
    assert np.linalg.eigvalsh(k)[::-1] == pytest.approx(tensor["principal_permeabilities_m2"], rel=1e-9, abs=0)
    for a, letter in enumerate("zyx"):
        along = run(job, text(image, f'axis = "{letter}"', "[solve]\ntolerance = 1e-6"), "-n", "1", "--force")
        assert along["permeability_m2"] == pytest.approx(k[a][a], rel=1e-5, abs=0)


def test_a_direction_without_a_path_is_reported_and_not_solved(job: Job, tmp_path: Path) -> None:
    """Oracle: a wall. The permeability is 0, which is a valid answer."""
    solid = grains()
    solid[5] = True
    s = run(job, text(save(tmp_path, solid)), "-n", "2")
    assert (s["percolates"], s["permeability_m2"], s["iterations"]) == (False, 0, 0)
    assert s["flowing_share"] == 0


@pytest.mark.parametrize(
    ("solid", "load", "more", "words"),
    [
        (np.zeros((4, 4, 4), bool), "", "", "all 64 voxels are fluid"),
        (np.ones((4, 4, 4), bool), "", "", "leaves no empty voxel"),
        (slit(2), 'test = "axial_bonded"', "", "use 'permeability', 'permeability_tensor', 'dispersion' or 'flow'"),
        (slit(2), 'boundary_condition = "kubc"', "", "use 'periodic' or 'mirrored' or 'closed'"),
        (slit(2), "strain = 0.1", "", 'load.strain: belongs to physics = "elasticity"'),
        (slit(2), "", "[flow]\nviscosity_Pa_s = 0", "flow.viscosity_Pa_s: 0 must be > 0 Pa s"),
        (slit(2), "", "[flow]\ndensity_kg_per_m3 = -1", "flow.density_kg_per_m3: -1 must be > 0"),
        (slit(2), "", "[flow]\nfluid_labels = [1]", "flow.fluid_labels: requires segment.labels = true"),
    ],
)
def test_unsolvable_jobs_are_reported_by_check_and_run(
    job: Job, tmp_path: Path, solid: np.ndarray, load: str, more: str, words: str
) -> None:
    """Oracle: check and run print the sentence and return a non-zero exit code."""
    job.write(text(save(tmp_path, solid), load, more))
    for command in ("check", "run"):
        done = job.run(command=command)
        assert done.code in (2, 3), (command, done.err)
        assert words in done.out + done.err, command


def test_flow_keys_belong_to_flow(job: Job, tmp_path: Path) -> None:
    """Oracle: exit code 2 and the key."""
    image = save(tmp_path, slit(2))
    job.write(
        text(image, more="[flow]\nviscosity_Pa_s = 1.0\n[[material]]\nconductivity_W_per_mK = 1.0").replace(
            '"flow"', '"heat"'
        )
    )
    done = job.run()
    assert done.code == 2
    assert "flow: belongs to physics" in done.err
