"""Metadata of an array of Zarr: `.zarray` of version 2, `zarr.json` of version 3."""

import json
from pathlib import Path

import numpy as np

from ..errors import DataError
from .zarr_array import Shards, ZarrArray
from .zarr_codecs import KNOWN, Codec

LONGEST_JSON = 1 << 22
FLOATS = {"NaN": np.nan, "Infinity": np.inf, "-Infinity": -np.inf}


def read_json(path: Path) -> dict:
    try:
        if path.stat().st_size > LONGEST_JSON:
            raise ValueError("the file is too long")
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as e:
        raise DataError(f"'{path}' is damaged ({e}); copy it again") from None
    if not isinstance(found, dict):
        raise DataError(f"'{path}' is damaged (not a JSON object); copy it again")
    return found


def is_array(folder: Path) -> bool:
    if (folder / ".zarray").is_file():
        return True
    return (folder / "zarr.json").is_file() and read_json(folder / "zarr.json").get("node_type") == "array"


def read_array(folder: Path) -> ZarrArray:
    """@throws DataError for metadata that do not describe an array, and for unknown codecs"""
    return _version_3(folder) if (folder / "zarr.json").is_file() else _version_2(folder)


def _whole_numbers(values: object) -> tuple[int, ...]:
    numbers = tuple(int(n) for n in values)
    if any(isinstance(n, bool | str) for n in values) or numbers != tuple(values):
        raise ValueError(f"{values} are not numbers of voxels")
    return numbers


def _require_array(shape: tuple[int, ...], chunks: tuple[int, ...], kind: np.dtype, header: Path) -> None:
    if len(shape) != len(chunks) or min((*chunks, *shape, 1)) < 1 or kind.hasobject:
        raise DataError(f"'{header}' does not describe an array: shape {shape}, chunks {chunks}; copy it again")


def _require_codec(name: object, folder: Path) -> Codec:
    if name not in KNOWN:
        raise DataError(f"'{folder}' is compressed by '{name}'; known: {', '.join(KNOWN)}")
    return Codec(str(name))


def _require_separator(separator: object, folder: Path, key: str) -> str:
    if separator not in (".", "/"):
        raise DataError(f"'{folder}' has the {key} '{separator}'; known: '.' and '/'")
    return str(separator)


def _version_2(folder: Path) -> ZarrArray:
    header = folder / ".zarray"
    head = read_json(header)
    try:
        shape, chunks = (_whole_numbers(head[key]) for key in ("shape", "chunks"))
        kind, fill = np.dtype(str(head["dtype"])), head.get("fill_value")
        compressor, order = head.get("compressor"), head.get("order", "C")
        if order not in ("C", "F"):
            raise ValueError(f"the order '{order}' is unknown")
        if fill is not None:
            fill = kind.type(float(fill) if kind.kind == "f" else fill).item()
    except (KeyError, TypeError, ValueError, OverflowError) as e:
        raise DataError(f"'{header}' does not describe an array ({e}); copy it again") from None
    _require_array(shape, chunks, kind, header)
    if head.get("filters"):
        raise DataError(f"'{folder}' has filters on its values, which are not supported; save it without filters")
    name = compressor.get("id") if isinstance(compressor, dict) else compressor
    codecs = [] if name is None else [_require_codec(name, folder)]
    separator = _require_separator(head.get("dimension_separator", "."), folder, "dimension_separator")
    axes = tuple(range(len(shape)))
    return ZarrArray(folder, shape, chunks, kind, axes if order == "C" else axes[::-1], codecs, fill, separator)


