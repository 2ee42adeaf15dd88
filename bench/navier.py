#!/usr/bin/env python3
"""Flow with inertia against published numbers: lid-driven cavities, the square cylinder in a channel, heated boxes.

    ./run bench navier [--json FILE] [--only NAME ...]

Cavities: largest difference of u / lid on the vertical centre line from Ghia, Ghia and Shin 1982. Cylinder: drag, lift
and pressure drop of case 3D-1Q of Schaefer and Turek 1996 (7.5 to 7.7, 0.06 to 0.08, 0.172 to 0.180 Pa).
Heated square, Prandtl number 0.71: mean Nusselt number and highest velocities (of diffusivity over width) across and up
on the centre lines, over those of de Vahl Davis 1983. Heated cube, its sides insulated: mean Nusselt number
over that of Tric, Labrosse and Betrouni 2000.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import tempfile
from pathlib import Path

import netCDF4
import numpy as np
from _program import osteon

# height, and u / lid at Reynolds numbers 100, 400 and 1000
GHIA = """
0.9766  0.84123  0.75837  0.65928
0.9688  0.78871  0.68439  0.57492
0.9609  0.73722  0.61756  0.51117
0.9531  0.68717  0.55892  0.46604
0.8516  0.23151  0.29093  0.33304
0.7344  0.00332  0.16256  0.18719
0.6172 -0.13641  0.02135  0.05702
0.5    -0.20581 -0.11477 -0.06080
0.4531 -0.21090 -0.17119 -0.10648
0.2813 -0.15662 -0.32726 -0.27805
0.1719 -0.10150 -0.24299 -0.38289
0.1016 -0.06434 -0.14612 -0.29730
0.0703 -0.04775 -0.10338 -0.22220
0.0625 -0.04192 -0.09266 -0.20196
0.0547 -0.03717 -0.08186 -0.18109
"""

JOB = """
physics = "flow"
[image]
path = "{image}"
spacing_mm = {spacing}
[segment]
threshold = 50
[load]
test = "flow"
[flow]
inertia = true
convection = "{scheme}"
{fluid}
[solve]
tolerance = {tolerance}
max_iterations = 3000
[picture]
enabled = false
{boundaries}
"""

# The z axis is upwards, the lid slides along y, and x is the thickness. Density divided by viscosity is 1 s/mm2.
CAVITY = """
[[boundary]]
face = "z_high"
kind = "wall"
slide_mm_per_s = [0, {lid}, 0]
[[boundary]]
face = "x"
kind = "slip"
"""

CHANNEL = """
[[boundary]]
face = "z_low"
kind = "velocity"
velocity_mm_per_s = 200
profile = "parabolic"
[[boundary]]
face = "z_high"
kind = "outlet"
"""


# A box of 1 m with diffusivity 1 m2/s, Prandtl number 0.71, and 1 K between hot and cold. Velocities in m/s equal
# velocities in units of diffusivity over width. The z axis is upwards.
BUOYANT = """heat = true
viscosity_Pa_s = 0.71
density_kg_per_m3 = 1
conductivity_W_per_mK = 1
heat_capacity_J_per_m3K = 1
expansion_per_K = 1e-3
gravity_m_per_s2 = [{gravity}, 0, 0]
"""
HOT_AND_COLD = """
[[boundary]]
face = "y_low"
kind = "temperature"
temperature_K = 301
[[boundary]]
face = "y_high"
kind = "temperature"
temperature_K = 300
"""
THIN = """
[[boundary]]
face = "x"
kind = "slip"
"""
# Rayleigh number: mean Nusselt number, highest velocity across, and highest velocity upwards
SQUARE = {
    1e3: (1.118, 3.649, 3.697),
    1e4: (2.243, 16.178, 19.617),
    1e5: (4.519, 34.73, 68.59),
    1e6: (8.800, 64.63, 219.36),
}
CUBE = {1e3: 1.0700, 1e4: 2.0542, 1e5: 4.3370, 1e6: 8.6407}


def fields(folder: Path, name: str) -> np.ndarray:
    with netCDF4.Dataset(folder / "job.out" / "results.nc") as file:
        return np.ma.filled(file["VTKHDF/CellData"][name][:].astype("f8"), np.nan)


def solved(folder: Path, solid: np.ndarray, **values: object) -> tuple[dict, float]:
    np.save(folder / "image.npy", np.where(solid, 100, 0).astype(np.uint8))
    _, cost, summary = osteon(JOB.format(image=folder / "image.npy", **values), folder, 1)
    return summary, cost.cpu


def cavity(reynolds: int, n: int, scheme: str) -> dict:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lid = reynolds / n
        summary, cpu = solved(
            folder,
            np.zeros((n, n, 1), bool),
            spacing=1.0,
            scheme=scheme,
            fluid="viscosity_Pa_s = 1.0\ndensity_kg_per_m3 = 1e6",
            tolerance=1e-5,
            boundaries=CAVITY.format(lid=lid),
        )
        along = fields(folder, "velocity")[..., 1]  # x, y, z
        u = along[:, n // 2 - 1 : n // 2 + 1, 0].mean(axis=1) / lid
    place = (np.arange(-1, n + 1) + 0.5) / n
    u = np.concatenate([[-u[0]], u, [2 - u[-1]]])
    height, *velocities = np.array(GHIA.split(), float).reshape(-1, 4).T
    expected = dict(zip((100, 400, 1000), velocities, strict=True))[reynolds]
    distance = np.abs(np.interp(height, place, u) - expected).max()
    return {"distance": distance, "iterations": summary["iterations"], "cpu_seconds": cpu}


def highest(line: np.ndarray) -> float:
    """Return the maximum of the parabola through the highest value and its neighbours."""
    n = int(np.clip(np.argmax(line), 1, len(line) - 2))
    below, top, above = line[n - 1 : n + 2]
    bend = below - 2 * top + above
    return float(top - (above - below) ** 2 / (8 * bend)) if bend else float(top)


def heated(rayleigh: float, n: int, is_cube: bool) -> dict:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        summary, cpu = solved(
            folder,
            np.zeros((n, n, n if is_cube else 1), bool),
            spacing=1000 / n,
            scheme="blended",
            fluid=BUOYANT.format(gravity=-710 * rayleigh),
            tolerance=1e-4,
            boundaries=HOT_AND_COLD + ("" if is_cube else THIN),
        )
        velocity = fields(folder, "velocity") / 1000  # m/s; x, y, z
    nusselt = summary["convection_nusselt_number"]["y_low"]
    found = {"nusselt": nusselt}
    if is_cube:
        found["over_tric"] = nusselt / CUBE[rayleigh]
    else:
        middle = slice(n // 2 - 1, n // 2 + 1)
        across = highest(velocity[:, middle, 0, 1].mean(axis=1))
        up = highest(velocity[middle, :, 0, 2].mean(axis=0))
        published = SQUARE[rayleigh]
        found |= {"over_vahl_davis": nusselt / published[0], "across": across / published[1], "up": up / published[2]}
    return found | {
        "rounds": summary["coupling_rounds"],
        "iterations": summary["iterations"],
        "cpu_seconds": cpu,
    }


def cylinder(h_mm: tuple[float, float, float], scheme: str) -> dict:
    h = np.array(h_mm)
    shape = np.rint(np.array([2500, 410, 410]) / h).astype(int)
    z, y = (np.arange(shape[0]) + 0.5) * h[0], (np.arange(shape[1]) + 0.5) * h[1]
    solid = np.zeros(shape, bool)
    solid |= (((z > 450) & (z < 550))[:, None] & ((y > 150) & (y < 250)))[:, :, None]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        summary, cpu = solved(
            folder,
            solid,
            spacing=list(h_mm),
            scheme=scheme,
            fluid="viscosity_Pa_s = 1e-3\ndensity_kg_per_m3 = 1\n"
            "reference_velocity_mm_per_s = 200\nreference_area_mm2 = 41000",
            tolerance=1e-4,
            boundaries=CHANNEL,
        )
        p = fields(folder, "pressure")
    drag, lift, _ = summary["force_coefficients"]
    middle = [slice((n - 1) // 2, n // 2 + 1) for n in (shape[1], shape[2])]
    # the centre of the faces of the cylinder at y = 200 mm is between two voxels
    row = slice(int(200 / h[1]) - 1, int(200 / h[1]) + 1)
    line = p[:, row, middle[1]].mean(axis=(1, 2))
    first, last = int(450 / h[0]), int(550 / h[0])
    drop = 1.5 * line[first - 1] - 0.5 * line[first - 2] - (1.5 * line[last] - 0.5 * line[last + 1])
    return {
        "drag": drag,
        "lift": lift,
        "drop_Pa": drop,
        "iterations": summary["iterations"],
        "cpu_seconds": cpu,
    }


CASES = {
    "cavity 100, 32": lambda: cavity(100, 32, "blended"),
    "cavity 100, 64": lambda: cavity(100, 64, "blended"),
    "cavity 400, 32": lambda: cavity(400, 32, "blended"),
    "cavity 400, 64": lambda: cavity(400, 64, "blended"),
    "cavity 400, 128": lambda: cavity(400, 128, "blended"),
    "cavity 1000, 64": lambda: cavity(1000, 64, "blended"),
    "cavity 400, 32, limited": lambda: cavity(400, 32, "limited"),
    "cavity 400, 64, limited": lambda: cavity(400, 64, "limited"),
    "cavity 1000, 32": lambda: cavity(1000, 32, "blended"),
    "cavity 1000, 32, limited": lambda: cavity(1000, 32, "limited"),
    "cavity 1000, 32, central": lambda: cavity(1000, 32, "central"),
    "cavity 1000, 64, limited": lambda: cavity(1000, 64, "limited"),
    "cavity 1000, 64, central": lambda: cavity(1000, 64, "central"),
    "cylinder 25 x 10 x 20.5 mm": lambda: cylinder((25, 10, 20.5), "blended"),
    "cylinder 25 x 10 x 20.5 mm, limited": lambda: cylinder((25, 10, 20.5), "limited"),
    "cylinder 12.5 x 10 x 10.25 mm, limited": lambda: cylinder((12.5, 10, 10.25), "limited"),
    "cylinder 25 x 10 x 20.5 mm, central": lambda: cylinder((25, 10, 20.5), "central"),
    "cylinder 12.5 x 10 x 10.25 mm": lambda: cylinder((12.5, 10, 10.25), "blended"),
    "cylinder 12.5 x 5 x 20.5 mm": lambda: cylinder((12.5, 5, 20.5), "blended"),
    **{
        f"square {rayleigh:.0e}, {n}": (lambda rayleigh=rayleigh, n=n: heated(rayleigh, n, False))
        for rayleigh, n in itertools.product((1e3, 1e4, 1e5, 1e6), (32, 64, 128))
    },
    **{
        f"cube {rayleigh:.0e}, {n}": (lambda rayleigh=rayleigh, n=n: heated(rayleigh, n, True))
        for rayleigh, n in ((1e4, 32), (1e5, 32), (1e5, 64))
    },
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="cases whose names start with NAME")
    options = parser.parse_args()
    found = {}
    for name, case in CASES.items():
        if options.only and not name.startswith(tuple(options.only)):
            continue
        found[name] = case()
        print(f"{name:<38}", "  ".join(f"{k} {v:.4g}" for k, v in found[name].items()), flush=True)
    if not found:
        print(f"navier: unknown case; known: {'; '.join(CASES)}", file=sys.stderr)
        return 2
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
