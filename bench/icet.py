#!/usr/bin/env python3
"""Comparison of compositing with IceT: frames per second and CPU of both in turn, and their ratio.

    ./run bench icet [--runs N] [--seconds S] [--case NAME ...] [--json FILE]

IceT is that of Debian's paraview; without its headers (paraview-dev) and libraries the measurement is skipped. They are
searched for again after Debian packages were installed. For another copy: cmake --preset release
-DOSTEON_ICET_ROOT=DIRECTORY. A run uses
IceT's best of binary swap, radix-k and tree and osteon's best of direct send and binary swap, or shared memory, for
each figure separately; the median of the runs counts.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from _program import BINARY, ROOT

PROGRAM = Path(BINARY).parents[2] / "studies" / "compositing" / "osteon_bench_icet"
ICET = ["icet:bswap", "icet:radixk", "icet:tree"]
MESSAGES = ["direct-send", "binary-swap"]
# name: ranks, size, format, filled fraction, methods of osteon, required ratio, target ratio
CASES = {
    "rgba8-2": (2, "512x512", "rgba8", 1, MESSAGES, 3, 5),
    "rgba8-4": (4, "512x512", "rgba8", 1, MESSAGES, 3, 5),
    "rgba8-4-shared": (4, "512x512", "rgba8", 1, ["shared"], 10, 17),
    "rgba8-1080p-4-shared": (4, "1920x1080", "rgba8", 1, ["shared"], 8, 10),
    "rgba32f-1080p-4": (4, "1920x1080", "rgba32f", 1, MESSAGES, 1.5, 2.5),
    "sparse-8": (8, "512x512", "rgba8", 0.15, ["sequential:all+sparse", "direct-send+sparse"], 1, 2),
}

FIGURES = {"best": "the best frame", "median": "the median frame", "cpu": "CPU"}


def measured(ranks: int, size: str, pixels: str, active: float, ways: list[str], seconds: float) -> dict[str, dict]:
    """Return rows of the program, by method."""
    command = [ROOT / "tools" / "mpirun.sh", str(ranks), PROGRAM, size, pixels, str(active), str(seconds), *ICET, *ways]
    done = subprocess.run(
        list(map(str, command)),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=60 + 10 * seconds,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    return {row["way"]: row for row in json.loads(done.stdout)["rows"]}


def compared(rows: dict[str, dict], ways: list[str]) -> dict[str, float]:
    """Return the ratio of the best result of osteon to the best result of IceT, for each figure. For bytes, the ratio
    is relative to radix-k of IceT."""
    best = {
        who: {
            "best": max(rows[way]["best_fps"] for way in names),
            "median": max(rows[way]["median_fps"] for way in names),
            "cpu": 1 / min(rows[way]["cpu_ms"] for way in names),
        }
        for who, names in (("osteon", ways), ("icet", ICET))
    }
    times = {figure: best["osteon"][figure] / best["icet"][figure] for figure in best["icet"]}
    own, theirs = min(rows[way]["most_bytes"] for way in ways), rows["icet:radixk"]["most_bytes"]
    return times | {"bytes": theirs / own if own else float("inf"), "MB": own / 1e6, "icet_MB": theirs / 1e6}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="runs of each case (default: 5)")
    parser.add_argument("--seconds", type=float, default=2, help="time of a run (default: 2)")
    parser.add_argument("--case", nargs="+", choices=list(CASES), default=list(CASES), help="default: all")
    parser.add_argument("--json", help="write the figures to this file")
    options = parser.parse_args()
    if not PROGRAM.exists():
        print(
            "IceT was not found: install Debian's paraview and paraview-dev, then start ./run bench icet again; "
            "for another copy, cmake --preset release -DOSTEON_ICET_ROOT=DIRECTORY before that",
            file=sys.stderr,
        )
        return 0
    answer = {}
    for name in options.case:
        ranks, size, pixels, active, ways, must, aim = CASES[name]
        runs = [
            compared(measured(ranks, size, pixels, active, ways, options.seconds), ways) for _ in range(options.runs)
        ]
        middle = {figure: statistics.median(run[figure] for run in runs) for figure in runs[0]}
        spread = sorted(run["cpu"] for run in runs)
        answer[name] = middle | {"must": must, "aim": aim, "runs": runs}
        times = ", ".join(f"{middle[figure]:.1f} by {label}" for figure, label in FIGURES.items())
        bytes_of = f"{middle['MB']:.3f} MB, IceT's radix-k {middle['icet_MB']:.3f}"
        print(f"{name}: {times} (CPU {spread[0]:.1f} to {spread[-1]:.1f} times IceT's best)", flush=True)
        print(f"    must {must}, aim {aim}; sent by a rank at most {bytes_of}", flush=True)
    if options.json:
        Path(options.json).write_text(json.dumps(answer, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
