#!/usr/bin/env python3
"""A job on a fake cluster with a slow host: ranks in the given order, and placed by the traffic of an iteration.

    ./run bench placement [--hosts N] [--ranks-per-host N] [--mbit M] [--slow M] [--turns N] [--json FILE]

Hosts are network namespaces with shaped links, between which MPI uses TCP; it requires root and Open MPI. The job is
heat in the bone scan, or in a sponge without that scan. All ranks share the cores of this machine, which delays
computing; messages are measured by the mean over ranks of `waited_seconds`, and by bytes that reach the slow host.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path

import numpy as np
from _program import BINARY, ROOT

sys.path.insert(0, str(ROOT / "tests" / "support"))
from fake_cluster import FakeCluster, why_not
from solve import SCAN, porous

JOB = """
name = "placed"
physics = "heat"
[image]
path = "{image}"
spacing_mm = 0.02
{segment}
[[material]]
conductivity_W_per_mK = 0.54
[picture]
enabled = false
"""


def run_once(cluster: FakeCluster, ranks: list[int], job: Path, slow: int, *options: str) -> dict:
    before = cluster.received(slow)
    out = job.with_suffix(".out")
    done = cluster.mpirun(
        ranks,
        [BINARY, "run", job, "-t", "1", "-o", out, "--no-report", "--force", "--trace-messages", *options],
        timeout=900,
    )
    if done.returncode != 0:
        raise SystemExit(done.stdout + done.stderr)
    summary = json.loads((out / "summary.json").read_text())
    plans = [p for p in summary["messages"]["plans"] if "nodes" in p["plan"] or "cells" in p["plan"]]
    placed = [line.strip() for line in (done.stdout + done.stderr).splitlines() if " ranks of 1 thread on " in line]
    return {
        "placed": placed[:1],
        "solve_seconds": summary["solve_seconds"],
        "iterations": summary["iterations"],
        "waited_seconds": sum(p["waited_seconds"] for p in plans) / sum(ranks),
        "bytes_to_slow_host": cluster.received(slow) - before,
        "conductivity": summary["effective_conductivity_W_per_mK"],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", type=int, default=4, help="(default: 4)")
    parser.add_argument("--ranks-per-host", type=int, default=2, help="(default: 2)")
    parser.add_argument("--mbit", type=float, default=200, help="of a link, in Mbit/s (default: 200)")
    parser.add_argument("--slow", type=float, default=25, help="of the link of host n1 (default: 25)")
    parser.add_argument("--turns", type=int, default=3, help="runs of each, the median counts (default: 3)")
    parser.add_argument("--json", help="write the figures to this file")
    options = parser.parse_args()
    if reason := why_not():
        print(f"measurement skipped: {reason}", file=sys.stderr)
        return 0
    ranks = [options.ranks_per_host] * options.hosts
    ways = {"original order": ["--no-place"], "placed": []}
    runs: dict[str, list[dict]] = {name: [] for name in ways}
    with tempfile.TemporaryDirectory() as name:
        job = Path(name) / "placed.toml"
        if SCAN.exists():
            job.write_text(JOB.format(image=SCAN, segment=""))
        else:
            np.save(Path(name) / "sponge.npy", porous(96))
            job.write_text(JOB.format(image=Path(name) / "sponge.npy", segment="[segment]\nthreshold = 0.5"))
        with FakeCluster(options.hosts, options.mbit, {1: options.slow}) as cluster:
            for _ in range(options.turns):
                for way, arguments in ways.items():
                    runs[way].append(run_once(cluster, ranks, job, 1, *arguments))
                    print(f"{way}: {json.dumps(runs[way][-1])}", file=sys.stderr, flush=True)
    answer = {
        way: {
            key: statistics.median(turn[key] for turn in turns)
            for key in ("solve_seconds", "waited_seconds", "bytes_to_slow_host", "iterations", "conductivity")
        }
        | {"said": turns[-1]["placed"]}
        for way, turns in runs.items()
    }
    for way, row in answer.items():
        print(
            f"{way:<13} solution {row['solve_seconds']:6.2f} s, waiting for neighbours {row['waited_seconds']:6.2f} s,"
            f" {row['bytes_to_slow_host'] / 1e6:6.1f} MB to the slow host, {row['iterations']:.0f} iterations"
        )
    if options.json:
        Path(options.json).write_text(json.dumps(answer, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
