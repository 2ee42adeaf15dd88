"""Arrays without a format of images: .npy, and raw voxels with a header file (JSON, or the text of VGStudio's .vgi)."""

import hashlib
import json
import re
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from ..errors import DataError
from .pieces import Pieces, stored
from .placement import Placement, right_angled
from .units import in_mm
from .volume import Stored, Volume, check_shape, three_axes, type_of_layout

RAW = (".raw", ".vol", ".dat")
HEADERS = (".json", ".vgi")
ENDINGS = (*RAW, *HEADERS)
LAYOUT = ("shape", "dtype", "byte_order", "offset_bytes", "file", "sha256")
KEYS = (*LAYOUT, "spacing_mm", "origin_mm", "direction", "unit")
TYPES = {
    "u1": "uint8",
    "i1": "int8",
    "u2": "uint16",
    "i2": "int16",
    "u4": "uint32",
    "i4": "int32",
    "f4": "float32",
    "f8": "float64",
}


def read_npy(path: Path) -> Volume:
    values = np.load(path, allow_pickle=False, mmap_mode="r")
    if not isinstance(values, np.ndarray):
        raise DataError(f"'{path}' is an archive of arrays; use a single .npy array of shape (z, y, x)")
    check_shape(values.shape, str(path))
    end = values.offset + values.nbytes
    if path.stat().st_size != end:
        raise DataError(f"'{path}' has {path.stat().st_size} bytes, but its header requires {end}; copy it again")
    pieces = _of_npy(path, values)
    place = partial(_stored, path, values.offset, pieces) if isinstance(pieces, Pieces) else None
    stated = exported(path)
    if stated is None:
        return Volume(pieces, "npy", stored=place)
    if stated.get("shape") != list(values.shape):
        raise DataError(f"'{path}' has the shape {list(values.shape)}, '{path.stem}.json' states {stated.get('shape')}")
    for key in ("spacing_mm", "origin_mm"):
        _numbers(stated, key, 3, path.with_suffix(".json"))
    _numbers(stated, "direction", 9, path.with_suffix(".json"))
    placement = _placement(stated, path.with_suffix(".json"))
    facts = {"unit": stated["units"]} if isinstance(stated.get("units"), str) else {}
    return Volume(pieces, "npy", tuple(stated["spacing_mm"]), placement, facts, stored=place)


def _stored(path: Path, offset: int, pieces: Pieces, check: Callable[[], None] = lambda: None) -> Stored:
    layout = {"kind": "values", "path": str(path.absolute()), "offset": offset} | type_of_layout(pieces.dtype)
    return Stored(layout | {"shape": list(three_axes(pieces.shape, str(path)))}, pieces, check=check)


def _of_npy(path: Path, values: np.memmap) -> np.ndarray | Pieces:
    if not values.flags.c_contiguous or values.dtype.kind not in "buif":
        return np.array(values)  # planes in Fortran order are not contiguous in the file
    return Pieces(values.shape, values.dtype, partial(stored, path, values.offset, values.dtype, values.size))


def exported(path: Path) -> dict | None:
    """Return the header that `osteon export` wrote for an array of voxels; ignore other JSON files."""
    try:
        facts = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    ours = isinstance(facts, dict) and facts.get("centring") == "voxels" and facts.get("spacing_mm") is not None
    return facts if ours else None


def header_and_data(path: Path) -> tuple[Path, Path | None]:
    """Return the header and the voxels of a raw image, if one of the two is given; None if only the header can name the
    voxels."""
    if path.suffix.lower() in HEADERS:
        return path, None
    for candidate in (path.with_name(path.name + ending) for ending in HEADERS):
        if candidate.is_file():
            return candidate, path
    for candidate in (path.with_suffix(ending) for ending in HEADERS):
        if candidate.is_file():
            return candidate, path
    raise DataError(
        f"'{path}' is raw without a header; state its layout in '{path.stem}.json', for example "
        '{"shape": [100, 200, 200], "dtype": "uint16", "byte_order": "little", "spacing_mm": [0.02, 0.02, 0.02]}'
    )


