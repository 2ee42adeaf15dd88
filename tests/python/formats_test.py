"""Import of formats, one by one. Oracle: the data that the test wrote, by the writer of another program or byte by
byte."""

import gzip
import hashlib
import json
import struct
import sys
from pathlib import Path

import nibabel
import numpy as np
import pytest
import SimpleITK as sitk  # noqa: N813
import tifffile
from osteon.errors import DataError
from osteon.images.read_image import describe, read_image
from PIL import Image

GREY = np.random.default_rng(7).integers(-900, 2000, (3, 4, 5)).astype("i2")
SPACING = (0.5, 0.25, 2.0)  # x, y, z
ORIGIN = (-7.0, 3.0, 11.0)  # centre of the first voxel in LPS
TURN = np.array([[0.8, -0.6, 0.0], [0.6, 0.8, 0.0], [0.0, 0.0, 1.0]]) @ np.diag([1.0, -1.0, -1.0])


@pytest.fixture(autouse=True)
def _in_tmp(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def refused(source: str, words: str) -> None:
    with pytest.raises(DataError, match=words) as caught:
        read_image(source)
    assert "\n" not in str(caught.value)


def oblique(name: str) -> str:
    image = sitk.GetImageFromArray(GREY)
    image.SetSpacing(SPACING)
    image.SetOrigin(ORIGIN)
    image.SetDirection(TURN.ravel().tolist())
    sitk.WriteImage(image, name)
    return name


@pytest.mark.parametrize("name", ["a.nii", "a.nii.gz", "a.nrrd", "a.nhdr", "a.mha", "a.mhd"])
def test_an_oblique_image_keeps_its_place(name):
    """Oracle: the position of the low corner of the first voxel in ITK."""
    volume = read_image(oblique(name))
    np.testing.assert_array_equal(volume.values, GREY)
    assert volume.spacing_mm == pytest.approx(SPACING[::-1])
    np.testing.assert_allclose(volume.placement.direction, TURN, atol=1e-6)
    corner = sitk.ReadImage(name).TransformContinuousIndexToPhysicalPoint([-0.5] * 3)
    np.testing.assert_allclose(volume.placement.direction @ volume.placement.corner_mm, corner, atol=1e-5)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_an_archive_of_numpy(save, order):
    save("a.npz", image=np.asarray(GREY, order=order), mask=GREY > 0, spacing_mm=[0.3, 0.2, 0.1])
    volume = read_image("a.npz")
    np.testing.assert_array_equal(volume.values, GREY)
    assert volume.spacing_mm == (0.3, 0.2, 0.1)
    save("b.npz", GREY)
    np.testing.assert_array_equal(read_image("b.npz").values, GREY)
    assert read_image("b.npz").spacing_mm is None


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ({"a": GREY, "b": GREY}, "contains 'a' .3, 4, 5., 'b' .3, 4, 5.; one array"),
        ({"threshold": np.float64(3)}, "contains 'threshold' ..; one array"),
        ({}, "contains nothing; one array"),
        ({"image": GREY[0]}, "2-dimensional"),
        ({"image": np.array([[["text", None]]], dtype=object)}, "Python objects in 'image.npy'"),
        ({"image": GREY, "spacing_mm": [0.1, 0.2]}, "spacing_mm has shape .2,. of float64; it must be 3 numbers"),
        ({"image": GREY, "spacing_mm": [0.1, 0.2, -0.3]}, "voxel edges must be > 0"),
    ],
)
def test_archives_that_are_refused(arrays, words):
    np.savez("a.npz", **arrays)
    refused("a.npz", words)


def nifti(affine=None, unit="mm", code=1, values=GREY, change=None) -> str:
    image = nibabel.Nifti1Image(values.T, np.diag([*SPACING, 1]) if affine is None else affine)
    image.set_sform(image.affine, code)
    image.set_qform(image.affine if code else None, code)
    image.header.set_xyzt_units(unit)
    if change:
        change(image.header)
    nibabel.save(image, "a.nii")
    return "a.nii"


