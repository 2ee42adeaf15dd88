"""Tests of the answers of whole jobs. Answers are compared with closed forms, with stored answers, and with each
other."""

from __future__ import annotations

import json
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from PIL import Image
from whole_job import Job, job_text

HERE = Path(__file__).resolve().parent


def test_heat_through_a_block_has_tortuosity_one(job: Job, tmp_path: Path) -> None:
    """Oracle: closed form, k A dT / L. The edges of the voxels are unequal."""
    image = np.full((6, 5, 7), 100, np.uint8)
    np.save(tmp_path / "block.npy", image)
    text = job_text(
        "block.npy",
        "heat",
        "[segment]\nthreshold = 50\n[load]\nlow_K = 300\nhigh_K = 310\n",
        spacing="spacing_mm = [0.5, 0.2, 0.1]",
    )
    job.write(text)
    done = job.run("-n", "2", "--no-report")
    assert done.code == 0, done.err
    summary = done.summary
    assert summary["tortuosity"] == pytest.approx(1, abs=1e-9)
    assert summary["effective_conductivity_W_per_mK"] == pytest.approx(0.5, rel=1e-9)
    assert (done.folder / "picture.png").exists(), "a uniform flux can be shown, too"
    assert summary["flux_W"] == pytest.approx(0.5e-3 * (1.0 * 0.7) * 10 / 3.0, rel=1e-9)


def test_heat_along_bars_has_the_conductivity_of_their_area(job: Job, tmp_path: Path) -> None:
    """Oracle: closed form. Straight bars over half of the cross-section conduct half the heat."""
    image = np.zeros((8, 6, 6), np.uint8)
    image[:, ::2, :] = 100
    np.save(tmp_path / "bars.npy", image)
    job.write(job_text("bars.npy", "heat", '[segment]\nthreshold = 50\nkeep = "percolating"\n'))
    done = job.run("-n", "1", "--no-report")
    assert done.code == 0, done.err
    summary = done.summary
    assert summary["effective_conductivity_W_per_mK"] == pytest.approx(0.25, rel=1e-9)
    assert summary["tortuosity"] == pytest.approx(1, abs=1e-9)


def answers(summary: dict) -> dict[str, float]:
    """Return the numbers that must not depend on the way a job is run."""
    if summary["physics"] == "heat":
        return {key: summary[key] for key in ("flux_W", "effective_conductivity_W_per_mK", "tortuosity")}
    return {
        "reaction": summary["reaction_N"][0],
        "stiffness": summary["stiffness_N_per_mm"],
        "modulus": summary["apparent_modulus_MPa"],
        "sed_mean": summary["sed_MPa"]["mean"],
        "failure": summary["pistoia"]["failure_load_N"],
    }


@pytest.mark.parametrize("physics", ["elasticity", "heat"])
def test_answers_do_not_depend_on_ranks_and_threads(job: Job, sponge: Path, physics: str) -> None:
    """Invariant: answers do not depend on ranks and threads. Fields are stored as float, so that values of single
    voxels are equal only to this precision."""
    runs = [(1, 1, "planes"), (2, 1, "planes"), (3, 2, "planes"), (7, 1, "planes"), (1, 4, "planes"), (5, 1, "bricks")]
    reference = None
    for ranks, threads, blocks in runs:
        job.write(job_text(sponge, physics, f'[run]\ndecomposition = "{blocks}"\n'))
        done = job.run("-n", str(ranks), "-t", str(threads), "--no-report")
        assert done.code == 0, done.err
        assert done.summary["decomposition"] == blocks
        assert 1 <= done.summary["imbalance"] < (1.5 if ranks > 1 else 1.0001)
        assert done.summary["ranks"] == ranks
        assert done.summary["threads"] == threads
        found = answers(done.summary)
        with Image.open(done.folder / "picture.png") as file:
            picture = np.asarray(file).astype(int)
        if reference is None:
            reference, first_picture = found, picture
            assert picture.std() > 1, "the picture shows nothing"
        # The fields differ in their last digits, so that a colour may be rounded differently.
        assert np.abs(picture - first_picture).max() <= 1
        for key, value in found.items():
            tolerance = 1e-6 if key == "failure" else 1e-8
            assert value == pytest.approx(reference[key], rel=tolerance), (key, ranks, threads)
        assert done.summary["certificate"]["true_relative_residual"] <= 1.01e-6
        assert done.summary["certificate"]["energy_identity_error"] < 1e-5


