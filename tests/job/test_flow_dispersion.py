"""Tests of dispersion on the command line: Taylor and Aris, ranks, units, and rejected jobs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from whole_job import Job

H = 0.01  # voxel edge in mm


def text(flow: str, load: str = 'axis = "z"', more: str = "") -> str:
    return (
        f'physics = "flow"\n[image]\npath = "image.npy"\nspacing_mm = {H}\n[segment]\nthreshold = 50\n'
        f'[load]\ntest = "dispersion"\n{load}\n[flow]\n{flow}\n{more}\n[picture]\nenabled = false\n'
    )


def slit(folder: Path, width: int = 10) -> None:
    solid = np.zeros((4, width + 1, 4), bool)
    solid[:, 0] = True
    np.save(folder / "image.npy", np.where(solid, 100, 0).astype("u1"))


def test_a_slit_spreads_as_taylor_and_aris_say_on_any_number_of_ranks(job: Job, tmp_path: Path) -> None:
    """Oracle: D (1 + Pe^2 / 210), to the 5 % of ten voxels. The hydraulic diameter of a slit is twice its width."""
    slit(tmp_path)
    for ranks in ("1", "2"):
        job.write(text("peclet_numbers = [0, 5, 60]\ndiffusivity_m2_per_s = 2e-9", more="[solve]\ntolerance = 1e-7"))
        done = job.run("--force", "--no-report", "-n", ranks)
        assert done.code == 0, done.err
        s = done.summary
        assert s["peclet_length_mm"] == pytest.approx(20 * H)
        for entry, number in zip(s["dispersion"], (0, 5, 60), strict=True):
            taylor = (number / 2) ** 2 / 210
            assert entry["peclet_number"] == number
            assert entry["longitudinal"] == pytest.approx(1 + taylor, rel=0.05)
            tensor = np.array(entry["tensor"])
            assert np.allclose(tensor, np.diag([entry["longitudinal"], 0, 1]), atol=1e-5)
            assert entry["transverse"] == pytest.approx(0.5, abs=1e-5)
            assert entry["energy_identity_error"] < 1e-5
            assert np.allclose(entry["tensor_m2_per_s"], 2e-9 * tensor)
            assert entry["mean_velocity_mm_per_s"] == pytest.approx(number * 2e-3 / (20 * H))
        assert s["longitudinal_dispersion"] == s["dispersion"][-1]["longitudinal"]
        assert "dispersion along the flow" in done.out


def test_a_mirrored_sample_is_that_of_the_sample_and_its_images(job: Job, tmp_path: Path) -> None:
    """Oracle: the sample and its mirror images in all directions, which are periodic. The test uses several numbers of
    ranks."""
    rng = np.random.default_rng(5)
    pores = rng.random((5, 4, 6)) < 0.75
    pores[:, 1] = True  # these pores percolate and are connected
    names = {"image": pores}
    for axis in range(3):
        pores = np.concatenate([pores, np.flip(pores, axis)], axis)
    names["images"] = pores
    found = {}
    for name, condition, ranks in (("image", "mirrored", "1"), ("image", "mirrored", "2"), ("images", "periodic", "1")):
        np.save(tmp_path / "image.npy", np.where(names[name], 0, 100).astype("u1"))
        flow = "peclet_numbers = [0, 8]\npeclet_length_mm = 0.03"
        load = f'axis = "x"\nboundary_condition = "{condition}"'
        job.write(text(flow, load, "[solve]\ntolerance = 1e-8"))
        done = job.run("--force", "--no-report", "-n", ranks)
        assert done.code == 0, done.err
        found[name, ranks] = [np.array(entry["tensor"]) for entry in done.summary["dispersion"]]
        assert all(entry["energy_identity_error"] < 1e-5 for entry in done.summary["dispersion"])
    for own, both, ranks in zip(found["image", "1"], found["images", "1"], found["image", "2"], strict=True):
        assert np.allclose(own, both, atol=1e-5)
        assert np.allclose(own, ranks, atol=1e-6)
        assert np.count_nonzero(own - np.diag(np.diag(own))) == 0
    assert found["image", "1"][1][2, 2] > found["image", "1"][0][2, 2]


def test_the_peclet_number_of_a_pressure_drop(job: Job, tmp_path: Path) -> None:
    """Oracle: velocity times length over diffusivity, from the numbers of the summary."""
    slit(tmp_path)
    job.write(text("diffusivity_m2_per_s = 2e-9\npressure_drop_Pa = 0.02\npeclet_length_mm = 0.1"))
    done = job.run("--no-report")
    assert done.code == 0, done.err
    s = done.summary
    assert s["peclet_number"] == pytest.approx(s["mean_velocity_mm_per_s"] * 0.1 / 2e-3, rel=1e-6)
    assert s["longitudinal_dispersion"] == pytest.approx(1 + s["peclet_number"] ** 2 / 210, rel=0.05)


@pytest.mark.parametrize(
    ("flow", "load", "fault"),
    [
        ("", "", "flow.peclet_numbers: missing"),
        ("peclet_numbers = [1, -2]", "", "flow.peclet_numbers: -2 must be >= 0"),
        ("peclet_numbers = [1]\npeclet_length_mm = 0", "", "flow.peclet_length_mm: 0 must be > 0"),
        ("peclet_numbers = [1]", 'boundary_condition = "closed"', "use 'periodic' or 'mirrored'"),
        ("peclet_numbers = [1]\ninertia = true", "", "flow.inertia"),
    ],
)
def test_what_does_not_fit_is_refused(job: Job, tmp_path: Path, flow: str, load: str, fault: str) -> None:
    """Oracle: exit code 2 and the key."""
    slit(tmp_path)
    job.write(text(flow, load))
    done = job.run("--no-report")
    assert done.code == 2, done.err
    assert fault in done.err, done.err


def test_other_tests_have_no_peclet_numbers(job: Job, tmp_path: Path) -> None:
    slit(tmp_path)
    job.write(text("peclet_numbers = [1]").replace('"dispersion"', '"permeability"'))
    done = job.run("--no-report")
    assert done.code == 2
    assert 'belongs to test = "dispersion"' in done.err


def test_channels_that_never_meet_are_refused(job: Job, tmp_path: Path) -> None:
    solid = np.zeros((4, 8, 4), bool)
    solid[:, ::4] = True
    np.save(tmp_path / "image.npy", np.where(solid, 100, 0).astype("u1"))
    job.write(text("peclet_numbers = [1]"))
    done = job.run("--no-report")
    assert done.code == 3
    assert "flow through the sample without exchange" in done.err
