"""Print the values of an HDF5 file: `python -m osteon.results.hdf5_values PATH [DATASET [--layout]]`.

The values are read in a separate process, because HDF5 may crash on damaged bytes or never return
(docs/reference/format.md). Without DATASET the program lists the datasets of numbers as one line of JSON; with DATASET
it prints the values in C order. With --layout it prints the place of the values in the file as JSON: `offset` of
contiguous values, or `chunks`, `codecs` and `places` (offset and bytes of each chunk); null for other layouts.
"""

import json
import resource
import sys

import numpy as np

from ..files.hdf5_locks import hint_on_locks, no_hdf5_locks

MOST_SECONDS = 20  # limit of processor time in s for metadata; for values:
BYTES_A_SECOND = 5e6
CHUNKS_A_SECOND = 20_000
MOST_DATASETS = 10_000
BLOCK = 4 << 20
LAYOUT = "--layout"
CODECS = {1: "zlib", 2: "shuffle", 32015: "zstd"}  # by the numbers of the filters of HDF5
MOST_PLACES = 1 << 18
SPACINGS = ("spacing_mm", "element_size_um")


def _numbers(values: object) -> list[float] | None:
    found = np.asarray(values)
    return found.astype(float).ravel().tolist() if found.dtype.kind in "uif" and found.size <= 16 else None


def _stated_attributes(item) -> dict[str, list[float]]:
    found = {key: _numbers(item.attrs[key]) for key in SPACINGS if key in item.attrs}
    return {key: values for key, values in found.items() if values}


def _axes(item) -> str | None:
    """Return a letter for each axis. The letters are those in `axistags` of ilastik, or in the dimension labels of
    HDF5."""
    tags = item.attrs.get("axistags")
    try:
        if tags is not None:
            names = [str(axis["key"]) for axis in json.loads(tags)["axes"]]
        else:
            names = [str(dimension.label) for dimension in item.dims]
    except (ValueError, KeyError, TypeError, RuntimeError, RecursionError):
        return None
    return "".join(names) if len(names) == len(item.shape) and all(len(name) == 1 for name in names) else None


def _missing(item) -> dict[str, object]:
    """Count missing chunks. For such chunks, HDF5 returns a fill value. If the file contains this fill value, also
    return the value."""
    import h5py

    if item.chunks is None or item.is_virtual or not item.size:
        return {}
    counts = [-(-n // c) for n, c in zip(item.shape, item.chunks, strict=True)]
    expected = int(np.prod(counts, dtype=np.int64))
    missing = expected - int(item.id.get_num_chunks())
    if not missing:  # a damaged index may have the correct number of chunks, but wrong positions
        limit_seconds(MOST_SECONDS + expected // CHUNKS_A_SECOND)
        places = (tuple(i * c for i, c in zip(at, item.chunks, strict=True)) for at in np.ndindex(*counts))
        missing = sum(item.id.get_chunk_info_by_coord(place).byte_offset is None for place in places)
    found: dict[str, object] = {"chunks": expected, "missing": missing}
    if item.id.get_create_plist().fill_value_defined() == h5py.h5d.FILL_VALUE_USER_DEFINED:
        found["fill_value"] = float(item.fillvalue)
    return found


def listing(file) -> dict[str, object]:
    """List the datasets by path. Links to other files are not followed. References to other files are marked."""
    import h5py

    found: dict[str, object] = {}

    def visit(name: str, item: object) -> None:
        if not isinstance(item, h5py.Dataset) or item.dtype.kind not in "buif" or len(found) >= MOST_DATASETS:
            return
        entry: dict[str, object] = {
            "shape": [int(n) for n in item.shape or ()],
            "dtype": item.dtype.str,
            "bytes": int(item.id.get_storage_size()),
            "chunked": item.chunks is not None,
            "elsewhere": bool(item.external) or item.is_virtual,
            "axes": _axes(item) if len(item.shape or ()) >= 3 else None,
            **_missing(item),
            **_stated_attributes(item),
        }
        if 0 < item.size <= 16 and not entry["elsewhere"]:
            entry["values"] = _numbers(item[()])
        found["/" + name] = entry

    file.visititems(visit)
    return {"datasets": found, **_stated_attributes(file)}


def write_values(dataset, out) -> None:
    planes = dataset.shape[0]
    plane_bytes = max(1, dataset.dtype.itemsize * int(np.prod(dataset.shape[1:], dtype=np.int64)))
    step = dataset.chunks[0] if dataset.chunks else 1
    step *= max(1, BLOCK // (plane_bytes * step))
    for first in range(0, planes, step):
        out.write(np.ascontiguousarray(dataset[first : first + step]).tobytes())
    out.flush()


def layout_of(file, dataset) -> dict[str, object] | None:
    """Return the place of the values in the file; None if another program cannot read them without HDF5."""
    import h5py

    properties = dataset.id.get_create_plist()
    if file.userblock_size or dataset.is_virtual or dataset.external:
        return None
    if properties.get_layout() == h5py.h5d.CONTIGUOUS:
        offset = dataset.id.get_offset()
        return None if offset is None else {"offset": int(offset)}
    codecs = [CODECS.get(properties.get_filter(i)[0]) for i in range(properties.get_nfilters())]
    if properties.get_layout() != h5py.h5d.CHUNKED or None in codecs:
        return None
    counts = [-(-n // c) for n, c in zip(dataset.shape, dataset.chunks, strict=True)]
    if np.prod(counts, dtype=np.float64) > MOST_PLACES:
        return None
    limit_seconds(MOST_SECONDS + int(np.prod(counts)) // CHUNKS_A_SECOND)
    whole = int(np.prod(dataset.chunks, dtype=np.int64)) * dataset.dtype.itemsize
    places = []
    for at in np.ndindex(*counts):
        first = tuple(i * c for i, c in zip(at, dataset.chunks, strict=True))
        found = dataset.id.get_chunk_info_by_coord(first)
        is_partial = any(f + c > n for f, c, n in zip(first, dataset.chunks, dataset.shape, strict=True))
        # HDF5 can omit the filters of single chunks; for partial chunks, it does not record the omission.
        if found.filter_mask or (codecs and is_partial and found.size == whole):
            return None
        places.append([-1, 0] if found.byte_offset is None else [int(found.byte_offset), int(found.size)])
    return {"chunks": [int(c) for c in dataset.chunks], "codecs": codecs, "places": places}


def limit_seconds(seconds: int) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds if hard == resource.RLIM_INFINITY else min(seconds, hard), hard))


def _opened(path: str):
    with no_hdf5_locks():
        import h5py

    try:
        return h5py.File(path, "r")
    except OSError as e:
        raise OSError(f"{' '.join(str(e).split())[-120:]}{hint_on_locks(path)}") from None


def main(arguments: list[str]) -> int:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    limit_seconds(MOST_SECONDS)
    with no_hdf5_locks(), _opened(arguments[0]) as file:
        if len(arguments) == 1:
            print(json.dumps(listing(file)))
            return 0
        dataset = file[arguments[1]]
        if arguments[2:] == [LAYOUT]:
            print(json.dumps(layout_of(file, dataset)))
            return 0
        limit_seconds(MOST_SECONDS + int(dataset.size * dataset.dtype.itemsize / BYTES_A_SECOND))
        write_values(dataset, sys.stdout.buffer)
    return 0


if __name__ == "__main__":
    try:
        code = main(sys.argv[1:])
    except Exception as e:
        print(" ".join(str(e).split())[-300:], file=sys.stderr)
        code = 3
    sys.exit(code)
