"""Tests of the files of whole jobs: writing modes, statistics, damage and time steps."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from whole_job import BINARY, Job, job_text, osteon

netCDF4 = pytest.importorskip("netCDF4")


def digests(path: Path) -> dict[str, list[str]]:
    with netCDF4.Dataset(path) as file:
        return {name: [b"".join(row).decode() for row in v[:].data] for name, v in file["integrity"].variables.items()}


def verify(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [BINARY, "verify", *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False
    )


def test_every_mode_gives_the_same_values(job: Job, sponge: Path) -> None:
    """Oracle: the digests of the first mode. The job uses bricks, so that planes are redistributed before writing."""
    more = '[run]\ndecomposition = "bricks"\n[io]\nranks_per_writer = 2\n'
    job.write(job_text(sponge, more=more))
    first: dict[str, list[str]] = {}
    for mode in ("serial", "aggregated", "parallel"):
        done = job.run("-n", "3", "--no-report", "--io", mode, "--io-hint", "striping_unit=65536")
        assert done.code == 0, done.err
        first = first or digests(done.folder / "results.nc")
        assert digests(done.folder / "results.nc") == first
        read, wrote = done.summary["io"]["files"]
        assert read["mode"] == wrote["mode"] == mode
        assert wrote["bytes"] == (done.folder / "results.nc").stat().st_size
        assert wrote["compression_ratio"] == pytest.approx(wrote["value_bytes"] / wrote["bytes"])
        assert 0 < done.summary["io"]["share_of_run"] < 1
        for said in ("read model.nc: ", "wrote results.nc: ", "MB/s", "ratio", f"{mode} on ", "% of the time"):
            assert said in done.err
        assert verify(done.folder / "results.nc", done.folder / "model.nc").returncode == 0


@pytest.mark.parametrize(
    ("more", "printed"),
    [
        ('[io]\nhints = ["cb_nodes"]\n', "io.hints: 'cb_nodes' must have the form key=value"),
        ("[io]\ncompression_level = 12\n", "io.compression_level: 12 must be in [1, 9]"),
        ('[io]\ncompression = "none"\ncompression_level = 2\n', "io.compression_level: must not be given"),
        ("[io]\nsignificant_digits = 9\n", "io.significant_digits: 9 must be in [0, 6]"),
        ('[io]\nmode = "all"\n', "'all' is not one of auto, serial, aggregated, parallel"),
    ],
)
def test_wrong_ways_are_refused(job: Job, sponge: Path, more: str, printed: str) -> None:
    """Oracle: the contract, with exit code 2 and the invalid key."""
    job.write(job_text(sponge, more=more))
    done = job.run(command="check")
    assert done.code == 2
    assert printed in done.err + done.out


def test_zstd_is_found_or_refused_in_one_message(job: Job, sponge: Path) -> None:
    """Oracle: the contract. With the package, zstd compresses model and results."""
    job.write(job_text(sponge, more='[io]\ncompression = "zstd"\nread_back = false\n'))
    job.environment["HDF5_PLUGIN_PATH"] = "/nowhere"
    refused = job.run("-n", "2", "--no-report")
    assert refused.code == 2 and refused.err.count("pip install hdf5plugin") == 1
    pytest.importorskip("hdf5plugin")
    h5py = pytest.importorskip("h5py")
    del job.environment["HDF5_PLUGIN_PATH"]
    done = job.run("-n", "2", "--no-report")
    assert done.code == 0, done.err
    for name in ("model.nc", "results.nc"):
        with h5py.File(done.folder / name) as file:
            assert "32015" in file["VTKHDF/CellData/material"]._filters


def test_a_model_that_was_copied_is_used_with_a_warning(job: Job, sponge: Path) -> None:
    """Oracle: the answer with the model as imported. A copy by nccopy lacks the seal, but not the digests. Such a copy
    is reported once. A copy with other values, or a truncated copy, is created again."""
    if shutil.which("nccopy") is None:
        pytest.skip("nccopy is not installed (Debian: netcdf-bin)")
    job.write(job_text(sponge))
    before = job.run("--no-report", "-n", "2")
    model = before.folder / "model.nc"
    original = model.read_bytes()
    subprocess.run(["nccopy", "-d", "9", "-c", "z/5,y/6,x/7", model, job.folder / "copy.nc"], check=True, timeout=60)
    shutil.copy(job.folder / "copy.nc", model)
    done = job.run("--no-report", "-n", "2")
    assert done.code == 0 and "using the existing model" in done.err
    assert done.err.count("warning: the model") == 1 and "model.nc' has no seal" in done.err
    assert model.read_bytes() == (job.folder / "copy.nc").read_bytes()
    assert done.summary["reaction_N"] == before.summary["reaction_N"]
    placed = osteon("place", "--job", str(model), "--ranks", "2", "--hosts", "1", "--host", "core:2 pu:1")
    assert placed.returncode == 0, placed.stderr
    assert placed.stderr.count("warning: the model") == 1 and "model.nc' has no seal" in placed.stderr
    with netCDF4.Dataset(model, "a") as file:
        file["VTKHDF/CellData/material"][3, 4, 5] ^= 1
    done = job.run("--no-report", "-n", "2")
    assert "is not a valid model; importing the image again" in done.err and model.read_bytes() == original
    model.write_bytes(original[:-20])
    done = job.run("--no-report", "-n", "2")
    assert "is not a valid model; importing the image again" in done.err and model.read_bytes() == original
    shutil.copy(job.folder / "copy.nc", model)
    assert verify("--seal", model).returncode == 0
    done = job.run("--no-report", "-n", "2")
    assert done.code == 0 and "using the existing model" in done.err
    assert done.summary["reaction_N"] == before.summary["reaction_N"]


def test_steps_in_time(job: Job, tmp_path: Path) -> None:
    """Oracle: the history in the summary, with the mean temperature and the time of each file. VTK reads each file."""
    np.save(tmp_path / "block.npy", np.full((12, 6, 5), 9, np.uint8))
    job.write(
        'physics = "heat"\n[image]\npath = "block.npy"\nspacing_mm = 1\n[segment]\nthreshold = 5\n[[material]]\n'
        "conductivity_W_per_mK = 1.0\nheat_capacity_J_per_m3K = 1e6\n"
        '[[boundary]]\nface = "z_low"\ntemperature_K = 1.0\n'
        "[transient]\ninitial_K = 0.0\nend_s = 40\nstep_s = 5\noutput_every_s = 10\nwrite_steps = true\n"
        "[picture]\nenabled = false\n"
    )
    done = job.run("--no-report", "-n", "2")
    assert done.code == 0, done.err
    series = json.loads((done.folder / "results.vtkhdf.series").read_text())
    history = done.summary["history"]
    assert series["file-series-version"] == "1.0"
    assert [f["time"] for f in series["files"]] == pytest.approx(history["time_s"])
    assert len(series["files"]) == 5
    for f, mean in zip(series["files"], history["mean_K"], strict=True):
        with netCDF4.Dataset(done.folder / f["name"]) as file:
            assert file.complete == 1 and float(file.time_s) == pytest.approx(f["time"])
            temperature = file["VTKHDF/CellData/temperature"][:]
            assert temperature.mean() == pytest.approx(mean, abs=1e-6)
    assert verify(*(done.folder / f["name"] for f in series["files"])).returncode == 0
    assert "wrote results.vtkhdf.series: " in done.err
    vtk = pytest.importorskip("vtk")
    from vtk.util.numpy_support import vtk_to_numpy

    reader = vtk.vtkHDFReader()
    reader.SetFileName(str(done.folder / series["files"][-1]["name"]))
    reader.Update()
    read = vtk_to_numpy(reader.GetOutput().GetCellData().GetArray("temperature"))
    assert np.array_equal(read.reshape(12, 6, 5), temperature)
