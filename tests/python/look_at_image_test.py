"""Tests of a quick look at an image. The result agrees with the reader of the image, and only a part of a large image
is read."""

import json
from pathlib import Path

import numpy as np
import pytest
from osteon.errors import DataError
from osteon.images.look_at_image import inspect, places

SHAPE = (12, 6, 5)


@pytest.fixture
def values() -> np.ndarray:
    return np.random.default_rng(2).integers(0, 200, SHAPE).astype(np.int16)


def write(folder: Path, name: str, values: np.ndarray) -> Path:
    path = folder / name
    kind = path.suffix
    if kind == ".npy":
        np.save(path, values)
    elif kind == ".npz":
        np.savez_compressed(path, image=values, spacing_mm=[3.0, 2.0, 1.0])
    elif kind == ".raw":
        path.write_bytes(values.tobytes())
        layout = {"shape": list(SHAPE), "dtype": "int16", "byte_order": "little", "spacing_mm": [3.0, 2.0, 1.0]}
        path.with_suffix(".json").write_text(json.dumps(layout))
    elif kind in (".mha", ".nrrd"):
        import SimpleITK as sitk  # noqa: N813

        image = sitk.GetImageFromArray(values)
        image.SetSpacing((1.0, 2.0, 3.0))
        sitk.WriteImage(image, str(path))
    elif kind in (".h5", ".mgz", ".mgh"):
        write_others(path, values)
    elif kind == ".nii":
        import nibabel

        image = nibabel.Nifti1Image(values.T, np.diag([1.0, 2.0, 3.0, 1.0]))
        image.header.set_xyzt_units("mm")
        nibabel.save(image, path)
    else:
        import tifffile

        tifffile.imwrite(path, values.astype(np.uint16), imagej=True, metadata={"spacing": 3.0, "unit": "mm"})
    return path


def write_others(path: Path, values: np.ndarray) -> None:
    if path.suffix == ".h5":
        with pytest.importorskip("h5py").File(path, "w") as file:
            file.create_dataset("image", data=values, compression="gzip").attrs["spacing_mm"] = [3.0, 2.0, 1.0]
        return
    import nibabel

    nibabel.save(nibabel.MGHImage(values.T.astype(np.int32), np.diag([1.0, 2.0, 3.0, 1.0])), path)


@pytest.mark.parametrize("name", ["a.npy", "a.raw", "a.mha", "a.nrrd", "a.nii", "a.tif", "a.mgh"])
def test_a_sample_says_what_the_whole_says(tmp_path: Path, values: np.ndarray, name: str) -> None:
    """Oracle: numpy, on the inspected planes."""
    path = str(write(tmp_path, name, values))
    whole, part = inspect(path, 1 << 20, 100.0, 150.0), inspect(path, 10, 100.0, 150.0)
    assert whole["whole"]
    assert not part["whole"]
    assert whole["looked_at"] == values.size
    assert whole["above"] == pytest.approx(((values > 100) & (values <= 150)).mean())
    assert part["shape"] == whole["shape"] == list(SHAPE)
    assert part["dtype"] in (None, whole["dtype"])
    if part["knows_spacing"]:
        assert part["spacing_mm"] == whole["spacing_mm"]
    sample = values[places(SHAPE[0])]
    assert part["looked_at"] == sample.size
    assert (part["grey_min"], part["grey_max"]) == (sample.min(), sample.max())
    assert part["above"] == pytest.approx(((sample > 100) & (sample <= 150)).mean())


def test_a_stack_is_looked_at_by_some_of_its_slices(tmp_path: Path, values: np.ndarray) -> None:
    from PIL import Image

    for z, plane in enumerate(values.astype(np.uint8)):
        Image.fromarray(plane).save(tmp_path / f"slice{z:02d}.png")
    found = inspect(str(tmp_path), 10, None, None)
    assert found["shape"] == list(SHAPE)
    assert found["looked_at"] == 5 * 30
    assert found["spacing_mm"] is None


@pytest.mark.parametrize("name", ["a.npz", "a.h5", "a.mgz"])
def test_of_an_archive_only_the_headers_are_looked_at(tmp_path: Path, values: np.ndarray, name: str) -> None:
    """Oracle: the result for the whole image."""
    path = str(write(tmp_path, name, values))
    whole, part = inspect(path, 1 << 20, None, None), inspect(path, 10, None, None)
    for key in ("shape", "dtype", "spacing_mm"):
        assert part[key] == whole[key]
    assert part["spacing_mm"] == [3.0, 2.0, 1.0]
    assert part["looked_at"] == 0


