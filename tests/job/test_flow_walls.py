"""Tests of quantities per area of staircase walls of voxels, for a round pipe, a ball, and an inclined slit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from whole_job import Job

FLOW = """physics = "flow"
[image]
path = "image.npy"
spacing_mm = {spacing}
[segment]
threshold = 0.5
[flow]
viscosity_Pa_s = 1e-3
{flow}
[load]
test = "flow"
[[boundary]]
face = "z_low"
kind = "velocity"
velocity_mm_per_s = {velocity}
profile = "developed"
{inlet}
[[boundary]]
face = "z_high"
kind = "outlet"
{more}
[picture]
enabled = false
"""


def pipe(radius: int, length: int) -> np.ndarray:
    """Solid around a pipe along z."""
    n = 2 * radius + 4
    g = np.arange(n) + 0.5 - n / 2
    return np.repeat(~(g[:, None] ** 2 + g[None, :] ** 2 <= radius**2)[None], length, 0).astype(np.uint8)


def solved(job: Job, image: np.ndarray, text: str) -> dict:
    np.save(job.folder / "image.npy", image)
    job.write(text)
    done = job.run("--no-report", "-n", "2")
    assert done.code == 0, done.err
    return done.summary


@pytest.mark.parametrize("radius", [5, 10, 20])
def test_a_round_pipe_has_the_wall_shear_of_poiseuille(job: Job, radius: int) -> None:
    """Oracle: Poiseuille. The shear is 4 mu U / R everywhere on the wall, and the hydraulic diameter is 2 R. Faces of
    voxels yield 0.79 of both values."""
    s = solved(
        job,
        pipe(radius, 8),
        FLOW.format(spacing=1 / radius, flow="density_kg_per_m3 = 1000", velocity=1, inlet="", more=""),
    )
    exact = 4e-3 * s["flow_rate_mm3_per_s"] / math.pi
    assert s["mean_wall_shear_stress_Pa"] == pytest.approx(exact, rel=0.02)
    assert s["hydraulic_diameter_mm"] == pytest.approx(2, rel=0.02)
    assert s["reynolds_number"] == pytest.approx(2 * s["mean_speed_mm_per_s"], rel=0.02)
    assert s["wall_shear_stress_p95_Pa"] == pytest.approx(exact, rel=0.05)


def test_a_ball_has_the_hydraulic_diameter_of_a_sphere(job: Job) -> None:
    """Oracle: 4 V / S with the surface of the sphere. Faces of voxels yield 0.7 of this value."""
    g = np.arange(40) + 0.5 - 20
    ball = g[:, None, None] ** 2 + g[None, :, None] ** 2 + g[None, None, :] ** 2 <= 144
    text = (
        'physics = "flow"\n[image]\npath = "image.npy"\nspacing_mm = 0.01\n[segment]\nthreshold = 0.5\n'
        '[load]\ntest = "permeability"\naxis = "z"\n[solve]\ntolerance = 1e-2\n[picture]\nenabled = false\n'
    )
    s = solved(job, ball.astype(np.uint8), text)
    exact = 4 * np.count_nonzero(~ball) * 1e-6 / (4 * math.pi * 0.12**2)
    assert s["hydraulic_diameter_mm"] == pytest.approx(exact, rel=0.01)


@pytest.mark.parametrize("radius", [4, 8])
def test_a_warm_pipe_has_the_nusselt_number_of_graetz(job: Job, radius: int) -> None:
    """Oracle: the series of Graetz at L / D = 5 and Peclet number 100, with 4.640. Faces of voxels yield 3.2."""
    alpha = 0.6 / 4.18e6
    hot = "".join(f'[[boundary]]\nface = "{f}"\nkind = "temperature"\ntemperature_K = 310\n' for f in "yx")
    s = solved(
        job,
        pipe(radius, 10 * radius),
        FLOW.format(
            spacing=1 / radius,
            flow="heat = true",
            velocity=100 * alpha / 2e-3 * 1e3,
            inlet="temperature_K = 300",
            more=hot + "[[material]]\nconductivity_W_per_mK = 1e5\n",
        ),
    )
    assert s["nusselt_number"] == pytest.approx(4.640, rel=0.05)


@pytest.mark.parametrize(("p", "q", "n"), [(1, 1, 24), (1, 2, 36), (1, 3, 36), (2, 3, 48)])
def test_an_inclined_slit_has_the_wall_shear_of_poiseuille(job: Job, p: int, q: int, n: int) -> None:
    """Oracle: G w / 2 on both walls, by the balance of momentum. If the slope is 1, friction alone yields half of this
    value."""
    width, length = 8, math.hypot(p, q)
    z, y = np.meshgrid(np.arange(n) + 0.5, np.arange(n) + 0.5, indexing="ij")
    is_fluid = (p * z - q * y) % n < width * length
    drops = {"z": q / length * n, "y": p / length * n}
    text = (
        'physics = "flow"\n[image]\npath = "image.npy"\nspacing_mm = 1\n[segment]\nthreshold = 0.5\n[load]\ntest = "flow"\n'
        '[flow]\nviscosity_Pa_s = 1e-3\n[picture]\nenabled = false\n[[boundary]]\nface = "x"\nkind = "slip"\n'
    ) + "".join(f'[[boundary]]\nface = "{f}"\nkind = "periodic"\npressure_drop_Pa = {d}\n' for f, d in drops.items())
    s = solved(job, np.repeat(~is_fluid[:, :, None], 2, 2).astype(np.uint8), text)
    exact = np.count_nonzero(is_fluid) / (2 * length * n)  # area of the fluid divided by the length of both walls
    assert s["mean_wall_shear_stress_Pa"] == pytest.approx(exact, rel=0.035)
    assert s["wall_shear_stress_p95_Pa"] < 1.06 * exact
