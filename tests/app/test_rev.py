"""`osteon rev`: sub-cubes of an image, and the smallest representative size."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from osteon.batch.items import Item
from osteon.batch.rev import corners_of, edges_of, items_of
from osteon.batch.rev_convergence import Step, size_that_represents
from osteon.errors import UsageError
from test_cohort import as_slurm_would
from whole_job import ROOT, Job, follows_schema, job_text, osteon


def rev(folder: Path, *words: str, code: int = 0) -> str:
    more = ["--at-once", "2", "-n", "1", "--set", "picture.enabled=false"]
    done = osteon("rev", "job.toml", *words, *more, folder=folder, timeout=300)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


@pytest.fixture
def lattice(job: Job) -> Path:
    """Columns along z, one per 4 x 4 voxels. Every cube of 4, 8 ... voxels is as stiff as the whole."""
    image = np.zeros((16, 16, 16), np.uint8)
    for y in (1, 2):
        for x in (1, 2):
            image[:, y::4, x::4] = 200
    np.save(job.folder / "image.npy", image)
    text = job_text("image.npy", more='[segment]\nkeep = "all"\n')
    assert "poisson_ratio = 0.3" in text
    # plates must not constrain the ends of the columns
    job.write(text.replace("poisson_ratio = 0.3", "poisson_ratio = 0.0"))
    return job.folder


def test_a_lattice_is_represented_by_its_cell(lattice: Path) -> None:
    """Oracle: separate columns have the modulus of their area fraction. The threshold is the threshold of the whole
    image."""
    reported = rev(lattice, "--edges", "4,8,16", "--places", "3")
    assert "representative within 5 % from an edge of 0.08 mm" in reported
    answer = json.loads((lattice / "rev" / "convergence.json").read_text())
    follows_schema(answer, "rev")
    modulus = next(a for a in answer["answers"] if a["key"] == "apparent_modulus_MPa")
    assert [s["cubes"] for s in modulus["steps"]] == [3, 3, 1]
    assert modulus["represented_from_mm"] == pytest.approx(4 * 0.02)
    for step in modulus["steps"]:
        assert step["mean"] == pytest.approx(modulus["steps"][-1]["mean"], rel=1e-3)
        assert (step["sd"] is None) == (step["cubes"] == 1)
    assert not [a for a in answer["answers"] if a["unit"] in ("N", "N/mm")]
    with (lattice / "rev.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 7 and {row["status"] for row in rows} == {"done"}
    assert len({row["segmentation.threshold [1]"] for row in rows}) == 1
    page = (lattice / "rev" / "rev.html").read_text()
    assert "Apparent modulus" in page and "<polyline" in page
    assert "7 of 7 done (7 before)" in rev(lattice, "--edges", "4,8,16", "--places", "3")


def test_a_job_array_makes_the_same_table(lattice: Path) -> None:
    """Oracle: the queue of this machine."""
    rev(lattice, "--edges", "8,16", "--places", "1", "--out", "one.csv")
    assert "2 tasks" in rev(lattice, "--edges", "8,16", "--places", "1", "--out", "two.csv", "--slurm")
    as_slurm_would(lattice, lattice / "two" / "rev.sbatch", 2)
    assert (lattice / "two.csv").read_bytes() == (lattice / "one.csv").read_bytes().replace(b"one/", b"two/")
    one, two = (json.loads((lattice / name / "convergence.json").read_text()) for name in ("one", "two"))
    assert one == two


def test_cubes_that_fail_are_told_and_represent_nothing(lattice: Path) -> None:
    """The cubes of 4^3 voxels in the empty half contain no solid."""
    image = np.load(lattice / "image.npy")
    image[:, 8:] = 0
    np.save(lattice / "image.npy", image)
    reported = rev(lattice, "--edges", "4,8,16", "--places", "64", code=3)
    assert "incomplete" in reported and "at none of these edges" in reported


def test_what_is_refused(lattice: Path) -> None:
    for words, printed in (
        (["--edges", "4,x"], "must be numbers of voxels"),
        (["--edges", "4,17"], "must be from 2 to 16"),
        (["--tolerance", "2"], "must be in (0, 1)"),
        (["--set", "image.coarsen=2", "--set", "segment.threshold=40"], "remove it"),
    ):
        assert printed in rev(lattice, *words, code=2)
    script = osteon("rev", str(ROOT / "examples" / "voxfe" / "cantilever.script"), folder=lattice)
    assert script.returncode == 2 and "is a model of another program" in script.stderr


def test_places_do_not_overlap_and_lie_inside() -> None:
    shape = (40, 33, 21)
    for edge in (5, 8, 20, 21):
        for most in (1, 3, 7, 1000):
            corners = corners_of(edge, shape, most)
            assert len(set(corners)) == len(corners) == min(most, np.prod([n // edge for n in shape]))
            seen = np.zeros(shape, int)
            for low in corners:
                assert all(at >= 0 and at + edge <= n for at, n in zip(low, shape, strict=True))
                seen[tuple(slice(at, at + edge) for at in low)] += 1
            assert seen.max() == 1


def test_edges_and_crops() -> None:
    assert edges_of("", (100, 90, 80)) == [10, 20, 40, 80] and edges_of("9,3", (9, 9, 9)) == [3, 9]
    with pytest.raises(UsageError, match="set --edges"):
        edges_of("", (100, 100, 9))
    model = {"image": {"shape": [4, 4, 4], "path": "i", "crop_voxels": [[1, 5], [2, 6], [3, 7]]}, "segmentation": {}}
    assert items_of("j", model, [4], 8)[0].arguments[1] == "image.crop_voxels=[[1, 5], [2, 6], [3, 7]]"
    assert isinstance(items_of("j", model, [2], 8)[7], Item)


def test_an_edge_represents_if_all_larger_ones_do() -> None:
    def step(edge: int, *numbers: float, failed: int = 0) -> Step:
        return Step(edge, edge / 10, numbers, failed)

    good = [step(1, 5, 15), step(2, 9.9, 10.1), step(4, 9.9, 10.2), step(8, 10.0)]
    assert size_that_represents(good, 0.05) == 0.2
    assert size_that_represents([good[1], step(3, 5, 15), good[2], good[3]], 0.05) == 0.4
    assert size_that_represents([*good[:2], step(4, 9.9, 10.2, failed=1), good[3]], 0.05) is None
    assert size_that_represents([step(4, 10.0), good[3]], 0.05) is None  # a single cube has no spread
    assert size_that_represents(good[3:], 0.05) is None
