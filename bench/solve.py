#!/usr/bin/env python3
"""Comparison of osteon and its peers on the same images, interleaved, in CPU seconds.

    ./run bench solve [--json FILE] [--repeat N] [--sizes N ...] [--full] [--physics heat]

The program prints JSON on standard output and a table on standard error. Sponges of several sizes show the growth of
iterations and memory. The other programs are in a separate virtual environment (.venv-peers, from bench/peers.txt).
Unavailable programs are skipped with a message. Only whole programs are compared. A whole program reads, assembles,
solves and writes results, as in normal use, on one core.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from _program import BINARY, ROOT, measured

SCAN = ROOT / ".cache" / "scans" / "bone_128x128x128.tif"
PEERS = ROOT / ".venv-peers"

JOB = """
name = "bench"
physics = "{physics}"
[image]
path = "{image}"
spacing_mm = 0.02
[segment]
threshold = {threshold}
[[material]]
{material}
[solve]
tolerance = {tolerance}
[picture]
enabled = false
"""

PAROSOL = """
import json, sys
import numpy as np
import parosol_py
solid = np.load(sys.argv[1])
r = parosol_py.solve(material=np.where(solid, 6829.0, 0.0).astype(np.float32), spacing=(0.02,) * 3, test="axial",
    test_axis="z", strain=-0.01, load_case_type="constrained_axial", tolerance=float(sys.argv[2]),
    level=int(sys.argv[3]), mpi_processes=1, mpi_launcher="packaged", outputs=("sed",))
