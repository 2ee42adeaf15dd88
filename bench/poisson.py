#!/usr/bin/env python3
"""Heat conduction by Jacobi sweeps: fraction of the memory's bandwidth, and savings by placement on a cluster.

    ./run bench poisson [--cores N] [--seconds S] [--scale X] [--json FILE]
    ./run bench poisson --series [--hosts 4 8] [--json FILE]

Flat MPI, bound by the fastest policy, and with threads, on [Ito]'s grids; then 16 ranks on a fake cluster of four
hosts (network namespaces), one of whose uplinks has a quarter of the others' speed: the exchange of faces with ranks in
their original order, in a random one, placed by [Ito]'s method, and placed by measured links. The fake
cluster requires root and is omitted without it. Temperatures are compared with the exact solution in every run.

--series is [Ito]'s weak scaling, cases 1 and 2: for its numbers of cores by a model of its machine (`osteon bench
weak-scaling`), then measured on fake clusters of equal hosts with 8 cores each, flat and hybrid, on grids of an eighth
of [Ito]'s along each axis, with the model of these clusters. Cores are simulated: all share those of this machine.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from _program import BINARY, ROOT

sys.path.insert(0, str(ROOT / "tests" / "support"))
from fake_cluster import FakeCluster, why_not

ORDERS = ["original", "random", "afc-nb", "afc", "ours"]
OF_PAPER, OF_ORIGINAL = 0.5, 0.15  # limits of the exchange, relative to the method of [Ito] and to the original order


def osteon(arguments: list[str]) -> dict:
    """Return the document of `osteon bench poisson`."""
    done = subprocess.run(
        [BINARY, "bench", "poisson", *arguments, "--json", "-"],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=600,
        env=os.environ | {"OMPI_MCA_mpi_yield_when_idle": "1"},
    )
    return json.loads(done.stdout)


def on_this_host(cores: int, options: argparse.Namespace) -> list[dict]:
    """Flat, bound and hybrid runs in both precisions."""
    rows = []
    modes = [("flat MPI", cores, 1, "none"), ("flat MPI, bound", cores, 1, "measured")]
    if cores > 1:
        modes += [("one rank with threads, bound", 1, cores, "measured")]
    for precision in ("double", "float"):
        for mode, ranks, threads, binding in modes:
            arguments = ["-n", str(ranks), "-t", str(threads), "--bind", binding, "--precision", precision]
            arguments += ["--seconds", str(options.seconds), "--order", "original"]
            if options.scale:
                arguments += ["--scale", str(options.scale)]
            answer = osteon(arguments)
            value = {row["name"]: row["value"] for row in answer["rows"]}
            sweep = next(row for row in answer["rows"] if row["name"] == "sweep alone, bandwidth")
            print(
                f"{precision:<7} {mode:<29} bound: {answer['binding']:<28} triad {value['triad']:6.1f} GB/s, sweep "
                f"{100 * sweep['ratio']:4.0f} % of it (must: 80), {value['sweep alone']:6.0f} MLUP/s; "
                f"with exchanges {value['original, speed']:6.0f}"
            )
            for row in answer["rows"]:
                rows.append({**row, "name": f"{precision}, {mode}, {row['name']}"})
    return rows


def on_fake_cluster(seconds: float) -> list[dict]:
    """Return exchange times of the orders on four hosts. The last host is slow."""
    if missing := why_not():
        print(f"no fake cluster: {missing}")
        return []
    print("16 ranks on four hosts of 200 Mbit/s, n3 of 50: 4 x 2 x 2 boxes of 320 x 80 x 80 cells")
    arguments = ["bench", "poisson", "--case", "2", "--scale", "0.3125", "--seconds", str(seconds), "--json", "-"]
    for order in ORDERS:
        arguments += ["--order", order]
    with FakeCluster(hosts=4, mbit=200, slow={3: 50}) as cluster:
        done = cluster.mpirun(16, [BINARY, *arguments], timeout=600)
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        raise subprocess.CalledProcessError(done.returncode, done.args)
    answer = json.loads(done.stdout)
    value = {row["name"]: row["value"] for row in answer["rows"]}
    exchange = {order: value[f"{order}, exchange"] for order in ORDERS}
    for order in ORDERS:
        print(
            f"  {order:<9} exchange {exchange[order]:8.2f} ms, {value[f'{order}, sent to other hosts'] / 1e6:6.2f} MB "
            f"between hosts; {exchange[order] / exchange['original']:5.2f} of the original order"
        )
    rows = [{**row, "name": f"fake cluster, {row['name']}"} for row in answer["rows"]]
    for peer, must in (("afc", OF_PAPER), ("original", OF_ORIGINAL)):
        ratio = exchange["ours"] / exchange[peer]
        print(f"  ours: {ratio:.2f} of {peer} (must: {must})")
        rows.append(
            {
                "name": f"fake cluster, exchange of ours beside {peer}",
                "value": exchange["ours"],
                "unit": "ms",
                "peer": peer,
                "ratio": ratio,
                "must": must,
                "aim": None,
            }
        )
    return rows


def weak_scaling(arguments: list[str]) -> dict[str, float]:
    """Return bytes and times of exchanges from a model, by the names of rows."""
    done = subprocess.run(
        [BINARY, "bench", "weak-scaling", *arguments, "--json", "-"],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=600,
    )
    return {row["name"]: row["value"] for row in json.loads(done.stdout)["rows"]}


def measured_series(numbers_of_hosts: list[int], seconds: float) -> list[dict]:
    """Measure weak scaling on fake clusters. The result contains exchanges of all orders, with predictions of the
    model."""
    scale, mbit, cores_of_host = 0.125, 100, 8
    rows = []
    print(
        f"\non fake clusters: hosts of {mbit} Mbit/s and {cores_of_host} ranks (hybrid: 2 ranks of 4 threads), "
        f"grids of {scale} of those of Ito et al. along each axis; ms, by the model in brackets\n"
        f"{'case':>4} {'cores':>5} {'mode':<7}" + "".join(f"{order:>18}" for order in ORDERS)
    )
    for hosts in numbers_of_hosts:
        cores = cores_of_host * hosts
        network = f"crossbar:{hosts},rate={mbit / 8}MB/s"
        model = weak_scaling(["--cores", str(cores), "--scale", str(scale), "--network", network])
        for case in (1, 2):
            if case == 1 and cores == 64:
                continue  # the grid equals the grid of case 2
            for mode, threads in (("flat", 1), ("hybrid", 4)):
                arguments = ["bench", "poisson", "-t", str(threads), "--case", str(case), "--scale", str(scale)]
                arguments += ["--seconds", str(seconds), "--budget", "2", "--overlap", "no", "--json", "-"]
                for order in ORDERS:
                    arguments += ["--order", order]
                with FakeCluster(hosts=hosts, mbit=mbit) as cluster:
                    done = cluster.mpirun(
                        cores // threads,
                        [BINARY, *arguments],
                        timeout=300,
                        env=os.environ | {"OMP_WAIT_POLICY": "passive"},
                    )
                if done.returncode:
                    print(done.stderr, file=sys.stderr)
                    raise subprocess.CalledProcessError(done.returncode, done.args)
                value = {row["name"]: row["value"] for row in json.loads(done.stdout)["rows"]}
                line = f"{case:>4} {cores:>5} {mode:<7}"
                for order in ORDERS:
                    name = f"case {case}, {cores} cores, {mode}, {order}"
                    found, expected = value[f"{order}, exchange"], model[f"{name}, exchange by the model"]
                    line += f"{found:10.1f} ({expected:5.1f})"
                    rows.append(
                        {
                            "name": f"fake cluster, {name}, exchange",
                            "value": found,
                            "unit": "ms",
                            "peer": "model",
                            "ratio": found / expected,
                            "must": None,
                            "aim": None,
                        }
                    )
                print(line)
    return rows


def series(options: argparse.Namespace) -> list[dict]:
    """The weak scaling of [Ito] by a model, and also measured if fake clusters are possible."""
    print(
        subprocess.run([BINARY, "bench", "weak-scaling"], stdout=subprocess.PIPE, text=True, check=True).stdout,
        flush=True,
    )
    if missing := why_not():
        print(f"no fake cluster: {missing}")
        return []
    return measured_series(options.hosts, options.seconds)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    usable = len(os.sched_getaffinity(0))
    parser.add_argument("--cores", type=int, default=usable, help=f"cores to use (default: {usable}, all)")
    parser.add_argument("--seconds", type=float, default=4, help="time of each run (default: 4)")
    parser.add_argument(
        "--scale", type=float, help="of the grid of Ito et al. along each axis (default: 256 MB per rank)"
    )
    parser.add_argument("--series", action="store_true", help="the weak scaling of Ito et al. instead")
    parser.add_argument("--hosts", type=int, nargs="+", default=[4, 8], help="of its fake clusters (default: 4 8)")
    parser.add_argument("--json", help="write the rows to this file")
    options = parser.parse_args()
    try:
        rows = (
            series(options)
            if options.series
            else on_this_host(options.cores, options) + on_fake_cluster(options.seconds)
        )
    except subprocess.CalledProcessError as fault:
        return fault.returncode
    if options.json:
        Path(options.json).write_text(json.dumps({"schema": "osteon.bench/1", "rows": rows}, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
