"""Tests of heat with flow on the command line: closed forms, ranks, files, labels, and rejected jobs."""

from __future__ import annotations

from pathlib import Path

import netCDF4
import numpy as np
import pytest
from whole_job import Job, osteon

H = 0.1  # voxel edge in mm
INLET = '[[boundary]]\nface = "z_low"\nkind = "velocity"\nvelocity_mm_per_s = 2\ntemperature_K = 290\n'
OUTLET = '[[boundary]]\nface = "z_high"\nkind = "outlet"\n'
SIDES = '[[boundary]]\nface = "x"\nkind = "slip"\n'
HOT = '[[boundary]]\nface = "y_high"\nkind = "temperature"\ntemperature_K = 350\n'
SOLID = '[[material]]\nname = "copper"\nconductivity_W_per_mK = 400\n'


def text(boundaries: str, flow: str = "", more: str = "", segment: str = "threshold = 50") -> str:
    return (
        f'physics = "flow"\n[image]\npath = "image.npy"\nspacing_mm = {H}\n[segment]\n{segment}\n'
        f"[flow]\nheat = true\n{flow}\n{boundaries}\n{more}\n[picture]\nwidth = 64\nheight = 64\n"
    )


def save(folder: Path, solid: np.ndarray) -> None:
    np.save(folder / "image.npy", np.where(solid, 100, 0).astype(np.uint8))


def channel(folder: Path) -> np.ndarray:
    """A fluid with a width of 6 voxels on a solid wall of 2 voxels."""
    solid = np.zeros((12, 8, 3), bool)
    solid[:, 6:, :] = True
    save(folder, solid)
    return solid


def run(job: Job, job_file: str, *arguments: str) -> dict:
    job.write(job_file)
    done = job.run("--no-report", "--force", *arguments)
    assert done.code == 0, done.err
    return done.summary


def test_a_channel_on_a_hot_wall_is_in_balance_on_any_number_of_ranks(job: Job, tmp_path: Path) -> None:
    """Oracle: heat in equals heat out. Further oracles are the numbers of the flow alone, and one rank."""
    solid = channel(tmp_path)
    more = SOLID + "[solve]\ntolerance = 1e-7"
    one = run(job, text(INLET + OUTLET + SIDES + HOT, "", more), "-n", "1")
    assert one["heat_imbalance"] < 1e-5
    assert one["face_inflow_W"]["y_high"] + one["face_inflow_W"]["z_low"] == pytest.approx(
        one["heat_carried_out_W"], rel=1e-5
    )
    # The capacity rate of the stream is known, with 2 mm/s through 6 x 3 voxels.
    capacity = 4.18e6 * 2e-3 * 18 * (H * 1e-3) ** 2
    rise = one["opening_temperature_K"]["z_high"] - one["opening_temperature_K"]["z_low"]
    assert one["opening_temperature_K"]["z_low"] == pytest.approx(290)
    assert capacity * rise == pytest.approx(one["heat_carried_out_W"], rel=1e-5)
    assert one["wall_heat_W"] == pytest.approx(one["face_inflow_W"]["y_high"], rel=1e-5)
    assert 349 < one["wall_temperature_K"] < 350  # copper
    assert one["temperature_overshoot_K"] == 0
    assert one["nusselt_number"] == pytest.approx(
        one["heat_transfer_coefficient_W_per_m2K"] * one["hydraulic_diameter_mm"] * 1e-3 / 0.6
    )
    difference = np.array([one["wall_temperature_K"] - 290, one["wall_temperature_K"] - 290 - rise])
    mean = (difference[0] - difference[1]) / np.log(difference[0] / difference[1])
    area = 12 * 3 * (H * 1e-3) ** 2
    carried = one["wall_heat_W"] + one["face_inflow_W"]["z_low"]  # without the conduction through the inlet
    assert one["face_inflow_W"]["z_low"] < 0
    assert one["heat_transfer_coefficient_W_per_m2K"] == pytest.approx(carried / area / mean, rel=1e-6)
    assert one["heat_certificate"]["converged"]
    with netCDF4.Dataset(tmp_path / "job.out" / "results.nc") as file:
        data = file["VTKHDF/CellData"]
        temperature = np.ma.filled(data["temperature"][:].astype("f8"), np.nan)
        velocity = np.ma.filled(data["velocity"][:].astype("f8"), np.nan)
    assert np.isfinite(temperature).all()
    assert np.array_equal(np.isfinite(velocity).all(-1), ~solid)
    assert temperature[solid].mean() == pytest.approx(one["temperature_K"]["solid"], rel=1e-6)
    assert temperature[~solid].mean() == pytest.approx(one["temperature_K"]["fluid"], rel=1e-6)
    for ranks in ("2", "3"):
        other = run(job, text(INLET + OUTLET + SIDES + HOT, "", more), "-n", ranks)
        for key in ("wall_heat_W", "heat_carried_out_W", "nusselt_number"):
            assert other[key] == pytest.approx(one[key], rel=1e-5), (ranks, key)
        assert other["temperature_K"] == pytest.approx(one["temperature_K"], rel=1e-7)


