#!/usr/bin/env python3
"""Side by side: osteon and its peers on the same images, interleaved, in CPU seconds.

    ./run bench solve [--json FILE] [--repeat N] [--size N] [--full] [--physics heat]

Peers live in a virtual environment of their own (.venv-peers, from bench/peers.txt); a peer that cannot be had is left
out with a line that says so. Only whole programs are compared: reading, assembling, solving and writing results, as a
user would run them, on one core.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
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
    """A sponge: smoothed white noise above its (1 - fill) quantile, shape (n, n, n), uint8."""
    rng = np.random.default_rng(seed)
    field = rng.standard_normal((n, n, n), dtype=np.float32)
    frequency = np.fft.fftfreq(n)
    kz, ky, kx = np.meshgrid(frequency, frequency, np.fft.rfftfreq(n), indexing="ij")
    field = np.fft.irfftn(
        np.fft.rfftn(field) * np.exp(-2 * (np.pi * sigma) ** 2 * (kz**2 + ky**2 + kx**2)), s=(n, n, n)
    )
    return (field > np.quantile(field, 1 - fill)).astype(np.uint8)


def child_cpu(command: list[str], **options) -> tuple[float, str]:
    """Run a program; its CPU seconds (with its children) and its standard output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=3600, **options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


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
    binary = os.environ.get("OSTEON_BINARY", str(ROOT / "build/release/src/app/osteon"))
    seconds, _ = child_cpu([binary, "run", str(job), "-n", "1", "-o", str(out), "--no-report"])
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
        print("peers: .venv-peers is not there (./run test makes it); only osteon is measured", file=sys.stderr)
        return None
    return python


def largest_part(model: Path) -> np.ndarray:
    """The voxels that osteon kept, so that both programs solve the same problem."""
    import netCDF4

    with netCDF4.Dataset(str(model)) as file:
        return np.asarray(file["VTKHDF/CellData/material"][:]) > 0


def measure(name: str, image: Path, threshold: float, repeat: int, peer: Path | None, folder: Path) -> list[dict]:
    ours, theirs = [], []
    for _ in range(repeat):
        ours.append(run_osteon(image, "elasticity", threshold, 1e-6, folder))
        if peer:
            solid = folder / "solid.npy"
            kept = largest_part(ours[-1]["kept"])
            np.save(solid, kept)
            level = max(2, int(np.log2(max(kept.shape))) - 1)
            theirs.append(child_cpu([str(peer), "-c", PAROSOL, str(solid), "1e-6", str(level)])[0])
    cpu = statistics.median(run["cpu"] for run in ours)
    rows = [
        {"name": f"{name}: osteon, whole job", "value": round(cpu, 2), "unit": "CPU s"},
        {"name": f"{name}: iterations", "value": ours[-1]["iterations"], "unit": "1"},
        {
            "name": f"{name}: memory",
            "value": round(ours[-1]["rss"] / ours[-1]["dofs"], 1),
            "unit": "B/dof, whole process",
        },
    ]
    if theirs:
        reference = statistics.median(theirs)
        rows[0] |= {"peer": f"parosol-py {round(reference, 1)} CPU s", "ratio": round(reference / cpu, 2)}
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
    """Classical algebraic multigrid on the assembled matrix: setup and solution, in .venv-pyamg if somebody made it."""
    python = ROOT / ".venv-pyamg" / "bin" / "python"
    if not python.exists():
        return []
    _, printed = child_cpu([str(python), "-c", PYAMG, str(solid)], env={**os.environ, "OMP_NUM_THREADS": "1"})
    seconds, conductivity = map(float, printed.split())
    return [
        {"name": f"{name}: PyAMG, solver", "value": round(seconds, 2), "unit": "CPU s"},
        {"name": f"{name}: PyAMG, conductivity", "value": round(conductivity, 6), "unit": "of the solid"},
    ]


def measure_heat(name: str, image: Path, threshold: float, repeat: int, folder: Path) -> list[dict]:
    runs = [run_osteon(image, "heat", threshold, 1e-6, folder) for _ in range(repeat)]
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
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", help="write the rows to this file")
    parser.add_argument("--repeat", type=int, default=1, help="interleaved repetitions (default 1)")
    parser.add_argument("--size", type=int, default=64, help="edge of the sponge in voxels (default 64)")
    parser.add_argument("--full", action="store_true", help="compare on the bone scan as well, which takes peers long")
    parser.add_argument("--no-peers", action="store_true", help="measure osteon alone")
    parser.add_argument("--physics", choices=("all", "elasticity", "heat"), default="all", help="what to measure")
    options = parser.parse_args()
    elastic, thermal = options.physics != "heat", options.physics != "elasticity"
    peer = None if options.no_peers else peers_python()
    rows: list[dict] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sponge = folder / "sponge.npy"
        np.save(sponge, porous(options.size))
        if elastic:
            rows += measure(f"elasticity, sponge {options.size}^3", sponge, 0.5, options.repeat, peer, folder)
        if thermal:
            rows += measure_heat(f"heat, sponge {options.size}^3", sponge, 0.5, options.repeat, folder)
        if thermal and not options.no_peers:
            solid = folder / "heat.npy"
            np.save(solid, largest_part(folder / "bench.out" / "model.nc"))
            rows += measure_pyamg(f"heat, sponge {options.size}^3", solid)
        if SCAN.exists():
            if elastic:
                rows += measure(
                    "elasticity, bone scan 128^3", SCAN, 120, options.repeat, peer if options.full else None, folder
                )
            if thermal:
                rows += measure_heat("heat, bone scan 128^3", SCAN, 120, options.repeat, folder)
        else:
            print(f"the bone scan is not there ({SCAN.relative_to(ROOT)}); `./run demo` fetches it", file=sys.stderr)
    for row in rows:
        peer_text = f"{row['peer']}, {row['ratio']} times as long" if "peer" in row else ""
        print(f"{row['name']:<48} {row['value']:>12} {row['unit']:<22} {peer_text}")
    if options.json:
        Path(options.json).write_text(json.dumps({"schema": "osteon.bench/1", "rows": rows}, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
