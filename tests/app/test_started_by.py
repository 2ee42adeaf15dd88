"""What a process that starts ranks tells them: by a word of their command line, and not by the environment."""

from __future__ import annotations

import os
from pathlib import Path

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
    # The ranks remove this one after MPI_Init, so that nothing of ours is left to programs that they start.
    assert names == sorted([*given, "OSTEON_GIVEN_TMPDIR"])
    words = (tmp_path / "words").read_text().splitlines()
    assert words[:2] == ["-np", "2"]
    assert words[3].startswith("--started-by=2,file,")
    assert words[4] == "run"


@pytest.mark.parametrize("record", ["", "2", "x,file,now,host,net,name", "0,file,now,host,net,name", "2,tty,now,h,n,s"])
def test_a_record_that_no_process_writes_is_refused(record: str) -> None:
    done = osteon(f"--started-by={record}", "version")
    assert done.returncode == 2
    assert f"'--started-by={record}' is not what a process writes for its ranks" in done.stderr
