#!/usr/bin/env python3
"""Cost of failure relative to elasticity: CPU seconds and memory of a yielding bone scan, and of its elastic solve."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from _program import BINARY, ROOT, measured

SCAN = ROOT / ".cache" / "scans" / "bone_128x128x128.tif"


def run(physics: str, more: str, options: argparse.Namespace, folder: Path) -> dict:
    """Return the summary of a job on one rank."""
    n = options.edge
    job = folder / f"{physics}.toml"
    job.write_text(
        f'name = "{physics}"\nphysics = "{physics}"\n[image]\npath = "{options.scan}"\nspacing_mm = 0.02\n'
        f"crop_voxels = [[0, {n}], [0, {n}], [0, {n}]]\n[[material]]\nyoungs_modulus_MPa = 6829\npoisson_ratio = 0.3\n"
        f'[load]\ntest = "axial_bonded"\nstrain = -0.02\n[picture]\nenabled = false\n{more}'
    )
    measured([BINARY, "run", str(job), "--ranks", "1"], cwd=folder)
    return json.loads((folder / f"{physics}.out" / "summary.json").read_text())


def cpu_seconds(summary: dict) -> float:
    return summary["solver"]["setup_cpu_seconds"] + summary["solver"]["solve_cpu_seconds"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scan", type=Path, default=SCAN)
    parser.add_argument("--edge", type=int, default=78, help="edge of the cube cut from the scan, in voxels")
    parser.add_argument("--law", default='law = "von_mises"\nyield_strain = 0.008\nhardening_ratio = 0.01')
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not options.scan.exists():
        print(f"the bone scan is not there ({options.scan}); `./run demo` fetches it", file=sys.stderr)
        return 3
    with tempfile.TemporaryDirectory() as folder:
        elastic = run("elasticity", "", options, Path(folder))
        failure = run("failure", f"[failure]\n{options.law}\nsteps = {options.steps}\n", options, Path(folder))
    curve = failure["curve"]
    row = {
        "dofs": elastic["dofs"],
        "elastic_cpu_seconds": cpu_seconds(elastic),
        "elastic_iterations": elastic["iterations"],
        "elastic_bytes": elastic["peak_rss_bytes"],
        "failure_cpu_seconds": cpu_seconds(failure),
        "failure_iterations": failure["iterations"],
        "failure_corrections": sum(curve["corrections"]),
        "failure_bytes": failure["peak_rss_bytes"],
        "elastic_solves": cpu_seconds(failure) / cpu_seconds(elastic),
        "times_the_memory": failure["peak_rss_bytes"] / elastic["peak_rss_bytes"],
        "yielded_share": failure["yielded_share"]["all"],
        "ultimate_N": failure["ultimate"]["force_N"],
    }
    if options.json:
        print(json.dumps(row, indent=1))
    else:
        for key, value in row.items():
            print(f"{key:<22} {value:.6g}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