@pytest.mark.parametrize(
    ("unit", "scale"), [("meter", 1000), ("mm", 1), ("micron", 1e-3), ("unknown", 1), ("sec", 1), (7, None)]
)
def test_nifti_units(unit, scale):
    """Oracle: the lengths written, in the stated unit. Lengths without a unit are read as mm, with a message. The code
    7 is not a unit."""

    def change(header):
        if unit == 7:
            header["xyzt_units"] = 7

    volume = read_image(nifti(unit="mm" if unit == 7 else unit, change=change))
    assert volume.spacing_mm == (pytest.approx([scale * h for h in SPACING[::-1]]) if scale else None)
    warned = [w for w in volume.warnings if "a.nii" in w and "2, 0.25, 0.5 (z, y, x) without a unit" in w]
    assert len(warned) == (unit in ("unknown", "sec"))
    if scale:
        # along the axes of the image
        assert volume.placement.corner_mm == pytest.approx(-scale * np.array(SPACING) / 2)


def test_nifti_slope_and_missing_orientation():
    """Oracle: scl_slope x + scl_inter. Codes of 0 mean that the axes are unknown."""
    name = nifti(code=0)
    data = bytearray(Path(name).read_bytes())
    data[112:120] = struct.pack("<ff", 0.5, -10)  # scl_slope, scl_inter
    Path(name).write_bytes(data)
    volume = read_image(name)
    np.testing.assert_allclose(volume.values, GREY * 0.5 - 10)
    assert volume.placement.direction is None and volume.spacing_mm == pytest.approx(SPACING[::-1])


@pytest.mark.parametrize("code", [0, 1])
@pytest.mark.parametrize(("axis", "turn"), [(0, [1, -1, -1]), (1, [-1, 1, -1]), (2, [-1, -1, 1])])
def test_nifti_with_a_quaternion_longer_than_one_by_rounding(axis, turn, code):
    """Oracle: half a turn about an axis, computed by hand. The NIfTI library normalises the quaternion."""
    name = nifti(np.diag([*(np.array(turn) * SPACING), 1.0]))
    data = bytearray(Path(name).read_bytes())
    quaternion = np.zeros(3)
    quaternion[axis] = 1.0000002
    data[76:80] = struct.pack("<f", 1)  # qfac
    data[252:256] = struct.pack("<hh", 1, code)  # qform_code, sform_code
    data[256:268] = struct.pack("<3f", *quaternion)
    Path(name).write_bytes(data)
    volume = read_image(name)
    np.testing.assert_array_equal(volume.values, GREY)
    np.testing.assert_allclose(volume.placement.direction, np.diag([-1, -1, 1]) @ np.diag(turn), atol=1e-6)
    data[256:268] = struct.pack("<3f", *(1.01 * quaternion))
    Path(name).write_bytes(data)
    if code == 0:
        refused(name, "quaternion .* with the square 1.02")
    else:
        read_image(name)


@pytest.mark.parametrize("nii2", [False, True])
def test_nifti_with_an_sform_of_zeros_takes_its_qform(nii2):
    """Oracle: the affine matrix of the quaternion by nibabel."""
    affine = np.eye(4)
    affine[:3, :3], affine[:3, 3] = np.diag([-1.0, -1.0, 1.0]) @ TURN * SPACING, (7.0, -3.0, 11.0)
    image = (nibabel.Nifti2Image if nii2 else nibabel.Nifti1Image)(GREY.T, affine)
    image.header.set_xyzt_units("mm")
    image.set_qform(affine, 1)
    image.header["sform_code"] = 1
    for row in ("srow_x", "srow_y", "srow_z"):
        image.header[row] = 0
    image.header.set_slope_inter(1, 0)
    with Path("z.nii").open("wb") as file:
        image.header.write_to(file)
        file.write(bytes(int(image.header.get_data_offset() or (544 if nii2 else 352)) - file.tell()))
        file.write(GREY.tobytes())
    volume = read_image("z.nii")
    np.testing.assert_array_equal(volume.values, GREY)
    np.testing.assert_allclose(volume.placement.direction, TURN, atol=1e-6)
    corner = np.diag([-1, -1, 1]) @ (image.header.get_qform() @ [-0.5, -0.5, -0.5, 1])[:3]
    np.testing.assert_allclose(volume.placement.direction @ volume.placement.corner_mm, corner, atol=1e-4)
    assert "sform of zeros" in volume.warnings[0]


