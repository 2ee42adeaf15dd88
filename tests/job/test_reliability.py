"""Tests of killed writers and failing disks. There are no invalid files, older files are kept, and one message is
printed soon.

OSTEON_RELIABILITY=full kills 50 writers. Otherwise, only a few writers are killed.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import netCDF4
import numpy as np
import pytest
import xxhash
from read_rest import read_rest
from test_bad_input import MACHINE, refused
from whole_job import BINARY, ROOT, Job, job_text

FULL = os.environ.get("OSTEON_RELIABILITY") == "full"
WRITER = ROOT / os.environ.get("OSTEON_BUILD_DIR", "build/release") / "tests" / "osteon_write_again"
FILES = {"model.nc", "sample.nc", "points.checkpoint"}


def children(pid: int) -> list[int]:
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(entry.read_text().rsplit(") ", 1)[1].split()[1]) == pid:
                found.append(int(entry.parent.name))
    return [*found, *(grandchild for child in found for grandchild in children(child))]


def write(folder: Path, ranks: int, *times: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [str(ROOT / "tools/mpirun.sh"), str(ranks), str(WRITER), str(folder), *times],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )


def wait(process: subprocess.Popen[str]) -> int:
    process.communicate(timeout=60)
    return process.returncode


def check_result(path: Path) -> None:
    """Compare a result with its digests, as docs/reference/format.md describes them."""
    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        assert file.complete == 1
        for name, digests in file["integrity"].variables.items():
            group = "CellData" if name in file["VTKHDF/CellData"].variables else "PointData"
            values, step = file[f"VTKHDF/{group}/{name}"][:], digests.planes_per_digest
            for i, row in enumerate(digests[:]):
                assert xxhash.xxh3_64(values[i * step : (i + 1) * step].tobytes()).hexdigest() == b"".join(row).decode()


@pytest.mark.skipif(not WRITER.exists(), reason=f"{WRITER} is not built")
def test_killed_writers(tmp_path: Path) -> None:
    """Oracle: each file under its final name has the values of a complete write. All writes have equal values."""
    source = random.Random(11)
    left_behind = 0
    for _ in range(50 if FULL else 5):
        process = write(tmp_path, 2)
        assert process.stdout.readline() == "written once\n"
        time.sleep(source.uniform(0, 0.4))
        for pid in reversed(children(process.pid)):  # kill the ranks before their mpirun
            os.kill(pid, signal.SIGKILL)
        wait(process)
        names = {path.name for path in tmp_path.iterdir()}
        assert names >= FILES
        left_behind += len(names - FILES)
        assert wait(write(tmp_path, 2, "0")) == 0, "the model or the checkpoint has other values"
        check_result(tmp_path / "sample.nc")
    assert wait(write(tmp_path, 1, "1")) == 0
    assert {path.name for path in tmp_path.iterdir()} == FILES, "the next run removes what killed ones left"
    assert left_behind > 0, "no writer was killed in the middle"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 8 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8m", "none", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("mounting a small tmpfs is not allowed here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_full_disk(job: Job, small_disk: Path) -> None:
    solid = np.full((64, 64, 64), 200, np.uint8)
    solid[:, :2] = 10
    np.save(job.folder / "block.npy", solid)
    (job.folder / "job.out").symlink_to(small_disk)
    job.write(job_text("block.npy", "heat"))
    assert job.run("-n", "3", "--no-report").code == 0
    older = (small_disk / "results.nc").read_bytes()
    # Space for the metadata, for which 1 MiB is reserved, but not for all compressed chunks.
    (small_disk / "ballast").write_bytes(bytes(shutil.disk_usage(small_disk).free - (1100 << 10)))
    code, said, seconds = run_from(job, "writing results")
    assert code == MACHINE, said
    assert seconds < 10
    assert "No space left" in said
    assert len([line for line in said.splitlines() if line.startswith("osteon: ")]) == 1
    assert (small_disk / "results.nc").read_bytes() == older
    assert not list(small_disk.glob("*.tmp.*"))


def test_read_only_directory(job: Job, sponge: Path, small_disk: Path) -> None:
    (small_disk / "job.out").mkdir()
    (job.folder / "job.out").symlink_to(small_disk / "job.out")
    job.write(job_text(sponge, "heat"))
    assert job.run(command="import").code == 0
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    refused(job, MACHINE, "Read-only file system")


def run_from(job: Job, stage: str) -> tuple[int, str, float]:
    """Run the job on three ranks. Return the exit code, the messages, and the seconds since the start of a stage. A
    busy machine starts slowly."""
    process = subprocess.Popen(
        [str(BINARY), "run", "job.toml", "-n", "3", "--no-report"],
        cwd=job.folder,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **job.environment},
    )
    printed = ""
    while stage not in printed:
        line = process.stderr.readline()
        assert line, printed
        printed += line
    start = time.monotonic()
    printed += read_rest(process)
    return process.returncode, printed, time.monotonic() - start


@pytest.mark.parametrize(
    ("path", "after"), [("model.nc.tmp", 0), ("results.nc.tmp", 0), ("results.nc.tmp", 40_000), ("summary.json.tmp", 0)]
)
def test_input_output_error(job: Job, sponge: Path, failing_disk: Path, path: str, after: int) -> None:
    job.write(job_text(sponge, "heat"))
    if path != "model.nc.tmp":
        assert job.run(command="import").code == 0
    job.environment = {"LD_PRELOAD": str(failing_disk), "FAILING_PATH": f"job.out/{path}", "FAILING_AFTER": str(after)}
    stage = "importing" if path == "model.nc.tmp" else "writing results"
    code, printed, seconds = run_from(job, stage)
    assert code == MACHINE, printed
    assert seconds < 10
    assert len([line for line in printed.splitlines() if line.startswith("osteon: ")]) == 1, printed
    assert path == "summary.json.tmp" or not (job.folder / "job.out" / path.removesuffix(".tmp")).exists()
    job.environment = {}
    assert job.run("-n", "3", "--no-report").code == 0
    assert not list((job.folder / "job.out").glob("*.tmp.*")), "the next run removes what the failed one left"


def test_checkpoint_on_a_failing_disk(job: Job, sponge: Path, failing_disk: Path) -> None:
    """A failed periodic checkpoint is only a warning. The job continues to its answer."""
    job.write(job_text(sponge, more="[checkpoint]\nevery_minutes = 1e-9\n"))
    job.environment = {"LD_PRELOAD": str(failing_disk), "FAILING_PATH": ".checkpoint.tmp", "FAILING_AFTER": "1000"}
    done = job.run("-n", "2", "--no-report")
    assert done.code == 0, done.err
    assert "warning: no checkpoint: cannot write the checkpoint" in done.err
    assert "Input/output error" in done.err
    assert not (done.folder / "checkpoint").exists()


def test_whichever_write_of_a_model_finds_the_disk_full(tmp_path: Path, failing_disk: Path) -> None:
    """Each time, there is one message with its exit code. Neither netCDF nor HDF5 crashes at the fault or at exit."""
    script = ROOT / "examples/voxfe/cantilever.script"
    target = tmp_path / "model.nc"
    codes = []
    while not codes or codes[-1] != 0:
        done = subprocess.run(
            [str(BINARY), "import", str(script), "--units", "mm", "-o", str(target)],
            env={
                **os.environ,
                "LD_PRELOAD": str(failing_disk),
                "FAILING_PATH": "model.nc.tmp",
                "FAILING_WRITE": str(len(codes) + 1),
            },
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        codes.append(done.returncode)
        if done.returncode == 0:
            break
        assert done.returncode == MACHINE, (len(codes), done.stderr)
        assert len([line for line in done.stderr.splitlines() if line.startswith("osteon: ")]) == 1, done.stderr
        assert not list(tmp_path.iterdir())
    assert len(codes) > 20, "that many writes a model takes"


def test_crash_free_exit_on_a_disk_without_a_byte(tmp_path: Path, small_disk: Path) -> None:
    """Regression: HDF5 repeated failed writes at exit and crashed."""
    script = ROOT / "examples/voxfe/cantilever.script"
    free = shutil.disk_usage(small_disk).free
    (small_disk / "ballast").write_bytes(bytes(free - 4096))
    done = subprocess.run(
        [str(BINARY), "import", str(script), "--units", "mm", "-o", str(small_disk / "model.nc")],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == MACHINE, done.stderr
    assert "No space left" in done.stderr or "cannot" in done.stderr
