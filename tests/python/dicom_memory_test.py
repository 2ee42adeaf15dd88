"""Damaged DICOM files. Oracle: memory bounded by the length of the file, one line on standard error, and no other
values."""

import os
import resource
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pydicom
import pytest
from dicom_frames_test import enhanced
from dicom_geometry_test import series
from osteon.images.dicom_file import size_of_packed
from osteon.images.read_image import main

MIB = 1 << 20


@pytest.fixture(autouse=True)
def _in_tmp(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def read_within(source: str, room: int, capfd) -> tuple[int, str]:
    """Return exit code and standard error of a read. The address space of the read may grow by `room` bytes."""
    with Path("/proc/self/statm").open() as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + room, hard))
    try:
        code = main([source, "o.npy"])
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
    return code, capfd.readouterr().err


def test_lengths_beyond_the_end_take_no_memory(capfd):
    """Each element in turn declares nearly 4 GiB. A file of 2 kB is rejected, or read within 256 MiB."""
    assert main([enhanced(), "o.npy"]) == 0
    good = Path("e.dcm").read_bytes()
    places = [
        i
        for i in range(132, len(good) - 12)
        if good[i + 4 : i + 6] in (b"SQ", b"OW", b"UN", b"OB", b"LO", b"DS", b"UI")
    ]
    assert len(places) > 20
    capfd.readouterr()
    for at in places:
        data = bytearray(good)
        long = good[at + 4 : at + 6] in (b"SQ", b"OW", b"UN", b"OB")
        if long:
            data[at + 8 : at + 12] = struct.pack("<I", 0xFFFFFFF0)
        else:
            data[at + 4 : at + 12] = b"UN\0\0" + struct.pack("<I", 0xEFFFFFF0)
        Path("e.dcm").write_bytes(data)
        code, err = read_within("e.dcm", 256 * MIB, capfd)
        assert code in (0, 3) and err.count("\n") == (code == 3) and "memory" not in err, err


def test_a_small_slice_cannot_claim_a_large_picture(capfd):
    """Oracle: at most 64 MiB for a packed slice of some hundred bytes. GDCM allocated 800 MiB in earlier versions."""
    folder = series()
    assert main([folder, "o.npy"]) == 0
    name = f"{folder}/3.dcm"
    tags = pydicom.dcmread(name)
    tags.file_meta.TransferSyntaxUID = pydicom.uid.JPEG2000Lossless
    tags.Rows = tags.Columns = 20000
    tags.PixelData = pydicom.encaps.encapsulate([b"\xff\x4f\xff\x51" + bytes(40)])
    tags["PixelData"].is_undefined_length = True
    tags.save_as(name)
    capfd.readouterr()
    code, err = read_within(folder, 256 * MIB, capfd)
    assert code == 3 and err.count("\n") == 1 and "requires 800000000 bytes" in err


@pytest.mark.parametrize("kind", ["jpeg2k", "jpegls", "jpeg"])
def test_the_size_in_a_packed_frame_is_compared_before_it_is_unpacked(kind, capfd):
    """Oracle: imagecodecs, whose streams state their size."""
    import imagecodecs

    picture = np.arange(24, dtype="u1").reshape(4, 6)
    options = {"codecformat": "j2k"} if kind == "jpeg2k" else {}
    data = getattr(imagecodecs, f"{kind}_encode")(picture, **options)
    assert size_of_packed(data) == (4, 6)
    syntax = {
        "jpeg2k": pydicom.uid.JPEG2000Lossless,
        "jpegls": pydicom.uid.JPEGLSLossless,
        "jpeg": pydicom.uid.JPEGBaseline8Bit,
    }
    tags = pydicom.dcmread(enhanced())
    tags.file_meta.TransferSyntaxUID = syntax[kind]
    large = getattr(imagecodecs, f"{kind}_encode")(np.zeros((9000, 9000), "u1"), **options)
    tags.PixelData = pydicom.encaps.encapsulate([large[:3000]] * 5)
    tags["PixelData"].is_undefined_length = True
    tags.save_as("e.dcm")
    code, err = read_within("e.dcm", 64 * MIB, capfd)
    assert code == 3 and "9000 x 9000 pixels, not 4 x 6" in err


@pytest.mark.parametrize("module", ["osteon.images", "osteon.images.look_at_image", "osteon.new_job"])
def test_values_that_break_the_standard_print_one_sentence(module):
    """Oracle: the contract, with one line and exit code 3. pydicom warns for each value."""
    tags = pydicom.dcmread(enhanced())
    tags.PerFrameFunctionalGroupsSequence[2].PlanePositionSequence[0].ImagePositionPatient = [0, 0]
    tags.save_as("e.dcm")
    data = Path("e.dcm").read_bytes().replace(b"1.2.3.4", b"1.2.x.\\")
    Path("e.dcm").write_bytes(data)
    words = [sys.executable, "-m", module, "e.dcm", *(["o.npy"] if module == "osteon.images" else [])]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=os.environ)
    assert done.returncode == 3 and done.stderr.count("\n") == 1 and done.stdout == "", done.stderr