def test_crop_of_the_bone_scan_has_its_stored_answers(job: Job, scan: Path) -> None:
    """Oracle: stored answers. When they were stored, the stiffness agreed with parosol-py 0.1.26."""
    expected = json.loads((HERE / "bone_crop.json").read_text())
    crop = "crop_voxels = [[44, 84], [44, 84], [44, 84]]"
    for physics in ("elasticity", "heat"):
        job.write(job_text(scan, physics, "[segment]\nthreshold = 120\n", image_more=crop))
        done = job.run("--no-report")
        assert done.code == 0, done.err
        assert done.summary["elements"] == expected["elements"]
        for key, value in expected[physics].items():
            assert answers(done.summary)[key] == pytest.approx(value, rel=2e-6), key


def test_labels_give_materials(job: Job, tmp_path: Path) -> None:
    """Oracle: closed form for two materials in series."""
    labels = np.zeros((8, 2, 2), np.int16)
    labels[:4], labels[4:] = 3, 9
    np.save(tmp_path / "labels.npy", labels)
    table = "[segment]\nlabels = true\n[[material]]\nlabel = 3\nconductivity_W_per_mK = 1.0\n[[material]]\nlabel = 9\nconductivity_W_per_mK = 10.0\n"
    job.write(f'physics = "heat"\n[image]\npath = "labels.npy"\nspacing_mm = 1\n{table}[picture]\nenabled = false\n')
    done = job.run("-n", "2", "--no-report")
    assert done.code == 0, done.err
    summary = done.summary
    assert summary["effective_conductivity_W_per_mK"] == pytest.approx(20 / 11, rel=1e-9)
    assert "picture" not in summary["files"]


def test_a_constant_density_law_is_a_single_material(job: Job, sponge: Path) -> None:
    """Oracle: the job with one material. The law assigns one modulus to every grey value."""
    job.write(job_text(sponge))
    plain = job.run("-n", "1", "--no-report").summary
    law = "[density_law]\nslope = 1.0\ncoefficient_MPa = 6829.0\nexponent = 0.0\npoisson_ratio = 0.3\n"
    job.write(f'[image]\npath = "{sponge}"\nspacing_mm = 0.02\n{law}[picture]\nenabled = false\n')
    done = job.run("-n", "2", "--no-report")
    assert done.code == 0, done.err
    assert done.summary["stiffness_N_per_mm"] == pytest.approx(plain["stiffness_N_per_mm"], rel=1e-8)


def test_turned_image_has_the_same_stiffness_along_the_turned_axis(job: Job, sponge: Path, tmp_path: Path) -> None:
    """Invariant: the axes are only names. Spacings are rotated with the image."""
    found = []
    for order, axis in [((0, 1, 2), "z"), ((1, 0, 2), "y"), ((1, 2, 0), "x")]:
        np.save(tmp_path / "turned.npy", np.ascontiguousarray(np.transpose(np.load(sponge), order)))
        spacing = [(0.03, 0.02, 0.01)[i] for i in order]
        job.write(
            job_text(
                "turned.npy",
                more=f'[load]\naxis = "{axis}"\n[solve]\ntolerance = 1e-9\n',
                spacing=f"spacing_mm = {spacing}",
            )
        )
        found.append(job.run("-n", "2", "--no-report").summary["stiffness_N_per_mm"])
    assert found[1:] == pytest.approx(found[:1] * 2, rel=1e-8)


def test_a_stub_on_the_driven_plate_has_no_energy(job: Job, tmp_path: Path) -> None:
    """Invariant: a part in rigid motion has no strain. Rounding must not make its energy negative or large."""
    image = np.zeros((12, 4, 9), np.uint8)
    image[:, :, :4] = 9
    image[6:, :, 6:] = 9
    image[-1] = 9  # the plate that carries the stub
    np.save(tmp_path / "stub.npy", image)
    job.write(job_text("stub.npy", more="[segment]\nthreshold = 1\n"))
    done = job.run("-n", "2", "--no-report")
    assert done.code == 0, done.err
    with netCDF4.Dataset(done.folder / "results.nc") as file:
        sed = np.ma.filled(file["VTKHDF/CellData/sed"][:].astype(float), np.nan)
    solid = sed[image > 0]
    assert np.isfinite(solid).all()
    assert (solid >= 0).all()
    assert sed[7:10, 1:3, 7].max() < 1e-3 * sed[:, :, :4].mean()
    assert done.summary["sed_MPa"]["max"] == pytest.approx(solid.max(), rel=1e-6)
    assert done.summary["sed_MPa"]["mean"] == pytest.approx(solid.mean(), rel=1e-6)
