"""Cuts through a flow by line integral convolution: `osteon render --method lic`, and the cut of a job."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from whole_job import BINARY, ROOT, Finished, Job, follows_schema

H = 0.01  # mm


def solved(job: Job) -> Finished:
    """Flow along z between two plates and a block in the middle of the gap."""
    solid = np.zeros((16, 12, 10), bool)
    solid[:, :2] = solid[:, -2:] = True
    solid[6:10, 5:7, 3:7] = True
    np.save(job.folder / "image.npy", np.where(solid, 100, 0).astype(np.uint8))
    job.write(
        f'physics = "flow"\n[image]\npath = "image.npy"\nspacing_mm = {H}\n[segment]\nthreshold = 50\n'
        "[picture]\nwidth = 96\nheight = 80\n"
    )
    done = job.run("-n", "1")
    assert done.code == 0, done.err
    return done


@pytest.fixture(scope="module")
def finished(shared_job: Job) -> Finished:
    return solved(shared_job)


def render(results: Path, *words: str | Path, ranks: int = 0) -> subprocess.CompletedProcess[str]:
    start = [str(ROOT / "tools" / "mpirun.sh"), str(ranks)] if ranks else []
    method = [] if "--method" in words else ["--method", "lic"]
    return subprocess.run(
        [*start, str(BINARY), "render", str(results), *method, *map(str, words)],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def test_a_cut_is_the_same_on_any_number_of_ranks_and_shows_what_lies_there(finished: Finished, tmp_path: Path) -> None:
    """Oracle: geometry. The 12 x 10 voxels across z are plates, gap and block. The report contains the cut of the
    job."""
    done = finished
    pictures = []
    for ranks in (0, 2, 3):
        path = tmp_path / f"cut{ranks}.png"
        words = ["--cut", f"x={5 * H}", "--width", "240", "--height", "320", "--plain", "--json", "-", "-o", path]
        made = render(done.folder / "results.nc", *words, ranks=ranks)
        assert made.returncode == 0, made.stderr
        answer = json.loads(made.stdout)
        follows_schema(answer, "cut")
        assert (answer["normal"], answer["width"], answer["height"], answer["units"]) == ("x", 240, 320, "mm s-1")
        assert answer["at_mm"] == pytest.approx(5.5 * H)
        pictures.append(path.read_bytes())
    assert pictures[0] == pictures[1] == pictures[2]

    pixels = np.asarray(Image.open(tmp_path / "cut0.png"))[..., :3].astype(int)
    voxels = pixels.reshape(16, 20, 12, 20, 3)[::-1]  # the z axis is upwards
    grain = (np.ptp(voxels, axis=(1, 3)) == 0).all(-1)  # voxels with a uniform colour
    solid = np.zeros((16, 12), bool)
    solid[:, :2] = solid[:, -2:] = True
    solid[6:10, 5:7] = True
    assert np.array_equal(grain, solid)
    lively = pixels[:, 50:190].std(axis=0).mean(), pixels[:, 50:190].std(axis=1).mean()
    assert lively[0] < lively[1], "threads lie along z"

    lines = done.summary["streamlines"]
    length, fastest = 16 * H, done.summary["shown"]["high"]
    assert 0 < lines["through"] <= lines["lines"]
    assert lines["median_time_s"] > 0.9 * length / fastest, "nothing passes faster than the fastest fluid"
    assert "residence time" in done.out
    assert Path(done.summary["files"]["cut"]).name == "cut.png"
    assert (done.folder / "cut.png").exists()
    assert "Along a cut" in (done.folder / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--cut", "w"], "--cut w: must be an axis (x, y or z)"),
        (["--cut", "y=mm"], "--cut y=mm: must be an axis"),
        (["--cut", "z=0.5"], "--cut z=0.5: the position must be in [0, 0.16] mm, the extent of the image along z"),
        (["--cut", "y=0.005"], "'velocity' is zero everywhere in the cut y=0.005 mm"),
        (["--cut", "y", "--clip", "z=1,offset=1"], "--clip does not apply to --method lic"),
        (["--range", "2", "1"], "LOW must be less than HIGH"),
        (["--lines-of", "speed"], "no such vector field"),
        (["-o", "cut.npy"], "--method lic writes .png"),
        (["--method", "volume", "--cut", "y"], "--cut requires --method lic"),
    ],
)
def test_cuts_that_cannot_be_drawn_are_refused(finished: Finished, words: list[str], message: str) -> None:
    made = render(finished.folder / "results.nc", *words)
    assert made.returncode == 2, made.stderr
    assert message in made.stderr


@pytest.mark.parametrize("size", [("500", "900"), ("640", "480")])
def test_a_cut_with_labels_fits_into_its_size(finished: Finished, tmp_path: Path, size: tuple[str, str]) -> None:
    """Oracle: the requested size. The area behind the labels has the background colour, determined by hand, and not a
    colour of the field."""
    path = tmp_path / "cut.png"
    results = finished.folder / "results.nc"
    done = render(results, "--width", size[0], "--height", size[1], "--json", "-", "-o", path)
    assert done.returncode == 0, done.stderr
    picture = np.asarray(Image.open(path).convert("RGB"))
    answer = json.loads(done.stdout)
    assert picture.shape == (answer["height"], answer["width"], 3)
    shares = picture.shape[1] / int(size[0]), picture.shape[0] / int(size[1])
    assert 0.95 < max(shares) <= 1
    assert picture[0, 0].tolist() == picture[0, -1].tolist() == picture[-1, -1].tolist() == [18, 22, 29]
