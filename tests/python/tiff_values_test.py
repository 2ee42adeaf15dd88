"""Grey values and axes of TIFF files. Oracle: the arrays that tifffile or Pillow wrote, and their functions."""

from pathlib import Path

import numpy as np
import pytest
import tifffile
from osteon.errors import DataError
from osteon.images.look_at_image import header, inspect, places
from osteon.images.read_image import read_image
from PIL import Image

STORED = np.random.default_rng(3).integers(0, 65536, (6, 8, 10)).astype("u2")
MASK = np.random.default_rng(3).integers(0, 3, (6, 8, 10)) == 0


@pytest.fixture(autouse=True)
def _in_tmp(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def agreed(name: str) -> np.ndarray:
    """Values from the reader. The values of a quick look, which reads the header and some planes, are equal."""
    volume, seen = read_image(name), header(name)
    assert tuple(seen.shape) == volume.values.shape and seen.spacing_mm == volume.spacing_mm
    assert seen.dtype == volume.values.dtype.name
    for z, plane in zip(places(len(volume.values)), seen.planes, strict=False):
        np.testing.assert_array_equal(plane, volume.values[z])
    return volume.values


def imagej(lines: str, stored: np.ndarray = STORED, name: str = "ij.tif", **options) -> str:
    words = f"ImageJ=1.53t\nimages={len(stored)}\nslices={len(stored)}\nunit=mm\nspacing=0.05\n{lines}"
    options = {"photometric": "minisblack", **options}
    tifffile.imwrite(name, stored, metadata=None, description=words, resolution=(20, 20), resolutionunit=1, **options)
    return name


@pytest.mark.parametrize(
    ("lines", "function", "kind", "unit"),
    [
        ("cf=0\nc0=-32768.0\nc1=1.0\nvunit=Gray Value\n", lambda v: v - 32768, "int16", None),
        ("cf=0\nc0=-1024\nc1=1\nvunit=HU\n", lambda v: v - 1024, "int32", "HU"),
        ("cf=0\nc0=-1024\nc1=1.5\nvunit=HU\n", lambda v: 1.5 * v - 1024, "float32", "HU"),
        ("cf=1\nc0=1\nc1=0.5\nc2=1e-3\nvunit=a\n", lambda v: 1 + 0.5 * v + 1e-3 * v * v, "float32", "a"),
        ("cf=20\n", lambda v: v, "uint16", None),
        ("", lambda v: v, "uint16", None),
    ],
)
def test_imagej_calibrations_are_applied(lines, function, kind, unit):
    """Oracle: the calibration of ImageJ, c0 + c1 v + c2 v^2 ... of a stored value v, in 32-bit floats."""
    values = agreed(imagej(lines))
    assert values.dtype.name == kind
    np.testing.assert_allclose(values, function(STORED.astype("f8")), rtol=1e-7)
    volume = read_image("ij.tif")
    assert volume.spacing_mm == pytest.approx((0.05,) * 3) and volume.facts.get("unit") == unit
    assert len(volume.warnings) == (kind != "int16" and "c0" in lines)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("cf=21\n", "calibration function 21; supported are .* Image > Type > 32-bit"),
        ("cf=4\nc0=1\nc1=1\n", "calibration function 4"),
        ("cf=0\nc0=1\n", "without its 2 coefficients"),
        ("cf=0\nc0=nan\nc1=1\n", "without its 2 coefficients"),
        ("cf=0\nc0=3\nc1=0\n", "not all 0"),
    ],
)
def test_other_calibrations_are_rejected(lines, words):
    """Oracle: the contract, with the name of the function and the remedy."""
    with pytest.raises(DataError, match=words):
        read_image(imagej(lines))


def test_a_calibration_of_floats_is_not_applied_as_in_imagej():
    """Oracle: ImageJ calibrates only images of 8 and 16 bits."""
    values = STORED.astype("f4")
    np.testing.assert_array_equal(agreed(imagej("cf=0\nc0=-5\nc1=2\n", values)), values)
    assert "not applied" in read_image("ij.tif").warnings[0]


