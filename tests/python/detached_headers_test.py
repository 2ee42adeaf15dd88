"""Headers of MetaImage and NRRD. Oracle: SimpleITK, if it follows the format, and otherwise the data that the test
wrote."""

import gzip
import os
import zlib
from pathlib import Path

import numpy as np
import pytest
import SimpleITK as sitk  # noqa: N813
from osteon.errors import DataError
from osteon.images.look_at_image import header, places
from osteon.images.read_image import digest, files_of, read_image

GREY = np.random.default_rng(7).integers(-900, 2000, (6, 8, 10)).astype("<i2")
META = "ObjectType = Image\nNDims = 3\nBinaryData = True\nDimSize = 10 8 6\nElementType = MET_SHORT\n"
NRRD = "NRRD0004\ntype: int16\ndimension: 3\nsizes: 10 8 6\nendian: little\nencoding: raw\n"
NAMES = [f"s{z:03d}.raw" for z in range(6)]


@pytest.fixture(autouse=True)
def _in_tmp(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def agreed(name: str):
    """Read the volume. A quick look at its header and some planes has an equal result."""
    volume, seen = read_image(name), header(name)
    assert tuple(seen.shape) == volume.values.shape and seen.spacing_mm == volume.spacing_mm
    assert np.dtype(seen.dtype) == volume.values.dtype
    for z, plane in zip(places(len(volume.values)), seen.planes, strict=False):
        np.testing.assert_array_equal(plane, volume.values[z])
    return volume


def slices(head: bytes = b"", pack=bytes) -> None:
    for name, plane in zip(NAMES, GREY, strict=True):
        Path(name).write_bytes(head + pack(plane.tobytes()))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("list.mhd", META + "ElementSpacing = .02 .03 .04\nElementDataFile = LIST\n" + "\n".join(NAMES) + "\n"),
        ("list2.mhd", META + "ElementSpacing = .02 .03 .04\nElementDataFile = LIST 2D\n" + "\n".join(NAMES) + "\n"),
        ("pattern.mhd", META + "ElementSpacing = .02 .03 .04\nElementDataFile = s%03d.raw 0 5 1\n"),
        ("skip.mhd", META + "ElementSpacing = .02 .03 .04\nHeaderSize = -1\nElementDataFile = s%03d.raw 0 5 1\n"),
        ("list.nhdr", NRRD + "spacings: .02 .03 .04\ndata file: LIST\n" + "\n".join(NAMES) + "\n"),
        ("list2.nhdr", NRRD + "spacings: .02 .03 .04\ndata file: LIST 2\n" + "\n".join(NAMES)),
        ("pattern.nhdr", NRRD + "spacings: .02 .03 .04\ndata file: s%03d.raw 0 5 1\n"),
        ("skip.nhdr", NRRD + "spacings: .02 .03 .04\nbyte skip: -1\ndatafile: s%03d.raw 0 5 1 2\n"),
    ],
)
def test_voxels_in_several_files(name, text):
    """Oracle: the slices written, and SimpleITK for the files that it reads."""
    slices(b"a head of some bytes" if name.startswith("skip") else b"")
    Path(name).write_text(text)
    volume = agreed(name)
    np.testing.assert_array_equal(volume.values, GREY)
    assert volume.spacing_mm == pytest.approx((0.04, 0.03, 0.02))
    if name.endswith(".mhd") and not name.startswith("skip"):
        np.testing.assert_array_equal(sitk.GetArrayFromImage(sitk.ReadImage(name)), GREY)
    assert [p.name for p in files_of(name)] == [name, *NAMES]
    before = digest(name)
    Path(NAMES[4]).write_bytes(bytes(len(Path(NAMES[4]).read_bytes())))
    assert digest(name) != before


@pytest.mark.parametrize(
    ("name", "text", "pack"),
    [
        ("a.mhd", META + "CompressedData = True\nElementDataFile = LIST\n" + "\n".join(NAMES), zlib.compress),
        ("a.nhdr", NRRD.replace("raw", "gzip") + "data file: s%03d.raw 0 5 1\n", gzip.compress),
    ],
)
def test_packed_voxels_in_several_files(name, text, pack):
    """Oracle: the slices written. Each file has its own checksum."""
    slices(pack=pack)
    Path(name).write_text(text)
    volume = agreed(name)
    np.testing.assert_array_equal(volume.values, GREY)
    assert volume.spacing_mm is None
    data = bytearray(Path(NAMES[2]).read_bytes())
    data[-2] ^= 1
    Path(NAMES[2]).write_bytes(data)
    with pytest.raises(DataError, match=r"s002\.raw' is truncated or damaged"):
        read_image(name)