def test_bad_nifti_is_refused():
    sheared = np.diag([*SPACING, 1.0])
    sheared[0, 1] = 0.1
    refused(nifti(sheared), "not perpendicular.*resample")

    def other_zooms(header):
        header["pixdim"][1:4] = [1, 1, 1]

    refused(nifti(change=other_zooms), "is inconsistent")
    nibabel.save(nibabel.Nifti1Image(np.zeros((3, 3, 3), [(c, "u1") for c in "RGB"]), np.eye(4)), "rgb.nii")
    refused("rgb.nii", "one grey value")
    Path("a.nii.gz").write_bytes(gzip.compress(Path(nifti()).read_bytes()))
    data = bytearray(Path("a.nii.gz").read_bytes())
    data[-6] ^= 1  # a bit in the checksum, after all data that nibabel reads
    Path("a.nii.gz").write_bytes(data)
    refused("a.nii.gz", "CRC")


def nrrd(*lines: str) -> str:
    head = ["NRRD0005", "type: int16", "dimension: 3", "sizes: 5 4 3", "endian: little", "encoding: raw", *lines]
    Path("a.nrrd").write_bytes("\n".join(head).encode() + b"\n\n" + GREY.astype("<i2").tobytes())
    return "a.nrrd"


STEPS = "space directions: (1,0,0) (0,1,0) (0,0,1)"


@pytest.mark.parametrize(("space", "signs"), [("LPS", (1, 1)), ("right-anterior-superior", (-1, -1)), ("LAS", (1, -1))])
def test_nrrd_spaces(space, signs):
    volume = read_image(nrrd(f"space: {space}", STEPS, "space origin: (10,20,30)"))
    np.testing.assert_allclose(volume.placement.direction, np.diag([*signs, 1.0]))
    first = volume.placement.direction @ (volume.placement.corner_mm + 0.5)
    np.testing.assert_allclose(first, [signs[0] * 10, signs[1] * 20, 30])


@pytest.mark.parametrize("unit", ["µm", "μm", "um", "micron"])
def test_nrrd_micrometres(unit):
    """pynrrd alone would drop the µ and read metres."""
    assert read_image(nrrd("space dimension: 3", STEPS, f'space units: "{unit}" "{unit}" "{unit}"')).spacing_mm == (
        pytest.approx((1e-3,) * 3)
    )


def test_bad_nrrd_is_refused():
    refused(nrrd("space: LPS", "space directions: (1,0.2,0) (0,1,0) (0,0,1)"), "not perpendicular")
    refused(nrrd("space: LPS", "space directions: (0,0,0) (0,1,0) (0,0,1)"), "must be > 0")
    refused(nrrd("space: LPS", STEPS, "space origin: (nan,0,0)"), "finite")


@pytest.mark.parametrize(("ending", "kind"), [("png", "u1"), ("png", "u2"), ("bmp", "u1"), ("tif", "u2")])
def test_stacks_of_slices(ending, kind):
    for z in range(8, 12):
        sitk.WriteImage(sitk.GetImageFromArray(np.full((4, 5), z, kind)), f"s{z}.{ending}")
    Path("scan.log").write_text("a scanner's notes")
    volume = read_image(".")
    assert volume.values[:, 0, 0].tolist() == [8, 9, 10, 11] and volume.spacing_mm is None
    assert volume.values.dtype == np.dtype(kind)


def slices(*names: str) -> str:
    for name in names:
        sitk.WriteImage(sitk.GetImageFromArray(np.ones((4, 5), "u1")), name)
    return "."


def _colour() -> str:
    sitk.WriteImage(sitk.GetImageFromArray(np.arange(60, dtype="u1").reshape(4, 5, 3), isVector=True), "s1.png")
    return "."


@pytest.mark.parametrize(("mode", "ending"), [("RGB", "png"), ("RGB", "bmp"), ("LA", "png"), ("P", "png")])
def test_grey_slices_that_were_saved_as_colours(mode, ending):
    values = (GREY % 256).astype("u1")
    for z in range(3):
        Image.fromarray(values[z]).convert(mode).save(f"s{z}.{ending}")
    np.testing.assert_array_equal(read_image(".").values, values)


