"""TIFF: multi-page files, BigTIFF, ImageJ hyperstacks and OME-TIFF, by tifffile."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from ..errors import DataError
from .packed import check_claim
from .pieces import Pieces, stored
from .tiff_directories import count_directories
from .units import in_mm
from .volume import Volume, check_shape

ENDINGS = (".tif", ".tiff")
COLOURS = ("RGB", "YCBCR", "PALETTE", "CMYK")


def read_tiff(path: Path) -> Volume:
    import tifffile

    pages = count_directories(path)
    with ExitStack() as stack:
        file = stack.enter_context(tifffile.TiffFile(path))
        if len(file.pages) != pages:
            raise DataError(f"'{path}' is damaged: {len(file.pages)} of its {pages} pages can be read; copy it again")
        if len(file.series) != 1:
            raise DataError(
                f"'{path}' holds {len(file.series)} series of pages of different size or type; save one of them alone"
            )
        series = file.series[0]
        if series.keyframe.photometric.name in COLOURS or series.keyframe.samplesperpixel != 1:
            raise DataError(
                f"'{path}' is a colour image ({series.keyframe.photometric.name}); convert it to grey values"
            )
        check_shape((1, *series.shape) if series.ndim == 2 else series.shape, str(path))
        _refuse_truncated_series(file, series, path)
        spacing = _imagej_spacing(file) or _ome_spacing(file)
        if series.transform is not None or not _is_made_of_pages(series):
            return Volume(series.asarray(), "tiff", spacing)
        kept = stack.pop_all()  # the file stays open until its pages are read
        return Volume(Pieces(series.shape, series.dtype, lambda: _pages(file, series, path, kept)), "tiff", spacing)


def _is_made_of_pages(series) -> bool:
    """Whether its values are those of one block, or of its pages one after the other."""
    return series.dataoffset is not None or sum(page.keyframe.size for page in series.pages) == series.size


def _pages(file, series, path: Path, kept: ExitStack) -> Iterator[np.ndarray]:
    with kept:
        if series.dataoffset is not None:
            kind = np.dtype(file.byteorder + series.dtype.char)
            yield from stored(path, series.dataoffset, kind, series.size)
        else:
            for page in series.pages:
                yield page.asarray()


def read_tiff_plane(path: Path) -> np.ndarray:
    """A slice of a stack: a file of one page."""
    import tifffile

    pages = count_directories(path)
    with tifffile.TiffFile(path) as file:
        page = file.pages[0]
        if page.samplesperpixel != 1 or page.photometric.name in COLOURS:
            raise DataError(f"'{path}' is a colour image; convert it to grey values")
        if pages != 1:
            raise DataError(f"'{path}' has {pages} pages; in a folder of slices each file is one slice")
        _refuse_truncated_pages([page], path)
        return page.asarray()


def _refuse_truncated_series(file, series, path: Path) -> None:
    if file.is_imagej:
        stated = int((file.imagej_metadata or {}).get("images", 1))
        found = series.size // (series.keyframe.imagewidth * series.keyframe.imagelength)
        if stated != found:
            raise DataError(f"'{path}' is truncated: it states {stated} slices and holds {found}; copy it again")
    if series.dataoffset is None:
        _refuse_truncated_pages(series.pages, path)
    else:  # one block of voxels, be it of one page or of many
        _refuse_beyond_end(series.dataoffset + series.nbytes, path)


def _refuse_truncated_pages(pages, path: Path) -> None:
    """Each piece of each page has to lie in the file, and all of them together cannot be longer than it."""
    held, claimed, packed = 0, 0, False
    for page in pages:
        if page is None:
            raise DataError(f"'{path}' lacks a page; copy it again")
        key = page.keyframe
        offsets, counts = page.dataoffsets, page.databytecounts
        pieces = int(np.prod(key.chunked, dtype=np.int64))
        # Plain pages may be stored as fewer, larger strips than they are read as; packed ones may not.
        whole = key.compression.value == 1 and sum(counts) >= key.nbytes
        if len(offsets) != len(counts) or not counts or min(counts) <= 0 or not (whole or len(counts) == pieces):
            raise DataError(f"'{path}' has a page without all of its data; copy it again")
        _refuse_beyond_end(max(o + n for o, n in zip(offsets, counts, strict=True)), path)
        held += sum(counts)
        claimed += key.nbytes
        packed |= key.compression.value != 1
    if held > path.stat().st_size:
        raise DataError(f"'{path}' is damaged: its pages share their data; copy it again")
    check_claim(claimed, path, held, packed)


def _refuse_beyond_end(end: int, path: Path) -> None:
    size = path.stat().st_size
    if end > size:
        raise DataError(f"'{path}' is truncated: it has {size} bytes of at least {end}; copy it again")


def _imagej_spacing(file) -> tuple[float, float, float] | None:
    meta = file.imagej_metadata
    if not meta:
        return None
    scale = in_mm(meta.get("unit", ""))
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


def _ome_spacing(file) -> tuple[float, float, float] | None:
    if not file.is_ome:
        return None
    pixels = next(e for e in ElementTree.fromstring(file.ome_metadata).iter() if e.tag.endswith("}Pixels"))
    edges = []
    for axis in "ZYX":
        scale = in_mm(pixels.get(f"PhysicalSize{axis}Unit", "µm"))  # OME's default unit
        if scale is None or pixels.get(f"PhysicalSize{axis}") is None:
            return None
        edges.append(float(pixels.get(f"PhysicalSize{axis}")) * scale)
    return (edges[0], edges[1], edges[2])
