#!/usr/bin/env python3
"""Import of an image: memory of the reader and of the import, per voxel of the image and of the solid.

    ./run bench import [--size 512] [--formats npy tif] [--json FILE]

A 16-bit foam is generated. `python -m osteon.images` reads the foam, and `osteon import` imports it. Each program is a
separate process whose largest resident memory is measured. For bytes per voxel, the memory for an image of 8^3 voxels
is subtracted. Files in the page cache are not counted. The program prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from _program import BINARY, ROOT

SMALL = 8  # edge of the image whose memory is subtracted
JOB = """
physics = "elasticity"
[image]
path = "{image}"
spacing_mm = 0.02
[segment]
threshold = 30000
{more}
"""
MATERIALS = {
    "one material": "[[material]]\nyoungs_modulus_MPa = 6829.0\npoisson_ratio = 0.3\n",
    "a density law": "[density_law]\nslope = 1e-5\ncoefficient_MPa = 6850.0\nexponent = 1.5\npoisson_ratio = 0.3\n",
}
# Linux attributes the memory of the starting process to the started program, so that this process is small.
STARTER = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
sys.stdout.write("\\n%d" % (1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(code)
"""
# Passes an image that was read before, so that the reader's memory is not included in that of the import.
READER = '#!/bin/sh\nfor a; do case $a in /proc/*) cat "{array}" > "$a" ;; esac; done; cat "{facts}"\n'


def foam(path: Path, size: int) -> None:
    """Write a gyroid with a wavelength of 32 voxels and noise, plane by plane. 34 % of the gyroid is above 30000."""
    values = np.lib.format.open_memmap(path, "w+", np.uint16, (size, size, size))
    random = np.random.default_rng(1)
    angle = 2 * np.pi / 32 * np.arange(size, dtype=np.float32)
    y, x = angle[:, None], angle[None, :]
    for z in range(size):
        field = np.sin(x) * np.cos(y) + np.sin(y) * np.cos(angle[z]) + np.sin(angle[z]) * np.cos(x)
        values[z] = 25000 + 10000 * field + random.normal(0, 400, field.shape)
    values.flush()


def save(array: Path, path: Path) -> None:
    """Write the foam in another format, with compressed pages."""
    import tifffile

    values = np.load(array, mmap_mode="r")
    with tifffile.TiffWriter(path, bigtiff=True) as file:
        for plane in values:
            file.write(plane, contiguous=False, compression="zlib", photometric="minisblack", metadata=None)


def peak(command: list[str], **environment: str) -> tuple[int, str]:
    """Return the largest resident memory of a program and its children in bytes, and the output of the program."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", STARTER, *command],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env=os.environ | environment,
    )
    out, _, used = done.stdout.rpartition("\n")
    return int(used), out


def read(image: Path, array: Path) -> tuple[int, str]:
    python = os.environ.get("PYTHONPATH", str(ROOT / "python"))
    return peak([sys.executable, "-m", "osteon.images", str(image), str(array)], PYTHONPATH=python)


def imported(folder: Path, array: Path, facts: str, more: str) -> tuple[int, dict]:
    (folder / "facts.json").write_text(facts)
    reader = folder / "reader.sh"
    reader.write_text(READER.format(array=array, facts=folder / "facts.json"))
    reader.chmod(0o700)
    (folder / "job.toml").write_text(JOB.format(image=array, more=more))
    model = folder / "model.nc"
    model.unlink(missing_ok=True)
    command = [BINARY, "import", str(folder / "job.toml"), "-o", str(model), "--json", "-"]
    used, out = peak(command, OSTEON_PYTHON=str(reader))
    return used, json.loads(out)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=512, help="edge of the foam in voxels (default 512)")
    parser.add_argument("--formats", nargs="+", choices=("npy", "tif"), default=["npy", "tif"])
    parser.add_argument("--json", help="write the answer to this file as well")
    options = parser.parse_args()
    result: dict = {"size": options.size, "voxels": options.size**3, "reader": {}, "import": {}}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        arrays = {size: folder / f"foam{size}.npy" for size in (SMALL, options.size)}
        facts = {}
        for size, array in arrays.items():
            foam(array, size)
        for ending in options.formats:
            used = {}
            for size, array in arrays.items():
                image = array.with_suffix("." + ending)
                if image != array:
                    save(array, image)
                used[size], facts[size] = read(image, folder / "read.npy")
            marginal = used[options.size] - used[SMALL]
            result["reader"][ending] = {
                "peak_bytes": used[options.size],
                "bytes_per_voxel": marginal / result["voxels"],
            }
        for what, more in MATERIALS.items():
            small, _ = imported(folder, arrays[SMALL], facts[SMALL], more)
            used_bytes, answer = imported(folder, arrays[options.size], facts[options.size], more)
            active = answer["segmentation"]["kept_voxels"]
            result["import"][what] = {
                "active_voxels": active,
                "peak_bytes": used_bytes,
                "bytes_per_voxel": (used_bytes - small) / result["voxels"],
                "bytes_per_active_voxel": (used_bytes - small) / active,
            }
    text = json.dumps(result, indent=2)
    print(text)
    if options.json:
        Path(options.json).write_text(text + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
