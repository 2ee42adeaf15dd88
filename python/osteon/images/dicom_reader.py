"""A series of DICOM slices. pydicom reads the tags, pydicom and imagecodecs read the pixels, and each slice has its own
rescale.

An enhanced file contains the slices of a series as frames (dicom_frames.py), which are sorted and checked like slices.
"""

import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from ..errors import DataError
from .dicom_file import HARMLESS, read_tags
from .dicom_frames import JPEG, frame_tags, rescaled, stored_frames
from .dicom_geometry import Slice, pixel_size, step_between
from .packed import check_claim
from .pieces import Pieces
from .placement import placed, right_angled
from .volume import Volume, check_shape

# Files that may accompany slices. All other files are rejected, because an ignored file could be a damaged slice.
CLUTTER = (".txt", ".xml", ".json", ".csv", ".log", ".html", ".pdf", ".md", ".jpg", ".jpeg", ".png", ".db", ".ini")
DEFLATED, RUN_LENGTHS = "1.2.840.10008.1.2.1.99", "1.2.840.10008.1.2.5"
PLAIN = ("1.2.840.10008.1.2", "1.2.840.10008.1.2.1", "1.2.840.10008.1.2.2")  # uncompressed transfer syntaxes
KNOWN = (*PLAIN, DEFLATED, RUN_LENGTHS, *JPEG)
# Description and remedy for files that are not slices, by SOP class.
NO_SCANS = {
    "1.2.840.10008.1.3.10": (
        "the table of contents of a DICOM disc (DICOMDIR)",
        "use the folder of one of its series",
    ),
    "1.2.840.10008.5.1.4.1.1.66.4": (
        "a DICOM segmentation (SEG): labels of organs, not a slice of a scan",
        "use the file itself as a label image, or move it out of the folder",
    ),
    "1.2.840.10008.5.1.4.1.1.66.5": ("a DICOM surface segmentation: meshes, not a scan", "move it out of the folder"),
    "1.2.840.10008.5.1.4.1.1.481.2": ("a DICOM radiotherapy dose, not a scan", "move it out of the folder"),
    "1.2.840.10008.5.1.4.1.1.481.3": (
        "a DICOM radiotherapy structure set: contours, not a scan",
        "move it out of the folder",
    ),
}
NEEDED = ("SeriesInstanceUID", "Rows", "Columns", "ImagePositionPatient", "ImageOrientationPatient")


