"""Tests of fluid, heat and stress in one job, which is thermo_elasticity with [flow]."""

from __future__ import annotations

from pathlib import Path

import netCDF4
import numpy as np
import pytest
from whole_job import Finished, Job

H = 0.1  # voxel edge in mm
MODULUS, EXPANSION = 1000.0, 2e-5
BAR = (
    f"[[material]]\nyoungs_modulus_MPa = {MODULUS}\npoisson_ratio = 0.3\n"
    f"conductivity_W_per_mK = 0.5\nthermal_expansion_per_K = {EXPANSION}\n"
)
CARRIES_NOTHING = "conductivity_W_per_mK = 1e-12\nheat_capacity_J_per_m3K = 1e-9\n"
INLET = '[[boundary]]\nface = "y_low"\nkind = "velocity"\nvelocity_mm_per_s = 2\ntemperature_K = 320\n'
OUTLET = '[[boundary]]\nface = "y_high"\nkind = "outlet"\n'


def held(face: str, temperature: float) -> str:
    return f'[[boundary]]\nface = "{face}"\nkind = "temperature"\ntemperature_K = {temperature}\n'


def text(boundaries: str, load: str, flow: str = "", materials: str = BAR, segment: str = "threshold = 50") -> str:
    return (
        f'physics = "thermo_elasticity"\n[image]\npath = "image.npy"\nspacing_mm = {H}\n[segment]\n{segment}\n{materials}'
        f"[flow]\n{flow}{boundaries}[load]\nreference_K = 300\n{load}\n[solve]\ntolerance = 1e-9\n"
        "[output]\nfields = ['displacement', 'von_mises', 'stress']\n[picture]\nwidth = 64\nheight = 64\n"
    )


def run(job: Job, job_file: str, *arguments: str) -> Finished:
    job.write(job_file)
    done = job.run("--no-report", "--force", *arguments)
    assert done.code == 0, done.err
    return done


def cells(done: Finished, name: str) -> np.ndarray:
    with netCDF4.Dataset(done.folder / "results.nc") as file:
        return np.ma.filled(file["VTKHDF/CellData"][name][:].astype("f8"), np.nan)


def channel(folder: Path) -> np.ndarray:
    """A solid with a bay, and with a channel along y."""
    solid = np.ones((8, 6, 7), bool)
    solid[:, :, 5:] = False
    solid[3:5, 2, 3:] = False
    np.save(folder / "image.npy", np.where(solid, 100, 0).astype("u1"))
    return solid


@pytest.mark.parametrize("test", ["axial_bonded", "free_expansion"])
def test_a_flow_without_heat_capacity_leaves_the_stress_of_conduction(job: Job, tmp_path: Path, test: str) -> None:
    """Oracle: the same job without [flow], with the temperatures of the heat solver, on 1 and 2 ranks."""
    solid = channel(tmp_path)
    load = f'test = "{test}"\n'
    with_flow = run(
        job, text(INLET + OUTLET + held("z_low", 310) + held("z_high", 350), load, CARRIES_NOTHING), "-n", "2"
    )
    found = {name: cells(with_flow, name) for name in ("temperature", "von_mises", "stress", "speed")}
    s = with_flow.summary
    alone = run(job, text("", load + "low_K = 310\nhigh_K = 350\n").replace("[flow]\n", ""), "-n", "1")
    assert np.array_equal(np.isfinite(found["von_mises"]), solid)
    assert np.array_equal(np.isfinite(found["speed"]), ~solid)
    assert np.isfinite(found["temperature"]).all()
    assert np.allclose(found["temperature"][solid], cells(alone, "temperature")[solid], atol=1e-4)
    highest = cells(alone, "von_mises")[solid].max()
    for name in ("von_mises", "stress"):
        assert np.allclose(found[name][solid], cells(alone, name)[solid], atol=1e-5 * highest), name
    for key in ("von_mises_MPa", "largest_displacement_mm"):
        assert s[key] == pytest.approx(alone.summary[key], rel=1e-5), key
    if test == "axial_bonded":
        assert s["apparent_stress_MPa"] == pytest.approx(alone.summary["apparent_stress_MPa"], rel=1e-5)
    assert s["flow_rate_mm3_per_s"] > 0 and s["flow_certificate"]["converged"] and s["heat_certificate"]["converged"]
    assert s["load"]["test"] == test and s["materials"][1]["thermal_expansion_per_K"] == EXPANSION
    assert s["by_material"][0]["material"] == 2 and s["by_material"][0]["voxels"] == np.count_nonzero(solid)


def test_a_free_body_with_a_linear_temperature_bears_next_to_no_stress(job: Job, tmp_path: Path) -> None:
    """Oracle: a linear temperature bends a free body without stress, except for the variation of temperature over half
    a voxel."""
    solid = np.ones((10, 4, 6), bool)
    solid[:, :, 4:] = False
    np.save(tmp_path / "image.npy", np.where(solid, 100, 0).astype("u1"))
    boundaries = INLET + OUTLET + held("z_low", 310) + held("z_high", 350)
    done = run(job, text(boundaries, 'test = "free_expansion"\n', CARRIES_NOTHING))
    temperature = cells(done, "temperature")[solid].reshape(10, -1)
    assert np.allclose(temperature, (310 + 4 * (np.arange(10) + 0.5))[:, None], atol=1e-5)
    assert done.summary["von_mises_MPa"]["max"] < MODULUS * EXPANSION * 4 / 2
    assert done.summary["largest_displacement_mm"] > EXPANSION * 30 * 10 * H / 2


