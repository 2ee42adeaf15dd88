"""Zarr: an array, or the finest level of an OME-Zarr image (version 0.4 as written by osteon's export, or 0.5)."""

from math import prod
from pathlib import Path

import numpy as np

from ..errors import DataError
from .named_axes import arranged, is_in_order, order_of_axes, three_of
from .packed import check_claim
from .pieces import Pieces
from .placement import Placement, right_angled
from .units import ome_in_mm
from .volume import Stored, Volume, check_kind, check_shape, type_of_layout
from .zarr_array import ZarrArray
from .zarr_metadata import is_array, read_array, read_json

MARKS = (".zarray", ".zgroup", "zarr.json")  # a folder with one of these files is Zarr
MOST_CHUNKS = 1 << 22
REMEDY = "a scan has z, y and x: save one time or channel alone"


def is_zarr(path: Path) -> bool:
    return path.is_dir() and any((path / mark).is_file() for mark in MARKS)


def files_of_zarr(path: Path) -> list[Path]:
    """Return all files of a group or array."""
    return sorted(p for p in path.rglob("*") if p.is_file())


def z_y_x(array: ZarrArray, path: Path) -> tuple[int, int, int] | None:
    return None if array.axes is None else order_of_axes(array.axes, array.shape, path, REMEDY)


def read_zarr(path: Path) -> Volume:
    array = open_zarr(path)
    order = z_y_x(array, path)
    missing, count = array.missing_chunks(), prod(array.counts)
    warnings = []
    if missing:
        if array.fill is None:
            raise DataError(f"'{path}': {missing} of {count} chunks are missing, without a fill value; copy it again")
        # Zarr and osteon's export omit chunks that contain only the fill value.
        warnings.append(
            f"'{path}': {missing} of {count} chunks are missing; their voxels have the fill value {array.fill}"
        )
    spacing, placement = _geometry(array, order, path)
    shape = array.shape if order is None else tuple(array.shape[i] for i in order)
    if is_in_order(order, array.shape):
        values = Pieces(shape, array.kind, array.slabs)
    else:
        values = Pieces(shape, array.kind, lambda: iter([arranged(np.concatenate(list(array.slabs())), order)]))
    facts = {} if array.resolution is None else {"resolution": array.resolution}
    return Volume(values, "zarr", spacing, placement, facts, warnings, stored=lambda: _stored(array, order, values))


def _stored(array: ZarrArray, order: tuple[int, int, int] | None, values: Pieces) -> Stored:
    fill = 0 if array.fill is None else array.fill
    shards = array.shards
    layout = {
        "kind": "zarr",
        "folder": str(array.folder.absolute()),
        "shape": list(array.shape),
        "chunks": list(array.chunks),
        "stored_axes": list(array.stored_axes),
        "z_y_x": three_of(order, array.shape),
        **type_of_layout(array.kind),
        "codecs": [codec.name for codec in array.codecs],
        "fill": np.array(fill).astype(array.kind).tobytes().hex(),
        "prefix": array.prefix,
        "separator": array.separator,
        "shards": shards
        and {
            "counts": list(shards.counts),
            "is_index_last": shards.is_index_last,
            "has_checksum": shards.has_checksum,
        },
    }
    return Stored(layout, values, layout["codecs"])


def spacing_of(array: ZarrArray, path: Path) -> tuple[float, float, float] | None:
    return _geometry(array, z_y_x(array, path), path)[0]


def _geometry(array: ZarrArray, order, path: Path) -> tuple[tuple | None, Placement | None]:
    axes = order if order is not None else tuple(range(len(array.shape)))[-3:]
    if array.spacing is None or len(axes) != 3:
        return None, None
    spacing = array.spacing[list(axes)]
    if not (np.isfinite(spacing).all() and (spacing > 0).all()):
        return None, None
    stated = tuple(float(h) for h in spacing)
    if array.first is None:
        return stated, None
    corner = (array.first[list(axes)] - spacing / 2)[::-1]
    if array.direction is None:
        return stated, Placement(corner)
    return stated, Placement(corner, right_angled(np.array(array.direction, float).reshape(3, 3), str(path)))