def is_dicom(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(132)[128:] == b"DICM"


def lacks_preamble(path: Path) -> bool:
    """Return True for a DICOM file that starts without the 128 bytes and the letters DICM."""
    with path.open("rb") as file:
        head = file.read(8)
    if len(head) < 8:
        return False
    group, element, length = struct.unpack("<HHI", head)
    explicit = head[4:6].isalpha() and head[4:6].isupper()
    # Detect the first element of the file meta information or of a data set. The elements of both groups start with
    # small numbers.
    return group in (2, 8) and element <= 0x18 and (explicit or (length <= 128 and length % 2 == 0))


def refuse_what_is_no_series(path: Path) -> None:
    """@throws DataError for DICOM without a preamble, a DICOMDIR, or a class that is not an image"""
    if not is_dicom(path):
        if lacks_preamble(path):
            raise DataError(
                f"'{path}' is DICOM without its preamble (128 bytes and the letters DICM, which network data sets "
                "lack); add it to all files, for example by `dcmconv +F IN OUT` of DCMTK"
            )
        return
    tags = _tags(path)
    _refuse_other_classes(path, tags)


def _refuse_other_classes(path: Path, tags) -> None:
    uid = tags.get("SOPClassUID") or tags.file_meta.get("MediaStorageSOPClassUID") or ""
    if uid in NO_SCANS:
        description, remedy = NO_SCANS[uid]
        raise DataError(f"'{path}' is {description}; {remedy}")
    if "Rows" not in tags and "PerFrameFunctionalGroupsSequence" not in tags:
        name = getattr(uid, "name", "") or "unknown"
        raise DataError(f"'{path}' is DICOM of the class '{name}', which has no pixels; move it out of the folder")


def read_dicom(files: list[Path], folder: str) -> Volume:
    slices = [s for path in files if not _is_clutter(path) for s in _slices(path)]
    _refuse_mixed(slices, folder)
    if len(slices) < 2:
        raise DataError(f"'{folder}' contains {len(slices)} DICOM slice; a volume has at least 2")
    first = slices[0]
    check_shape((len(slices), int(first.tags.Rows), int(first.tags.Columns)), folder)
    axes = right_angled(
        np.stack([first.rows, first.columns, np.cross(first.rows, first.columns)], axis=1), str(first.path)
    )
    slices.sort(key=lambda s: float(axes[:, 2] @ s.position))
    warnings: list[str] = []
    thickness = step_between(slices, axes[:, 2], warnings)
    values = Pieces((len(slices), int(first.tags.Rows), int(first.tags.Columns)), None, lambda: _pixels(slices))
    facts = _units(slices)
    pixels = pixel_size(slices, warnings)
    if pixels is None:
        return Volume(values, "dicom", facts=facts, warnings=warnings)
    rows, columns = pixels
    placement = placed(slices[0].position, axes, np.array([columns, rows, thickness]), folder)
    return Volume(values, "dicom", (thickness, rows, columns), placement, facts, warnings)


def _is_clutter(path: Path) -> bool:
    return path.name.startswith(".") or path.name.upper() == "DICOMDIR" or path.suffix.lower() in CLUTTER


def has_frames(path: Path) -> bool:
    """Return True if one file contains a volume."""
    return int(_tags(path).get("NumberOfFrames", 1) or 1) > 1


def _tags(path: Path):
    try:
        return read_tags(path, stop_before_pixels=True)
    except Exception as e:
        reason = " ".join(str(e).split())[-120:]
        raise DataError(
            f"'{path}' is not a readable DICOM file ({reason}); copy it again, or move it out of the folder"
        ) from None


def _slices(path: Path) -> list[Slice]:
    if not is_dicom(path):
        refuse_what_is_no_series(path)
    tags = _tags(path)
    _refuse_other_classes(path, tags)
    _check_claim(path, tags)
    frames = frame_tags(tags, path)
    if frames is None:
        return [_slice(path, tags, None)]
    return [_slice(path, of_frame, number) for number, of_frame in enumerate(frames)]


def _check_claim(path: Path, tags) -> None:
    bits = 1
    for key in ("Rows", "Columns", "NumberOfFrames", "SamplesPerPixel", "BitsAllocated"):
        bits *= int(tags.get(key, 1) or 1)
    syntax = tags.file_meta.get("TransferSyntaxUID", "")
    if syntax not in KNOWN:
        name = getattr(syntax, "name", "") or "none"
        raise DataError(
            f"'{path}' has the transfer syntax '{name}'; supported: uncompressed, deflated, RLE, JPEG, JPEG-LS and "
            "JPEG 2000 pixels. Convert it, for example by `gdcmconv --raw IN OUT`"
        )
    is_packed = syntax not in PLAIN
    check_claim(bits // 8, path, packed=is_packed, harmless=HARMLESS)


def _slice(path: Path, tags, frame: int | None) -> Slice:
    found = Slice(path, tags, np.zeros(3), np.zeros(3), np.zeros(3), frame)
    missing = [name for name in NEEDED if tags.get(name) in (None, "")]
    if missing:
        raise DataError(
            f"{found.place}: missing {', '.join(missing)}, required for the order of slices; "
            "if it is a scout view or a report, move it out of the folder"
        )
    if int(tags.get("SamplesPerPixel", 1)) != 1 or tags.get("PhotometricInterpretation") == "PALETTE COLOR":
        raise DataError(f"{found.place} is in colour; one grey value per voxel is required")
    position = np.array([float(v) for v in tags.ImagePositionPatient])
    cosines = np.array([float(v) for v in tags.ImageOrientationPatient])
    if position.shape != (3,) or cosines.shape != (6,) or not np.isfinite([*position, *cosines]).all():
        raise DataError(f"{found.place} states no valid position and orientation; export the series again")
    found.position, found.rows, found.columns = position, cosines[:3], cosines[3:]
    return found


def _refuse_mixed(slices: list[Slice], folder: str) -> None:
    series: dict[str, list[Slice]] = {}
    for s in slices:
        series.setdefault(str(s.tags.SeriesInstanceUID), []).append(s)
    if len(series) > 1:
        found = "; ".join(
            f"{len(of)} slices of '{of[0].tags.get('SeriesDescription', uid)}', as {of[0].name}"
            for uid, of in series.items()
        )
        raise DataError(
            f"'{folder}' contains {len(series)} DICOM series ({found}); "
            "move the slices of one series to a separate folder"
        )
    first = slices[0] if slices else None
    for s in slices:
        if (s.tags.Rows, s.tags.Columns) != (first.tags.Rows, first.tags.Columns):
            raise DataError(
                f"{s.place} has {s.tags.Rows} x {s.tags.Columns} pixels, {first.name} has {first.tags.Rows} x "
                f"{first.tags.Columns}; slices of a series must have one size; move other files out of the folder"
            )
        if not np.allclose([*s.rows, *s.columns], [*first.rows, *first.columns], atol=1e-3):
            raise DataError(
                f"{s.place} is not parallel to {first.name} (its orientation differs); move scout views and other "
                "planes out of the folder"
            )
    _refuse_mixed_units(slices)


def _refuse_mixed_units(slices: list[Slice]) -> None:
    """Reject mixed units. Some scanners state the unit only in some slices. The other slices must then also have a
    rescale."""
    with_unit = [s for s in slices if s.tags.get("RescaleType")]
    for s in slices if with_unit else []:
        first = with_unit[0]
        of_first, of_this = str(first.tags.RescaleType), str(s.tags.get("RescaleType") or "")
        is_rescaled = s.tags.get("RescaleSlope") not in (None, "") or first.tags.get("RescaleSlope") in (None, "")
        if of_this != of_first and (of_this or not is_rescaled):
            raise DataError(
                f"{s.place} has values in {of_this or 'no unit, without a rescale'}, {first.name} in {of_first}; the "
                "units of a series must be equal"
            )


def _pixels(slices: list[Slice]) -> Iterator[np.ndarray]:
    """Yield the slices. Rescales may differ between slices, and therefore types may differ: integers in one slice,
    fractions in the next slice."""
    frames: dict[Path, Callable[[int], np.ndarray]] = {}
    for s in slices:
        if s.path not in frames:
            frames = {s.path: stored_frames(s.path)} if s.frame is None else {**frames, s.path: stored_frames(s.path)}
        yield rescaled(frames[s.path](s.frame or 0), s.tags)


def _units(slices: list[Slice]) -> dict[str, object]:
    kind = next((str(s.tags.RescaleType) for s in slices if s.tags.get("RescaleType")), "")
    tags = slices[0].tags
    if not kind and tags.get("Modality") == "CT" and "RescaleSlope" in tags:
        kind = "HU"
    return {"unit": kind} if kind and kind != "US" else {}
