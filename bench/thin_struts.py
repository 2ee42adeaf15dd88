#!/usr/bin/env python3
"""Errors of thresholds for struts thinner than a voxel: frames of known truth, scanned by a model.

Each specimen is a frame of walls and rods along the zero lines of smooth random fields, with or without a shell, in
voxels of a third of the scan's edge. The scan blurs it, averages 3^3 voxels and adds noise. For each segmentation the
solid fraction and the apparent modulus along z are compared with the truth; 0 if no solid connects the two faces.

./run bench thin_struts [--specimens 12] [--edge 32] [--json FILE]
"""

import argparse
import json
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from uncertainty import EMPTY, JOB, SOLID, TIMES, blurred, run

HALF = (SOLID + EMPTY) / 2
LOW = EMPTY + 0.15 * (SOLID - EMPTY)


def step(kind: str, *keys: str) -> str:
    return "\n".join(["[[image.step]]", f'kind = "{kind}"', *keys, ""])


BETWEEN = (f"low = {LOW}", f"high = {HALF}")
STEPS = {
    "threshold half-way": "",
    "threshold at 0.35": "",
    "local_threshold, sauvola": step("local_threshold", "radius_voxels = 3", *BETWEEN),
    "local_threshold, phansalkar": step("local_threshold", 'method = "phansalkar"', "radius_voxels = 3", *BETWEEN),
    "local_threshold, bernsen": step(
        "local_threshold", 'method = "bernsen"', "radius_voxels = 3", "contrast = 80", *BETWEEN
    ),
    "hysteresis": step("hysteresis", f"low = {EMPTY + 0.35 * (SOLID - EMPTY)}", f"high = {HALF}"),
    "laplace_hamming, Otsu": step("laplace_hamming"),
    "greys, the volume kept": "",
    "modulus by share, above 0.35": "",
    "modulus by a ramp, the sum kept": "",
}
LAW = f"""[density_law]
slope = {1 / (SOLID - EMPTY)}
intercept = {-EMPTY / (SOLID - EMPTY)}
coefficient_MPa = 10000
max_modulus_MPa = 10000
poisson_ratio = 0.3
"""  # modulus of JOB times the solid fraction of a voxel
THRESHOLDS = {
    "threshold at 0.35": EMPTY + 0.35 * (SOLID - EMPTY),
    "modulus by share, above 0.35": EMPTY + 0.35 * (SOLID - EMPTY),
    "laplace_hamming, Otsu": None,
    "greys, the volume kept": None,
}


RAMP = 0.1  # half the width of the ramp, in solid fraction


def by_ramp(text: str, scan: np.ndarray) -> str:
    """Return a job whose modulus rises from 0 to the modulus of JOB. The grey value of the rise preserves the sum of
    all moduli."""
    share = (scan - EMPTY) / (SOLID - EMPTY)
    low, high = -1.0, 2.0
    for _ in range(60):
        middle = (low + high) / 2
        too_much = np.clip((share - middle) / (2 * RAMP) + 0.5, 0, 1).mean() > share.mean()
        low, high = (middle, high) if too_much else (low, middle)
    slope = 1 / (2 * RAMP * (SOLID - EMPTY))
    law = LAW.replace(f"slope = {1 / (SOLID - EMPTY)}", f"slope = {slope}")
    law = law.replace(
        f"intercept = {-EMPTY / (SOLID - EMPTY)}", f"intercept = {0.5 - middle / (2 * RAMP) - EMPTY * slope}"
    )
    begin = EMPTY + (SOLID - EMPTY) * (middle - RAMP * 0.96)
    text = text.replace(f"threshold = {HALF}", f"threshold = {begin}")
    return text.replace("[[material]]\nyoungs_modulus_MPa = 10000\npoisson_ratio = 0.3\n", law)


