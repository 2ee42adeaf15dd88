"""Tests of transient temperature with flow on the command line: the steady state, other solvers, stopped jobs, and
rejected jobs."""

from __future__ import annotations

import base64
import csv
import json
import re
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from test_checkpoint import answers, fields, stop_and_resume
from test_flow_buoyancy import save as save_square
from test_flow_buoyancy import text as square
from test_flow_heat import HOT, INLET, OUTLET, SIDES, SOLID, H, channel, run, text
from whole_job import Job

STORING = SOLID + "heat_capacity_J_per_m3K = 3.4e6\n"

# The probe is the whole fluid of the channel, 12 x 6 x 3 voxels.
PROBE = f'[[probe]]\nname = "fluid"\nlow_mm = [0, 0, 0]\nhigh_mm = [{12 * H}, {5.9 * H}, {3 * H}]\n'


def transient(**keys: object) -> str:
    return "[transient]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in keys.items())


def total_in(history: dict) -> np.ndarray:
    """Return the net heat rate into the model at each record in W."""
    faces = sum(np.array(values) for values in history["face_inflow_W"].values())
    return faces + np.array(history["heat_source_W"]) - np.array(history["heat_carried_out_W"])


def test_a_channel_warms_up_to_its_steady_state_on_any_number_of_ranks(job: Job, tmp_path: Path) -> None:
    """Oracle: the steady solver, the first law at each record, one rank, and the files of the records."""
    channel(tmp_path)
    steady = run(
        job, text(INLET + OUTLET + SIDES + HOT, "inertia = true", SOLID + "[solve]\ntolerance = 1e-6"), "-n", "1"
    )
    time = transient(initial_K=290, end_s=4.0, step_s=0.016, output_every_s=0.8, write_steps=True)
    more = STORING + PROBE + "{}[solve]\ntolerance = 1e-6"
    s = run(job, text(INLET + OUTLET + SIDES + HOT, "inertia = true", more.format(time)), "-n", "1")
    for key in ("heat_carried_out_W", "wall_heat_W", "nusselt_number"):
        assert s[key] == pytest.approx(steady[key], rel=2e-3), key
    assert s["temperature_K"]["fluid"] == pytest.approx(steady["temperature_K"]["fluid"], abs=0.02)
    assert s["highest_heat_imbalance"] < 1e-6
    history = s["flow_history"]
    assert history["time_s"] == pytest.approx(np.linspace(0, 4, 6))
    assert total_in(history)[1:] == pytest.approx(np.array(history["heat_stored_W"])[1:], abs=1e-6 * s["wall_heat_W"])
    assert history["heat_stored_W"][1] > 10 * abs(history["heat_stored_W"][-1])
    fluid = history["fluid_temperature_K"]
    assert fluid["mean"][0] == fluid["low"][0] == fluid["high"][0] == pytest.approx(290)
    assert fluid["mean"][:4] == sorted(fluid["mean"][:4])
    assert fluid["mean"][-1] == pytest.approx(s["temperature_K"]["fluid"])
    with (tmp_path / "job.out" / "probes.csv").open() as file:
        reported = [float(row["fluid.temperature_K"]) for row in csv.DictReader(file)]
    assert reported == pytest.approx(fluid["mean"], abs=1e-4)
    assert s["probes"]["fluid"]["temperature_K"]["last"] == pytest.approx(s["temperature_K"]["fluid"], abs=1e-4)
    assert history["opening_temperature_K"]["z_low"][-1] == pytest.approx(290)
    with (tmp_path / "job.out" / "history.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert float(rows[3]["fluid_temperature_K.mean"]) == fluid["mean"][3]
    series = json.loads((tmp_path / "job.out" / "results.vtkhdf.series").read_text())["files"]
    with netCDF4.Dataset(tmp_path / "job.out" / series[-1]["name"]) as file:
        last = np.ma.filled(file["VTKHDF/CellData/temperature"][:].astype("f8"), np.nan)
    assert last.max() == pytest.approx(s["temperature_K"]["high"], abs=1e-3)
    assert np.isfinite(last).all()  # values of fluid and solid
    time = transient(initial_K=290, end_s=0.32, step_s=0.016, output_every_s=0.08)
    found = [
        run(job, text(INLET + OUTLET + SIDES + HOT, "inertia = true", more.format(time)), "-n", ranks)["flow_history"]
        for ranks in ("1", "3")
    ]
    for key in ("heat_carried_out_W", "heat_stored_W", "wall_heat_W"):
        assert np.array(found[1][key]) == pytest.approx(
            np.array(found[0][key]), rel=1e-5, abs=1e-7 * s["wall_heat_W"]
        ), key


def test_natural_convection_swings_into_its_steady_state(job: Job, tmp_path: Path) -> None:
    """Oracle: the steady solver, and heat in equals heat out."""
    save_square(tmp_path)
    job.write(square(1e4))
    assert job.run("--no-report", "-n", "1").code == 0
    steady = job.run("--no-report", "--force", "-n", "1").summary["convection_nusselt_number"]["y_low"]
    s = run(job, square(1e4, more=transient(initial_K=300.5, end_s=0.6, output_every_s=0.1)), "-n", "1")
    number = s["convection_nusselt_number"]
    assert number["y_low"] == pytest.approx(steady, rel=1e-3)
    assert number["y_high"] == pytest.approx(number["y_low"], rel=1e-3)
    assert s["rayleigh_number"] == pytest.approx(1e4, rel=0.06)
    assert s["prandtl_number"] == pytest.approx(0.71)
    assert s["highest_heat_imbalance"] < 1e-5
    reported = s["flow_history"]["convection_nusselt_number"]["y_low"]
    assert reported[0] == 0
    assert reported[-1] == number["y_low"]


def test_the_report_plots_temperatures_and_heat(job: Job, tmp_path: Path) -> None:
    """Oracle: the axis labels of the diagram. Undefined values are gaps. At first, the outflow is zero."""
    channel(tmp_path)
    ends = INLET.replace('kind = "velocity"\nvelocity_mm_per_s = 2', 'kind = "pressure"\npressure_Pa = 0.02')
    out = OUTLET.replace('"outlet"', '"pressure"\npressure_Pa = 0\ntemperature_K = 290')
    time = transient(initial_K=290, end_s=0.3, step_s=0.03)
    job.write(text(ends + out + SIDES + HOT, "inertia = true", STORING + time))
    done = job.run("-n", "1")
    assert done.code == 0, done.err
    assert done.summary["flow_history"]["opening_temperature_K"]["z_high"][0] is None
    page = (done.folder / "report.html").read_text()
    diagrams = [base64.b64decode(data) for data in re.findall(r"data:image/svg\+xml;base64,([A-Za-z0-9+/=]+)", page)]
    words = {word for diagram in diagrams for word in re.findall(r"<text[^>]*>([^<]*)</text>", diagram.decode())}
    assert {"temperature (K)", "temperature at openings (K)", "heat (W)", "heat inflow through faces (W)"} <= words
    assert {"fluid mean", "fluid high", "solid mean", "z_high", "walls to fluid", "convected out", "stored"} <= words
    assert "sources" not in words  # the answers contain no sources
    # The colours of the viewer begin at the lowest temperature.
    shown = re.search(r'"id": ?"temperature".*?"range": ?\[([0-9.e+-]+),', page)
    assert shown
    assert 290 <= float(shown[1]) < 291


def test_ranks_do_not_change_natural_convection(job: Job, tmp_path: Path) -> None:
    """Oracle: one rank."""
    save_square(tmp_path)
    found = []
    for ranks in ("1", "2", "3"):
        more = transient(initial_K=300.5, end_s=0.02) + "[solve]\ntolerance = 1e-7"
        found.append(run(job, square(1e5, more=more), "-n", ranks)["flow_history"])
    for one in found[1:]:
        for key in ("kinetic_energy_J", "wall_heat_W", "heat_stored_W"):
            assert np.array(one[key]) == pytest.approx(np.array(found[0][key]), rel=1e-4, abs=1e-7), key


@pytest.mark.parametrize("buoyant", [False, True])
def test_a_stopped_job_reaches_the_same_bits(job: Job, tmp_path: Path, buoyant: bool) -> None:
    """Oracle: the same job without interruption, and its pictures during the solve."""
    if buoyant:
        save_square(tmp_path)
        job_file = square(1e4, more=transient(initial_K=300.5, end_s=0.03)).replace("enabled = false", "every = 5")
    else:
        channel(tmp_path)
        job_file = text(
            INLET + OUTLET + SIDES + HOT, "inertia = true", STORING + PROBE + transient(initial_K=290, end_s=0.3)
        ).replace("[picture]", "[picture]\nevery = 5")
    job.write(job_file)
    whole = job.run("-n", "2", "--no-report")
    assert whole.code == 0, whole.err
    want, printed = fields(whole.folder), answers(whole)
    frames = {path.name: path.read_bytes() for path in whole.folder.glob("frame_*.png")}
    assert len(frames) >= 1
    done = stop_and_resume(job, job_file, 4)
    got = fields(done.folder)
    assert "temperature" in " ".join(want)
    for name in want:
        assert got[name].tobytes() == want[name].tobytes(), name
    assert answers(done) == printed
    assert {path.name: path.read_bytes() for path in done.folder.glob("frame_*.png")} == frames


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("heat_capacity_J_per_m3K = 3.4e6\n", "", "material[1].heat_capacity_J_per_m3K: missing; flow.heat"),
        ("3.4e6", "-1", "-1 must be > 0"),
        ("initial_K = 290\n", "", "transient.initial_K: missing"),
        ("temperature_K = 350\n", "temperature_K = 350\nfactor_at_s = [[0, 0], [1, 1]]\n", "are constant in time"),
        ("[transient]\ninitial_K = 290\nend_s = 1\n", "", "requires flow.heat = true and [transient]"),
    ],
)
def test_what_contradicts_itself_is_refused(job: Job, tmp_path: Path, old: str, new: str, fault: str) -> None:
    channel(tmp_path)
    whole = text(INLET + OUTLET + SIDES + HOT, "inertia = true", STORING + transient(initial_K=290, end_s=1))
    assert old in whole
    job.write(whole.replace(old, new, 1))
    done = job.run("--no-report")
    assert done.code == 2, done.err
    assert fault in done.err, done.err


def test_steps_that_buoyancy_does_not_bear_are_refused(job: Job, tmp_path: Path) -> None:
    """Oracle: the text of the message."""
    save_square(tmp_path)
    job.write(square(1e4, more=transient(initial_K=300.5, end_s=0.2, step_s=0.1)))
    done = job.run("--no-report", "-n", "1")
    assert done.code != 0
    assert "buoyancy oscillations are unstable" in done.err, done.err
