"""`osteon cohort` with real jobs. The queue, the interruption and the page are those of `osteon batch`, which
test_batch.py tests."""

from __future__ import annotations

import csv
import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from osteon.batch.cohort_item import doubts_in
from whole_job import follows_schema, osteon

COMPARTMENTS = ["--compartment", "cortical={}_parts.npy:1", "--compartment", "trabecular={}_parts.npy:2"]
SET = ["--set", "picture.enabled=false", "--set", "material[1].youngs_modulus_MPa=1000"]
SET += ["--set", "material[1].poisson_ratio=0.3"]


def cohort(folder: Path, *words: str, code: int = 0, ranks: int = 1) -> str:
    more = ["--no-report", "-n", str(ranks), "-p", "solid", *SET]
    done = osteon("cohort", *words, *more, folder=folder, timeout=300)
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


def rows_of(path: Path) -> dict[str, dict[str, str]]:
    with path.open(newline="") as file:
        return {row["item"]: row for row in csv.DictReader(file)}


@pytest.fixture
def scans(tmp_path: Path) -> Path:
    """The images a, b and d contain a wall around rods of two thicknesses. The rod of a has a pore. The image c is
    truncated, and d has larger voxels."""
    nrrd = pytest.importorskip("nrrd")
    parts = np.ones((10, 20, 20), np.uint8)
    parts[:, 4:-4, 4:-4] = 2
    for name, rod, edge in (("a", 4, 0.1), ("b", 6, 0.1), ("d", 4, 0.2)):
        image = np.where(parts == 1, 200, 10).astype(np.uint8)
        image[:, 6 : 6 + rod, 6 : 6 + rod] = 220
        image[5, 10, :] = 220  # connects the rod to the wall
        image[4:6, 1:3, 9:11] = 10 if name == "a" else 200
        # the values are grey values, not labels
        image += (np.arange(image.size).reshape(image.shape) % 7).astype(np.uint8)
        nrrd.write(str(tmp_path / f"{name}.nrrd"), image, {"spacings": [edge] * 3}, index_order="C")
        np.save(tmp_path / f"{name}_parts.npy", parts)
    (tmp_path / "c.nrrd").write_bytes((tmp_path / "a.nrrd").read_bytes()[:300])
    np.save(tmp_path / "c_parts.npy", parts)
    return tmp_path


NAMES = [f"{name}.nrrd" for name in "abcd"]


def test_a_row_a_scan_with_units_quality_and_reasons(scans: Path) -> None:
    """Oracle: pore fractions determined by hand. Two ranks write identical bytes. A second run computes no scan."""
    reported = cohort(scans, *NAMES, *COMPARTMENTS, "--out", "one.csv", "--json", "one.json", code=3)
    rows = rows_of(scans / "one.csv")
    assert [row["status"] for row in rows.values()] == ["done", "done", "failed", "done"]
    assert rows["c"]["reason"] and "3 of 4 done, 1 failed" in reported
    wall = 10 * (20**2 - 12**2)
    pores = "morphometry.compartments.cortical.Ct_Po [1]"
    assert [float(rows[name][pores]) for name in "abd"] == [pytest.approx(8 / wall, rel=1e-5), 0, 0]
    thickness = "morphometry.compartments.trabecular.Tb_Th_mm.mean [mm]"
    assert float(rows["d"][thickness]) == pytest.approx(2 * float(rows["a"][thickness]), rel=1e-5)
    assert float(rows["a"]["stiffness_N_per_mm [N/mm]"]) > 0
    assert rows["a"]["segmentation.dropped_islands [1]"] == "0"
    assert "1 of 3 scans have a voxel size other than 0.1 x 0.1 x 0.1 mm: d;" in reported
    assert "have a voxel size other than" in (scans / "one" / "cohort.html").read_text()
    follows_schema(json.loads((scans / "one.json").read_text()), "batch")

    masks = [f"{name}_parts.npy" for name in "abcd"]  # the names are in the order in which a shell expands a pattern
    cohort(scans, *NAMES, *masks, *COMPARTMENTS, "--out", "two.csv", code=3, ranks=2)
    assert (scans / "two.csv").read_bytes() == (scans / "one.csv").read_bytes().replace(b"one/", b"two/")
    times = {n: (scans / f"one/{n}.out/results.nc").stat().st_mtime_ns for n in "abd"}
    again = cohort(scans, *NAMES, *COMPARTMENTS, "--out", "one.csv", code=3)
    assert "3 of 4 done (3 before)" in again
    assert times == {n: (scans / f"one/{n}.out/results.nc").stat().st_mtime_ns for n in "abd"}


def as_slurm_would(folder: Path, array: Path, tasks: int) -> None:
    """Run each task of a job array, then the collecting command. The exit codes are those of the items."""
    for n in range(1, tasks + 1):
        environment = {**os.environ, "SLURM_ARRAY_TASK_ID": str(n)}
        subprocess.run(["bash", str(array)], cwd=folder, env=environment, timeout=120, check=False, capture_output=True)
    collect = array.parent / "collect.sbatch"
    subprocess.run(["bash", str(collect)], cwd=folder, timeout=120, check=False, capture_output=True)


def test_a_job_array_makes_the_same_table(scans: Path) -> None:
    """Oracle: the queue of this machine. The test runs the scripts one after another, whereas Slurm would run them
    concurrently."""
    names = ["a.nrrd", "c.nrrd"]  # one image is computed, and one image is rejected
    cohort(scans, *names, *COMPARTMENTS, "--out", "one.csv", code=3)
    reported = cohort(scans, *names, *COMPARTMENTS, "--out", "two.csv", "--slurm", "--slurm-line", "--time=01:00:00")
    assert "2 tasks" in reported and "osteon cohort ... --slurm --submit" in reported
    array = scans / "two" / "cohort.sbatch"
    assert "#SBATCH --array=1-2\n" in array.read_text() and "#SBATCH --time=01:00:00\n" in array.read_text()
    assert not (scans / "two.csv").exists()
    as_slurm_would(scans, array, 2)
    assert (scans / "two.csv").read_bytes() == (scans / "one.csv").read_bytes().replace(b"one/", b"two/")


def test_what_cannot_be_a_cohort_is_refused(scans: Path) -> None:
    for words, reported in (
        (["a.nrrd", "a.nrrd"], "is given twice"),
        (["none.nrrd"], "no image 'none.nrrd'"),
        (["a.nrrd", "--compartment", "cortical:{}.npy"], "must be KIND=PATH:LABEL"),
        (["a.nrrd", "--compartment", "cortex={}.npy:1"], "must be KIND=PATH:LABEL"),
    ):
        assert reported in cohort(scans, *words, code=2)
    assert not (scans / "cohort").exists()
    assert "no protocol 'none'; known protocols: " in osteon("cohort", "a.nrrd", "-p", "none", folder=scans).stderr
    reported = cohort(scans, "b.nrrd", "--compartment", "cortical={}_no.npy:1", code=3)
    assert "'b_no.npy', the compartment cortical of 'b.nrrd', does not exist" in reported


def test_doubts_are_read_from_the_job(tmp_path: Path) -> None:
    job = tmp_path / "job.toml"
    job.write_text("a = 1\n\n# Before the first run:\n# doubt: one\n#   more\n# decide: two\n#   no\n# doubt: three\n")
    assert doubts_in(job) == ["one more", "three"]
    job.write_text("# doubt: of nothing\n")
    assert doubts_in(job) == doubts_in(tmp_path / "none.toml") == []
