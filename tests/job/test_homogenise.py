"""Tests of the stiffness of a block of material as a whole job."""

from __future__ import annotations

from pathlib import Path

import netCDF4
import numpy as np
import pytest
from whole_job import Job, job_text

LOAD = '[load]\ntest = "homogenise"\n'
FIELDS = '[output]\nfields = ["sed_integrated"]\n'


@pytest.mark.parametrize("boundary", ["kubc", "periodic"])
def test_a_solid_block_has_the_constants_of_its_material(job: Job, tmp_path: Path, boundary: str) -> None:
    """Oracle: Hooke's law."""
    np.save(tmp_path / "block.npy", np.full((6, 5, 7), 9, np.uint8))
    more = f'[segment]\nthreshold = 1\n{LOAD}boundary_condition = "{boundary}"\n'
    job.write(job_text("block.npy", more=more, spacing="spacing_mm = [0.5, 0.2, 0.1]"))
    done = job.run("-n", "2")
    assert done.code == 0, done.err
    found = done.summary["homogenisation"]
    assert found["boundary_condition"] == found["boundary"] == boundary
    assert found["volume_fraction"] == 1
    assert list(found["youngs_modulus_MPa"].values()) == pytest.approx([6829] * 3, rel=1e-6)
    assert list(found["shear_modulus_MPa"].values()) == pytest.approx([6829 / 2.6] * 3, rel=1e-6)
    assert list(found["shear_modulus_MPa"]) == ["xy", "yz", "xz"]
    assert list(found["poisson_ratio"].values()) == pytest.approx([0.3] * 6, rel=1e-6)
    assert found["isotropic"]["youngs_modulus_MPa"] == pytest.approx(6829, rel=1e-6)
    assert list(found["orthotropic_frame"]["youngs_modulus_MPa"].values()) == pytest.approx([6829] * 3, rel=1e-6)
    assert found["universal_anisotropy"] == pytest.approx(0, abs=1e-6)
    assert "Young's modulus x" in done.out
    page = (done.folder / "report.html").read_text()
    assert "Stiffness of the material" in page
    assert "✗ fail" not in page


@pytest.mark.parametrize("boundary", ["kubc", "periodic"])
def test_a_sponge_is_symmetric_and_softer_than_its_solid_fraction(job: Job, sponge: Path, boundary: str) -> None:
    """Invariants: Betti, and Voigt's bound. The energy of the written field equals the reported stiffness."""
    stiffness = None
    for ranks in ("1", "3"):
        job.write(
            job_text(sponge, more=f'{LOAD}boundary_condition = "{boundary}"\n[solve]\ntolerance = 1e-8\n{FIELDS}')
        )
        done = job.run("-n", ranks, "--no-report")
        assert done.code == 0, done.err
        found = done.summary["homogenisation"]
        c = np.array(found["stiffness_MPa"])
        assert (c == c.T).all()
        assert found["asymmetry"] < 1e-6
        assert c == pytest.approx(stiffness if stiffness is not None else c, rel=1e-7, abs=1e-7 * c.max())
        stiffness = c
    solid = 6829 / (1.3 * 0.4) * np.diag([0.7] * 3 + [0.2] * 3)
    solid[:3, :3] += 6829 / (1.3 * 0.4) * 0.3 * (1 - np.eye(3))
    assert np.linalg.eigvalsh(found["volume_fraction"] * solid - stiffness).min() > 0
    with netCDF4.Dataset(done.folder / "results.nc") as file:
        sed = np.ma.filled(file["VTKHDF/CellData/sed_integrated"][:].astype(float), np.nan)
    assert 2 * np.nansum(sed) / sed.size == pytest.approx(1e-4 * stiffness[2, 2], rel=1e-6)


def test_an_image_that_does_not_fit_itself_is_refused(job: Job, tmp_path: Path) -> None:
    """Oracle: the contract. A bar along z is not connected to itself across x."""
    image = np.zeros((8, 4, 6), np.uint8)
    image[:, :, :3] = 9
    np.save(tmp_path / "bar.npy", image)
    job.write(job_text("bar.npy", more="[segment]\nthreshold = 1\n" + LOAD + 'boundary_condition = "periodic"\n'))
    done = job.run("-n", "2", "--no-report")
    assert done.code == 3
    assert "periodic x faces has a partner" in done.err


def test_a_strut_that_the_periodic_face_cuts_is_one(job: Job, tmp_path: Path) -> None:
    """Oracle: the lattice with another origin of its period. The face cuts the struts of this lattice lengthwise into
    two parts, which are connected only across the face."""
    lattice = np.zeros((8, 8, 8), np.uint8)
    lattice[:, 2:5, 2:5] = lattice[2:5, :, 2:5] = lattice[2:5, 2:5, :] = 9
    found = []
    for shift in (0, 5):
        np.save(tmp_path / "lattice.npy", np.roll(lattice, (shift, shift, shift), (0, 1, 2)))
        more = f'[segment]\nthreshold = 1\n{LOAD}boundary_condition = "periodic"\n[solve]\ntolerance = 1e-9\n'
        job.write(job_text("lattice.npy", more=more))
        done = job.run("-n", "2", "--no-report")
        assert done.code == 0, done.err
        assert done.summary["segmentation"]["dropped_voxels"] == 0
        found.append(np.array(done.summary["homogenisation"]["stiffness_MPa"]))
    assert found[1] == pytest.approx(found[0], rel=1e-7, abs=1e-7 * found[0].max())


