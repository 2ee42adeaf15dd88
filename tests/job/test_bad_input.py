"""Tests of bad input. The program soon prints one clear message and returns the right exit code. No partial files
remain, and older results are kept."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from whole_job import BINARY, ROOT, Job, job_text

USAGE, DATA, NOT_CONVERGED, MACHINE = 2, 3, 4, 5


def refused(job: Job, code: int, *fragments: str, arguments: tuple[str, ...] = ("-n", "3", "--no-report")) -> str:
    """Run a job that must fail. Return the message of the job."""
    done = job.run(*arguments, timeout=60)
    assert done.code == code, (done.code, done.err)
    assert done.seconds < 10
    messages = [line for line in done.err.splitlines() if line.startswith("osteon: ")]
    assert len(messages) == 1, done.err
    for fragment in fragments:
        assert fragment in done.err, done.err
    for forbidden in ("Traceback", "MPI_ABORT", "mpirun", "HDF5-DIAG", "Primary job"):
        assert forbidden not in done.err, done.err
    leftovers = [p.name for p in (job.folder / "job.out").glob("*")] if (job.folder / "job.out").exists() else []
    assert not [name for name in leftovers if name.startswith(("results", "picture", "summary")) or ".tmp" in name], (
        leftovers
    )
    return done.err


def test_missing_spacing(job: Job, sponge: Path) -> None:
    job.write(job_text(sponge, spacing=""))
    refused(job, DATA, "does not state its voxel size", "add spacing_mm")


def test_zero_spacing(job: Job, sponge: Path) -> None:
    job.write(job_text(sponge, spacing="spacing_mm = [0.02, 0.0, 0.02]"))
    refused(job, USAGE, "job.toml:4: image.spacing_mm", "must be in (0, 1000] mm")


def test_missing_image(job: Job) -> None:
    job.write(job_text("nowhere.tif"))
    refused(job, DATA, "nowhere.tif' does not exist")


@pytest.mark.parametrize(
    ("name", "content"), [("text.tif", b"this is no image"), ("empty.tif", b""), ("junk.npy", b"\x93NUMPY\x01\x00junk")]
)
def test_file_that_is_no_image(job: Job, name: str, content: bytes) -> None:
    (job.folder / name).write_bytes(content)
    job.write(job_text(name))
    refused(job, DATA, name)


def test_truncated_image(job: Job, sponge: Path) -> None:
    content = sponge.read_bytes()
    sponge.write_bytes(content[: len(content) // 2])
    job.write(job_text(sponge))
    refused(job, DATA, "sponge.npy")


def test_image_of_the_wrong_type(job: Job) -> None:
    np.save(job.folder / "complex.npy", np.ones((4, 4, 4), complex))
    job.write(job_text("complex.npy"))
    refused(job, DATA, "complex")


def test_flat_image(job: Job) -> None:
    np.save(job.folder / "flat.npy", np.ones((4, 4), np.uint8))
    job.write(job_text("flat.npy"))
    refused(job, DATA, "flat.npy")


def test_nan(job: Job) -> None:
    image = np.ones((4, 5, 6), np.float32)
    image[1, 2, 3] = np.nan
    np.save(job.folder / "nan.npy", image)
    job.write(job_text("nan.npy"))
    refused(job, DATA, "1 values that are NaN or infinite", "(1, 2, 3)")


def test_threshold_without_solid_voxels(job: Job, sponge: Path) -> None:
    job.write(job_text(sponge, more="[segment]\nthreshold = 222\n"))
    refused(job, DATA, "the threshold 222 leaves no solid voxel", "[10, 200]")


def test_solid_that_misses_a_face(job: Job) -> None:
    image = np.zeros((9, 4, 4), np.uint8)
    image[2:9] = 100
    np.save(job.folder / "short.npy", image)
    job.write(job_text("short.npy"))
    refused(job, DATA, "does not touch the low z face", "planes 2 to 8 of 0 to 8", 'load.faces = "solid"')
    job.write(job_text("short.npy", more='[load]\nfaces = "solid"\n'))
    assert job.run("-n", "1", "--no-report").code == 0  # the advice is effective


def test_label_without_material(job: Job) -> None:
    image = np.full((4, 4, 4), 2, np.uint8)
    image[1] = 7
    np.save(job.folder / "labels.npy", image)
    job.write(
        '[image]\npath = "labels.npy"\nspacing_mm = 1\n[segment]\nlabels = true\n[[material]]\nlabel = 2\n'
        "youngs_modulus_MPa = 1000\npoisson_ratio = 0.3\n"
    )
    refused(job, DATA, "labels without a material: 7 (16 voxels)")


def test_all_faults_of_a_job_at_once(job: Job) -> None:
    job.write(
        '[image]\npath = "x.tif"\nspacing = 1\n[[material]]\nyoungs_modulus_MPa = 0\npoisson_ratio = 0.5\n[solve]\ntolerence = 1e-6\n'
    )
    message = refused(
        job,
        USAGE,
        "did you mean 'spacing_mm'?",
        "0 must be > 0 MPa",
        "0.5 must be in (-1, 0.5)",
        "did you mean 'tolerance'?",
    )
    checked = job.run(command="check")
    assert checked.code == USAGE
    assert "x.tif' does not exist" in checked.out
    assert "5 faults" in checked.out, checked.out
    assert "did you mean 'tolerance'?" in message


def test_more_ranks_than_planes(job: Job) -> None:
    np.save(job.folder / "thin.npy", np.full((3, 6, 6), 9, np.uint8))
    planes = '[segment]\nthreshold = 1\n[run]\ndecomposition = "planes"\n'
    job.write(job_text("thin.npy", more=planes.replace("planes", "bricks")))
    refused(job, USAGE, "109 ranks for an image of 3 x 6 x 6 voxels", arguments=("-n", "109", "--no-report"))
    job.write(job_text("thin.npy", more=planes))
    refused(job, USAGE, "4 ranks for an image of 3 z planes", arguments=("-n", "4", "--no-report"))
    assert job.run("--no-report").code == 0


def test_no_convergence_is_marked(job: Job, sponge: Path) -> None:
    job.write(job_text(sponge, more="[solve]\nmax_iterations = 2\n"))
    done = job.run("-n", "2", "--no-report")
    assert done.code == NOT_CONVERGED
    assert done.summary["status"] == "not converged"
    assert "stopped after 2 iterations" in done.err


def test_no_space_left(job: Job, sponge: Path) -> None:
    """Test a full disk. All ranks exit, and no file has the final name. The test requires the right to mount."""
    full = job.folder / "full"
    full.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=300k", "none", str(full)], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("mounting a small tmpfs is not allowed here")
    try:
        rng = np.random.default_rng(1)
        np.save(job.folder / "big.npy", (rng.random((40, 40, 40)) < 0.9).astype(np.uint8))
        job.write(job_text("big.npy", more='[segment]\nthreshold = 0\n[output]\ndirectory = "full/out"\n'))
        done = job.run("-n", "2", "--no-report", timeout=60)
        assert done.code == MACHINE, done.err
        assert len([line for line in done.err.splitlines() if line.startswith("osteon: ")]) == 1, done.err
        assert not (full / "out" / "results.nc").exists()
        assert not list((full / "out").glob("*.tmp*"))
    finally:
        subprocess.run(["umount", str(full)], check=True)


def test_unwritable_output(job: Job, sponge: Path) -> None:
    (job.folder / "job.out").write_text("a file where the folder should be")
    job.write(job_text(sponge))
    done = job.run("-n", "2", "--no-report")
    assert done.code == MACHINE
    assert "job.out" in done.err


def test_a_failed_job_leaves_the_older_result(job: Job, sponge: Path) -> None:
    job.write(job_text(sponge))
    assert job.run("-n", "2", "--no-report").code == 0
    before = (job.folder / "job.out" / "results.nc").read_bytes()
    job.write(job_text(sponge, more="[segment]\nthreshold = 255\n"))
    assert job.run("-n", "2", "--no-report").code == DATA
    assert (job.folder / "job.out" / "results.nc").read_bytes() == before


def test_job_under_mpirun(job: Job, sponge: Path) -> None:
    """Started by mpirun, the program computes as its ranks, and reports an error once."""
    path = job.write(job_text(sponge))
    mpirun = [str(ROOT / "tools" / "mpirun.sh"), "2", str(BINARY), "run", str(path), "--no-report"]
    done = subprocess.run(mpirun, capture_output=True, text=True, timeout=60, cwd=job.folder, check=False)
    assert done.returncode == 0, done.stderr
    assert "stiffness" in done.stdout
    shutil.rmtree(job.folder / "job.out")
    job.write(job_text(sponge, more="[segment]\nthreshold = 255\n"))
    done = subprocess.run(
        mpirun, capture_output=True, text=True, timeout=60, cwd=job.folder, env=dict(os.environ), check=False
    )
    assert done.returncode == DATA
    assert done.stderr.count("leaves no solid voxel") == 1


def test_two_jobs_do_not_share_a_directory(job: Job, sponge: Path) -> None:
    import fcntl

    job.write(job_text(sponge))
    (job.folder / "job.out").mkdir()
    with (job.folder / "job.out" / ".lock").open("w") as lock:
        fcntl.lockf(lock, fcntl.LOCK_EX)
        refused(job, USAGE, "another job is writing to 'job.out'")
    assert job.run("-n", "2", "--no-report").code == 0


def test_unknown_colour_map_is_refused_before_solving(job: Job, sponge: Path) -> None:
    job.write(job_text(sponge).replace("width = 64", 'colour_map = "infrno"\nwidth = 64'))
    refused(job, USAGE, "did you mean 'inferno'?")


def test_json_to_a_device_leaves_the_device(job: Job, sponge: Path) -> None:
    device = job.folder / "null"
    os.mkfifo(device)  # a pipe, an example of a file that must not be replaced
    reader = subprocess.Popen(["cat", str(device)], stdout=subprocess.PIPE)
    job.write(job_text(sponge))
    assert job.run("--json", str(device), command="import").code == 0
    assert b"osteon.import/1" in reader.communicate(timeout=60)[0]
    assert device.is_fifo()
