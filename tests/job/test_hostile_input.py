"""Files and arguments designed to do harm. Oracle: the only effects are a plain message and an exit code."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from whole_job import BINARY, Job, job_text

ESCAPE = "\x1b]0;title\x07\x1b[31m"


def osteon(*arguments: object, cwd: Path, **more: object) -> subprocess.CompletedProcess[bytes]:
    if not BINARY.exists():
        pytest.skip(f"{BINARY} is not built")
    return subprocess.run(
        [str(BINARY), *map(str, arguments)], capture_output=True, timeout=120, check=False, cwd=cwd, **more
    )


def test_no_text_of_others_acts_on_the_terminal(tmp_path: Path) -> None:
    """Names, keys, headers, paths and arguments with ECMA-48 escape sequences, as passed to a terminal."""
    job = tmp_path / "job.toml"
    quoted = json.dumps(ESCAPE)
    np.save(tmp_path / f"a{ESCAPE}.npy", np.zeros((2, 2, 2), "u1"))
    (tmp_path / "a.mha").write_text(
        f"ObjectType = Image\nNDims = 3\nDimSize = 2 2 2\nElementType = {ESCAPE}\nElementDataFile = LOCAL\n"
    )
    (tmp_path / f"x{ESCAPE}.nc").write_text("no")
    shutil.copy(tmp_path / f"x{ESCAPE}.nc", tmp_path / "results.nc")
    texts = {
        "key": f"{quoted} = 1\n",
        "value": f"physics = {quoted}\n",
        "name": f"name = {quoted}\n",
        "path": f"[image]\npath = {quoted}\n",
        "syntax": f"a = {ESCAPE}\n",
        "comment": f"# {ESCAPE}\n\x9b31m = 1\n",
    }
    runs: list[tuple[int, tuple[object, ...]]] = []
    for command in ("check", "run", "join"):
        for text in texts.values():
            runs.append((2, (command, text)))
    runs += [
        (3, ("run", job_text(f"a{ESCAPE}.npy".replace("\x1b", "\\u001b").replace("\x07", "\\u0007")))),
        (3, ("run", job_text("a.mha"))),
    ]
    for code, (command, text) in runs:
        job.write_bytes(str(text).replace("\x9b", "X").encode().replace(b"X31m", b"\x9b31m"))
        more = ["--", "true"] if command == "join" else []
        done = osteon(command, job, *more, cwd=tmp_path)
        assert done.returncode == code, (command, text, done)
        assert b"\x1b" not in done.stdout + done.stderr and b"\x9b" not in done.stdout + done.stderr, done
    for words in (
        ["verify", f"x{ESCAPE}.nc"],
        ["render", f"x{ESCAPE}.nc"],
        [ESCAPE],
        ["run", f"--{ESCAPE}"],
        ["report", ESCAPE],
    ):
        done = osteon(*words, cwd=tmp_path)
        assert done.returncode in (2, 3), done
        assert b"\x1b" not in done.stdout + done.stderr, done


@pytest.mark.parametrize("command", ["check", "run", "join"])
def test_a_key_of_many_parts_is_a_fault_and_no_crash(tmp_path: Path, command: str) -> None:
    """Oracle: exit code 2 and the line. A recursive parser would end by a signal."""
    (tmp_path / "job.toml").write_text("name = 'x'\n" + "a." * 40000 + "a = 1\n")
    done = osteon(command, "job.toml", *(["--", "true"] if command == "join" else []), cwd=tmp_path)
    assert done.returncode == 2 and b"job.toml:2: a key has more parts than" in done.stdout + done.stderr, done


def test_a_name_does_not_lead_elsewhere(tmp_path: Path) -> None:
    """Oracle: the folders that exist before and after the command."""
    inner = tmp_path / "inner"
    inner.mkdir()
    np.save(inner / "a.npy", np.full((3, 3, 3), 200, "u1"))
    for name in ("../evil", str(tmp_path / "evil"), "a/b", ".."):
        (inner / "job.toml").write_text(f'name = "{name}"\n' + job_text("a.npy"))
        done = osteon("run", "job.toml", cwd=inner)
        assert done.returncode == 2 and b"job.toml:1: name: '" in done.stderr, done
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["a.npy", "inner", "job.toml"]


TALKS = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  int (*real)(int*, char***, int, int*) = (int (*)(int*, char***, int, int*))dlsym(RTLD_NEXT, "MPI_Init_thread");
  printf("a library says hello on standard output\n");
  fflush(stdout);
  return real(argc, argv, required, provided);
}
"""


def test_json_is_alone_on_standard_output(job: Job, sponge: Path) -> None:
    """Oracle: the parser of Python. A library that prints in every process writes to standard error."""
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler to make a library that talks")
    source = job.folder / "talks.c"
    source.write_text(TALKS)
    library = job.folder / "talks.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True, timeout=60)
    job.environment = {"LD_PRELOAD": str(library)}
    job.write(job_text(sponge))
    done = job.run("-n", "2", "--no-report", "--json", "-")
    assert done.code == 0 and json.loads(done.out)["schema"] == "osteon.summary/1", done
    assert "a library says hello" in done.err
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"} | job.environment
    picture = osteon(
        *("render", done.folder / "results.nc", "--width", 32, "--height", 32, "--json", "-"),
        cwd=job.folder,
        env=environment,
    )
    assert json.loads(picture.stdout)["schema"] == "osteon.render/1" and b"says hello" in picture.stderr
