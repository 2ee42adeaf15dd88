"""Damaged and hostile files. Oracle: the undamaged values. If a file has a digest, no other values may ever be read.

OSTEON_DAMAGED_FILES=10000 sets the number of damaged files of each kind. The default is small enough for daily tests.
"""

import gzip
import hashlib
import io
import json
import os
import plistlib
import resource
import tarfile
import time
import zlib
from pathlib import Path

import nibabel
import nrrd
import numpy as np
import pydicom
import pytest
import SimpleITK as sitk  # noqa: N813
import tifffile
from dicom_frames_test import enhanced
from dicom_seg_test import segmentation
from osteon.errors import DataError
from osteon.images.read_image import main, read_image
from PIL import Image

GREY = np.random.default_rng(7).integers(0, 250, (6, 9, 11)).astype("u1")
PLIST = {
    "spacing": [0.1, 0.2, 0.3],
    "modality": "CT",
    "matrix": {"filename": "matrix.dat", "shape": list(GREY.shape), "dtype": "int16"},
}


@pytest.fixture(autouse=True)
def _in_tmp(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def inv3(name: str = "f.inv3", mode: str = "w:gz", plist: bytes | None = None, matrix: bytes | None = None) -> str:
    plist = plistlib.dumps(PLIST) if plist is None else plist
    matrix = GREY.astype("<i2").tobytes() if matrix is None else matrix
    with tarfile.open(name, mode) as archive:
        for member, content in (("p/main.plist", plist), ("p/matrix.dat", matrix)):
            info = tarfile.TarInfo(member)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return name


def itk(name: str, compressed: bool = False) -> str:
    image = sitk.GetImageFromArray(GREY)
    image.SetSpacing((0.1, 0.2, 0.3))
    sitk.WriteImage(image, name, compressed)
    return name


def npy(name: str) -> str:
    np.save(name, GREY)
    return name


def npz() -> str:
    np.savez_compressed("f.npz", image=GREY, spacing_mm=[0.3, 0.2, 0.1])
    return "f.npz"


def tiff(**options: object) -> str:
    tifffile.imwrite("f.tif", GREY, **options)
    return "f.tif"


def pages(name: str = "f.tif", **options: object) -> str:
    """Append one page after another, as other programs write pages. Each directory follows the voxels of its page."""
    with tifffile.TiffWriter(name) as file:
        for plane in GREY:
            file.write(plane, contiguous=False, metadata=None, photometric="minisblack", **options)
    return name


def bzip2() -> str:
    nrrd.write("f.nrrd", GREY, {"encoding": "bzip2", "spacings": [0.1, 0.2, 0.3]}, index_order="C")
    return "f.nrrd"


def png() -> str:
    """A stack of slices. One slice is damaged later."""
    Path("stack").mkdir(exist_ok=True)
    for z, plane in enumerate(GREY):
        Image.fromarray(plane).save(f"stack/s{z}.png")
    return "stack/s3.png"


def raw() -> str:
    """Damage only the voxels. The header contains the digest of the voxels."""
    head = {"shape": list(GREY.shape), "dtype": "uint8", "sha256": hashlib.sha256(GREY).hexdigest()}
    Path("f.json").write_text(json.dumps(head))
    Path("f.raw").write_bytes(GREY.tobytes())
    return "f.raw"


def raw_head() -> str:
    raw()
    return "f.json"


def vgi() -> str:
    Path("f.vol").write_bytes(GREY.tobytes())
    z, y, x = GREY.shape
    Path("f.vgi").write_text(
        f"{{volume1}}\n[file1]\nFileFormat = raw\nSize = {x} {y} {z}\nName = f.vol\nDatatype = unsigned integer\n"
        "BitsPerElement = 8\nSkipHeader = 0\n{volumeprimitive1}\n[geometry]\nresolution = 0.1 0.2 0.3\nunit = mm\n"
    )
    return "f.vgi"


def enhanced_dicom() -> str:
    size = {"Rows": GREY.shape[1], "Columns": GREY.shape[2]}
    return enhanced("f.dcm", GREY.astype("<i2"), position=lambda f: [0, 0, float(f)], **size)


def hdf5(**options: object) -> str:
    h5py = pytest.importorskip("h5py")
    with h5py.File("f.h5", "w") as file:
        file.create_dataset("image", data=GREY, **options).attrs["spacing_mm"] = [0.3, 0.2, 0.1]
    return "f.h5"


def mgh(name: str) -> str:
    nibabel.save(nibabel.MGHImage(GREY.T.copy(), np.diag([0.1, 0.2, 0.3, 1.0])), name)
    return name


def dicom_seg() -> str:
    return segmentation("f.dcm")


# Image to read, if the damaged file is only a part of an image.
SOURCES = {"mhd zlib": "f.mhd", "png": "stack"}
# Kinds of files in which data after the voxels may be cut off, or in which the values differ in any case.
MAY_BE_CUT = ("dicom seg", "hdf5", "hdf5 gz", "mgh")
# Name, writer, and whether a digest in the file covers the voxels.
KINDS = {
    "tiff": (lambda: tiff(photometric="minisblack"), False),
    "lzw": (lambda: tiff(photometric="minisblack", compression="lzw"), False),
    "imagej": (lambda: tiff(imagej=True), False),
    "nrrd": (lambda: itk("f.nrrd"), False),
    "nrrd gz": (lambda: itk("f.nrrd", True), True),
    "bzip2": (bzip2, True),
    "mha": (lambda: itk("f.mha"), False),
    "mha zlib": (lambda: itk("f.mha", True), True),
    "mhd zlib": (lambda: itk("f.mhd", True) and "f.zraw", True),
    "tiff pages": (pages, False),
    "tiff pages zlib": (lambda: pages(compression="zlib"), True),
    "png": (png, True),
    "nii": (lambda: itk("f.nii"), False),
    "nii gz": (lambda: itk("f.nii.gz"), True),
    "inv3": (lambda: inv3(mode="w"), False),
    "inv3 gz": (inv3, True),
    "npy": (lambda: npy("f.npy"), False),
    "npz": (npz, True),
    "raw": (raw, True),
    "raw header": (raw_head, True),
    "vgi": (vgi, False),
    "dicom": (enhanced_dicom, False),
    "dicom seg": (dicom_seg, False),
    "hdf5": (hdf5, False),
    "hdf5 gz": (lambda: hdf5(compression="gzip", fletcher32=True, chunks=(2, 9, 11)), False),
    "mgh": (lambda: mgh("f.mgh"), False),
    "mgz": (lambda: mgh("f.mgz"), True),
}


@pytest.mark.filterwarnings("ignore:Invalid value for VR")  # warning of pydicom, which then continues
@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files_are_read_or_refused(kind, capfd):
    """Seeded truncations and bit flips. The result is exit code 0, or exit code 3 with one line. There is no traceback
    and no hang. If a digest protects the values, no other values are read."""
    make, guarded = KINDS[kind]
    name = make()
    good = Path(name).read_bytes()
    rng = np.random.default_rng(11)
    codes = []
    usual = 250 if kind in ("inv3", "inv3 gz", "npy", "raw", "raw header", "vgi") else 16 if "hdf5" in kind else 100
    for trial in range(int(os.environ.get("OSTEON_DAMAGED_FILES", usual))):
        data = bytearray(good)
        if trial % 3 == 0:
            data = data[: rng.integers(0, len(data))]
        else:
            for at in rng.integers(0, len(data), 1 + trial % 4):
                data[at] ^= 1 << int(rng.integers(0, 8))
        Path(name).write_bytes(data)
        start = time.process_time()
        codes.append(main([SOURCES.get(kind, name), "o.npy"]))
        assert time.process_time() - start < 5
        err = capfd.readouterr().err
        assert err.count("\n") == (codes[-1] == 3), err
        if codes[-1] == 0 and (guarded or len(data) != len(good)) and kind not in MAY_BE_CUT:
            np.testing.assert_array_equal(np.load("o.npy"), GREY, err_msg=f"trial {trial}")
    assert set(codes) <= {0, 3} and 3 in codes


def _changed(**change) -> bytes:
    return plistlib.dumps(
        {
            **PLIST,
            **{k: v for k, v in change.items() if k != "matrix"},
            "matrix": PLIST["matrix"] | change.get("matrix", {}),
        }
    )


BOMB = b"""<?xml version="1.0"?><!DOCTYPE plist [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<plist version="1.0"><dict><key>spacing</key><string>&b;</string></dict></plist>"""


def _link() -> str:
    with tarfile.open("f.inv3", "w") as archive:
        for member, target in (("p/main.plist", None), ("p/matrix.dat", "/etc/passwd")):
            info = tarfile.TarInfo(member)
            if target is None:
                info.size = len(plistlib.dumps(PLIST))
                archive.addfile(info, io.BytesIO(plistlib.dumps(PLIST)))
            else:
                info.type, info.linkname = tarfile.SYMTYPE, target
                archive.addfile(info)
    return "f.inv3"


def _sparse() -> str:
    """An archive member that declares a terabyte of holes (PAX GNU.sparse)."""
    name = inv3(mode="w")
    with tarfile.open(name, "a", format=tarfile.PAX_FORMAT) as archive:
        info = tarfile.TarInfo("p/matrix.dat")
        info.pax_headers = {"GNU.sparse.major": "0", "GNU.sparse.minor": "1", "GNU.sparse.size": str(2**40)}
        info.pax_headers |= {"GNU.sparse.map": "0,0", "GNU.sparse.name": "p/matrix.dat"}
        archive.addfile(info)
    return name


def _gzip_bomb() -> str:
    """An archive member with two gigabytes of zeros before main.plist. The first 64 MiB are present, packed into 64
    KiB."""
    info = tarfile.TarInfo("zeros")
    info.size = 1 << 31
    squeeze = zlib.compressobj(9, wbits=31)
    parts = [
        squeeze.compress(info.tobuf()),
        *(squeeze.compress(bytes(1 << 20)) for _ in range(1 << 6)),
        squeeze.flush(),
    ]
    Path("f.inv3").write_bytes(b"".join(parts))
    return "f.inv3"


HOSTILE = {
    "no plist": (lambda: inv3(plist=b""), "cannot be read|not that of"),
    "entities": (lambda: inv3(plist=BOMB), "cannot be read.*entity"),
    "binary plist": (lambda: inv3(plist=plistlib.dumps(PLIST, fmt=plistlib.FMT_BINARY)), "cannot be read"),
    "large plist": (lambda: inv3(plist=b" " * ((1 << 20) + 1)), "main.plist of 1048577 bytes"),
    "objects": (lambda: inv3(plist=_changed(matrix={"dtype": "object"})), "does not describe a volume"),
    "records": (lambda: inv3(plist=_changed(matrix={"dtype": "i2,i2"})), "does not describe a volume"),
    "negative": (lambda: inv3(plist=_changed(matrix={"shape": [-6, -9, 11]})), "at most"),
    "huge": (lambda: inv3(plist=_changed(matrix={"shape": [99999, 99999, 999]})), "the limit is"),
    "other shape": (
        lambda: inv3(plist=_changed(matrix={"shape": [6, 9, 12]})),
        "1188 bytes, but the shape .* requires 1296",
    ),
    "two spacings": (lambda: inv3(plist=_changed(spacing=[1, 2])), "does not describe a volume"),
    "no numbers": (lambda: inv3(plist=_changed(spacing=["a", 2, 3])), "not from an InVesalius project"),
    "no matrix": (lambda: inv3(plist=_changed(matrix={"filename": "../../etc/passwd"})), "missing 'passwd'"),
    "a link": (_link, "missing 'matrix.dat'"),
    "sparse": (_sparse, "claims to contain more than"),
    "gzip bomb": (_gzip_bomb, "claims to contain more than"),
    "text": (lambda: Path("f.inv3").write_text("no tar") and "f.inv3", "cannot be read"),
    "cut checksum": (lambda: Path(inv3()).write_bytes(Path("f.inv3").read_bytes()[:-4]) and "f.inv3", "cannot be read"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_projects_are_refused_fast(case):
    make, words = HOSTILE[case]
    name = make()
    start = time.process_time()
    with pytest.raises(DataError, match=words) as caught:
        read_image(name)
    assert time.process_time() - start < 2 and "\n" not in str(caught.value)


def test_a_made_up_head_that_shrinks_well_is_no_bomb():
    name = inv3(plist=_changed(matrix={"shape": [100, 200, 200]}), matrix=bytes(8_000_000))
    assert Path(name).stat().st_size * 400 < 8_000_000 and read_image(name).values.shape == (100, 200, 200)


def test_a_project_with_a_spacing_of_nothing_states_none():
    assert read_image(inv3(plist=_changed(spacing=[0, 0.2, 0.3]))).spacing_mm is None


def test_npy_with_bytes_to_spare_is_refused():
    Path(npy("a.npy")).write_bytes(Path("a.npy").read_bytes() + b"x")
    with pytest.raises(DataError, match="copy it again"):
        read_image("a.npy")


def test_a_deep_header_does_not_exhaust_the_stack():
    raw()
    Path("f.json").write_text("[" * 100_000)
    with pytest.raises(DataError, match="is not JSON"):
        read_image("f.raw")
    Path("f.inv3").write_bytes(gzip.compress(b"x" * 100))
    with pytest.raises(DataError, match="cannot be read"):
        read_image("f.inv3")


# Oracle: the undamaged file. If a chain of directories ends early, a reader finds fewer slices.
@pytest.mark.parametrize("options", [{}, {"compression": "zlib"}, {"compression": "lzw"}])
def test_a_tiff_is_refused_wherever_it_is_cut(options):
    good = Path(pages(**options)).read_bytes()
    np.testing.assert_array_equal(read_image("f.tif").values, GREY)
    for length in _cuts(len(good)):
        Path("f.tif").write_bytes(good[:length])
        with pytest.raises(DataError):
            read_image("f.tif")


def _cuts(length: int) -> list[int]:
    """Every byte of the last directory, and several bytes of earlier directories."""
    return [*range(1, length - 400, 97), *range(length - 400, length)]


def test_a_chain_of_directories_that_goes_round_is_refused():
    data = bytearray(Path(pages()).read_bytes())
    first = int.from_bytes(data[4:8], "little")
    after = first + 2 + 12 * int.from_bytes(data[first : first + 2], "little")
    data[after : after + 4] = data[4:8]
    Path("f.tif").write_bytes(data)
    with pytest.raises(DataError, match="directory of page 2 occurs twice"):
        read_image("f.tif")


def _aim(first_word: int = 0, **dims: int) -> str:
    aimio = pytest.importorskip("py_aimio")
    aimio.write_aim("f.aim", GREY.astype("i2"), {}, unit="native")
    data = bytearray(Path("f.aim").read_bytes())
    for at, value in {**dims, **({"log": first_word} if first_word else {})}.items():
        place = {"x": 0x60, "y": 0x68, "z": 0x70, "log": 0x20}[at]
        data[place : place + 8] = value.to_bytes(8, "little")
    Path("f.aim").write_bytes(data)
    return "f.aim"


def _changed_words(name: str, old: bytes, new: bytes) -> str:
    data = Path(name).read_bytes()
    assert old in data
    Path(name).write_bytes(data.replace(old, new, 1))
    return name


def _huge_nifti() -> str:
    data = bytearray(Path(itk("f.nii")).read_bytes())
    data[42:48] = np.array([4000, 4000, 600], "<i2").tobytes()  # dim[1:4]
    Path("f.nii").write_bytes(data)
    return "f.nii"


def _huge_slice() -> str:
    name = enhanced_dicom()
    tags = pydicom.dcmread(name)
    tags.Rows = tags.Columns = 65535
    tags.save_as(name)
    return name


# A file of at most some kilobytes with a header that requests many gigabytes. Oracle: the file is rejected before
# memory is allocated.
CLAIMS = {
    "aim": lambda: _aim(x=4000, y=4000, z=600),
    "aim log": lambda: _aim(20 << 30),
    "mha": lambda: _changed_words(itk("f.mha"), b"DimSize = 11 9 6", b"DimSize = 4000 4000 600"),
    "mha zlib": lambda: _changed_words(itk("f.mha", True), b"DimSize = 11 9 6", b"DimSize = 4000 4000 600"),
    "nrrd": lambda: _changed_words(itk("f.nrrd"), b"sizes: 11 9 6", b"sizes: 4000 4000 600"),
    "nrrd gz": lambda: _changed_words(itk("f.nrrd", True), b"sizes: 11 9 6", b"sizes: 4000 4000 600"),
    "bzip2": lambda: _changed_words(bzip2(), b"sizes: 11 9 6", b"sizes: 4000 4000 600"),
    "nii": _huge_nifti,
    "dicom": _huge_slice,
}


@pytest.mark.parametrize("case", CLAIMS)
def test_a_header_is_held_against_the_length_of_its_file(case):
    name = CLAIMS[case]()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    with Path("/proc/self/statm").open() as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 30), hard))
    try:
        with pytest.raises(DataError, match="requires") as caught:
            read_image(name)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
    assert "\n" not in str(caught.value)


def test_a_packed_header_may_not_ask_for_less_than_there_is():
    """Oracle: the file contains more voxels than its header states, so that either the file or the header is wrong."""
    for name in (itk("f.mha", True), itk("f.nrrd", True)):
        old, new = (
            (b"DimSize = 11 9 6", b"DimSize = 11 9 5") if name == "f.mha" else (b"sizes: 11 9 6", b"sizes: 11 9 5")
        )
        with pytest.raises(DataError, match="decompresses to more than the 495 bytes"):
            read_image(_changed_words(name, old, new))
