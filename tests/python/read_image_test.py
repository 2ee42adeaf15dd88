"""The image readers. Oracle: the array that the test wrote by another writer."""

import io
import json
import os
import plistlib
import resource
import subprocess
import sys
import tarfile
from pathlib import Path

import numpy as np
import pytest
import SimpleITK as sitk  # noqa: N813
import tifffile
from osteon.errors import DataError
from osteon.images.read_image import digest, main, read_image

GREY = np.random.default_rng(7).integers(0, 250, (3, 4, 5)).astype("u1")


@pytest.fixture(autouse=True)
def _in_tmp(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def itk(name: str, values: np.ndarray = GREY) -> str:
    image = sitk.GetImageFromArray(values)
    image.SetSpacing((0.1, 0.2, 0.3))
    sitk.WriteImage(image, name)
    return name


def inv3(name: str, cut: int = 0) -> str:
    plist = {
        "spacing": [0.1, 0.2, 0.3],
        "matrix": {"filename": "matrix.dat", "shape": list(GREY.shape), "dtype": "int16"},
    }
    data = GREY.astype("<i2").tobytes()
    with tarfile.open(name, "w") as archive:
        for member, content in (("p/main.plist", plistlib.dumps(plist)), ("p/matrix.dat", data[: len(data) - cut])):
            info = tarfile.TarInfo(member)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return name


def dicom(folder: str, skip: int | None = None) -> str:
    Path(folder).mkdir()
    writer = sitk.ImageFileWriter()
    writer.KeepOriginalImageUIDOn()
    for z in range(5):
        if z == skip:
            continue
        plane = sitk.GetImageFromArray(GREY[z % 3].astype("i2"))
        plane.SetSpacing((0.1, 0.2))
        plane.SetMetaData("0008|0060", "CT")
        plane.SetMetaData("0020|000e", "1.2.3.4")
        plane.SetMetaData("0020|000d", "1.2.3")
        plane.SetMetaData("0008|0018", f"1.2.3.4.{z + 1}")
        plane.SetMetaData("0020|0032", f"0\\0\\{z * 0.3}")
        plane.SetMetaData("0020|0037", "1\\0\\0\\0\\1\\0")
        plane.SetMetaData("0020|0013", str(z))
        writer.SetFileName(f"{folder}/{z}.dcm")
        writer.Execute(plane)
    return folder


def stack(folder: str) -> str:
    Path(folder).mkdir()
    for z in range(12):
        tifffile.imwrite(f"{folder}/s{z}.tif", np.full((4, 5), z, "u2"))
    return folder


def nrrd_in(unit: str) -> Path:
    head = "NRRD0004\ntype: uint8\ndimension: 3\nspace dimension: 3\nsizes: 5 4 3\nspace directions: (20,0,0) (0,20,0) (0,0,20)\n"
    Path("unit.nrrd").write_bytes(
        (head + f'space units: "{unit}" "{unit}" "{unit}"\nencoding: raw\n\n').encode() + GREY.tobytes()
    )
    return Path("unit.nrrd")


@pytest.mark.parametrize(("unit", "expected"), [("um", 0.02), ("mm", 20), ("cm", 200), ("furlong", None)])
def test_nrrd_units_are_kept(unit, expected):
    """Oracle: 20 of the unit, in mm. An unknown unit defines no length."""
    spacing = read_image(str(nrrd_in(unit))).spacing_mm
    assert spacing == (pytest.approx((expected,) * 3) if expected else None)


def test_tiff_whose_pages_differ_is_refused():
    with tifffile.TiffWriter("mixed.tif") as file:
        file.write(GREY, photometric="minisblack")
        file.write(GREY.astype("u2"), photometric="minisblack")
    with pytest.raises(DataError, match="2 series of pages"):
        read_image("mixed.tif")


def test_digest_covers_the_data_file_of_a_header():
    itk("a.mhd")
    limits = resource.getrlimit(resource.RLIMIT_AS)
    assert main(["a.mhd", "one.npy"]) == 0
    assert resource.getrlimit(resource.RLIMIT_AS) == limits
    before = digest("a.mhd")
    raw = Path("a.raw") if Path("a.raw").exists() else Path("a.zraw")
    raw.write_bytes(raw.read_bytes()[:-1] + b"\x07")
    assert digest("a.mhd") != before


@pytest.mark.parametrize("name", ["a.nii", "a.nii.gz", "a.nrrd", "a.mha", "a.mhd"])
def test_medical_formats_keep_values_and_spacing(name):
    volume = read_image(itk(name))
    np.testing.assert_array_equal(volume.values, GREY)
    assert volume.spacing_mm == pytest.approx((0.3, 0.2, 0.1))


@pytest.mark.parametrize(
    "options", [{}, {"bigtiff": True}, {"compression": "zlib"}, {"compression": "lzw"}, {"byteorder": ">"}]
)
def test_tiff_keeps_values_and_states_no_spacing(options):
    tifffile.imwrite("a.tif", GREY.astype("u2"), photometric="minisblack", **options)
    volume = read_image("a.tif")
    np.testing.assert_array_equal(volume.values, GREY)
    assert volume.values.dtype == np.dtype("<u2")
    assert volume.spacing_mm is None


@pytest.mark.parametrize(
    ("unit", "scale"), [("mm", 1), ("um", 1e-3), ("micron", 1e-3), ("", None), ("pixel", None), ("inch", None)]
)
def test_imagej_spacing_counts_only_with_a_real_unit(unit, scale):
    meta = {"axes": "ZYX", "spacing": 3.0, "unit": unit}
    tifffile.imwrite("a.tif", GREY, imagej=True, resolution=(1.0, 0.5), metadata=meta)
    spacing = read_image("a.tif").spacing_mm
    assert spacing is None if scale is None else spacing == pytest.approx((3 * scale, 2 * scale, 1 * scale))


def test_folder_and_pattern_of_slices_in_natural_order():
    stack("s")
    for source in ("s", "s/*.tif"):
        assert read_image(source).values[:, 0, 0].tolist() == list(range(12))


def test_inv3_dicom_and_npy():
    volume = read_image(inv3("a.inv3"))
    np.testing.assert_array_equal(volume.values, GREY)
    assert volume.spacing_mm == pytest.approx((0.3, 0.2, 0.1))
    volume = read_image(dicom("d"))
    np.testing.assert_array_equal(volume.values[:3], GREY)
    assert volume.spacing_mm == pytest.approx((0.3, 0.2, 0.1))
    np.save("a.npy", np.asfortranarray(GREY.astype(">f4")))
    volume = read_image("a.npy")
    assert volume.values.dtype == np.dtype("<f4") and volume.values.flags.c_contiguous


def test_nrrd_and_metaimage_without_spacing_state_none():
    Path("a.nrrd").write_bytes(b"NRRD0004\ntype: uint8\ndimension: 3\nsizes: 5 4 3\nencoding: raw\n\n" + GREY.tobytes())
    head = "NDims = 3\nDimSize = 5 4 3\nElementType = MET_UCHAR\nElementDataFile = LOCAL\n"
    Path("a.mha").write_bytes(head.encode() + GREY.tobytes())
    for name in ("a.nrrd", "a.mha"):
        volume = read_image(name)
        np.testing.assert_array_equal(volume.values, GREY)
        assert volume.spacing_mm is None


def _nan() -> str:
    values = GREY.astype("f4")
    values[1, 2, 3] = np.nan
    np.save("nan.npy", values)
    return "nan.npy"


def _npy(name: str, values: np.ndarray, **options: bool) -> str:
    np.save(name, values, **options)
    return name


def _tiff(name: str, values: np.ndarray, **options: object) -> str:
    tifffile.imwrite(name, values, **options)
    return name


def _bytes(name: str, data: bytes) -> str:
    Path(name).write_bytes(data)
    return name


BAD = {
    "missing": (lambda: "none.tif", "no file or folder"),
    "empty": (lambda: _bytes("a.tif", b""), "0 bytes"),
    "text": (lambda: _bytes("a.tif", b"hello, I am no image\n" * 50), "cannot be read"),
    "ending": (lambda: _bytes("a.txt", b"x"), "unknown file extension"),
    "empty folder": (lambda: Path("e").mkdir() or "e", "neither slices"),
    "nan": (_nan, r"1 values that are NaN.*\(1, 2, 3\)"),
    "strings": (lambda: _npy("a.npy", np.full((2, 2, 2), "x")), "type <U1"),
    "objects": (lambda: _npy("a.npy", np.full((2, 2, 2), None), allow_pickle=True), "cannot be read"),
    "two axes": (lambda: _npy("a.npy", GREY[0]), "2-dimensional"),
    "four axes": (lambda: _npy("a.npy", np.ones((2, 2, 2, 2))), "4-dimensional"),
    "rgb": (lambda: _tiff("a.tif", np.zeros((3, 8, 9, 3), "u1"), photometric="rgb"), "colour"),
    "big integers": (lambda: _npy("a.npy", np.full((2, 2, 2), 2**40)), "32 bits"),
    "dicom gap": (lambda: dicom("d", skip=2), "missing"),
    "inv3 cut": (lambda: inv3("a.inv3", cut=7), "truncated"),
    "vector nrrd": (lambda: itk("a.nrrd", np.zeros((2, 2, 2, 3))), "4-dimensional|components per voxel"),
    "huge nrrd": (
        lambda: _bytes("a.nrrd", b"NRRD0004\ntype: uint8\ndimension: 3\nsizes: 99999 99999 9999\nencoding: raw\n\nx"),
        "the limit is",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_data_is_refused_in_one_line(case):
    make, words = BAD[case]
    with pytest.raises(DataError, match=words) as caught:
        read_image(make())
    assert "\n" not in str(caught.value)


def test_command_prints_json_and_writes_the_array(capfd):
    itk("a.nrrd")
    assert main(["a.nrrd", "out.npy"]) == 0
    facts = json.loads(capfd.readouterr().out)
    assert facts["shape"] == [3, 4, 5] and facts["dtype"] == "uint8" and facts["format"] == "nrrd"
    assert (facts["grey_min"], facts["grey_max"]) == (GREY.min(), GREY.max())
    np.testing.assert_array_equal(np.load("out.npy"), GREY)


def test_command_in_a_process_of_its_own_has_one_line_and_exit_code_3():
    source = itk("a.nii.gz")
    data = Path(source).read_bytes()
    Path(source).write_bytes(data[: len(data) // 2])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "osteon.images.read_image"]
    done = subprocess.run([*command, source, "o.npy"], capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (3, "", 1)
    assert "Traceback" not in done.stderr and not Path("o.npy").exists()
    assert subprocess.run(command, capture_output=True, check=False, env=environment).returncode == 2
