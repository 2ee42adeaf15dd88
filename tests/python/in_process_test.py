"""Jobs on arrays in the Python process. Oracle: the program, started for the same job."""

import gc
import os
import signal
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest
from osteon.calls import in_process
from osteon.processes.native_module import native_module

import osteon

pytestmark = pytest.mark.skipif(
    native_module() is None, reason="osteon._native is not built (nanobind, Python's headers)"
)

BONE = {"youngs_modulus_MPa": 1000.0, "poisson_ratio": 0.3}


def sponge(n: int, seed: int = 7) -> np.ndarray:
    """A smooth random image of n^3 voxels. Its upper half is solid and connects its faces."""
    rng = np.random.default_rng(seed)
    waves = np.fft.rfftn(rng.standard_normal((n, n, n)))
    k = np.sqrt(sum(f**2 for f in np.meshgrid(*[np.fft.fftfreq(n) * n] * 2, np.fft.rfftfreq(n) * n, indexing="ij")))
    return np.fft.irfftn(waves * np.exp(-((k / 3) ** 2)), (n, n, n), axes=(0, 1, 2))


def of_solid(call):
    """Return the call with its mask passed as `solid`."""
    return lambda mask, spacing_mm, **options: call(solid=mask, spacing_mm=spacing_mm, **options)


@pytest.mark.parametrize(
    ("call", "options"),
    [
        (osteon.stiffness, {**BONE, "output": {"fields": ["displacement", "sed", "stress", "von_mises"]}}),
        (osteon.homogenise, BONE),
        (of_solid(osteon.conductivity), {"conductivity_W_per_mK": 2.0, "axis": None}),
        (of_solid(osteon.permeability), {}),
    ],
)
def test_answers_and_fields_are_those_of_the_program(call, options, tmp_path):
    """Oracle: the program on one rank. Every answer agrees up to the rounding of the text, and every field bit for
    bit."""
    mask = sponge(14) > 0
    here = call(mask, 0.05, **options)
    assert isinstance(here, in_process.SolvedHere)
    options = {**options, "output": {**options.get("output", {}), "directory": str(tmp_path / "out")}}
    there = call(mask, 0.05, **options, run={"ranks": 1})
    assert not isinstance(there, in_process.SolvedHere)
    assert here.answers == there.answers
    assert set(here.fields) == set(there.fields)
    for name in there.fields:
        np.testing.assert_array_equal(here[name], there[name])
        mine, its = here.fields.field(name), there.fields.field(name)
        assert (mine.units, mine.on_nodes, mine.components) == (its.units, its.on_nodes, its.components)
        np.testing.assert_array_equal(mine.first_mm(), its.first_mm())
    keys = {"files", "io", "stages", "solver", "cpu_seconds", "peak_rss_bytes", "setup_seconds", "solve_seconds"}
    assert set(there.summary) - set(here.summary) == set()
    assert {k for k in here.summary if here.summary[k] != there.summary[k]} <= keys | {"image", "threads", "cases"}


def test_no_file_is_written_until_one_is_asked_for(tmp_path, monkeypatch):
    """Oracle: the folder of temporary files, which is empty after the call. Then results are written as the program
    writes them."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    result = osteon.conductivity(solid=sponge(12) > 0, spacing_mm=0.1, conductivity_W_per_mK=1.0)
    assert list(tmp_path.iterdir()) == []
    page = result.report(tmp_path / "page.html")
    assert page.stat().st_size > 10_000
    folder = result.output_directory
    again = osteon.load(folder)
    assert again.answers == result.answers
    np.testing.assert_array_equal(again["temperature"], result["temperature"])
    assert {"results.nc", "results.xdmf", "summary.json", "manifest.json"} <= {f.name for f in folder.iterdir()}
    del result, again
    gc.collect()
    assert not folder.exists()


def test_a_report_without_a_folder_is_in_the_working_directory(tmp_path, monkeypatch):
    """Oracle: the page outlives the result, replaces an earlier report, and replaces no other file."""
    monkeypatch.chdir(tmp_path)
    result = osteon.conductivity(solid=sponge(8) > 0, spacing_mm=0.1, conductivity_W_per_mK=1.0)
    first, again = result.report(), result.report()
    assert first == again == tmp_path / f"{result.summary['job']}_report.html"
    first.write_text("notes of a user")
    assert result.report() == first.with_stem(first.stem + "_2")
    del result
    gc.collect()
    assert first.read_text() == "notes of a user"


@pytest.mark.parametrize("kind", [bool, "u1", "i1", "u2", "i2", "u4", "i4", "i8", "u8", "f2", "f4", "f8", ">i2", ">f4"])
def test_arrays_of_any_type_and_order_mean_the_same(kind):
    """Oracle: the mask with the first type. Types, byte orders and strides have no effect."""
    mask = sponge(10) > 0
    expected = osteon.stiffness(mask, 0.1, **BONE).stiffness_N_per_mm
    for values in (mask.astype(kind), np.asfortranarray(mask.astype(kind)), mask.astype(kind)[:, ::-1][:, ::-1]):
        result = osteon.stiffness(values, 0.1, threshold=None if kind is bool else 0.5, **BONE)
        assert isinstance(result, in_process.SolvedHere)
        assert result.stiffness_N_per_mm == expected


def test_xarray_pyvista_and_html_come_from_memory(tmp_path, monkeypatch):
    """Oracle: shapes and values of the fields. No file is written."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    result = osteon.stiffness(sponge(10) > 0, (0.1, 0.2, 0.3), **BONE)
    data = result.to_xarray()
    assert data["sed"].dims == ("z", "y", "x")
    np.testing.assert_allclose(data["y"], 0.2 * (np.arange(10) + 0.5))
    grid = result.to_pyvista()
    assert grid.cell_data["sed"].size == 1000
    assert "stiffness" in result._repr_html_()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("error", "text", "change"),
    [
        (osteon.UsageError, "poisson_ratio", {"poisson_ratio": 0.7}),
        (osteon.UsageError, "spacing_mm", {"spacing_mm": -1.0}),
        (osteon.DataError, "threshold", {"threshold": 5.0}),
        (osteon.SolveError, "max_iterations", {"solve": {"max_iterations": 1}}),
    ],
)
def test_errors_are_those_of_the_program(error, text, change):
    """Oracle: the error of the program for the same call, with its type and exit code. Both errors name the cause."""
    options = {"image": sponge(10), "spacing_mm": 0.1, "threshold": 0.0, **BONE, **change}
    with pytest.raises(error, match=text) as here:
        osteon.stiffness(**options)
    with pytest.raises(error, match=text) as there:
        osteon.stiffness(**options, run={"ranks": 2})
    assert here.value.exit_code == there.value.exit_code
    assert len(here.traceback) <= 2  # the traceback contains one frame of osteon