print(json.dumps({"iterations": r.summary.run.iterations}))
"""


def porous(n: int, fill: float = 0.25, sigma: float = 4.0, seed: int = 1) -> np.ndarray:
    """A sponge of shape (n, n, n) and type uint8. The sponge is smoothed white noise above its (1 - fill) quantile."""
    rng = np.random.default_rng(seed)
    field = rng.standard_normal((n, n, n), dtype=np.float32)
    frequency = np.fft.fftfreq(n)
    kz, ky, kx = np.meshgrid(frequency, frequency, np.fft.rfftfreq(n), indexing="ij")
    field = np.fft.irfftn(
        np.fft.rfftn(field) * np.exp(-2 * (np.pi * sigma) ** 2 * (kz**2 + ky**2 + kx**2)), s=(n, n, n), axes=(0, 1, 2)
    )
    return (field > np.quantile(field, 1 - fill)).astype(np.uint8)


def run_osteon(image: Path, physics: str, threshold: float, tolerance: float, folder: Path) -> dict:
    material = (
        "conductivity_W_per_mK = 1.0" if physics == "heat" else "youngs_modulus_MPa = 6829.0\npoisson_ratio = 0.3"
    )
    job = folder / "bench.toml"
    job.write_text(
        JOB.format(physics=physics, image=image, threshold=threshold, material=material, tolerance=tolerance)
    )
    out = folder / "bench.out"
    shutil.rmtree(out, ignore_errors=True)
    seconds = measured([BINARY, "run", str(job), "-n", "1", "-o", str(out), "--no-report"]).cpu
    summary = json.loads((out / "summary.json").read_text())
    return {
        "cpu": seconds,
        "solver": summary["setup_seconds"] + summary["solve_seconds"],
        "iterations": summary["iterations"],
        "dofs": summary["dofs"],
        "rss": summary["peak_rss_bytes"],
        "conductivity": summary.get("effective_conductivity_W_per_mK", 0.0),
        "kept": out / "model.nc",
    }


def peers_python() -> Path | None:
    python = PEERS / "bin" / "python"
    if not python.exists():
        print("peers: .venv-peers is missing (./run test creates it); only osteon is measured", file=sys.stderr)
        return None
    return python


def largest_part(model: Path) -> np.ndarray:
    """Return the voxels that osteon kept, so that both programs solve equal problems."""
    import netCDF4

    with netCDF4.Dataset(str(model)) as file:
        return np.asarray(file["VTKHDF/CellData/material"][:]) > 0


@dataclass
class Size:
    """Cost of one program for one problem."""

    dofs: int
    iterations: int
    cpu: float
    peak_bytes: int


def run_parosol(python: Path, kept: np.ndarray, tolerance: float, dofs: int, folder: Path) -> Size:
    solid = folder / "solid.npy"
    np.save(solid, kept)
    level = max(2, int(np.log2(max(kept.shape))) - 1)
    cost = measured([str(python), "-c", PAROSOL, str(solid), str(tolerance), str(level)])
    return Size(dofs, json.loads(cost.out.splitlines()[-1])["iterations"], cost.cpu, cost.peak)


def measure(
    name: str, image: Path, threshold: float, repeat: int, peer: Path | None, folder: Path
) -> tuple[list[dict], Size, Size | None]:
    """Return rows of one problem, and the costs of osteon and the peer."""
    ours, theirs = [], []
    for _ in range(repeat):
        run = run_osteon(image, "elasticity", threshold, 1e-6, folder)
        ours.append(Size(run["dofs"], run["iterations"], run["cpu"], run["rss"]))
        if peer:
            theirs.append(run_parosol(peer, largest_part(run["kept"]), 1e-6, run["dofs"], folder))
    own = ours[-1]
    own.cpu = statistics.median(run.cpu for run in ours)
    rows = [
        {"name": f"{name}: osteon, whole job", "value": round(own.cpu, 2), "unit": "CPU s"},
        {"name": f"{name}: iterations", "value": own.iterations, "unit": "1"},
        {"name": f"{name}: peak memory", "value": round(own.peak_bytes / 1e6), "unit": "MB, whole process"},
        {"name": f"{name}: memory", "value": round(own.peak_bytes / own.dofs, 1), "unit": "B/dof, whole process"},
    ]
    if not theirs:
        return rows, own, None
    other = theirs[-1]
    other.cpu = statistics.median(run.cpu for run in theirs)
    beside(rows[0], round(other.cpu, 1), "CPU s", other.cpu / own.cpu)
    beside(rows[1], other.iterations, "iterations", other.iterations / own.iterations)
    beside(rows[2], round(other.peak_bytes / 1e6), "MB", other.peak_bytes / own.peak_bytes)
    return rows, own, other


def beside(row: dict, value: float, unit: str, ratio: float) -> None:
    row |= {"peer": f"parosol-py {value} {unit}", "ratio": round(ratio, 2)}


def growth(small: Size, large: Size) -> tuple[float, float]:
    """Return the ratio of iterations, and the number of bytes per additional unknown."""
    return large.iterations / small.iterations, (large.peak_bytes - small.peak_bytes) / (large.dofs - small.dofs)


def measure_growth(sizes: list[int], ours: list[Size], theirs: list[Size | None]) -> list[dict]:
    name = f"elasticity, sponge {sizes[0]}^3 to {sizes[-1]}^3"
    iterations, marginal = growth(ours[0], ours[-1])
    rows = [
        {"name": f"{name}: iterations", "value": round(iterations, 2), "unit": "times as many"},
        {"name": f"{name}: memory", "value": round(marginal, 1), "unit": "B/dof, marginal"},
    ]
    if theirs[0] and theirs[-1]:
        other_iterations, other_marginal = growth(theirs[0], theirs[-1])
        beside(rows[0], round(other_iterations, 2), "times as many", other_iterations / iterations)
        beside(rows[1], round(other_marginal, 1), "B/dof", other_marginal / marginal)
    return rows


PYAMG = """
import resource, sys
import numpy as np, pyamg, scipy.sparse as sp
solid = np.load(sys.argv[1])
number = np.full(solid.shape, -1)
number[solid] = np.arange(solid.sum())
n = int(solid.sum())
pairs = []
for axis in range(3):
    a, b = np.moveaxis(number, axis, 0)[:-1].ravel(), np.moveaxis(number, axis, 0)[1:].ravel()
    both = (a >= 0) & (b >= 0)
    pairs.append(np.stack([a[both], b[both]]))
