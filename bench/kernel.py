#!/usr/bin/env python3
"""The brick kernel: nanoseconds per unknown of y = K x, and its fraction of the memory bandwidth.

    ./run bench kernel [--json FILE] [--repeat N] [--size N]

The kernel runs on the bone scan and on a sponge, in double and float, on one and two threads. There is one material, or
a material for each grey value.
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
from solve import ROOT, SCAN, porous

PROGRAM = "build/release/src/osteon/bench/osteon_bench_kernel"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", help="write the rows to this file")
    parser.add_argument("--repeat", type=int, default=20, help="interleaved repetitions (default 20)")
    parser.add_argument("--size", type=int, default=128, help="edge of the sponge in voxels (default 128)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        images = [Path(name) / "sponge.npy"]
        np.save(images[0], porous(options.size))
        if SCAN.exists():
            import tifffile

            images.append(Path(name) / "scan.npy")
            np.save(images[1], tifffile.imread(SCAN))
        else:
            print(f"the bone scan is not there ({SCAN.relative_to(ROOT)}); `./run demo` fetches it", file=sys.stderr)
        done = subprocess.run(
            [str(ROOT / PROGRAM), str(options.repeat), *map(str, images)],
            stdout=subprocess.PIPE,
            text=True,
            timeout=3600,
            check=False,
            env=os.environ | {"OMP_WAIT_POLICY": "passive"},
        )
    if done.returncode != 0:
        return done.returncode
    result = json.loads(done.stdout)
    for threads, bandwidth in enumerate(result["triad_GB_per_s"], 1):
        print(f"triad, {threads} thread{'s' * (threads > 1)}: {bandwidth:.1f} GB/s")
    for row in result["rows"]:
        row["image"] = Path(row["image"]).stem
        print(
            f"{row['image']:<7} {row['materials']:<14} {row['precision']:<7} threads {row['threads']}"
            f" {row['ns_per_dof']:7.2f} ns/dof, {100 * row['share_of_bandwidth']:3.0f} % of the bandwidth"
        )
    if options.json:
        Path(options.json).write_text(json.dumps(result, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
