"""Tests of the memory for importing an image. Oracle: the size of the image. Neither the reader nor the import stores
the whole image."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from whole_job import BINARY, ROOT, Job, job_text

pytestmark = pytest.mark.usefixtures("fresh_python")

CELL, CELLS = 30, 10
VOXELS = (CELL * CELLS) ** 3
# Linux includes the memory of the starting process in the memory of the started program, so that this process is small.
STARTER = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:], stdout=2)
print(1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)
"""


def foam(cells: int) -> np.ndarray:
    """Bars along all axes with 16 bits per voxel. 35 % of the voxels are solid."""
    cell = np.full((CELL, CELL, CELL), 100, np.uint16)
    for a in range(3):
        cell[tuple(slice(None) if b == a else slice(4, 16) for b in range(3))] = 40000
    return np.tile(cell, (cells, cells, cells))


def peak_bytes(*command: str) -> int:
    """Return the largest resident memory of a program and its child processes."""
    python = os.pathsep.join([str(ROOT / "python"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", STARTER, *command],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=os.environ | {"PYTHONPATH": python},
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def bytes_per_voxel(measure: Callable[[np.ndarray], int]) -> float:
    return (measure(foam(CELLS)) - measure(foam(1))) / VOXELS


def test_import_holds_runs_and_some_planes(job: Job) -> None:
    def measure(values: np.ndarray) -> int:
        np.save(job.folder / "foam.npy", values)
        path = job.write(job_text("foam.npy"))
        model = job.folder / "model.nc"
        model.unlink(missing_ok=True)
        return peak_bytes(str(BINARY), "import", str(path), "-o", str(model))

    # The image has 2 bytes per voxel. The image plus a material number for each of its voxels would need 4 bytes.
    assert bytes_per_voxel(measure) < 2.8


# Oracle: the measured memory of an import. The reported value is a bound for finer solids than this one.
def test_estimate_reports_the_memory_of_the_import(job: Job) -> None:
    np.save(job.folder / "foam.npy", foam(CELLS))
    path = job.write(job_text("foam.npy"))
    taken = peak_bytes(str(BINARY), "import", str(path), "-o", str(job.folder / "model.nc"))
    reported = json.loads(job.run("--quick", "--json", "-", command="estimate").out)["import_memory_bytes"]
    assert taken <= reported <= 3 * taken


def save_npy(values: np.ndarray, path: Path) -> None:
    np.save(path, values)


def save_raw(values: np.ndarray, path: Path) -> None:
    path.with_suffix(".json").write_text(
        f'{{"shape": {list(values.shape)}, "dtype": "uint16", "byte_order": "little"}}'
    )
    values.tofile(path)


def save_tiff(values: np.ndarray, path: Path) -> None:
    import tifffile

    with tifffile.TiffWriter(path) as file:
        for plane in values:
            file.write(plane, contiguous=False, compression="zlib", photometric="minisblack", metadata=None)


def save_nrrd(values: np.ndarray, path: Path) -> None:
    sizes = " ".join(str(n) for n in values.shape[::-1])
    head = f"NRRD0004\ntype: uint16\ndimension: 3\nsizes: {sizes}\nendian: little\nencoding: gzip\n\n"
    path.write_bytes(head.encode() + gzip.compress(values.tobytes(), 1))


def save_nifti(values: np.ndarray, path: Path) -> None:
    import nibabel

    nibabel.save(nibabel.Nifti1Image(values.T, np.diag([0.1, 0.1, 0.1, 1])), path)


def save_metaimage(values: np.ndarray, path: Path) -> None:
    sizes = " ".join(str(n) for n in values.shape[::-1])
    head = f"ObjectType = Image\nNDims = 3\nDimSize = {sizes}\nElementSpacing = 1 1 1\nElementType = MET_USHORT\n"
    path.write_bytes((head + "BinaryDataByteOrderMSB = False\nElementDataFile = LOCAL\n").encode() + values.tobytes())


FORMATS = {
    ".npy": save_npy,
    ".raw": save_raw,
    ".tif": save_tiff,
    ".nrrd": save_nrrd,
    ".nii.gz": save_nifti,
    ".mha": save_metaimage,
}


@pytest.mark.parametrize("ending", FORMATS)
def test_a_reader_holds_some_planes(tmp_path: Path, ending: str) -> None:
    source, target = tmp_path / f"foam{ending}", tmp_path / "out.npy"

    def measure(values: np.ndarray) -> int:
        FORMATS[ending](values, source)
        used = peak_bytes(sys.executable, "-m", "osteon.images.read_image", str(source), str(target))
        np.testing.assert_array_equal(np.load(target, mmap_mode="r"), values)
        return used

    assert bytes_per_voxel(measure) < 1  # the image has 2 bytes per voxel
