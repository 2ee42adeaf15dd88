#!/usr/bin/env python3
"""The model size of [Johnson2012], 884 planes and 29 million elements, solved on this machine.

    ./run bench mandible [--ranks 2] [--threads 1] [--scale 1] [--json FILE] [--import-only]

A synthetic lower jaw (bench/make_mandible.py) is fixed at its base and loaded at the ends of its rami. The image is
cached in .cache/bench. The program prints one JSON object. The limits are ten minutes, and 6 GiB of memory, summed over
all processes.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

import make_mandible
from _program import CACHE, ROOT, Cost, osteon

BAR_BYTES, BAR_SECONDS = 6 << 30, 600
JOB = """
name = "mandible"
physics = "elasticity"
[image]
path = "{image}"
spacing_mm = {spacing}
[segment]
labels = true
[[material]]
name = "trabecular bone"
label = {trabecula}
youngs_modulus_MPa = 5000.0
poisson_ratio = 0.3
[[material]]
name = "cortical bone"
label = {cortex}
youngs_modulus_MPa = 17000.0
poisson_ratio = 0.3
[load]
test = "axial_bonded"
axis = "z"
strain = -0.001
[solve]
tolerance = 1e-6
[picture]
enabled = false
[output]
fields = ["displacement", "sed"]
"""


def image_of(scale: float) -> Path:
    """Return the image. The image is generated again if its program is newer."""
    image = CACHE / f"mandible-{scale:g}.npy"
    recipe = Path(make_mandible.__file__)
    if not image.exists() or image.stat().st_mtime < recipe.stat().st_mtime:
        print(f"making {image.relative_to(ROOT)}", file=sys.stderr)
        make_mandible.make(image, scale)
    return image


def figures(importing: Cost, running: Cost | None, summary: dict) -> dict:
    result = {"import": {"cpu_seconds": importing.cpu, "seconds": importing.wall, "peak_bytes": importing.peak}}
    if running is None:
        return {"elements": summary["segmentation"]["kept_voxels"]} | result
    stage = {entry["name"]: entry for entry in summary["stages"]}
    seconds = importing.wall + running.wall
    result |= {key: summary[key] for key in ("elements", "dofs", "ranks", "threads", "iterations")}
    result |= {
        "true_relative_residual": summary["certificate"]["true_relative_residual"],
        "setup_seconds": summary["setup_seconds"],
        "solve_seconds": summary["solve_seconds"],
        "solver_cpu_seconds": stage["solving"]["cpu_seconds"],
        "io_seconds": stage["reading the model"]["seconds"] + stage["writing results"]["seconds"],
        "io_cpu_seconds": stage["reading the model"]["cpu_seconds"] + stage["writing results"]["cpu_seconds"],
        "run": {"cpu_seconds": running.cpu, "seconds": running.wall, "peak_bytes": running.peak},
        "peak_bytes": max(importing.peak, running.peak),
        "bytes_per_dof": running.peak / summary["dofs"],
        "seconds": seconds,
        "cpu_seconds": importing.cpu + running.cpu,
        "memory_bar_met": max(importing.peak, running.peak) <= BAR_BYTES,
        "time_bar_met": seconds <= BAR_SECONDS,
    }
    return result


def rounded(value):
    if isinstance(value, dict):
        return {key: rounded(entry) for key, entry in value.items()}
    return float(f"{value:.4g}") if isinstance(value, float) else value


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ranks", type=int, default=2, help="MPI processes (default 2)")
    parser.add_argument("--threads", type=int, default=1, help="threads of each (default 1)")
    parser.add_argument("--scale", type=float, default=1.0, help="scale of edge lengths (default 1)")
    parser.add_argument("--import-only", action="store_true", help="generate and import the model, but do not solve")
    parser.add_argument("--json", help="write the figures to this file as well")
    options = parser.parse_args()
    job = JOB.format(
        image=image_of(options.scale),
        spacing=make_mandible.SPACING_MM / options.scale,
        trabecula=make_mandible.TRABECULA,
        cortex=make_mandible.CORTEX,
    )
    with tempfile.TemporaryDirectory() as folder:
        ranks = 0 if options.import_only else options.ranks
        found = figures(*osteon(job, Path(folder), ranks, options.threads))
    shape = list(make_mandible.shape_of(options.scale))
    text = json.dumps({"schema": "osteon.mandible/1", "shape": shape} | rounded(found), indent=2)
    print(text)
    if options.json:
        Path(options.json).write_text(text + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
