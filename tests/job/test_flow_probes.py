"""Tests of probes of a flow on the command line. Probes are compared with fields, closed forms and stopped jobs.
Rejected jobs are also tested."""

from __future__ import annotations

import csv
import itertools
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from test_checkpoint import stop_and_resume
from test_flow_seen import PLUG, PUSH
from test_flow_through import INLET, OUTLET, H, run, save, step, text
from test_flow_transient import transient
from whole_job import Job

POINTS = {"a": [0.31, 0.62, 0.47], "b": [1.2, 0.8, 0.8], "corner": [0.02, 0.0, 0.01], "beside": [0.55, 0.41, 0.33]}
LINE = ([0.0, 0.2, 0.4], [1.2, 0.7, 0.4], 7)
BALL = ([0.9, 0.4, 0.4], 0.22)
PROBES = (
    "".join(f'[[probe]]\nname = "{name}"\nat_mm = {at}\n' for name, at in POINTS.items())
    + f'[[probe]]\nname = "line"\nfrom_mm = {LINE[0]}\nto_mm = {LINE[1]}\npoints = {LINE[2]}\n'
    + f'[[probe]]\nname = "ball"\ncentre_mm = {BALL[0]}\nradius_mm = {BALL[1]}\n'
    + '[[probe]]\nname = "box"\nlow_mm = [0.9, 0, 0]\nhigh_mm = [1.2, 1, 1]\nfields = ["velocity", "pressure"]\n'
)


def field(folder: Path, name: str) -> np.ndarray:
    with netCDF4.Dataset(folder / "results.nc") as file:
        values = np.ma.filled(file[f"VTKHDF/CellData/{name}"][:].astype("f8"), np.nan)
    return values[..., ::-1] if values.ndim == 4 else values  # components in the order z, y, x


def between(field: np.ndarray, at_mm: list[float], is_share: bool) -> np.ndarray:
    """Trilinear interpolation between voxel centres. Missing values are 0, or the mean of the existing values."""
    value, weights = np.zeros_like(field[0, 0, 0]), 0.0
    place = [np.clip(x / H - 0.5, 0, n - 1) for x, n in zip(at_mm, field.shape, strict=False)]
    for corner in itertools.product((0, 1), repeat=3):
        voxel, weight = [], 1.0
        for x, n, up in zip(place, field.shape, corner, strict=False):
            low = min(int(x), n - 2)
            voxel.append(low + up)
            weight *= x - low if up else 1 - (x - low)
        if weight > 0 and np.isfinite(field[tuple(voxel)]).all():
            value = value + weight * field[tuple(voxel)]
            weights += weight
    return value / weights if is_share else value


def rows(folder: Path) -> list[dict[str, str]]:
    with (folder / "probes.csv").open() as file:
        return list(csv.DictReader(file))