def frame(chance: np.random.Generator, n: int, shell: int, thickness: float) -> np.ndarray:
    """Return walls, and rods that are 1.6 times as thick, in a shell that is open along z."""
    fields = [blurred(chance.standard_normal((n * TIMES,) * 3), 4.5 * TIMES * n / 32) for _ in range(2)]
    distance = []
    for f in fields:  # distance to the zero surface in voxels, computed as value divided by slope
        slope = np.sqrt(sum(g * g for g in np.gradient(f)))
        distance.append(np.abs(f) / np.maximum(slope, 1e-12))
    half = TIMES * thickness / 2
    solid = np.sqrt(distance[0] ** 2 + distance[1] ** 2) < 1.6 * half
    solid |= (distance[0] < half) & (fields[1] > 0)
    wall = shell * TIMES
    if wall > 0:
        solid[:, :wall] = solid[:, -wall:] = solid[:, :, :wall] = solid[:, :, -wall:] = True
    return solid


def specimen(seed: int, n: int, shell: int, thickness: float) -> dict | None:
    chance = np.random.default_rng(seed)
    solid = frame(chance, n, shell, thickness)
    scan = blurred(np.where(solid, SOLID, EMPTY), chance.uniform(2, 3))
    scan = scan.reshape(n, TIMES, n, TIMES, n, TIMES).mean(axis=(1, 3, 5)) + 20 * chance.standard_normal((n,) * 3)
    found = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.save(folder / "truth.npy", solid.astype("u1"))
        np.save(folder / "scan.npy", scan.astype("f4"))
        truth = run(folder, JOB.format(image="truth.npy", spacing=0.02, threshold=0.5))
        for kind, before in STEPS.items():
            threshold = THRESHOLDS.get(kind, HALF)
            text = JOB.format(image="scan.npy", spacing=0.02 * TIMES, threshold=threshold)
            text = text.replace("threshold = None\n", "").replace("[segment]", before + "[segment]")
            if kind.startswith("greys"):
                text = text.replace("[segment]", f"[segment]\ngreys = [{EMPTY}, {SOLID}]")
            if kind.startswith("modulus by a ramp"):
                text = by_ramp(text, scan)
            if kind.startswith("modulus by share"):
                text = text.replace("[[material]]\nyoungs_modulus_MPa = 10000\npoisson_ratio = 0.3\n", LAW)
            found[kind] = run(folder, text)
    if truth is None:
        return None

    def over_truth(summary: dict | None) -> tuple[float, float]:
        """Return the solid fraction and the modulus. Both are 0 if no remaining solid connects the two faces."""
        if summary is None:
            return 0.0, 0.0
        share = summary["segmentation"]["volume_fraction"] / truth["segmentation"]["volume_fraction"]
        return share, summary["apparent_modulus_MPa"] / truth["apparent_modulus_MPa"]

    ratios = {kind: over_truth(summary) for kind, summary in found.items()}
    return {
        "seed": seed,
        "volume": {k: r[0] for k, r in ratios.items()},
        "modulus": {k: r[1] for k, r in ratios.items()},
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--specimens", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--edge", type=int, default=32, help="voxels of the scan")
    parser.add_argument("--shell", type=int, default=2, help="voxels of the scan; 0: no shell")
    parser.add_argument("--thickness", type=float, default=1.5, help="of the walls, in voxels of the scan")
    parser.add_argument("--at-once", type=int, default=2)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with ThreadPoolExecutor(given.at_once) as pool:
        all_found = list(
            pool.map(
                lambda s: specimen(s, given.edge, given.shell, given.thickness),
                range(given.seed, given.seed + given.specimens),
            )
        )
    found = [s for s in all_found if s is not None]
    faults = len(all_found) - len(found)
    print(f"{len(found)} specimens, {faults} with a fault; median over truth, and root mean square error")
    answer = {"schema": "osteon.bench.thin_struts/1", "specimens": len(found), "kinds": {}}
    for kind in STEPS:
        row = {}
        for what in ("volume", "modulus"):
            ratios = np.array([s[what][kind] for s in found])
            row[what] = {"median": float(np.median(ratios)), "rms_error": float(np.sqrt(np.mean((ratios - 1) ** 2)))}
        answer["kinds"][kind] = row
        shown = [f"{what} {row[what]['median']:.3f} ({row[what]['rms_error']:.3f})" for what in row]
        print(f"{kind:<30} {'   '.join(shown)}")
    if given.json:
        given.json.write_text(json.dumps({**answer, "all": found}, indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