def test_stresses_of_two_bars_around_a_fluid_follow_from_their_temperatures(job: Job, tmp_path: Path) -> None:
    """Oracle: between plates, without lateral contraction, the force is sum E A (strain - alpha (T - T_ref))."""
    image = np.zeros((6, 4, 7), np.uint8)
    image[:, :, :2], image[:, :, 4:] = 7, 9
    np.save(tmp_path / "image.npy", image)
    # modulus, expansion, number of voxels across, temperature
    bars = {7: (1000.0, 2e-5, 8, 340), 9: (3000.0, 5e-5, 12, 310)}
    materials = "".join(
        f"[[material]]\nlabel = {label}\nyoungs_modulus_MPa = {modulus}\npoisson_ratio = 0.0\n"
        f"conductivity_W_per_mK = 0.5\nthermal_expansion_per_K = {expansion}\n"
        for label, (modulus, expansion, _, _) in bars.items()
    )
    boundaries = INLET + OUTLET + held("x_low", 340) + held("x_high", 310)
    segment = 'labels = true\nvoid_labels = [0]\nkeep = "all"'
    done = run(job, text(boundaries, "strain = 0.001\n", CARRIES_NOTHING, materials, segment), "-n", "2")
    stress = sum(e * n * (0.001 - a * (t - 300)) for e, a, n, t in bars.values()) / (4 * 7)
    assert done.summary["apparent_stress_MPa"] == pytest.approx(stress, rel=1e-6)
    assert [m["material"] for m in done.summary["by_material"]] == [2, 3]


def test_a_stream_that_cools_lowers_the_stress(job: Job, tmp_path: Path) -> None:
    """Invariant: a faster stream removes more heat. The heated solid is therefore cooler and closer to the stress-free
    temperature. The picture shows the stress, and the report describes both stages."""
    channel(tmp_path)
    hot = '[[boundary]]\nface = "x_low"\nkind = "flux"\nflux_W_per_m2 = 5e4\n'
    stress = []
    for speed in (5, 50):
        inlet = INLET.replace("= 2\n", f"= {speed}\n").replace("320", "300")
        job.write(text(inlet + OUTLET + hot, "", "inertia = true\n").replace("tolerance = 1e-9", "tolerance = 1e-6"))
        done = job.run("--force", "-n", "1")
        assert done.code == 0, done.err
        s = done.summary
        assert s["heat_imbalance"] < 2e-6
        stress.append(s["von_mises_MPa"]["mean"])
    assert stress[1] < 0.9 * stress[0]
    assert s["shown"]["field"] == "sed" and (done.folder / "picture.png").exists()
    page = (done.folder / "report.html").read_text(encoding="utf-8")
    assert "Von Mises stress" in page and "Nusselt number" in page
    assert "Temperatures of a flow, between bonded plates" in page and "✗ fail" not in page
    assert "Nusselt number" in done.out


def test_islands_of_the_solid_are_left_out_or_refused(job: Job, tmp_path: Path) -> None:
    """Oracle: with keep = "largest", the numbers are those without the island. With "all", the supports are reported as
    insufficient."""
    solid = channel(tmp_path)
    load = 'test = "free_expansion"\n'
    boundaries = INLET + OUTLET + held("z_low", 310) + held("z_high", 350)
    without = run(job, text(boundaries, load, CARRIES_NOTHING)).summary
    solid[1:3, 2:4, 6] = True
    np.save(tmp_path / "image.npy", np.where(solid, 100, 0).astype("u1"))
    island = run(job, text(boundaries, load, CARRIES_NOTHING), "-n", "3").summary
    assert island["von_mises_MPa"] == pytest.approx(without["von_mises_MPa"], rel=1e-5)
    job.write(text(boundaries, load, CARRIES_NOTHING, segment='threshold = 50\nkeep = "all"'))
    for command in ("check", "run"):
        done = job.run(command=command)
        assert done.code == (2 if command == "check" else 3), (command, done.err)
        assert "are not supported" in done.out + done.err


@pytest.mark.parametrize(
    ("boundaries", "load", "flow", "fault"),
    [
        (
            INLET.replace("temperature_K = 320\n", "") + OUTLET,
            "",
            "",
            "temperature_K: missing; flow.heat requires the inflow temperature",
        ),
        (INLET + OUTLET, "low_K = 310\n", "", "load.low_K: conflicts with [flow]"),
        (INLET + OUTLET, "", "multiples = [1, 2]\n", "which uses a single flow"),
        (INLET + OUTLET, 'test = "flow"\n', "", "use 'axial_bonded' or 'free_expansion'"),
        (INLET, "", "", "inflow without outflow"),
        ("", "", "", "requires openings"),
    ],
)
def test_what_does_not_fit_is_refused(
    job: Job, tmp_path: Path, boundaries: str, load: str, flow: str, fault: str
) -> None:
    """Oracle: exit code 2 and the key."""
    channel(tmp_path)
    job.write(text(boundaries, load, flow))
    done = job.run("--no-report")
    assert done.code == 2, done.err
    assert fault in done.err, done.err


def test_boundaries_need_the_flow(job: Job, tmp_path: Path) -> None:
    channel(tmp_path)
    job.write(text(held("z_low", 310), "").replace("[flow]\n", ""))
    done = job.run("--no-report")
    assert done.code == 2
    assert '"thermo_elasticity" with [flow]' in done.err
