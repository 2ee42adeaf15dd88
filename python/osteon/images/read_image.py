"""Read an image of any supported format: `python -m osteon.images SRC OUT.npy [STEPS]`.

Writes the grey values as a little-endian array of shape (z, y, x) and prints the properties of the image as one JSON
object: `spacing_mm`, `origin_mm` (low corner along the image's axes, z y x), `direction` (the axes x, y, z in LPS, a 3
x 3 matrix by rows, docs/reference/images.md), the `unit` of the values, a `calibration` if there is one, and
`warnings`. A spacing is printed only if the image states it. STEPS is a JSON object: `steps`, `spacing_mm` and
`overlay` (image_steps.py), `accept_fill_value` of the job, `direction` of the scan for an image on the grid of the
scan, and `in_place`, a list of codecs: if the caller can read the values from the files of the image by these codecs,
OUT.npy remains empty, and the output contains the layout of the files as `stored`. With steps, the output also contains
`steps` and `file_spacing_mm`. For bad data, the program prints one line on stderr and exits with code 3.
"""

import glob
import hashlib
import json
import logging
import os
import resource
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import BinaryIO

import numpy as np

from ..errors import DATA, USAGE, DataError, complain
from ..extras import missing_package
from ..processes.container_limits import memory_bytes
from . import (
    hdf5_reader,
    metaimage_reader,
    mgh_reader,
    nifti_reader,
    npz_reader,
    nrrd_reader,
    raw_reader,
    scanco_reader,
    slices,
    tiff_reader,
    zarr_reader,
)
from .dicom_reader import has_frames, is_dicom, read_dicom, refuse_what_is_no_series
from .dicom_seg_reader import is_segmentation, read_segmentation
from .flips import lay_along
from .image_steps import apply_steps
from .inv3_reader import read_inv3
from .npy_writer import WriteError, write_pieces
from .slices import natural_key, read_stack
from .volume import ACCEPTED, Stored, Volume, checked, forget_no_spacing, settle_missing, three_axes

KNOWN = (
    "TIFF, folders of TIFF, PNG, BMP or DICOM slices, NIfTI, NRRD, MetaImage, Scanco AIM and ISQ, InVesalius .inv3, "
    "npy, npz, HDF5, OME-Zarr, FreeSurfer mgz, DICOM segmentations, raw with a .json or .vgi"
)
READERS = (
    (tiff_reader.ENDINGS, tiff_reader.read_tiff),
    (nifti_reader.ENDINGS, nifti_reader.read_nifti),
    (nrrd_reader.ENDINGS, nrrd_reader.read_nrrd),
    (metaimage_reader.ENDINGS, metaimage_reader.read_metaimage),
    ((".inv3",), read_inv3),
    ((".npy",), raw_reader.read_npy),
    (npz_reader.ENDINGS, npz_reader.read_npz),
    (hdf5_reader.ENDINGS, hdf5_reader.read_hdf5),
    (mgh_reader.ENDINGS, mgh_reader.read_mgh),
    (raw_reader.ENDINGS, raw_reader.read_raw),
)


def read_image(source: str, accepts_fill_value: bool = False) -> Volume:
    """Read and check the volume of a file, a folder of slices, or a pattern such as `scan/*.tif`.

    @param accepts_fill_value replace missing chunks of an HDF5 file by its fill value
    @throws DataError if the image is invalid
    """
    with _reported_as_data_error(source):
        return checked(_read_with_fill_policy(source, accepts_fill_value), source)


def _read_with_fill_policy(source: str, accepts_fill_value: bool) -> Volume:
    volume = _read(source)
    if warning := settle_missing(volume.missing, source, accepts_fill_value):
        volume.warnings.append(warning)
        volume.facts["missing_chunks"] = {"count": volume.missing.count, "fill_value": volume.missing.fill_value}
    return volume


def convert(source: str, target: str, steps: dict | None = None) -> dict[str, object]:
    """Write an image as .npy, piece by piece if its format and steps allow it, and describe it.

    @throws DataError if the image is invalid; WriteError. In both cases there is no file `target`.
    """
    steps = steps or {}
    with _reported_as_data_error(source):
        volume = _read_with_fill_policy(source, bool(steps.get("accept_fill_value")))
        forget_no_spacing(volume)
        if steps.get("direction"):
            lay_along(volume, steps["direction"], source)
        done: dict[str, object] = {}
        if steps.get("steps"):
            volume = checked(volume, source)
            done["file_spacing_mm"] = None if volume.spacing_mm is None else [float(s) for s in volume.spacing_mm]
            overlay = bool(steps.get("overlay"))
            done["steps"] = apply_steps(volume, steps["steps"], steps.get("spacing_mm"), overlay, source)
        digest_of_it = _digest_aside(source, steps.get("sha256"))
        if place := _place_of(volume, steps):
            place.check()
            here = {"dtype": np.dtype(str(place.layout["type"])).name, "stored": place.layout}
            three = [int(n) for n in three_axes(volume.values.shape, source)]
            return describe(volume, digest_of_it()) | {"shape": three} | here | done
        with _passing(target) as file:
            written, shape = write_pieces(volume, source, file)
        greys = {"dtype": written.dtype.name, "grey_min": written.low, "grey_max": written.high}
        return describe(volume, digest_of_it()) | {"shape": list(shape)} | greys | done