def test_a_short_file_is_refused(tmp_path: Path, values: np.ndarray) -> None:
    path = write(tmp_path, "a.raw", values)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(DataError, match="has 719 bytes"):
        inspect(str(path), 10, None, None)


def _tiff(folder: Path) -> Path:
    import tifffile

    path = folder / "white.tif"
    tifffile.imwrite(path, np.arange(60, dtype=np.uint8).reshape(3, 4, 5), photometric="miniswhite")
    return path


def _stack(folder: Path) -> Path:
    import tifffile

    for z in range(3):
        plane = np.full((4, 5), z, np.uint8)
        tifffile.imwrite(folder / f"white{z}.tif", plane, photometric="miniswhite")
    return folder


def _nifti(folder: Path) -> Path:
    import nibabel

    path = folder / "unit.nii"
    image = nibabel.Nifti1Image(np.zeros((5, 4, 3), np.int16), np.diag([0.5, 0.5, 0.5, 1]))
    nibabel.save(image, path)
    with path.open("ab") as file:
        file.write(b"surplus")
    return path


def _nrrd(folder: Path) -> Path:
    path = folder / "unit.nrrd"
    head = "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 5 4 3\nspacings: 0.5 0.5 0.5\nencoding: raw\n\n"
    path.write_bytes(head.encode() + bytes(60))
    return path


def _metaimage(folder: Path) -> Path:
    path = folder / "unit.mha"
    head = (
        "ObjectType = Image\nNDims = 3\nDimSize = 5 4 3\nElementSpacing = 500 500 500\nDistanceUnits = um\n"
        "ElementType = MET_UCHAR\nElementDataFile = LOCAL\n"
    )
    path.write_bytes(head.encode() + bytes(60))
    return path


def _dicom(folder: Path) -> Path:
    """Positions rounded to one decimal."""
    pydicom = pytest.importorskip("pydicom")
    for z in range(6):
        tags = pydicom.Dataset()
        tags.file_meta = pydicom.dataset.FileMetaDataset()
        tags.file_meta.TransferSyntaxUID = pydicom.uid.ExplicitVRLittleEndian
        tags.file_meta.MediaStorageSOPClassUID = tags.SOPClassUID = pydicom.uid.CTImageStorage
        tags.SOPInstanceUID = f"1.2.3.{z + 1}"
        tags.SeriesInstanceUID, tags.Modality = "1.2.3", "CT"
        tags.Rows, tags.Columns, tags.BitsAllocated, tags.BitsStored, tags.HighBit = 4, 5, 16, 16, 15
        tags.SamplesPerPixel, tags.PhotometricInterpretation, tags.PixelRepresentation = 1, "MONOCHROME2", 0
        tags.ImagePositionPatient = [0, 0, round(0.625 * z, 1)]
        tags.ImageOrientationPatient = [1, 0, 0, 0, 1, 0]
        tags.PixelSpacing, tags.SliceThickness = [0.5, 0.5], 0.625
        tags.PixelData = np.full((4, 5), z, np.uint16).tobytes()
        tags.save_as(folder / f"{z}.dcm", enforce_file_format=True)
    return folder


@pytest.mark.parametrize("make", [_tiff, _stack, _nifti, _nrrd, _metaimage, _dicom])
def test_a_large_image_has_the_warnings_of_its_reader(tmp_path: Path, make) -> None:
    """Oracle: the warnings of the reader of the whole image. There is at least one warning."""
    from osteon.images.read_image import read_image

    source = str(make(tmp_path))
    expected = read_image(source).warnings
    assert expected
    large, small = (inspect(source, most, None, None) for most in (0, 1 << 20))
    assert (large["whole"], small["whole"]) == (False, True)
    assert large["warnings"] == small["warnings"] == expected
    assert large["spacing_mm"] == small["spacing_mm"]
    assert large["shape"] == small["shape"]


def test_a_large_hdf5_file_has_the_warning_of_its_missing_chunks(tmp_path: Path) -> None:
    """Oracle: the reader of the whole image."""
    h5py = pytest.importorskip("h5py")
    from osteon.images.read_image import read_image

    path = tmp_path / "chunks.h5"
    with h5py.File(path, "w") as file:
        voxels = file.create_dataset("image", (4, 4, 4), "u1", chunks=(1, 4, 4), fillvalue=7)
        voxels.attrs["spacing_mm"] = [1.0, 1.0, 1.0]
        voxels[:2] = 9
    expected = read_image(str(path), accepts_fill_value=True).warnings
    assert len(expected) == 1
    assert inspect(str(path), 0, None, None, accepts_fill_value=True)["warnings"] == expected
