"""Tests of the common reader of results for osteon.load_fields, the report and export. Oracle: the synthetic fields,
and a seal and digests that the test computes from docs/reference/format.md."""

import random
import shutil
import warnings
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from fake_output import write_output
from osteon.export.export import main as export
from osteon.report.page import main as report

import osteon


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return write_output(tmp_path / "job")


def copied(path: Path) -> Path:
    """A copy without its seal, as programs without support for seals write it."""
    data = path.read_bytes()
    path.write_bytes(data[: data.rindex(b"\nosteon-seal-3\n") - 32])
    return path


def read(path: Path) -> dict[str, np.ndarray]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return osteon.load_fields(path)


def test_a_whole_file_is_read_without_a_word(output):
    fields = read(output / "results.nc")
    assert set(fields) == {"material", "sed"} and np.isnan(fields["sed"][fields["material"] == 0]).all()


def test_every_damage_of_a_sealed_file_is_refused(output):
    """For flipped bits, cuts anywhere, cuts in the seal, and bytes after the seal, no value is read."""
    path = output / "results.nc"
    good = path.read_bytes()
    source = random.Random(5)
    cuts = [*(source.randrange(len(good)) for _ in range(60)), *range(len(good) - 78, len(good))]
    damaged = [good[:n] for n in cuts] + [good + b"\0"]
    for _ in range(200):
        data = bytearray(good)
        data[source.randrange(len(good))] ^= 1 << source.randrange(8)
        damaged.append(bytes(data))
    for data in damaged:
        path.write_bytes(data)
        with pytest.raises(osteon.DataError, match=r"results\.nc"):
            read(path)


def test_the_report_of_damaged_results_is_refused(output, capsys):
    """Oracle: one flipped bit of the values. This bit changes the maximum to 4e37."""
    assert report([str(output)]) == 0
    older = (output / "report.html").read_bytes()
    path = output / "results.nc"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x40
    path.write_bytes(data)
    assert report([str(output)]) == 3
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and "results.nc' is damaged" in err
    assert (output / "report.html").read_bytes() == older
    assert export([str(path), "-o", str(output / "x.npy"), "-f", "sed"]) == 3 and not (output / "x.npy").exists()


def test_a_copy_is_read_with_one_warning_that_names_it(output, capsys):
    path = copied(output / "results.nc")
    with pytest.warns(osteon.FileWarning, match=r"results\.nc' has no seal") as reported:
        osteon.load_fields(path)
    assert len(reported) == 1
    with warnings.catch_warnings():
        assert export([str(path), "-o", str(output / "x.npy"), "-f", "sed"]) == 0
        err = capsys.readouterr().err
        assert err.count("\n") == 1 and err.startswith("warning: ") and "results.nc" in err
    with warnings.catch_warnings():
        assert report([str(output)]) == 0
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and err.startswith("warning: ")
    assert "has no seal" in (output / "report.html").read_text(encoding="utf-8")


def test_a_copy_with_other_values_is_refused(output):
    """Oracle: a program that writes a value by netCDF, so that HDF5 detects no error."""
    path = copied(output / "results.nc")
    with netCDF4.Dataset(path, "a") as file:
        file["VTKHDF/CellData/sed"][5, 6, 7] = 4e37
    with (
        pytest.warns(osteon.FileWarning),
        pytest.raises(osteon.DataError, match="plane 3 of 'sed' does not match its digest"),
    ):
        osteon.load_fields(path)


@pytest.mark.parametrize("sealed", [True, False])
def test_the_unfinished_file_of_a_run_is_named(output, sealed, capsys):
    path = output / "results.nc.tmp.node7.example.4242"
    shutil.copy(output / "results.nc" if sealed else copied(output / "results.nc"), path)
    with pytest.raises(osteon.DataError, match=r"unfinished file of a run.*its name is 'results\.nc'"):
        osteon.load_fields(path)
    assert export([str(path), "-o", str(output / "x.npy"), "-f", "sed"]) == 3
    assert "unfinished" in capsys.readouterr().err


def test_a_copy_that_is_not_complete_is_refused(output):
    path = copied(output / "results.nc")
    with netCDF4.Dataset(path, "a") as file:
        file.complete = np.int32(0)
    with pytest.raises(osteon.DataError, match="is incomplete"):
        read(path)
