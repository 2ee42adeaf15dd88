"""Answers of whole jobs, against closed forms, stored answers and each other."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from conftest import Job, job_text

HERE = Path(__file__).resolve().parent


def test_heat_through_a_block_has_tortuosity_one(job: Job, tmp_path: Path) -> None:
    """Oracle: closed form, k A dT / L, with unequal edges of the voxels."""
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
    assert summary["flux_W"] == pytest.approx(0.5e-3 * (1.0 * 0.7) * 10 / 3.0, rel=1e-9)


def test_heat_along_bars_has_the_conductivity_of_their_area(job: Job, tmp_path: Path) -> None:
    """Oracle: closed form; straight bars over half of the cross-section conduct half."""
    image = np.zeros((8, 6, 6), np.uint8)
    image[:, ::2, :] = 100
    np.save(tmp_path / "bars.npy", image)
    job.write(job_text("bars.npy", "heat", '[segment]\nthreshold = 50\nkeep = "percolating"\n'))
    summary = job.run("-n", "1", "--no-report").summary
    assert summary["effective_conductivity_W_per_mK"] == pytest.approx(0.25, rel=1e-9)
    assert summary["tortuosity"] == pytest.approx(1, abs=1e-9)


def answers(summary: dict) -> dict[str, float]:
    """The numbers that must not depend on how a job is run."""
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
    """Invariant. Fields are float, so what is read off single voxels is equal to their precision only."""
    job.write(job_text(sponge, physics))
    reference = None
    for ranks, threads in [(1, 1), (2, 1), (3, 2), (7, 1), (1, 4)]:
        done = job.run("-n", str(ranks), "-t", str(threads), "--no-report")
        assert done.code == 0, done.err
        assert done.summary["ranks"] == ranks
        assert done.summary["threads"] == threads
        found = answers(done.summary)
        picture = (done.folder / "picture.png").read_bytes()
        if reference is None:
            reference, first_picture = found, picture
        for key, value in found.items():
            tolerance = 1e-6 if key == "failure" else 1e-8
            assert value == pytest.approx(reference[key], rel=tolerance), (key, ranks, threads)
        assert done.summary["certificate"]["true_relative_residual"] <= 1.01e-6
        assert done.summary["certificate"]["energy_identity_error"] < 1e-5
    assert first_picture


def test_crop_of_the_bone_scan_has_its_stored_answers(job: Job, scan: Path) -> None:
    """Oracle: stored answers; the stiffness was agreed with parosol-py 0.1.26 when they were stored."""
    expected = json.loads((HERE / "bone_crop.json").read_text())
    crop = "crop_voxels = [[44, 84], [44, 84], [44, 84]]"
    for physics in ("elasticity", "heat"):
        job.write(job_text(scan, physics, "[segment]\nthreshold = 120\n", image_more=crop))
        done = job.run("--no-report")
        assert done.code == 0, done.err
        assert done.summary["elements"] == expected["elements"]
        for key, value in expected[physics].items():
            assert answers(done.summary)[key] == pytest.approx(value, rel=2e-6), key


def test_density_law_and_labels_give_materials(job: Job, tmp_path: Path) -> None:
    """Oracle: closed form; a confined-looking pair is avoided by a bar of one material each, in series."""
    labels = np.zeros((8, 2, 2), np.int16)
    labels[:4], labels[4:] = 3, 9
    np.save(tmp_path / "labels.npy", labels)
    table = "[segment]\nlabels = true\n[[material]]\nlabel = 3\nconductivity_W_per_mK = 1.0\n[[material]]\nlabel = 9\nconductivity_W_per_mK = 10.0\n"
    job.write(f'physics = "heat"\n[image]\npath = "labels.npy"\nspacing_mm = 1\n{table}[picture]\nenabled = false\n')
    summary = job.run("-n", "2", "--no-report").summary
    assert summary["effective_conductivity_W_per_mK"] == pytest.approx(20 / 11, rel=1e-9)
    assert "picture" not in summary["files"]
