"""The values of an HDF5 file on standard output: `python -m osteon.results.hdf5_values PATH [DATASET]`.

A process of its own: HDF5 may crash on damaged bytes or never return (docs/format.md), and this one may be lost.
Without DATASET it lists the datasets of numbers as one line of JSON; with it, the values follow, in C order.
"""

import json
import resource
import sys

import numpy as np

MOST_SECONDS = 20  # of the processor for what is not values; and for these:
BYTES_A_SECOND = 5e6
MOST_DATASETS = 10_000
BLOCK = 4 << 20
SPACINGS = ("spacing_mm", "element_size_um")


def _numbers(values: object) -> list[float] | None:
    found = np.asarray(values)
    return found.astype(float).ravel().tolist() if found.dtype.kind in "uif" and found.size <= 16 else None


def _said(item) -> dict[str, list[float]]:
    found = {key: _numbers(item.attrs[key]) for key in SPACINGS if key in item.attrs}
    return {key: values for key, values in found.items() if values}


def listing(file) -> dict[str, object]:
    """Datasets by path. Links to other files are not followed, and what refers to others is marked."""
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
            **_said(item),
        }
        if 0 < item.size <= 16 and not entry["elsewhere"]:
            entry["values"] = _numbers(item[()])
        found["/" + name] = entry

    file.visititems(visit)
    return {"datasets": found, **_said(file)}


def write_values(dataset, out) -> None:
    planes = dataset.shape[0]
    plane_bytes = max(1, dataset.dtype.itemsize * int(np.prod(dataset.shape[1:], dtype=np.int64)))
    step = dataset.chunks[0] if dataset.chunks else 1
    step *= max(1, BLOCK // (plane_bytes * step))
    for first in range(0, planes, step):
        out.write(np.ascontiguousarray(dataset[first : first + step]).tobytes())
    out.flush()


def limit_seconds(seconds: int) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds if hard == resource.RLIM_INFINITY else min(seconds, hard), hard))


def main(arguments: list[str]) -> int:
    import h5py

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    limit_seconds(MOST_SECONDS)
    with h5py.File(arguments[0], "r") as file:
        if len(arguments) == 1:
            print(json.dumps(listing(file)))
            return 0
        dataset = file[arguments[1]]
        limit_seconds(MOST_SECONDS + int(dataset.size * dataset.dtype.itemsize / BYTES_A_SECOND))
        write_values(dataset, sys.stdout.buffer)
    return 0


if __name__ == "__main__":
    try:
        code = main(sys.argv[1:])
    except Exception as e:
        print(" ".join(str(e).split())[-200:], file=sys.stderr)
        code = 3
    sys.exit(code)
