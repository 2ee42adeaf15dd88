"""Tests of transient flow on the command line: closed forms, the steady flow, stopped jobs, and rejected jobs."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from test_checkpoint import EVERY_ITERATION, STOPPED, answers, fields, resume, stop_and_resume
from test_flow_through import INLET, OUTLET, SIDES, H, run, save, step, text
from test_stop import end, start, wait_until_paused
from whole_job import Job

VISCOSITY = 1e-3
DROP = 0.02  # pressure drop in Pa
PRESSURES = "".join(
    f'[[boundary]]\nface = "{face}"\nkind = "pressure"\npressure_Pa = {pressure}\n'
    for face, pressure in (("z_low", DROP), ("z_high", 0))
)


def transient(**keys: object) -> str:
    return "[transient]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in keys.items())


def between_plates(gap: int, length: int, end_s: float) -> np.ndarray:
    """Return velocities in mm/s at time end_s, for fluid that is initially at rest under a pressure drop. The solution
    is exact on these voxels."""
    friction = 2 * np.eye(gap) - np.eye(gap, k=1) - np.eye(gap, k=-1)
    friction[0, 0] = friction[-1, -1] = 3
    rates, modes = np.linalg.eigh(friction)
    unit = 1e-3 * H  # m
    force = DROP / (length * unit) * np.ones(gap)
    per_s = VISCOSITY / (1000 * unit**2)
    return 1e3 * modes @ ((modes.T @ force) * (1 - np.exp(-rates * per_s * end_s)) / (rates * VISCOSITY / unit**2))


def test_fluid_between_plates_starts_up(job: Job, tmp_path: Path) -> None:
    """Oracle: the time-dependent equations on these voxels by eigenvalues, second-order convergence in the time step,
    and the steady flow."""
    gap, length, end_s = 6, 4, 0.03
    solid = np.zeros((length, gap + 2, 2), bool)
    solid[:, gap:, :] = True
    save(tmp_path, solid)
    exact = between_plates(gap, length, end_s)
    errors = []
    for steps in (10, 20):
        more = transient(end_s=end_s, step_s=end_s / steps, output_every_s=end_s / 5) + "[solve]\ntolerance = 1e-7"
        s = run(job, text(PRESSURES + SIDES, "", more), "-n", "2")
        assert s["time_steps"] == steps
        assert s["end_s"] == pytest.approx(end_s)
        assert not s["is_steady"]
        assert s["highest_divergence"] < 1e-7
        history = s["flow_history"]
        assert history["time_s"] == pytest.approx(np.linspace(0, end_s, 6))
        energy = history["kinetic_energy_J"]
        assert energy[0] == 0
        assert energy == sorted(energy)
        assert (
            s["kinetic_energy_J"]
            == energy[-1]
            == pytest.approx(0.5 * 1000 * 1e-6 * (exact**2).sum() * length * 2 * (H * 1e-3) ** 3, rel=0.01)
        )
        rates = history["opening_inflow_mm3_per_s"]
        assert rates["z_low"] == pytest.approx([-r for r in rates["z_high"]], rel=1e-6)
        assert rates["z_low"][-1] == s["flow_rate_mm3_per_s"]
        assert history["opening_pressure_Pa"]["z_low"] == pytest.approx([DROP] * 6)
        errors.append(abs(s["flow_rate_mm3_per_s"] / (exact.sum() * 2 * H**2) - 1))
    assert errors[1] < 2e-3
    assert errors[0] > 3 * errors[1]
    with netCDF4.Dataset(tmp_path / "job.out" / "results.nc") as file:
        velocity = np.ma.filled(file["VTKHDF/CellData/velocity"][:].astype("f8"), np.nan)
    assert velocity[1, :gap, 0, 2] == pytest.approx(exact, rel=5e-3)


def test_the_pressure_of_an_empty_box_is_found_by_transforms(job: Job, tmp_path: Path) -> None:
    """Oracle: the divergence is zero to rounding, for several numbers of ranks with whole planes. A single solid voxel
    requires multigrid, with a similar flow."""
    found: dict[str, dict] = {}
    for name, ranks in (("box", "1"), ("box", "3"), ("grain", "1")):
        solid = np.zeros((9, 14, 11), bool)
        solid[4, 7, 5] = name == "grain"
        save(tmp_path, solid)
        more = transient(end_s=0.004, step_s=0.0004) + '[solve]\ntolerance = 1e-6\n[run]\ndecomposition = "planes"'
        s = run(job, text(INLET + OUTLET, "inertia = true", more), "-n", ranks)
        assert s["pressure_method"] == ("transforms" if name == "box" else "multigrid")
        if name == "box":
            assert s["highest_divergence"] < 1e-12
            for key in ("pressure_drop_Pa", "kinetic_energy_J", "mean_wall_shear_stress_Pa"):
                assert s[key] == pytest.approx(found.setdefault("box", s)[key], rel=1e-5), key
        else:
            assert s["kinetic_energy_J"] == pytest.approx(found["box"]["kinetic_energy_J"], rel=0.1)


@pytest.mark.parametrize(
    ("grain", "outlet", "decomposition", "why"),
    [
        (False, OUTLET, "planes", "transforms (the fluid fills a box)"),
        (False, OUTLET, "bricks", 'multigrid (each rank owns a brick of the box; run.decomposition = "planes"'),
        (True, OUTLET, "bricks", "multigrid (the fluid does not fill a box)"),
        (
            False,
            OUTLET + "high_mm = [9, 9, 0.35]\n",
            "planes",
            "multigrid (a face of the box has a prescribed pressure on a part",
        ),
    ],
)
def test_the_pressure_method_and_its_reason_are_reported(
    job: Job, tmp_path: Path, grain: bool, outlet: str, decomposition: str, why: str
) -> None:
    """Oracle: the text of the log, for a box in planes and in bricks, with a grain, and with an outlet on part of a
    face."""
    solid = np.zeros((8, 8, 8), bool)
    solid[4, 4, 4] = grain
    save(tmp_path, solid)
    more = transient(end_s=0.0008, step_s=0.0004) + f'[run]\ndecomposition = "{decomposition}"'
    job.write(text(INLET + outlet, "inertia = true", more))
    done = job.run("-n", "4", "--no-report")
    assert done.code == 0, done.err
    assert f"pressure solver: {why}" in done.err + done.out


def test_it_ends_where_the_steady_flow_is(job: Job, tmp_path: Path) -> None:
    """Oracle: the steady solver, on several numbers of ranks. There is one file per record."""
    step(tmp_path)
    inlet = INLET.replace("= 2", "= 6").replace('profile = "developed"\n', "")
    steady = run(job, text(inlet + OUTLET, "inertia = true", "[solve]\ntolerance = 1e-7"), "-n", "1")
    first: dict = {}
    for ranks in ("1", "3"):
        more = transient(end_s=1.0, output_every_s=0.01, write_steps=True) + "[solve]\ntolerance = 1e-6"
        s = run(job, text(inlet + OUTLET, "inertia = true\nsteady_change_per_s = 0.1\ncfl = 0.7", more), "-n", ranks)
        assert s["is_steady"]
        assert s["end_s"] < 1
        assert 0.4 < s["highest_cfl"] < 0.75
        assert s["highest_divergence"] < 1e-6
        assert s["solver"]["setup_cpu_seconds"] > 0
        assert s["solver"]["solve_cpu_seconds"] > s["solver"]["setup_cpu_seconds"]
        for key in ("pressure_drop_Pa", "flow_rate_mm3_per_s", "mean_speed_mm_per_s", "highest_speed_mm_per_s"):
            assert s[key] == pytest.approx(steady[key], rel=1e-3), key
        assert s["force_on_solid_N"] == pytest.approx(steady["force_on_solid_N"], rel=2e-3, abs=1e-10)
        series = json.loads((tmp_path / "job.out" / "results.vtkhdf.series").read_text())["files"]
        assert [f["time"] for f in series] == s["flow_history"]["time_s"]
        with netCDF4.Dataset(tmp_path / "job.out" / series[-1]["name"]) as file:
            assert np.nanmax(file["VTKHDF/CellData/velocity"][:, :, :, 2]) > 6
        first = first or s
        for key in ("time_s", "kinetic_energy_J", "pressure_drop_Pa", "force_on_solid_N"):
            assert np.array(s["flow_history"][key]) == pytest.approx(
                np.array(first["flow_history"][key]), rel=1e-4, abs=1e-12
            )


def test_a_stopped_flow_reaches_the_same_bits(job: Job, tmp_path: Path) -> None:
    """Oracle: the same job without interruption, and its pictures during the solve."""
    step(tmp_path)
    inlet = INLET.replace("= 2", "= 6").replace('profile = "developed"\n', "")
    job_file = text(inlet + OUTLET, "inertia = true", transient(end_s=0.02, output_every_s=0.005)) + "every = 4\n"
    job.write(job_file)
    whole = job.run("-n", "2", "--no-report")
    assert whole.code == 0, whole.err
    want, said = fields(whole.folder), answers(whole)
    frames = {path.name: path.read_bytes() for path in whole.folder.glob("frame_*.png")}
    assert len(frames) >= 1
    done = stop_and_resume(job, job_file, 3)
    got = fields(done.folder)
    for name in want:
        assert got[name].tobytes() == want[name].tobytes(), name
    assert answers(done) == said
    assert {path.name: path.read_bytes() for path in done.folder.glob("frame_*.png")} == frames


def test_a_flow_that_is_stopped_after_its_last_step_keeps_all_answers(
    job: Job, tmp_path: Path, failing_disk: Path
) -> None:
    """Oracle: the same job without interruption. The checkpoint contains the numbers of the last record."""
    step(tmp_path)
    job.write(text(INLET + OUTLET, "inertia = true", transient(end_s=0.01)) + EVERY_ITERATION)
    whole = job.run("-n", "2", "--no-report")
    assert whole.code == 0, whole.err
    printed = answers(whole)
    assert printed["mean_wall_shear_stress_Pa"] > 0
    shutil.rmtree(whole.folder)
    process = start(job, "--no-report", LD_PRELOAD=str(failing_disk), PAUSING_PATH="results.nc.tmp")
    ranks = wait_until_paused(process.pid)
    process.send_signal(signal.SIGTERM)
    time.sleep(0.1)
    for rank in ranks:
        os.kill(rank, signal.SIGCONT)
    assert end(process).code == STOPPED
    done = resume(job, 2)
    assert done.code == 0, done.err
    assert answers(done) == printed


@pytest.mark.parametrize(
    ("flow", "more", "code", "fault"),
    [
        ("inertia = true\ncfl = 0", transient(end_s=1), 2, "flow.cfl: 0 must be > 0 and at most 1"),
        ("inertia = true\ncfl = 2", transient(end_s=1), 2, "flow.cfl: 2 must be > 0 and at most 1"),
        ("inertia = true", transient(end_s=0), 2, "transient.end_s: must be a positive end time"),
        ("inertia = true", "[transient]\n", 2, "transient.end_s: must be a positive end time"),
        ("inertia = true", transient(end_s=1, step_s=-1), 2, "transient.step_s: -1 must be > 0 s"),
        ("inertia = true", transient(end_s=1, step_s=2), 2, "2 s; must not exceed transient.end_s = 1 s"),
        ("inertia = true", transient(end_s=1, step_s=0.5), 2, "Courant number is"),
        ("inertia = true", transient(end_s=1, initial_K=3), 2, "transient.initial_K: requires flow.heat = true"),
        ("inertia = true", transient(end_s=1, output_every_s=-1), 2, "output_every_s: -1 must be >= 0 s"),
        ("inertia = true\nmultiples = [1, 2]", transient(end_s=1), 2, "flow.multiples: not available with [transient]"),
        ("inertia = true\nsteady_change_per_s = 0", transient(end_s=1), 2, "steady_change_per_s: 0 must be > 0"),
        ("", transient(end_s=1), 2, "transient.step_s: missing; an adaptive step"),
        ("start = 'steady'", transient(end_s=1, step_s=0.1), 2, "use 'creeping'"),
        ("cfl = 0.5", transient(end_s=1, step_s=0.1), 2, "flow.cfl: requires flow.inertia = true"),
        ("inertia = true\ncfl = 0.5", "", 2, "requires [transient]"),
        ("inertia = true", transient(end_s=0.1, step_s=0.02), 4, "Courant number is"),
    ],
)
def test_steps_that_make_no_sense_are_refused(
    job: Job, tmp_path: Path, flow: str, more: str, code: int, fault: str
) -> None:
    step(tmp_path)
    job.write(text(INLET.replace('profile = "developed"\n', "") + OUTLET, flow, more))
    done = job.run("--no-report")
    assert done.code == code, done.err
    assert fault in done.err, done.err


@pytest.mark.parametrize(
    ("test", "fault"),
    [
        ("permeability", 'belongs to test = "flow", not to "permeability"'),
        ("permeability_tensor", 'belongs to test = "flow", not to "permeability_tensor"'),
    ],
)
def test_a_permeability_is_steady(job: Job, tmp_path: Path, test: str, fault: str) -> None:
    step(tmp_path)
    job.write(text("", "", f'[load]\ntest = "{test}"\n' + transient(end_s=1, step_s=0.1)))
    done = job.run("--no-report")
    assert done.code == 2
    assert fault in done.err


def test_other_physics_have_no_steps(job: Job, tmp_path: Path) -> None:
    save(tmp_path, np.zeros((4, 4, 4), bool))
    job.write(text("", physics="elasticity", more=transient(end_s=1)).replace("[flow]\n", ""))
    done = job.run("--no-report")
    assert done.code == 2
    assert 'transient: belongs to physics = "heat" or "flow"' in done.err