i, j = np.concatenate(pairs, axis=1)
low, high = number[0][number[0] >= 0], number[-1][number[-1] >= 0]
diagonal = np.bincount(np.concatenate([i, j]), minlength=n).astype(float)
diagonal[low] += 2
diagonal[high] += 2
right = np.zeros(n)
right[high] = 2
matrix = sp.diags(diagonal) - sp.coo_matrix((np.ones(2 * len(i)), (np.r_[i, j], np.r_[j, i])), (n, n))
start = resource.getrusage(resource.RUSAGE_SELF).ru_utime
x = pyamg.ruge_stuben_solver(matrix.tocsr()).solve(right, tol=1e-6, accel="cg")
print(resource.getrusage(resource.RUSAGE_SELF).ru_utime - start, 2 * x[low].sum() / len(solid))
"""


def measure_pyamg(name: str, solid: Path) -> list[dict]:
    """Measure classical algebraic multigrid on the assembled matrix. The set-up and the solution run in .venv-pyamg if
    this environment exists."""
    python = ROOT / ".venv-pyamg" / "bin" / "python"
    if not python.exists():
        return []
    cost = measured([str(python), "-c", PYAMG, str(solid)], env={**os.environ, "OMP_NUM_THREADS": "1"})
    seconds, conductivity = map(float, cost.out.split())
    return [
        {"name": f"{name}: PyAMG, solver", "value": round(seconds, 2), "unit": "CPU s"},
        {"name": f"{name}: PyAMG, conductivity", "value": round(conductivity, 6), "unit": "of the solid"},
    ]


def measure_heat(name: str, image: Path, threshold: float, repeat: int, folder: Path) -> tuple[list[dict], Size]:
    """Return rows of one problem, and its cost."""
    runs = [run_osteon(image, "heat", threshold, 1e-6, folder) for _ in range(repeat)]
    last = runs[-1]
    size = Size(last["dofs"], last["iterations"], statistics.median(r["cpu"] for r in runs), last["rss"])
    return [
        {
            "name": f"{name}: osteon, whole job",
            "value": round(statistics.median(r["cpu"] for r in runs), 2),
            "unit": "CPU s",
        },
        {
            "name": f"{name}: osteon, solver",
            "value": round(statistics.median(r["solver"] for r in runs), 2),
            "unit": "s",
        },
        {"name": f"{name}: iterations", "value": runs[-1]["iterations"], "unit": "1"},
        {"name": f"{name}: conductivity", "value": round(runs[-1]["conductivity"], 6), "unit": "of the solid"},
        {
            "name": f"{name}: memory",
            "value": round(runs[-1]["rss"] / runs[-1]["dofs"], 1),
            "unit": "B/cell, whole process",
        },
    ], size


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", help="write the rows to this file")
    parser.add_argument("--repeat", type=int, default=1, help="interleaved repetitions (default 1)")
    parser.add_argument(
        "--sizes", type=int, nargs="+", default=[64, 128, 192], help="edges of the sponges in voxels (64 128 192)"
    )
    parser.add_argument(
        "--full", action="store_true", help="run peers on every case instead of the smallest: takes hours"
    )
    parser.add_argument("--no-peers", action="store_true", help="measure osteon alone")
    parser.add_argument("--physics", choices=("all", "elasticity", "heat"), default="all", help="physics to measure")
    options = parser.parse_args()
    elastic, thermal = options.physics != "heat", options.physics != "elasticity"
    peer = None if options.no_peers else peers_python()
    rows: list[dict] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sponge = folder / "sponge.npy"
        sizes = sorted(set(options.sizes))
        ours, theirs, heated = [], [], []
        for n in sizes:
            np.save(sponge, porous(n))
            first = n == sizes[0]
            if elastic:
                found, own, other = measure(
                    f"elasticity, sponge {n}^3",
                    sponge,
                    0.5,
                    options.repeat,
                    peer if first or options.full else None,
                    folder,
                )
                rows += found
                ours.append(own)
                theirs.append(other)
            if thermal and (first or not elastic):
                found, own = measure_heat(f"heat, sponge {n}^3", sponge, 0.5, options.repeat, folder)
                rows += found
                heated.append(own)
                if not options.no_peers:
                    solid = folder / "heat.npy"
                    np.save(solid, largest_part(folder / "bench.out" / "model.nc"))
                    rows += measure_pyamg(f"heat, sponge {n}^3", solid)
        if elastic and len(sizes) > 1:
            rows += measure_growth(sizes, ours, theirs)
        if len(heated) > 1:
            iterations, marginal = growth(heated[0], heated[-1])
            name = f"heat, sponge {sizes[0]}^3 to {sizes[-1]}^3"
            rows.append({"name": f"{name}: iterations", "value": round(iterations, 2), "unit": "times as many"})
            rows.append({"name": f"{name}: memory", "value": round(marginal, 1), "unit": "B/cell, marginal"})
        if SCAN.exists():
            if elastic:
                rows += measure(
                    "elasticity, bone scan 128^3", SCAN, 120, options.repeat, peer if options.full else None, folder
                )[0]
            if thermal:
                rows += measure_heat("heat, bone scan 128^3", SCAN, 120, options.repeat, folder)[0]
        else:
            print(f"the bone scan is not there ({SCAN.relative_to(ROOT)}); `./run demo` fetches it", file=sys.stderr)
    for row in rows:
        peer_text = f"{row['peer']}, {row['ratio']} times as much" if "peer" in row else ""
        print(f"{row['name']:<48} {row['value']:>12} {row['unit']:<22} {peer_text}".rstrip(), file=sys.stderr)
    text = json.dumps({"schema": "osteon.bench/1", "rows": rows}, indent=2)
    print(text)
    if options.json:
        Path(options.json).write_text(text + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
