"""Streamlines of a flow: in pictures, in a job and as a file."""

from __future__ import annotations

import itertools
import json
import subprocess
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from PIL import Image
from whole_job import BINARY, ROOT, Finished, Job, follows_schema, job_text

H = 0.01  # mm


def flow_job(solid: np.ndarray, folder: Path, picture: str = "") -> str:
    np.save(folder / "image.npy", np.where(solid, 100, 0).astype(np.uint8))
    return (
        f'physics = "flow"\n[image]\npath = "image.npy"\nspacing_mm = {H}\n[segment]\nthreshold = 50\n'
        f"[picture]\nwidth = 96\nheight = 80\n{picture}\n"
    )


def pores() -> np.ndarray:
    rng = np.random.default_rng(4)
    at = np.stack(np.meshgrid(*(np.arange(n) + 0.5 for n in (16, 14, 12)), indexing="ij"), -1)
    solid = np.zeros(at.shape[:3], bool)
    for _ in range(7):
        solid |= ((at - rng.random(3) * (16, 14, 12)) ** 2).sum(-1) < 3.0**2
    return solid


def solved(job: Job, text: str) -> Finished:
    job.write(text)
    done = job.run("-n", "1", "--no-report", "--force")
    assert done.code == 0, done.err
    return done


@pytest.fixture(scope="module")
def results(shared_job: Job) -> Path:
    return solved(shared_job, flow_job(pores(), shared_job.folder, "enabled = false")).folder / "results.nc"


def osteon(*words: str | Path, ranks: int = 0) -> subprocess.CompletedProcess[str]:
    start = [str(ROOT / "tools" / "mpirun.sh"), str(ranks)] if ranks else []
    return subprocess.run(
        [*start, str(BINARY), *map(str, words)], capture_output=True, text=True, timeout=100, check=False
    )


def render(results: Path, *words: str | Path, ranks: int = 0) -> subprocess.CompletedProcess[str]:
    return osteon("render", results, "--width", "96", "--height", "80", *words, ranks=ranks)


def test_pictures_with_lines_are_the_same_on_any_number_of_ranks(results: Path, tmp_path: Path) -> None:
    """Oracle: the float picture of one rank, which must be equal bit for bit. A picture without lines differs."""
    for options in (
        ["--clip", "x=1,y=1,offset=0.18"],
        ["--method", "surface"],
        ["--field", "pressure", "--tube", "0.004"],
    ):
        pictures = []
        for ranks in (0, 3):
            path = tmp_path / f"{ranks}.npy"
            done = render(
                results, "--streamlines", "40", *options, "-o", path, "--json", tmp_path / "a.json", ranks=ranks
            )
            assert done.returncode == 0, done.stderr
            pictures.append(np.load(path))
            answer = json.loads((tmp_path / "a.json").read_text())
            follows_schema(answer, "render")
            lines = answer["streamlines"]
            assert lines["field"] == "velocity"
            assert 30 <= lines["lines"] <= 40
            assert 0.1 < lines["longest_mm"] < 0.8  # the box has a length of 0.16 mm
            assert answer["field"] == ("pressure" if "pressure" in options else "velocity")
        assert np.array_equal(*pictures), options
        assert render(results, *options[:2], "-o", tmp_path / "without.npy").returncode == 0
        assert not np.array_equal(pictures[0], np.load(tmp_path / "without.npy"))