@pytest.mark.parametrize("data", ["my scan.raw", "s 1 2 3.raw", "größe.raw", "100%.raw"])
@pytest.mark.parametrize("ending", ["mhd", "nhdr"])
def test_names_with_spaces_and_other_letters(data, ending):
    """Oracle: the voxels written, which the digest covers."""
    data = os.fsdecode(data.encode())
    Path(data).write_bytes(GREY.tobytes())
    line = f"ElementDataFile = {data}\n" if ending == "mhd" else f"data file: {data}\n"
    Path(f"a.{ending}").write_bytes(os.fsencode((META if ending == "mhd" else NRRD) + line))
    np.testing.assert_array_equal(agreed(f"a.{ending}").values, GREY)
    before = digest(f"a.{ending}")
    Path(data).write_bytes(GREY[::-1].tobytes())
    assert digest(f"a.{ending}") != before


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("ElementDataFile = s%03d.raw 0 600000 1\n", "600001 files for 6 planes"),
        ("ElementDataFile = s%03d.raw 5 0 1\n", "0 files for 6 planes"),
        ("ElementDataFile = s%03d.raw 0 5 0\n", "0 files for 6 planes"),
        ("ElementDataFile = s%03d.raw 0 4 1\n", "requires 192"),
        ("ElementDataFile = LIST\n", "in 0 data files"),
        ("ElementDataFile = s%03d.raw 0 6 2\n", "s006.raw', which is not in"),
        ("ElementDataFile = LIST\n" + "s000.raw\n" * 7, "480 voxels in 7 data files, which must have equal sizes"),
        ("ElementDataFile = LIST\ns000.raw\nmissing.raw\n", "missing.raw', which is not in"),
        ("ElementDataFile = LIST\ns000.raw\ns001.raw\n", "contain at most 160|requires 480"),
        ("ElementDataFile = %99999999d.raw 0 5 1\n", "which is not in"),
        ("ElementDataFile = %s%n.raw\n", "which is not in"),
    ],
)
def test_bad_lists_are_rejected(line, words):
    """Oracle: the contract, with one sentence that contains the numbers."""
    slices()
    Path("a.mhd").write_text(META + line)
    with pytest.raises(DataError, match=words) as caught:
        read_image("a.mhd")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("unit", [None, "?", "mm", "um", "cm", "UM"])
@pytest.mark.parametrize("case", [str, str.lower, str.upper])
def test_metaimage_units_and_keys_in_any_case(unit, case):
    """Oracle: lengths computed by hand. Position and axes are those of SimpleITK in its unit. In the usual case, they
    are those of the header."""
    keys = {
        "TransformMatrix": "0.8 -0.6 0 0.6 0.8 0 0 0 1",
        "Offset": "10 20 30",
        "ElementSpacing": "20 30 40",
        **({} if unit is None else {"DistanceUnits": unit}),
    }
    lines = "".join(f"{case(key)} = {value}\n" for key, value in keys.items())
    start = (
        META
        if case is str
        else "".join(case(k) + " = " + v + "\n" for k, v in (x.split(" = ") for x in META.split("\n")[:-1]))
    )
    Path("a.mha").write_bytes((start + lines + case("ElementDataFile") + " = LOCAL\n").encode() + GREY.tobytes())
    volume = agreed("a.mha")
    mm = {"um": 1e-3, "UM": 1e-3, "cm": 10.0}.get(unit, 1.0)
    np.testing.assert_array_equal(volume.values, GREY)
    assert volume.spacing_mm == pytest.approx((40 * mm, 30 * mm, 20 * mm))
    assert len(volume.warnings) == (mm != 1.0)
    plain = "".join(f"{key} = {value}\n" for key, value in keys.items() if key != "DistanceUnits")
    Path("b.mha").write_bytes((META + plain + "ElementDataFile = LOCAL\n").encode() + GREY.tobytes())
    image = sitk.ReadImage("b.mha")
    np.testing.assert_allclose(volume.placement.direction.ravel(), image.GetDirection(), atol=1e-12)
    corner = np.array(image.TransformContinuousIndexToPhysicalPoint([-0.5] * 3)) * mm
    np.testing.assert_allclose(volume.placement.direction @ volume.placement.corner_mm, corner, atol=1e-9)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("10 8 6", "10 8"), "states NDims = 3 and DimSize"),
        (("NDims = 3", "NDims = x"), "damaged header"),
        (("MET_SHORT", "MET_STRING"), "ElementType 'MET_STRING'"),
        (("MET_SHORT\n", "MET_SHORT\nElementNumberOfChannels = 3\n"), "3 components per voxel"),
        (("MET_SHORT\n", "MET_SHORT\nElementSpacing = 1 2\n"), "2 voxel sizes for 3 axes"),
        (("MET_SHORT\n", "MET_SHORT\nDistanceUnits = inch\n"), "DistanceUnits = inch"),
        (("MET_SHORT\n", "MET_SHORT\nHeaderSize = -2\n"), "HeaderSize = -2"),
        (("MET_SHORT\n", "MET_SHORT\nOffset = 0 nan 0\n"), "finite numbers"),
    ],
)
def test_bad_metaimages_are_rejected(change, words):
    """Oracle: the contract, with one sentence that contains the key and its value."""
    Path("a.mha").write_bytes((META.replace(*change) + "ElementDataFile = LOCAL\n").encode() + GREY.tobytes())
    with pytest.raises(DataError, match=words):
        read_image("a.mha")


