"""Images written in pieces. Oracle: equal values in one NumPy array."""

import io
import json

import numpy as np
import pytest
from osteon.errors import DataError
from osteon.images import npy_writer
from osteon.images.npy_writer import write_pieces
from osteon.images.pieces import Pieces, in_values
from osteon.images.read_image import main, read_image
from osteon.images.volume import Volume

SHAPE = (5, 6, 7)
TYPES = ("?", "u1", "i1", "<u2", ">i2", "<u4", ">i4", "<i8", "<u8", "<f2", "<f4", ">f4", "<f8", ">f8")


@pytest.fixture(autouse=True)
def _in_tmp(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(npy_writer, "BLOCK", 50)  # the rewritten part has several blocks


def written(pieces: list[np.ndarray], shape: tuple[int, ...] = SHAPE) -> tuple[np.ndarray, npy_writer.NpyWriter]:
    file = io.BytesIO()
    found, _ = write_pieces(Volume(Pieces(shape, None, lambda: iter(pieces)), "test"), "x", file)
    file.seek(0)
    values = np.load(file)
    assert file.tell() == len(file.getvalue())
    return values, found


@pytest.mark.parametrize("kind", TYPES)
def test_a_file_of_any_type_is_written_as_it_is_read_at_once(kind, capfd):
    values = np.random.default_rng(1).integers(0, 2 if kind == "?" else 100, SHAPE).astype(kind)
    np.save("a.npy", values)
    assert main(["a.npy", "out.npy"]) == 0
    facts = json.loads(capfd.readouterr().out)
    expected, found = read_image("a.npy").values, np.load("out.npy")
    assert found.dtype == expected.dtype
    assert (facts["dtype"], facts["shape"]) == (expected.dtype.name, list(SHAPE))
    assert (facts["grey_min"], facts["grey_max"]) == (expected.min().item(), expected.max().item())
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("kinds", [("i2", "i4", "f8"), ("f4", "u1", "f8"), ("u1", "i8", "i1"), ("u2", "i2", "u1")])
def test_pieces_of_several_types_get_the_one_that_holds_all(kinds):
    planes = [np.random.default_rng(z).integers(0, 100, SHAPE[1:]).astype(kinds[z % 3]) for z in range(SHAPE[0])]
    values, found = written(planes)
    expected = np.stack(planes)
    assert values.dtype == (np.dtype("<i4") if expected.dtype == "i8" else expected.dtype)
    assert (found.low, found.high) == (expected.min(), expected.max())
    np.testing.assert_array_equal(values, expected)


def test_the_first_value_that_is_no_number_is_named_wherever_its_piece_begins():
    values = np.ones(SHAPE, "f4")
    values[3, 2, 1] = values[4, 0, 0] = np.nan
    with pytest.raises(DataError, match=r"2 values that are NaN.*\(3, 2, 1\)"):
        written(np.array_split(values.ravel(), 9))


@pytest.mark.parametrize("count", [209, 211])
def test_other_than_the_stated_number_of_values_is_refused(count):
    with pytest.raises(DataError, match=f"contains {count} values instead of 210"):
        written([np.zeros(100, "u1"), np.zeros(count - 100, "u1")])
    with pytest.raises(DataError, match=f"contains {count} values instead of 210"):
        Pieces(SHAPE, np.dtype("u1"), lambda: iter([np.zeros(count, "u1")])).whole("x")


def test_of_a_damaged_image_no_file_stays(capfd):
    np.save("a.npy", np.full((3, 4, 5), np.inf))
    assert main(["a.npy", "out.npy"]) == 3
    assert "NaN or infinite" in capfd.readouterr().err
    with pytest.raises(FileNotFoundError):
        np.load("out.npy")


def test_values_may_lie_across_blocks_of_bytes():
    data = np.arange(50, dtype="<i4").tobytes()
    for length in (1, 3, 7, 64, 1000):
        blocks = [data[i : i + length] for i in range(0, len(data), length)]
        for skip in (0, 4, 12):
            found = np.concatenate(list(in_values(blocks, np.dtype("<i4"), skip)))
            assert found.tolist() == list(range(skip // 4, 50)), (length, skip)