def test_lines_have_colours_unless_another_field_has_them(results: Path, tmp_path: Path) -> None:
    """Oracle: grey has equal values in three channels. The solid is omitted."""
    spread = {}
    for name, words in (("own", []), ("other", ["--field", "speed", "--range", "1e9", "2e9"])):
        path = tmp_path / f"{name}.npy"
        done = render(results, "--streamlines", "30", "--solid", "0", *words, "-o", path)
        assert done.returncode == 0, done.stderr
        shown = np.load(path)[..., :3]
        assert (shown.max(axis=2) > 0.1).sum() > 100
        spread[name] = (shown.max(axis=2) - shown.min(axis=2)).max()
    assert spread["own"] > 0.2
    assert spread["other"] < 1e-6


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--streamlines", "0"], "--streamlines 0: the number must be in [1, 1000000]"),
        (["--streamlines", "-3"], "--streamlines -3: the number must be in [1"),
        (["--streamlines", "9", "--tube", "0"], "--tube 0: the radius in mm must be positive"),
        (["--streamlines", "9", "--method", "maximum"], "no depth"),
        (["--streamlines", "9", "--lines-of", "pressure"], "no such vector field; vector fields: velocity"),
        (["--streamlines", "9", "--lines-of", "velocty"], "did you mean 'velocity'"),
        (["--tube", "0.1"], "--tube requires --streamlines"),
        (["--lines-of", "velocity"], "--lines-of requires --streamlines"),
    ],
)  # fmt: skip
def test_undrawable_requests_are_reported(results: Path, tmp_path: Path, words: list[str], message: str) -> None:
    for ranks in (0, 2):
        done = render(results, *words, "-o", tmp_path / "x.png", ranks=ranks)
        assert done.returncode == 2, done.stderr
        assert message in done.stderr
        assert not (tmp_path / "x.png").exists()


def test_a_result_without_a_flow_has_lines_of_the_named_field(job: Job, sponge: Path, tmp_path: Path) -> None:
    results = solved(job, job_text(sponge) + "enabled = false\n").folder / "results.nc"
    done = render(results, "--streamlines", "9", "-o", tmp_path / "x.png")
    assert done.returncode == 2
    assert "--lines-of (vector fields: displacement)" in done.stderr
    done = render(results, "--streamlines", "9", "--lines-of", "displacement", "-o", tmp_path / "x.png")
    assert done.returncode == 0, done.stderr


def polydata(path: Path) -> tuple[list[np.ndarray], dict[str, np.ndarray], np.ndarray]:
    """Return the data that VTK reads: the points of each line, the values at all points, and all points."""
    vtk = pytest.importorskip("vtkmodules.vtkIOXML")
    from vtkmodules.util.numpy_support import vtk_to_numpy

    reader = vtk.vtkXMLPolyDataReader()
    reader.SetFileName(str(path))
    reader.Update()
    data = reader.GetOutput()
    points = vtk_to_numpy(data.GetPoints().GetData())
    offsets = vtk_to_numpy(data.GetLines().GetOffsetsArray())
    numbers = vtk_to_numpy(data.GetLines().GetConnectivityArray())
    lines = [numbers[a:b] for a, b in itertools.pairwise(offsets)]
    values = {n: vtk_to_numpy(data.GetPointData().GetArray(n)) for n in ("speed", "time")}
    return lines, values, points


def test_exported_lines_of_a_slit_are_straight_and_take_length_over_speed(job: Job, tmp_path: Path) -> None:
    """Oracle: between plates, the flow is along z with the speed of the voxel in the file. VTK reads the lines."""
    solid = np.zeros((6, 7, 5), bool)
    solid[:, 5:, :] = True
    text = flow_job(solid, job.folder, "enabled = false\n[solve]\ntolerance = 1e-8")
    results = solved(job, text).folder / "results.nc"
    files = []
    for ranks in (0, 3):
        path = tmp_path / f"{ranks}.vtp"
        done = osteon("export", results, "--streamlines", "20", "-o", path, "--json", tmp_path / "a.json", ranks=ranks)
        assert done.returncode == 0, done.stderr
        answer = json.loads((tmp_path / "a.json").read_text())
        follows_schema(answer, "streamlines")
        assert answer["lines"] == 20
        assert answer["longest_mm"] == pytest.approx(6 * H)
        assert answer["through"] == 20
        files.append(path.read_bytes())
    assert files[0] == files[1]
    lines, values, points = polydata(tmp_path / "0.vtp")
    with netCDF4.Dataset(results) as file:
        speed = np.ma.filled(file["VTKHDF/CellData/speed"][:].astype("f8"), np.nan)
    assert len(lines) == 20
    assert answer["median_time_s"] == sorted(values["time"][line[-1]] for line in lines)[10]
    for line in lines:
        at = points[line]
        assert np.ptp(at[:, :2], axis=0) == pytest.approx(0, abs=1e-3 * H)
        assert at[0, 2] == pytest.approx(0, abs=1e-9)
        assert at[-1, 2] == pytest.approx(6 * H)
        own = speed[0, int(at[0, 1] / H), int(at[0, 0] / H)]
        assert values["speed"][line] == pytest.approx(own, rel=1e-4)
        assert values["time"][line[-1]] == pytest.approx(6 * H / own, rel=1e-4)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--streamlines", "0", "-o", "x.vtp"], "--streamlines 0: the number must be in [1"),
        (["--streamlines", "5", "-o", "x.vti"], "written as .vtp"),
        (["-o", "x.vtp"], "set their number by --streamlines"),
        (["--streamlines", "5", "--field", "speed", "-o", "x.vtp"], "--lines-of selects the field"),
        (["--streamlines", "5", "--lines-of", "speed", "-o", "x.vtp"], "no such vector field"),
    ],
)
def test_unexportable_requests_are_reported(results: Path, words: list[str], message: str) -> None:
    done = osteon("export", results, *words)
    assert done.returncode == 2, done.stderr
    assert message in done.stderr