def _place_of(volume: Volume, steps: dict) -> Stored | None:
    """Return the place of the values, if the program reads the values from there: the codecs of `in_place` suffice,
    and the volume has the values of the file."""
    codecs = steps.get("in_place")
    place = volume.stored() if volume.stored and codecs is not None else None
    if place is None or volume.values is not place.pieces:
        return None
    name = str(place.layout.get("path") or place.layout.get("folder"))
    if os.fsencode(name) != name.encode("utf-8", "replace"):
        return None  # JSON contains text of Unicode only
    return place if place.layout["type"] in ACCEPTED and set(place.codecs) <= set(codecs) else None


@contextmanager
def _passing(target: str) -> Iterator[BinaryIO]:
    """Open a file that is removed after an exception."""
    try:
        file = Path(target).open("w+b")  # noqa: SIM115 (exceptions below do not refer to the opening)
    except OSError as e:
        raise WriteError(e.strerror) from None
    try:
        with file:
            yield file
    except BaseException:
        with suppress(OSError):  # for a file without a name
            Path(target).unlink()
        raise


@contextmanager
def _reported_as_data_error(source: str) -> Iterator[None]:
    try:
        with warnings.catch_warnings():  # warnings of libraries about violations of a standard
            warnings.simplefilter("ignore")
            yield
    except (DataError, ImportError, WriteError):
        raise
    except MemoryError:
        raise DataError(f"'{source}' does not fit into the memory of this machine; crop it first") from None
    except Exception as e:  # Readers of foreign formats raise any exception for damaged files.
        reason = " ".join(str(e).split())[-200:] or type(e).__name__
        raise DataError(
            f"'{source}' cannot be read: {reason}; it may be damaged or of another type ({KNOWN})"
        ) from None


def _read(source: str) -> Volume:
    path = Path(source)
    if zarr_reader.is_zarr(path):
        return zarr_reader.read_zarr(path)
    if path.is_dir():
        return _read_folder(path)
    if not path.exists():
        names = files_of(source)
        if not names:
            raise DataError(f"no file or folder '{source}'; check [image] path")
        return read_dicom(names, source) if is_dicom(names[0]) else read_stack(_slices(names, source), source)
    if path.stat().st_size == 0:
        raise DataError(f"'{source}' is empty (0 bytes); copy it again")
    if scanco_reader.ENDING.search(path.name):
        return scanco_reader.read_scanco(path)
    for endings, read in READERS:
        if path.name.lower().endswith(endings):
            return read(path)
    if is_dicom(path) and is_segmentation(path):
        return read_segmentation(path)
    refuse_what_is_no_series(path)
    if is_dicom(path):
        if has_frames(path):
            return read_dicom([path], source)
        raise DataError(f"'{source}' is one DICOM slice; use the folder of the series")
    raise DataError(f"'{source}': unknown file extension; known: {KNOWN}")


def _read_folder(folder: Path) -> Volume:
    files = files_of(str(folder))
    contents = next((p for p in files if p.name.upper() == "DICOMDIR"), None)
    if contents is not None and sum(is_dicom(p) for p in files) == 1:
        refuse_what_is_no_series(contents)
    dicom = [p for p in files if is_dicom(p)]
    if len(dicom) == 1 and is_segmentation(dicom[0]):
        return read_segmentation(dicom[0])
    if dicom:
        return read_dicom(files, str(folder))
    for path in files:
        refuse_what_is_no_series(path)
    return read_stack(_slices(files, str(folder)), str(folder))


def _slices(files: list[Path], source: str) -> list[Path]:
    found = [p for p in files if p.suffix.lower() in slices.ENDINGS and not p.name.startswith(".")]
    if not found and any(p.suffix.lower() in (".jpg", ".jpeg") for p in files):
        raise DataError(
            f"'{source}' contains JPEG pictures, which do not preserve grey values; export TIFF, PNG or BMP slices"
        )
    if not found:
        raise DataError(f"'{source}' contains neither slices (TIFF, PNG, BMP) nor a DICOM series")
    return found


