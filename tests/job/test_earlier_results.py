"""Tests of earlier results on file systems whose operations fail. No earlier results are lost."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from whole_job import Job, job_text

MACHINE = 5


@pytest.fixture(scope="session")
def failing_rename(tmp_path_factory: pytest.TempPathFactory) -> Path:
    library = tmp_path_factory.mktemp("rename") / "failing_rename.so"
    source = Path(__file__).with_name("failing_rename.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    return library


@pytest.fixture
def done(job: Job) -> Job:
    """A job with results, including a folder of steps."""
    np.save(job.folder / "block.npy", np.full((4, 4, 4), 200, np.uint8))
    text = job_text("block.npy", "heat", more="[segment]\nthreshold = 100\n")
    job.write(text.replace("[picture]", "[picture]\nenabled = false"))
    assert job.run("-n", "1", "--no-report").code == 0
    (job.folder / "job.out/steps").mkdir()
    (job.folder / "job.out/steps/step_0001.nc").write_text("a step")
    return job


def files_of(*folders: Path) -> dict[str, bytes]:
    """Return name and content of each file of an earlier job, in any folder."""
    found = {}
    for folder in folders:
        for path in folder.rglob("*"):
            if path.is_file() and not path.name.startswith(("model", ".")):
                found[str(path.relative_to(folder))] = path.read_bytes()
    return found


def failing(job: Job, library: Path, code: int, step: int, **more: str) -> None:
    job.environment = {
        "LD_PRELOAD": str(library),
        "FAILING_NAME": "job.out/",
        "FAILING_ERRNO": str(code),
        "FAILING_STEP": str(step),
        **more,
    }


@pytest.mark.parametrize("links", [True, False], ids=["hard links", "no hard links"])
@pytest.mark.parametrize("code", [errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EBUSY], ids=errno.errorcode.get)
def test_a_file_that_cannot_be_renamed(done: Job, failing_rename: Path, code: int, links: bool) -> None:
    """Oracle: names and bytes of all previous files, in their previous place."""
    out = done.folder / "job.out"
    before = files_of(out)
    for name in ("summary.json", "manifest.json", "results.nc", "results.xdmf", "steps"):
        held = {"FAILING_NAME": f"job.out/{name}", "FAILING_ALWAYS": "1", **({} if links else {"NO_LINKS": "1"})}
        failing(done, failing_rename, code, 1, **held)
        again = done.run("-n", "1", "--no-report", "--quiet")
        assert again.code == MACHINE, again.err
        assert "cannot move the results of an earlier job" in again.err
        assert os.strerror(code) in again.err
        assert files_of(out) == before, (name, again.err)
        assert not list(done.folder.glob("job.out.*")), "a folder without results would claim to hold some"


@pytest.mark.parametrize("links", [True, False], ids=["hard links", "no hard links"])
def test_a_rename_that_fails_once(done: Job, failing_rename: Path, links: bool) -> None:
    """Oracle: names and bytes of all previous files. If the run fails, these files are in the folder. Otherwise, they
    are in one of the two new folders."""
    out, beside, inside = (done.folder / name for name in ("job.out", "job.out.1", "job.out/earlier.1"))
    before = files_of(out)
    shutil.copytree(out, done.folder / "copy")
    used_inside = 0
    for step in range(1, 16):
        failing(done, failing_rename, errno.EIO, step, **({} if links else {"NO_LINKS": "1"}))
        again = done.run("-n", "1", "--no-report", "--quiet")
        if again.code == 0:
            used_inside += inside.exists()
            assert files_of(inside if inside.exists() else beside) == before, step
        else:
            assert again.code == MACHINE, again.err
            assert files_of(out) == before, (step, again.err)
        for folder in (out, beside):
            shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(done.folder / "copy", out)
    assert used_inside >= 5, "a place that cannot be completed is given up for the next"


def test_earlier_results_that_cannot_be_moved_back(done: Job, failing_rename: Path) -> None:
    """Oracle: names and bytes of all previous files, in one of two folders. The message names the second folder."""
    out, place = done.folder / "job.out", done.folder / "job.out.1"
    before = files_of(out)
    failing(done, failing_rename, errno.EIO, 3, FAILING_NAME="job.out", FAILING_ALWAYS="1", NO_LINKS="1")
    again = done.run("-n", "1", "--no-report", "--quiet")
    assert again.code == MACHINE
    assert "2 of" in again.err
    assert "could not be restored and remain in" in again.err
    assert files_of(place)
    assert files_of(out, place) == before