def halves(path: Path) -> tuple[Path, Path]:
    """Return the header and the file of voxels of a raw image, if one of the two is given."""
    header, data = header_and_data(path)
    return (header, data or _named(_layout(header), header))


def _layout(header: Path) -> dict:
    if header.stat().st_size > 1 << 20:
        raise DataError(f"'{header}' has {header.stat().st_size} bytes; the limit of a header is {1 << 20}")
    text = header.read_text(encoding="utf-8", errors="replace")
    return _vgi(text, header) if header.suffix.lower() == ".vgi" else _json(text, header)


def read_raw(path: Path) -> Volume:
    header, data = halves(path)
    layout = _layout(header)
    shape, kind, offset = _checked(layout, header)
    check_shape(shape, str(data))
    expected = offset + int(np.prod(shape, dtype=np.int64)) * kind.itemsize
    if data.stat().st_size != expected:
        raise DataError(
            f"'{data}' has {data.stat().st_size} bytes, but '{header.name}' requires {expected} (offset {offset}, "
            f"shape {list(shape)}, {kind.name}); correct the header or copy the file again"
        )
    values = Pieces(shape, kind, lambda: _with_digest(layout, header, data, offset, kind, shape))
    spacing = layout.get("spacing_mm")
    facts = {"unit": str(layout["unit"])} if layout.get("unit") else {}
    place = partial(_stored, data, offset, values, lambda: _check_digest(layout, values))
    size = None if spacing is None else tuple(spacing)
    return Volume(values, "raw", size, _placement(layout, header), facts, stored=place)


def _check_digest(layout: dict, values: Pieces) -> None:
    if "sha256" in layout:
        deque(values.read(), maxlen=0)


def _with_digest(
    layout: dict, header: Path, data: Path, offset: int, kind: np.dtype, shape: tuple[int, ...]
) -> Iterator[np.ndarray]:
    digest = hashlib.sha256()
    for values in stored(data, offset, kind, int(np.prod(shape, dtype=np.int64))):
        if "sha256" in layout:
            digest.update(values.data)
        yield values
    if "sha256" in layout and digest.hexdigest() != str(layout["sha256"]).lower():
        raise DataError(f"the voxels of '{data}' do not have the SHA-256 stated in '{header.name}'; copy it again")


def _named(layout: dict, header: Path) -> Path:
    if "file" in layout:
        found = [header.parent / str(layout["file"])]
    else:
        found = [header.with_suffix(e) for e in RAW] + [header.with_suffix("")] * bool(header.with_suffix("").suffix)
    for path in found:
        if path.is_file():
            return path
    raise DataError(
        f"the voxels of '{header}' are missing: searched for {', '.join(p.name for p in found)} in its folder"
    )


def _json(text: str, header: Path) -> dict:
    try:
        layout = json.loads(text)
    except (ValueError, RecursionError) as e:
        raise DataError(f"'{header}' is not JSON: {e}") from None
    if not isinstance(layout, dict):
        raise DataError(f"'{header}' is not a JSON object with the keys {', '.join(KEYS)}")
    unknown = sorted(set(layout) - set(KEYS))
    if unknown:
        raise DataError(f"'{header}' has the unknown key '{unknown[0]}'; known: {', '.join(KEYS)}")
    return layout


