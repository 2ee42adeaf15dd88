"""Tests with random jobs of any physics, test and kind of image. Answers do not depend on the number of ranks, and the
proofs are valid.

OSTEON_RANDOM_JOBS=100 runs 100 jobs of each physics. A failure prints its seed.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator

import numpy as np
import pytest
from whole_job import Finished, Job

ELASTIC = "[[material]]\nyoungs_modulus_MPa = 1000.0\npoisson_ratio = {}\n"
THERMAL = "[[material]]\nconductivity_W_per_mK = 0.6\nheat_capacity_J_per_m3K = 2e6\n"
# Answers that do not depend on the ranks, with their tolerances relative to the largest value in their list.
ANSWERS = {
    "stiffness_N_per_mm": 1e-6, "homogenisation.stiffness_MPa": 1e-6, "strain_energy_mJ": 1e-6, "sed_MPa.mean": 1e-5,
    "effective_conductivity_W_per_mK": 1e-6, "conductivity_tensor_W_per_mK": 1e-6, "heat_imbalance": 1e-6,
    "permeability_m2": 1e-3, "permeability_tensor_m2": 1e-3, "flow_rate_mm3_per_s": 1e-3,
    "ultimate.force_N": 1e-5, "energy_mJ.dissipated": 1e-4, "elements": 0, "segmentation.volume_fraction": 0,
}  # fmt: skip


def image_of(chance: random.Random) -> np.ndarray:
    """Greys from 0 to 200. The image is full, checkered, plates, noise, or noise blurred over neighbours."""
    shape = [chance.choice([1, 2, 3, 5, 8, 13, 18]) for _ in range(3)]
    noise = np.random.default_rng(chance.randrange(2**32)).random(shape)
    kind = chance.choice(["full", "checkered", "plates", "noise", "blobs", "blobs"])
    if kind == "full":
        solid = np.ones(shape)
    elif kind == "checkered":
        solid = np.indices(shape).sum(0) % 2
    elif kind == "plates":
        solid = np.indices(shape)[chance.randrange(3)] // 2 % 2 + 0.3 * noise
    elif kind == "noise":
        solid = noise + 0.15
    else:
        solid = sum(np.roll(noise, by, axis) for axis in range(3) for by in (-1, 0, 1)) / 9 + 0.05
    return np.clip(200 * solid, 0, 255).astype(np.uint8)


def elasticity(chance: random.Random) -> str:
    test = chance.choice(["axial_bonded", "uniaxial", "confined", "shear", "bending", "torsion", "homogenise"])
    load = f'[load]\ntest = "{test}"\n'
    if test == "homogenise":
        load += f'boundary_condition = "{chance.choice(["kubc", "periodic"])}"\n'
        segment = ""
    else:
        load += f'axis = "{chance.choice("zyx")}"\nfaces = "{chance.choice(["image", "solid"])}"\n'
        segment = f"connectivity = {chance.choice([6, 6, 26])}\ndrop_unsupported = true\n"
    return f"[segment]\nthreshold = 100\n{segment}{ELASTIC.format(chance.choice([0.0, 0.3, 0.45, -0.2]))}{load}"


def heat(chance: random.Random) -> str:
    axis = chance.choice("zyx")
    load = chance.choice(
        [
            f'[load]\ntest = "conduction"\naxis = "{axis}"\n',
            '[load]\ntest = "conductivity_tensor"\nboundary_condition = "uniform"\n',
            '[load]\ntest = "conductivity_tensor"\n',
            f'[[boundary]]\nface = "{axis}_low"\ntemperature_K = 310.0\n[[boundary]]\nface = "{axis}_high"\n'
            'kind = "convection"\ntransfer_W_per_m2K = 30.0\ntemperature_K = 290.0\n'
            "[transient]\ninitial_K = 290.0\nend_s = 2.0\nstep_s = 0.5\n",
        ]
    )
    material = THERMAL if "transient" in load else THERMAL.split("heat_capacity")[0]
    keep = chance.choice(["largest", "percolating", "all"])
    return f'[segment]\nthreshold = 100\nkeep = "{keep}"\n{material}{load}'


def flow(chance: random.Random) -> str:
    axis = chance.choice("zyx")
    test = chance.choice(["permeability", "permeability_tensor"])
    boundary = chance.choice(["periodic", "mirrored", "closed"])
    load = f'[load]\ntest = "{test}"\nboundary_condition = "{boundary}"\n' + (
        f'axis = "{axis}"\n' if test == "permeability" else ""
    )
    return f'[segment]\nthreshold = 100\n{load}[flow]\nfluid = "{chance.choice(["empty", "solid"])}"\n'


def failure(chance: random.Random) -> str:
    law = chance.choice(["von_mises", "cone", "secant_damage"])
    strengths = "yield_strain = 0.008\n"
    if law != "von_mises":
        strengths = "tensile_yield_strain = 0.006\ncompressive_yield_strain = 0.009\n"
    return (
        f"[segment]\nthreshold = 100\n{ELASTIC.format(0.3)}"
        f'[load]\ntest = "axial_bonded"\naxis = "{chance.choice("zyx")}"\nstrain = -0.015\n'
        f'[failure]\nlaw = "{law}"\n{strengths}steps = 2\n'
    )


def reported(summary: dict, key: str) -> np.ndarray | None:
    for part in key.split("."):
        summary = summary.get(part) if isinstance(summary, dict) else None
    return None if summary is None else np.asarray(summary, float)


def run(job: Job, ranks: int, bricks: bool) -> Finished:
    cut = f'run.decomposition="{"bricks" if bricks else "planes"}"'
    return job.run("-n", str(ranks), "--no-report", "--force", "--set", cut, "--set", "picture.enabled=false")


def seeds(count: int) -> Iterator[tuple[str, int]]:
    for physics in ("elasticity", "heat", "flow", "failure"):
        for seed in range(int(os.environ.get("OSTEON_RANDOM_JOBS", count))):
            yield physics, seed


@pytest.mark.parametrize(("physics", "seed"), list(seeds(6)))
def test_ranks_agree_and_the_proofs_hold(job: Job, physics: str, seed: int) -> None:
    """Oracle: the same job on one rank, and the schema. Residual, balance and energy agree within their tolerances."""
    chance = random.Random(f"{physics} {seed}")
    image = image_of(chance)
    np.save(job.folder / "image.npy", image)
    spacing = chance.choice([[0.5, 0.5, 0.5], [0.3, 0.4, 0.5], [1.0, 0.2, 0.1]])
    body = {"elasticity": elasticity, "heat": heat, "flow": flow, "failure": failure}[physics](chance)
    tolerance = 1e-5 if physics == "flow" else 1e-9
    job.write(
        f'name = "job"\nphysics = "{physics}"\n[image]\npath = "image.npy"\nspacing_mm = {spacing}\n{body}'
        f"[solve]\ntolerance = {tolerance}\nmax_iterations = 3000\n"
    )
    one = run(job, 1, bricks=False)
    # exit code 3: there is no such answer for the image, and a sentence reports this
    assert one.code in (0, 3), one.err
    ranks = chance.choice([2, 3])
    if image.size <= ranks:
        return
    if one.code == 3:
        assert run(job, ranks, bricks=True).code == 3
        return
    expected = one.summary  # this access checks that the summary conforms to its schema
    assert expected["certificate"]["converged"]
    if "moves like a mechanism" not in one.err:
        assert expected["certificate"]["energy_identity_error"] < 1e-3
        if physics != "flow":
            assert expected["certificate"]["reaction_imbalance"] < 1e-3
    other = run(job, ranks, bricks=True)
    assert other.code == 0, other.err
    found = other.summary
    if "moves like a mechanism" in one.err:
        return
    compared = 0
    for key, tolerance in ANSWERS.items():
        if key.startswith("sed") and "voxel centres contain" in one.err:
            continue  # the value is zero to rounding
        a, b = reported(expected, key), reported(found, key)
        assert (a is None) == (b is None), key
        if a is not None:
            compared += 1
            least = 1e-12 if "conductivity" in key else 1e-30  # without a conducting path, the value is only rounding
            np.testing.assert_allclose(b, a, rtol=0, atol=tolerance * np.abs(a).max() + least, err_msg=key)
    assert compared >= 2