def test_slices_of_imagej_are_calibrated_alike():
    """Oracle: v - 32768. Slices with two calibrations are not a stack."""
    for z, plane in enumerate(STORED):
        imagej("cf=0\nc0=-32768.0\nc1=1.0\n", plane[None], f"s{z}.tif")
    np.testing.assert_array_equal(read_image(".").values, STORED.astype("i4") - 32768)
    imagej("", STORED[3:4], "s3.tif")
    with pytest.raises(DataError, match=r"s3\.tif' has another calibration"):
        read_image(".")


@pytest.mark.parametrize("kind", ["bool", "u1", "u2", "u4"])
@pytest.mark.parametrize("compression", [None, "packbits", "zlib"])
def test_white_is_zero_is_inverted(kind, compression):
    """Oracle: the specification of TIFF 6.0. 0 is white, so that the grey value is 2^bits - 1 - v."""
    stored = MASK if kind == "bool" else (STORED >> (8 if kind == "u1" else 0)).astype(kind)
    stored = stored.astype("u4") * 1000 % 2**31 if kind == "u4" else stored
    tifffile.imwrite("w.tif", stored, photometric="miniswhite", metadata=None, compression=compression)
    largest = 1 if kind == "bool" else np.iinfo(kind).max
    expected = largest - stored.astype("i8")
    np.testing.assert_array_equal(agreed("w.tif"), expected)
    assert "WhiteIsZero, so its values are inverted" in read_image("w.tif").warnings[0]


def test_a_white_mask_of_pillow():
    """Oracle: Pillow, which inverts masks of one bit."""
    frames = [Image.fromarray(plane) for plane in MASK]
    frames[0].save("w.tif", save_all=True, compression="packbits", tiffinfo={262: 0}, append_images=frames[1:])
    with Image.open("w.tif") as image:
        expected = [np.asarray((image.seek(z), image)[1]) for z in range(6)]
    np.testing.assert_array_equal(agreed("w.tif"), expected)


def test_floats_have_no_white_to_invert_by():
    """Oracle: the values written. The warning states that these values are not inverted."""
    tifffile.imwrite("f.tif", STORED.astype("f4"), photometric="miniswhite", metadata=None)
    np.testing.assert_array_equal(agreed("f.tif"), STORED)
    assert "used as stored" in read_image("f.tif").warnings[0]


