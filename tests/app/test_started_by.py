"""Tests of data that started ranks receive. The data are an argument of their command line and not an environment
variable."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import numpy as np
import pytest
from whole_job import Job, job_text, osteon

LAUNCHER = """#!/bin/sh
# Says what it was asked to start, and starts it as mpirun does.
env | grep '^OSTEON_' | sort > {folder}/environment
printf '%s\\n' "$@" > {folder}/words
exec mpirun "$@"
"""


def test_ranks_are_told_by_one_word(job: Job, sponge: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    launcher = tmp_path / "launcher"
    launcher.write_text(LAUNCHER.format(folder=tmp_path))
    launcher.chmod(0o755)
    monkeypatch.setenv("OSTEON_MPIRUN", str(launcher))
    given = sorted(name for name in os.environ if name.startswith("OSTEON_"))
    job.write(job_text(sponge))
    done = job.run("-n", "2")
    assert done.code == 0, done.err
    names = [line.partition("=")[0] for line in (tmp_path / "environment").read_text().splitlines()]
    # The ranks remove this variable after MPI_Init, so that programs that they start do not inherit it.
    assert names == sorted([*given, "OSTEON_GIVEN_TMPDIR"])
    words = (tmp_path / "words").read_text().splitlines()
    assert words[:2] == ["-np", "2"]
    assert words[3].startswith("--started-by=2,file,")
    assert words[4] == "run"


def test_ranks_read_no_byte_of_the_images(
    job: Job, sponge: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Oracle: hashlib. The launcher removes the scan and the labels before it starts the ranks."""
    labels = tmp_path / "labels.npy"
    launcher = tmp_path / "launcher"
    launcher.write_text(f'#!/bin/sh\nrm {sponge} {labels}\nexec mpirun "$@"\n')
    launcher.chmod(0o755)
    monkeypatch.setenv("OSTEON_MPIRUN", str(launcher))
    np.save(labels, np.ones((18, 15, 14), np.uint8))
    bytes_of_scan, bytes_of_labels = sponge.read_bytes(), labels.read_bytes()
    more = f'[output]\nmorphometry = true\n[[compartment]]\nname = "all"\nkind = "total"\nimage = "{labels}"\nlabels = [1]\n'
    job.write(job_text(sponge, more=more))
    done = job.run("-n", "2")
    assert done.code == 0, done.err
    assert not sponge.exists()
    digest = hashlib.sha256(bytes_of_scan).hexdigest()
    assert done.summary["image"]["sha256"] == digest
    # The results belong to this scan and these labels. With both files restored, the job is complete.
    sponge.write_bytes(bytes_of_scan)
    labels.write_bytes(bytes_of_labels)
    again = job.run("-n", "2", "--unless-done")
    assert "skipping the computation" in again.err
    labels.write_bytes(bytes_of_labels[:-1] + b"\0")
    changed = job.run("-n", "2", "--unless-done")
    assert changed.code == 0, changed.err
    assert "skipping the computation" not in changed.err


def test_jobs_on_changed_images_name_the_digest_of_the_scan(job: Job, sponge: Path) -> None:
    """Oracle: hashlib."""
    job.write(job_text(sponge, more="[uncertainty]\nvoxel_size = true\n"))
    done = job.run("-n", "2")
    assert done.code == 0, done.err
    digest = hashlib.sha256(sponge.read_bytes()).hexdigest()
    for name in ("voxels_2", "voxels_4"):
        summary = json.loads((done.folder / "uncertainty" / name / "summary.json").read_text())
        assert summary["image"]["sha256"] == digest


@pytest.mark.parametrize(
    "record",
    ["", "2", "x,file,now,host,net,name,,", "0,file,now,host,net,name,,", "2,tty,now,h,n,s,,", "2,file,now,h,n,s"],
)
def test_a_record_that_no_process_writes_is_refused(record: str) -> None:
    done = osteon(f"--started-by={record}", "version")
    assert done.returncode == 2
    assert f"'--started-by={record}' is not a valid record of a parent process" in done.stderr
