#!/usr/bin/env python3
"""Jobs in the modes of a parallel machine: flat MPI, bound ranks, ranks with threads; use of its limits, efficiency.

    ./run bench modes [--jobs permeability flow_in_time flow_and_heat JOB.toml ...] [--cores 1 2 ...] [--repeat N]
                      [--edge N] [--json FILE]
    ./run bench modes --estimate 32 512 4096 [--network fattree:16x8x4,rate=100Gbit/s] [--ranks-per-host 32]

The study that [Ono] planned for a thermal-fluid code. On this machine each job is run with 1, 2, 4 ... cores up to all
available ones, the modes of a number of cores in turn: flat (a rank for each core, unbound), bound (the same, each to
its NUMA node), hybrid (a rank for each NUMA node, its cores by threads). For each: median wall seconds of the stage
`solving`, efficiency (the seconds of one core over those of n cores, times n), and the fractions of the memory's
bandwidth and of the peak that the kernels reach. --estimate runs `osteon estimate` for the same jobs on clusters with
more cores than this machine; its data of this machine are from its own pilot.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from _program import BINARY
from flow import smoothed_noise

COMMON = """
physics = "flow"
[image]
path = "sponge.npy"
spacing_mm = 0.05
[segment]
threshold = 0.5
[picture]
enabled = false
"""
OPENINGS = """
[[boundary]]
face = "z_low"
kind = "velocity"
velocity_mm_per_s = 5
{inflow}
[[boundary]]
face = "z_high"
kind = "outlet"
"""
JOBS = {
    "permeability": COMMON + '[load]\ntest = "permeability"\n',
    "flow_in_time": COMMON + "[flow]\ninertia = true\n[transient]\nend_s = 0.005\n" + OPENINGS.format(inflow=""),
    "flow_and_heat": COMMON
    + "[flow]\nheat = true\n[[material]]\nconductivity_W_per_mK = 20\nheat_source_W_per_m3 = 1e6\n"
    + OPENINGS.format(inflow="temperature_K = 300"),
}


def numa_nodes() -> int:
    """Return the number of NUMA nodes with a core that this process may use."""
    allowed, nodes = os.sched_getaffinity(0), 0
    for folder in Path("/sys/devices/system/node").glob("node[0-9]*"):
        parts = (folder / "cpulist").read_text().strip().split(",")
        ends = [part.split("-") for part in parts if part]
        nodes += any(allowed & set(range(int(e[0]), int(e[-1]) + 1)) for e in ends)
    return max(1, nodes)


def modes_of(cores: int) -> dict[str, list[str]]:
    """Return the arguments of `osteon run` for each distinct mode."""
    if cores == 1:
        return {"one core": ["-n", "1", "-t", "1", "--bind", "none"]}
    modes = {
        "flat": ["-n", str(cores), "-t", "1", "--bind", "none"],
        "bound": ["-n", str(cores), "-t", "1", "--bind", "numa"],
    }
    nodes = min(numa_nodes(), cores)
    if cores % nodes == 0 and cores > nodes:
        modes["hybrid"] = ["-n", str(nodes), "-t", str(cores // nodes), "--bind", "numa"]
    return modes


def one_run(job: Path, arguments: list[str]) -> dict:
    """Return the summary of a run."""
    out = job.with_suffix(".out")
    command = [BINARY, "run", str(job), *arguments, "-o", str(out), "--no-report", "--force"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=7200, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr[-2000:]}")
    return json.loads((out / "summary.json").read_text())


def measure(name: str, job: Path, options: argparse.Namespace) -> list[dict]:
    """Return a row for each number of cores and mode."""
    rows, alone = [], 0.0
    print(f"{name}\n  cores mode      solving s  efficiency  CPU s  of bandwidth  of peak  iterations")
    for cores in options.cores:
        modes = modes_of(cores)
        runs: dict[str, list[dict]] = {mode: [] for mode in modes}
        for _ in range(options.repeat):
            for mode, arguments in modes.items():
                runs[mode].append(one_run(job, arguments))
        for mode, summaries in runs.items():
            solving = [next(s for s in run["stages"] if s["name"] == "solving") for run in summaries]
            wall = statistics.median(stage["seconds"] for stage in solving)
            alone = alone or wall * cores
            row = {
                "job": name,
                "cores": cores,
                "mode": mode,
                "solving_seconds": wall,
                "efficiency": alone / (cores * wall),
                "solving_cpu_seconds": statistics.median(stage["cpu_seconds"] for stage in solving),
                "iterations": summaries[0].get("iterations"),
            }
            for share in ("share_of_bandwidth", "share_of_peak"):
                found = [run["solver"][share] for run in summaries if share in run["solver"]]
                row[share] = statistics.median(found) if found else None
            rows.append(row)
            percent = [
                f"{100 * row[key]:.0f} %" if row[key] else "-" for key in ("share_of_bandwidth", "share_of_peak")
            ]
            print(
                f"  {cores:>5} {mode:<9} {wall:9.2f}  {100 * row['efficiency']:8.0f} %"
                f"  {row['solving_cpu_seconds']:5.1f}  {percent[0]:>12}  {percent[1]:>7}"
                f"  {row['iterations'] or '-':>10}",
                flush=True,
            )
    return rows


def estimate(name: str, job: Path, options: argparse.Namespace) -> list[dict]:
    """Estimate the runs by the model on clusters: flat, and with --threads threads per rank."""
    rows, alone = [], 0.0
    print(f"{name}, estimated on {options.network}\n  cores mode    solving s  efficiency  messages")
    for cores in [1, *options.estimate]:
        for mode, threads in {"flat": 1, "hybrid": options.threads}.items():
            ranks, per_host = cores // threads, max(1, options.ranks_per_host // threads)
            if ranks < 1 or (cores == 1 and mode != "flat"):
                continue
            arguments = [
                "-n",
                str(ranks),
                "--ranks-per-host",
                str(min(per_host, ranks)),
                "--set",
                f"run.threads={threads}",
            ]
            if ranks > per_host:
                arguments += ["--network", options.network]
            done = subprocess.run(
                [BINARY, "estimate", str(job), *arguments, "--json", "-"],
                stdout=subprocess.PIPE,
                text=True,
                check=True,
                timeout=3600,
            )
            stages = [
                s for s in json.loads(done.stdout)["time"]["stages"] if s["stage"] in ("set up", "load", "iterations")
            ]
            seconds = sum(s["seconds"] for s in stages)
            messages = sum(s["latency_seconds"] + s["bandwidth_seconds"] for s in stages)
            alone = alone or seconds
            row = {
                "job": name,
                "cores": cores,
                "mode": mode,
                "solving_seconds": seconds,
                "efficiency": alone / (cores * seconds),
                "messages_seconds": messages,
                "estimated": True,
            }
            rows.append(row)
            print(
                f"  {cores:>5} {mode:<7} {seconds:9.3g}  {100 * row['efficiency']:8.0f} %"
                f"  {100 * messages / seconds:6.0f} %",
                flush=True,
            )
    return rows


def main() -> int:
    everything = len(os.sched_getaffinity(0))
    doubled = [1 << i for i in range(everything.bit_length()) if 1 << i <= everything]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", nargs="+", default=list(JOBS), help=f"{', '.join(JOBS)}, or job files (the first)")
    parser.add_argument("--cores", type=int, nargs="+", default=doubled, help=f"on this machine (default: {doubled})")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each mode, in turn (default: 3)")
    parser.add_argument("--edge", type=int, default=96, help="voxels along an edge of the sponge (default: 96)")
    parser.add_argument(
        "--estimate", type=int, nargs="+", metavar="CORES", help="use the model instead of this machine"
    )
    parser.add_argument("--network", default="fattree:16x8x4,rate=100Gbit/s", help="for --estimate (%(default)s)")
    parser.add_argument("--ranks-per-host", type=int, default=32, help="cores of a host for --estimate (%(default)s)")
    parser.add_argument("--threads", type=int, default=8, help="of a hybrid rank for --estimate (%(default)s)")
    parser.add_argument("--json", help="write the rows to this file")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.save(folder / "sponge.npy", smoothed_noise(options.edge, 3 * options.edge / 128, 0.5).astype(np.uint8))
        for wanted in options.jobs:
            if wanted in JOBS:
                job = folder / f"{wanted}.toml"
                job.write_text(f'name = "{wanted}"\n' + JOBS[wanted])
            else:
                job = Path(wanted).resolve()
            rows += (estimate if options.estimate else measure)(job.stem, job, options)
    if options.json:
        Path(options.json).write_text(json.dumps({"schema": "osteon.bench/1", "rows": rows}, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
