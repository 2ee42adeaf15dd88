"""Read an image of any supported kind: `python -m osteon.read_image SRC OUT.npy`.

Writes the grey values as a little-endian array of shape (z, y, x) and prints what the image says about itself as one
JSON object. A spacing is printed only if the image states it in a length unit; it is never guessed. On bad data there
is exactly one line on stderr and the exit code is 3.
"""

import glob
import hashlib
import json
import logging
import os
import re
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from .errors import DATA, USAGE, DataError
from .readers import natural_key, read_inv3, read_npy, read_tiff, read_tiff_stack
from .volume import Volume, checked

TIFF = (".tif", ".tiff")
KNOWN = "TIFF, DICOM folder, NIfTI, NRRD, MetaImage, npy, InVesalius .inv3"


def read_image(source: str) -> Volume:
    """The checked volume of a file, a folder of slices, or a pattern such as `scan/*.tif`.

    @throws DataError whatever is wrong with it
    """
    try:
        return checked(_read(source), source)
    except (DataError, ImportError):
        raise
    except MemoryError:
        raise DataError(f"'{source}' does not fit into the memory of this machine; crop it first") from None
    except Exception as e:  # The readers of foreign formats throw whatever they like on damaged files.
        reason = " ".join(str(e).split())[-200:] or type(e).__name__
        raise DataError(
            f"'{source}' cannot be read: {reason}; it may be damaged or of another kind ({KNOWN})"
        ) from None


def _read(source: str) -> Volume:
    path = Path(source)
    if path.is_dir():
        return _read_folder(path)
    if not path.exists():
        names = files_of(source)
        if not names:
            raise DataError(f"there is no file or folder '{source}'; check [image] path")
        return read_tiff_stack(names, source)
    if path.stat().st_size == 0:
        raise DataError(f"'{source}' is empty (0 bytes); copy it again")
    name = path.name.lower()
    if name.endswith(TIFF):
        return read_tiff(path)
    if name.endswith(".npy"):
        return read_npy(path)
    if name.endswith(".inv3"):
        return read_inv3(path)
    from .itk_readers import FORMATS, read_itk  # SimpleITK takes a second to load

    for ending, form in FORMATS.items():
        if name.endswith(ending):
            return read_itk(path, form)
    raise DataError(f"'{source}' has an unknown ending; known are {KNOWN}")


def _read_folder(folder: Path) -> Volume:
    slices = [p for p in files_of(str(folder)) if p.suffix.lower() in TIFF]
    if slices:
        return read_tiff_stack(slices, str(folder))
    from .itk_readers import is_dicom_folder, read_dicom

    if is_dicom_folder(folder):
        return read_dicom(folder)
    raise DataError(f"the folder '{folder}' holds neither TIFF slices nor a DICOM series")


def files_of(source: str) -> list[Path]:
    """The files behind a source in natural order of their names; the data file of a header comes after it."""
    path = Path(source)
    if path.is_dir():
        return sorted((p for p in path.iterdir() if p.is_file()), key=natural_key)
    if path.exists():
        return [path, *_data_files(path)]
    return sorted((Path(p) for p in glob.glob(source)), key=natural_key)  # noqa: PTH207 (patterns may be absolute)


def _data_files(path: Path) -> list[Path]:
    """The file that a detached header (.mhd, .nhdr) keeps its voxels in."""
    if path.suffix.lower() not in (".mhd", ".nhdr"):
        return []
    with path.open("rb") as file:
        named = re.findall(rb"^\s*(?:ElementDataFile|data ?file)\s*[=:]\s*(\S+)", file.read(65536), re.M | re.I)
    found = [path.parent / name.decode(errors="replace") for name in named]
    return [data for data in found if data.is_file()]


def digest(source: str) -> str:
    """SHA-256 of a file; of a stack, of its files one after the other."""
    result = hashlib.sha256()
    for path in files_of(source):
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                result.update(block)
    return result.hexdigest()


def describe(volume: Volume, source: str) -> dict[str, object]:
    values = volume.values
    return {
        "format": volume.format,
        "shape": list(values.shape),
        "dtype": values.dtype.name,
        "spacing_mm": None if volume.spacing_mm is None else [float(s) for s in volume.spacing_mm],
        "origin_mm": None if volume.origin_mm is None else [float(s) for s in volume.origin_mm],
        "grey_min": values.min().item(),
        "grey_max": values.max().item(),
        "sha256": digest(source),
    }


@contextmanager
def _silence() -> Iterator[None]:
    """Keep the C and C++ libraries below from writing to stderr: the one line there is ours."""
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


def main(arguments: list[str]) -> int:
    if len(arguments) != 2 or arguments[0] in ("-h", "--help"):
        print("usage: python -m osteon.read_image SRC OUT.npy", file=sys.stderr)
        return USAGE
    source, target = arguments
    logging.disable(logging.CRITICAL)
    # A damaged header can ask for any amount of memory; this turns that into an error instead of a killed machine.
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = min(value for value in (memory, soft, hard) if value != resource.RLIM_INFINITY)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    try:
        with _silence():
            volume = read_image(source)
            text = json.dumps(describe(volume, source))
    except DataError as e:
        print(e, file=sys.stderr)
        return DATA
    except ImportError as e:
        print(f"the Python package '{e.name}' is missing; run `./run setup`", file=sys.stderr)
        return 5
    try:
        with Path(target).open("wb") as file:
            np.save(file, volume.values)
    except OSError as e:
        print(f"cannot write '{target}': {e.strerror}", file=sys.stderr)
        return 5
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
