"""Fields of whole jobs, read from their files."""

from __future__ import annotations

from pathlib import Path

import netCDF4
import numpy as np
import pytest
from whole_job import Finished, Job, job_text

ALL = [
    "displacement",
    "strain",
    "stress",
    "principal_stress",
    "principal_strain",
    "principal_direction",
    "von_mises",
    "sed",
    "sed_integrated",
    "effective_strain",
]


def fields(done: Finished) -> dict[str, np.ndarray]:
    with netCDF4.Dataset(done.folder / "results.nc") as file:
        file.set_auto_mask(False)
        groups = [file["VTKHDF/CellData"], file["VTKHDF/PointData"]]
        return {name: v[:].astype(float) for g in groups for name, v in g.variables.items()}


@pytest.mark.parametrize("axis", ["z", "y", "x"])
def test_block_without_poissons_ratio_is_strained_uniformly(job: Job, tmp_path: Path, axis: str) -> None:
    """Oracle: closed form. With nu = 0, bonded faces cause no constraint, so that the only stress is E times the
    strain."""
    image = np.full((6, 5, 7), 200, np.uint8)
    # a grey value for the threshold; this voxel is never solid and causes no constraint along the axis
    image[:, 2, 3] = 10
    image = np.moveaxis(image, 0, "zyx".index(axis))
    np.save(tmp_path / "block.npy", image)
    job.write(
        f'[image]\npath = "block.npy"\nspacing_mm = [0.03, 0.02, 0.01]\n'
        f'[[material]]\nyoungs_modulus_MPa = 5000.0\npoisson_ratio = 0.0\n[load]\naxis = "{axis}"\nstrain = -0.02\n'
        f'[solve]\ntolerance = 1e-10\n[output]\nfields = {ALL}\n[picture]\nfield = "von_mises"\nwidth = 64\nheight = 64\n'
    )
    done = job.run("-n", "2")
    assert done.code == 0, done.err
    found = fields(done)
    solid = image > 100
    along = "xyz".index(axis)
    tensor = np.eye(6)[along]
    expected = {
        "strain": -0.02 * tensor,
        "stress": -100 * tensor,
        "von_mises": 100,
        "sed": 1.0,
        "sed_integrated": 1.0,
        "effective_strain": 0.02,
        "principal_stress_1": 0,
        "principal_stress_2": 0,
        "principal_stress_3": -100,
        "principal_strain_1": 0,
        "principal_strain_3": -0.02,
        "principal_direction_3": np.eye(3)[along],
    }
    for name, value in expected.items():
        values = found[name]
        assert np.isnan(values[~solid]).all(), name
        np.testing.assert_allclose(values[solid], np.broadcast_to(value, values[solid].shape), rtol=1e-6, atol=2e-6)
    directions = np.stack([found[f"principal_direction_{n}"][solid] for n in (1, 2, 3)], axis=1)
    np.testing.assert_allclose(
        directions @ directions.transpose(0, 2, 1), np.broadcast_to(np.eye(3), directions.shape), atol=1e-6
    )
    summary = done.summary
    assert summary["shown"]["field"] == "von_mises"
    assert summary["by_material"][0]["voxels"] == solid.sum()
    assert summary["by_material"][0]["von_mises_MPa"]["p98"] == pytest.approx(100, rel=1e-6)
    assert summary["reaction_moment_N_mm"] == pytest.approx([0, 0, 0], abs=1e-9)
    assert "von Mises stress" in (done.folder / "report.html").read_text()


def test_only_the_fields_that_are_asked_for_are_written(job: Job, sponge: Path) -> None:
    """Oracle: the list of the job, and the default list."""
    job.write(job_text(sponge, more='[output]\nfields = ["stress"]\n'))
    assert set(fields(job.run("-n", "1", "--no-report"))) == {"material", "stress"}
    job.write(job_text(sponge))
    assert set(fields(job.run("-n", "1", "--no-report"))) == {
        "material",
        "displacement",
        "sed",
        "effective_strain",
        "von_mises",
    }