def _cut() -> str:
    slices("s1.png", "s2.png")
    Path("s2.png").write_bytes(Path("s2.png").read_bytes()[:-30])
    return "."


def _jpeg() -> str:
    Image.new("L", (5, 4)).save("s1.jpg")
    return "."


def _sizes() -> str:
    sitk.WriteImage(sitk.GetImageFromArray(np.ones((4, 6), "u1")), "s2.png")
    return slices("s1.png")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: slices("s1.png", "s2.png", "s5.png"), "'s2.png' .number 2. is followed by number 5: 2 of its slices"),
        (lambda: slices("s1.png", "s01.png"), "two slices with number 1"),
        (lambda: slices("s1.png", "s2.png", "s_spr.png"), "'s_spr.png' does not match 's1.png'"),
        (lambda: slices("a1_1.png", "a2_2.png"), "differ in 2 numbers"),
        (lambda: slices("s1.png", "s2.tif"), "several formats"),
        (_colour, "colour"),
        (_cut, "'s2.png' cannot be read"),
        (_jpeg, "JPEG pictures, which do not preserve grey values"),
        (_sizes, "one shape and type"),
    ],
)
def test_bad_stacks_are_refused(make, words):
    refused(make(), words)


def test_ome_tiff_states_its_spacing():
    metadata = {"axes": "ZYX", "PhysicalSizeX": 500, "PhysicalSizeXUnit": "nm", "PhysicalSizeY": 2, "PhysicalSizeZ": 3}
    tifffile.imwrite("a.ome.tif", GREY, metadata=metadata)
    assert read_image("a.ome.tif").spacing_mm == pytest.approx((3e-3, 2e-3, 5e-4))
    tifffile.imwrite("b.ome.tif", GREY, metadata={"axes": "ZYX", "PhysicalSizeX": 1})
    assert read_image("b.ome.tif").spacing_mm is None


def raw(head: dict, data: bytes | None = None, name: str = "a") -> str:
    Path(f"{name}.json").write_text(json.dumps(head))
    Path(f"{name}.raw").write_bytes(GREY.tobytes() if data is None else data)
    return f"{name}.raw"


HEAD = {"shape": [3, 4, 5], "dtype": "int16", "byte_order": "little"}


@pytest.mark.parametrize("name", ["a.raw", "a.json"])
def test_raw_with_a_json_header(name):
    more = {"spacing_mm": [2.0, 0.25, 0.5], "origin_mm": [1, 2, 3], "direction": TURN.ravel().tolist(), "unit": "HU"}
    raw({**HEAD, **more, "offset_bytes": 3, "sha256": hashlib.sha256(GREY).hexdigest()}, b"abc" + GREY.tobytes())
    volume = read_image(name)
    np.testing.assert_array_equal(volume.values, GREY)
    facts = describe(volume, name)
    assert facts["spacing_mm"] == [2.0, 0.25, 0.5] and facts["origin_mm"] == [1, 2, 3] and facts["unit"] == "HU"
    np.testing.assert_allclose(facts["direction"], TURN.ravel())
    swapped = raw({**HEAD, "byte_order": "big"}, GREY.astype(">i2").tobytes(), name="b")
    np.testing.assert_array_equal(read_image(swapped).values, GREY)


VGI = """{volume1}
[representation]
size = 5 4 3
datatype = signed integer
bitsperelement = 16
[file1]
SkipHeader = 4
FileFormat = raw
Size = 5 4 3
Name = C:\\scans\\a.vol
Datatype = signed integer
BitsPerElement = 16
{volumeprimitive12}
[geometry]
resolution = 0.5 0.25 2
unit = mm
"""