def test_probes_agree_with_the_fields(job: Job, tmp_path: Path) -> None:
    """Oracle: the fields of the result, by another interpolation. The file probes.csv has equal numbers. The test uses
    several numbers of ranks."""
    step(tmp_path)
    warm = INLET + "temperature_K = 300\n"
    hot = '[[boundary]]\nface = "y_high"\nkind = "temperature"\ntemperature_K = 320\n'
    for ranks in ("1", "3"):
        job_file = text(warm + OUTLET + hot + PROBES, "heat = true\nmultiples = [1, 2]", "[solve]\ntolerance = 1e-6")
        s = run(job, job_file, "-n", ranks)
        reported, folder = s["probes"], tmp_path / "job.out"
        velocity, pressure, temperature = (field(folder, name) for name in ("velocity", "pressure", "temperature"))
        table = rows(folder)
        assert [row["multiple"] for row in table] == ["1.0", "2.0"]
        for name, at in POINTS.items():
            want = between(velocity, at, False)
            assert reported[name]["velocity_mm_per_s"]["last"] == pytest.approx(want, rel=1e-5, abs=1e-5), name
            assert reported[name]["speed_mm_per_s"]["last"] == pytest.approx(np.linalg.norm(want), rel=1e-5, abs=1e-5)
            assert reported[name]["pressure_Pa"]["last"] == pytest.approx(
                between(pressure, at, True), rel=1e-5, abs=1e-8
            )
            assert reported[name]["temperature_K"]["last"] == pytest.approx(between(temperature, at, True), rel=1e-6)
            assert float(table[1][f"{name}.velocity_mm_per_s.z"]) == reported[name]["velocity_mm_per_s"]["last"][0]
            assert float(table[1][f"{name}.temperature_K"]) == reported[name]["temperature_K"]["last"]
            # The speed of creeping flow is doubled.
            assert float(table[0][f"{name}.speed_mm_per_s"]) * 2 == pytest.approx(
                reported[name]["speed_mm_per_s"]["last"], rel=1e-4, abs=1e-9
            )
            assert float(table[0][f"{name}.temperature_K"]) > 300
        first, end, count = np.array(LINE[0]), np.array(LINE[1]), LINE[2]
        for n in range(count):
            at = list(first + (end - first) * n / (count - 1))
            want = between(velocity, at, False)
            assert reported["line"]["last"]["velocity_mm_per_s"][n] == pytest.approx(want, rel=1e-5, abs=1e-5)
            assert (
                float(table[1][f"line.{n}.velocity_mm_per_s.y"]) == reported["line"]["last"]["velocity_mm_per_s"][n][1]
            )
        middles = (np.indices(pressure.shape) + 0.5) * H
        ball = (((middles.T - BALL[0]).T) ** 2).sum(0) <= BALL[1] ** 2
        ball &= np.isfinite(pressure)
        assert reported["ball"]["voxels"] == ball.sum() > 20
        assert reported["ball"]["velocity_mm_per_s"]["last"] == pytest.approx(
            velocity[ball].mean(0), rel=1e-5, abs=1e-6
        )
        assert reported["ball"]["speed_mm_per_s"]["last"] == pytest.approx(
            np.linalg.norm(velocity[ball], axis=1).mean(), rel=1e-5
        )
        assert reported["ball"]["pressure_Pa"]["last"] == pytest.approx(pressure[ball].mean(), rel=1e-5)
        assert reported["box"]["pressure_Pa"]["last"] == pytest.approx(pressure[9:].mean(), rel=1e-5)
        assert "speed_mm_per_s" not in reported["box"]
        assert "mean" not in reported["box"]["pressure_Pa"]


def test_a_probe_in_time_has_mean_extrema_and_frequency(job: Job, tmp_path: Path) -> None:
    """Oracle: a plug has the given velocity everywhere, at any time, and sums over the sine of this velocity. Each
    probe has its own records."""
    save(tmp_path, np.zeros((6, 4, 4), bool))
    period, count = 0.1, 400
    table = [[period * n / count, 2 + float(np.sin(2 * np.pi * n / count))] for n in range(count + 1)]
    beat = PUSH + f"factor_at_s = {table}\nperiod_s = {period}\n"
    probes = (
        '[[probe]]\nname = "slow"\nat_mm = [0.3, 0.2, 0.2]\n'
        '[[probe]]\nname = "quick"\nat_mm = [0.3, 0.2, 0.2]\nevery = 1\nfields = ["velocity"]\n'
    )
    more = transient(end_s=10 * period, step_s=period / 20, output_every_s=period) + "[solve]\ntolerance = 1e-7\n"
    s = run(job, text(beat + OUTLET + PLUG + probes, "inertia = true", more), "-n", "2")
    quick, slow = s["probes"]["quick"], s["probes"]["slow"]
    assert quick["records"] == 201
    assert slow["records"] == 11
    assert "frequency_Hz" not in slow
    assert quick["frequency_Hz"] == pytest.approx(1 / period, rel=1e-3)
    speed = quick["velocity_mm_per_s"]
    assert speed["mean"][0] == pytest.approx(4, rel=1e-4)
    assert speed["low"][0] == pytest.approx(2, rel=1e-4)
    assert speed["high"][0] == pytest.approx(6, rel=1e-4)
    assert slow["speed_mm_per_s"]["last"] == pytest.approx(4, rel=1e-4)
    reported = rows(tmp_path / "job.out")
    assert [int(row["steps"]) for row in reported] == list(range(201))
    time = np.array([float(row["time_s"]) for row in reported])
    assert [float(row["quick.velocity_mm_per_s.z"]) for row in reported] == pytest.approx(
        4 + 2 * np.sin(2 * np.pi * time / period), rel=1e-4
    )
    assert [n for n, row in enumerate(reported) if row["slow.speed_mm_per_s"]] == list(range(0, 201, 20))


