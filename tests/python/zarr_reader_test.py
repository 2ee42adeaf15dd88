"""Import of Zarr. Oracle: the package zarr, which wrote the arrays. For exports of osteon, the oracle is the field and
its position."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import zarr
from osteon.errors import DataError
from osteon.export.zarr_writer import write_ome_zarr
from osteon.images.look_at_image import header, inspect
from osteon.images.placement import Placement
from osteon.images.read_image import digest, files_of, read_image
from osteon.results.result_fields import Field

GREY = np.random.default_rng(7).integers(0, 2000, (70, 9, 66)).astype("u2")
TURN = np.array([[0.8, -0.6, 0.0], [0.6, 0.8, 0.0], [0.0, 0.0, 1.0]])


@pytest.fixture(autouse=True)
def _in_tmp(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("kind", ["u1", "f4"])
def test_an_export_of_osteon_is_read_with_its_place(kind):
    """Oracle: the field, with values, spacing, low corner and axes."""
    values = np.random.default_rng(1).integers(0, 5, (70, 8, 66)).astype(kind)
    values[:64, :, :64] = 0  # an empty chunk, which the export omits if the values of the chunk equal the fill value
    placement = Placement(np.array([7.0, -3.0, 11.0]), TURN)
    field = Field(
        "material" if kind == "u1" else "sed",
        values,
        "",
        False,
        np.array([0.1, 0.2, 0.3]),
        placement,
    )
    write_ome_zarr(field, Path("f.ome.zarr"))
    volume, seen = read_image("f.ome.zarr"), header("f.ome.zarr")
    np.testing.assert_array_equal(volume.values, values)
    assert volume.spacing_mm == pytest.approx((0.3, 0.2, 0.1)) == seen.spacing_mm and tuple(seen.shape) == values.shape
    np.testing.assert_allclose(volume.placement.corner_mm, placement.corner_mm, atol=1e-12)
    np.testing.assert_allclose(volume.placement.direction, TURN, atol=1e-12)
    assert len(volume.warnings) == (kind == "u1") and inspect("f.ome.zarr", 1 << 30, None, None)["shape"] == [70, 8, 66]
    before = digest("f.ome.zarr")
    chunk = next(p for p in files_of("f.ome.zarr") if p.name == "1")
    chunk.write_bytes(chunk.read_bytes() + b"x")
    assert digest("f.ome.zarr") != before


COMPRESSORS = {
    "none": None,
    "zlib": "Zlib",
    "gzip": "GZip",
    "bz2": "BZ2",
    "zstd": "Zstd",
    "lz4": "LZ4",
    "blosc": "Blosc",
}


@pytest.mark.parametrize("name", COMPRESSORS)
@pytest.mark.parametrize(("order", "separator"), [("C", "."), ("F", "/")])
def test_compressors_and_orders(name, order, separator):
    """Oracle: the data written by the package zarr."""
    import numcodecs

    compressor = None if COMPRESSORS[name] is None else getattr(numcodecs, COMPRESSORS[name])()
    array = zarr.create_array(
        "a.zarr", shape=GREY.shape, chunks=(32, 5, 40), dtype="u2", zarr_format=2, compressors=compressor, order=order,
        chunk_key_encoding={"name": "v2", "separator": separator}, fill_value=0,
    )  # fmt: skip
    array[:] = GREY
    volume = read_image("a.zarr")
    np.testing.assert_array_equal(volume.values, GREY)
    assert volume.spacing_mm is None and volume.warnings == []
    for chunk in [p for p in files_of("a.zarr") if not p.name.startswith(".")][1:2]:
        good = chunk.read_bytes()
        for length in (0, len(good) // 2, len(good) - 1):
            chunk.write_bytes(good[:length])
            with pytest.raises(DataError, match=r"truncated or damaged|decompresses to"):
                read_image("a.zarr")


def group(axes: list, scale: list, values: np.ndarray = GREY, path: str = "0", **more) -> str:
    shutil.rmtree("g.zarr", ignore_errors=True)
    root = zarr.open_group("g.zarr", mode="w", zarr_format=2)
    root.create_array("0", data=values, chunks=values.shape)
    data = {"path": path, "coordinateTransformations": [{"type": "scale", "scale": scale}]}
    root.attrs["multiscales"] = [{"version": "0.4", "axes": axes, "datasets": [data], **more}]
    return "g.zarr"


def empty(version: int) -> str:
    zarr.open_group("g.zarr", mode="w", zarr_format=version)
    return "g.zarr"


def space(names: str, unit: str | None = "micrometer") -> list[dict]:
    return [{"name": n, "type": "space", **({"unit": unit} if unit else {})} for n in names]


@pytest.mark.parametrize(
    ("axes", "unit", "mm"),
    [("zyx", "micrometer", 1e-3), ("xyz", "millimeter", 1), ("yxz", "nanometer", 1e-6), ("zyx", None, None)],
)
def test_axes_and_units_of_ome_zarr(axes, unit, mm):
    """Oracle: OME-NGFF 0.4, determined by hand. Axes are given by name. Without a unit, the voxel size is undefined."""
    sizes = {"z": 3.0, "y": 2.0, "x": 1.0}
    values = GREY.transpose(["zyx".index(n) for n in axes])
    volume = read_image(group(space(axes, unit), [sizes[n] for n in axes], values))
    np.testing.assert_array_equal(volume.values, GREY)
    assert volume.spacing_mm == (None if mm is None else pytest.approx((3 * mm, 2 * mm, mm)))
    assert header("g.zarr").spacing_mm == volume.spacing_mm


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: group([{"name": "c"}, *space("yx")], [1, 1, 1]), "so 70 channels"),
        (lambda: group(space("zyx"), [1, 1, 1], path="../x"), "refers to the level '../x'"),
        (lambda: group(space("zyx"), [1, 1]), "does not describe an OME-Zarr image"),
        (lambda: empty(3), "contains no array"),
        (lambda: empty(2), "contains no array"),
    ],
)
def test_other_groups_are_rejected(make, words):
    """Oracle: the contract, with one sentence that contains the reason."""
    for read in (read_image, header):
        with pytest.raises(DataError, match=words) as caught:
            read(make())
        assert "\n" not in str(caught.value)


def test_missing_chunks():
    """Oracle: determined by hand. If the file states a fill value, this value is used with a warning. Otherwise, an
    error contains the number of chunks."""
    group(space("zyx"), [1, 1, 1])
    head = Path("g.zarr/0/.zarray")
    for path in Path("g.zarr/0").iterdir():
        if path.name != ".zarray" and path.name != ".zattrs":
            path.unlink()
    facts = json.loads(head.read_text())
    head.write_text(json.dumps({**facts, "fill_value": 5}))
    volume = read_image("g.zarr")
    assert (volume.values == 5).all() and "1 of 1 chunks are missing" in volume.warnings[0]
    head.write_text(json.dumps({**facts, "fill_value": None}))
    with pytest.raises(DataError, match="1 of 1 chunks are missing, without a fill value"):
        read_image("g.zarr")
    head.write_text(json.dumps({**facts, "shape": [2**10, 2**8, 2**8], "chunks": [1, 1, 1], "dtype": "|u1"}))
    with pytest.raises(DataError, match="has 67108864 chunks; the limit is 4194304"):
        read_image("g.zarr")
    for change in (
        {"shape": [2**13] * 3},
        {"chunks": [0, 1, 1]},
        {"dtype": "O"},
        {"filters": [{"id": "delta"}]},
        {"shape": "x"},
    ):
        head.write_text(json.dumps({**facts, "fill_value": 5, **change}))
        with pytest.raises(DataError):
            read_image("g.zarr")


def version_3(values: np.ndarray = GREY, name: str = "a.zarr", **more) -> zarr.Array:
    """An array of version 3, with chunks of 32 x 5 x 40 voxels unless given."""
    shutil.rmtree(name, ignore_errors=True)
    array = zarr.create_array(
        name, shape=values.shape, dtype=values.dtype, zarr_format=3, **({"chunks": (32, 5, 40)} | more)
    )
    array[:] = values
    return array


LAYOUTS = {
    "plain": {"compressors": None},
    "gzip": {"compressors": zarr.codecs.GzipCodec()},
    "zstd": {"compressors": zarr.codecs.ZstdCodec(checksum=True)},
    "blosc": {"compressors": zarr.codecs.BloscCodec()},
    "checksum": {"compressors": [zarr.codecs.GzipCodec(), zarr.codecs.Crc32cCodec()]},
    "big": {"serializer": zarr.codecs.BytesCodec(endian="big")},
    "transposed": {"filters": [zarr.codecs.TransposeCodec(order=(1, 2, 0))]},
    "names": {"chunk_key_encoding": {"name": "v2", "separator": "."}},
    "shards": {"chunks": (8, 3, 10), "shards": (32, 6, 40)},
    "shards, gzip": {"chunks": (8, 3, 10), "shards": (32, 6, 40), "compressors": zarr.codecs.GzipCodec()},
    "shards, index first": {
        "chunks": (32, 6, 40),
        "serializer": zarr.codecs.ShardingCodec(
            chunk_shape=(8, 3, 10), codecs=[zarr.codecs.BytesCodec(), zarr.codecs.ZstdCodec()], index_location="start"
        ),
        "compressors": None,
    },
}


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize("kind", ["u1", "i2", "f4"])
def test_version_3(name, kind):
    """Oracle: the package zarr, which wrote the data."""
    values = GREY.astype(kind)
    values[:32, :5, :40] = 0  # chunks that the package omits
    version_3(values, **LAYOUTS[name])
    volume = read_image("a.zarr")
    assert volume.values.dtype == values.dtype and header("a.zarr").shape == GREY.shape
    np.testing.assert_array_equal(volume.values, values)
    assert volume.warnings and "their voxels have the fill value 0" in volume.warnings[0]


@pytest.mark.parametrize("name", ["gzip", "zstd", "checksum", "shards", "shards, gzip", "shards, index first"])
def test_damaged_chunks_and_shards_are_rejected(name):
    """Oracle: the contract: any shorter file is rejected in one sentence; a changed byte is rejected if the format has a
    checksum of this byte."""
    version_3(**LAYOUTS[name])
    file = sorted(p for p in files_of("a.zarr") if p.name != "zarr.json")[1]
    good = file.read_bytes()
    for length in (0, 3, len(good) // 2, len(good) - 1):
        file.write_bytes(good[:length])
        with pytest.raises(DataError, match="copy it again") as caught:
            read_image("a.zarr")
        assert "\n" not in str(caught.value) and str(file) in str(caught.value)
    changed = bytearray(good)
    changed[5 if "first" in name else -5] ^= 16  # in the table of a shard, or in a checksum
    file.write_bytes(changed)
    with pytest.raises(DataError, match="copy it again"):
        read_image("a.zarr")


def test_a_chunk_outside_of_the_array_is_rejected():
    """Oracle: the contract: the metadata and the chunks are of different arrays."""
    version_3()
    shutil.copytree("a.zarr/c/2", "a.zarr/c/3")
    with pytest.raises(DataError, match="c/3/0/0' is a chunk outside of the array"):
        read_image("a.zarr")


def test_a_shard_that_names_bytes_outside_of_its_file_is_rejected():
    """Oracle: the contract, for a table with a valid checksum."""
    from osteon.images.zarr_codecs import crc32c

    version_3(**LAYOUTS["shards"])
    file = next(p for p in files_of("a.zarr") if p.name != "zarr.json")
    data = bytearray(file.read_bytes())
    table = -(16 * 4 * 2 * 4) - 4
    for entry in ((1 << 40, 20), (2**64 - 2, 40), (0, 1 << 50)):
        data[table : table + 16] = entry[0].to_bytes(8, "little") + entry[1].to_bytes(8, "little")
        data[-4:] = crc32c(bytes(data[table:-4])).to_bytes(4, "little")
        file.write_bytes(data)
        with pytest.raises(DataError, match="names bytes outside of the file"):
            read_image("a.zarr")


def test_the_finest_of_several_resolutions_is_used():
    """Oracle: by hand: OME-Zarr 0.5 with units; the larger of two arrays, although the file lists it second."""
    shutil.rmtree("g.zarr", ignore_errors=True)
    root = zarr.open_group("g.zarr", mode="w", zarr_format=3)
    root.create_array("coarse", data=GREY[::2, ::2, ::2])
    root.create_array("fine", data=GREY, chunks=(8, 3, 11), shards=(16, 9, 66))
    levels = [
        {"path": path, "coordinateTransformations": [{"type": "scale", "scale": scale}]}
        for path, scale in (("coarse", [6, 4, 2]), ("fine", [3, 2, 1]))
    ]
    root.attrs["ome"] = {"version": "0.5", "multiscales": [{"axes": space("zyx"), "datasets": levels}]}
    volume = read_image("g.zarr")
    np.testing.assert_array_equal(volume.values, GREY)
    assert volume.spacing_mm == pytest.approx((3e-3, 2e-3, 1e-3))
    assert volume.facts["resolution"] == {"level": "fine", "levels": 2}


def test_crc32c():
    """Oracle: the check value of CRC-32C, and RFC 3720, B.4: 32 bytes of zeros."""
    from osteon.images.zarr_codecs import crc32c

    assert crc32c(b"123456789") == 0xE3069283 and crc32c(bytes(32)) == 0x8A9136AA