@pytest.mark.parametrize("name", ["a.vgi", "a.vol"])
def test_raw_with_a_vgi_header(name):
    Path("a.vgi").write_text(VGI)
    Path("a.vol").write_bytes(bytes(4) + GREY.astype("<i2").tobytes())
    volume = read_image(name)
    np.testing.assert_array_equal(volume.values, GREY)
    assert volume.spacing_mm == (2.0, 0.25, 0.5)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"shape": [3, 4]}, "shape"),
        ({"shape": [3, 4, -5]}, "shape"),
        ({"shape": [2**14, 2**14, 2**14]}, "the limit is"),
        ({"shape": [3, 4, 6]}, "has 120 bytes, but 'a.json' requires 144"),
        ({"dtype": "object"}, "supported: uint8"),
        ({"byte_order": None}, "byte_order"),
        ({"offset_bytes": -1}, "offset_bytes -1"),
        ({"spacing_mm": [1, 0, 1]}, "> 0"),
        ({"spacing_mm": [1, float("nan"), 1]}, "finite"),
        ({"direction": [1, 0, 0, 0.5, 1, 0, 0, 0, 1]}, "not perpendicular"),
        ({"sha256": "0" * 64}, "do not have the SHA-256"),
        ({"spacing": [1, 1, 1]}, "unknown key 'spacing'"),
        ({"file": "b.raw"}, "missing: searched for b.raw"),
    ],
)
def test_bad_raw_headers_are_refused(change, words):
    raw({**HEAD, **change})
    refused("a.json", words)


def test_raw_without_a_header_or_with_a_bad_one():
    Path("b.raw").write_bytes(GREY.tobytes())
    refused("b.raw", "without a header; state its layout in 'b.json'")
    Path("b.json").write_text("[1, 2")
    refused("b.raw", "is not JSON")
    Path("c.vol").write_bytes(b"x")
    for text, words in ((VGI.replace("raw", "tiff"), "file format 'tiff'"), ("{volume1}", "is not a supported .vgi")):
        Path("c.vgi").write_text(text)
        refused("c.vol", words)


def vax(value: float) -> bytes:
    """A double as Scanco machines store it. The 16-bit words are swapped, and the exponent is greater by two."""
    ieee = struct.unpack("<Q", struct.pack("<d", 4 * value))[0]
    return b"".join(struct.pack("<H", ieee >> shift & 0xFFFF) for shift in (48, 32, 16, 0))


def calibration_blocks(unit: bytes, first: bytes = b"Other") -> bytes:
    """A directory of blocks with one unknown block and the calibration."""
    directory, other, block = bytearray(1024), bytes(512), bytearray(1024)
    directory[8:24] = b"MultiHeader     "
    for i, (name, blocks) in enumerate(((first, 1), (b"Calibration", 2))):
        directory[512 + 128 * i + 8 : 512 + 128 * i + 24] = name.ljust(16)
        struct.pack_into("<i", directory, 512 + 128 * i + 24, blocks)
    block[648 : 648 + len(unit)] = unit
    block[664:672], block[672:680], block[688:696] = vax(1603.5), vax(-391.25), vax(0.2409)
    return bytes(directory) + other + bytes(block)


