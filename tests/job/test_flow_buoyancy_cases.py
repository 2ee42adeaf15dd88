"""Tests of steady flows driven by heat on the command line: layers, chimneys, rooms, and mixed convection at several
speeds."""

from __future__ import annotations

import csv
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from test_flow_buoyancy import THIN, save, text
from whole_job import Job

EXACT = "[solve]\ntolerance = 1e-6\n"


def wall(face: str, kelvin: float) -> str:
    return f'[[boundary]]\nface = "{face}"\nkind = "temperature"\ntemperature_K = {kelvin}\n'


def opening(face: str, kelvin: float, what: str = 'kind = "pressure"\npressure_Pa = 0') -> str:
    return f'[[boundary]]\nface = "{face}"\n{what}\ntemperature_K = {kelvin}\n'


def temperature_of(folder: Path) -> np.ndarray:
    with netCDF4.Dataset(folder / "results.nc") as file:
        return np.ma.filled(file["VTKHDF/CellData/temperature"][:].astype("f8"), np.nan)


def test_a_fluid_that_is_heated_from_above_rests(job: Job, tmp_path: Path) -> None:
    """Oracle: conduction alone, because warm fluid is above cold fluid. The Nusselt number is 1, and the temperature is
    linear."""
    save(tmp_path)
    job.write(text(1e4, wall("z_high", 301) + wall("z_low", 300) + THIN))
    done = job.run("--no-report", "-n", "1")
    assert done.code == 0, done.err
    for face in ("z_low", "z_high"):
        assert done.summary["convection_nusselt_number"][face] == pytest.approx(1, abs=1e-5)
    conducted_mm_per_s = 1000  # diffusivity divided by the edge of the box
    assert max(done.summary["highest_velocity_mm_per_s"]) < 1e-3 * conducted_mm_per_s
    layers = 300 + (np.arange(16) + 0.5) / 16
    assert temperature_of(done.folder)[:, :, 0] == pytest.approx(np.tile(layers, (16, 1)).T, abs=1e-4)


def test_a_chimney_draws_as_much_as_a_long_one_does(job: Job, tmp_path: Path) -> None:
    """Oracle: between plates at one temperature, the developed flow is a parabola with the mean g beta dT b^2 / (12
    nu). On b voxels, the mean is (1 + 2 / b^2) times this value. The Nusselt number is Ra (b / L) / 24 [Elenbaas1942].
    Two lengths eliminate the effect of the inlet. Mass and heat are in balance."""
    gap, rayleigh = 8, 30.0  # Rayleigh number of the gap of 1 m
    drawn = {}
    for length in (32, 64):
        np.save(tmp_path / "image.npy", np.zeros((length, gap, 1), np.uint8))
        ends = opening("z_low", 300) + opening("z_high", 301)
        outside = "reference_temperature_K = 300"  # no pressure acts on fluid at the reference temperature
        job.write(text(rayleigh, ends + wall("y", 301) + THIN, outside, EXACT, n=gap))
        done = job.run("--no-report", "--force", "-n", "1")
        assert done.code == 0, done.err
        s = done.summary
        inflow = s["opening_inflow_mm3_per_s"]
        assert inflow["z_high"] == pytest.approx(-inflow["z_low"], rel=1e-5)
        assert sum(s["face_inflow_W"].values()) == pytest.approx(s["heat_carried_out_W"], rel=1e-5)
        rise = s["opening_temperature_K"]["z_high"] - 300
        assert rise == pytest.approx(1, abs=3e-3)
        drawn[length] = inflow["z_low"] / (1000 * 1000 / gap) * 1e-3  # mean velocity, m/s
        capacity = drawn[length] * 1 / gap  # capacity rate in W/K; the gap is 1 m wide and has the thickness of a voxel
        assert s["heat_carried_out_W"] == pytest.approx(capacity * rise, rel=1e-4)
        area = 2 * length / gap / gap  # m2
        number = s["heat_carried_out_W"] / area
    developed = rayleigh / 12 * (1 + 2 / gap**2)
    assert number == pytest.approx(rayleigh * gap / 64 / 24, rel=0.05)  # less at the inlet, and more on voxels
    assert drawn[32] < drawn[64] < developed
    assert (64 * drawn[64] - 32 * drawn[32]) / 32 == pytest.approx(developed, rel=5e-3)


