#!/usr/bin/env python3
"""Coverage of the stated interval: specimens of known stiffness, scanned by a model, solved with [uncertainty].

Each specimen is a smooth random field cut at a level, in voxels of a third of the scan's edge: its stiffness is
the truth. The scan blurs it by a Gaussian, averages 3^3 voxels and adds noise; the job's threshold has a random error
with the standard deviation that the job states. The result is the frequency with which the truth is within one and two
stated uncertainties of the stiffness, and of its extrapolation if there is one.

./run bench uncertainty [--specimens 200] [--seed 1] [--json FILE]
"""

import argparse
import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from _program import BINARY

TIMES = 3  # number of voxels of the specimen along the edge of a voxel of the scan
SOLID, EMPTY = 1000.0, 200.0  # grey values of solid and of empty space
JOB = """
[image]
path = "{image}"
spacing_mm = {spacing}
[segment]
threshold = {threshold}
[[material]]
youngs_modulus_MPa = 10000
poisson_ratio = 0.3
[solve]
tolerance = 1e-4
[picture]
enabled = false
[output]
fields = ["displacement"]
"""


def blurred(field: np.ndarray, sigma: float) -> np.ndarray:
    """Blur by a periodic Gaussian."""
    f = [np.fft.fftfreq(n) for n in field.shape]
    square = f[0][:, None, None] ** 2 + f[1][None, :, None] ** 2 + f[2][None, None, :] ** 2
    return np.fft.ifftn(np.fft.fftn(field) * np.exp(-2 * (np.pi * sigma) ** 2 * square)).real


def run(folder: Path, text: str) -> dict | None:
    (folder / "job.toml").write_text(text)
    arguments = [BINARY, "run", "job.toml", "--ranks", "1", "--threads", "1", "--no-report", "--quiet", "--force"]
    done = subprocess.run(list(map(str, arguments)), cwd=folder, capture_output=True, text=True, check=False)
    return json.loads((folder / "job.out" / "summary.json").read_text()) if done.returncode == 0 else None


def specimen(seed: int, n: int) -> dict | None:
    """Return the truth and the answers of the job. The result is None if a job fails."""
    chance = np.random.default_rng(seed)
    field = blurred(chance.standard_normal((n * TIMES,) * 3), chance.uniform(5, 9) * n / 32)
    solid = field > np.quantile(field, 1 - chance.uniform(0.25, 0.5))
    threshold_sd, noise_sd = chance.uniform(10, 40), chance.uniform(10, 60)
    scan = blurred(np.where(solid, SOLID, EMPTY), chance.uniform(1.5, 3))
    scan = scan.reshape(n, TIMES, n, TIMES, n, TIMES).mean(axis=(1, 3, 5)) + noise_sd * chance.standard_normal((n,) * 3)
    right = (SOLID + EMPTY) / 2
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.save(folder / "truth.npy", solid.astype("u1"))
        np.save(folder / "scan.npy", scan.astype("f4"))
        truth = run(folder, JOB.format(image="truth.npy", spacing=0.02, threshold=0.5))
        more = f"[uncertainty]\nthreshold_sd = {threshold_sd}\nvoxel_size = true\nnoise_sd = {noise_sd}\n"
        threshold = right + threshold_sd * chance.standard_normal()
        summary = run(folder, JOB.format(image="scan.npy", spacing=0.02 * TIMES, threshold=threshold) + more)
    if truth is None or summary is None:
        return None
    known = next(a for a in summary["uncertainty"]["answers"] if a["key"] == "stiffness_N_per_mm")
    return {"seed": seed, "truth": truth["stiffness_N_per_mm"], **known}


def share(found: list[dict], times: float, key: str = "value") -> float:
    """Return the fraction of specimens whose truth is within this number of uncertainties."""
    return sum(abs(s["truth"] - s[key]) <= times * s["total"] for s in found) / len(found) if found else float("nan")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--specimens", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--edge", type=int, default=32, help="voxels of the scan")
    parser.add_argument("--at-once", type=int, default=2)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with ThreadPoolExecutor(given.at_once) as pool:
        all_found = list(pool.map(lambda s: specimen(s, given.edge), range(given.seed, given.seed + given.specimens)))
    found = [s for s in all_found if s is not None]
    extrapolated = [s for s in found if s.get("extrapolated") is not None]
    answer = {
        "schema": "osteon.bench.uncertainty/1",
        "specimens": len(found),
        "faults": len(all_found) - len(found),
        "within_one": share(found, 1),
        "within_two": share(found, 2),
        "extrapolated": len(extrapolated),
        "extrapolated_within_one": share(extrapolated, 1, "extrapolated"),
        "extrapolated_within_two": share(extrapolated, 2, "extrapolated"),
        "median_relative_error": float(np.median([abs(s["value"] / s["truth"] - 1) for s in found])),
        "median_relative_uncertainty": float(np.median([s["total"] / s["value"] for s in found])),
        "median_relative_error_extrapolated": float(
            np.median([abs(s["extrapolated"] / s["truth"] - 1) for s in extrapolated] or [np.nan])
        ),
        "all": found,
    }
    for key, value in answer.items():
        if key not in ("all", "schema"):
            print(f"{key.replace('_', ' '):<36} {value:.4g}")
    if given.json:
        given.json.write_text(json.dumps(answer, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