@pytest.mark.parametrize("width", [8, 10, 1])
def test_masks_of_one_bit_without_compression(width):
    """Oracle: the data that Pillow wrote. Rows end at a byte."""
    mask = MASK[:, :, :width]
    frames = [Image.fromarray(plane) for plane in mask]
    frames[0].save("m.tif", save_all=True, append_images=frames[1:])
    np.testing.assert_array_equal(agreed("m.tif"), mask)
    data = Path("m.tif").read_bytes()
    for cut in (200, len(data) // 2):
        Path("m.tif").write_bytes(data[:-cut])
        with pytest.raises(DataError):
            read_image("m.tif")


@pytest.mark.parametrize("options", [{}, {"rowsperstrip": 3}, {"tile": (16, 16)}, {"compression": "zlib"}])
def test_twelve_bits(options):
    """Oracle: the data written by tifffile."""
    stored = STORED >> 4
    if "compression" in options:
        stored = stored << 4  # 16 bits: tifffile does not write packed samples of 12 bits
    bits = {} if "compression" in options else {"bitspersample": 12}
    if "tile" in options:
        bits = {}
    tifffile.imwrite("t.tif", stored, photometric="minisblack", metadata=None, **bits, **options)
    np.testing.assert_array_equal(agreed("t.tif"), stored)


@pytest.mark.parametrize("axes", ["XYZ", "ZXY", "YXZ", "ZYX", "QYX", "TZYX", "CZYX"])
def test_named_axes_are_put_in_order(axes):
    """Oracle: the transposition by numpy of the array that tifffile wrote with these axes."""
    volume = STORED if len(axes) == 3 else STORED[None]
    at = {name: i for i, name in enumerate("ZYX" if "Q" not in axes else "QYX")}
    written = volume if len(axes) == 4 else volume.transpose([at[name] for name in axes])
    tifffile.imwrite("a.tif", written, photometric="minisblack", metadata={"axes": axes})
    np.testing.assert_array_equal(agreed("a.tif"), STORED)


@pytest.mark.parametrize(("axes", "words"), [("TYX", "so 6 time"), ("CYX", "so 6 channels")])
@pytest.mark.parametrize("name", ["a.tif", "a.ome.tif"])
def test_times_and_channels_are_no_slices(axes, words, name):
    """Oracle: the contract. An image with several times or channels is rejected, also by a quick look."""
    tifffile.imwrite(name, STORED, photometric="minisblack", metadata={"axes": axes})
    for read in (read_image, header):
        with pytest.raises(DataError, match=words + ".*'axes': 'ZYX'"):
            read(name)


def test_a_distance_of_slices_makes_channels_of_imagej_slices():
    """Oracle: the data that tifffile wrote. Without names of axes, tifffile writes channels."""
    tifffile.imwrite("a.tif", STORED, imagej=True, metadata={"spacing": 3.0, "unit": "microns"}, resolution=(0.5, 0.25))
    np.testing.assert_array_equal(agreed("a.tif"), STORED)
    volume = read_image("a.tif")
    assert volume.spacing_mm == pytest.approx((3e-3, 4e-3, 2e-3)) and "6 channels and a distance" in volume.warnings[0]


@pytest.mark.parametrize(
    ("unit", "mm"),
    [("Å", 1e-7), ("pm", 1e-9), ("Mm", 1e9), ("cm", 10), ("in", 25.4), ("thou", 0.0254), ("pixel", None), ("km", 1e6)],
)
def test_units_of_ome(unit, mm):
    """Oracle: UnitsLength of OME, determined by hand."""
    sizes = {f"PhysicalSize{a}": 2.0 for a in "XYZ"} | {f"PhysicalSize{a}Unit": unit for a in "XYZ"}
    tifffile.imwrite("a.ome.tif", STORED, metadata={"axes": "ZYX", **sizes})
    assert read_image("a.ome.tif").spacing_mm == (None if mm is None else pytest.approx((2 * mm,) * 3))


@pytest.mark.parametrize(
    ("unit", "mm"),
    [("micrometers", 1e-3), ("Millimeters", 1), ("centimetres", 10), ("nanometers", 1e-6), ("inches", None)],
)
def test_units_in_the_plural(unit, mm):
    """Oracle: determined by hand. An inch is a unit of printers and not a voxel size."""
    imagej("")
    name = imagej("", name="u.tif")
    data = Path(name).read_bytes().replace(b"unit=mm\n", b"")
    Path(name).write_bytes(data)
    words = f"ImageJ=1.53t\nimages=6\nslices=6\nunit={unit}\nspacing=2\n"
    tifffile.imwrite(name, STORED, metadata=None, photometric="minisblack", description=words, resolution=(0.5, 0.5))
    assert read_image(name).spacing_mm == (None if mm is None else pytest.approx((2 * mm,) * 3))


def test_units_of_each_axis_of_imagej():
    """Oracle: determined by hand. ImageJ states yunit and zunit if they differ."""
    words = "ImageJ=1.53t\nimages=6\nslices=6\nunit=mm\nyunit=um\nzunit=cm\nspacing=2\n"
    tifffile.imwrite(
        "u.tif", STORED, metadata=None, photometric="minisblack", description=words, resolution=(0.5, 0.25)
    )
    assert read_image("u.tif").spacing_mm == pytest.approx((20, 4e-3, 2))


def test_a_large_mask_is_checked_by_some_planes():
    """Oracle: the mask. Its values are counted as numbers, which JSON can represent."""
    tifffile.imwrite("m.tif", MASK, photometric="minisblack", metadata=None)
    np.save("m.npy", MASK)
    for name in ("m.tif", "m.npy"):
        part = inspect(name, 10, 0.5, None)
        sample = MASK[places(6)]
        assert not part["whole"] and part["dtype"] == "uint8"
        assert (part["grey_min"], part["grey_max"]) == (0, 1) and type(part["grey_max"]) is int
        assert part["above"] == sample.mean()


def test_a_large_image_with_nan_is_rejected_by_its_planes():
    """Oracle: the first NaN by numpy in the first inspected plane."""
    values = STORED.astype("f4")
    values[places(6)[1], 2, 3] = values[places(6)[1], 5, 4] = np.nan
    np.save("n.npy", values)
    with pytest.raises(DataError, match=rf"has 2 values .* NaN or infinite.*first at .* = \({places(6)[1]}, 2, 3\)"):
        inspect("n.npy", 10, 0.5, None)
