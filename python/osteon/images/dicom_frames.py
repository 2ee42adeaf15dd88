"""Enhanced DICOM: many slices as frames of one file, each with its own position, orientation and rescale."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from ..errors import DataError
from .dicom_file import read_tags, size_of_packed

OF_FILE = (
    "SeriesInstanceUID",
    "SeriesDescription",
    "Modality",
    "Rows",
    "Columns",
    "SamplesPerPixel",
    "PhotometricInterpretation",
)
# Properties of a frame, and the sequence that contains them. All frames share a sequence, or each frame has its own
# sequence.
OF_FRAME = {
    "ImagePositionPatient": "PlanePositionSequence",
    "ImageOrientationPatient": "PlaneOrientationSequence",
    "PixelSpacing": "PixelMeasuresSequence",
    "RescaleSlope": "PixelValueTransformationSequence",
    "RescaleIntercept": "PixelValueTransformationSequence",
    "RescaleType": "PixelValueTransformationSequence",
}
# pydicom decodes RLE itself, but decodes JPEG only with packages that are not required otherwise.
JPEG = {
    "1.2.840.10008.1.2.4.50": "jpeg_decode",
    "1.2.840.10008.1.2.4.51": "jpeg_decode",
    "1.2.840.10008.1.2.4.57": "jpeg_decode",
    "1.2.840.10008.1.2.4.70": "jpeg_decode",
    "1.2.840.10008.1.2.4.80": "jpegls_decode",
    "1.2.840.10008.1.2.4.81": "jpegls_decode",
    "1.2.840.10008.1.2.4.90": "jpeg2k_decode",
    "1.2.840.10008.1.2.4.91": "jpeg2k_decode",
    "1.2.840.10008.1.2.4.201": "jpeg2k_decode",
    "1.2.840.10008.1.2.4.202": "jpeg2k_decode",
    "1.2.840.10008.1.2.4.203": "jpeg2k_decode",
}


def frame_tags(tags, path: Path) -> list | None:
    """Return tags of each frame as if it were a separate file; None for a file with one slice.

    @throws DataError if the frames have no positions
    """
    from pydicom import Dataset

    count = int(tags.get("NumberOfFrames", 1) or 1)
    each = tags.get("PerFrameFunctionalGroupsSequence") or []
    if count == 1 and not each:
        return None
    if not each:
        raise DataError(
            f"'{path}' has {count} frames without positions (it is not an enhanced CT or MR image); "
            "convert it to one file per slice, or to NIfTI"
        )
    if len(each) != count:
        raise DataError(f"'{path}' states {count} frames and describes {len(each)}; copy or export it again")
    shared = (tags.get("SharedFunctionalGroupsSequence") or [Dataset()])[0]
    frames = []
    for of_this in each:
        found = Dataset()
        for key in OF_FILE:
            if key in tags:
                setattr(found, key, tags[key].value)
        for key, sequence in OF_FRAME.items():
            for group in (of_this, shared):
                group_tags = (group.get(sequence) or [Dataset()])[0]
                if key in group_tags and key not in found:
                    setattr(found, key, group_tags[key].value)
            # Some programs store these tags once at the top of the file, as for a single slice.
            if key in tags and key not in found and key != "ImagePositionPatient":
                setattr(found, key, tags[key].value)
        frames.append(found)
    return frames


def stored_frames(path: Path) -> Callable[[int], np.ndarray]:
    """Return a function that reads a frame, counted from 0, as stored, before any rescale: shape (row, column).

    Only the (possibly compressed) bytes of the file are in memory. @throws DataError if the bytes cannot be read. The
    returned function throws DataError if a frame cannot be decoded or does not have the stated size
    """
    from pydicom.encaps import generate_frames

    with _reported_as_data_error(path):
        tags = read_tags(path)
        syntax, count = str(tags.file_meta.TransferSyntaxUID), int(tags.get("NumberOfFrames", 1) or 1)
        shape = (int(tags.Rows), int(tags.Columns))
        packed = list(generate_frames(tags.PixelData, number_of_frames=count)) if syntax in JPEG else []
    if syntax in JPEG and len(packed) != count:
        raise DataError(f"'{path}' has {len(packed)} frames but states {count}; copy or export it again")

    def frame(number: int) -> np.ndarray:
        with _reported_as_data_error(path):
            values = _unpacked(packed[number], JPEG[syntax], shape) if packed else _plain(tags, number)
        if values.shape != shape:
            raise DataError(f"'{path}' has {values.shape} pixels but states {shape}; copy or export it again")
        return _signed(values, tags)

    return frame


@contextmanager
def _reported_as_data_error(path: Path) -> Iterator[None]:
    try:
        yield
    except MemoryError:
        raise
    except Exception as e:  # Decoders raise any exception for damaged bytes.
        reason = " ".join(str(e).split())[-120:]
        raise DataError(f"the pixels of '{path}' cannot be read ({reason}); copy or export it again") from None


def _plain(tags, number: int) -> np.ndarray:
    from pydicom.pixels import pixel_array

    return pixel_array(tags, index=number)


def _unpacked(data: bytes, decoder: str, shape: tuple[int, int]) -> np.ndarray:
    import imagecodecs

    stated = size_of_packed(data)
    if stated is not None and stated != shape:
        raise ValueError(f"its stream states {stated[0]} x {stated[1]} pixels, not {shape[0]} x {shape[1]}")
    return getattr(imagecodecs, decoder)(data)


def _signed(values: np.ndarray, tags) -> np.ndarray:
    """Restore the sign, which decoders ignore, and remove unused bits, which may contain an overlay."""
    if values.dtype.kind == "f":
        return values
    bits = int(tags.BitsStored)
    values = (values.astype(np.int64 if bits > 31 else np.int32) >> (int(tags.HighBit) + 1 - bits)) & ((1 << bits) - 1)
    if int(tags.PixelRepresentation) == 1:
        values -= (values >> (bits - 1)) << bits
    return values


def rescaled(stored: np.ndarray, tags) -> np.ndarray:
    """Apply the slope and intercept of a frame; integers remain integers, with 16 bits where possible."""
    slope, intercept = (
        default if tags.get(key) is None else float(tags.get(key))
        for key, default in (("RescaleSlope", 1.0), ("RescaleIntercept", 0.0))
    )
    if slope != 1 or not intercept.is_integer() or stored.dtype.kind == "f":
        return stored * slope + intercept
    values = stored + stored.dtype.type(intercept)
    return values.astype(np.int16) if values.min() >= -(2**15) and values.max() < 2**15 else values
