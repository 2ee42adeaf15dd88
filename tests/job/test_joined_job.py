"""Tests of a small job over Open MPI and MPICH by `osteon join`, as run by CI. Answer, pictures and report are compared
with those of one rank."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from joined_job import PLANES, has_same_answer_and_pictures, has_same_viewer, image_for
from two_mpis import BRIDGED, join
from whole_job import BINARY, ROOT, Job, job_text


@pytest.fixture
def bridged() -> Path:
    if BRIDGED == BINARY or not BRIDGED.exists():
        pytest.skip("osteon over the bridge's ABI is not built (preset abi-test); ./run test builds it")
    return BRIDGED


@pytest.mark.parametrize("physics", ["elasticity", "flow"])
def test_a_joined_job_has_the_answer_the_pictures_and_the_report_of_a_plain_one(
    job: Job, sponge: Path, tmp_path: Path, bridged: Path, physics: str
) -> None:
    """Oracle: the same program on one rank of Open MPI. The picture of elasticity is a surface. Its edges result from a
    reduction of unsigned integers. The picture of a flow also has a cut."""
    job.write(job_text(image_for(physics, sponge), physics, PLANES))
    plain = subprocess.run(
        [ROOT / "tools" / "mpirun.sh", "1", bridged, "run", "job.toml", "--output", "alone"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=tmp_path,
    )
    assert plain.returncode == 0, plain.stdout + plain.stderr
    done = join(tmp_path, bridged, "run", "job.toml", "--output", "both")
    assert done.returncode == 0, done.stdout + done.stderr
    has_same_answer_and_pictures(tmp_path / "both", tmp_path / "alone", physics)
    has_same_viewer(tmp_path / "both", tmp_path / "alone")