def test_stress_and_strain_agree_with_the_energy_of_a_sponge(job: Job, sponge: Path) -> None:
    """Invariants: the mean stress is the moment of the reactions. Half of stress times strain is the energy density,
    which does not exceed the energy density of the whole voxel. The energy of all voxels is half of the work of the
    driven face."""
    job.write(job_text(sponge, more=f"[output]\nfields = {ALL}\n[solve]\ntolerance = 1e-9\n"))
    done = job.run("-n", "3", "--no-report")
    assert done.code == 0, done.err
    found = fields(done)
    solid = np.load(sponge) > 100
    solid &= np.isfinite(found["sed"])
    stress, strain = found["stress"][solid], found["strain"][solid]
    height = solid.shape[0] * 0.02
    # Only the driven face moves, along z. The reaction of this face times the height is the integral of sigma_zz.
    assert stress[:, 2].sum() * 0.02**3 == pytest.approx(done.summary["reaction_N"][0] * height, rel=1e-6)
    sed, integrated = found["sed"][solid], found["sed_integrated"][solid]
    np.testing.assert_allclose(0.5 * (stress * strain).sum(axis=1), sed, rtol=1e-5)
    np.testing.assert_allclose(found["effective_strain"][solid], np.sqrt(2 * sed / 6829.0), rtol=1e-6)
    assert (integrated >= sed * (1 - 1e-6)).all()
    assert integrated.mean() > 1.05 * sed.mean()  # struts bend
    summary = done.summary
    assert summary["sed_MPa"]["mean"] == pytest.approx(sed.mean(), rel=1e-6)
    assert summary["strain_energy_mJ"] == pytest.approx(integrated.sum() * 0.02**3, rel=1e-6)
    work = summary["reaction_N"][0] * summary["load"]["displacement_mm"] / 2
    assert summary["strain_energy_mJ"] == pytest.approx(work, rel=1e-6)
    assert summary["pistoia"]["failure_load_N"] < 0  # the sign is that of the load, which is compression
    assert summary["pistoia"]["failure_load_N"] == pytest.approx(
        summary["pistoia"]["factor"] * summary["reaction_N"][0], rel=1e-9
    )
    matrix = stress[:, [[0, 3, 5], [3, 1, 4], [5, 4, 2]]]
    principal = np.stack([found[f"principal_stress_{n}"][solid] for n in (1, 2, 3)], axis=1)
    np.testing.assert_allclose(np.linalg.eigvalsh(matrix)[:, ::-1], principal, atol=1e-5 * np.abs(stress).max())


def test_materials_have_statistics_of_their_own(job: Job, tmp_path: Path) -> None:
    """Oracle: NumPy on the written fields, for two materials in series."""
    labels = np.zeros((8, 4, 4), np.int16)
    labels[:4], labels[4:] = 3, 9
    labels[2, 1, 1] = 0
    np.save(tmp_path / "labels.npy", labels)
    table = "".join(
        f'[[material]]\nlabel = {label}\nname = "{name}"\nyoungs_modulus_MPa = {e}\npoisson_ratio = 0.3\n'
        for label, name, e in [(9, "stiff", 20000.0), (3, "soft", 500.0)]
    )
    job.write(
        f'[image]\npath = "labels.npy"\nspacing_mm = 0.1\n[segment]\nlabels = true\n{table}[picture]\nenabled = false\n'
    )
    done = job.run("-n", "2")
    assert done.code == 0, done.err
    found = fields(done)
    entries = done.summary["by_material"]
    assert [(e["material"], e["name"]) for e in entries] == [(1, "stiff"), (2, "soft")]
    for entry, label in zip(entries, [9, 3], strict=True):
        where = labels == label
        assert entry["voxels"] == where.sum()
        assert entry["volume_mm3"] == pytest.approx(where.sum() * 1e-3)
        for key, name in [("sed_MPa", "sed"), ("effective_strain", "effective_strain"), ("von_mises_MPa", "von_mises")]:
            values = np.sort(found[name][where])
            assert entry[key]["mean"] == pytest.approx(values.mean(), rel=1e-6)
            assert entry[key]["max"] == pytest.approx(values[-1], rel=1e-6)
            for share, rank in [("median", 0.5), ("p95", 0.95), ("p98", 0.98)]:
                assert entry[key][share] == pytest.approx(values[int(np.ceil(rank * values.size)) - 1], rel=1e-6)
    assert "By material" in (done.folder / "report.html").read_text()
