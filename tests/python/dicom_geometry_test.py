"""Headers of DICOM series from several programs. Oracle: the values that the test wrote by pydicom, and SimpleITK if it
reads the series in the same way."""

from pathlib import Path

import numpy as np
import pytest
import SimpleITK as sitk  # noqa: N813
from dicom_frames_test import STORED, enhanced
from osteon.errors import DataError
from osteon.images.read_image import read_image
from pydicom.dataset import FileDataset, FileMetaDataset
from pydicom.uid import CTImageStorage, ExplicitVRLittleEndian

VALUES = np.random.default_rng(5).integers(0, 3000, (6, 8, 10)).astype("<u2")


@pytest.fixture(autouse=True)
def _in_tmp(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def series(count: int = 6, **change) -> str:
    """Slices of HU - 1024 at distances of 0.6 mm. @param change values of tags, or functions of the slice number"""
    Path("ct").mkdir(exist_ok=True)
    for k in range(count):
        meta = FileMetaDataset()
        meta.MediaStorageSOPClassUID, meta.TransferSyntaxUID = CTImageStorage, ExplicitVRLittleEndian
        meta.MediaStorageSOPInstanceUID = f"1.2.3.{k + 1}"
        tags = FileDataset("x", {}, file_meta=meta, preamble=bytes(128))
        tags.SOPClassUID, tags.SOPInstanceUID, tags.Modality = CTImageStorage, f"1.2.3.{k + 1}", "CT"
        tags.SeriesInstanceUID, tags.Rows, tags.Columns = "1.2.3.4", 8, 10
        tags.SamplesPerPixel, tags.PhotometricInterpretation, tags.PixelRepresentation = 1, "MONOCHROME2", 0
        tags.BitsAllocated, tags.BitsStored, tags.HighBit = 16, 16, 15
        tags.RescaleSlope, tags.RescaleIntercept = 1, -1024
        tags.ImagePositionPatient = [0, 0, round(0.6 * k, 4)]
        tags.ImageOrientationPatient, tags.PixelSpacing = [1, 0, 0, 0, 1, 0], ["0.48828125", "0.48828125"]
        tags.PixelData = VALUES[k % 6].tobytes()
        for key, value in change.items():
            value = value(k) if callable(value) else value
            if value is None:
                delattr(tags, key)
            else:
                setattr(tags, key, value)
        tags.save_as(f"ct/{k}.dcm", enforce_file_format=True)
    return "ct"


@pytest.mark.parametrize(("slope", "intercept"), [(1, -1024), (2, 0), (0.5, -3)])
def test_monochrome1_is_rescaled_and_not_inverted(slope, intercept):
    """Oracle: slope times the stored value plus intercept. The photometric interpretation affects only the display."""
    given = {"RescaleSlope": slope, "RescaleIntercept": intercept}
    volume = read_image(series(PhotometricInterpretation="MONOCHROME1", **given))
    np.testing.assert_array_equal(volume.values, VALUES * float(slope) + intercept)
    series(**given)
    np.testing.assert_array_equal(read_image("ct").values, volume.values)


def test_rescale_and_others_at_the_top_of_an_enhanced_file():
    """Oracle: the stored values with the rescale at the top level. The rescale of a frame takes precedence."""
    from pydicom import dcmread

    name = enhanced()
    own = read_image(name).values
    tags = dcmread(name)
    tags.RescaleSlope, tags.RescaleIntercept, tags.RescaleType = 2, -7, "HU"
    tags.save_as(name)
    np.testing.assert_array_equal(read_image(name).values, own)
    for frame in tags.PerFrameFunctionalGroupsSequence:
        del frame.PixelValueTransformationSequence
    tags.PixelSpacing = [0.25, 0.5]
    tags.ImageOrientationPatient = (
        tags.SharedFunctionalGroupsSequence[0].PlaneOrientationSequence[0].ImageOrientationPatient
    )
    del tags.SharedFunctionalGroupsSequence
    tags.save_as(name)
    volume = read_image(name)
    order = np.argsort(
        [f.PlanePositionSequence[0].ImagePositionPatient[2] for f in tags.PerFrameFunctionalGroupsSequence]
    )
    np.testing.assert_array_equal(volume.values, 2 * STORED.astype(int)[order] - 7)
    assert volume.spacing_mm == pytest.approx((1.5, 0.25, 0.5)) and volume.facts["unit"] == "HU"


def test_pixel_sizes_of_few_digits_are_one_size():
    """Oracle: the mean of the two texts. A difference that moves the last pixel by a twentieth is rejected."""
    size = {"PixelSpacing": lambda k: ["0.488281"] * 2 if k < 3 else ["0.48828125"] * 2}
    volume = read_image(series(**size))
    assert volume.spacing_mm == pytest.approx((0.6, 0.488281125, 0.488281125), rel=1e-9)
    assert len(volume.warnings) == 1 and "differ by up to 2.6e-07 of their size" in volume.warnings[0]
    with pytest.raises(DataError, match="the series is mixed"):
        read_image(series(PixelSpacing=lambda k: [0.49, 0.49] if k == 2 else [0.48, 0.48]))
    series(PixelSpacing=lambda k: [0.48, 0.48])
    assert read_image("ct").warnings == []


@pytest.mark.parametrize("step", [0.625, 0.4, 1.25, 2.05])
def test_rounded_positions_are_fitted(step):
    """Oracle: the step before rounding, to the precision that six positions with one decimal determine. SimpleITK reads
    the series."""
    volume = read_image(series(24, ImagePositionPatient=lambda k: [0, 0, round(step * k, 1)]))
    assert volume.spacing_mm[0] == pytest.approx(step, abs=0.1 / 23)
    names = sitk.ImageSeriesReader.GetGDCMSeriesFileNames("ct")
    assert volume.spacing_mm[0] == pytest.approx(sitk.ReadImage(names).GetSpacing()[2], abs=0.1 / 23)
    rounded = any(round(step * k, 1) != pytest.approx(step * k) for k in range(24))
    assert len(volume.warnings) == (rounded and abs(round(step, 1) - step) > 0.02 * step)


def test_a_stated_distance_that_agrees_with_rounded_positions_is_taken():
    """Oracle: the stated distance. A distance that does not agree is rejected."""
    rounded = {"ImagePositionPatient": lambda k: [0, 0, round(0.625 * k, 1)]}
    assert read_image(series(**rounded, SliceThickness="0.625")).spacing_mm[0] == 0.625
    assert read_image(series(**rounded, SliceThickness="1.25")).spacing_mm[0] == pytest.approx(0.625, abs=0.02)


@pytest.mark.parametrize(
    "place",
    [
        lambda k: [0, 0, round(0.625 * (k + (k > 2)), 1)],  # one slice is missing
        lambda k: [0, 0, round(0.625 * (k + (k > 0)), 1)],
        lambda k: [0, 0, round(0.625 * (k + (k > 4)), 1)],
        lambda k: [0, 0, k + (k > 2)],  # whole millimetres
        lambda k: [0, 0, f"{0.6 * k + 0.05 * (k == 3):.4f}"],  # the distance is stated to four digits
    ],
)
def test_rounding_does_not_excuse_missing_slices(place):
    """Oracle: the step has an error that rounding does not explain."""
    with pytest.raises(DataError, match="mm apart, the others"):
        read_image(series(ImagePositionPatient=place))


def test_a_unit_in_some_slices_only():
    """Oracle: the values. Slices without a rescale among slices in HU are reported as mixed, and so are two units."""
    volume = read_image(series(RescaleType=lambda k: "HU" if k > 2 else ""))
    np.testing.assert_array_equal(volume.values, VALUES.astype(int) - 1024)
    assert volume.facts["unit"] == "HU"
    with pytest.raises(DataError, match=r"has values in US, '0\.dcm' in HU"):
        read_image(series(RescaleType=lambda k: "US" if k == 3 else "HU"))
    for k in (1, 2):
        no_rescale = {
            key: (lambda i, v=v, k=k: None if i == k else v)
            for key, v in (("RescaleSlope", 1), ("RescaleIntercept", 0))
        }
        with pytest.raises(DataError, match="no unit, without a rescale"):
            read_image(series(RescaleType=lambda i, k=k: "" if i == k else "HU", **no_rescale))
