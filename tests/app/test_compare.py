"""`osteon compare` with real jobs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from whole_job import Job, follows_schema, job_text, osteon


@pytest.fixture(scope="module")
def two(shared_job: Job) -> Path:
    """The folders a.out and b.out contain results for one block. The material of b is twice as stiff."""
    job = shared_job
    np.save(job.folder / "block.npy", np.full((8, 8, 8), 200, np.uint8))
    job.write(job_text("block.npy", more="[segment]\nthreshold = 100\n"))
    for name, more in (("a", ()), ("b", ("--set", "material[1].youngs_modulus_MPa=13658"))):
        done = job.run("-n", "1", "--no-report", "--quiet", "-o", f"{name}.out", *more)
        assert done.code == 0, done.err
    return job.folder


def test_a_material_twice_as_stiff(two: Path) -> None:
    """Oracle: linear elasticity. All forces and stresses are doubled, and strains are equal."""
    words = [str(two / "a.out"), str(two / "b.out")]
    done = osteon("compare", *words, "--json", str(two / "c.json"), "-o", str(two / "c.html"))
    assert done.returncode == 0, done.stderr
    assert "material[1].youngs_modulus_MPa  6829.0  13658" in done.stdout
    assert "inputs: the same bytes" in done.stdout and f"page: {two}/c.html" in done.stdout
    answer = json.loads((two / "c.json").read_text())
    follows_schema(answer, "compare")
    changes = {a["key"]: a["changes"][0] for a in answer["answers"]}
    for key in ("stiffness_N_per_mm", "apparent_modulus_MPa", "sed_MPa.mean"):
        assert changes[key]["relative"] == pytest.approx(1, rel=1e-5), key
    assert changes["effective_strain.p98"]["relative"] == pytest.approx(0, abs=1e-5)
    fields = {f["name"]: f for f in answer["fields"]}
    assert fields["von_mises"]["changes"][0]["rms"] == pytest.approx(fields["von_mises"]["rms"], rel=1e-5)
    reported = json.loads(osteon("compare", *words, "--no-page", "--json", "-").stdout)
    assert reported == answer


def test_one_folder_is_too_few(two: Path) -> None:
    """Oracle: the usage of the command."""
    done = osteon("compare", str(two / "a.out"))
    assert done.returncode == 2 and "two or more output folders" in done.stderr


def test_a_folder_without_results_is_refused(two: Path) -> None:
    """Oracle: the contract, with exit code 3 and one line."""
    done = osteon("compare", str(two / "a.out"), str(two))
    assert done.returncode == 3 and done.stderr.count("\n") == 1
    assert "summary.json'; pass the output directory of a completed job" in done.stderr
