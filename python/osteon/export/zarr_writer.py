"""OME-Zarr 0.4, which is a folder of JSON files and chunks (Zarr version 2, zlib)."""

import json
import zlib
from itertools import product
from pathlib import Path

import numpy as np

from ..results.result_fields import Field

# A chunk contains about a MiB of floats. Viewers load this amount in one request.
CHUNK = 64
SMALLEST = 128


def write_ome_zarr(field: Field, path: Path) -> None:
    """Write the levels of a pyramid. Each level has half of the resolution of the previous level. The last level fits
    into a picture.

    The axes are (c,) z, y, x. Scale and translation are in mm along the axes of the image. The format has no rotation.
    The attribute `osteon` therefore contains the direction of these axes in the patient.
    """
    values = np.moveaxis(field.values, 3, 0) if field.components else field.values
    space = [{"name": axis, "type": "space", "unit": "millimeter"} for axis in "zyx"]
    channel = [{"name": "c", "type": "channel"}] if field.components else []
    first = (field.placement.corner_mm + (0 if field.on_nodes else field.spacing / 2))[::-1]
    step = field.spacing[::-1]
    datasets = []
    path.mkdir()
    (path / ".zgroup").write_text(json.dumps({"zarr_format": 2}))
    while True:
        name = str(len(datasets))
        _write_array(values, path / name)
        datasets.append({"path": name, "coordinateTransformations": _transformations(channel, step, first)})
        if max(values.shape[-3:]) <= SMALLEST:
            break
        # Along each axis that is halved, the centre of the merged voxels is displaced by half of a step.
        halved = np.array([2 if n > 1 else 1 for n in values.shape[-3:]])
        first, step = first + step * (halved - 1) / 2, step * halved
        values = _halved(values)
    direction = field.placement.direction
    attributes = {
        "multiscales": [
            {
                "version": "0.4",
                "name": f"{field.name} [{field.units}]",
                "axes": channel + space,
                "datasets": datasets,
                "type": "mean of the non-empty voxels" if field.values.dtype.kind == "f" else "first of eight voxels",
            }
        ],
        "osteon": {
            "field": field.name,
            "units": field.units,
            "components": field.components,
            "centring": "nodes" if field.on_nodes else "voxels",
            "direction": None if direction is None else direction.ravel().tolist(),
        },
    }
    if field.components:
        attributes["omero"] = {"channels": [_channel(field, i) for i in range(len(field.components))]}
    (path / ".zattrs").write_text(json.dumps(attributes, indent=1), encoding="utf-8")


def _transformations(channel: list, step: np.ndarray, first: np.ndarray) -> list[dict]:
    return [
        {"type": "scale", "scale": [1.0] * len(channel) + step.tolist()},
        {"type": "translation", "translation": [0.0] * len(channel) + first.tolist()},
    ]


def _channel(field: Field, i: int) -> dict:
    values = field.values[..., i]
    low, high = (float(f(values)) if np.isfinite(values).any() else 0.0 for f in (np.nanmin, np.nanmax))
    return {
        "label": f"{field.name} {field.components[i]}",
        "color": "FFFFFF",
        "active": i == 0,
        "window": {"min": low, "start": low, "end": high, "max": high},
    }


def _write_array(values: np.ndarray, folder: Path) -> None:
    kind = values.dtype.newbyteorder("<").str if values.dtype.itemsize > 1 else values.dtype.str
    chunks = [1] * (values.ndim - 3) + [min(CHUNK, n) for n in values.shape[-3:]]
    head = {
        "zarr_format": 2,
        "shape": list(values.shape),
        "chunks": chunks,
        "dtype": kind,
        "order": "C",
        "compressor": {"id": "zlib", "level": 1},
        "filters": None,
        "fill_value": "NaN" if values.dtype.kind == "f" else 0,
        "dimension_separator": "/",
    }
    folder.mkdir()
    (folder / ".zarray").write_text(json.dumps(head, indent=1))
    empty = np.full(chunks, np.nan if values.dtype.kind == "f" else 0, kind)
    for at in product(*(range(-(-n // c)) for n, c in zip(values.shape, chunks, strict=True))):
        part = values[tuple(slice(i * c, (i + 1) * c) for i, c in zip(at, chunks, strict=True))]
        if np.isnan(part).all() if part.dtype.kind == "f" else not part.any():
            continue  # if a chunk is missing, its voxels have the fill value
        block = empty.copy()  # Chunks at the edges have the full size.
        block[tuple(slice(n) for n in part.shape)] = part
        file = folder.joinpath(*map(str, at))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(zlib.compress(block.tobytes(), 1))


def _halved(values: np.ndarray) -> np.ndarray:
    """Merge two voxels along each axis. The result is the mean of the non-empty voxels. For materials, the result is
    the first voxel."""
    for axis in (-3, -2, -1):
        n = values.shape[axis]
        if n == 1:
            continue
        first = np.take(values, range(0, n, 2), axis)
        if values.dtype.kind != "f":
            values = first
            continue
        second = np.take(values, range(1, n, 2), axis)
        if n % 2:
            pad = [(0, 0)] * values.ndim
            pad[axis % values.ndim] = (0, 1)
            second = np.pad(second, pad, constant_values=np.nan)
        mean = (first + second) / 2
        values = np.where(np.isnan(second), first, np.where(np.isnan(first), second, mean)).astype(values.dtype)
    return values