def open_zarr(path: Path) -> ZarrArray:
    """@throws DataError for several arrays, unknown codecs, filters, or impossible sizes"""
    array = read_array(path) if is_array(path) else _of_group(path)
    check_kind(array.kind, str(path))
    check_shape(array.shape, str(path))
    held = sum(p.stat().st_size for p in array.folder.rglob("*") if p.is_file())
    check_claim(prod(array.shape) * array.kind.itemsize, path, held, packed=True)
    check_claim(array.bytes_of_chunk, path, held, packed=True)
    if array.shards is not None:
        check_claim(array.shards.bytes_of_index, path, held, packed=True)
    count = prod(array.counts)
    if count > MOST_CHUNKS:
        raise DataError(f"'{path}' has {count} chunks; the limit is {MOST_CHUNKS}: save it in larger ones")
    return array


def _attributes(path: Path) -> tuple[dict, Path]:
    """Return the attributes of a group, and their file."""
    if (path / "zarr.json").is_file():
        file = path / "zarr.json"
        attributes = read_json(file).get("attributes") or {}
        ome = attributes.get("ome") if isinstance(attributes, dict) else None
        return (attributes | ome if isinstance(ome, dict) else attributes), file  # version 0.5 has the key `ome`
    file = path / ".zattrs"
    return (read_json(file) if file.is_file() else {}), file


def _of_group(path: Path) -> ZarrArray:
    attributes, file = _attributes(path)
    scales = attributes.get("multiscales") if isinstance(attributes, dict) else None
    if not scales:
        arrays = sorted(p for p in path.iterdir() if p.is_dir() and is_array(p))
        found = [p for p in arrays if p.name == "image"] or arrays
        if len(found) != 1:
            names = ", ".join(f"'{p.name}'" for p in arrays[:12]) or "no array"
            raise DataError(f"'{path}' contains {names}; one array is required, or several with one named 'image'")
        return read_array(found[0])
    try:
        levels, axes = scales[0]["datasets"], scales[0].get("axes") or []
        arrays = [_level(path, str(level["path"])) for level in levels]
        array = max(arrays, key=lambda a: prod(a.shape))  # the first of equal ones
        finest = levels[next(i for i, a in enumerate(arrays) if a is array)]
        if len(levels) > 1:
            array.resolution = {"level": str(finest["path"]), "levels": len(levels)}
        names = [axis.get("name", "?") if isinstance(axis, dict) else str(axis) for axis in axes]
        if len(names) != len(array.shape):
            return array
        array.axes = "".join(name[:1] if len(name) == 1 else "?" for name in names)
        _take_transformations(array, axes, finest, scales[0])
        array.direction = attributes.get("osteon", {}).get("direction")
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as e:
        raise DataError(f"'{file}' does not describe an OME-Zarr image ({e!r}); copy it again") from None
    return array


def _level(path: Path, name: str) -> ZarrArray:
    folder = path / name
    if not folder.resolve().is_relative_to(path.resolve()) or not is_array(folder):
        raise DataError(f"'{path}' refers to the level '{name}', which is missing; copy it again")
    return read_array(folder)


def _take_transformations(array: ZarrArray, axes: list, finest: dict, scales: dict) -> None:
    """Read spacing and position, if each axis of space states its unit."""
    count = len(array.shape)
    scale, shift = np.ones(count), np.zeros(count)
    is_scaled = is_placed = False
    for step in (*finest.get("coordinateTransformations", []), *scales.get("coordinateTransformations", [])):
        if step.get("type") == "scale":
            by = np.array([float(v) for v in step["scale"]])
            scale, shift, is_scaled = scale * by, shift * by, True
        elif step.get("type") == "translation":
            shift, is_placed = shift + np.array([float(v) for v in step["translation"]]), True
    if not is_scaled or not all(isinstance(a, dict) for a in axes):
        return
    units = [ome_in_mm(a.get("unit", "")) if a.get("name") in ("x", "y", "z") else 1.0 for a in axes]
    if None in units:
        return
    array.spacing = scale * units
    array.first = shift * units if is_placed and np.isfinite(shift).all() else None
