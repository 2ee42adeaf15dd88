"""Tests with files in the folder of a job whose names are names of Python modules. No command ever executes these
files."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from whole_job import BINARY, ROOT, job_text

# Standard modules and packages that readers, report, batch and studio import.
NAMES = (
    "struct", "json", "random", "copy", "string", "code", "types", "tempfile", "zlib", "hashlib", "csv", "email", "queue",
    "select", "platform", "argparse", "dataclasses", "tomllib", "shutil", "subprocess", "numpy", "h5py", "hdf5plugin",
    "netCDF4", "tifffile", "matplotlib", "PIL", "scipy", "tomli_w", "osteon", "sitecustomize", "usercustomize",
)  # fmt: skip


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A job and its results."""
    tmp_path = tmp_path_factory.mktemp("finished")
    values = np.where(np.indices((8, 8, 8)).sum(axis=0) < 16, 200, 10).astype(np.uint8)
    np.save(tmp_path / "im.npy", values)
    text = job_text("im.npy", "heat", more="[segment]\nthreshold = 100\n").replace(
        "[picture]", "[picture]\nenabled=false"
    )
    (tmp_path / "job.toml").write_text(text)
    import h5py

    with h5py.File(tmp_path / "im.h5", "w") as file:
        file["image"] = values
    (tmp_path / "h5.toml").write_text(text.replace("im.npy", "im.h5"))
    run(tmp_path, "run", "job.toml", "-n", "1", "--no-report")
    return tmp_path


@pytest.fixture
def folder(finished: Path, tmp_path: Path) -> Path:
    """The job, its results, and modules that create a marker file and fail."""
    shutil.copytree(finished, tmp_path, dirs_exist_ok=True)
    for name in NAMES:
        (tmp_path / f"{name}.py").write_text(
            f"open({str(tmp_path / 'ran')!r}, 'a').write({name!r})\nraise SystemExit(9)\n"
        )
    return tmp_path


def run(folder: Path, *words: str, is_to_work: bool = True, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "OSTEON_PYTHON": sys.executable, "PYTHONPATH": str(ROOT / "python"), **more}
    done = subprocess.run(
        [str(BINARY), *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode in ((0,) if is_to_work else (0, 2, 3, 4, 5)), (words, done.stderr)
    return done


COMMANDS = [
    "run job.toml -n 1 --force",
    "run h5.toml -n 1 --no-report -o h5.out",
    "check job.toml",
    "check h5.toml",
    "estimate job.toml",
    "import h5.toml -o other.nc",
    "new im.npy -o made.toml",
    "verify job.out/results.nc",
    "morphometry job.toml",
    "report job.out",
    "export job.out/results.nc -o t.vtu",
    "export job.out/results.nc -o t.nrrd --field temperature",
    "compare job.out job.out",
    "render job.out/results.nc --width 420 --height 420 -o p.png",  # with labels in the report
    "batch job.toml --out batch.out --no-report",
]
# Python programs that, after their imports, reject a job of this kind or an image of this size.
REFUSED = [
    "cohort im.npy --protocol rock --out cohort.csv --no-report --set image.spacing_mm=0.1",
    "rev job.toml --out rev.out --no-report",
    "loads job.out --target 1",
]


@pytest.mark.parametrize("command", COMMANDS + REFUSED)
def test_modules_beside_a_job_are_not_executed(folder: Path, command: str) -> None:
    """Oracle: no module has created its marker file."""
    run(folder, *command.split(), is_to_work=command in COMMANDS)
    assert not (folder / "ran").exists(), (folder / "ran").read_text()


def test_an_empty_element_of_the_path_is_not_the_folder_of_the_job(folder: Path) -> None:
    """`export PYTHONPATH=$PYTHONPATH:/x` leaves an empty entry, which Python interprets as the working directory.
    Oracle: no marker file exists."""
    for path in (f":{ROOT / 'python'}", f"{ROOT / 'python'}:", f"{ROOT / 'python'}::/nonexistent"):
        run(folder, "check", "h5.toml", PYTHONPATH=path)
        assert not (folder / "ran").exists(), path


def test_the_zstd_filter_is_not_looked_for_in_the_folder_of_the_job(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If neither the library nor the package provides the filter, the run is rejected after the search."""
    monkeypatch.delenv("HDF5_PLUGIN_PATH", raising=False)
    words = ("run", "job.toml", "-n", "1", "--no-report", "--force", "--set", 'io.compression="zstd"')
    run(folder, *words, is_to_work=False)
    assert not (folder / "ran").exists()


def test_programs_that_the_package_starts(folder: Path) -> None:
    """An HDF5 image that Python reads in a separate process."""
    script = "from osteon.images.read_image import read_image\nprint(read_image('im.h5').values.shape)\n"
    done = subprocess.run(
        [sys.executable, "-P", "-c", script],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "(8, 8, 8)\n"
    assert not (folder / "ran").exists()
