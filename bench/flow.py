#!/usr/bin/env python3
"""Permeability of synthetic rocks: CPU seconds, iterations, memory; with OpenFOAM if Debian's package is installed.

    ./run bench flow [--json FILE] [--repeat N] [--only NAME ...] [--no-peers] [--job] [--large EDGE]
    ./run bench flow --cores [--json FILE] [--repeat N] [--only NAME ...]
    ./run bench flow --steps [--json FILE] [--repeat N]

Images are overlapping spheres, a sponge and an open foam, of 64 and 128 voxels; the flow is along z in a periodic
image. Each is solved to 1e-6 of the residual, to 0.1 % of the permeability, and in three directions. --job also
measures whole jobs, including image and files. --large solves a sponge of EDGE^3 voxels in three
directions on two ranks.
--cores runs whole jobs, to 0.1 %, on one core, on two ranks and with two threads in turn, and prints medians of their
wall seconds: use an idle machine. --steps times steps of transient flow, in an empty box and with obstacles.
OpenFOAM's simpleFoam solves the images of 64 voxels until its residuals are 1e-6.
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
    """Place spheres at random in a periodic box until the porosity is reached. True is solid."""
    rng = np.random.default_rng(seed)
    solid = np.zeros((n,) * 3, bool)
    centres = np.arange(n) + 0.5
    while 1 - solid.mean() > porosity:
        away = [np.minimum(np.abs(centres - c), n - np.abs(centres - c)) for c in rng.random(3) * n]
        solid |= away[0][:, None, None] ** 2 + away[1][:, None] ** 2 + away[2] ** 2 < radius**2
    return solid


def smoothed_noise(n: int, sigma: float, porosity: float, seed: int = 1) -> np.ndarray:
    """Smooth periodic white noise by a Gaussian, and cut the result at the porosity. True is solid."""
    noise = np.random.default_rng(seed).standard_normal((n,) * 3)
    k = np.fft.fftfreq(n) * 2 * np.pi
    square = k[:, None, None] ** 2 + k[:, None] ** 2 + k[: n // 2 + 1] ** 2
    field = np.fft.irfftn(np.fft.rfftn(noise) * np.exp(-0.5 * sigma**2 * square), s=(n,) * 3, axes=(0, 1, 2))
    return field < np.quantile(field, 1 - porosity)


STEPS_JOB = """
physics = "flow"
[image]
path = "{image}"
spacing_mm = 1.0
[segment]
threshold = 50
[load]
test = "flow"
[flow]
inertia = true
viscosity_Pa_s = 0.01
density_kg_per_m3 = 1e6
[transient]
end_s = {end}
step_s = {step}
output_every_s = {end}
[solve]
tolerance = 1e-4
[picture]
enabled = false
{boundaries}
"""

LID = """
[[boundary]]
face = "z_high"
kind = "wall"
slide_mm_per_s = [0, 1.0, 0]
"""

CHANNEL = """
[[boundary]]
face = "z_low"
kind = "velocity"
velocity_mm_per_s = 1.0
[[boundary]]
face = "z_high"
kind = "outlet"
"""

IMAGES = {
    "spheres_64": lambda: spheres(64, 10, 0.30),
    "sponge_64": lambda: smoothed_noise(64, 3, 0.25),
    "open_64": lambda: smoothed_noise(64, 4, 0.8),
    "spheres_128": lambda: spheres(128, 10, 0.30),
    "sponge_128": lambda: smoothed_noise(128, 3, 0.25),
    "open_128": lambda: smoothed_noise(128, 4, 0.8),
    "sponge_256": lambda: smoothed_noise(256, 3, 0.25),
}
USUAL = [image for image in IMAGES if not image.endswith("_256")]  # used by --cores only


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


CORES = {"one core": (1, 1), "2 ranks": (2, 1), "2 threads": (1, 2)}


def cores(images: dict[str, np.ndarray], folder: Path, repeat: int) -> dict:
    """Return wall seconds of whole jobs and of their solvers. The values are medians of jobs that run in turn."""
    answer: dict = {}
    for image, solid in images.items():
        np.save(folder / f"{image}.npy", solid.astype(np.uint8))
        job, out = folder / f"{image}.toml", folder / f"{image}.out"
        job.write_text(JOB.format(image=folder / f"{image}.npy", tolerance=1e-3))
        times: dict = {name: {"job": [], "solving": [], "cpu": []} for name in CORES}
        for _ in range(repeat):
            for name, (ranks, threads) in CORES.items():
                shutil.rmtree(out, ignore_errors=True)
                command = [BINARY, "run", str(job), "-n", str(ranks), "-t", str(threads), "-o", str(out)]
                cost = measured([*command, "--no-report"])
                stages = {s["name"]: s for s in json.loads((out / "summary.json").read_text())["stages"]}
                times[name]["job"].append(cost.wall)
                times[name]["solving"].append(stages["solving"]["seconds"])
                times[name]["cpu"].append(cost.cpu)
        median = {name: {what: statistics.median(all_) for what, all_ in own.items()} for name, own in times.items()}
        answer[image] = {"median": median, "all": times}
        one = median["one core"]
        for name, own in median.items():
            print(
                f"{image:<12} {name:<9} {own['job']:6.2f} s the job, {own['solving']:6.2f} s solving,"
                f" {own['cpu']:6.2f} CPU s;"
                f" {one['job'] / own['job']:.2f} and {one['solving'] / own['solving']:.2f} times as fast",
                flush=True,
            )
    return answer


def steps(folder: Path, repeat: int) -> dict:
    """Return CPU seconds per fluid voxel and step of transient flow. The divergence is 1e-4, and the first steps are
    left out."""
    n = 64
    obstacles = np.zeros((n,) * 3, bool)
    obstacles[n // 4 : n // 4 + n // 8, n // 2 - n // 16 : n // 2 + n // 16] = True
    answer: dict = {}
    for name, (solid, boundaries, step) in {
        "empty box, sliding lid": (np.zeros((n,) * 3, bool), LID, 0.25),
        "empty box, in- and outlet": (np.zeros((n,) * 3, bool), CHANNEL, 0.25),
        "square bar in a channel": (obstacles, CHANNEL, 0.12),
    }.items():
        np.save(folder / "steps.npy", np.where(solid, 100, 0).astype(np.uint8))
        taken = []
        for _ in range(repeat):
            cpu = []
            for count in (10, 60):
                values = {"image": folder / "steps.npy", "step": step, "end": count * step, "boundaries": boundaries}
                _, _, summary = osteon(STEPS_JOB.format(**values), folder, 1)
                solving = next(s for s in summary["stages"] if s["name"] == "solving")
                cpu.append((summary["time_steps"], solving["cpu_seconds"]))
            (few, first), (many, last) = cpu
            taken.append(1e6 * (last - first) / (many - few) / summary["fluid"]["flowing_voxels"])
        answer[name] = {"us": taken, "highest_divergence": summary.get("highest_divergence")}
        print(
            f"{name:<26} {statistics.median(taken):5.2f} us of CPU per voxel and step; FFVC-mini 0.64 to 1.3"
            " with obstacles, not converged",
            flush=True,
        )
    return answer


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", help="write the figures to this file")
    parser.add_argument(
        "--repeat", type=int, default=3, help="repetitions of each solve, the fastest counts (default: 3)"
    )
    parser.add_argument(
        "--only", nargs="+", choices=list(IMAGES), default=USUAL, help="images (default: all of 64 and 128 voxels)"
    )
    parser.add_argument("--image", type=Path, metavar="NPY", help="another image; non-zero voxels are solid")
    parser.add_argument("--no-peers", action="store_true", help="omit OpenFOAM")
    parser.add_argument("--cores", action="store_true", help="only one core, 2 ranks and 2 threads")
    parser.add_argument("--steps", action="store_true", help="only steps of transient flow")
    parser.add_argument("--job", action="store_true", help="also measure whole jobs")
    parser.add_argument(
        "--large", type=int, metavar="EDGE", help="a sponge of EDGE^3 voxels, on 2 ranks, in 3 directions"
    )
    options = parser.parse_args()
    if options.image:
        IMAGES[options.image.stem] = lambda: np.load(options.image) != 0
        options.only = [options.image.stem]
    answer: dict = {"solves": {}, "jobs": {}, "openfoam": {}}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.cores:
            answer["cores"] = cores({image: IMAGES[image]() for image in options.only}, folder, options.repeat)
        if options.steps:
            answer["steps"] = steps(folder, options.repeat)
        if options.cores or options.steps:
            if options.json:
                Path(options.json).write_text(json.dumps(answer, indent=2) + "\n")
            return 0
        images = {}
        for image in options.only:
            images[image] = IMAGES[image]()
            np.save(folder / f"{image}.npy", images[image].astype(np.uint8))
        paths = [folder / f"{image}.npy" for image in options.only]
        for title, arguments in {
            "residual 1e-6": ["--residual", "1e-6", "--tolerance", "0.9"],
            "permeability to 0.1 %": ["--tolerance", "1e-3"],
            "three directions, residual 1e-6": ["--residual", "1e-6", "--tolerance", "0.9", "--along", "zyx"],
        }.items():
            figures = bench(paths, options.repeat, *arguments)
            answer["solves"][title] = figures
            print(f"{title}; triad {figures['triad_GB_per_s']:.1f} GB/s")
            for row in figures["rows"]:
                row["image"] = Path(row["image"]).stem
                print(
                    f"  {row['image']:<12} {row['fluid_voxels']:>8} fluid voxels {row['cpu_seconds']:7.2f} CPU s"
                    f" {row['iterations']:4d} iterations"
                    f" {row['ns_per_voxel_and_iteration']:5.0f} ns per voxel and iteration"
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
            print("OpenFOAM (Debian's openfoam) is not installed; its rows are omitted", file=sys.stderr)
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