@pytest.mark.parametrize(
    ("boundary", "why"), [("kubc", "do not touch the faces of the image"), ("periodic", "no periodic face")]
)
def test_a_part_that_floats_is_refused(job: Job, tmp_path: Path, boundary: str, why: str) -> None:
    """Oracle: the contract. There is an island in the middle of a cage."""
    cage = np.zeros((7, 7, 7), np.uint8)
    cage[0] = cage[:, 0] = cage[:, :, 0] = cage[3, 4, 3] = 9
    np.save(tmp_path / "cage.npy", cage)
    more = f'[segment]\nthreshold = 1\nkeep = "all"\n{LOAD}boundary_condition = "{boundary}"\n'
    job.write(job_text("cage.npy", more=more))
    done = job.run("-n", "2", "--no-report")
    assert done.code == 3, done.err
    assert "1 of the 2 parts of the solid (1 voxel) are loose" in done.err
    assert why in done.err
    assert 'segment.keep = "largest"' in done.err


def test_a_boundary_without_homogenisation_is_refused(job: Job, sponge: Path) -> None:
    """Oracle: the contract."""
    job.write(job_text(sponge, more='[load]\nboundary_condition = "kubc"\n'))
    done = job.run("--no-report")
    assert done.code == 2
    assert "load.boundary_condition: belongs to" in done.err


def test_the_older_name_of_the_boundary_condition_is_taken_with_a_hint(job: Job, tmp_path: Path) -> None:
    """Oracle: the same job with the current name, for which no hint is printed."""
    np.save(tmp_path / "block.npy", np.full((4, 5, 3), 9, np.uint8))
    found = []
    for key, hints in (("boundary_condition", 0), ("boundary", 1)):
        job.write(job_text("block.npy", more=f'[segment]\nthreshold = 1\n{LOAD}{key} = "periodic"\n'))
        done = job.run("-n", "2", "--no-report")
        assert done.code == 0, done.err
        assert done.err.count("load.boundary: 'boundary' was renamed to 'boundary_condition'") == hints
        assert done.err.count("was renamed to") == hints
        found.append((done.summary["homogenisation"], done.summary["load"]))
    assert found[0] == found[1]
    assert found[0][0]["boundary_condition"] == "periodic"


@pytest.mark.parametrize(
    ("more", "key"),
    [
        (f'{LOAD}boundary_condition = "uniform"\n', "load.boundary_condition"),
        (f"{LOAD}strain = 0.01\n", "load.strain"),
        (f"{LOAD}force_N = 1.0\n", "load.force_N"),
        (f"[segment]\ndrop_unsupported = true\n{LOAD}", "segment.drop_unsupported"),
        (f'{LOAD}[[support]]\non = "z_low"\nfix = "zyx"\n', "support"),
    ],
)
def test_what_a_mechanical_test_needs_is_refused(job: Job, sponge: Path, more: str, key: str) -> None:
    """Oracle: the contract. The six mean strains are the load."""
    job.write(job_text(sponge, more=more))
    done = job.run("--no-report")
    assert done.code == 2
    assert f"{key}:" in done.err
    assert "homogenise" in done.err


def test_what_is_not_resisted_leaves_the_proofs_of_the_others(job: Job, tmp_path: Path) -> None:
    """Oracle: determined by hand. The periodic face cuts a rough sheet lengthwise. The sheet has no stiffness across
    the face. Its energy is only rounding and not an error of the tensor."""
    rough = np.zeros((12, 8, 10), np.uint8)
    rough[:, [0, 7]] = 1
    rough[:, 1:3][np.random.default_rng(4).random((12, 2, 10)) < 0.3] = 1
    np.save(tmp_path / "sheet.npy", rough)
    job.write(job_text("sheet.npy", more='[segment]\nthreshold = 0.5\n[load]\ntest = "homogenise"\n'
                       'boundary_condition = "periodic"\n'))  # fmt: skip
    done = job.run("-n", "1", "--no-report", "--set", "picture.enabled=false", "--set", "solve.tolerance=1e-9")
    assert done.code == 0, done.err
    reported = done.summary
    stiffness = reported["homogenisation"]["stiffness_MPa"]
    assert abs(stiffness[1][1]) < 1e-6 * stiffness[0][0]
    assert reported["certificate"]["energy_identity_error"] < 1e-8
    assert reported["certificate"]["reaction_imbalance"] < 1e-8
