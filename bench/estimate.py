#!/usr/bin/env python3
"""Errors of `osteon estimate`: its predictions of jobs, stage by stage, compared with runs.

    ./run bench estimate [--jobs bone sponge bone_flow] [--ranks 1 2] [--clock cpu|wall] [--repeat N] [--json FILE]
                                     [--hosts 2 4] [--mbit 100 1000] [--no-cluster]

The bone scan of the demo, a sponge of 128^3 voxels, 35 % of it solid, and the permeability of the scan's pores
(examples/bone_flow.toml). First on this machine; then on fake clusters
(network namespaces, one rank per host, shaped links, which require root), whose links are measured by `osteon probe`
and passed to --machine. Pilots are repeated each time.

On a shared machine, seconds are CPU seconds of a rank (--clock cpu); on an idle one, wall seconds. The hosts of a
fake cluster share this machine's cores. The cost of the network is therefore the wall time on the cluster minus that of
the same number of ranks on this machine; the cost of computing is the CPU time of one rank over their number.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from _program import BINARY, ROOT, measured
from solve import porous

sys.path.insert(0, str(ROOT / "tests" / "support"))
from fake_cluster import FakeCluster, why_not

MUST, AIM = 0.25, 0.15  # largest relative errors
JOBS = ["bone", "sponge", "bone_flow"]
COMPARED = ["import", "reading", "set up", "load", "iterations", "writing", "picture", "report"]
OF_SOLVER = ["set up", "load", "iterations"]
SPONGE = """name = "sponge"
physics = "elasticity"
[image]
path = "sponge.npy"
spacing_mm = 0.02
[segment]
threshold = 0.5
[[material]]
youngs_modulus_MPa = 6829
poisson_ratio = 0.3
"""


def write_jobs(folder: Path, names: list[str]) -> dict[str, Path]:
    """Write the job files."""
    jobs = {}
    for name in names:
        path = folder / f"{name}.toml"
        if name == "sponge":
            np.save(folder / "sponge.npy", porous(128, 0.35))
            path.write_text(SPONGE)
        else:
            scan = ROOT / ".cache" / "scans" / "bone_128x128x128.tif"
            if not scan.exists():
                print(
                    f"the bone scan is not there ({scan.relative_to(ROOT)}); `./run demo` fetches it", file=sys.stderr
                )
                continue
            text = (ROOT / "examples" / f"{name}.toml").read_text()
            path.write_text(text.replace("../.cache/scans/bone_128x128x128.tif", str(scan)))
        with path.open("a") as file:
            file.write(f'[output]\ndirectory = "{path.with_suffix(".out")}"\n')
        jobs[name] = path
    return jobs


def estimated(job: Path, *arguments: str) -> dict:
    """Return the member `time` of the estimate."""
    command = [BINARY, "estimate", str(job), "--json", "-", *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=1800)
    return json.loads(done.stdout)["time"]


def stages_of(summary: dict, clock: str) -> dict[str, float]:
    """Return the seconds of a rank by stage. The stage `solving` is split into set-up and solution."""
    key, over = ("seconds", 1) if clock == "wall" else ("cpu_seconds", summary["ranks"] * summary["threads"])
    found = {stage["name"]: stage[key] / over for stage in summary["stages"]}
    if clock == "wall":
        set_up, solution = (summary[f"{part}_seconds"] for part in ("setup", "solve"))
    else:
        set_up, solution = (summary["solver"][f"{part}_cpu_seconds"] / over for part in ("setup", "solve"))
    return {
        "reading": found["reading the model"],
        "set up": set_up,
        "load": found["solving"] - set_up - solution,
        "iterations": solution,
        "writing": found["writing results"],
        "picture": found.get("drawing the picture", 0),
    }


def run_here(job: Path, ranks: int, clock: str) -> tuple[dict[str, float], int]:
    """Seconds by stage and the iterations of a run on this machine."""
    out = job.with_suffix(".out")
    shutil.rmtree(out, ignore_errors=True)
    pick = (lambda cost: cost.wall) if clock == "wall" else (lambda cost: cost.cpu)
    imported = measured([BINARY, "import", str(job), "-o", str(out / "model.nc")])
    # A waiting rank yields its core, so that the CPU seconds of a rank measure only its work.
    yields = os.environ | ({} if clock == "wall" else {"OMPI_MCA_mpi_yield_when_idle": "1"})
    measured([BINARY, "run", str(job), "-n", str(ranks), "-t", "1", "-o", str(out), "--no-report"], env=yields)
    summary = json.loads((out / "summary.json").read_text())
    report = measured([sys.executable, "-m", "osteon.report", str(out)])
    return {"import": pick(imported), **stages_of(summary, clock), "report": pick(report)}, summary["iterations"]


def off(name: str, value: float, found: float) -> dict:
    """Print and return a row."""
    print(f"{name:<62} {value:>9.3f} s, run {found:>9.3f} s, {100 * (value / found - 1):+6.1f} %", flush=True)
    return {
        "name": name,
        "value": value,
        "unit": "s",
        "peer": f"the run: {found:.4g} s",
        "ratio": value / found,
        "must": 1 + MUST,
        "aim": 1 + AIM,
    }


def on_this_machine(jobs: dict[str, Path], options: argparse.Namespace) -> list[dict]:
    """Compute estimates and runs in turn. The result is the medians of the runs."""
    rows = []
    for name, job in jobs.items():
        for ranks in options.ranks:
            estimates, runs, iterations = [], [], 0
            for _ in range(options.repeat):
                shutil.rmtree(
                    job.with_suffix(".out"), ignore_errors=True
                )  # remove the model, so that the import is estimated as well
                estimates.append(estimated(job, "-n", str(ranks), "--pilot-anew"))
                found, iterations = run_here(job, ranks, options.clock)
                runs.append(found)
            predicted = {
                stage: statistics.median(
                    next(s["seconds"] for s in e["stages"] if s["stage"] == stage) for e in estimates
                )
                for stage in COMPARED
            }
            measured_s = {stage: statistics.median(run[stage] for run in runs) for stage in COMPARED}
            title = f"{name}, {ranks} rank{'s' if ranks > 1 else ''}"
            rows += [
                off(f"{title}, {stage}", predicted[stage], measured_s[stage])
                for stage in COMPARED
                if measured_s[stage] > 0
            ]
            rows.append(off(f"{title}, whole job", sum(predicted.values()), sum(measured_s.values())))
            wanted, error = statistics.median(e["iterations"] for e in estimates), estimates[-1]["relative_error"]
            print(f"{title}: {wanted:.1f} iterations estimated, {iterations} run; its own error {100 * error:.0f} %")
            rows.append({"name": f"{title}, iterations", "value": wanted, "unit": "1", "ratio": wanted / iterations})
            rows.append({"name": f"{title}, its own error", "value": error, "unit": "1"})
    return rows


def solver_wall(summary: dict) -> float:
    return next(stage["seconds"] for stage in summary["stages"] if stage["name"] == "solving")


def probe_links(cluster: FakeCluster, hosts: int, machine: Path, environment: dict[str, str]) -> None:
    """Measure the links. Hosts share the cores of this machine, and a latency may include the wait for a core. The
    result is the least of three measurements."""
    least = float("inf")
    for turn in range(3):
        found = machine.with_suffix(f".{turn}")
        probe = [BINARY, "probe", "--bind", "none", "--budget", "5s", "-o", str(found)]
        done = cluster.mpirun(hosts, probe, timeout=300, env=environment)
        if done.returncode not in (0, 6):
            print(done.stderr, file=sys.stderr)
            raise subprocess.CalledProcessError(done.returncode, done.args)
        latency = max(json.loads(found.read_text())["isolated"]["between"]["latency_s"])
        if latency < least:
            least = latency
            shutil.copyfile(found, machine)


def on_fake_clusters(jobs: dict[str, Path], options: argparse.Namespace) -> list[dict]:
    """Measure the stage `solving` on hosts with shaped links."""
    if missing := why_not():
        print(f"no fake cluster: {missing}")
        return []
    rows = []
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    for name, job in jobs.items():
        alone, _ = run_here(job, 1, "cpu")
        computing = sum(alone[stage] for stage in OF_SOLVER)
        out = job.with_suffix(".out")
        arguments = [BINARY, "run", str(job), "-t", "1", "-o", str(out), "--no-report", "--force"]
        arguments += ["--set", "picture.enabled=false", "--set", "run.place=false"]
        for hosts in options.hosts:
            # equal numbers of ranks on the same cores, with messages through memory
            walls = []
            for _ in range(options.repeat):
                measured([*arguments, "-n", str(hosts)], env=environment | {"OMPI_MCA_mpi_yield_when_idle": "1"})
                walls.append(solver_wall(json.loads((out / "summary.json").read_text())))
            without_network = statistics.median(walls)
            for mbit in options.mbit:
                machine = job.parent / f"machine{hosts}x{mbit:g}.json"
                walls = []
                with FakeCluster(hosts=hosts, mbit=mbit) as cluster:
                    probe_links(cluster, hosts, machine, environment)
                    for _ in range(options.repeat):
                        done = cluster.mpirun(hosts, arguments, timeout=900, env=environment)
                        if done.returncode:
                            print(done.stderr, file=sys.stderr)
                            raise subprocess.CalledProcessError(done.returncode, done.args)
                        walls.append(solver_wall(json.loads((out / "summary.json").read_text())))
                messages = max(0.0, statistics.median(walls) - without_network)
                predicted = estimated(job, "-n", str(hosts), "--machine", str(machine), "--ranks-per-host", "1")
                stages = {s["stage"]: s for s in predicted["stages"]}
                by_network = sum(stages[s]["latency_seconds"] + stages[s]["bandwidth_seconds"] for s in OF_SOLVER)
                title = f"{name}, {hosts} hosts of {mbit:g} Mbit/s"
                if messages > 0:
                    rows.append(off(f"{title}, messages of the solver", by_network, messages))
                solving = sum(stages[s]["seconds"] for s in OF_SOLVER)
                rows.append(off(f"{title}, solver", solving, messages + computing / hosts))
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", nargs="+", choices=JOBS, default=JOBS)
    parser.add_argument("--ranks", type=int, nargs="*", default=[1, 2], help="on this machine (default: 1 2)")
    parser.add_argument("--clock", choices=["cpu", "wall"], default="cpu", help="of the runs on this machine (cpu)")
    parser.add_argument("--repeat", type=int, default=1, help="estimates and runs in turn, medians (default 1)")
    parser.add_argument("--hosts", type=int, nargs="+", default=[2, 4], help="of the fake clusters (default: 2 4)")
    parser.add_argument("--mbit", type=float, nargs="+", default=[100, 1000], help="of their links (100 1000)")
    parser.add_argument("--no-cluster", action="store_true", help="this machine only")
    parser.add_argument("--json", help="write the rows to this file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["OSTEON_CACHE"] = str(folder / "cache")
        jobs = write_jobs(folder, options.jobs)
        rows = on_this_machine(jobs, options)
        if not options.no_cluster:
            rows += on_fake_clusters(jobs, options)
    text = json.dumps({"schema": "osteon.bench/1", "rows": rows}, indent=2)
    if options.json:
        Path(options.json).write_text(text + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
