"""Slices of scan and field as small pictures, and their colour bar."""

import base64
import io
from typing import Any

import numpy as np
from matplotlib import colormaps
from PIL import Image

from .report_data import JobResult

PER_AXIS = 17
MAX_PIXELS = 288
AXES = ("z", "y", "x")
NAMES = {"z": ("y", "x"), "y": ("z", "x"), "x": ("z", "y")}  # rows, columns


def data_uri(data: bytes, kind: str = "image/png") -> str:
    return f"data:{kind};base64,{base64.b64encode(data).decode('ascii')}"


def colour_table(name: str) -> np.ndarray:
    """256 colours, shape (256, 3), uint8."""
    try:
        import cmcrameri.cm as scientific

        table = scientific.cmaps.get(name)
    except ImportError:
        table = None
    if table is None:
        table = colormaps[name if name in colormaps else "viridis"]
    return (np.asarray(table(np.linspace(0, 1, 256)))[:, :3] * 255).round().astype("u1")


def css_gradient(table: np.ndarray) -> str:
    stops = [f"rgb({r},{g},{b})" for r, g, b in table[:: 255 // 15]]
    return f"linear-gradient(to right,{','.join(stops)})"


def slices_of(result: JobResult, table: np.ndarray) -> list[dict[str, Any]]:
    """Per axis: where the slices lie in mm, their pictures of scan and field, and the size of a picture in mm."""
    shape = result.solid.shape if result.solid is not None else result.scan.shape if result.scan is not None else None
    if shape is None:
        return []
    low, high = result.slice_range
    grey_range = (
        (0.0, 1.0)
        if result.scan is None
        else tuple(float(v) for v in np.percentile(result.scan[::2, ::2, ::2], (0.1, 99.9)))
    )
    found = []
    for axis, name in enumerate(AXES):
        count = min(PER_AXIS, shape[axis])
        at = (
            np.unique(np.linspace(0, shape[axis] - 1, count + 2).round().astype(int)[1:-1])
            if shape[axis] > 2
            else np.array([0])
        )
        rows, columns = (i for i in range(3) if i != axis)
        spacing = result.spacing_mm
        size = (shape[rows] * spacing[rows], shape[columns] * spacing[columns])
        entry: dict[str, Any] = {
            "axis": name,
            "rows": NAMES[name][0],
            "columns": NAMES[name][1],
            "height_mm": size[0],
            "width_mm": size[1],
            "at_mm": [round(result.origin_mm[axis] + (int(i) + 0.5) * spacing[axis], 6) for i in at],
            "scan": [],
            "field": [],
            "cases": {},  # of several load cases the field of each but the first, by its name
        }
        for i in at:
            if result.scan is not None:
                entry["scan"].append(_png(_grey(np.take(result.scan, i, axis), grey_range), size))
            if result.shown is not None:
                entry["field"].append(_png(_coloured(np.take(result.shown, i, axis), low, high, table), size))
        for case, values in list(result.shown_by_case.items())[1:]:
            entry["cases"][case] = [_png(_coloured(np.take(values, i, axis), low, high, table), size) for i in at]
        found.append(entry)
    return found


def _grey(plane: np.ndarray, limits: tuple[float, float]) -> np.ndarray:
    low, high = limits
    return (np.clip((plane.astype("f4") - low) / ((high - low) or 1.0), 0, 1) * 255).astype("u1")


def _coloured(plane: np.ndarray, low: float, high: float, table: np.ndarray) -> np.ndarray:
    """RGBA; transparent where there is no solid."""
    empty = ~np.isfinite(plane)
    index = (np.clip((np.where(empty, low, plane) - low) / ((high - low) or 1.0), 0, 1) * 255).astype("u1")
    return np.concatenate([table[index], np.where(empty, 0, 255).astype("u1")[..., None]], axis=-1)


def _png(pixels: np.ndarray, size_mm: tuple[float, float]) -> str:
    # Voxels need not be cubes, pixels of a page are squares: the picture gets the specimen's proportions.
    scale = min(MAX_PIXELS, max(pixels.shape[:2])) / max(size_mm)
    target = (max(1, round(size_mm[1] * scale)), max(1, round(size_mm[0] * scale)))
    image = Image.fromarray(pixels[::-1] if pixels.ndim == 2 else np.ascontiguousarray(pixels[::-1]))
    if image.size != target:
        image = image.resize(target, Image.Resampling.NEAREST if pixels.ndim == 3 else Image.Resampling.BILINEAR)
    if image.mode == "RGBA":
        image = image.quantize(128, method=Image.Quantize.FASTOCTREE)
    out = io.BytesIO()
    image.save(out, "PNG", optimize=True)
    return data_uri(out.getvalue())
