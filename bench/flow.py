#!/usr/bin/env python3
"""Permeability of made-up rocks: CPU seconds, iterations, memory; OpenFOAM beside them where Debian's is installed.

    ./run bench flow [--json FILE] [--repeat N] [--only NAME ...] [--no-peers] [--job] [--large EDGE]

Images are spheres that overlap, a sponge and an open foam, of 64 and 128 voxels; flow is along z in an image that
repeats itself. Each is solved to 1e-6 of the residual, to 0.1 % of the permeability, and in three directions. --job
measures whole jobs besides, image and files included. --large solves a sponge of so many voxels an edge in three
directions on two ranks.
OpenFOAM's simpleFoam solves the images of 64 voxels until its residuals are 1e-6.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import _openfoam
import numpy as np
from _program import BINARY, measured, osteon

JOB = """
name = "flow"
physics = "flow"
[image]
path = "{image}"
spacing_mm = 0.005
[segment]
threshold = 0.5
[load]
test = "permeability"
axis = "z"
boundary_condition = "periodic"
[solve]
tolerance = {tolerance}
[picture]
enabled = false
"""


def spheres(n: int, radius: float, porosity: float, seed: int = 1) -> np.ndarray:
    """Spheres at random places of a periodic box until so much is left free; True is solid."""
    rng = np.random.default_rng(seed)
    solid = np.zeros((n,) * 3, bool)
    centres = np.arange(n) + 0.5
    while 1 - solid.mean() > porosity:
        away = [np.minimum(np.abs(centres - c), n - np.abs(centres - c)) for c in rng.random(3) * n]
        solid |= away[0][:, None, None] ** 2 + away[1][:, None] ** 2 + away[2] ** 2 < radius**2
    return solid


def smoothed_noise(n: int, sigma: float, porosity: float, seed: int = 1) -> np.ndarray:
    """Periodic white noise smoothed by a Gauss curve, cut so that so much is free; True is solid."""
    noise = np.random.default_rng(seed).standard_normal((n,) * 3)
    k = np.fft.fftfreq(n) * 2 * np.pi
    square = k[:, None, None] ** 2 + k[:, None] ** 2 + k[: n // 2 + 1] ** 2
    field = np.fft.irfftn(np.fft.rfftn(noise) * np.exp(-0.5 * sigma**2 * square), s=(n,) * 3, axes=(0, 1, 2))
    return field < np.quantile(field, 1 - porosity)


IMAGES = {
    "spheres_64": lambda: spheres(64, 10, 0.30),
    "sponge_64": lambda: smoothed_noise(64, 3, 0.25),
    "open_64": lambda: smoothed_noise(64, 4, 0.8),
    "spheres_128": lambda: spheres(128, 10, 0.30),
    "sponge_128": lambda: smoothed_noise(128, 3, 0.25),
    "open_128": lambda: smoothed_noise(128, 4, 0.8),
}


def bench(images: list[Path], repeat: int, *options: str) -> dict:
    command = [BINARY, "bench", "flow", "--repeat", str(repeat), "--json", "-", *options]
    for image in images:
        command += ["--image", str(image)]
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=7200,
        env=os.environ | {"OMP_WAIT_POLICY": "passive"},
    )
    return json.loads(done.stdout)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", help="write the figures to this file")
    parser.add_argument("--repeat", type=int, default=3, help="turns of each solve, the fastest counts (default: 3)")
    parser.add_argument("--only", nargs="+", choices=list(IMAGES), default=list(IMAGES), help="images (default: all)")
    parser.add_argument("--no-peers", action="store_true", help="leave OpenFOAM out")
    parser.add_argument("--job", action="store_true", help="whole jobs, too")
    parser.add_argument(
        "--large", type=int, metavar="EDGE", help="a sponge of so many voxels an edge, on 2 ranks, in 3 directions"
    )
    options = parser.parse_args()
    answer: dict = {"solves": {}, "jobs": {}, "openfoam": {}}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        images = {}
        for image in options.only:
            images[image] = IMAGES[image]()
            np.save(folder / f"{image}.npy", images[image].astype(np.uint8))
        paths = [folder / f"{image}.npy" for image in options.only]
        for what, words in {
            "residual 1e-6": ["--residual", "1e-6", "--tolerance", "0.9"],
            "permeability to 0.1 %": ["--tolerance", "1e-3"],
            "three directions, residual 1e-6": ["--residual", "1e-6", "--tolerance", "0.9", "--along", "zyx"],
        }.items():
            figures = bench(paths, options.repeat, *words)
            answer["solves"][what] = figures
            print(f"{what}; triad {figures['triad_GB_per_s']:.1f} GB/s")
            for row in figures["rows"]:
                row["image"] = Path(row["image"]).stem
                print(
                    f"  {row['image']:<12} {row['fluid_voxels']:>8} fluid voxels {row['cpu_seconds']:7.2f} CPU s"
                    f" {row['iterations']:4d} iterations"
                    f" {row['ns_per_voxel_and_iteration']:5.0f} ns a voxel and iteration"
                    f" {row['bytes_per_voxel']:5.0f} B a voxel,"
                    f" K {100 * row['product_share_of_triad']:.0f} % of the triad,"
                    f" k {row['directions'][0]['permeability_voxel2']:.6g} voxel^2",
                    flush=True,
                )
        if options.job:
            for image in options.only:
                job = JOB.format(image=folder / f"{image}.npy", tolerance=1e-3)
                importing, running, summary = osteon(job, folder, 1)
                cpu = importing.cpu + running.cpu
                answer["jobs"][image] = {"cpu": cpu, "summary": summary}
                print(
                    f"whole job, {image}, k to 0.1 %: {cpu:.2f} CPU s, {summary['permeability_m2']:.6g} m^2", flush=True
                )
        small = [image for image in options.only if image.endswith("_64")]
        if not options.no_peers and shutil.which("simpleFoam"):
            for image in small:
                case = folder / f"{image}.foam"
                cost, permeability, iterations = _openfoam.permeability(~images[image], case)
                answer["openfoam"][image] = {
                    "cpu": cost.cpu,
                    "peak": cost.peak,
                    "iterations": iterations,
                    "permeability_voxel2": permeability,
                }
                print(
                    f"OpenFOAM, {image}: {cost.cpu:.1f} CPU s, {iterations} iterations, {cost.peak / 1e6:.0f} MB, "
                    f"k {permeability:.6g} voxel^2",
                    flush=True,
                )
        elif not options.no_peers:
            print("OpenFOAM is not here (Debian's openfoam); its rows are left out", file=sys.stderr)
        if options.large:
            image = folder / "large.npy"
            np.save(image, smoothed_noise(options.large, 3 * options.large / 128, 0.25).astype(np.uint8))
            command = [BINARY, "bench", "flow", "--image", str(image), "-n", "2", "--repeat", "1", "--along", "zyx"]
            cost = measured([*command, "--tolerance", "1e-3", "--json", str(folder / "large.json")])
            answer["large"] = json.loads((folder / "large.json").read_text()) | {"cpu": cost.cpu, "peak": cost.peak}
            print(
                f"{options.large}^3, three directions: {cost.cpu / 60:.1f} CPU min, {cost.peak / 1e9:.2f} GB on 2 ranks"
            )
    if options.json:
        Path(options.json).write_text(json.dumps(answer, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
