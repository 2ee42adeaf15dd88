"""TIFF: multi-page files, BigTIFF, ImageJ hyperstacks and OME-TIFF, by tifffile."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from ..errors import DataError
from .named_axes import arranged, is_in_order, order_of_axes
from .packed import check_claim
from .pieces import Pieces, stored
from .tiff_directories import count_directories
from .tiff_values import GreyScale, grey_scale
from .units import in_mm, ome_in_mm
from .volume import Volume, check_shape

ENDINGS = (".tif", ".tiff")
COLOURS = ("RGB", "YCBCR", "PALETTE", "CMYK")
REMEDY = (
    "a scan has z, y and x: save one of them alone, or name the axis z (in ImageJ: Image > Properties, slices = N, "
    "frames = 1, channels = 1; in tifffile: metadata={'axes': 'ZYX'})"
)


@dataclass
class Series:
    """The series of a file: its stored samples, the order of its axes and the meaning of its values."""

    file: object  # tifffile.TiffFile, open
    samples: object  # tifffile.TiffPageSeries
    path: Path
    order: tuple[int, int, int] | None  # indices of the axes z, y and x
    greys: GreyScale
    spacing_mm: tuple[float, float, float] | None

    @property
    def shape(self) -> tuple[int, ...]:
        shape = self.samples.shape
        return tuple(shape) if self.order is None else tuple(shape[i] for i in self.order)

    @property
    def is_made_of_pages(self) -> bool:
        """Return True if the values are one block, or the pages in sequence, in the order z, y, x."""
        if self.samples.transform is not None or not is_in_order(self.order, self.samples.shape):
            return False
        pages = self.samples.pages
        return self.samples.dataoffset is not None or sum(p.keyframe.size for p in pages) == self.samples.size

    def whole(self) -> np.ndarray:
        values = self.samples.asarray()
        return self.greys(values if self.order is None else arranged(values, self.order))

    def pages(self) -> Iterator[np.ndarray]:
        """Yield values in the order z, y, x; requires is_made_of_pages."""
        if self.samples.dataoffset is not None:
            kind = np.dtype(self.file.byteorder + self.samples.dtype.char)
            for values in stored(self.path, self.samples.dataoffset, kind, self.samples.size):
                yield self.greys(values)
        else:
            for page in self.samples.pages:
                yield self.greys(page.asarray())

    def plane(self, z: int) -> np.ndarray:
        """Return one plane; requires is_made_of_pages, with one plane per page."""
        if self.samples.dataoffset is None:
            return self.greys(self.samples.pages[z].asarray())
        kind = np.dtype(self.file.byteorder + self.samples.dtype.char)
        y, x = self.shape[-2:]
        offset = self.samples.dataoffset + z * y * x * kind.itemsize
        return self.greys(np.concatenate(list(stored(self.path, offset, kind, y * x))).reshape(y, x))


def open_series(file, path: Path) -> Series:
    """@throws DataError for colours, several series, truncated pages, axes of time or channels, unknown calibrations"""
    if len(file.series) != 1:
        raise DataError(
            f"'{path}' contains {len(file.series)} series of pages of different size or type; save one of them alone"
        )
    series = file.series[0]
    if series.keyframe.photometric.name in COLOURS or series.keyframe.samplesperpixel != 1:
        raise DataError(f"'{path}' is a colour image ({series.keyframe.photometric.name}); convert it to grey values")
    axes, warnings = _axes(file, series, path)
    order = order_of_axes(axes, series.shape, path, REMEDY)
    check_shape((1, *series.shape) if series.ndim == 2 else series.shape, str(path))
    _refuse_truncated_series(file, series, path)
    spacing = _imagej_spacing(file) or _ome_spacing(file)
    greys = grey_scale(file, series.keyframe, path)
    greys.warnings += warnings
    return Series(file, series, path, order, greys, spacing)


def _axes(file, series, path: Path) -> tuple[str, list[str]]:
    """Return letters of the axes. In an ImageJ file with a distance of slices, the only stack is z, whatever its name
    is.

    tifffile uses other names than z if a program wrote three axes without names.
    """
    axes, states_distance = series.axes, "spacing" in (file.imagej_metadata or {})
    stacks = [i for i, name in enumerate(axes) if name not in "YX" and series.shape[i] != 1]
    if not states_distance or len(stacks) != 1 or axes[stacks[0]] not in "TC":
        return axes, []
    at, name = stacks[0], {"T": "frames", "C": "channels"}[axes[stacks[0]]]
    warning = f"'{path}' has {series.shape[at]} {name} and a distance of slices; its {name} are read as slices along z"
    others = axes.replace("Z", "Q")
    return f"{others[:at]}Z{others[at + 1 :]}", [warning]


def read_tiff(path: Path) -> Volume:
    import tifffile

    pages = count_directories(path)
    with ExitStack() as stack:
        file = stack.enter_context(tifffile.TiffFile(path))
        if len(file.pages) != pages:
            raise DataError(f"'{path}' is damaged: {len(file.pages)} of its {pages} pages can be read; copy it again")
        found = open_series(file, path)
        facts, warnings = found.greys.facts, found.greys.warnings
        if not found.is_made_of_pages:
            return Volume(found.whole(), "tiff", found.spacing_mm, facts=facts, warnings=warnings)
        kept = stack.pop_all()  # the file remains open until its pages are read
        values = Pieces(found.shape, found.greys.dtype, lambda: _pages(found, kept))
        return Volume(values, "tiff", found.spacing_mm, facts=facts, warnings=warnings)


def _pages(series: Series, kept: ExitStack) -> Iterator[np.ndarray]:
    with kept:
        yield from series.pages()


def read_tiff_plane(path: Path) -> tuple[np.ndarray, GreyScale]:
    """Read a slice of a stack from a file of one page. Return the slice, with the grey scale applied, and the grey
    scale."""
    import tifffile

    pages = count_directories(path)
    with tifffile.TiffFile(path) as file:
        page = file.pages[0]
        if page.samplesperpixel != 1 or page.photometric.name in COLOURS:
            raise DataError(f"'{path}' is a colour image; convert it to grey values")
        if pages != 1:
            raise DataError(f"'{path}' has {pages} pages; in a folder of slices each file must be one slice")
        _refuse_truncated_pages([page], path)
        greys = grey_scale(file, page, path)
        return greys(page.asarray()), greys


def _refuse_truncated_series(file, series, path: Path) -> None:
    if file.is_imagej:
        stated = int((file.imagej_metadata or {}).get("images", 1))
        found = series.size // (series.keyframe.imagewidth * series.keyframe.imagelength)
        if stated != found:
            raise DataError(f"'{path}' is truncated: it states {stated} slices but contains {found}; copy it again")
    if series.dataoffset is None:
        _refuse_truncated_pages(series.pages, path)
    else:  # one block of voxels, in one page or several pages
        _refuse_beyond_end(series.dataoffset + series.nbytes, path)


def _refuse_truncated_pages(pages, path: Path) -> None:
    """Check that each strip of each page is in the file, and that the sum of the strips is not longer than the file."""
    held, claimed, packed = 0, 0, False
    for page in pages:
        if page is None:
            raise DataError(f"'{path}': a page is missing; copy it again")
        key = page.keyframe
        offsets, counts = page.dataoffsets, page.databytecounts
        pieces = int(np.prod(key.chunked, dtype=np.int64))
        # Uncompressed pages, but not compressed pages, may be stored as fewer and larger strips than tifffile reads.
        bytes_of_page = _bytes_as_stored(key)
        whole = key.compression.value == 1 and sum(counts) >= bytes_of_page
        if len(offsets) != len(counts) or not counts or min(counts) <= 0 or not (whole or len(counts) == pieces):
            raise DataError(f"'{path}' has a page with missing data; copy it again")
        _refuse_beyond_end(max(o + n for o, n in zip(offsets, counts, strict=True)), path)
        held += sum(counts)
        claimed += bytes_of_page
        packed |= key.compression.value != 1
    if held > path.stat().st_size:
        raise DataError(f"'{path}' is damaged: its pages share their data; copy it again")
    check_claim(claimed, path, held, packed)


def _bytes_as_stored(page) -> int:
    """Return the bytes of a decompressed page; samples of 1 or 12 bits are packed within a row."""
    bits = int(page.bitspersample) if page.bitspersample else 8 * page.dtype.itemsize
    if bits % 8 == 0:
        return page.nbytes
    if page.is_tiled:
        row, rows = page.tilewidth, page.tilelength * int(np.prod(page.chunked, dtype=np.int64))
    else:
        row, rows = page.imagewidth, page.imagelength * page.imagedepth
    return -(-row * bits // 8) * rows


def _refuse_beyond_end(end: int, path: Path) -> None:
    size = path.stat().st_size
    if end > size:
        raise DataError(f"'{path}' is truncated: it has {size} bytes, but requires at least {end}; copy it again")


def _imagej_spacing(file) -> tuple[float, float, float] | None:
    meta = file.imagej_metadata
    if not meta:
        return None
    unit = meta.get("unit", "")
    scales = [in_mm(meta.get(key, unit)) for key in ("zunit", "yunit", "unit")]
    tags = file.pages[0].tags
    if None in scales or "spacing" not in meta or "XResolution" not in tags or "YResolution" not in tags:
        return None
    edges = [float(meta["spacing"])]
    for name in ("YResolution", "XResolution"):
        pixels, units = tags[name].value
        if pixels <= 0:
            return None
        edges.append(units / pixels)
    return (edges[0] * scales[0], edges[1] * scales[1], edges[2] * scales[2])


def _ome_spacing(file) -> tuple[float, float, float] | None:
    if not file.is_ome:
        return None
    pixels = next(e for e in ElementTree.fromstring(file.ome_metadata).iter() if e.tag.endswith("}Pixels"))
    edges = []
    for axis in "ZYX":
        scale = ome_in_mm(pixels.get(f"PhysicalSize{axis}Unit", "µm"))  # OME's default unit
        if scale is None or pixels.get(f"PhysicalSize{axis}") is None:
            return None
        edges.append(float(pixels.get(f"PhysicalSize{axis}")) * scale)
    return (edges[0], edges[1], edges[2])


def ome_files(path: Path) -> list[Path]:
    """Return the other existing files that contain pages of an OME-TIFF."""
    import tifffile

    try:
        with tifffile.TiffFile(path) as file:
            text = file.pages[0].description if file.pages else ""
        if "<OME" not in text and ":OME" not in text:
            return []
        root = ElementTree.fromstring(text)
    except Exception:  # the reader reports the damage
        return []
    names = [e.get("FileName") for e in root.iter()]
    found = dict.fromkeys(path.parent / name for name in names if name)
    return [other for other in found if other.is_file() and other.resolve() != path.resolve()]
