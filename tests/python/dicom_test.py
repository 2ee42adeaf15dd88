"""DICOM series. Oracle: the numbers that the test wrote into each slice by pydicom. ITK is a second reference."""

from pathlib import Path

import numpy as np
import pydicom
import pytest
import SimpleITK as sitk  # noqa: N813
from osteon.errors import DataError
from osteon.images.read_image import read_image
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.uid import CTImageStorage, ExplicitVRLittleEndian

STORED = np.random.default_rng(7).integers(0, 4000, (5, 4, 6)).astype("u2")
ROW, COLUMN = (0.8, 0.6, 0.0), (-0.6, 0.8, 0.0)
FIRST = np.array([-20.0, 5.0, 30.0])


@pytest.fixture(autouse=True)
def _in_tmp(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def series(n: int = 5, uid: str = "1.2.3.4", prefix: str = "IM", **change) -> str:
    """Slices at distances of 1.5 mm along z. The order of the slices differs from the order of their names.

    @param change tags of slice 2, or functions that compute a tag from the slice number
    """
    Path("d").mkdir(exist_ok=True)
    for z in range(n):
        meta = FileMetaDataset()
        meta.MediaStorageSOPClassUID, meta.TransferSyntaxUID = CTImageStorage, ExplicitVRLittleEndian
        meta.MediaStorageSOPInstanceUID = f"{uid}.{z + 1}"
        name = f"d/{prefix}{(7 * z) % 11:03d}"
        tags = FileDataset(name, {}, file_meta=meta, preamble=bytes(128))
        tags.SOPClassUID, tags.SOPInstanceUID, tags.Modality = CTImageStorage, meta.MediaStorageSOPInstanceUID, "CT"
        tags.SeriesInstanceUID, tags.StudyInstanceUID, tags.InstanceNumber = uid, "1.2.3", str(z)
        tags.SeriesDescription = f"series {prefix}"
        tags.Rows, tags.Columns, tags.PixelSpacing = 4, 6, [0.25, 0.5]
        tags.ImagePositionPatient = [float(v) for v in FIRST + np.array([0, 0, 1.5 * z])]
        tags.ImageOrientationPatient = [*ROW, *COLUMN]
        tags.SamplesPerPixel, tags.PhotometricInterpretation, tags.PixelRepresentation = 1, "MONOCHROME2", 0
        tags.BitsAllocated, tags.BitsStored, tags.HighBit = 16, 16, 15
        tags.RescaleSlope, tags.RescaleIntercept = 1, -1024
        tags.PixelData = STORED[z].tobytes()
        for key, value in change.items():
            if callable(value):
                setattr(tags, key, value(z))
            elif z == 2:
                setattr(tags, key, value)
        pydicom.dcmwrite(name, tags, enforce_file_format=True)
    return "d"


def refused(words: str) -> None:
    with pytest.raises(DataError, match=words) as caught:
        read_image("d")
    assert "\n" not in str(caught.value)


def test_a_series_is_sorted_rescaled_and_placed():
    series()
    Path("d/DICOMDIR").write_text("an index")
    Path("d/notes.txt").write_text("of the hospital")
    volume = read_image("d")
    np.testing.assert_array_equal(volume.values, STORED.astype(int) - 1024)
    assert volume.spacing_mm == (1.5, 0.25, 0.5) and volume.facts == {"unit": "HU"}
    axes = np.array([ROW, COLUMN, (0, 0, 1)]).T
    np.testing.assert_allclose(volume.placement.direction, axes)
    itk = sitk.ReadImage(sitk.ImageSeriesReader.GetGDCMSeriesFileNames("d"))
    corner = itk.TransformContinuousIndexToPhysicalPoint([-0.5] * 3)
    np.testing.assert_allclose(volume.placement.direction @ volume.placement.corner_mm, corner, atol=1e-9)
    np.testing.assert_array_equal(sitk.GetArrayFromImage(itk), volume.values)


def test_each_slice_has_its_own_rescale():
    """Oracle: slope x + intercept of each slice. The series reader of ITK uses the type of the first slice for all
    slices."""
    series(RescaleSlope=lambda z: [1, 0.5, 2, 0.25, 3][z], RescaleIntercept=lambda z: -100 * z)
    slopes = np.array([1, 0.5, 2, 0.25, 3])[:, None, None]
    np.testing.assert_allclose(read_image("d").values, STORED * slopes - 100 * np.arange(5)[:, None, None])


def test_a_pattern_takes_one_series_out_of_a_folder():
    series()
    series(uid="1.2.9", prefix="XX")
    np.testing.assert_array_equal(read_image("d/IM*").values, read_image("d/XX*").values)


BAD = {
    "missing": (lambda: (series(), Path("d/IM003").unlink()), r"'IM007' and 'IM010' are 3 mm apart.*1 missing"),
    "uneven": (lambda: series(ImagePositionPatient=[-20.0, 5.0, 33.4]), r"the steps differ"),
    "twice": (
        lambda: series(ImagePositionPatient=[-20.0, 5.0, 31.5]),
        r"have the same position along the stack.*keep one",
    ),
    "two series": (lambda: (series(), series(uid="1.2.9", prefix="XX")), "2 DICOM series.*'series IM'.*'series XX'"),
    "tilt": (
        lambda: series(ImagePositionPatient=lambda z: [-20.0, 5.0 + 0.4 * z, 30 + 1.5 * z]),
        "oblique: from 'IM000' to 'IM007' it deviates by 15 degrees",
    ),
    "small tilt": (  # 0.03 mm sideways in 6 mm, which is more than half a pixel
        lambda: series(
            ImagePositionPatient=lambda z: [-20.0, 5.0 + 0.0079 * z, 30 + 1.5 * z], PixelSpacing=lambda z: [0.05, 0.05]
        ),
        "oblique: from 'IM000' to 'IM006' it deviates by 0.3 degrees",
    ),
    "other plane": (lambda: series(ImageOrientationPatient=[1, 0, 0, 0, 0, -1]), "'d/IM003' is not parallel to"),
    "skewed": (lambda: series(ImageOrientationPatient=lambda z: [1, 0, 0, 0.5, 0.87, 0]), "not perpendicular"),
    "no position": (lambda: series(ImagePositionPatient=None), "'d/IM003': missing ImagePositionPatient"),
    "frames": (lambda: series(NumberOfFrames=5), "'d/IM003' has 5 frames without positions"),
    "colour": (lambda: series(PhotometricInterpretation="PALETTE COLOR"), "'d/IM003' is in colour"),
    "pixels differ": (lambda: series(PixelSpacing=[0.3, 0.5]), "'d/IM003' has pixels of"),
    "size differs": (lambda: series(Rows=3, PixelData=STORED[0, :3].tobytes()), "'d/IM003' has 3 x 6 pixels"),
    "damaged": (lambda: (series(), Path("d/IM003").write_bytes(b"x" * 300)), "'d/IM003' is not a readable DICOM file"),
    "one": (lambda: series(n=1), "1 DICOM slice"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_series_are_refused_and_the_slice_is_named(case):
    make, words = BAD[case]
    make()
    refused(words)


def test_a_slice_without_all_its_pixels_is_named():
    series()
    path = Path("d/IM003")
    path.write_bytes(path.read_bytes()[:-20])
    refused("pixels of 'd/IM003' cannot be read|cut short")


def test_one_slice_alone_asks_for_the_folder():
    series()
    with pytest.raises(DataError, match="use the folder of the series"):
        read_image("d/IM000")


def test_no_pixel_spacing_is_no_spacing():
    series(PixelSpacing=lambda z: None)
    assert read_image("d").spacing_mm is None


# Oracle: the names of these files in the tables of DICOM. Each file is rejected with its name and the remedy.
@pytest.mark.parametrize(
    ("sop_class", "words"),
    [
        ("1.2.840.10008.5.1.4.1.1.66.4", r"DICOM segmentation \(SEG\).*label image"),
        ("1.2.840.10008.5.1.4.1.1.481.3", "structure set"),
        ("1.2.840.10008.5.1.4.1.1.88.11", "'Basic Text SR Storage', which has no pixels"),
    ],
)
def test_what_is_no_scan_is_named(sop_class, words):
    series()
    tags = pydicom.dcmread("d/IM000")
    tags.SOPClassUID = tags.file_meta.MediaStorageSOPClassUID = sop_class
    if "SR" in words:
        del tags.Rows, tags.PixelData
    tags.save_as("d/other.dcm")
    for source in ("d", "d/other.dcm"):
        if "SEG" in words and source != "d":  # the file alone is read if it is an image
            words = "segmentation of type ''"
        with pytest.raises(DataError, match=words) as caught:
            read_image(source)
        assert "other.dcm" in str(caught.value)


def test_dicom_without_a_preamble_is_named():
    """Oracle: the same bytes after a preamble are read."""
    for path in Path(series()).iterdir():
        path.write_bytes(path.read_bytes()[132:])
    for source in ("d", "d/IM000"):
        with pytest.raises(DataError, match=r"without its preamble.*dcmconv"):
            read_image(source)
    series()
    Path("d/IM000").write_bytes(Path("d/IM000").read_bytes()[132:])
    refused("'d/IM000' is DICOM without its preamble")


def test_the_contents_of_a_disc_are_no_series():
    """Oracle: the DICOMDIR writer of pydicom."""
    from pydicom.fileset import FileSet

    disc = FileSet()
    for path in Path(series()).iterdir():
        tags = pydicom.dcmread(path)
        tags.PatientID, tags.PatientName = "1", "A"
        tags.StudyInstanceUID, tags.StudyDate, tags.StudyTime, tags.StudyID = "1.2.3", "20260101", "120000", "1"
        tags.SeriesNumber, tags.Modality = 1, "CT"
        disc.add(tags)
    disc.write("disc")
    for source in ("disc", "disc/DICOMDIR"):
        with pytest.raises(DataError, match=r"table of contents of a DICOM disc.*folder of one of its series"):
            read_image(source)