def _checked(layout: dict, header: Path) -> tuple[tuple[int, ...], np.dtype, int]:
    for key in ("shape", "dtype"):
        if key not in layout:
            raise DataError(f"'{header}': missing '{key}', which is required to read the voxels")
    shape, name = layout["shape"], str(layout["dtype"])
    if not (isinstance(shape, list) and len(shape) == 3 and all(type(n) is int and n > 0 for n in shape)):
        raise DataError(f"'{header}' has shape {shape}; it must be three numbers of voxels > 0, [z, y, x]")
    name = TYPES.get(name, name)
    if name not in TYPES.values():
        raise DataError(f"'{header}' has dtype '{name}'; supported: {', '.join(TYPES.values())}")
    kind = np.dtype(name)
    order = {"little": "<", "big": ">"}.get(layout.get("byte_order"))
    if order is None and kind.itemsize > 1:
        raise DataError(f'\'{header}\': missing byte_order; a type of {kind.itemsize} bytes requires "little" or "big"')
    offset = layout.get("offset_bytes", 0)
    if type(offset) is not int or offset < 0:
        raise DataError(f"'{header}' has offset_bytes {offset}; it must be an integer >= 0")
    for key in ("spacing_mm", "origin_mm"):
        _numbers(layout, key, 3, header)
    _numbers(layout, "direction", 9, header)
    if layout.get("spacing_mm") and min(layout["spacing_mm"]) <= 0:
        raise DataError(f"'{header}' has spacing_mm {layout['spacing_mm']}; voxel edges must be > 0")
    return tuple(shape), kind.newbyteorder(order or "="), offset


def _numbers(layout: dict, key: str, count: int, header: Path) -> None:
    value = layout.get(key)
    good = isinstance(value, list) and len(value) == count and all(type(v) in (int, float) for v in value)
    if value is not None and not (good and np.isfinite(value).all()):
        raise DataError(f"'{header}' has {key} {value}; it must be {count} finite numbers")


def _placement(layout: dict, header: Path) -> Placement | None:
    if layout.get("origin_mm") is None and layout.get("direction") is None:
        return None
    corner = np.array(layout.get("origin_mm") or [0, 0, 0], float)[::-1]
    if layout.get("direction") is None:
        return Placement(corner)
    return Placement(corner, right_angled(np.array(layout["direction"], float).reshape(3, 3), str(header)))


def _vgi(text: str, header: Path) -> dict:
    """Convert the keys of a .vgi file to keys of JSON headers. Lists in a .vgi file have the order x, y, z, and the
    data are little-endian."""
    keys: dict[str, str] = {}
    section = ""
    for line in text.splitlines():
        line = line.strip()
        if line[:1] in ("{", "["):
            section = line.strip("{}[] ").lower()
        elif "=" in line:
            key, value = (part.strip() for part in line.split("=", 1))
            key = f"{section}.{key.lower()}"
            if keys.setdefault(key, value) != value:
                raise DataError(f"'{header}' describes several volumes ('{key}' twice); save one volume")
    if any(key.startswith("file2.") for key in keys):
        raise DataError(f"'{header}' refers to several files; save the volume as one")
    try:
        size = [int(n) for n in keys["file1.size"].split()]
        bits = int(keys.get("file1.bitsperelement") or keys["representation.bitsperelement"])
        word = (keys.get("file1.datatype") or keys["representation.datatype"]).lower()
        form = keys.get("file1.fileformat", "raw").lower()
        if form != "raw":
            raise DataError(f"'{header}' has the file format '{form}'; only raw is supported: export it as raw")
        kind = "f" if word.startswith(("float", "double")) else "u" if word.startswith("unsigned") else "i"
        layout: dict[str, object] = {"shape": size[::-1], "dtype": f"{kind}{bits // 8}", "byte_order": "little"}
        layout["offset_bytes"] = int(keys.get("file1.skipheader", 0))
        if "file1.name" in keys:
            layout["file"] = re.split(r"[\\/]", keys["file1.name"])[-1]
        unit = in_mm(keys.get("geometry.unit", ""))
        if unit and "geometry.resolution" in keys:
            layout["spacing_mm"] = [unit * float(h) for h in keys["geometry.resolution"].split()][::-1]
    except (KeyError, ValueError) as e:
        raise DataError(f"'{header}' is not a supported .vgi ({e!r}); state the layout in a .json instead") from None
    return layout
