"""Visualisation of a transient flow: particle paths, frames, films, histories, and conditions that change."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from test_checkpoint import stop_and_resume
from test_flow_through import INLET, OUTLET, SIDES, H, run, save, step, text
from test_flow_transient import transient
from whole_job import Job

PLUG = SIDES + SIDES.replace('"x"', '"y"')
PUSH = INLET.replace('profile = "developed"\n', "")


def lines_of(path: Path) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Return points (x, y, z) in mm and times of the lines of a .vtp file, from the raw arrays of the file."""
    data = path.read_bytes()
    raw = data[data.index(b"_", data.index(b'<AppendedData encoding="raw">')) + 1 :]
    arrays = {}
    for tag in data[: data.index(b"<AppendedData")].decode().split("<DataArray ")[1:]:
        keys = dict(part.split("=", 1) for part in tag[: tag.index("/>")].split())
        offset = int(keys["offset"].strip('"'))
        size = int(np.frombuffer(raw, "<u8", 1, offset)[0])
        kind = "<f8" if "Float64" in keys["type"] else "<i8"
        arrays[keys["Name"].strip('"')] = np.frombuffer(raw, kind, size // 8, offset + 8)
    ends = arrays["offsets"][:-1]
    return np.split(arrays["points"].reshape(-1, 3), ends), np.split(arrays["time"], ends)


def test_particles_of_a_plug_are_where_it_is(job: Job, tmp_path: Path) -> None:
    """Oracle: z = speed (t - t0) for the given speed. Particle i of n is released at the fraction i / n of the time.
    The test uses several numbers of ranks."""
    save(tmp_path, np.zeros((20, 4, 4), bool))
    end_s = 0.6
    for ranks in ("1", "3"):
        more = transient(end_s=end_s, step_s=0.02) + "[solve]\ntolerance = 1e-7\n"
        s = run(job, text(PUSH + OUTLET + PLUG, "inertia = true", more) + "pathlines = 6\n", "-n", ranks)
        assert s["pathlines"]["particles"] == s["pathlines"]["lines"] == 6
        assert s["pathlines"]["through"] == 0
        assert s["pathlines"]["longest_mm"] == pytest.approx(2 * end_s, rel=1e-4)
        assert "streamlines" not in s
        points, times = lines_of(tmp_path / "job.out" / "pathlines.vtp")
        for i, (p, t) in enumerate(zip(points, times, strict=True)):
            assert t[0] == pytest.approx(end_s * i / 6, abs=1e-9)
            assert t[-1] == pytest.approx(end_s)
            assert p[:, 2] == pytest.approx(2 * (t - t[0]), abs=1e-5)
            assert p[:, :2] == pytest.approx(np.broadcast_to(p[0, :2], p[:, :2].shape), abs=1e-5)
            assert (p[0, :2] > 0).all()
            assert (p[0, :2] < 4 * H).all()


def test_a_stopped_flow_has_the_same_paths_and_film(job: Job, tmp_path: Path) -> None:
    """Oracle: the same job without interruption."""
    step(tmp_path)
    job_file = text(PUSH.replace("= 2", "= 6") + OUTLET, "inertia = true", transient(end_s=0.1, output_every_s=0.02))
    job_file += "pathlines = 12\nevery = 6\nfilm = true\n"
    job.write(job_file)
    whole = job.run("-n", "2", "--no-report")
    assert whole.code == 0, whole.err
    names = ["pathlines.vtp", "film.png", "history.csv"]
    want = {name: (whole.folder / name).read_bytes() for name in names}
    done = stop_and_resume(job, job_file, 9)
    assert {name: (done.folder / name).read_bytes() for name in names} == want


@pytest.mark.parametrize("shows", ["speed", "cut"])
def test_frames_of_a_resumed_flow_keep_the_colours_of_its_fast_start(job: Job, tmp_path: Path, shows: str) -> None:
    """Oracle: the same job without interruption. Colours extend to the highest speed so far, which occurred before the
    stop."""
    step(tmp_path)
    slowing = PUSH.replace("= 2", "= 6") + "factor_at_s = [[0, 1], [0.002, 1], [0.003, 0.2]]\n"
    job_file = text(slowing + OUTLET, "inertia = true", transient(end_s=0.0081, step_s=0.0005))
    job_file += f'every = 2\nshows = "{shows}"\n'
    job.write(job_file)
    whole = job.run("-n", "2", "--no-report")
    assert whole.code == 0, whole.err
    want = {path.name: path.read_bytes() for path in whole.folder.glob("frame_*.png")}
    assert sorted(want) == [f"frame_{n:06}.png" for n in (*range(2, 17, 2), 17)]  # 17 steps
    done = stop_and_resume(job, job_file, 9)
    assert {path.name: path.read_bytes() for path in done.folder.glob("frame_*.png")} == want


@pytest.mark.parametrize("shows", ["speed", "streamlines", "cut", "pathlines"])
def test_a_film_has_the_frames(job: Job, tmp_path: Path, shows: str) -> None:
    """Oracle: another reader of animated PNG. Each picture of the film is the corresponding frame."""
    step(tmp_path)
    job.write(
        text(PUSH.replace("= 2", "= 6") + OUTLET, "inertia = true", transient(end_s=0.03))
        + f'pathlines = 4\nevery = 4\nfilm = true\nshows = "{shows}"\n'
    )
    done = job.run("-n", "2", "--no-report")
    assert done.code == 0, done.err
    paths = sorted(done.folder.glob("frame_*.png"))
    assert len(paths) >= 2
    film = done.summary["files"]["film"]
    with Image.open(done.folder / "film.png") as moving:
        assert film.endswith("film.png")
        assert moving.n_frames == len(paths)
        assert moving.info["duration"] == pytest.approx(1000 / 12)
        for n, path in enumerate(paths):
            moving.seek(n)
            with Image.open(path) as frame:
                assert np.array_equal(np.asarray(moving.convert("RGBA")), np.asarray(frame.convert("RGBA"))), path
    first, last = (np.asarray(Image.open(p).convert("RGB")).astype(int) for p in (paths[0], paths[-1]))
    assert np.abs(first - last).max() > 20


def test_a_heart_beat_is_in_the_history(job: Job, tmp_path: Path) -> None:
    """Oracle: the table of factors. The files summary.json and history.csv have equal numbers."""
    save(tmp_path, np.zeros((6, 4, 4), bool))
    beat = PUSH + "factor_at_s = [[0, 1], [0.05, 2], [0.1, 1]]\nperiod_s = 0.1\n"
    more = transient(end_s=0.25, step_s=0.00625) + "[solve]\ntolerance = 1e-6\n"
    s = run(job, text(beat + OUTLET + PLUG, "inertia = true", more), "-n", "2")
    history = s["flow_history"]
    time = np.array(history["time_s"])
    assert len(time) == 41
    factor = 1 + np.interp(time % 0.1, [0, 0.05, 0.1], [0, 1, 0])
    area = 16 * H**2
    assert history["opening_inflow_mm3_per_s"]["z_low"] == pytest.approx(2 * area * factor, rel=1e-5)
    assert s["load"]["boundary"][0]["period_s"] == 0.1
    with (tmp_path / "job.out" / "history.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 41
    assert [float(r["time_s"]) for r in rows] == history["time_s"]
    assert [float(r["opening_inflow_mm3_per_s.z_low"]) for r in rows] == history["opening_inflow_mm3_per_s"]["z_low"]
    assert [float(r["force_on_solid_N.y"]) for r in rows] == [f[1] for f in history["force_on_solid_N"]]
    # A plug that the pressure accelerates by one increment of the factor per step.
    slope = 2 * 20 * 1e-6 * 1000 * 6 * H  # conversion from mm/s2 to Pa
    inner = (time > 0.11) & (time < 0.1499)
    assert np.array(history["pressure_drop_Pa"])[inner] == pytest.approx(slope, rel=0.3)


@pytest.mark.parametrize(
    ("boundary", "more", "picture", "words"),
    [
        ("factor_at_s = [[0, 1], [1, 2]]", "", "", "requires [transient]"),
        ("factor_at_s = [[0, 1], [0, 2]]", transient(end_s=1), "", "times must increase"),
        ("factor_at_s = [[0, 1, 2]]", transient(end_s=1), "", "list of [time, factor] pairs"),
        ("period_s = 1", transient(end_s=1), "", "requires factor_at_s"),
        ("factor_at_s = [[0, 1], [2, 2]]\nperiod_s = 1", transient(end_s=1), "", "must be between 0 and period_s"),
        ("", "", "pathlines = 4", "requires [transient]"),
        ("", transient(end_s=1), "pathlines = 40000", "must be in [0, 10000]"),
        ("", transient(end_s=1), "pathlines = 4\nstreamlines = 4", "not allowed together with picture.pathlines"),
        ("", transient(end_s=1), 'shows = "cut"', "picture.every"),
        ("", transient(end_s=1), 'every = 2\nshows = "pathlines"', "requires the number of particles"),
        ("", transient(end_s=1), "film = true", "requires frames"),
    ],
)
def test_what_makes_no_sense_is_refused(
    job: Job, tmp_path: Path, boundary: str, more: str, picture: str, words: str
) -> None:
    """Oracle: the exit code and the message."""
    step(tmp_path)
    job.write(text(PUSH + boundary + "\n" + OUTLET, "inertia = true", more) + picture + "\n")
    refused = job.run("--no-report")
    assert refused.code == 2
    assert words in refused.err