def test_each_multiple_of_the_flow_has_its_temperature(job: Job, tmp_path: Path) -> None:
    """Oracle: a separate job for each flow, and the heat balance. The flows are solved only to a tolerance of 0.01."""
    channel(tmp_path)
    more = SOLID + "[solve]\ntolerance = 1e-2"
    all_flows = run(job, text(INLET + OUTLET + SIDES + HOT, "multiples = [0.5, 3]", more))
    assert [flow["multiple"] for flow in all_flows["flows"]] == [0.5, 3]
    assert all_flows["flux_correction"] > 1e-9
    for flow in all_flows["flows"]:
        assert flow["heat_imbalance"] < 2e-6
        speed = 2 * flow["multiple"]
        one = run(job, text(INLET.replace("mm_per_s = 2", f"mm_per_s = {speed}") + OUTLET + SIDES + HOT, "", more))
        for key in ("nusselt_number", "wall_heat_W", "cell_peclet_number"):
            assert flow[key] == pytest.approx(one[key], rel=1e-2), key  # the second flow starts from the first
    first, last = all_flows["flows"]
    assert last["nusselt_number"] == all_flows["nusselt_number"] > 1.2 * first["nusselt_number"]


def test_a_solid_without_a_material_insulates(job: Job, tmp_path: Path) -> None:
    """Oracle: without a heated wall, the fluid keeps its inlet temperature. A source heats the fluid uniformly."""
    solid = channel(tmp_path)
    s = run(job, text(INLET + OUTLET + SIDES + HOT, "heat_source_W_per_m3 = 1e8"))
    made = 1e8 * np.count_nonzero(~solid) * (H * 1e-3) ** 3
    assert s["heat_source_W"] == pytest.approx(made)
    assert s["heat_carried_out_W"] == pytest.approx(made + s["face_inflow_W"]["z_low"], rel=1e-3)
    assert "wall_heat_W" not in s and "solid" not in s["temperature_K"]
    with netCDF4.Dataset(tmp_path / "job.out" / "results.nc") as file:
        temperature = np.ma.filled(file["VTKHDF/CellData/temperature"][:].astype("f8"), np.nan)
    assert np.array_equal(np.isfinite(temperature), ~solid)


