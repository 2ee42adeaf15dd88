#!/usr/bin/env python3
"""Reading and writing: text of VOX-FE and PARA-BMU, netCDF of osteon, raw MPI-IO; sizes and CPU seconds.

    ./run bench io [--json FILE] [--repeat N] [--ranks N] [--size N] [--folder DIR]

The image is the bone scan, mirrored to 256^3 voxels. Grey values up to 63 are empty, and the other grey values are
materials. One program reads a model and writes a displacement at every node, in all ways in turn. The limits are the
limits that the project has set from [Johnson2012] (docs/reference/performance.md).
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from _io_study import print_study
from _program import BINARY
from solve import ROOT, SCAN, porous

EMPTY = 63
MEMORY = Path("/dev/shm")
OLD_READ = ("read model", "text, scanf, root scatters")
OLD_WRITE = ("write result", "text, printf, one after the other")
# Comparison, required ratio, and measure. The measure is the size of the files, or CPU seconds.
BARS = [
    ("model file, deflate, smaller than text", "bytes", OLD_READ, ("read model", "netCDF, deflate"), 20),
    ("result file, deflate, smaller than text", "bytes", OLD_WRITE, ("write result", "netCDF, deflate"), 7),
    ("model read, deflate", "cpu_seconds", OLD_READ, ("read model", "netCDF, deflate"), 14),
    ("model read, uncompressed", "cpu_seconds", OLD_READ, ("read model", "netCDF, none"), 75),
    ("result write, deflate", "cpu_seconds", OLD_WRITE, ("write result", "netCDF, deflate"), 5),
    ("result write, zstd", "cpu_seconds", OLD_WRITE, ("write result", "netCDF, zstd"), 15),
    ("result write, uncompressed", "cpu_seconds", OLD_WRITE, ("write result", "netCDF, none"), 15),
    (
        "uncompressed against raw MPI-IO",
        "cpu_seconds",
        ("write result", "raw MPI-IO"),
        ("write result", "netCDF, none"),
        0.8,
    ),
    (
        "model read, uncompressed against raw MPI-IO",
        "cpu_seconds",
        ("read model", "raw MPI-IO"),
        ("read model", "netCDF, none"),
        None,
    ),
    ("text read by osteon on all ranks", "cpu_seconds", OLD_READ, ("read model", "text, parallel"), None),
    ("text written by osteon on all ranks", "cpu_seconds", OLD_WRITE, ("write result", "text, parallel"), None),
]


def image(size: int) -> np.ndarray:
    """Material numbers of shape (size, size, size)."""
    if SCAN.exists():
        import tifffile

        scan = tifffile.imread(SCAN)
    else:
        print(f"the bone scan is not there ({SCAN.relative_to(ROOT)}); `./run demo` fetches it", file=sys.stderr)
        scan = porous(min(size, 128))
    grey = np.pad(scan, [(0, max(0, size - n)) for n in scan.shape], mode="symmetric")[:size, :size, :size]
    return np.where(grey <= EMPTY, 0, grey).astype(np.uint8)


def room(size: int) -> Path:
    """Return a folder in memory if memory has enough space, and otherwise a folder on disk."""
    wanted = 120 * size**3
    if MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > wanted:
        return MEMORY
    return Path(tempfile.gettempdir())


def environment() -> dict[str, str]:
    """Return the environment in which the measured program finds the zstd filter."""
    found = dict(os.environ)
    try:
        import hdf5plugin
    except ImportError:
        print("without zstd: the Python package hdf5plugin is not installed", file=sys.stderr)
    else:
        found.setdefault("HDF5_PLUGIN_PATH", hdf5plugin.PLUGIN_PATH)
    return found


def measure(size: int, ranks: int, repeat: int, parent: Path) -> dict:
    with tempfile.TemporaryDirectory(dir=parent, prefix="osteon-bench-io-") as folder:
        scan = Path(folder) / "scan.npy"
        np.save(scan, image(size))
        done = subprocess.run(
            f"{BINARY} bench io --ranks={ranks} --image={scan} --folder={folder} --repeat={repeat} --json=-".split(),
            stdout=subprocess.PIPE,
            text=True,
            env=environment(),
            timeout=7200,
            check=False,
        )
    if done.returncode != 0:
        sys.exit(done.returncode)
    return json.loads(done.stdout)


def compare(result: dict) -> list[dict]:
    rows = {(row["operation"], row["way"]): row for row in result["rows"]}
    return [
        {"what": what, "measure": key, "ratio": rows[old][key] / rows[new][key], "bar": bar}
        for what, key, old, new, bar in BARS
        if old in rows and new in rows
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", help="write the rows to this file")
    parser.add_argument("--repeat", type=int, default=3, help="interleaved repetitions (default 3)")
    parser.add_argument("--ranks", type=int, default=2, help="MPI processes (default 2)")
    parser.add_argument("--size", type=int, default=256, help="edge of the image in voxels (default 256)")
    parser.add_argument("--folder", type=Path, help="folder of the files (default: in memory, if it has enough space)")
    options = parser.parse_args()
    result = measure(options.size, options.ranks, options.repeat, options.folder or room(options.size))
    result["bars"] = compare(result)
    print(f"{result['elements']} elements, {result['nodes']} nodes, {result['ranks']} ranks")
    for row in result["rows"]:
        print(
            f"{row['operation']:<13} {row['way']:<34} {row['bytes'] / 1e6:9.2f} MB {row['cpu_seconds']:8.3f} CPU s"
            f" {row['wall_seconds']:8.3f} s"
        )
    for bar in result["bars"]:
        must = "" if bar["bar"] is None else f"  must: {bar['bar']:g}"
        unit = "of the size" if bar["measure"] == "bytes" else "of the CPU time"
        print(f"{bar['what']:<42} 1/{bar['ratio']:.2f} {unit}{must}")
    print_study(result)
    if options.json:
        Path(options.json).write_text(json.dumps(result, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