def _version_3(folder: Path) -> ZarrArray:
    header = folder / "zarr.json"
    head = read_json(header)
    try:
        if head["zarr_format"] != 3 or head["node_type"] != "array" or head["chunk_grid"]["name"] != "regular":
            raise ValueError("an array of Zarr version 3 with a regular grid of chunks is required")
        shape = _whole_numbers(head["shape"])
        chunks = _whole_numbers(head["chunk_grid"]["configuration"]["chunk_shape"])
        kind = np.dtype(str(head["data_type"]))
        _require_array(shape, chunks, kind, header)
        array = ZarrArray(folder, shape, chunks, kind, tuple(range(len(shape))), [], _fill_3(head, kind), "/")
        array.prefix, array.separator = _names_3(head["chunk_key_encoding"], folder)
        _take_codecs(array, list(head["codecs"]), may_be_sharded=True)
        names = head.get("dimension_names")
        if isinstance(names, list) and len(names) == len(shape) and all(n in list("tczyx") for n in names):
            array.axes = "".join(names)
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as e:
        raise DataError(f"'{header}' does not describe an array ({e}); copy it again") from None
    if head.get("storage_transformers"):
        raise DataError(f"'{folder}' has storage transformers, which are not supported; save it without them")
    return array


def _fill_3(head: dict, kind: np.dtype) -> object:
    fill = head["fill_value"]
    if isinstance(fill, str) and kind.kind == "f":
        if fill.startswith("0x"):
            return np.frombuffer(int(fill, 16).to_bytes(kind.itemsize, "little"), kind.newbyteorder("<"))[0].item()
        fill = FLOATS[fill]
    return kind.type(float(fill) if kind.kind == "f" else fill).item()


def _names_3(encoding: dict, folder: Path) -> tuple[str, str]:
    name, more = encoding["name"], encoding.get("configuration") or {}
    if name not in ("default", "v2"):
        raise DataError(f"'{folder}' names its chunks by '{name}'; known: default, v2")
    separator = more.get("separator", "/" if name == "default" else ".")
    separator = _require_separator(separator, folder, "separator")
    return ("c" + separator if name == "default" else ""), separator


def _take_codecs(array: ZarrArray, codecs: list[dict], may_be_sharded: bool) -> None:
    """Read the codecs of an array, or of the chunks of its shards."""
    array.codecs, has_bytes = [], False
    for codec in codecs:
        name, more = codec["name"], codec.get("configuration") or {}
        if name == "transpose" and not has_bytes:
            order = _whole_numbers(more["order"])
            if sorted(order) != list(range(len(array.shape))):
                raise ValueError(f"the transposition {list(order)} is not an order of the axes")
            array.stored_axes = tuple(array.stored_axes[a] for a in order)
        elif name == "bytes" and not has_bytes:
            endian = more.get("endian", "little" if array.kind.itemsize == 1 else None)
            array.kind = array.kind.newbyteorder({"little": "<", "big": ">"}[endian])
            has_bytes = True
        elif name == "sharding_indexed" and not has_bytes and may_be_sharded and len(codecs) == 1:
            _take_shards(array, more)
            return
        elif has_bytes and name == "crc32c":
            array.codecs.append(Codec("crc32c"))
        elif has_bytes:
            array.codecs.append(_require_codec(name, array.folder))
        else:
            raise DataError(
                f"'{array.folder}' has the codec '{name}' at a place where it is not supported; known: transpose, "
                f"bytes, sharding_indexed (one level, alone), crc32c, {', '.join(KNOWN)}"
            )
    if not has_bytes:
        raise ValueError("the codec 'bytes' is missing")


def _take_shards(array: ZarrArray, more: dict) -> None:
    outer, inner = array.chunks, _whole_numbers(more["chunk_shape"])
    if len(inner) != len(outer) or min(inner) < 1 or any(o % i for o, i in zip(outer, inner, strict=True)):
        raise ValueError(f"shards of {list(outer)} voxels do not consist of chunks of {list(inner)}")
    index = [codec["name"] for codec in more["index_codecs"]]
    endian = (more["index_codecs"][0].get("configuration") or {}).get("endian")
    if index not in (["bytes"], ["bytes", "crc32c"]) or endian != "little":
        raise DataError(f"'{array.folder}' encodes its tables of shards by {index}; known: bytes (little), crc32c")
    place = more.get("index_location", "end")
    if place not in ("start", "end"):
        raise ValueError(f"the index_location '{place}' is unknown")
    counts = tuple(o // i for o, i in zip(outer, inner, strict=True))
    array.shards, array.chunks = Shards(counts, place == "end", "crc32c" in index), inner
    _take_codecs(array, list(more["codecs"]), may_be_sharded=False)
