"""A series of DICOM slices: tags by pydicom, pixels by pydicom and imagecodecs, with each slice's own rescale.

An enhanced file holds the slices of a series as frames (dicom_frames.py); they are put in order and checked alike.
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

# What lies beside slices and is none. Other files are refused: a damaged slice must not be taken for a stranger.
CLUTTER = (".txt", ".xml", ".json", ".csv", ".log", ".html", ".pdf", ".md", ".jpg", ".jpeg", ".png", ".db", ".ini")
DEFLATED, RUN_LENGTHS = "1.2.840.10008.1.2.1.99", "1.2.840.10008.1.2.5"
PLAIN = ("1.2.840.10008.1.2", "1.2.840.10008.1.2.1", "1.2.840.10008.1.2.2")  # transfer syntaxes that do not pack
KNOWN = (*PLAIN, DEFLATED, RUN_LENGTHS, *JPEG)
# Files that look like series and are none, by their SOP class: what they are and what to do.
NO_SCANS = {
    "1.2.840.10008.1.3.10": (
        "the table of contents of a DICOM disc (DICOMDIR)",
        "give the folder of one of its series",
    ),
    "1.2.840.10008.5.1.4.1.1.66.4": (
        "a DICOM segmentation (SEG): marks of organs, no slice of a scan",
        "give the file itself as a label image, or move it out of the folder",
    ),
    "1.2.840.10008.5.1.4.1.1.66.5": ("a DICOM surface segmentation: meshes, no scan", "move it out of the folder"),
    "1.2.840.10008.5.1.4.1.1.481.2": ("a DICOM radiotherapy dose, no scan", "move it out of the folder"),
    "1.2.840.10008.5.1.4.1.1.481.3": (
        "a DICOM radiotherapy structure set: contours, no scan",
        "move it out of the folder",
    ),
}
NEEDED = ("SeriesInstanceUID", "Rows", "Columns", "ImagePositionPatient", "ImageOrientationPatient")


def is_dicom(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(132)[128:] == b"DICM"


def lacks_preamble(path: Path) -> bool:
    """Whether a file is DICOM from its first byte on: without the 128 bytes and the letters DICM before."""
    with path.open("rb") as file:
        head = file.read(8)
    if len(head) < 8:
        return False
    group, element, length = struct.unpack("<HHI", head)
    explicit = head[4:6].isalpha() and head[4:6].isupper()
    # The first element of a file's head, or of a data set: both groups begin with numbers that are small.
    return group in (2, 8) and element <= 0x18 and (explicit or (length <= 128 and length % 2 == 0))


def refuse_what_is_no_series(path: Path) -> None:
    """@throws DataError that names it: DICOM without a preamble, the contents of a disc, a segmentation"""
    if not is_dicom(path):
        if lacks_preamble(path):
            raise DataError(
                f"'{path}' is DICOM without its preamble (128 bytes and the letters DICM, which data sets of a network "
                "lack); add it to all files, for example by `dcmconv +F IN OUT` of DCMTK"
            )
        return
    tags = _tags(path)
    _refuse_other_classes(path, tags)


def _refuse_other_classes(path: Path, tags) -> None:
    uid = tags.get("SOPClassUID") or tags.file_meta.get("MediaStorageSOPClassUID") or ""
    if uid in NO_SCANS:
        what, then = NO_SCANS[uid]
        raise DataError(f"'{path}' is {what}; {then}")
    if "Rows" not in tags and "PerFrameFunctionalGroupsSequence" not in tags:
        name = getattr(uid, "name", "") or "of no class"
        raise DataError(f"'{path}' is DICOM of the class '{name}', which has no pixels; move it out of the folder")


def read_dicom(files: list[Path], folder: str) -> Volume:
    slices = [s for path in files if not _is_clutter(path) for s in _slices(path)]
    _refuse_mixed(slices, folder)
    if len(slices) < 2:
        raise DataError(f"'{folder}' holds {len(slices)} DICOM slice; a volume has at least 2")
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
    """Whether a file is a volume by itself."""
    return int(_tags(path).get("NumberOfFrames", 1) or 1) > 1


def _tags(path: Path):
    try:
        return read_tags(path, stop_before_pixels=True)
    except Exception as e:
        reason = " ".join(str(e).split())[-120:]
        raise DataError(
            f"'{path}' is no readable DICOM file ({reason}); copy it again, or move it out of the folder of the slices"
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
            f"'{path}' has the transfer syntax '{name}'; known are uncompressed, deflated, RLE, JPEG, JPEG-LS and JPEG "
            "2000 pixels: convert it, for example by `gdcmconv --raw IN OUT`"
        )
    is_packed = syntax not in PLAIN
    check_claim(bits // 8, path, packed=is_packed, harmless=HARMLESS)


def _slice(path: Path, tags, frame: int | None) -> Slice:
    found = Slice(path, tags, np.zeros(3), np.zeros(3), np.zeros(3), frame)
    missing = [name for name in NEEDED if tags.get(name) in (None, "")]
    if missing:
        raise DataError(
            f"{found.place} lacks {', '.join(missing)}, without which slices cannot be put in order; "
            "is it a scout view or a report? move it out of the folder"
        )
    if int(tags.get("SamplesPerPixel", 1)) != 1 or tags.get("PhotometricInterpretation") == "PALETTE COLOR":
        raise DataError(f"{found.place} is in colour; needed is one grey value a voxel")
    position = np.array([float(v) for v in tags.ImagePositionPatient])
    cosines = np.array([float(v) for v in tags.ImageOrientationPatient])
    if position.shape != (3,) or cosines.shape != (6,) or not np.isfinite([*position, *cosines]).all():
        raise DataError(f"{found.place} states no usable position and orientation; export the series again")
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
            f"'{folder}' holds {len(series)} DICOM series ({found}); "
            "put the slices of one series into a folder of its own"
        )
    first = slices[0] if slices else None
    for s in slices:
        if (s.tags.Rows, s.tags.Columns) != (first.tags.Rows, first.tags.Columns):
            raise DataError(
                f"{s.place} has {s.tags.Rows} x {s.tags.Columns} pixels, {first.name} has {first.tags.Rows} x "
                f"{first.tags.Columns}; the slices of a series are alike: move what does not belong to it"
            )
        if not np.allclose([*s.rows, *s.columns], [*first.rows, *first.columns], atol=1e-3):
            raise DataError(
                f"{s.place} lies across {first.name} (its orientation differs); move scout views and other "
                "planes out of the folder"
            )
    _refuse_mixed_units(slices)


def _refuse_mixed_units(slices: list[Slice]) -> None:
    """Some scanners state the unit in some slices only; those without one have to have a rescale, as the others do."""
    with_unit = [s for s in slices if s.tags.get("RescaleType")]
    for s in slices if with_unit else []:
        first = with_unit[0]
        of_first, of_this = str(first.tags.RescaleType), str(s.tags.get("RescaleType") or "")
        is_rescaled = s.tags.get("RescaleSlope") not in (None, "") or first.tags.get("RescaleSlope") in (None, "")
        if of_this != of_first and (of_this or not is_rescaled):
            raise DataError(
                f"{s.place} has values in {of_this or 'no unit, without a rescale'}, {first.name} in {of_first}; the "
                "series is mixed"
            )


def _pixels(slices: list[Slice]) -> Iterator[np.ndarray]:
    """The slices; they may differ in rescale, so in type: whole numbers in one, fractions in the next."""
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