def exchanged_heat(height: int) -> float:
    """For a passage of this number of voxels, return the heat transport by its own flow in addition to conduction,
    divided by Ra^2. Fluid flows in opposite directions in layers. The solution is exact on voxels, and is 1 / 9! for
    many voxels."""
    unit = 1 / height
    friction = 2 * np.eye(height) - np.eye(height, k=1) - np.eye(height, k=-1)
    conduction = friction.copy()
    friction[0, 0] = friction[-1, -1] = 3
    conduction[0, 0] = conduction[-1, -1] = 1
    z = (np.arange(height) + 0.5) * unit - 0.5
    velocity = np.linalg.solve(friction / unit**2, z)  # an odd profile, with zero net flow
    temperature = np.linalg.lstsq(conduction / unit**2, -velocity, rcond=None)[0]
    return float(-(velocity * temperature).sum() * unit)


def test_two_rooms_exchange_heat_through_a_passage(job: Job, tmp_path: Path) -> None:
    """Oracle: the layers of [CormackLealImberger1974] in a long passage between a warm and a cold room. The heat is the
    heat of conduction times 1 + Ra^2 / 9!. Ra is based on the height of the passage and on the temperature gradient in
    its middle."""
    assert exchanged_heat(200) == pytest.approx(1 / 362880, rel=1e-3)
    high, wide, height, length = 16, 8, 8, 32
    solid = np.zeros((high, 2 * wide + length, 1), np.uint8)
    solid[:, wide:-wide] = 100
    solid[high // 2 - height // 2 : high // 2 + height // 2] = 0
    np.save(tmp_path / "image.npy", solid)
    rayleigh = 4000.0  # based on the height of the passage, 1 m, and on the whole temperature difference
    job.write(text(rayleigh, wall("y_low", 301) + wall("y_high", 300) + THIN, more=EXACT, n=height))
    done = job.run("--no-report", "-n", "1")
    assert done.code == 0, done.err
    s = done.summary
    heat = s["face_inflow_W"]["y_low"]
    assert s["face_inflow_W"]["y_high"] == pytest.approx(-heat, rel=1e-5)
    along = np.nanmean(temperature_of(done.folder)[..., 0], axis=0)
    middle = wide + length // 2
    gradient = (along[middle - 3] - along[middle + 2]) * height / 5  # K/m
    local = rayleigh * gradient
    conducted = gradient * 1 / height  # through a passage of 1 m times a voxel, with 1 W/(m K)
    assert heat / conducted > 1.3
    assert heat / conducted == pytest.approx(1 + local**2 * exchanged_heat(height), rel=3e-3)


def test_mixed_convection_at_several_speeds_has_a_temperature_for_each(job: Job, tmp_path: Path) -> None:
    """Oracle: a separate job for each speed. Buoyancy has a smaller effect at higher speeds."""
    np.save(tmp_path / "image.npy", np.zeros((24, 8, 1), np.uint8))
    push = opening("z_low", 300, 'kind = "velocity"\nvelocity_mm_per_s = 5000')
    out = opening("z_high", 300, 'kind = "outlet"')
    walls = wall("y_low", 301) + THIN
    probe = '[[probe]]\nname = "middle"\nat_mm = [1500, 300, 60]\n'

    def run(push: str, multiples: str = "") -> tuple[dict, list[dict[str, str]]]:
        job.write(text(500, push + out + walls, multiples, EXACT + probe, n=8))
        done = job.run("--no-report", "--force", "-n", "2")
        assert done.code == 0, done.err
        with (done.folder / "probes.csv").open() as file:
            return done.summary, list(csv.DictReader(file))

    together, reported = run(push, "multiples = [1, 4]")
    assert [flow["multiple"] for flow in together["flows"]] == [1, 4]
    assert [float(row["multiple"]) for row in reported] == [1, 4]
    keys = ("nusselt_number", "wall_heat_W", "heat_carried_out_W", "mean_wall_shear_stress_Pa", "rayleigh_number")
    for flow, row, speed in zip(together["flows"], reported, ("5000", "20000"), strict=True):
        alone, its = run(push.replace("5000", speed))
        for key in keys:
            assert flow[key] == pytest.approx(alone[key], rel=1e-5), key
        assert flow["coupling_change"] < 1e-6
        for key in ("middle.temperature_K", "middle.velocity_mm_per_s.z"):
            assert float(row[key]) == pytest.approx(float(its[0][key]), rel=1e-6), key
    for key in keys:
        assert together[key] == together["flows"][-1][key], key
    assert "forchheimer_permeability_m2" not in together
    # Buoyancy causes the part of the shear that does not grow with the speed.
    slow, fast = (flow["mean_wall_shear_stress_Pa"] for flow in together["flows"])
    assert 4 * slow > 1.01 * fast


@pytest.mark.parametrize("walls", ["at the temperature of the inflow", "insulated"])
def test_a_chimney_whose_temperatures_are_all_equal_draws(job: Job, tmp_path: Path, walls: str) -> None:
    """Oracle: water at 310 K between plates at a distance of 8 voxels, 10 K above the reference temperature. The flow
    is a creeping parabola with the mean speed g beta dT (g^2 + 2) / 12 h^2 / nu, on voxels of h = 0.01 mm."""
    np.save(tmp_path / "image.npy", np.zeros((32, 8, 1), np.uint8))
    ends = opening("z_low", 310) + opening("z_high", 310)
    sides = wall("y", 310) if walls != "insulated" else ""
    job.write(
        'physics = "flow"\n[image]\npath = "image.npy"\nspacing_mm = 0.01\n[segment]\nthreshold = 50\n'
        "[flow]\nheat = true\nexpansion_per_K = 2e-4\ngravity_m_per_s2 = [-9.81, 0, 0]\n"
        f"reference_temperature_K = 300\nviscosity_Pa_s = 1e-3\n{ends}{sides}{THIN}[picture]\nenabled = false\n"
    )
    done = job.run("--no-report", "-n", "1")
    assert done.code == 0, done.err
    s = done.summary
    pull, kinematic, h = 9.81 * 2e-4 * 10, 1e-6, 1e-5  # m/s2, m2/s, m
    assert s["mean_speed_mm_per_s"] == pytest.approx(1000 * pull * (8**2 + 2) / 12 * h**2 / kinematic, rel=1e-4)
    assert s["rayleigh_temperature_difference_K"] == pytest.approx(10)
    assert s["temperature_K"]["low"] == pytest.approx(310, abs=1e-9)
    assert s["temperature_K"]["high"] == pytest.approx(310, abs=1e-9)


def test_a_closed_box_at_one_temperature_is_at_rest(job: Job, tmp_path: Path) -> None:
    """Oracle: there is no driving force. The result is no flow, a Rayleigh number of 0, and no Nusselt number."""
    np.save(tmp_path / "image.npy", np.zeros((12, 8, 1), np.uint8))
    job.write(text(1e4, wall("z", 300) + THIN, n=12))
    done = job.run("--no-report", "-n", "1")
    assert done.code == 0, done.err
    assert done.summary["highest_velocity_mm_per_s"] == [0, 0, 0]
    assert done.summary["rayleigh_number"] == 0
    assert "convection_nusselt_number" not in done.summary or done.summary["convection_nusselt_number"] == {}
    assert temperature_of(done.folder)[0, 0, 0] == pytest.approx(300)
