"""Tests of natural convection on the command line: published numbers, the content of summary.json, and rejected
jobs."""

from __future__ import annotations

from pathlib import Path

import netCDF4
import numpy as np
import pytest
from whole_job import Job

HOT = '[[boundary]]\nface = "y_low"\nkind = "temperature"\ntemperature_K = 301\n'
COLD = '[[boundary]]\nface = "y_high"\nkind = "temperature"\ntemperature_K = 300\n'
THIN = '[[boundary]]\nface = "x"\nkind = "slip"\n'
SIZE = 16


def text(rayleigh: float, boundaries: str = HOT + COLD + THIN, flow: str = "", more: str = "", n: int = SIZE) -> str:
    """A box of 1 m with diffusivity 1 m2/s and Prandtl number 0.71."""
    return (
        f'physics = "flow"\n[image]\npath = "image.npy"\nspacing_mm = {1000 / n}\n[segment]\nthreshold = 50\n'
        "[flow]\nheat = true\ninertia = true\nviscosity_Pa_s = 0.71\ndensity_kg_per_m3 = 1\n"
        "conductivity_W_per_mK = 1\nheat_capacity_J_per_m3K = 1\n"
        f"expansion_per_K = 1e-3\ngravity_m_per_s2 = [{-710 * rayleigh}, 0, 0]\n{flow}\n{boundaries}\n{more}\n"
        "[picture]\nenabled = false\n"
    )


def save(folder: Path, n: int = SIZE) -> None:
    np.save(folder / "image.npy", np.zeros((n, n, 1), np.uint8))


def test_a_heated_square_has_the_published_numbers(job: Job, tmp_path: Path) -> None:
    """Oracle: de Vahl Davis 1983, extrapolated from 16 and 32 voxels."""
    found = {}
    for n in (16, 32):
        save(tmp_path, n)
        job.write(text(1e4, n=n))
        done = job.run("--no-report", "--force", "-n", "1")
        assert done.code == 0, done.err
        found[n] = done.summary
    numbers = {n: s["convection_nusselt_number"]["y_low"] for n, s in found.items()}
    assert numbers[32] == pytest.approx(2.243, rel=0.015)
    assert (4 * numbers[32] - numbers[16]) / 3 == pytest.approx(2.243, rel=0.003)
    one = found[32]
    assert one["convection_nusselt_number"]["y_high"] == pytest.approx(numbers[32], rel=1e-3)
    assert one["rayleigh_number"] == pytest.approx(1e4, rel=1e-9)  # based on the prescribed temperatures
    assert one["rayleigh_temperature_difference_K"] == pytest.approx(1)
    assert one["prandtl_number"] == pytest.approx(0.71)
    assert one["heat_imbalance"] < 1e-4
    assert one["coupling_change"] < 1e-4
    assert one["boundary_layer_voxels"] == pytest.approx(32 / (2 * max(one["convection_nusselt_number"].values())))
    assert len(one["coupling_history"]["temperature_change"]) == one["coupling_rounds"]
    up, across, _ = one["highest_velocity_mm_per_s"]
    assert up == pytest.approx(19617, rel=0.03)
    assert across == pytest.approx(16178, rel=0.03)
    with netCDF4.Dataset(tmp_path / "job.out" / "results.nc") as file:
        temperature = np.ma.filled(file["VTKHDF/CellData/temperature"][:].astype("f8"), np.nan)[..., 0]
    # the fluid is warm above right and cold below left
    assert temperature + temperature[::-1, ::-1] == pytest.approx(601, abs=1e-2)


def test_a_heated_cube_has_the_published_number(job: Job, tmp_path: Path) -> None:
    """Oracle: Tric, Labrosse and Betrouni 2000, with 2.0542 at a Rayleigh number of 1e4. The value is extrapolated from
    10 and 20 voxels."""
    numbers = {}
    for n in (10, 20):
        np.save(tmp_path / "image.npy", np.zeros((n, n, n), np.uint8))
        job.write(text(1e4, HOT + COLD, n=n))
        done = job.run("--no-report", "--force", "-n", "1")
        assert done.code == 0, done.err
        numbers[n] = done.summary["convection_nusselt_number"]["y_low"]
    assert (4 * numbers[20] - numbers[10]) / 3 == pytest.approx(2.0542, rel=0.01)
    assert numbers[20] == pytest.approx(2.0542, rel=0.05)


def test_what_does_not_settle_ends_with_its_history(job: Job, tmp_path: Path) -> None:
    """Oracle: code 4 and the text of the message."""
    save(tmp_path)
    job.write(text(1e5, more="[solve]\nmax_iterations = 3"))
    done = job.run("--no-report")
    assert done.code == 4, done.err
    assert "relative temperature change of" in done.err, done.err


def test_a_thin_boundary_layer_is_reported(job: Job, tmp_path: Path) -> None:
    """Oracle: 16 voxels divided by twice the Nusselt number are fewer than 3."""
    save(tmp_path)
    job.write(text(1e5))
    done = job.run("--no-report")
    assert done.code == 0, done.err
    assert done.summary["boundary_layer_voxels"] < 3
    assert "boundary layer is" in done.err + done.out, done.err


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("expansion_per_K = 1e-3\n", "", "requires flow.expansion_per_K"),
        ("gravity_m_per_s2 = [-710000.0, 0, 0]\n", "", "missing; required by flow.expansion_per_K"),
        ("gravity_m_per_s2 = [-710000.0, 0, 0]", "gravity_m_per_s2 = [-9.81]", "1 values; give three"),
        ("gravity_m_per_s2 = [-710000.0, 0, 0]", "gravity_m_per_s2 = [0, 0, 0]", "must not be [0, 0, 0]"),
        ("expansion_per_K = 1e-3", "expansion_per_K = 0", "must not be 0"),
        ("heat = true\n", "", "flow.expansion_per_K: requires flow.heat = true"),
        ("inertia = true\n", "inertia = true\nmultiples = [1, 2]\n", "only buoyancy drives this flow"),
        ("[picture]", "[transient]\nend_s = 1\n[picture]", "transient.initial_K: missing; flow.heat"),
    ],
)
def test_what_contradicts_itself_is_refused(job: Job, tmp_path: Path, old: str, new: str, fault: str) -> None:
    save(tmp_path)
    whole = text(1e3)
    assert old in whole
    job.write(whole.replace(old, new, 1))
    done = job.run("--no-report")
    assert done.code == 2, done.err
    assert fault in done.err, done.err


def test_without_buoyancy_a_closed_box_is_refused(job: Job, tmp_path: Path) -> None:
    save(tmp_path)
    whole = "\n".join(line for line in text(1e3).splitlines() if "expansion" not in line and "gravity" not in line)
    job.write(whole)
    done = job.run("--no-report")
    assert done.code == 2, done.err
    assert "no driving force" in done.err
    assert "flow.expansion_per_K" in done.err
