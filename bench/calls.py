#!/usr/bin/env python3
"""Cost of a call from Python: jobs on small arrays, in Python's own process and by the program.

    ./run bench calls [--json FILE] [--sizes N ...] [--repeat N]

Arrays are sponges of N^3 voxels, about half of them solid, whose stiffness, conductivity and permeability are computed
with the default tolerances. Times are for one thread or rank: the first call in a process starts MPI and is reported
separately; of the others, the median.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from _program import BINARY
from osteon.calls.in_process import SolvedHere

import osteon

CALLS = {
    "stiffness": (osteon.stiffness, {"youngs_modulus_MPa": 1000.0, "poisson_ratio": 0.3}),
    "conductivity": (osteon.conductivity, {"conductivity_W_per_mK": 1.0}),
    "permeability": (osteon.permeability, {}),
}
TOLD = (
    "{call} of {voxels} voxels: {wall_s:.3f} s, {cpu_s:.3f} CPU s; "
    "program {program_wall_s:.3f} s, {program_cpu_s:.3f} CPU s"
)


def sponge(n: int, seed: int = 7) -> np.ndarray:
    """Return a smooth random image of n^3 voxels. Half of the voxels are above zero."""
    rng = np.random.default_rng(seed)
    waves = np.fft.rfftn(rng.standard_normal((n, n, n)))
    k = np.sqrt(sum(f**2 for f in np.meshgrid(*[np.fft.fftfreq(n) * n] * 2, np.fft.rfftfreq(n) * n, indexing="ij")))
    return np.fft.irfftn(waves * np.exp(-((k / 3) ** 2)), (n, n, n), axes=(0, 1, 2))


def measured(name: str, image: np.ndarray, **tables: dict) -> tuple[float, float, bool]:
    """Return wall seconds, CPU seconds including child processes, and True if the problem was solved in this
    process."""
    call, options = CALLS[name]
    before, wall = os.times(), time.perf_counter()
    result = call(image, 0.05, threshold=0.0, **options, run={"ranks": 1, "threads": 1}, **tables)
    wall, after = time.perf_counter() - wall, os.times()
    return wall, sum(after[:4]) - sum(before[:4]), isinstance(result, SolvedHere)


def medians(runs: list[tuple[float, float, bool]]) -> tuple[float, float]:
    return statistics.median(run[0] for run in runs), statistics.median(run[1] for run in runs)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--json", type=Path)
    options.add_argument("--sizes", type=int, nargs="+", default=[16, 32, 64])
    options.add_argument("--repeat", type=int, default=5)
    given = options.parse_args()
    os.environ.setdefault("OSTEON_BINARY", str(BINARY))
    first, _, is_here = measured("conductivity", sponge(8))
    if not is_here:
        print("osteon._native is not built; ./run setup builds it", file=sys.stderr)
        return 5
    rows = []
    for n in given.sizes:
        image = sponge(n)
        for name in CALLS:
            row = {"call": name, "voxels": n**3, "solid": float((image > 0).mean())}
            row["wall_s"], row["cpu_s"] = medians([measured(name, image) for _ in range(given.repeat)])
            with tempfile.TemporaryDirectory() as folder:
                files = {"output": {"directory": folder + "/out"}}  # written by the program
                runs = [measured(name, image, **files) for _ in range(given.repeat)]
            row["program_wall_s"], row["program_cpu_s"] = medians(runs)
            rows.append(row)
            print(TOLD.format(**row), file=sys.stderr)
    text = json.dumps({"first_call_s": first, "calls": rows}, indent=2)
    if given.json:
        given.json.write_text(text + "\n", encoding="utf-8")
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