def test_an_interrupt_ends_the_solution_and_the_next_one_works():
    """Oracle: KeyboardInterrupt, raised long before the solution would end, and the answer of a later call."""
    mask = sponge(12) > 0
    expected = osteon.stiffness(mask, 0.1, **BONE).stiffness_N_per_mm

    def interrupt(stage, fraction, detail):
        if stage == "solving":
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        osteon.stiffness(sponge(40) > 0, 0.1, **BONE, progress=interrupt)
    assert osteon.stiffness(mask, 0.1, **BONE).stiffness_N_per_mm == expected


def test_an_error_of_the_listener_comes_out():
    """Oracle: the exception raised by the callback."""

    def fail(stage, fraction, detail):
        raise ZeroDivisionError("of the listener")

    with pytest.raises(ZeroDivisionError, match="of the listener"):
        osteon.stiffness(sponge(20) > 0, 0.1, **BONE, progress=fail)


def test_other_threads_of_python_run_meanwhile():
    """Oracle: a thread that counts between the start and the end of the solution."""
    counted, is_over, at_begin = [0], threading.Event(), []

    def count():
        while not is_over.wait(0.0005):
            counted[0] += 1

    def note(stage, fraction, detail):
        if stage == "solving" and not at_begin:
            at_begin.append(counted[0])

    other = threading.Thread(target=count)
    other.start()
    try:
        osteon.stiffness(sponge(40) > 0, 0.1, **BONE, progress=note)
    finally:
        is_over.set()
        other.join()
    assert counted[0] > at_begin[0] + 3


def test_warnings_of_a_job_are_warnings_of_python():
    """Oracle: a force on a supported node causes no displacement. If warnings are errors by choice, the warning ends
    the job."""
    tables = {
        "load": {"test": None, "axis": None, "strain": None},
        "set": [
            {"name": "base", "select": "face", "face": "z_low"},
            {"name": "top", "select": "face", "face": "z_high"},
        ],
        "support": [{"on": "base", "fix": "zyx"}],
        "force": [{"on": "base", "force_N": [-1.0, 0.0, 0.0]}, {"on": "top", "force_N": [-1.0, 0.0, 0.0]}],
    }
    block = np.ones((4, 4, 4), bool)
    with pytest.warns(osteon.JobWarning, match="base"):
        result = osteon.solve(block, 0.1, **BONE, axis=None, **tables)
    assert isinstance(result, in_process.SolvedHere)
    with warnings.catch_warnings(), pytest.raises(osteon.JobWarning, match="base"):
        warnings.filterwarnings("error", ".*base")
        osteon.solve(block, 0.1, **BONE, axis=None, **tables)


def test_a_sparse_array_takes_the_memory_of_its_runs():
    """Oracle: 2 bytes per voxel. The material numbers of the whole box alone would need 2 bytes per voxel."""
    program = """
import numpy as np
import osteon
from osteon.calls import in_process

def status(key):
    line = next(line for line in open("/proc/self/status") if line.startswith(key))
    return 1024 * int(line.split()[1])

solid = np.zeros((300, 300, 300), bool)
solid[:, 140:150, 140:150] = True
before = status("VmRSS")
result = osteon.conductivity(solid=solid, spacing_mm=0.02, conductivity_W_per_mK=0.5)
assert isinstance(result, in_process.SolvedHere)
print((status("VmHWM") - before) / solid.size)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=200)
    assert float(done.stdout) < 2


def test_what_needs_files_or_ranks_starts_the_program(tmp_path):
    """Oracle: the location of the files of the result."""
    mask = sponge(10) > 0
    for options in (
        {"output": {"directory": str(tmp_path / "out")}},
        {"run": {"ranks": 2}},
        {"picture": {"enabled": True, "width": 64, "height": 64}},
    ):
        result = osteon.stiffness(mask, 0.1, **BONE, **options)
        assert not isinstance(result, in_process.SolvedHere)
        assert (Path(result.output_directory) / "results.nc").exists()