def isq(name: str, blocks: bytes = b"") -> str:
    """Write a Scanco ISQ file byte by byte. The file has 512 bytes of header, sizes in voxels and in micrometres,
    further blocks, and the values."""
    z, y, x = GREY.shape
    head = bytearray(512)
    head[:16] = b"CTDATA-HEADER_V1"
    um = [round(n * h * 1000) for n, h in zip((x, y, z), SPACING, strict=True)]
    struct.pack_into("<9i", head, 16, 3, 512 + len(blocks) + 2 * GREY.size, 2, 7, 1, 0, 0, x, y)
    struct.pack_into("<4i", head, 52, z, *um)
    struct.pack_into("<i", head, 88, 8192)  # mu_scaling
    struct.pack_into("<i", head, 508, len(blocks) // 512)
    Path(name).write_bytes(bytes(head) + blocks + GREY.astype("<i2").tobytes())
    return name


@pytest.mark.parametrize("name", ["C0001234.ISQ", "C0001234.ISQ;1"])
def test_scanco_isq(name):
    pytest.importorskip("py_aimio")
    volume = read_image(isq(name))
    np.testing.assert_array_equal(volume.values, GREY)
    assert volume.spacing_mm == pytest.approx(SPACING[::-1]) and "calibration" not in volume.facts


def test_scanco_isq_keeps_its_calibration():
    """Oracle: density = value * slope / mu_scaling + intercept, as in vtkbone and ITKIOScanco."""
    pytest.importorskip("py_aimio")
    volume = read_image(isq("a.isq", calibration_blocks(b"mg HA/ccm")))
    np.testing.assert_array_equal(volume.values, GREY)
    assert volume.facts["calibration"] == {"slope": 1603.5 / 8192, "intercept": -391.25, "unit": "mg HA/cm3"}
    assert "calibration" not in read_image(isq("b.isq", calibration_blocks(b"1/cm"))).facts


def test_scanco_aim_keeps_its_calibration_and_place():
    """Oracle: density = value * slope / mu_scaling + intercept, from the processing log."""
    aimio = pytest.importorskip("py_aimio")
    log = "Mu_Scaling 4096\nHU: mu water 0.2409\nDensity: slope 1600.5\nDensity: intercept -390.25\n"
    head = {"element_size": SPACING, "position": (10, 20, 30), "processing_log": log}
    aimio.write_aim("a.aim", GREY, head, unit="native")
    volume = read_image("a.aim")
    np.testing.assert_array_equal(volume.values, GREY)
    assert volume.facts["calibration"] == {"slope": 1600.5 / 4096, "intercept": -390.25, "unit": "mg HA/cm3"}
    assert volume.placement.origin_z_y_x() == pytest.approx((60, 5, 5))
    Path("b.aim").write_bytes(Path("a.aim").read_bytes()[:-40])
    refused("b.aim", "cannot be read|truncated")


def test_scanco_without_its_package_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "py_aimio", None)
    refused(isq("a.isq"), "pip install aimio-py")


@pytest.mark.parametrize("name", ["a.mgz", "a.mgh"])
def test_freesurfer_by_nibabel(name):
    """Oracle: the affine matrix of nibabel in RAS, for the low corner of the first voxel."""
    affine = np.eye(4)
    affine[:3, :3], affine[:3, 3] = np.diag([-1.0, -1.0, 1.0]) @ TURN * SPACING, (7.0, -3.0, 11.0)
    nibabel.save(nibabel.MGHImage(GREY.T.copy(), affine), name)
    volume = read_image(name)
    np.testing.assert_array_equal(volume.values, GREY)
    assert volume.spacing_mm == pytest.approx(SPACING[::-1])
    np.testing.assert_allclose(volume.placement.direction, TURN, atol=1e-6)
    corner = np.diag([-1, -1, 1]) @ (nibabel.load(name).affine @ [-0.5, -0.5, -0.5, 1])[:3]
    np.testing.assert_allclose(volume.placement.direction @ volume.placement.corner_mm, corner, atol=1e-4)


def test_freesurfer_without_its_flag_states_nothing():
    """Oracle: the format. Without goodRASFlag, the spacing and the axes of the header are undefined."""
    image = nibabel.MGHImage(GREY.T.copy(), np.diag([0.5, 0.5, 0.5, 1]))
    image.header["goodRASFlag"] = 0
    nibabel.save(image, "a.mgh")
    data = bytearray(Path("a.mgh").read_bytes())
    data[28:30] = b"\0\0"
    Path("a.mgh").write_bytes(data)
    assert read_image("a.mgh").spacing_mm is None


def hdf5(name: str = "a.h5", attributes: dict | None = None, **arrays: object) -> str:
    with pytest.importorskip("h5py").File(name, "w") as file:
        for key, values in arrays.items():
            file[key.replace("__", "/")] = values
        for key, value in (attributes or {}).items():
            (file[key.split("@")[0]] if key.split("@")[0] else file).attrs[key.split("@")[1]] = value
    return name


@pytest.mark.parametrize(
    ("arrays", "attributes", "spacing"),
    [
        ({"exchange__data": GREY}, {}, None),
        ({"image": GREY, "mask": GREY > 0}, {"image@spacing_mm": [0.3, 0.2, 0.1]}, (0.3, 0.2, 0.1)),
        ({"t0__channel0": GREY}, {"t0/channel0@element_size_um": [30, 20, 10]}, (0.03, 0.02, 0.01)),
        ({"g__image": GREY, "g__spacing_mm": [0.3, 0.2, 0.1]}, {}, (0.3, 0.2, 0.1)),
        ({"scan": GREY}, {"@spacing_mm": 0.05}, (0.05, 0.05, 0.05)),
    ],
)
def test_hdf5(arrays, attributes, spacing):
    """Oracle: the data written by h5py."""
    volume = read_image(hdf5("a.h5", attributes, **arrays))
    np.testing.assert_array_equal(volume.values, GREY)
    assert volume.spacing_mm == (None if spacing is None else pytest.approx(spacing))