def files_of(source: str) -> list[Path]:
    """Return the files of a source in natural order of their names, with data files after their header."""
    path = Path(source)
    if zarr_reader.is_zarr(path):
        return zarr_reader.files_of_zarr(path)
    if path.is_dir():
        return sorted((p for p in path.iterdir() if p.is_file()), key=natural_key)
    if path.exists():
        return [path, *_data_files(path)]
    return sorted((Path(p) for p in glob.glob(source)), key=natural_key)  # noqa: PTH207 (patterns may be absolute)


def _data_files(path: Path) -> list[Path]:
    """Return the other files of an image: voxels of a header, header of raw voxels, further parts of an OME-TIFF."""
    ending = path.suffix.lower()
    try:
        if ending in raw_reader.ENDINGS:
            found = list(raw_reader.halves(path))
        elif ending == ".mhd":
            found = metaimage_reader.data_files(path)
        elif ending == ".nhdr":
            found = nrrd_reader.data_files(path)
        elif ending in tiff_reader.ENDINGS:
            found = tiff_reader.ome_files(path)
        else:
            found = []
    except (DataError, ImportError):
        raise
    except Exception as e:  # for a damaged header
        raise DataError(f"'{path}' has a damaged header ({' '.join(str(e).split())[-120:]}); copy it again") from None
    return [other for other in dict.fromkeys(found) if other != path and other.is_file()]


def digest(source: str) -> str:
    """Return the SHA-256 of a file, or of the concatenated files of a stack."""
    result = hashlib.sha256()
    for path in files_of(source):
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                result.update(block)
    return result.hexdigest()


def _digest_aside(source: str, known: str | None = None) -> Callable[[], str]:
    """Compute the digest of an image in a thread. Return a function that waits for the digest.

    @param known digest of the first file; for an image of one file, this digest is the result
    """
    if known and len(files_of(source)) == 1:
        return lambda: known
    found: list[str] = []
    faults: list[Exception] = []

    def make() -> None:
        try:
            found.append(digest(source))
        except Exception as e:  # raised again in the caller
            faults.append(e)

    thread = Thread(target=make, daemon=True)
    thread.start()

    def result() -> str:
        thread.join()
        if faults:
            raise faults[0]
        return found[0]

    return result


def describe(volume: Volume, sha256: str) -> dict[str, object]:
    """Describe an image. Statistics of values require that the image is in memory."""
    values, placement = volume.values, volume.placement
    at_hand = isinstance(values, np.ndarray)
    oriented = placement is not None and placement.direction is not None
    return {
        "format": volume.format,
        "shape": list(values.shape),
        "dtype": values.dtype.name if at_hand else None,
        "spacing_mm": None if volume.spacing_mm is None else [float(s) for s in volume.spacing_mm],
        "origin_mm": None if placement is None else list(placement.origin_z_y_x()),
        "direction": placement.direction.ravel().tolist() if oriented else None,
        **volume.facts,
        "warnings": volume.warnings,
        "grey_min": values.min().item() if at_hand else None,
        "grey_max": values.max().item() if at_hand else None,
        "sha256": sha256,
    }


@contextmanager
def silence() -> Iterator[None]:
    """Prevent C and C++ libraries from writing to stderr, because stderr must contain only the line of this program."""
    sys.stderr.flush()
    kept = os.dup(2)
    nothing = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nothing, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nothing)


ADDRESSES_OF_LIBRARIES = 1 << 30


@contextmanager
def no_more_than_the_machine_has() -> Iterator[None]:
    """Limit the address space. A damaged header can request any amount of memory, and a request above the limit raises
    MemoryError."""
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    # A container limits resident pages, not addresses.
    memory = min(physical, memory_bytes() + ADDRESSES_OF_LIBRARIES)
    before = soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = min(value for value in (memory, soft, hard) if value != resource.RLIM_INFINITY)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    try:
        yield
    finally:  # processes that start later, such as browsers, may need more addresses
        resource.setrlimit(resource.RLIMIT_AS, before)


def main(arguments: list[str]) -> int:
    if len(arguments) not in (2, 3) or arguments[0] in ("-h", "--help"):
        complain("usage: python -m osteon.images SRC OUT.npy [STEPS]")
        return USAGE
    source, target = arguments[:2]
    steps = json.loads(arguments[2]) if len(arguments) == 3 else None
    logging.disable(logging.CRITICAL)
    try:
        with no_more_than_the_machine_has(), silence():
            text = json.dumps(convert(source, target, steps))
    except DataError as e:
        complain(e)
        return DATA
    except ImportError as e:
        complain(missing_package(e))
        return 5
    except WriteError as e:
        complain(f"cannot write '{target}': {e}")
        return 5
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
