"""Readers of the medical formats, by SimpleITK: NIfTI, NRRD, MetaImage and DICOM series."""

import itertools
import re
from pathlib import Path

import SimpleITK as sitk  # noqa: N813 (its usual name)

from .errors import DataError
from .volume import Volume, check_shape

FORMATS = {
    ".nii": "nifti",
    ".nii.gz": "nifti",
    ".nrrd": "nrrd",
    ".nhdr": "nrrd",
    ".mha": "metaimage",
    ".mhd": "metaimage",
}


def read_itk(path: Path, form: str) -> Volume:
    reader = sitk.ImageFileReader()
    reader.SetFileName(str(path))
    reader.ReadImageInformation()
    if reader.GetNumberOfComponents() != 1:
        raise DataError(f"'{path}' has {reader.GetNumberOfComponents()} values a voxel; needed is one grey value")
    check_shape(reader.GetSize(), str(path))
    stated = _states_spacing(path, form, reader)
    image = reader.Execute()
    scale = _nrrd_unit_mm(path) if form == "nrrd" else 1.0
    if scale is None:
        stated, scale = False, 1.0
    z_y_x = tuple(scale * h for h in (image.GetSpacing()[:3])[::-1])
    origin = tuple(scale * o for o in (image.GetOrigin()[:3])[::-1])
    return Volume(sitk.GetArrayFromImage(image), form, z_y_x if stated else None, origin)


def _nrrd_unit_mm(path: Path) -> float | None:
    """Length in mm of the unit of an NRRD header; 1 if it states none (mm by custom), None if it is unknown."""
    with path.open("rb") as file:
        head = file.read(65536).split(b"\n\n")[0].decode("latin-1")
    named = re.search(r"^(?:space units|units)\s*:\s*(.*)$", head, re.M)
    if not named:
        return 1.0
    units = {unit.strip().lower() for unit in re.findall(r'"([^"]*)"', named.group(1))} - {""}
    if not units:
        return 1.0
    known = {"mm": 1.0, "um": 1e-3, "µm": 1e-3, "micron": 1e-3, "microns": 1e-3, "nm": 1e-6, "cm": 10.0, "m": 1000.0}
    return known.get(units.pop()) if len(units) == 1 else None


def _states_spacing(path: Path, form: str, reader: sitk.ImageFileReader) -> bool:
    # ITK puts 1 where a file says nothing; that is a guess, and a guess is not passed on.
    if form == "nifti":
        code = reader.GetMetaData("xyzt_units") if reader.HasMetaDataKey("xyzt_units") else "0"
        return code.isdecimal() and int(code) & 7 in (1, 2, 3)
    with path.open("rb") as file:
        head = file.read(65536).split(b"\n\n")[0]
    key = rb"^(spacings|space directions)\s*:" if form == "nrrd" else rb"^\s*(ElementSpacing|ElementSize)\s*="
    return re.search(key, head, re.M) is not None


def is_dicom_folder(folder: Path) -> bool:
    return bool(sitk.ImageSeriesReader.GetGDCMSeriesIDs(str(folder)))


def read_dicom(folder: Path) -> Volume:
    series = sitk.ImageSeriesReader.GetGDCMSeriesIDs(str(folder))
    if len(series) != 1:
        raise DataError(
            f"'{folder}' holds {len(series)} DICOM series; put the slices of one series into a folder of its own"
        )
    names = sitk.ImageSeriesReader.GetGDCMSeriesFileNames(str(folder), series[0])
    if len(names) < 2:
        raise DataError(f"'{folder}' holds {len(names)} DICOM slice; a volume has at least 2")
    reader = sitk.ImageSeriesReader()
    reader.SetFileNames(names)
    reader.MetaDataDictionaryArrayUpdateOn()
    image = reader.Execute()
    if image.GetNumberOfComponentsPerPixel() != 1:
        raise DataError(f"'{folder}' holds colour slices; needed is one grey value a voxel")
    heights = _heights(reader, len(names), folder)
    steps = [b - a for a, b in itertools.pairwise(heights)]
    usual = sorted(steps)[len(steps) // 2]
    for i, step in enumerate(steps):
        if usual <= 0 or abs(step - usual) > 0.02 * usual:
            raise DataError(
                f"'{folder}': slices {i} and {i + 1} are {step:g} mm apart, the others {usual:g} mm; "
                "a slice is missing or the series is mixed"
            )
    spacing = (usual, image.GetSpacing()[1], image.GetSpacing()[0])
    return Volume(sitk.GetArrayFromImage(image), "dicom", spacing, image.GetOrigin()[::-1])


def _heights(reader: sitk.ImageSeriesReader, count: int, folder: Path) -> list[float]:
    """Positions of the slices along their normal, in mm."""
    found = []
    for i in range(count):
        if not (reader.HasMetaDataKey(i, "0020|0032") and reader.HasMetaDataKey(i, "0020|0037")):
            raise DataError(f"'{folder}': slice {i} does not state its position; without it slices cannot be ordered")
        p = [float(v) for v in reader.GetMetaData(i, "0020|0032").split("\\")]
        r = [float(v) for v in reader.GetMetaData(i, "0020|0037").split("\\")]
        normal = (r[1] * r[5] - r[2] * r[4], r[2] * r[3] - r[0] * r[5], r[0] * r[4] - r[1] * r[3])
        found.append(sum(a * b for a, b in zip(p, normal, strict=True)))
    return found
