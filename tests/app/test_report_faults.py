"""Tests of reports that cannot be written. The program prints one sentence, returns the exit code of the cause, and
leaves results unchanged."""

from __future__ import annotations

import json
import shutil
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from whole_job import osteon

JOB = (
    'name = "job"\n[image]\npath = "scan.npy"\nspacing_mm = 1.0\n[segment]\nthreshold = 100\n[[material]]\n'
    'youngs_modulus_MPa = 1.0\npoisson_ratio = 0.3\n[load]\ntest = "axial_bonded"\n[picture]\nenabled = false\n'
)


def make(folder: Path) -> None:
    np.save(folder / "scan.npy", np.full((6, 6, 6), 200, "u1"))
    (folder / "job.toml").write_text(JOB)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("finished")
    make(folder)
    done = osteon("run", "job.toml", "--no-report", folder=folder, timeout=300)
    assert done.returncode == 0, done.stderr
    return folder / "job.out"


@pytest.mark.parametrize("name", ["manifest.json", "summary.json"])
def test_a_document_that_cannot_be_read(finished: Path, tmp_path: Path, name: str) -> None:
    """Oracle: the reason of the system for a folder in place of the file (EISDIR), and the exit code of a machine
    error."""
    folder = tmp_path / "job.out"
    shutil.copytree(finished, folder)
    (folder / name).unlink()
    (folder / name).mkdir()
    done = osteon("report", str(folder), timeout=300)
    assert done.returncode == 5 and done.stderr.count("\n") == 1, done.stderr
    assert f"{name}' cannot be read: Is a directory" in done.stderr
    assert not (folder / "report.html").exists()


@pytest.mark.parametrize(
    ("code", "sentence", "expected"),
    [
        (5, "cannot read 'results.nc': Input/output error", 5),
        (3, "'results.nc' is damaged", 3),
        (5, "the Python package 'matplotlib' is missing; pip installs it", 0),
    ],
)
def test_a_run_whose_report_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, sentence: str, expected: int
) -> None:
    """Oracle: the contract. The exit code is that of the cause, except for a package that only the report requires. The
    numbers are printed."""
    make(tmp_path)
    python = tmp_path / "python"
    python.write_text(
        f'#!/bin/sh\ncase "$*" in *osteon.report*) echo "{sentence}" >&2; exit {code};; esac\nexec {sys.executable} "$@"\n'
    )
    python.chmod(0o755)
    monkeypatch.setenv("OSTEON_PYTHON", str(python))
    done = osteon("run", "job.toml", "--json", "answer.json", folder=tmp_path, timeout=300)
    assert done.returncode == expected, done.stderr
    assert sentence in done.stderr and "Traceback" not in done.stderr
    assert ("osteon: the results are complete, but writing the report failed: " in done.stderr) == (expected != 0)
    assert "stiffness" in done.stdout and json.loads((tmp_path / "answer.json").read_text())["stiffness_N_per_mm"] > 0
    assert (tmp_path / "job.out" / "results.nc").exists()


@pytest.mark.parametrize("name", ["manifest.json", "summary.json"])
def test_long_texts_are_cut(finished: Path, tmp_path: Path, name: str) -> None:
    """Oracle: the processor time and the size of the page without the long texts."""
    from osteon.report.page import page_of

    folder = tmp_path / "job.out"
    shutil.copytree(finished, folder)

    def made() -> tuple[int, float]:
        begin = time.process_time()
        page = page_of(folder)
        return len(page), time.process_time() - begin

    made()
    size, seconds = made()
    document = json.loads((folder / name).read_text())
    kept = ("schema", "image", "shown")

    def long(value: object, key: str = "") -> object:
        if isinstance(value, dict):
            return {k: v if k in kept else long(v, k) for k, v in value.items()}
        if isinstance(value, list):
            return [long(inner) for inner in value]
        return "a b<\n" * 200_000 if isinstance(value, str) and key not in ("physics", "key") else value

    text = long(document)
    if name == "summary.json" and "title" in text.get("shown", {}):
        text["shown"] = {**document["shown"], "title": "t" * 1_000_000, "units": "u" * 1_000_000}
    (folder / name).write_text(json.dumps(text))
    long_size, long_seconds = made()
    assert long_seconds < 3 * seconds + 5
    assert long_size < size + 8_000_000