@pytest.mark.parametrize(
    ("kind", "name"), [("<i8", "MET_LONG"), ("<i4", "MET_LONG"), (">f4", "MET_FLOAT"), ("<u8", "MET_ULONG_LONG")]
)
def test_types_of_metaimage(kind, name):
    """Oracle: the values written. MET_LONG has 4 or 8 bytes, depending on the length of the file."""
    values = (GREY.astype("i8") + 1000).astype(kind)
    order = "BinaryDataByteOrderMSB = True\n" if kind[0] == ">" else ""
    text = META.replace("MET_SHORT", name) + order + "ElementDataFile = LOCAL\n"
    Path("a.mha").write_bytes(text.encode() + values.tobytes())
    np.testing.assert_array_equal(read_image("a.mha").values, values)


def test_metaimage_as_text():
    """Oracle: the numbers written. A word that is not a number is rejected, and so is a number outside the range of the
    type."""
    head = META.replace("BinaryData = True", "BinaryData = False") + "ElementDataFile = LOCAL\n"
    text = " ".join(map(str, GREY.ravel()))
    Path("a.mha").write_text(head + text)
    np.testing.assert_array_equal(agreed("a.mha").values, GREY)
    for bad in ("x", "0.5", "99999"):
        Path("a.mha").write_text(head + text.rsplit(" ", 1)[0] + " " + bad)
        with pytest.raises(DataError, match=r"not numbers|outside the type|requires"):
            read_image("a.mha")


STEPS = "space directions: (1,0,0) (0,1,0) (0,0,1)\n"


@pytest.mark.parametrize("space", ["LPS", "3D-right-handed"])
def test_nrrd_with_directions_and_spacings_is_rejected(space):
    """Oracle: teem, which rejects an axis with both directions and a spacing. Spacings of nan define no length."""
    text = NRRD + f"space: {space}\n" + STEPS
    Path("a.nrrd").write_bytes((text + "spacings: 0.02 0.03 0.04\n\n").encode() + GREY.tobytes())
    for read in (read_image, header):
        with pytest.raises(DataError, match=r"directions \(lengths 1, 1, 1\) and spacings \(0.02, 0.03, 0.04\)"):
            read("a.nrrd")
    Path("b.nrrd").write_bytes((text + "spacings: nan nan nan\n\n").encode() + GREY.tobytes())
    assert agreed("b.nrrd").spacing_mm == (1, 1, 1)


@pytest.mark.parametrize(
    ("lines", "spacing", "warned"),
    [
        ("", None, False),
        ("spacings: 2 3 4\n", (4, 3, 2), True),
        ('spacings: 2 3 4\nunits: "mm" "mm" "mm"\n', (4, 3, 2), False),
        ('spacings: 2 3 4\nunits: "microns" "microns" "microns"\n', (4e-3, 3e-3, 2e-3), False),
        ('spacings: 2 3 4\nunits: "millimeters" "millimeters" "millimeters"\n', (4, 3, 2), False),
        ('spacings: 2 3 4\nunits: "pixel" "pixel" "pixel"\n', None, False),
        ("spacings: nan nan nan\n", None, False),
        ("space: LPS\n" + STEPS, (1, 1, 1), False),
        ("space dimension: 3\n" + STEPS, (1, 1, 1), True),
    ],
)
def test_nrrd_without_a_unit(lines, spacing, warned):
    """Oracle: the header, determined by hand. mm are assumed with a warning, except for patient axes, which DICOM
    defines in mm."""
    Path("a.nrrd").write_bytes((NRRD + lines + "\n").encode() + GREY.tobytes())
    volume = agreed("a.nrrd")
    assert volume.spacing_mm == (None if spacing is None else pytest.approx(spacing))
    assert [w for w in volume.warnings if "without a unit" in w] == volume.warnings and len(volume.warnings) == warned
