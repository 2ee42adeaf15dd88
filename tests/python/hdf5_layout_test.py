"""Axes and missing chunks of HDF5 images. Oracle: the arrays that the test wrote by h5py."""

import json
from pathlib import Path

import numpy as np
import pytest
from osteon.errors import DataError
from osteon.images.look_at_image import header, inspect
from osteon.images.read_image import convert, read_image

h5py = pytest.importorskip("h5py")
GREY = np.random.default_rng(7).integers(1, 2000, (6, 8, 10)).astype("u2")


@pytest.fixture(autouse=True)
def _in_tmp(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def tagged(axes: str, values: np.ndarray = GREY, by: str = "axistags", **options) -> str:
    """An array whose axes have these letters, in the order of the shape. @param values z, y, x"""
    at = {name: i for i, name in enumerate("zyx")}
    order = [at[name] for name in axes if name in at]
    array = values.transpose(order)
    for i, name in enumerate(axes):
        if name not in at:
            array = np.expand_dims(array, i)
    with h5py.File("a.h5", "w") as file:
        data = file.create_dataset("exported_data", data=array, **options)
        data.attrs["element_size_um"] = [30.0, 20.0, 10.0]
        if by == "axistags":
            tags = [{"key": name, "typeFlags": 2, "resolution": 0, "description": ""} for name in axes]
            data.attrs["axistags"] = json.dumps({"axes": tags})
        else:
            for dimension, name in zip(data.dims, axes, strict=True):
                dimension.label = name
    return "a.h5"


@pytest.mark.parametrize("axes", ["zyx", "xyz", "yxz", "zyxc", "tzyxc", "cxyz", "xytz"])
@pytest.mark.parametrize("by", ["axistags", "labels"])
def test_axes_of_ilastik_are_put_in_order(axes, by):
    """Oracle: the transposition by numpy. Voxel sizes are z, y, x for any order of axes."""
    name = tagged(axes, by=by, chunks=True, compression="gzip")
    volume, seen = read_image(name), header(name)
    np.testing.assert_array_equal(volume.values, GREY)
    assert volume.spacing_mm == pytest.approx((0.03, 0.02, 0.01))
    assert (tuple(seen.shape), seen.spacing_mm) == (GREY.shape, volume.spacing_mm)


def test_a_single_plane_keeps_its_axes():
    """Oracle: numpy. One plane along z is not removed from another axis."""
    for axes in ("zyxc", "xyz"):
        np.testing.assert_array_equal(read_image(tagged(axes, GREY[:1])).values, GREY[:1])


@pytest.mark.parametrize(("axis", "word"), [("t", "6 time"), ("c", "6 channels")])
def test_times_and_channels_are_no_slices(axis, word):
    """Oracle: the contract. Such images are rejected, also by a look at the header."""
    with h5py.File("a.h5", "w") as file:
        file["x"] = GREY
        file["x"].attrs["axistags"] = json.dumps({"axes": [{"key": k} for k in (axis, "y", "x")]})
    for read in (read_image, header):
        with pytest.raises(DataError, match=f"axes {axis.upper()} .6., Y .8., X .10., so {word}.*ilastik"):
            read("a.h5")


@pytest.mark.parametrize("tags", ["no json", "[1]", '{"axes": 3}', '{"axes": [{"key": "x"}]}', "[" * 5000])
def test_tags_that_say_nothing_are_ignored(tags):
    """Oracle: the array that was written."""
    with h5py.File("a.h5", "w") as file:
        file["x"] = GREY
        file["x"].attrs["axistags"] = tags
    np.testing.assert_array_equal(read_image("a.h5").values, GREY)


def half(fill: float | None = None, name: str = "image") -> str:
    """A file whose writer was killed after two of four chunks."""
    with h5py.File("half.h5", "w") as file:
        data = file.create_dataset(name, GREY.shape, "u2", chunks=(2, 8, 5), compression="gzip", fillvalue=fill)
        data.attrs["spacing_mm"] = [0.1, 0.1, 0.1]
        data[:4, :, :] = GREY[:4]
    return "half.h5"


def test_missing_chunks_are_rejected_with_their_number():
    """Oracle: determined by hand. Two of 6 chunks were never written."""
    for read in (
        read_image,
        header,
        lambda name: inspect(name, 1 << 20, None, None),
        lambda name: convert(name, "o.npy"),
    ):
        with pytest.raises(
            DataError, match="2 of 6 chunks of voxels are missing, and the file states no fill value"
        ) as caught:
            read(half())
        assert "\n" not in str(caught.value) and not Path("o.npy").exists()
    with pytest.raises(DataError, match="states no fill value"):
        read_image(half(), accepts_fill_value=True)


def test_a_stated_fill_value_is_taken_where_the_job_accepts_it():
    """Oracle: determined by hand. The missing planes have the value 7."""
    with pytest.raises(DataError, match=r"would be the fill value 7: .*accept_fill_value = true"):
        read_image(half(7))
    volume = read_image(half(7), accepts_fill_value=True)
    np.testing.assert_array_equal(volume.values, np.concatenate([GREY[:4], np.full_like(GREY[4:], 7)]))
    assert volume.warnings == [
        "'half.h5': 2 of 6 chunks of voxels are missing; their voxels have the fill value 7 (image.accept_fill_value)"
    ]
    assert convert("half.h5", "o.npy", {"accept_fill_value": True})["missing_chunks"] == {"count": 2, "fill_value": 7}
    assert inspect("half.h5", 10, None, None, True)["shape"] == [6, 8, 10]


def test_a_flipped_bit_in_the_index_of_chunks_is_no_empty_space():
    """Oracle: the undamaged voxels. Any flipped bit yields these voxels or an error, and never fewer chunks."""
    with h5py.File("a.h5", "w") as file:
        file.create_dataset("image", data=GREY, chunks=(2, 8, 5), compression="gzip", fletcher32=True)
    good = Path("a.h5").read_bytes()
    at = good.index(b"TREE", good.index(b"TREE") + 1)  # the second tree is the tree of the chunks
    found = 0
    for bit in range(8 * at + 48, 8 * (at + 200), 97):
        data = bytearray(good)
        data[bit // 8] ^= 1 << bit % 8
        Path("a.h5").write_bytes(data)
        try:
            values = read_image("a.h5").values
        except DataError:
            found += 1
            continue
        np.testing.assert_array_equal(values, GREY)
    assert found > 2


def test_a_dataset_without_any_chunk_is_rejected():
    """Oracle: determined by hand. None of 6 chunks exists."""
    with h5py.File("a.h5", "w") as file:
        file.create_dataset("image", GREY.shape, "u2", chunks=(2, 8, 5))
    with pytest.raises(DataError, match="6 of 6 chunks of voxels are missing"):
        read_image("a.h5")
