"""Results in one file for each cluster: ranks of one MPI that take themselves for two clusters, as `osteon join` would tell them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from joined_job import PLANES, has_same_answer_and_pictures, has_same_viewer, image_for
from osteon.report.data import load
from osteon.results.cluster_parts import open_results
from whole_job import BINARY, ROOT, Job, job_text

from osteon import load as load_result


def run(folder: Path, clusters: int, *words: str) -> None:
    """The job on one rank, or on two ranks of each cluster."""
    program = [BINARY, "run", "job.toml", *words]
    command: list[str | Path] = [ROOT / "tools" / "mpirun.sh"]
    if clusters == 1:
        command += ["1", *program]
    for cluster in range(clusters if clusters > 1 else 0):
        command += ["2"] if cluster == 0 else [":", "-np", "2"]
        command += ["-x", f"OSTEON_WIRE_CLUSTER={cluster}", *program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("physics", ["elasticity", "flow", "heat"])
def test_a_job_in_parts_has_the_answer_the_pictures_and_the_report_of_one_file(
    job: Job, sponge: Path, tmp_path: Path, physics: str
) -> None:
    """Oracle: the same job on one rank, which writes one file."""
    lines = "streamlines = 20\n" if physics == "heat" else ""
    job.write(job_text(image_for(physics, sponge), physics, PLANES) + lines)
    run(tmp_path, 1, "--output", "alone")
    run(tmp_path, 2, "--output", "both")
    both = tmp_path / "both"
    assert sorted(path.name for path in both.glob("results*.nc")) == ["results.0.nc", "results.1.nc"]
    assert (both / "cut.png").exists() == (physics != "elasticity") == (tmp_path / "alone/cut.png").exists()
    has_same_answer_and_pictures(both, tmp_path / "alone", physics)
    has_same_viewer(both, tmp_path / "alone")


def test_parts_are_read_as_one_file_and_a_missing_one_is_named(job: Job, sponge: Path, tmp_path: Path) -> None:
    """Oracle: the fields of one rank, nodes between the clusters included; without a part, a note that names it."""
    job.write(job_text(sponge, "elasticity", PLANES) + "enabled = false\n")
    run(tmp_path, 1, "--output", "alone", "--no-report")
    run(tmp_path, 2, "--output", "both", "--no-report")
    both = tmp_path / "both"
    with open_results(tmp_path / "alone/results.nc") as one, open_results(both / "results.nc") as parts:
        assert set(parts) == set(one)
        for name in one:
            high = np.nanmax(np.abs(one[name]))
            np.testing.assert_allclose(parts[name], one[name], rtol=1e-4, atol=1e-4 * high, err_msg=name)
    fields = load_result(both).fields
    assert fields["displacement"].shape == load_result(tmp_path / "alone").fields["displacement"].shape
    (both / "results.1.nc").rename(tmp_path / "elsewhere.nc")
    result = load(both)
    assert result.fields == []
    assert any("results.1.nc' is not here" in note and "2 clusters" in note for note in result.notes)
