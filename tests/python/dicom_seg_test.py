"""DICOM segmentations. Oracle: the marks that the test wrote into each frame by pydicom."""

from pathlib import Path

import numpy as np
import pytest
from dicom_frames_test import COLUMN, ROW, group
from osteon.errors import DataError
from osteon.images.read_image import describe, read_image
from pydicom import Dataset
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.pixels import pack_bits
from pydicom.uid import ExplicitVRLittleEndian

LABELS = np.random.default_rng(3).integers(0, 4, (6, 4, 8)).astype("u1")
LABELS[3] = 0  # a plane without marks
NORMAL = np.cross(ROW, COLUMN)
STEP = 1.5


@pytest.fixture(autouse=True)
def _in_tmp(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def segmentation(
    name: str = "s.dcm", labels: np.ndarray = LABELS, kind: str = "BINARY", step: float = STEP, **change
) -> str:
    """Frames with the marks of each segment. The frames are not sorted by segment. There are frames only for planes
    that contain marks.

    @param change frames, additional frames as (segment, plane, marks), and tags of the file
    """
    uid = "1.2.840.10008.5.1.4.1.1.66." + ("7" if kind == "LABELMAP" else "4")
    meta = FileMetaDataset()
    meta.MediaStorageSOPClassUID, meta.TransferSyntaxUID = uid, ExplicitVRLittleEndian
    meta.MediaStorageSOPInstanceUID = "1.2.3.4.1"
    tags = FileDataset(name, {}, file_meta=meta, preamble=bytes(128))
    tags.SOPClassUID, tags.SOPInstanceUID, tags.Modality, tags.SegmentationType = uid, "1.2.3.4.1", "SEG", kind
    tags.SeriesInstanceUID, tags.StudyInstanceUID = "1.2.3.4", "1.2.3"
    tags.Rows, tags.Columns, tags.SamplesPerPixel, tags.PhotometricInterpretation = *labels.shape[1:], 1, "MONOCHROME2"
    tags.PixelRepresentation = 0
    if kind == "BINARY":
        found = [(s, z, labels[z] == s) for s in (2, 1, 3) for z in range(len(labels)) if (labels[z] == s).any()]
        tags.BitsAllocated, tags.BitsStored, tags.HighBit = 1, 1, 0
    else:
        found = [(0, z, labels[z]) for z in range(len(labels))]
        tags.BitsAllocated, tags.BitsStored, tags.HighBit = 8, 8, 7
    found += change.pop("frames", [])
    stored = np.stack([marks for _, _, marks in found]).astype("u1")
    tags.PixelData = pack_bits(stored.ravel()) if kind == "BINARY" else stored.tobytes()
    tags.NumberOfFrames = len(found)
    tags.SegmentSequence = [group(SegmentNumber=n, SegmentLabel=f"bone {n}")[0] for n in (1, 2, 3)]
    shared = Dataset()
    shared.PixelMeasuresSequence = group(PixelSpacing=[0.25, 0.5], SliceThickness=STEP)
    shared.PlaneOrientationSequence = group(ImageOrientationPatient=[*ROW, *COLUMN])
    tags.SharedFunctionalGroupsSequence = [shared]
    frames = []
    for segment, plane, _ in found:
        frame = Dataset()
        at = np.array([-20.0, 5.0, 30.0]) + step * plane * NORMAL
        frame.PlanePositionSequence = group(ImagePositionPatient=[float(f"{v:.8g}") for v in at])
        if kind == "BINARY":
            frame.SegmentIdentificationSequence = group(ReferencedSegmentNumber=segment)
        frames.append(frame)
    tags.PerFrameFunctionalGroupsSequence = frames
    for key, value in change.items():
        setattr(tags, key, value)
    tags.save_as(name, enforce_file_format=True)
    return name


@pytest.mark.parametrize("kind", ["BINARY", "LABELMAP"])
def test_segments_are_labels(kind):
    """Oracle: the labels written, and their position computed by hand."""
    volume = read_image(segmentation(kind=kind))
    np.testing.assert_array_equal(volume.values, LABELS)
    assert volume.spacing_mm == pytest.approx((STEP, 0.25, 0.5))
    np.testing.assert_allclose(volume.placement.direction, np.stack([ROW, COLUMN, NORMAL], 1), atol=1e-6)
    centre = volume.placement.direction @ (volume.placement.corner_mm + np.array([0.5, 0.25, STEP]) / 2)
    np.testing.assert_allclose(centre, [-20.0, 5.0, 30.0], atol=1e-5)
    assert describe(volume, "s.dcm")["labels"] == {"1": "bone 1", "2": "bone 2", "3": "bone 3"}


def test_a_folder_of_one_segmentation_is_that():
    """Oracle: the file itself."""
    Path("d").mkdir()
    segmentation("d/s.dcm")
    np.testing.assert_array_equal(read_image("d").values, LABELS)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"frames": [(1, 0, np.ones((4, 8), bool))]}, "in two segments, 'bone [123]' and 'bone 1'"),
        ({"SegmentationType": "FRACTIONAL"}, "of type 'FRACTIONAL'"),
        ({"NumberOfFrames": 3}, "states 3 frames and describes"),
        ({"frames": [(1, 6.4, np.ones((4, 8), bool))]}, "not evenly spaced"),
        ({"labels": np.where(np.arange(6)[:, None, None] == 2, LABELS, 0)}, "has a single plane"),
        ({"SharedFunctionalGroupsSequence": [Dataset()]}, "missing ImageOrientationPatient"),
        ({"PixelData": bytes(4)}, "cannot be read"),
    ],
)
def test_what_is_refused(change, words):
    """Oracle: the contract, with one line that contains the kind of file and the remedy."""
    with pytest.raises(DataError, match=words) as caught:
        read_image(segmentation(**change))
    assert "\n" not in str(caught.value)
