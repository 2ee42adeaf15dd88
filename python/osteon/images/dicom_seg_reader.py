"""DICOM segmentations (SEG). The frames of the segments are combined to a label image, and the values of the label
image are the segment numbers.

A frame is the part of a segment in a plane; empty planes may be missing. Binary segmentations and label maps are read.
Fractional segmentations store probabilities, which are not labels.
"""

from pathlib import Path

import numpy as np

from ..errors import DataError
from .dicom_file import HARMLESS, read_tags
from .packed import check_claim
from .placement import placed, right_angled
from .volume import Volume, check_shape

SEGMENTATION, LABEL_MAP = "1.2.840.10008.5.1.4.1.1.66.4", "1.2.840.10008.5.1.4.1.1.66.7"
CLASSES = (SEGMENTATION, LABEL_MAP)
EVEN = 0.02  # allowed relative deviation of the distance of planes


def is_segmentation(path: Path) -> bool:
    try:
        tags = read_tags(path, stop_before_pixels=True, specific_tags=["SOPClassUID"])
    except Exception:
        return False
    return str(tags.get("SOPClassUID") or tags.file_meta.get("MediaStorageSOPClassUID") or "") in CLASSES


def read_segmentation(path: Path) -> Volume:
    try:
        tags = read_tags(path)
    except Exception as e:
        raise DataError(
            f"'{path}' is not a readable DICOM file ({' '.join(str(e).split())[-120:]}); copy it again"
        ) from None
    kind = str(tags.get("SegmentationType", ""))
    if kind not in ("BINARY", "LABELMAP"):
        raise DataError(
            f"'{path}' is a segmentation of type '{kind}', whose values are probabilities or fractions, not labels; "
            "save it as a binary one, for example by 3D Slicer"
        )
    frames = _frames(tags, path)
    names = _names(tags)
    axes, spacing = _axes(frames, tags, path)
    along = np.array([f["position"] for f in frames]) @ axes[:, 2]
    step, planes = _planes(along, spacing, path)
    shape = (int(planes.max()) + 1, int(tags.Rows), int(tags.Columns))
    check_shape(shape, str(path))
    most = max([*names, *(f["segment"] for f in frames), 1])
    if most >= 2**16:
        raise DataError(f"'{path}' has the segment number {most}; it must be from 1 to {2**16 - 1}")
    values = np.zeros(shape, np.uint8 if most < 2**8 and kind == "BINARY" else np.uint16)
    _fill(values, frames, planes, tags, kind, names, path)
    if values.max() < 2**8:
        values = values.astype(np.uint8)
    first = frames[int(np.argmin(along))]["position"]
    rows, columns = spacing
    placement = placed(first, axes, np.array([columns, rows, step]), str(path))
    facts = {"labels": {str(n): name for n, name in names.items()}}
    return Volume(values, "dicom-seg", (step, rows, columns), placement, facts)


def _frames(tags, path: Path) -> list[dict]:
    shared = (tags.get("SharedFunctionalGroupsSequence") or [None])[0]
    each = tags.get("PerFrameFunctionalGroupsSequence") or []
    if not each or len(each) != int(tags.get("NumberOfFrames", 1) or 1):
        raise DataError(
            f"'{path}' states {tags.get('NumberOfFrames')} frames and describes {len(each)}; copy or export it again"
        )

    def of(group, sequence: str, key: str):
        for where in (group, shared):
            if where is not None and sequence in where and where[sequence].value and key in where[sequence].value[0]:
                return where[sequence].value[0][key].value
        raise DataError(f"'{path}': missing {key} (frame position); export the segmentation again")

    frames = []
    for group in each:
        found = {
            "position": np.array([float(v) for v in of(group, "PlanePositionSequence", "ImagePositionPatient")]),
            "cosines": np.array([float(v) for v in of(group, "PlaneOrientationSequence", "ImageOrientationPatient")]),
            "spacing": tuple(float(v) for v in of(group, "PixelMeasuresSequence", "PixelSpacing")),
            "segment": 0,
        }
        if str(tags.SegmentationType) == "BINARY":
            found["segment"] = int(of(group, "SegmentIdentificationSequence", "ReferencedSegmentNumber"))
        if found["position"].shape != (3,) or found["cosines"].shape != (6,) or len(found["spacing"]) != 2:
            raise DataError(f"'{path}' states no valid position of a frame; export it again")
        frames.append(found)
    return frames


def _names(tags) -> dict[int, str]:
    return {
        int(segment.SegmentNumber): str(segment.get("SegmentLabel", "") or f"segment {segment.SegmentNumber}")
        for segment in tags.get("SegmentSequence") or []
        if "SegmentNumber" in segment
    }


def _axes(frames: list[dict], tags, path: Path) -> tuple[np.ndarray, tuple[float, float]]:
    first = frames[0]
    for frame in frames:
        if not np.allclose(frame["cosines"], first["cosines"], atol=1e-3) or frame["spacing"] != first["spacing"]:
            raise DataError(f"the frames of '{path}' differ in orientation or spacing; export each segment separately")
    rows, columns = first["cosines"][:3], first["cosines"][3:]
    return right_angled(np.stack([rows, columns, np.cross(rows, columns)], axis=1), str(path)), first["spacing"]


def _planes(along: np.ndarray, spacing: tuple[float, float], path: Path) -> tuple[float, np.ndarray]:
    """Return the distance of the planes, and the plane of each frame, counted from the lowest."""
    sorted_mm = np.sort(along)
    steps = np.diff(sorted_mm)
    steps = steps[steps > 1e-3 * min(spacing)]
    if not steps.size:
        raise DataError(f"'{path}' has a single plane; a volume has at least 2")
    step = float(steps.min())
    planes = (along - along.min()) / step
    whole = np.rint(planes)
    if (
        np.abs(planes - whole).max() > EVEN * max(1.0, float(whole.max()))
        or np.abs(steps / step - np.rint(steps / step)).max() > EVEN
    ):
        raise DataError(
            f"the planes of '{path}' are not evenly spaced ({step:g} mm at least); resample it onto an even grid"
        )
    step = float((along.max() - along.min()) / whole.max())
    return step, whole.astype(int)


def _fill(values: np.ndarray, frames: list[dict], planes: np.ndarray, tags, kind: str, names: dict, path: Path) -> None:
    from pydicom.pixels import pixel_array

    bits = int(tags.BitsAllocated) * values.shape[1] * values.shape[2] * len(frames)
    check_claim(bits // 8, path, packed=True, harmless=HARMLESS)
    for number, frame in enumerate(frames):
        try:
            marks = pixel_array(tags, index=number)
        except MemoryError:
            raise
        except Exception as e:  # Decoders raise any exception for damaged bytes.
            reason = " ".join(str(e).split())[-120:]
            raise DataError(f"the pixels of '{path}' cannot be read ({reason}); copy or export it again") from None
        if marks.shape != values.shape[1:]:
            raise DataError(f"'{path}' has {marks.shape} pixels but states {values.shape[1:]}; export it again")
        plane, marked = values[planes[number]], marks > 0
        both = marked & (plane > 0)
        if both.any():
            a, b = (
                names.get(n, f"segment {n}") for n in (int(plane[both][0]), frame["segment"] or int(marks[both][0]))
            )
            raise DataError(
                f"'{path}' has voxels in two segments, '{a}' and '{b}'; a voxel of a label image has one label: "
                "export the segments separately"
            )
        plane[marked] = frame["segment"] if kind == "BINARY" else marks[marked]