def test_a_stopped_flow_has_the_same_probes(job: Job, tmp_path: Path) -> None:
    """Oracle: the same job without interruption. The history also contains the pressure of the inlet."""
    step(tmp_path)
    job_file = text(
        PUSH.replace("= 2", "= 6") + OUTLET + PROBES, "inertia = true", transient(end_s=0.02, output_every_s=0.002)
    )
    job.write(job_file)
    whole = job.run("-n", "2", "--no-report")
    assert whole.code == 0, whole.err
    want, told = (whole.folder / "probes.csv").read_bytes(), whole.summary["probes"]
    assert told["a"]["records"] == len(whole.summary["flow_history"]["time_s"]) == 11
    assert told["a"]["pressure_Pa"]["last"] < whole.summary["opening_pressure_Pa"]["z_low"]
    done = stop_and_resume(job, job_file, 5)
    assert (done.folder / "probes.csv").read_bytes() == want
    assert done.summary["probes"] == told


def probe(**keys: object) -> str:
    return '[[probe]]\nname = "p"\n' + "".join(f"{key} = {value}\n" for key, value in keys.items())


@pytest.mark.parametrize(
    ("probes", "code", "fault"),
    [
        (probe(at_mm=[0.55, 0.1, 0.1]), 3, "'p' is inside the solid; the centre of the nearest fluid voxel is [0.45, "),
        (
            probe(at_mm=[1.21, 0.1, 0.1]),
            3,
            "is outside the image, from [0, 0, 0] to [1.2, 0.8, 0.8] mm",
        ),
        (probe(from_mm=[0.55, 0.1, 0.1], to_mm=[0.65, 0.1, 0.1]), 3, "is a line without a point in the fluid"),
        (probe(low_mm=[0.5, 0, 0], high_mm=[0.7, 0.3, 0.3]), 3, "contains no fluid voxel"),
        (probe(), 2, "probe[1].at_mm: missing; a probe is one point"),
        (probe(at_mm=[0, 0, 0], radius_mm=1), 2, "given together with another place"),
        (probe(at_mm=[0, 0]), 2, "probe[1].at_mm: has 2 values; give three"),
        (probe(from_mm=[0, 0, 0]), 2, "probe[1].to_mm: missing"),
        (probe(centre_mm=[0, 0, 0], radius_mm=-1), 2, "probe[1].radius_mm: -1 must be > 0"),
        (probe(low_mm=[1, 1, 1], high_mm=[1, 0, 1]), 2, "probe[1].high_mm: 0 mm along y; must not be below low_mm"),
        (probe(from_mm=[0, 0, 0], to_mm=[1, 0, 0], points=1), 2, "probe[1].points: 1 must be in [2, 1000]"),
        (probe(at_mm=[0, 0, 0], every=3), 2, "probe[1].every: requires [transient]"),
        (probe(at_mm=[0, 0, 0], fields='["temperature"]'), 2, "'temperature' requires flow.heat = true"),
        (probe(at_mm=[0, 0, 0]) * 2, 2, "probe[2].name: 'p' is already used by probe[1]"),
        (probe(at_mm=[0, 0, 0]).replace('"p"', '"p q"'), 2, "must consist of letters"),
    ],
)
def test_probes_that_make_no_sense_are_refused(job: Job, tmp_path: Path, probes: str, code: int, fault: str) -> None:
    step(tmp_path)
    job.write(text(INLET + OUTLET + probes))
    checked = job.run(command="check")
    assert checked.code == 2, checked.err
    assert fault in checked.out + checked.err
    if code == 2:  # the same check
        return
    done = job.run("--no-report", "-n", "2")
    assert done.code == code, done.err
    assert fault in done.err, done.err


@pytest.mark.parametrize(
    ("physics", "load", "owner"),
    [("flow", '[load]\ntest = "permeability"\n', "test"), ("heat", "", "physics"), ("elasticity", "", "physics")],
)
def test_only_a_flow_between_openings_has_probes(job: Job, tmp_path: Path, physics: str, load: str, owner: str) -> None:
    step(tmp_path)
    job.write(text(load + probe(at_mm=[0, 0, 0]), physics=physics).replace("[flow]\n", ""))
    done = job.run("--no-report")
    assert done.code == 2
    assert f'probe: belongs to {owner} = "flow"' in done.err