def test_hdf5_in_chunks_of_any_depth():
    """Oracle: the data written by h5py, with chunks deeper than a piece, and without chunks."""
    h5py = pytest.importorskip("h5py")
    values = np.random.default_rng(1).integers(0, 9, (40, 30, 20)).astype(">u2")
    for chunks in (None, (7, 30, 20), (40, 5, 20)):
        with h5py.File("a.h5", "w") as file:
            file.create_dataset("x", data=values, chunks=chunks)
        np.testing.assert_array_equal(read_image("a.h5").values, values)


def test_a_model_of_parosol_is_a_modulus_image():
    """Oracle: the description of the file by ParOSol."""
    moduli = np.where(GREY > 0, 6829.0, 0.0).astype("f4")
    conditions = {"Image_Data__Fixed_Displacement_Coordinates": np.zeros((1, 4), "u2")}
    hdf5(
        "m.h5",
        {},
        Image_Data__Image=moduli / 1000,  # ParOSol uses GPa (see tests/job/test_export_parosol.py)
        Image_Data__Voxelsize=[0.02],
        Image_Data__Poisons_ratio=[0.3],
        **conditions,
    )
    volume = read_image("m.h5")
    np.testing.assert_allclose(volume.values, moduli, rtol=1e-6)
    assert volume.spacing_mm == (0.02, 0.02, 0.02) and volume.facts["unit"] == "MPa"
    assert "poisson_ratio = 0.3" in volume.warnings[0] and "supports and loads are not read" in volume.warnings[0]


@pytest.mark.parametrize(
    ("arrays", "attributes", "words"),
    [
        ({"a": GREY, "b": GREY}, {}, "contains '/a' .3, 4, 5., '/b' .3, 4, 5.; one array.*h5copy"),
        ({"a": [1, 2, 3]}, {}, "contains '/a' .3,.; one array"),
        ({}, {}, "contains no numbers"),
        ({"a": GREY}, {"a@spacing_mm": [0.1, 0.2]}, r"spacing_mm is \[0.1, 0.2\]; it must be 3 numbers"),
        ({"a": GREY}, {"a@spacing_mm": [0.1, 0.2, -1]}, "it must be 3 numbers"),
        ({"Image_Data__Image": GREY.astype("f4")}, {}, "model of ParOSol, but its /Image_Data/Voxelsize is None"),
        (
            {"Image_Data__Image": GREY.astype("f4"), "Image_Data__Voxelsize": [1.0, 2.0]},
            {},
            "has 2 numbers; one is required",
        ),
    ],
)
def test_hdf5_that_is_refused(arrays, attributes, words):
    """Oracle: the contract, with the content of the file and the remedy."""
    refused(hdf5("a.h5", attributes, **arrays), words)


def test_hdf5_that_points_elsewhere_is_refused():
    """Oracle: h5py creates a dataset whose bytes are those of another file, and a dataset that declares far more data
    than the file has."""
    h5py = pytest.importorskip("h5py")
    Path("secret").write_bytes(bytes(60))
    with h5py.File("a.h5", "w") as file:
        file.create_dataset("x", (3, 4, 5), "u1", external=[("secret", 0, 60)])
    refused("a.h5", "stores the values of '/x' in other files")
    with h5py.File("b.h5", "w") as file:
        file.create_dataset("x", (100_000, 1000, 1000), "u1", chunks=(1, 1000, 1000))
    refused("b.h5", "requires 100000000000 bytes")
    with h5py.File("c.h5", "w") as file:
        file["link"] = h5py.ExternalLink("b.h5", "/x")
    refused("c.h5", "contains no numbers")
    Path("d.h5").write_text("no HDF5")
    refused("d.h5", "not an HDF5 file")
