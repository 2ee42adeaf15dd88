"""TIFF: multi-page files, BigTIFF, ImageJ hyperstacks and OME-TIFF, by tifffile."""

from pathlib import Path
from xml.etree import ElementTree

from .errors import DataError
from .units import in_mm
from .volume import Volume, check_shape

ENDINGS = (".tif", ".tiff")
COLOURS = ("RGB", "YCBCR", "PALETTE", "CMYK")


def read_tiff(path: Path) -> Volume:
    import tifffile

    size = path.stat().st_size
    with tifffile.TiffFile(path) as file:
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
        _refuse_truncated_tiff(file, series, path, size)
        return Volume(series.asarray(), "tiff", _imagej_spacing(file) or _ome_spacing(file))


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
