"""Enhanced DICOM: many slices in one file. Oracle: the numbers that the test wrote into each frame by pydicom."""

from pathlib import Path

import imagecodecs
import numpy as np
import pydicom
import pytest
from osteon.errors import DataError
from osteon.images.read_image import read_image
from pydicom import Dataset
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.encaps import encapsulate
from pydicom.uid import (
    EnhancedCTImageStorage,
    ExplicitVRLittleEndian,
    JPEG2000Lossless,
    JPEGLosslessSV1,
    JPEGLSLossless,
    RLELossless,
)

STORED = np.random.default_rng(7).integers(-2000, 2000, (5, 4, 6)).astype("<i2")
PLACES = [3, 0, 4, 1, 2]  # the order of frames may differ from the order of their positions
ROW, COLUMN = (0.8, 0.6, 0.0), (-0.6, 0.8, 0.0)


@pytest.fixture(autouse=True)
def _in_tmp(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def group(**tags) -> list[Dataset]:
    found = Dataset()
    for key, value in tags.items():
        setattr(found, key, value)
    return [found]


def enhanced(name: str = "e.dcm", stored: np.ndarray = STORED, **change) -> str:
    """Frames at distances of 1.5 mm along z. Each frame has its own intercept.

    @param change tags of the file, or functions that compute a tag of a frame from its number
    """
    meta = FileMetaDataset()
    meta.MediaStorageSOPClassUID, meta.TransferSyntaxUID = EnhancedCTImageStorage, ExplicitVRLittleEndian
    meta.MediaStorageSOPInstanceUID = "1.2.3.4.1"
    tags = FileDataset(name, {}, file_meta=meta, preamble=bytes(128))
    tags.SOPClassUID, tags.SOPInstanceUID, tags.Modality = EnhancedCTImageStorage, "1.2.3.4.1", "CT"
    tags.SeriesInstanceUID, tags.StudyInstanceUID = "1.2.3.4", "1.2.3"
    tags.NumberOfFrames, tags.Rows, tags.Columns = len(stored), 4, 6
    tags.SamplesPerPixel, tags.PhotometricInterpretation, tags.PixelRepresentation = 1, "MONOCHROME2", 1
    tags.BitsAllocated, tags.BitsStored, tags.HighBit = 16, 16, 15
    shared = Dataset()
    shared.PixelMeasuresSequence = group(PixelSpacing=[0.25, 0.5], SliceThickness=1.5)
    shared.PlaneOrientationSequence = group(ImageOrientationPatient=[*ROW, *COLUMN])
    tags.SharedFunctionalGroupsSequence = [shared]
    of_frame = {"position": lambda f: [-20.0, 5.0, 30 + 1.5 * PLACES[f]], "slope": lambda f: 1, "unit": lambda f: "HU"}
    of_frame |= {key: change.pop(key) for key in list(change) if key in (*of_frame, "orientation")}
    frames = []
    for f in range(len(stored)):
        frame = Dataset()
        frame.PlanePositionSequence = group(ImagePositionPatient=of_frame["position"](f))
        frame.PixelValueTransformationSequence = group(
            RescaleSlope=of_frame["slope"](f), RescaleIntercept=-1000 - f, RescaleType=of_frame["unit"](f)
        )
        if "orientation" in of_frame:
            frame.PlaneOrientationSequence = group(ImageOrientationPatient=of_frame["orientation"](f))
        frames.append(frame)
    tags.PerFrameFunctionalGroupsSequence = frames
    tags.PixelData = stored.tobytes()
    for key, value in change.items():
        setattr(tags, key, value)
    pydicom.dcmwrite(name, tags, enforce_file_format=True)
    return name


def expected(stored: np.ndarray = STORED) -> np.ndarray:
    hu = stored.astype(int) - 1000 - np.arange(len(stored))[:, None, None]
    return hu[np.argsort(PLACES)]


def test_frames_are_sorted_rescaled_and_placed():
    volume = read_image(enhanced())
    np.testing.assert_array_equal(volume.values, expected())
    assert volume.values.dtype == np.int16 and volume.facts == {"unit": "HU"}
    assert volume.spacing_mm == (1.5, 0.25, 0.5)
    np.testing.assert_allclose(volume.placement.direction, np.array([ROW, COLUMN, (0, 0, 1)]).T)
    first = np.array([-20.0, 5.0, 30.0])
    corner = first - volume.placement.direction @ (np.array([0.5, 0.25, 1.5]) / 2)
    np.testing.assert_allclose(volume.placement.direction @ volume.placement.corner_mm, corner)


def test_a_folder_with_one_enhanced_file_is_the_same():
    Path("d").mkdir()
    Path(enhanced()).rename("d/e.dcm")
    np.testing.assert_array_equal(read_image("d").values, expected())


def test_each_frame_has_its_own_slope():
    volume = read_image(enhanced(slope=lambda f: [1, 0.5, 2, 0.25, 3][f]))
    slopes = np.array([1, 0.5, 2, 0.25, 3])[:, None, None]
    hu = STORED * slopes - 1000 - np.arange(5)[:, None, None]
    np.testing.assert_allclose(volume.values, hu[np.argsort(PLACES)])


SYNTAXES = {
    RLELossless: None,
    JPEGLosslessSV1: imagecodecs.ljpeg_encode,
    JPEGLSLossless: imagecodecs.jpegls_encode,
    JPEG2000Lossless: lambda plane: imagecodecs.jpeg2k_encode(plane, level=0, codecformat="j2k", reversible=True),
}


@pytest.mark.parametrize("syntax", SYNTAXES)
@pytest.mark.parametrize("signed", [0, 1])
def test_compressed_frames(syntax, signed):
    """13-bit values, as written by scanners. JPEG stores unsigned values, so that the signs must be restored."""
    stored = STORED if signed else STORED - STORED.min()
    bits = {"PixelRepresentation": signed, "BitsStored": 13, "HighBit": 12}
    tags = pydicom.dcmread(enhanced(stored=stored.astype("<i2"), **bits))
    if syntax == RLELossless:
        tags.compress(RLELossless)
    else:
        masked = (stored.astype(int) & 0x1FFF).astype("u2")
        tags.PixelData = encapsulate([SYNTAXES[syntax](plane) for plane in masked])
        tags["PixelData"].is_undefined_length = True
        tags.file_meta.TransferSyntaxUID = syntax
    tags.save_as("c.dcm")
    np.testing.assert_array_equal(read_image("c.dcm").values, expected(stored))


def test_an_overlay_in_the_upper_bits_is_no_value():
    stored = (STORED.astype(int) & 0x0FFF) | 0x3000
    bits = {"PixelRepresentation": 0, "BitsStored": 12, "HighBit": 11}
    volume = read_image(enhanced(stored=stored.astype("<u2"), **bits))
    np.testing.assert_array_equal(volume.values, expected(stored & 0x0FFF))


def at(places) -> dict:
    return {"position": lambda f: [-20.0, 5.0, 30 + 1.5 * places[f]]}


BAD = {
    "missing": (at([3, 0, 5, 1, 2]), "frame 1 of 'e.dcm' and frame 3 of 'e.dcm' are 3 mm apart.*1 missing"),
    "phases": (at([0, 1, 2, 0, 1]), "have the same position along the stack"),
    "tilt": (
        {"position": lambda f: [-20.0, 5.0 + 0.4 * f, 30 + 1.5 * f]},
        "oblique: from frame 1 of 'e.dcm' to frame 2.*15 degrees",
    ),
    "scout": (
        {"orientation": lambda f: [1, 0, 0, 0, 0, -1] if f == 2 else [*ROW, *COLUMN]},
        "frame 3 of 'e.dcm' is not parallel to frame 1",
    ),
    "units": ({"unit": lambda f: "US" if f == 4 else "HU"}, "frame 5 of 'e.dcm' has values in US, frame 1 .* in HU"),
    "no places": ({"PerFrameFunctionalGroupsSequence": []}, "has 5 frames without positions"),
    "count": ({"NumberOfFrames": 7}, "states 7 frames and describes 5"),
    "cut": ({"PixelData": STORED.tobytes()[:-40]}, "pixels of 'e.dcm' cannot be read"),
    "colour": ({"SamplesPerPixel": 3}, "frame 1 of 'e.dcm' is in colour"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files_are_refused_and_the_frame_is_named(case):
    change, words = BAD[case]
    with pytest.raises(DataError, match=words) as caught:
        read_image(enhanced(**change))
    assert "\n" not in str(caught.value)


def test_a_frame_without_a_place_is_named():
    tags = pydicom.dcmread(enhanced())
    del tags.PerFrameFunctionalGroupsSequence[3].PlanePositionSequence
    tags.save_as("e.dcm")
    with pytest.raises(DataError, match=r"frame 4 of 'e\.dcm': missing ImagePositionPatient"):
        read_image("e.dcm")
