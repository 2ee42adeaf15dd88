"""Quantities per area of walls that voxels make of stairs: a round pipe, a ball."""

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


@pytest.mark.parametrize(("radius", "within", "highest"), [(5, 0.06, 1.35), (10, 0.05, 1.25)])
def test_a_round_pipe_has_the_wall_shear_of_poiseuille(job: Job, radius: int, within: float, highest: float) -> None:
    """Oracle: Poiseuille: 4 mu U / R on the wall, hydraulic diameter 2 R; the faces of voxels gave 0.79 of both."""
    s = solved(job, pipe(radius, 8), FLOW.format(spacing=1 / radius, flow="", velocity=1, inlet="", more=""))
    exact = 4e-3 * s["flow_rate_mm3_per_s"] / math.pi
    assert s["mean_wall_shear_stress_Pa"] == pytest.approx(exact, rel=within)
    assert s["hydraulic_diameter_mm"] == pytest.approx(2, rel=within)
    assert s["wall_shear_stress_p95_Pa"] < highest * exact


def test_a_ball_has_the_hydraulic_diameter_of_a_sphere(job: Job) -> None:
    """Oracle: 4 V / S with the surface of the sphere; the faces of voxels gave 0.7 of it."""
    g = np.arange(40) + 0.5 - 20
    ball = g[:, None, None] ** 2 + g[None, :, None] ** 2 + g[None, None, :] ** 2 <= 144
    text = (
        'physics = "flow"\n[image]\npath = "image.npy"\nspacing_mm = 0.01\n[segment]\nthreshold = 0.5\n'
        '[load]\ntest = "permeability"\naxis = "z"\n[solve]\ntolerance = 1e-2\n[picture]\nenabled = false\n'
    )
    s = solved(job, ball.astype(np.uint8), text)
    exact = 4 * np.count_nonzero(~ball) * 1e-6 / (4 * math.pi * 0.12**2)
    assert s["hydraulic_diameter_mm"] == pytest.approx(exact, rel=0.02)


def test_a_warm_pipe_has_the_nusselt_number_of_graetz(job: Job) -> None:
    """Oracle: Graetz' series at L / D = 5 and Peclet number 100: 4.640; the faces of voxels gave 3.2 to 3.9."""
    radius, alpha = 8, 0.6 / 4.18e6
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
    assert s["nusselt_number"] == pytest.approx(4.640, rel=0.08)