def test_labels_have_conductivities_and_sources(job: Job, tmp_path: Path) -> None:
    """Oracle: the heat of a source leaves with the stream. The temperature of the better conductor is more uniform."""
    image = np.full((12, 10, 3), 3, np.uint8)  # fluid
    image[:, 6:8, :] = 7
    image[:, 8:, :] = 9
    image[:, 9:, 2] = 4  # no conduction
    np.save(tmp_path / "image.npy", image)
    materials = (
        "[[material]]\nlabel = 7\nconductivity_W_per_mK = 200\n"
        "[[material]]\nlabel = 9\nconductivity_W_per_mK = 0.5\nheat_source_W_per_m3 = 2e8\n[solve]\ntolerance = 1e-7"
    )
    segment = "labels = true\nvoid_labels = [4]"
    s = run(job, text(INLET + OUTLET + SIDES, "fluid_labels = [3]", materials, segment), "-n", "2")
    made = 2e8 * np.count_nonzero(image == 9) * (H * 1e-3) ** 3
    assert s["heat_source_W"] == pytest.approx(made)
    assert s["wall_heat_W"] == pytest.approx(made, rel=1e-5)
    assert s["heat_carried_out_W"] - s["face_inflow_W"]["z_low"] == pytest.approx(made, rel=1e-5)
    with netCDF4.Dataset(tmp_path / "job.out" / "results.nc") as file:
        temperature = np.ma.filled(file["VTKHDF/CellData/temperature"][:].astype("f8"), np.nan)
    assert np.array_equal(np.isfinite(temperature), image != 4)
    assert np.ptp(temperature[image == 7]) < np.ptp(temperature[image == 9])


def test_the_picture_shows_the_temperature(job: Job, tmp_path: Path) -> None:
    channel(tmp_path)
    job.write(text(INLET + OUTLET + SIDES + HOT, "", SOLID))
    done = job.run()
    assert done.code == 0, done.err
    assert (tmp_path / "job.out" / "picture.png").exists()
    assert "temperature" in (tmp_path / "job.out" / "report.html").read_text()


def test_a_picture_of_the_file_shows_the_solid_that_has_a_temperature(job: Job, tmp_path: Path) -> None:
    """Oracle: an equal flow in a solid that is not part of the model. Lines of the velocity do not depend on heat. In a
    picture of the temperature, the solid is also coloured."""
    channel(tmp_path)
    pictures: dict[str, bytes] = {}
    for name, solid in (("conducts", SOLID), ("insulates", "")):
        run(job, text(INLET + OUTLET + SIDES + HOT, "", solid), "-n", "1")
        for shown, words in (
            ("lines", ["--streamlines", "12"]),
            ("bare", ["--streamlines", "12", "--solid", "0"]),
            ("glow", ["--field", "temperature", "--range", "290", "350"]),
        ):
            path = tmp_path / f"{shown}.png"
            words += ["--width", "96", "--height", "96", "--title", "one", "-o", str(path)]
            done = osteon("render", str(tmp_path / "job.out" / "results.nc"), *words)
            assert done.returncode == 0, done.stderr
            pictures[f"{shown} {name}"] = path.read_bytes()
    assert pictures["lines conducts"] == pictures["lines insulates"]
    assert pictures["lines conducts"] != pictures["bare conducts"]
    assert pictures["glow conducts"] != pictures["glow insulates"]


