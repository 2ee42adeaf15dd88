"""Pictures of results: `osteon render` alone and under mpirun."""

from __future__ import annotations

import csv
import subprocess
from pathlib import Path

import numpy as np
import pytest
from whole_job import BINARY, ROOT, Job, job_text


@pytest.fixture
def results(job: Job, sponge: Path) -> Path:
    job.write(job_text(sponge) + "enabled = false\n")
    done = job.run("-n", "1", "--no-report")
    assert done.code == 0, done.err
    return done.folder / "results.nc"


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


def test_pictures_are_the_same_on_any_number_of_ranks(results: Path, tmp_path: Path) -> None:
    """Oracle: the float picture of one rank, bit for bit, for each method and with a plane cut away."""
    for method in ("volume", "maximum", "average"):
        options = ["--field", "von_mises", "--method", method, "--clip", "1", "1", "0", "0.3"]
        pictures = []
        for ranks in (0, 3):
            path = tmp_path / f"{method}{ranks}.npy"
            done = render(results, *options, "-o", str(path), ranks=ranks)
            assert done.returncode == 0, done.stderr
            pictures.append(np.load(path))
        assert pictures[0].shape == (80, 96, 4)
        assert pictures[0][..., 3].max() > 0.1
        assert np.array_equal(*pictures), method


def test_an_orbit_is_a_cinema_database(results: Path, tmp_path: Path) -> None:
    """Oracle: the specification: a table whose last column names files that exist."""
    done = render(results, "--orbit", "3", "--elevations", "0,40", "-o", str(tmp_path / "all.cdb"))
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader((tmp_path / "all.cdb" / "data.csv").open()))
    assert [(r["phi"], r["theta"]) for r in rows[:4]] == [("35", "0"), ("155", "0"), ("275", "0"), ("35", "40")]
    assert len({(tmp_path / "all.cdb" / r["FILE"]).read_bytes() for r in rows}) == 6


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["--field", "von_misses"], 2, "did you mean 'von_mises'"),
        (["--map", "jet"], 2, "inferno"),
        (["--range", "2", "1"], 2, "must rise"),
        (["--range", "1", "1"], 2, "must rise"),
        (["--width", "0"], 2, "--width 0"),
        (["--height", "99999"], 2, "16384"),
        (["--zoom", "0"], 2, "view.zoom"),
        (["--clip", "0", "0", "0", "1"], 2, "normal"),
        (["--percentiles", "90", "10"], 2, "rising"),
        (["-o", "/nowhere/at/all/picture.png"], 5, "/nowhere/at/all/picture.png"),
        (["-o", "picture.jpg"], 2, ".png"),
    ],
)
def test_bad_requests_are_refused(results: Path, arguments: list[str], code: int, says: str) -> None:
    done = render(results, *arguments)
    assert done.returncode == code
    assert says in done.stderr


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "results.nc"
    assert render(path).returncode == 3
    path.write_bytes(b"no file of osteon")
    assert render(path).returncode == 3
