"""Tests of fluid heated from below, on the command line. The steady answer is the stable one, and the job reports the
method."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from test_flow_buoyancy import THIN, text
from whole_job import Finished, Job

BELOW = '[[boundary]]\nface = "z_low"\nkind = "temperature"\ntemperature_K = 301\n'
ABOVE = '[[boundary]]\nface = "z_high"\nkind = "temperature"\ntemperature_K = 300\n'


def run(
    job: Job, folder: Path, shape: tuple[int, ...], rayleigh: float, more: str = "", tilt: float = 0, n: int = 1
) -> Finished:
    image = np.zeros(shape, np.uint8)
    image[0, 0, 0] = 255  # a solid voxel that breaks the symmetry
    np.save(folder / "image.npy", image)
    sides = THIN if shape[2] == 1 else ""
    job_text = text(rayleigh, BELOW + ABOVE + sides, more=more + "\n[solve]\ntolerance = 1e-5\n", n=shape[0])
    pull = -710 * rayleigh
    job.write(job_text.replace(f"[{pull}, 0, 0]", f"[{pull}, {pull * tilt}, 0]"))
    done = job.run("--no-report", "--force", "-n", str(n), timeout=600)
    assert done.code == 0, done.err
    return done


def nusselt(done: Finished) -> float:
    return done.summary["convection_nusselt_number"]["z_low"]


@pytest.mark.parametrize(("rayleigh", "in_time"), [(5e3, 1.698), (2e4, 2.647)])
def test_the_steady_state_is_that_in_time(job: Job, tmp_path: Path, rayleigh: float, in_time: float) -> None:
    """Oracle: the transient solver from rest on this image, over two diffusion times. The roll may rotate in the other
    direction. The solid voxel in a corner then changes the Nusselt number by 0.7 %."""
    done = run(job, tmp_path, (24, 24, 1), rayleigh)
    found = done.summary
    assert nusselt(done) == pytest.approx(in_time, rel=0.01)
    assert found["unstable_states"] == 1
    assert "unstable steady states found before: 1" in done.err
    assert found["disturbance_growth_per_s"] < 0
    assert found["rayleigh_number"] == pytest.approx(rayleigh, rel=1e-9)


def test_gravity_askew_chooses_the_roll_that_it_has_in_time(job: Job, tmp_path: Path) -> None:
    """Oracle: the transient solver from rest on this image, over two diffusion times. The Nusselt number is 2.7195 with
    gravity inclined by 5 degrees."""
    found = run(job, tmp_path, (24, 24, 1), 2e4, tilt=-0.08716)
    assert nusselt(found) == pytest.approx(2.7195, rel=1e-3)
    assert found.summary["disturbance_growth_per_s"] < 0


def test_a_cube_heated_from_below_convects(job: Job, tmp_path: Path) -> None:
    """Oracle: at six times the critical number, the fluid convects, and disturbances of the answer decay. In the
    transient solution from rest, this cube has a roll along its diagonal (Nu 2.79). A roll along an axis is also
    stable."""
    found = run(job, tmp_path, (12, 12, 12), 2e4)
    assert 2.4 < nusselt(found) < 2.9
    assert found.summary["disturbance_growth_per_s"] < 0


def test_the_state_does_not_depend_on_ranks(job: Job, tmp_path: Path) -> None:
    """Oracle: one rank. The disturbance depends only on the positions of the voxels."""
    shape = (16, 16, 1)
    alone = run(job, tmp_path, shape, 1e4)
    assert alone.summary["unstable_states"] == 1
    shared = run(job, tmp_path, shape, 1e4, n=2)
    assert nusselt(shared) == pytest.approx(nusselt(alone), rel=1e-3)
    assert shared.summary["unstable_states"] == 1
    assert shared.summary["disturbance_growth_per_s"] == pytest.approx(
        alone.summary["disturbance_growth_per_s"], rel=0.05
    )


def test_a_flow_that_does_not_settle_ends_with_code_4(job: Job, tmp_path: Path) -> None:
    """Oracle: at Ra 1e6 on 8 voxels, the oscillations in this square last longer than the steps of the solver. In
    physical time, they decay within a third of a diffusion time. The message states the change, the tolerance and both
    remedies."""
    np.save(tmp_path / "image.npy", np.zeros((8, 8, 1), np.uint8))
    job.write(text(1e6, BELOW + ABOVE + THIN, more="[solve]\ntolerance = 1e-4\n", n=8))
    done = job.run("--no-report", "-n", "1", timeout=300)
    assert done.code == 4, done.err
    last = done.err.strip().splitlines()[-1]
    assert "no steady state was found" in last
    assert "(tolerance 1.0e-04)" in last
    assert "compute the flow in time ([transient])" in last
    assert "reduce the temperature difference" in last
    assert "max_iterations" not in last
    assert "marked 'not converged'" in last


def test_a_fluid_heated_from_above_is_not_tested(job: Job, tmp_path: Path) -> None:
    """Oracle: no fluid is below lighter fluid, so that no disturbance can grow."""
    np.save(tmp_path / "image.npy", np.zeros((16, 16, 1), np.uint8))
    warm_above = BELOW.replace("301", "299") + ABOVE + THIN
    job.write(text(1e4, warm_above))
    done = job.run("--no-report", "-n", "1")
    assert done.code == 0, done.err
    assert "disturbance_growth_per_s" not in done.summary
    assert done.summary["unstable_states"] == 0