@pytest.mark.parametrize(
    ("boundaries", "flow", "more", "fault"),
    [
        (
            INLET.replace("temperature_K = 290\n", "") + OUTLET,
            "",
            "",
            "temperature_K: missing; flow.heat requires the inflow temperature",
        ),
        (INLET + OUTLET, "conductivity_W_per_mK = 0", "", "conductivity_W_per_mK: 0 must be > 0"),
        (INLET + OUTLET, "heat_capacity_J_per_m3K = -1", "", "heat_capacity_J_per_m3K: -1 must be > 0"),
        (INLET + OUTLET, "", SOLID.replace("400", "-4"), "conductivity_W_per_mK: -4 must be > 0"),
        (INLET + OUTLET, "", "[[material]]\nname = 'x'", "conductivity_W_per_mK: missing"),
        (INLET + OUTLET + HOT + HOT, "", SOLID, "already has the thermal condition of boundary[3]"),
        (INLET + OUTLET + HOT.replace("temperature_K = 350\n", ""), "", SOLID, "temperature_K: missing"),
        (INLET + OUTLET + HOT + "flux_W_per_m2 = 3\n", "", SOLID, 'flux_W_per_m2: belongs to kind = "flux", not to'),
        (
            INLET + OUTLET + HOT + "velocity_mm_per_s = 3\n",
            "",
            SOLID,
            'velocity_mm_per_s: belongs to kind = "velocity", not to "temperature"',
        ),
        (INLET + OUTLET + SIDES + "temperature_K = 3\n", "", SOLID, "in a separate table"),
        (
            INLET + OUTLET + HOT.replace('"temperature"', '"periodic"'),
            "",
            SOLID,
            "periodic faces and conditions inside the image are not available",
        ),
        (INLET + OUTLET + HOT, "conductivity_W_per_K = 3", SOLID, "conductivity_W_per_K"),
        (
            OUTLET + '[[boundary]]\nface = "z_low"\nkind = "pressure"\npressure_Pa = 3\n',
            "",
            "",
            "fluid enters at the highest pressure",
        ),
        ("[load]\ntest = 'permeability'", "", "", 'belongs to test = "flow"'),
    ],
)
def test_what_contradicts_itself_is_refused(
    job: Job, tmp_path: Path, boundaries: str, flow: str, more: str, fault: str
) -> None:
    channel(tmp_path)
    job.write(text(boundaries, flow, more))
    done = job.run("--no-report")
    assert done.code == 2, done.err
    assert fault in done.err, done.err


@pytest.mark.parametrize(
    ("boundaries", "flow", "more", "fault"),
    [
        (INLET + OUTLET, "", "", "requires flow.heat = true"),
        (INLET.replace("temperature_K = 290\n", "") + OUTLET + HOT, "", "", "flow.heat = true"),
        (
            INLET.replace("temperature_K = 290\n", "") + OUTLET,
            "conductivity_W_per_mK = 2",
            "",
            "requires flow.heat = true",
        ),
    ],
)
def test_keys_of_heat_need_it(job: Job, tmp_path: Path, boundaries: str, flow: str, more: str, fault: str) -> None:
    channel(tmp_path)
    job.write(text(boundaries, flow, more).replace("heat = true\n", "", 1))
    done = job.run("--no-report")
    assert done.code == 2, done.err
    assert fault in done.err, done.err


def test_heat_that_cannot_leave_is_refused(job: Job, tmp_path: Path) -> None:
    channel(tmp_path)
    image = np.load(tmp_path / "image.npy")
    image[:, 6, :] = 200  # no conduction between fluid and solid
    np.save(tmp_path / "image.npy", np.where(image == 0, 1, image))
    more = "[[material]]\nlabel = 100\nconductivity_W_per_mK = 3\nheat_source_W_per_m3 = 1\n"
    job.write(text(INLET + OUTLET + SIDES, "fluid_labels = [1]", more, "labels = true\nvoid_labels = [200]"))
    done = job.run("--no-report")
    assert done.code == 2, done.err
    assert "cannot release it" in done.err


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_limited_temperature_does_not_overshoot(job: Job, tmp_path: Path, ranks: int) -> None:
    """Oracle: the maximum principle. Without sources and fluxes every voxel is within the range of the prescribed
    temperatures."""
    solid = np.zeros((48, 16, 4), bool)
    solid[:, [0, -1], :] = True
    save(tmp_path, solid)
    inlet = INLET.replace("= 2\n", '= 500\nprofile = "developed"\n').replace("290", "293")
    walls = HOT.replace("y_high", "y").replace("350", "353")
    job_text = text(inlet + OUTLET + SIDES + walls, "viscosity_Pa_s = 5e-4", SOLID).replace(f"= {H}", "= 0.00625")
    found = run(job, job_text, "-n", str(ranks))
    assert found["limited_share"] > 0
    assert found["temperature_overshoot_K"] == 0
    assert found["temperature_K"]["low"] >= 293
    assert found["temperature_K"]["high"] <= 353
    assert found["heat_imbalance"] < 1e-4
