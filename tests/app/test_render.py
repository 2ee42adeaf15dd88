"""Pictures of results: `osteon render` as one process and under mpirun."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from PIL import Image
from whole_job import BINARY, ROOT, Job, job_text


@pytest.fixture
def results(solved_sponge: Path) -> Path:
    return solved_sponge


def render(results: Path, *arguments: str, ranks: int = 0) -> subprocess.CompletedProcess[str]:
    size = [] if "--width" in arguments or "--height" in arguments else ["--width", "96", "--height", "80"]
    start = [str(ROOT / "tools" / "mpirun.sh"), str(ranks)] if ranks else []
    return subprocess.run(
        [*start, str(BINARY), "render", str(results), *size, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


WITHIN = ["--eye", "z=0.2,y=0.3,x=0.1", "--look-at", "z=0.3,y=0.2,x=0.5"]


@pytest.mark.parametrize("camera", [["--clip", "x=1,y=1,offset=0.3"], WITHIN], ids=["clipped", "from within"])
def test_pictures_are_the_same_on_any_number_of_ranks(results: Path, tmp_path: Path, camera: list[str]) -> None:
    """Oracle: the float picture of one rank, which must be equal bit for bit. The test uses each method, with a
    clipping plane and from inside."""
    for method in ("volume", "maximum", "average", "surface"):
        options = ["--field", "von_mises", "--method", method, *camera]
        if method == "volume":
            options += ["--points", "0:0.01,50%:0.02,99%:0.3", "--shade"]
        pictures = []
        for ranks in (0, 3):
            path = tmp_path / f"{method}{ranks}.npy"
            done = render(results, *options, "-o", str(path), ranks=ranks)
            assert done.returncode == 0, done.stderr
            pictures.append(np.load(path))
        assert pictures[0].shape == (80, 96, 4)
        assert pictures[0][..., 3].max() > 0.1
        assert np.array_equal(*pictures), method


@pytest.mark.parametrize(
    "compositing", ["binary-swap", "direct-send:overlap", "slic,messages", "radix-k:2", "shared", "hybrid"]
)
def test_a_picture_does_not_depend_on_how_images_are_joined(results: Path, tmp_path: Path, compositing: str) -> None:
    """Oracle: the float picture of one rank, which must be equal bit for bit. The 8-bit picture at half precision
    differs by at most one level, except at edges of a surface."""
    for method in ("volume", "surface"):
        options = ["--field", "von_mises", "--method", method]
        assert render(results, *options, "-o", str(tmp_path / "one.npy")).returncode == 0
        joined = tmp_path / "joined.npy"
        done = render(results, *options, "--compositing", compositing, "-o", str(joined), "--json", "-", ranks=3)
        assert done.returncode == 0, done.stderr
        way = {"shared": "shared memory", "hybrid": "between hosts"}.get(compositing, compositing.split(",")[0])
        assert way in json.loads(done.stdout)["compositing"]
        assert np.array_equal(np.load(tmp_path / "one.npy"), np.load(joined))
        for name, how in (("exact.png", []), ("fast.png", ["--fast"])):
            done = render(
                results, *options, "--plain", "--compositing", compositing, *how, "-o", str(tmp_path / name), ranks=3
            )
            assert done.returncode == 0, done.stderr
        exact, fast = (np.asarray(Image.open(tmp_path / n)).astype(int) for n in ("exact.png", "fast.png"))
        off = np.abs(exact - fast).max(axis=2)
        if method == "volume":
            assert 0 < off.max() <= 1
        else:
            # --fast draws a surface with one ray per pixel, so that its edges are aliased
            assert (off <= 1).mean() > 0.7


def test_the_compositing_of_an_orbit_is_selected_and_reported_once(results: Path, tmp_path: Path) -> None:
    """Oracle: the log and JSON name a method and the prediction of the model. The frames equal frames of wide pixels
    within one level."""
    orbit = ["--orbit", "3", "--method", "volume", "--plain", "--width", "320", "--height", "240"]
    frames = {}
    for pixels in ("wide", "rgba16f"):
        folder = tmp_path / pixels
        done = render(
            results, *orbit, "--pixels", pixels, "-o", str(folder), "--json", str(tmp_path / "o.json"), ranks=2
        )
        assert done.returncode == 0, done.stderr
        assert done.stderr.count("compositing: ") == 1
        answer = json.loads((tmp_path / "o.json").read_text())
        assert pixels in answer["compositing"]
        assert all(p["joining_seconds"] >= 0 for p in answer["pictures"])
        frames[pixels] = [np.asarray(Image.open(f)).astype(int) for f in sorted(folder.glob("*.png"))]
    assert len(frames["wide"]) == 3
    for exact, half in zip(frames["wide"], frames["rgba16f"], strict=True):
        assert np.abs(exact - half).max() <= 1


@pytest.mark.parametrize(
    ("older", "present"),
    [
        (["--eye", "0.1", "-.3", "0.2", "--look-at=0.5", "0.2", "3e-1"], ["--eye", "z=0.2,y=-.3,x=0.1", "--look-at", "x=0.5,y=0.2,z=3e-1"]),
        (["--clip", "0", "1", "0", "0.3", "--clip", "-1", "0", "0", "-.2"], ["--clip=y=1,offset=0.3", "--clip", "z=0,y=0,x=-1,offset=-.2"]),
    ],
    ids=["camera", "planes"],
)  # fmt: skip
def test_plain_numbers_are_along_x_y_z_with_a_hint(
    results: Path, tmp_path: Path, older: list[str], present: list[str]
) -> None:
    """Oracle: the picture for named axes, for which no hint is printed, and the picture for the axes of the hint."""
    pictures = []
    hinted: list[str] = []
    for words in (present, older):
        path = tmp_path / f"{len(pictures)}.npy"
        done = render(results, *words, "-o", str(path))
        assert done.returncode == 0, done.stderr
        hinted = re.findall(r"warning: .*: name the axes: (\S+ \S+)$", done.stderr, re.MULTILINE)
        assert len(hinted) == (2 if words is older else 0)
        pictures.append(np.load(path))
    done = render(results, *" ".join(hinted).split(), "-o", str(tmp_path / "hinted.npy"))
    assert "warning" not in done.stderr
    pictures.append(np.load(tmp_path / "hinted.npy"))
    plain = tmp_path / "plain.npy"
    render(results, "-o", str(plain))
    assert np.array_equal(pictures[0], pictures[1])
    assert np.array_equal(pictures[0], pictures[2])
    assert not np.array_equal(pictures[0], np.load(plain))


def test_the_file_may_stand_behind_a_place(results: Path, tmp_path: Path) -> None:
    """Oracle: the contract. A value that names its axes is one argument, and the following value is another."""
    for eye in (["z=9,y=9,x=9"], ["9", "9", "9"]):
        done = subprocess.run(
            [str(BINARY), "render", "--width", "32", "--height", "32", "--eye", *eye, str(results), "-o", str(tmp_path / "behind.png")],
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr


def test_a_component_is_shown_with_its_sign(results: Path, tmp_path: Path) -> None:
    """Oracle: the extremes of the voxel values in the file. Each voxel value is the mean of eight nodes."""
    with netCDF4.Dataset(results) as file:
        u = np.asarray(file["VTKHDF/PointData/displacement"][..., 2], dtype=float)
    cells = sum(
        u[a : u.shape[0] - 1 + a, b : u.shape[1] - 1 + b, c : u.shape[2] - 1 + c] for a, b, c in np.ndindex(2, 2, 2)
    )
    done = render(
        results, "--field", "displacement", "--component", "z", "--method", "surface", "--map", "vik",
        "--percentiles", "0", "100", "--json", "-", "-o", str(tmp_path / "u.png"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["component"] == "z"
    assert answer["low"] < 0
    assert (answer["low"], answer["high"]) == pytest.approx((np.nanmin(cells) / 8, np.nanmax(cells) / 8), rel=1e-3)


def test_means_have_colours_from_end_to_end(results: Path, tmp_path: Path) -> None:
    """Oracle: the range by the 1st and 99th percentiles. Otherwise, the range of colours would cover only large
    values."""
    ranges = []
    for more in (["--method", "average"], ["--percentiles", "1", "99"], ["--method", "volume"]):
        done = render(results, "--json", "-", "-o", str(tmp_path / "mean.png"), *more)
        assert done.returncode == 0, done.stderr
        ranges.append([json.loads(done.stdout)[end] for end in ("low", "high")])
    assert ranges[0] == ranges[1]
    assert ranges[2][0] > ranges[0][0]


def test_a_solid_that_is_loaded_is_shown_by_its_surface(results: Path, tmp_path: Path) -> None:
    """Oracle: the picture of --method surface, which must be equal bit for bit, with colours from 0. With a volume
    option, the picture is a volume."""
    pictures, answers = [], []
    for more in ([], ["--method", "surface"], ["--solid", "0.2"], ["--method", "volume", "--solid", "0.2"]):
        path = tmp_path / "picture.npy"
        done = render(results, "--field", "von_mises", "--json", "-", "-o", str(path), *more)
        assert done.returncode == 0, done.stderr
        pictures.append(np.load(path))
        answers.append(json.loads(done.stdout))
    assert np.array_equal(pictures[0], pictures[1])
    assert np.array_equal(pictures[2], pictures[3])
    opacity = pictures[0][..., 3]
    assert set(np.unique(4 * opacity)) <= {0, 1, 2, 3, 4}  # number of rays that hit the solid, out of four
    assert (opacity == 1).mean() > 0.2
    assert answers[0]["low"] == 0 < answers[2]["low"]


def test_paper_is_white(results: Path, tmp_path: Path) -> None:
    """Oracle: white is 255. The specimen itself is drawn as on the screen."""
    pictures = {}
    for preset in ("paper", "screen"):
        path = tmp_path / f"{preset}.png"
        done = render(results, "--plain", "--preset", preset, "-o", str(path))
        assert done.returncode == 0, done.stderr
        pictures[preset] = np.asarray(Image.open(path))[..., :3].astype(int)
    white = (pictures["paper"] == 255).all(axis=2)
    assert white[0, 0] and white.mean() > 0.2
    assert pictures["screen"][0, 0].max() < 40
    same = (pictures["paper"] == pictures["screen"]).all(axis=2)
    assert same.mean() > 0.2 and (same | white | (pictures["paper"] >= pictures["screen"]).all(axis=2)).all()
    annotated = tmp_path / "annotated.png"
    assert render(results, "--preset", "paper", "-o", str(annotated)).returncode == 0
    assert np.asarray(Image.open(annotated)).min() < 60  # dark text


LABELLED = ["--width", "620", "--height", "480"]


@pytest.mark.parametrize(
    ("words", "title", "quantity"),
    [
        (["--field", "von_mises"], None, "von Mises stress"),
        (["--field", "displacement", "--component", "z"], "job: displacement, z", "displacement, z"),
        (["--field", "sed", "--title", "mine"], "mine", "strain energy density"),
    ],
)
def test_a_picture_has_the_labels_of_the_report(
    results: Path, tmp_path: Path, words: list[str], title: str | None, quantity: str
) -> None:
    """Oracle: the drawing code of the report, with title and quantity written by hand, for the range that the command
    states. Further oracles are the map table of the report and the requested size."""
    from osteon.report.colours import colour_table
    from osteon.report.picture_labels import HEAD, SIDE, Labels, draw

    path = tmp_path / "labelled.png"
    done = render(results, *words, *LABELLED, "-o", str(path), "--json", "-")
    assert done.returncode == 0, done.stderr
    assert "built-in" not in done.stderr
    reported = json.loads(done.stdout)
    here = np.asarray(Image.open(path).convert("RGB")).astype(int)
    assert here.shape == (480, 620, 3)
    unit = min(620 / (1000 + SIDE), 480 / (1000 + HEAD))
    side, head = round(SIDE * unit), round(HEAD * unit)
    if title is None:
        shown = json.loads((results.parent / "summary.json").read_text())["shown"]
        is_same = shown["field"] == "von_mises"
        title = f"job: {shown['caption'] if is_same else quantity}"
    unit_of = "MPa" if reported["units"] == "MPa" else reported["units"]
    with netCDF4.Dataset(results) as file:
        values = file["VTKHDF/CellData/von_mises"][:] if "von_mises" in words else None
    largest = None if values is None else float(np.nanmax(np.ma.filled(values, np.nan)))
    is_cut_off = largest is not None and largest > reported["high"]
    labels = Labels(
        title, f"{quantity} ({unit_of})", reported["low"], reported["high"], colour_map="ivory", page=(620, 480)
    )
    ground = Image.new("RGB", (620 - side, 480 - head), tuple(int(v) for v in here[0, 0]))
    wanted = np.asarray(draw(ground, labels)).astype(int)
    assert np.array_equal(here[:head, : 620 - side], wanted[:head, : 620 - side])  # the typeface of the report
    assert np.abs(here[:head] - wanted[:head]).max() == 0 or is_cut_off
    # The middle of the colour bar, between the first and last rows of colours.
    column = 620 - side + round(20 * unit)
    bar = here[head + round(75 * unit) : head + round(0.6 * (480 - head)), column]
    nearest = np.abs(bar[:, None] - colour_table("ivory").astype(int)[None]).max(axis=2).min(axis=1)
    assert nearest.max() <= 8


def test_small_pictures_and_those_without_python_have_built_in_labels(results: Path, tmp_path: Path) -> None:
    """Oracle: the exit code, the size, and one sentence that names the interpreter. Small pictures do not start
    Python."""
    for size, warns in ((LABELLED, True), (["--width", "160", "--height", "120"], False)):
        path = tmp_path / "built_in.png"
        done = subprocess.run(
            [str(BINARY), "render", str(results), *size, "-o", str(path)],
            env={**os.environ, "OSTEON_PYTHON": str(tmp_path / "no_python")},
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert Image.open(path).size == (int(size[1]), int(size[3]))
        assert done.stderr.count("built-in labels") == warns
        assert ("no_python" in done.stderr) == warns


def test_labels_are_the_same_on_any_number_of_ranks(results: Path, tmp_path: Path) -> None:
    """Oracle: the picture of one rank, byte for byte. The frames of an orbit also have labels."""
    files = [tmp_path / f"{ranks}.png" for ranks in (0, 3)]
    for ranks, path in zip((0, 3), files, strict=True):
        done = render(results, *LABELLED, "-o", str(path), ranks=ranks)
        assert done.returncode == 0, done.stderr
    assert files[0].read_bytes() == files[1].read_bytes()
    done = render(results, *LABELLED, "--orbit", "2", "-o", str(tmp_path / "orbit"))
    assert done.returncode == 0, done.stderr
    one, *frames = (np.asarray(Image.open(p)) for p in (files[0], *sorted((tmp_path / "orbit").glob("*.png"))))
    assert len(frames) == 2
    for frame in frames:
        assert np.array_equal(frame[:20], one[:20])  # the row of the title
    assert not list(tmp_path.rglob("*.tmp"))


def test_control_points_are_a_transfer_function(results: Path, tmp_path: Path) -> None:
    """Oracle: opacity 0 is invisible. A single colour at all points is the only colour."""
    pictures = []
    for points in ("0:0,100%:0", "0:0:#ff0000,50%:0.1:#ff0000,100%:1:#ff0000"):
        path = tmp_path / "points.npy"
        done = render(results, "--points", points, "--solid", "0", "--field", "von_mises", "-o", str(path))
        assert done.returncode == 0, done.stderr
        pictures.append(np.load(path))
    assert pictures[0].max() == 0
    assert pictures[1][..., 0].max() > 0.05
    assert pictures[1][..., 1:3].max() == 0


def test_pictures_have_the_map_of_the_job(job: Job, sponge: Path, tmp_path: Path) -> None:
    """Oracle: the picture with the same map, given by its name. A summary with an unknown map selects the default
    map."""
    job.write(job_text(sponge) + 'colour_map = "viridis"\n')
    done = job.run("-n", "1", "--no-report")
    assert done.code == 0, done.err
    results, summary = done.folder / "results.nc", done.folder / "summary.json"

    def drawn(*words: str) -> np.ndarray:
        made = render(results, "--plain", *words, "-o", str(tmp_path / "it.png"))
        assert made.returncode == 0, made.stderr
        return np.asarray(Image.open(tmp_path / "it.png"))

    assert np.array_equal(drawn(), drawn("--map", "viridis"))
    assert not np.array_equal(drawn(), drawn("--map", "ivory"))
    reported = summary.read_text()
    for damaged in (reported.replace('"viridis"', '"of a later version"'), "{", "[]"):
        summary.write_text(damaged)
        assert np.array_equal(drawn(), drawn("--map", "ivory"))


def test_there_may_be_more_ranks_than_planes(job: Job, tmp_path: Path) -> None:
    """Oracle: the float picture of one rank, bit for bit."""
    np.save(tmp_path / "thin.npy", np.full((2, 9, 12), 200, dtype=np.uint8))
    job.write(job_text(tmp_path / "thin.npy", more="[segment]\nthreshold = 100\n") + "enabled = false\n")
    done = job.run("-n", "1", "--no-report")
    assert done.code == 0, done.err
    pictures = []
    for ranks in (0, 5):
        path = tmp_path / f"thin{ranks}.npy"
        made = render(
            done.folder / "results.nc", "--field", "material", "--range", "0", "2", "-o", str(path), ranks=ranks
        )
        assert made.returncode == 0, made.stderr
        pictures.append(np.load(path))
    assert pictures[0][..., 3].max() > 0.1
    assert np.array_equal(*pictures)


def test_an_orbit_is_a_cinema_database(results: Path, tmp_path: Path) -> None:
    """Oracle: the specification: a table whose last column contains names of existing files."""
    done = render(results, "--orbit", "3", "--elevations", "0,40", "-o", str(tmp_path / "all.cdb"))
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader((tmp_path / "all.cdb" / "data.csv").open()))
    assert [(r["phi"], r["theta"]) for r in rows[:4]] == [("35", "0"), ("155", "0"), ("275", "0"), ("35", "40")]
    assert len({(tmp_path / "all.cdb" / r["FILE"]).read_bytes() for r in rows}) == 6


@pytest.mark.parametrize("is_there", [True, False])
def test_a_film_is_made_by_ffmpeg_if_it_is_there(results: Path, tmp_path: Path, *, is_there: bool) -> None:
    """Oracle: the arguments that a substitute for ffmpeg receives. Without ffmpeg, a message and the frames are
    written."""
    programs = tmp_path / "bin"
    programs.mkdir()
    # as if ffmpeg were not installed
    stand_in = 'for last; do :; done\necho "$@" > "$last"' if is_there else "exit 127"
    (programs / "ffmpeg").write_text(f"#!/bin/sh\n{stand_in}\n")
    (programs / "ffmpeg").chmod(0o755)
    orbit, film = tmp_path / "all.cdb", tmp_path / "all.mp4"
    done = subprocess.run(
        [
            str(BINARY),
            "render",
            str(results),
            "--width=32",
            "--height=32",
            "--orbit=2",
            "-o",
            str(orbit),
            f"--film={film}",
        ],
        env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert len(list(orbit.glob("*.png"))) == 2
    assert film.exists() == is_there
    if is_there:
        assert f"-i {orbit}/frame_%04d.png" in film.read_text()
    else:
        assert "ffmpeg is not installed" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--field", "von_misses"], 2, "did you mean 'von_mises'"),
        (["--map", "jet"], 2, "inferno"),
        (["--range", "2", "1"], 2, "LOW must be less than HIGH"),
        (["--range", "1", "1"], 2, "LOW must be less than HIGH"),
        (["--level", "1", "--method", "volume"], 2, "requires --method surface"),
        (["--light", "--preset", "paper"], 2, "give one of them"),
        (["--preset", "slate"], 2, "paper"),
        (["--method", "surface", "--step", "2"], 2, "at most 1"),
        (["--width", "0"], 2, "--width 0"),
        (["--height", "99999"], 2, "16384"),
        (["--zoom", "0"], 2, "view.zoom"),
        (["--clip", "0", "0", "0", "1"], 2, "normal"),
        (["--clip", "1", "0", "0"], 2, "3 numbers"),
        (["--clip", "x=1,offset=-1"], 2, "removes the whole domain"),
        (["--clip", "z=1,y=1"], 2, "offset is missing"),
        (["--clip", "z=1,z=2,offset=1"], 2, "duplicate z"),
        (["--eye", "z=1,y=2"], 2, "x is missing"),
        (["--eye", "z=1,y=2,w=3"], 2, "'w=3' is not x, y, z followed by = and a value"),
        (["--eye", "z=1,y=2,x="], 2, "'' is not a number"),
        (["--eye", "z=1,y=2,x=nan"], 2, "'nan' is not a number"),
        (["--eye", "z=1,y=2,x=3mm"], 2, "'3mm' is not a number"),
        (["--eye", "1"], 2, "1 number;"),
        (["--method", "surface", "--level", "1e9"], 2, "must be in the range of"),
        (["--percentiles", "90", "10"], 2, "two increasing numbers"),
        (["--component", "z"], 2, "one value per voxel"),
        (["--field", "displacement", "--component", "zz"], 2, "x, y, z"),
        (["--points", "1"], 2, "opacity"),
        (["--points", "x:1"], 2, "'x'"),
        (["--points", "101%:1"], 2, "from 0 to 100"),
        (["--points", "0:0,1:1.5"], 2, "'1.5'"),
        (["--points", "0:0,1:1:red"], 2, "#ff8000"),
        (["--points", "2:0,1:1"], 2, "the values must increase"),
        (["--points", "0:0", "--method", "maximum"], 2, "--method volume"),
        (["--shade", "--method", "surface"], 2, "--shade"),
        (["--eye", "z=3,y=2,x=1", "--look-at", "z=3,y=2,x=1"], 2, "is at the point to look at"),
        (["--eye", "-1", "0", "0", "--look-at", "-2", "0", "0"], 2, "is not visible from the camera"),
        (["--eye", "x=1,y=2,z=3", "--orbit", "3"], 2, "--orbit"),
        (["-o", "/nowhere/at/all/picture.png"], 5, "/nowhere/at/all/picture.png"),
        (["-o", "picture.jpg"], 2, ".png"),
        (["--film", "orbit.mp4"], 2, "--orbit"),
        (["--orbit", "2", "--film", "orbit.gif"], 2, ".mp4"),
    ],
)
def test_bad_requests_are_refused(results: Path, arguments: list[str], code: int, message: str) -> None:
    done = render(results, *arguments)
    assert done.returncode == code
    assert message in done.stderr


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "results.nc"
    assert render(path).returncode == 3
    path.write_bytes(b"no file of osteon")
    assert render(path).returncode == 3
