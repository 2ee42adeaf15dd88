"""Tests on file systems that reject locks (NFS without lockd, some Lustre). Jobs run, and valid files are read."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from whole_job import ROOT, Job, job_text, osteon

MACHINE, DATA = 5, 3
ERRNOS = [errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, 524]


@pytest.fixture(scope="session")
def no_locks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    library = tmp_path_factory.mktemp("locks") / "no_locks.so"
    source = ROOT / "tests/support/no_locks.c"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    return library


@pytest.fixture
def block(job: Job, monkeypatch: pytest.MonkeyPatch) -> Iterator[Job]:
    import h5py

    monkeypatch.delenv("HDF5_USE_FILE_LOCKING", raising=False)
    # The folder for the files of MPI has no lock either. A run of another test, which has locks, would remove this
    # folder.
    with tempfile.TemporaryDirectory(prefix="locks") as folder:
        monkeypatch.setenv("TMPDIR", folder)
        yield made_block(job, h5py)


def made_block(job: Job, h5py: ModuleType) -> Job:
    values = np.where(np.indices((8, 8, 8)).sum(axis=0) < 16, 200, 10).astype(np.uint8)
    with h5py.File(job.folder / "block.h5", "w") as file:
        file["image"] = values
    text = job_text("block.h5", "heat", more="[segment]\nthreshold = 100\n")
    job.write(text.replace("[picture]", "[picture]\nenabled = false"))
    return job


def refusing(library: Path, number: int, **more: str) -> dict[str, str]:
    return {"LD_PRELOAD": str(library), "NO_LOCKS_ERRNO": str(number), **more}


@pytest.mark.parametrize("number", ERRNOS)
@pytest.mark.parametrize("ranks", ["1", "2"])
def test_a_job_runs_without_locks(block: Job, no_locks: Path, number: int, ranks: str) -> None:
    """Oracle: the answer of the same job on a file system with locks."""
    usual = block.run("-n", ranks, "--no-report").summary["flux_W"]
    block.environment = refusing(no_locks, number)
    done = block.run("-n", ranks, "--force")
    assert done.code == 0, done.err
    assert done.summary["flux_W"] == usual
    assert "no report" not in done.err
    assert done.err.count("does not support locks; do not run a second job in this folder") == 1


def test_results_are_read_without_locks(block: Job, no_locks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert block.run("-n", "1", "--no-report").code == 0
    for name, value in refusing(no_locks, errno.ENOLCK).items():
        monkeypatch.setenv(name, value)
    out = "job.out/results.nc"
    for command in (
        f"verify {out}",
        f"render {out} --width 64 --height 64 -o p.png",
        f"export {out} -o t.nrrd --field temperature",
        "report job.out",
        "compare job.out job.out",
        "check job.toml",
        "morphometry job.toml",
    ):
        done = osteon(*command.split(), folder=block.folder)
        assert done.returncode == 0, (command, done.stderr)
    script = (
        f"import osteon; print(osteon.load('job.out').fields['temperature'].shape, osteon.load_fields('{out}').keys())"
    )
    read = subprocess.run(
        [sys.executable, "-c", script],
        cwd=block.folder,
        env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert read.returncode == 0, read.stderr
    assert "(9, 9, 9)" in read.stdout or "(8, 8, 8)" in read.stdout


def test_locks_that_the_user_asks_for(block: Job, no_locks: Path) -> None:
    """HDF5 then rejects the file. Oracle: the message names the variable."""
    assert block.run("-n", "1", "--no-report").code == 0
    block.environment = {"HDF5_USE_FILE_LOCKING": "TRUE"}
    assert block.run("-n", "1", "--no-report", "--force").code == 0, "a file system with locks"
    block.environment = refusing(no_locks, errno.ENOLCK, HDF5_USE_FILE_LOCKING="TRUE")
    refused = block.run("-n", "1", "--no-report", "--force")
    assert refused.code in (MACHINE, DATA)
    assert "HDF5_USE_FILE_LOCKING is set to TRUE" in refused.err
    assert "unset it" in refused.err
    assert "damaged" not in refused.err


def test_results_that_python_writes_without_locks(no_locks: Path, tmp_path: Path) -> None:
    """A job on an array. The Python process writes the files of this job. The variable is not kept for the files of the
    user."""
    script = (
        "import os, numpy, osteon\n"
        "r = osteon.conductivity(numpy.ones((6, 6, 6), 'u1'), spacing_mm=0.1, threshold=0.5, conductivity_W_per_mK=1.0)\n"
        "assert (r.output_directory / 'results.nc').exists()\n"
        "print(osteon.load_fields(r.output_directory / 'results.nc').keys(), os.environ.get('HDF5_USE_FILE_LOCKING'))\n"
    )
    environment = {k: v for k, v in os.environ.items() if k != "HDF5_USE_FILE_LOCKING"}
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env={**environment, "PYTHONPATH": str(ROOT / "python"), **refusing(no_locks, errno.ENOLCK)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.rstrip().endswith("None")
