#!/usr/bin/env python3
"""Compositing: frames per second of [Ono]'s modes BS, BS+BT and DS+BS, flat, with threads, bound and unbound.

    ./run bench composite [--ranks N [N ...]] [--group P] [--seconds S] [--json FILE]

512 x 512 RGBA8, every pixel active, as in [Ono]; in addition to its modes, shared memory and direct send. BS swaps;
BS+BT swaps in groups of P (--group), then joins the groups by a tree; DS+BS blends P ranks in shared memory and swaps
between such groups; with threads, each of N / P ranks has P threads. Every picture is compared with the exact one.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from _program import BINARY


def measured(ranks: int, threads: int, binding: str, group: int, seconds: float) -> dict:
    """Return the document of `osteon bench composite`."""
    ways = ["binary-swap", "shared", "direct-send"]
    if group < ranks:
        ways += [f"multi-step:{group}", f"shared:{group}"]
    command = [BINARY, "bench", "composite", "-n", str(ranks), "-t", str(threads), "--seconds", str(seconds)]
    command += ["--binding", binding, "--ranks-per-domain", str(group), "--json", "-"]
    done = subprocess.run(
        command + [word for way in ways for word in ("-w", way)],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=60 + 10 * seconds,
        env=os.environ | {"OMP_WAIT_POLICY": "passive", "OMPI_MCA_mpi_yield_when_idle": "1"},
    )
    return json.loads(done.stdout)


def paper_name(way: str) -> str:
    """The name of a method in [Ono], if [Ono] has a name for the method."""
    name, _, group = way.partition(":")
    named = {"binary-swap": "BS", "multi-step": "BS+BT", "shared": "DS+BS" if group else "shared"}
    return f"{named.get(name, way)} {group}".strip()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 4, 8], help="numbers of ranks (default: 2 4 8)")
    parser.add_argument("--group", type=int, default=2, help="ranks of a group, or threads of a rank (default: 2)")
    parser.add_argument("--seconds", type=float, default=3, help="time of each measurement (default: 3)")
    parser.add_argument("--json", help="write the rows to this file")
    options = parser.parse_args()
    cases = [(n, 1, binding) for n in options.ranks for binding in ("none", "numa_1", "numa_2")]
    cases += [(n // options.group, options.group, "none") for n in options.ranks if n > options.group]
    rows = []
    try:
        for ranks, threads, binding in cases:
            result = measured(ranks, threads, binding, options.group, options.seconds)
            print(f"{ranks} ranks of {threads} threads, binding {result['binding']}")
            values: dict[str, dict[str, float]] = {}
            for row in result["rows"]:
                way, what = row["name"].split(", ", 1)
                row["name"] = f"{ranks} x {threads}, {binding}, {paper_name(way)}, {what}"
                values.setdefault(way, {})[what] = row["value"]
                rows.append(row)
            for way, value in values.items():
                print(
                    f"  {paper_name(way):<12} {value['best']:8.0f} FPS, median {value['median']:7.0f}, "
                    f"{value['cpu']:8.3f} CPU ms, {value['sent by a rank at most'] / 1e6:6.3f} MB by a rank, "
                    f"error {value['error']:.3f}"
                )
    except subprocess.CalledProcessError as fault:
        return fault.returncode
    if options.json:
        Path(options.json).write_text(json.dumps({"schema": "osteon.bench/1", "rows": rows}, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
