"""Inspect an image at a bounded cost: `python -m osteon.images.look_at_image SRC [MOST_BYTES [THRESHOLD [UPPER]]]`.

A source of at most MOST_BYTES on disk (default 32 MiB) is read completely and checked as by `read_image`. For a larger
source, only the header is read. If the format allows random access, some z planes are also read for the grey values.
Prints one JSON object: `whole`, `bytes`, `format`, `shape`, `dtype`, `spacing_mm` (null: not stated), `knows_spacing`
(false: not searched for), `warnings` of the reader, `looked_at` (the number of voxels whose values were read),
`grey_min`, `grey_max` and `above`, the fraction of these voxels above THRESHOLD and not above UPPER. Unknown values are
missing or null. For bad data, the program prints one line on stderr and exits with code 3.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..errors import USAGE, DataError
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
from .answer_program import print_answer
from .dicom_reader import is_dicom, read_dicom
from .dicom_seg_reader import is_segmentation
from .read_image import files_of, read_image
from .volume import Missing, check_shape, not_finite_in_plane, settle_missing, type_to_store
from .voxel_files import VoxelFiles

MOST_BYTES = 32 << 20
PLANES = 5
ACCEPT = "--accept-fill-value"  # accept missing chunks of an HDF5 file, as image.accept_fill_value


@dataclass
class Header:
    """Properties of a file without its voxels. `planes` reads the voxels of a few planes."""

    format: str
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    spacing_mm: tuple[float, ...] | None = None
    knows_spacing: bool = True
    planes: Iterator[np.ndarray] = field(default_factory=lambda: iter(()))
    missing: Missing | None = None
    warnings: list[str] = field(default_factory=list)  # warnings of the reader that do not depend on voxels


def places(count: int) -> list[int]:
    """Select some of the planes. If there are enough planes, the first and the last plane are omitted."""
    if count <= PLANES:
        return list(range(count))
    return [int(i) for i in np.linspace(0, count - 1, PLANES + 2)[1:-1].round()]


def header(source: str, accepts_fill_value: bool = False) -> Header:
    """Return the properties of a large image.

    @throws DataError for a bad header, and for non-finite values while its planes are read
    """
    found = _header(source)
    if warning := settle_missing(found.missing, source, accepts_fill_value):
        found.warnings.append(warning)
    if found.dtype is not None:
        found.dtype = type_to_store(np.dtype(found.dtype)).name
    found.planes = _usable(found, found.planes, source)
    return found


def _usable(found: Header, planes: Iterator[np.ndarray], source: str) -> Iterator[np.ndarray]:
    """Yield planes of the types that the program reads."""
    numbers = places(found.shape[0]) if found.shape is not None and len(found.shape) == 3 else []
    for i, plane in enumerate(planes):
        if plane.dtype.kind == "f" and not np.isfinite(plane).all():
            bad = ~np.isfinite(plane)
            y, x = (int(n) for n in np.unravel_index(int(np.argmax(bad)), plane.shape)[-2:])
            z = numbers[i] if i < len(numbers) else i
            raise DataError(not_finite_in_plane(source, int(np.count_nonzero(bad)), (z, y, x)))
        yield plane.astype("u1") if plane.dtype.kind == "b" else plane


def _header(source: str) -> Header:
    path = Path(source)
    if zarr_reader.is_zarr(path):
        return _zarr(path)
    if path.is_dir() or not path.exists():
        return _of_slices(source)
    name = path.name.lower()
    for endings, inspect in (
        ((".npy",), _npy),
        (npz_reader.ENDINGS, _npz),
        (hdf5_reader.ENDINGS, _hdf5),
        (mgh_reader.ENDINGS, _mgh),
        (raw_reader.ENDINGS, _raw),
        (metaimage_reader.ENDINGS, _metaimage),
        (nifti_reader.ENDINGS, _nifti),
        (nrrd_reader.ENDINGS, _nrrd),
        (tiff_reader.ENDINGS, _tiff),
    ):
        if name.endswith(endings):
            return inspect(path)
    if scanco_reader.ENDING.search(path.name):
        return _scanco(path)
    if is_dicom(path):
        return _dicom([path], source)
    return Header("unknown", knows_spacing=False)


def _array(kind: str, values: np.ndarray, spacing, knows: bool = True) -> Header:
    planes = (np.asarray(values[z]) for z in places(values.shape[0]))
    return Header(kind, values.shape, values.dtype.name, None if spacing is None else tuple(spacing), knows, planes)


def _npy(path: Path) -> Header:
    values = np.load(path, allow_pickle=False, mmap_mode="r")
    stated = raw_reader.exported(path)
    return _array("npy", values, stated and stated.get("spacing_mm"))


def _npz(path: Path) -> Header:
    voxels, spacing = npz_reader.read_structure(path)
    return Header("npz", voxels.shape, voxels.dtype.name, spacing)  # grey values require decompression


def _hdf5(path: Path) -> Header:
    name, entry, spacing, _, warnings = hdf5_reader.read_structure(path)
    kind = "parosol" if name == hdf5_reader.PAROSOL else "hdf5"
    order = None if kind == "parosol" else hdf5_reader.order_of(entry, path)
    shape = tuple(entry["shape"]) if order is None else tuple(entry["shape"][i] for i in order)
    # Grey values require decompression.
    kept = np.dtype(entry["dtype"]).name
    return Header(kind, shape, kept, spacing, missing=hdf5_reader.missing_of(entry), warnings=warnings)


def _zarr(path: Path) -> Header:
    array = zarr_reader.open_zarr(path)
    order = zarr_reader.z_y_x(array, path)
    shape = array.shape if order is None else tuple(array.shape[i] for i in order)
    return Header("zarr", shape, array.kind.name, zarr_reader.spacing_of(array, path))


def _mgh(path: Path) -> Header:
    import nibabel

    image = nibabel.load(path)
    known = mgh_reader.is_placed(path)
    spacing = tuple(float(h) for h in image.header.get_zooms()[:3])[::-1] if known else None
    found = Header("mgh", image.shape[::-1], image.get_data_dtype().name, spacing)
    if len(image.shape) == 3 and path.suffix.lower() == ".mgh":
        found.planes = (np.asarray(image.dataobj[..., z]).T for z in places(image.shape[2]))
    return found


def _raw(path: Path) -> Header:
    head, data = raw_reader.halves(path)
    layout = raw_reader._layout(head)
    shape, kind, offset = raw_reader._checked(layout, head)
    expected = offset + int(np.prod(shape, dtype=np.int64)) * kind.itemsize
    if data.stat().st_size != expected:
        raise DataError(f"'{data}' has {data.stat().st_size} bytes, but '{head.name}' requires {expected}")
    return _array("raw", np.memmap(data, kind, "r", offset, shape), layout.get("spacing_mm"))


def _of_files(found: Header, voxels: VoxelFiles) -> Header:
    found.dtype = voxels.kind.name
    if len(voxels.shape) == 3 and voxels.has_planes:
        found.planes = (voxels.plane(z) for z in places(voxels.shape[0]))
    return found


def _metaimage(path: Path) -> Header:
    head = metaimage_reader.read_header(path)
    spacing = None if head.spacing is None else tuple(float(h) for h in head.spacing[:3][::-1])
    found = Header("metaimage", head.shape, None, spacing, warnings=metaimage_reader.doubts(head, path))
    return _of_files(found, metaimage_reader.voxel_files(head, path))


def _nifti(path: Path) -> Header:
    image = nifti_reader.load(path)
    unit = nifti_reader.UNITS_MM.get(int(image.header["xyzt_units"]) & 7)
    spacing = None if unit is None else tuple(abs(unit * float(h)) for h in image.header.get_zooms()[:3])[::-1]
    warnings = nifti_reader.doubts(image, path)
    found = Header("nifti", image.shape[::-1], image.get_data_dtype().name, spacing, warnings=warnings)
    if len(image.shape) == 3 and not path.name.lower().endswith(".gz"):
        found.planes = (np.asarray(image.dataobj[..., z]).T for z in places(image.shape[2]))
    return found


def _nrrd(path: Path) -> Header:
    head, end, names = nrrd_reader.read_header(path)
    shape = tuple(int(n) for n in head["sizes"])[::-1]
    check_shape(shape, str(path))
    spacing, warnings = nrrd_reader.spacing_of(head, path)
    found = Header("nrrd", shape, None, spacing, warnings=warnings)
    return _of_files(found, nrrd_reader.voxel_files(head, end, names, path))


def _tiff(path: Path) -> Header:
    import tifffile

    with tifffile.TiffFile(path) as file:
        series = tiff_reader.open_series(file, path)
        greys = series.greys
        found = Header("tiff", series.shape, greys.dtype.name, series.spacing_mm, warnings=greys.warnings)
        in_planes = len(series.shape) == 3 and series.is_made_of_pages
        if in_planes and (series.samples.dataoffset is not None or len(series.samples.pages) == series.shape[0]):
            found.planes = iter([series.plane(z) for z in places(series.shape[0])])
    return found


def _scanco(path: Path) -> Header:
    import py_aimio

    if scanco_reader.ENDING.search(path.name).group(1).lower() == "aim":
        head = py_aimio.aim_info(str(path))
        spacing = [float(str(np.float32(h))) for h in head["element_size"]]
    else:
        head = py_aimio.isq_info(str(path))
        spacing = [1e-3 * u / p for u, p in zip(head["dimensions_um"], head["dimensions_p"], strict=True)]
    return Header("scanco", tuple(int(n) for n in head["dimensions"])[::-1], spacing_mm=tuple(spacing[::-1]))


def _of_slices(source: str) -> Header:
    files = files_of(source)
    if not files:
        raise DataError(f"no file or folder '{source}'; check [image] path")
    if any(is_dicom(p) for p in files[:3]):
        return _dicom(files, source)
    stack = [p for p in files if p.suffix.lower() in slices.ENDINGS and not p.name.startswith(".")]
    if not stack:
        raise DataError(f"'{source}' contains neither slices (TIFF, PNG, BMP) nor a DICOM series")
    first, greys = slices.plane_and_scale(stack[0])
    planes = (slices.plane_of(stack[z]) for z in places(len(stack)))
    return Header("stack", (len(stack), *first.shape), first.dtype.name, None, True, planes, warnings=greys.warnings)


def _dicom(files: list[Path], source: str) -> Header:
    """Return the geometry from the headers of all files, without the pixels."""
    if any(is_segmentation(p) for p in files[:3] if is_dicom(p)):
        return Header("dicom", knows_spacing=False)
    volume = read_dicom(files, source)
    return Header("dicom", volume.values.shape, None, volume.spacing_mm, warnings=volume.warnings)


def inspect(
    source: str, most_bytes: int, threshold: float | None, upper: float | None, accepts_fill_value: bool = False
) -> dict[str, object]:
    """Return the properties as a dictionary. @throws DataError"""
    size = sum(p.stat().st_size for p in files_of(source))
    if size <= most_bytes:
        volume = read_image(source, accepts_fill_value)
        found = Header(volume.format, volume.values.shape, volume.values.dtype.name, volume.spacing_mm)
        found.planes, found.warnings = iter([volume.values]), volume.warnings
    else:
        try:
            found = header(source, accepts_fill_value)
        except (DataError, ImportError):
            raise
        except Exception as e:  # Readers of foreign formats raise any exception for damaged files.
            raise DataError(f"'{source}' cannot be read: {' '.join(str(e).split())[-200:]}") from None
    if found.shape is not None:
        check_shape(tuple(found.shape), source)
    answer: dict[str, object] = {
        "whole": size <= most_bytes,
        "bytes": size,
        "format": found.format,
        "shape": None if found.shape is None else [int(n) for n in found.shape],
        "dtype": found.dtype,
        "spacing_mm": None if found.spacing_mm is None else [float(h) for h in found.spacing_mm],
        "knows_spacing": found.knows_spacing,
        "warnings": found.warnings,
    }
    looked, inside, low, high = 0, 0, [], []
    for plane in found.planes:
        looked += plane.size
        low.append(plane.min().item())
        high.append(plane.max().item())
        if threshold is not None:
            solid = plane > threshold
            inside += int(np.count_nonzero(solid if upper is None else solid & (plane <= upper)))
    answer["looked_at"] = looked
    if looked:
        answer |= {"grey_min": min(low), "grey_max": max(high)}
        if threshold is not None:
            answer["above"] = inside / looked
    return answer


def main(arguments: list[str]) -> int:
    accepts = ACCEPT in arguments
    arguments = [a for a in arguments if a != ACCEPT]
    if not 1 <= len(arguments) <= 4 or arguments[0] in ("-h", "--help"):
        print(
            f"usage: python -m osteon.images.look_at_image SRC [MOST_BYTES [THRESHOLD [UPPER]]] [{ACCEPT}]",
            file=sys.stderr,
        )
        return USAGE
    most = int(arguments[1]) if len(arguments) > 1 else MOST_BYTES
    limits = [float(a) for a in arguments[2:]] + [None, None]
    return print_answer(lambda: inspect(arguments[0], most, limits[0], limits[1], accepts))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
