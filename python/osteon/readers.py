"""Readers of single formats. Each takes a path and returns a Volume; spacings are told only if the file states them."""

import plistlib
import re
import tarfile
from pathlib import Path

import numpy as np

from .errors import DataError
from .volume import Volume, check_shape

# Length units of ImageJ in mm. An empty unit, "pixel" or "inch" is no voxel size.
UNITS_MM = {
    "mm": 1.0,
    "um": 1e-3,
    "µm": 1e-3,
    "μm": 1e-3,
    "\\u00b5m": 1e-3,
    "micron": 1e-3,
    "microns": 1e-3,
    "nm": 1e-6,
}


def natural_key(path: Path) -> list[tuple[int, int, str]]:
    """Sort key under which slice9 comes before slice10."""
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in re.split(r"(\d+)", path.name)]


def read_npy(path: Path) -> Volume:
    values = np.load(path, allow_pickle=False, mmap_mode="r")
    if not isinstance(values, np.ndarray):
        raise DataError(f"'{path}' is an archive of arrays; give a single .npy array of shape (z, y, x)")
    check_shape(values.shape, str(path))
    return Volume(np.array(values), "npy")


def read_tiff(path: Path) -> Volume:
    import tifffile

    size = path.stat().st_size
    with tifffile.TiffFile(path) as file:
        if len(file.series) != 1:
            raise DataError(
                f"'{path}' holds {len(file.series)} series of pages of different size or type; save one of them alone"
            )
        series = file.series[0]
        if (
            series.keyframe.photometric.name in ("RGB", "YCBCR", "PALETTE", "CMYK")
            or series.keyframe.samplesperpixel != 1
        ):
            raise DataError(
                f"'{path}' is a colour image ({series.keyframe.photometric.name}); convert it to grey values"
            )
        check_shape((1, *series.shape) if series.ndim == 2 else series.shape, str(path))
        _refuse_truncated_tiff(file, series, path, size)
        return Volume(series.asarray(), "tiff", _imagej_spacing(file))


def _refuse_truncated_tiff(file, series, path: Path, size: int) -> None:
    if file.is_imagej:
        stated = int((file.imagej_metadata or {}).get("images", 1))
        found = series.size // (series.keyframe.imagewidth * series.keyframe.imagelength)
        if stated != found:
            raise DataError(f"'{path}' is truncated: it states {stated} slices and holds {found}; copy it again")
    end = 0
    if series.dataoffset is not None:
        end = series.dataoffset + series.nbytes
    else:
        for page in series.pages:
            if page is None:
                raise DataError(f"'{path}' lacks a page; copy it again")
            pairs = list(zip(page.dataoffsets, page.databytecounts, strict=False))
            if not pairs or any(count == 0 for _, count in pairs):
                raise DataError(f"'{path}' has a page without data; copy it again")
            end = max(end, *(offset + count for offset, count in pairs))
    if end > size:
        raise DataError(f"'{path}' is truncated: it has {size} bytes of at least {end}; copy it again")


def _imagej_spacing(file) -> tuple[float, float, float] | None:
    meta = file.imagej_metadata
    if not meta:
        return None
    scale = UNITS_MM.get(str(meta.get("unit", "")).strip().lower())
    tags = file.pages[0].tags
    if scale is None or "spacing" not in meta or "XResolution" not in tags or "YResolution" not in tags:
        return None
    edges = [float(meta["spacing"])]
    for name in ("YResolution", "XResolution"):
        pixels, units = tags[name].value
        if pixels <= 0:
            return None
        edges.append(units / pixels)
    return (edges[0] * scale, edges[1] * scale, edges[2] * scale)


def read_tiff_stack(paths: list[Path], source: str) -> Volume:
    """One slice a file, in natural order of the names."""
    import tifffile

    slices: list[np.ndarray] = []
    for path in paths:
        with tifffile.TiffFile(path) as file:
            page = file.pages[0]
            if page.samplesperpixel != 1 or page.photometric.name in ("RGB", "YCBCR", "PALETTE", "CMYK"):
                raise DataError(f"'{path}' is a colour image; convert it to grey values")
            if len(file.pages) != 1:
                raise DataError(f"'{path}' has {len(file.pages)} pages; in a folder of slices each file is one slice")
            plane = page.asarray()
        if slices and (plane.shape != slices[0].shape or plane.dtype != slices[0].dtype):
            raise DataError(
                f"'{path}' is {plane.shape} {plane.dtype}, but '{paths[0]}' is {slices[0].shape} {slices[0].dtype}; "
                "the slices of a stack are alike: remove what does not belong to it"
            )
        slices.append(plane)
    check_shape((len(slices), *slices[0].shape), source)
    return Volume(np.stack(slices), "tiff stack")


def read_inv3(path: Path) -> Volume:
    """A project of InVesalius: a tar with main.plist and the raw matrix that it names."""
    with tarfile.open(path) as archive:
        members = {Path(m.name).name: m for m in archive.getmembers() if m.isfile()}
        if "main.plist" not in members:
            raise DataError(f"'{path}' has no main.plist, so it is no InVesalius project")
        plist = plistlib.loads(_member(archive, members["main.plist"]))
        matrix = plist["matrix"]
        shape = tuple(int(n) for n in matrix["shape"])
        check_shape(shape, str(path))
        kind = np.dtype(matrix["dtype"]).newbyteorder("<")
        name = Path(matrix["filename"]).name
        if name not in members:
            raise DataError(f"'{path}' lacks the matrix '{name}' that its main.plist names; copy it again")
        data = _member(archive, members[name])
    expected = int(np.prod(shape, dtype=np.int64)) * kind.itemsize
    if len(data) != expected:
        raise DataError(f"'{path}' is truncated: its matrix has {len(data)} bytes of {expected}; copy it again")
    x, y, z = (float(s) for s in plist["spacing"])
    return Volume(np.frombuffer(data, dtype=kind).reshape(shape), "inv3", (z, y, x))


def _member(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = archive.extractfile(member)
    if file is None:
        raise DataError(f"the archive member '{member.name}' cannot be read")
    return file.read()
