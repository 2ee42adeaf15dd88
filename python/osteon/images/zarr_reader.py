"""Zarr version 2: an array, or the finest level of an OME-Zarr 0.4, as written by osteon's export."""

import bz2
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..errors import DataError
from .named_axes import arranged, is_in_order, order_of_axes
from .packed import check_claim
from .pieces import Pieces
from .placement import Placement, right_angled
from .units import ome_in_mm
from .volume import Volume, check_kind, check_shape

MARKS = (".zarray", ".zgroup", "zarr.json")  # a folder with one of these files is Zarr
LONGEST_JSON = 1 << 22
MOST_CHUNKS = 1 << 22
REMEDY = "a scan has z, y and x: save one time or channel alone"
WBITS = {"zlib": 15, "gzip": 31}


@dataclass
class ZarrArray:
    """An array in the order of its file, and the metadata of its group."""

    folder: Path
    shape: tuple[int, ...]
    chunks: tuple[int, ...]
    kind: np.dtype
    order: str  # order of the values in a chunk: C or F
    compressor: dict | None
    fill: object  # None: the file states none
    separator: str
    axes: str | None = None  # a letter for each axis
    spacing: np.ndarray | None = None  # mm, by axis
    first: np.ndarray | None = None  # centre of the first voxel, mm, by axis
    direction: list[float] | None = None

    @property
    def counts(self) -> tuple[int, ...]:
        return tuple(-(-n // c) for n, c in zip(self.shape, self.chunks, strict=True))

    @property
    def bytes_of_chunk(self) -> int:
        return int(np.prod(self.chunks, dtype=np.int64)) * self.kind.itemsize

    def file_of(self, at: tuple[int, ...]) -> Path:
        return self.folder / self.separator.join(map(str, at))

    def z_y_x(self, path: Path) -> tuple[int, int, int] | None:
        return None if self.axes is None else order_of_axes(self.axes, self.shape, path, REMEDY)


def is_zarr(path: Path) -> bool:
    return path.is_dir() and any((path / mark).is_file() for mark in MARKS)


def files_of_zarr(path: Path) -> list[Path]:
    """Return all files of a group or array."""
    return sorted(p for p in path.rglob("*") if p.is_file())


def read_zarr(path: Path) -> Volume:
    array = open_zarr(path)
    order = array.z_y_x(path)
    missing, count = sum(not array.file_of(at).is_file() for at in np.ndindex(array.counts)), int(np.prod(array.counts))
    warnings = []
    if missing:
        if array.fill is None:
            raise DataError(f"'{path}': {missing} of {count} chunks are missing, without a fill value; copy it again")
        # Zarr and osteon's export omit chunks that contain only the fill value.
        warnings = [f"'{path}': {missing} of {count} chunks are missing; their voxels have the fill value {array.fill}"]
    spacing, placement = _geometry(array, order, path)
    shape = array.shape if order is None else tuple(array.shape[i] for i in order)
    if is_in_order(order, array.shape):
        values = Pieces(shape, array.kind, lambda: _slabs(array))
    else:
        values = Pieces(shape, array.kind, lambda: iter([arranged(np.concatenate(list(_slabs(array))), order)]))
    return Volume(values, "zarr", spacing, placement, warnings=warnings)


def spacing_of(array: ZarrArray, path: Path) -> tuple[float, float, float] | None:
    return _geometry(array, array.z_y_x(path), path)[0]


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
    """@throws DataError for version 3, several arrays, filters, unknown compressors, or impossible sizes"""
    if (path / "zarr.json").is_file():
        raise DataError(
            f"'{path}' is Zarr version 3; only version 2 (OME-Zarr 0.4) is supported: save it in that version"
        )
    array = _array(path) if (path / ".zarray").is_file() else _of_group(path)
    check_kind(array.kind, str(path))
    check_shape(array.shape, str(path))
    held = sum(p.stat().st_size for p in array.folder.rglob("*") if p.is_file())
    check_claim(int(np.prod(array.shape, dtype=np.int64)) * array.kind.itemsize, path, held, packed=True)
    check_claim(array.bytes_of_chunk, path, held, packed=True)
    count = 1
    for n in array.counts:
        count *= n
    if count > MOST_CHUNKS:
        raise DataError(f"'{path}' has {count} chunks; the limit is {MOST_CHUNKS}: save it in larger ones")
    return array


def _json(path: Path) -> dict:
    try:
        if path.stat().st_size > LONGEST_JSON:
            raise ValueError("the file is too long")
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as e:
        raise DataError(f"'{path}' is damaged ({e}); copy it again") from None
    if not isinstance(found, dict):
        raise DataError(f"'{path}' is damaged (not a JSON object); copy it again")
    return found


def _array(folder: Path) -> ZarrArray:
    head = _json(folder / ".zarray")
    try:
        shape, chunks = (tuple(int(n) for n in head[key]) for key in ("shape", "chunks"))
        kind, fill = np.dtype(str(head["dtype"])), head.get("fill_value")
        compressor = head.get("compressor")
        whole = len(shape) == len(chunks) and min((*chunks, *shape, 1)) >= 1 and head.get("order", "C") in ("C", "F")
        if fill is not None:
            fill = kind.type(float(fill) if kind.kind == "f" else fill).item()
    except (KeyError, TypeError, ValueError, OverflowError) as e:
        raise DataError(f"'{folder / '.zarray'}' does not describe an array ({e}); copy it again") from None
    if not whole or kind.hasobject:
        raise DataError(
            f"'{folder / '.zarray'}' does not describe an array: shape {shape}, chunks {chunks}; copy it again"
        )
    if head.get("filters"):
        raise DataError(f"'{folder}' has filters on its values, which are not supported; save it without filters")
    known = (None, "zlib", "gzip", "bz2", "zstd", "lz4", "blosc")
    name = compressor.get("id") if isinstance(compressor, dict) else compressor
    if name not in known:
        raise DataError(f"'{folder}' is compressed by '{name}'; known: {', '.join(str(k) for k in known[1:])}")
    separator = head.get("dimension_separator", ".")
    if separator not in (".", "/"):
        raise DataError(f"'{folder}' has the dimension_separator '{separator}'; known: '.' and '/'")
    return ZarrArray(folder, shape, chunks, kind, head.get("order", "C"), compressor, fill, separator)


def _of_group(path: Path) -> ZarrArray:
    attributes = _json(path / ".zattrs") if (path / ".zattrs").is_file() else {}
    scales = attributes.get("multiscales")
    if not scales:
        arrays = sorted(p.parent for p in path.glob("*/.zarray"))
        found = [p for p in arrays if p.name == "image"] or arrays
        if len(found) != 1:
            names = ", ".join(f"'{p.name}'" for p in arrays[:12]) or "no array"
            raise DataError(f"'{path}' contains {names}; one array is required, or several with one named 'image'")
        return _array(found[0])
    try:
        finest, axes = scales[0]["datasets"][0], scales[0].get("axes") or []
        folder = path / str(finest["path"])
        if not folder.resolve().is_relative_to(path.resolve()) or not (folder / ".zarray").is_file():
            raise DataError(f"'{path}' refers to the level '{finest['path']}', which is missing; copy it again")
        array = _array(folder)
        names = [axis.get("name", "?") if isinstance(axis, dict) else str(axis) for axis in axes]
        if len(names) != len(array.shape):
            return array
        array.axes = "".join(name[:1] if len(name) == 1 else "?" for name in names)
        _take_transformations(array, axes, finest, scales[0])
        array.direction = attributes.get("osteon", {}).get("direction")
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as e:
        raise DataError(f"'{path / '.zattrs'}' does not describe an OME-Zarr image ({e!r}); copy it again") from None
    return array


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


def _slabs(array: ZarrArray) -> Iterator[np.ndarray]:
    """Yield the values, in slabs of the first axis with the size of a chunk."""
    for first in range(array.counts[0]):
        begin = first * array.chunks[0]
        slab = np.empty((min(array.chunks[0], array.shape[0] - begin), *array.shape[1:]), array.kind)
        for rest in np.ndindex(array.counts[1:]):
            places = [slice(i * c, (i + 1) * c) for i, c in zip(rest, array.chunks[1:], strict=True)]
            part = slab[(slice(None), *places)]
            chunk = _chunk(array, (first, *rest))
            part[...] = array.fill if chunk is None else chunk[tuple(slice(n) for n in part.shape)]
        yield slab


def _chunk(array: ZarrArray, at: tuple[int, ...]) -> np.ndarray | None:
    file = array.file_of(at)
    if not file.is_file():
        return None
    data = file.read_bytes()
    try:
        values = _unpacked(data, array.compressor, array.bytes_of_chunk)
    except Exception as e:  # decoders raise any exception for damaged bytes
        raise DataError(f"'{file}' is truncated or damaged ({' '.join(str(e).split())[-80:]}); copy it again") from None
    if len(values) != array.bytes_of_chunk:
        raise DataError(
            f"'{file}' decompresses to {len(values)} bytes instead of {array.bytes_of_chunk}; copy it again"
        )
    return np.frombuffer(values, array.kind).reshape(array.chunks, order=array.order)


def _unpacked(data: bytes, compressor: dict | None, expected: int) -> bytes:
    """Decompress at most slightly more than the expected bytes."""
    name = None if compressor is None else compressor["id"]
    if name is None:
        return data
    if name in WBITS:
        unpacker = zlib.decompressobj(WBITS[name])
        found = unpacker.decompress(data, expected + 1)
        if not unpacker.eof:
            raise EOFError("the end of the stream is missing")  # the end contains the checksum
        return found
    if name == "bz2":
        opened = bz2.BZ2Decompressor()
        found = opened.decompress(data, expected + 1)
        if not opened.eof:
            raise EOFError("the end of the stream is missing")
        return found
    import imagecodecs

    if name == "blosc":
        unpacked, packed = (int.from_bytes(data[at : at + 4], "little") for at in (4, 12))
        if (unpacked, packed) != (expected, len(data)):
            raise ValueError(f"header: {packed} bytes, decompressed {unpacked}; expected {len(data)} and {expected}")
        return bytes(imagecodecs.blosc_decode(data))
    if name == "lz4":
        if int.from_bytes(data[:4], "little") != expected:
            raise ValueError(f"its header states {int.from_bytes(data[:4], 'little')} bytes; expected {expected}")
        return bytes(imagecodecs.lz4_decode(data, header=True))
    return bytes(imagecodecs.zstd_decode(data, out=expected + 1))