def test_a_flow_job_shows_lines_by_default(job: Job) -> None:
    """Oracle: pictures with many lines, few lines and no lines differ."""
    pictures = {}
    for wish in ("", "streamlines = 5", "streamlines = 0", "streamlines = 5\ntube_mm = 0.01"):
        done = solved(job, flow_job(pores(), job.folder, wish))
        pictures[wish] = np.asarray(Image.open(done.folder / "picture.png")).copy()
    names = list(pictures)
    for i, a in enumerate(names):
        for b in names[:i]:
            assert not np.array_equal(pictures[a], pictures[b]), (a, b)


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        ("streamlines = -1", "picture.streamlines: -1 must be in [0, 1000000] lines"),
        ("tube_mm = 0", "picture.tube_mm: 0 must be > 0 mm"),
    ],
)
def test_keys_of_lines_are_checked(job: Job, wish: str, message: str) -> None:
    job.write(flow_job(pores(), job.folder, wish))
    done = job.run(command="check")
    assert done.code == 2
    assert message in done.err + done.out


def test_a_job_without_a_vector_field_has_no_lines(job: Job, sponge: Path) -> None:
    job.write(job_text(sponge) + "streamlines = 9\n")
    done = job.run(command="check")
    assert done.code == 2
    assert "has no vector field" in done.err + done.out


def test_heat_has_lines_where_they_are_asked_for(job: Job, sponge: Path) -> None:
    """Oracle: the magnitude that every heat job writes. Heat flows from the warm face at low z to the cold face."""
    text = job_text(sponge, "heat", '[load]\ntest = "conduction"\naxis = "z"\nlow_K = 30\nhigh_K = 10\n')
    plain = np.asarray(Image.open(solved(job, text).folder / "picture.png")).copy()
    folder = solved(job, text + "streamlines = 30\n").folder
    assert not np.array_equal(plain, np.asarray(Image.open(folder / "picture.png")))
    with netCDF4.Dataset(folder / "results.nc") as file:
        cells = file["VTKHDF/CellData"]
        vectors, magnitude = (
            np.ma.filled(cells[n][:].astype("f8"), np.nan) for n in ("heat_flux_density", "heat_flux")
        )
    assert np.allclose(np.sqrt((vectors**2).sum(axis=-1)), magnitude, rtol=1e-5, equal_nan=True)
    assert np.nanmean(vectors[..., 2]) > 5 * np.abs(np.nanmean(vectors[..., :2], axis=(0, 1, 2))).max()
    done = render(folder / "results.nc", "--streamlines", "20", "-o", folder / "x.png", "--json", folder / "a.json")
    assert done.returncode == 0, done.stderr
    assert json.loads((folder / "a.json").read_text())["streamlines"]["field"] == "heat_flux_density"


def test_a_fluid_at_rest_causes_no_error(job: Job) -> None:
    solid = np.zeros((6, 6, 6), bool)
    solid[3] = True
    job.write(flow_job(solid, job.folder))
    done = job.run("-n", "2", "--no-report")
    assert done.code == 0, done.err
    path = done.folder / "results.nc"
    reported = render(path, "--streamlines", "9", "-o", job.folder / "x.png")
    assert reported.returncode == 3, reported.stderr
    assert "the field is zero everywhere" in reported.stderr
