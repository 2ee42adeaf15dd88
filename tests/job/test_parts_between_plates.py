"""Tests of frictionless tests on solids of several parts. Pins fix each rigid component and carry no load."""

from __future__ import annotations

import numpy as np
import pytest
from whole_job import Job

KEEP = '[segment]\nthreshold = 0.5\nkeep = "percolating"\n'
EDGES = "[segment]\nthreshold = 0.5\nconnectivity = 26\n"
DROP = "drop_unsupported = true\n"


def write(
    job: Job, image: np.ndarray, segment: str, test: str, ratio: float = 0.0, load: str = "strain = -0.01"
) -> None:
    np.save(job.folder / "image.npy", image)
    job.write(
        '[image]\npath = "image.npy"\nspacing_mm = 0.05\n'
        + segment
        + f'[[material]]\nname = "m"\nyoungs_modulus_MPa = 1000\npoisson_ratio = {ratio}\n'
        + f'[load]\ntest = "{test}"\naxis = "z"\n{load}\n[solve]\ntolerance = 1e-9\n[picture]\nenabled = false\n'
    )


def two_columns() -> np.ndarray:
    """Two separate columns with 4 and 16 voxels in cross-section."""
    image = np.zeros((4, 7, 7), np.uint8)
    image[:, 0:2, 0:2] = image[:, 3:7, 3:7] = 1
    return image


def block_and_column() -> np.ndarray:
    """Columns with 16 voxels and with 1 voxel in cross-section. The columns share an edge."""
    image = np.zeros((4, 6, 6), np.uint8)
    image[:, 1:5, 1:5] = image[:, 0, 0] = 1
    return image


def smooth_noise(seed: int) -> np.ndarray:
    """The largest 32 % of the values of normal noise, after a Gaussian filter of 0.9 voxels that reflects at the
    faces."""
    radius = 4
    weights = np.exp(-0.5 * (np.arange(-radius, radius + 1) / 0.9) ** 2)
    weights /= weights.sum()
    values = np.random.default_rng(seed).normal(size=(14, 14, 14))
    for axis in range(3):
        wide = np.pad(values, [(radius, radius) if a == axis else (0, 0) for a in range(3)], "symmetric")
        values = np.apply_along_axis(np.convolve, axis, wide, weights, "valid")
    return (values > np.quantile(values, 0.68)).astype(np.uint8)


def pins(summary: dict) -> list[dict]:
    """Return the supports other than plates."""
    return [s for s in summary["supports"] if " node" in s["on"]]


def force_on_pins(summary: dict) -> float:
    return max((np.abs(p["reaction_N"]).max() for p in pins(summary)), default=0.0)


@pytest.mark.parametrize("ranks", ["1", "3"])
def test_two_columns_bear_both(job: Job, ranks: str) -> None:
    """Oracle: E A / L of both columns, computed by hand, which is (4 + 16) * 12.5 N/mm."""
    write(job, two_columns(), KEEP, "uniaxial")
    done = job.run("-n", ranks, "--no-report")
    assert done.code == 0, done.err
    assert done.summary["elements"] == 80
    assert done.summary["stiffness_N_per_mm"] == pytest.approx(250, rel=1e-6)
    assert [(p["held"], p["nodes"]) for p in pins(done.summary)] == [("yx", 2), ("y", 2)]
    assert force_on_pins(done.summary) < 1e-8
    assert "6 additional displacements without reactions" in done.out + done.err


@pytest.mark.parametrize(("segment", "reported"), [(KEEP, 0), (KEEP + DROP, 0)])
def test_parts_between_the_plates_are_kept(job: Job, segment: str, reported: int) -> None:
    """Oracle: all voxels are in columns from plate to plate. If nu = 0, bonded plates yield an equal stiffness."""
    for test in ("uniaxial", "axial_bonded"):
        write(job, two_columns(), segment, test)
        done = job.run("-n", "1", "--no-report", "--force")
        assert done.code == 0, done.err
        assert done.summary["segmentation"].get("dropped_unsupported_voxels", 0) == reported
        assert done.summary["stiffness_N_per_mm"] == pytest.approx(250, rel=1e-6)


def test_two_columns_bend(job: Job) -> None:
    """Oracle: the reference of trilinear hexahedra, which has no pins. By beam theory, the value is 0.4667 N mm2."""
    write(job, two_columns(), KEEP, "bending", load="about_mm = [0.1, 0.2, 0.2]\nangle_deg = 1")
    done = job.run("-n", "2", "--no-report")
    assert done.code == 0, done.err
    assert done.summary["bending_stiffness_N_mm2"] == pytest.approx(0.471875, rel=1e-6)
    assert force_on_pins(done.summary) < 1e-8


def test_two_columns_twist(job: Job) -> None:
    """Oracle: the reference of trilinear hexahedra, which has no pins, and the sum of the columns alone."""
    load = "about_mm = [0.1, 0.2, 0.2]\nangle_deg = 1"
    write(job, two_columns(), KEEP, "torsion", load=load)
    both = job.run("-n", "1", "--no-report")
    assert both.code == 0, both.err
    summary = both.summary
    assert summary["torsional_stiffness_N_mm2"] == pytest.approx(0.1266667, rel=1e-6)
    assert [(p["held"], p["nodes"]) for p in pins(summary)] == [("z", 2)]
    assert force_on_pins(summary) < 1e-8
    alone = []
    for part in (np.s_[:, 0:2, 0:2], np.s_[:, 3:7, 3:7]):
        image = np.zeros_like(two_columns())
        image[part] = 1
        write(job, image, KEEP, "torsion", load=load)
        done = job.run("-n", "1", "--no-report", "--force")
        assert done.code == 0, done.err
        alone.append(done.summary["torsional_stiffness_N_mm2"])
    assert summary["torsional_stiffness_N_mm2"] == pytest.approx(sum(alone), rel=1e-6)


def test_blocks_are_sheared_together(job: Job) -> None:
    """Oracle: Hooke's law, with G = E / (2 (1 + nu)) times the fraction of the cross-section. One block reaches all
    four faces."""
    image = np.zeros((6, 6, 7), np.uint8)
    image[:, :, 0:2] = image[:, :, 4:7] = 1
    write(job, image, KEEP, "pure_shear", ratio=0.25, load='direction = "y"\nstrain = 0.01')
    done = job.run("-n", "2", "--no-report")
    assert done.code == 0, done.err
    assert done.summary["shear_modulus_MPa"] == pytest.approx(400 * 5 / 7, rel=1e-6)
    assert [(p["held"], p["nodes"]) for p in pins(done.summary)] == [("x", 2)]
    assert force_on_pins(done.summary) < 1e-8


@pytest.mark.parametrize("segment", [EDGES, EDGES + DROP])
def test_a_column_on_the_edge_of_a_block_bears(job: Job, segment: str) -> None:
    """Oracle: E A / L of 16 voxels and of 1 voxel, computed by hand. There is one pin more than for a single part,
    because an edge is a hinge."""
    write(job, block_and_column(), segment, "uniaxial")
    done = job.run("-n", "2", "--no-report")
    assert done.code == 0, done.err
    assert done.summary["stiffness_N_per_mm"] == pytest.approx(212.5, rel=1e-6)
    assert sum(len(p["held"]) * p["nodes"] for p in pins(done.summary)) == 4
    assert force_on_pins(done.summary) < 1e-8


def test_the_effect_of_that_edge_is_an_increase(job: Job) -> None:
    """Oracle: computed by hand, 212.5 / 200 - 1."""
    write(job, block_and_column(), "[segment]\nthreshold = 0.5\ncompare_connectivity = true\n", "uniaxial")
    done = job.run("-n", "1", "--no-report")
    assert done.code == 0, done.err
    answers = done.summary["effect_of_connectivity"]["answers"]
    change = next(a["relative_change"] for a in answers if a["key"] == "stiffness_N_per_mm")
    assert change == pytest.approx(0.0625, rel=1e-5)


def test_a_voxel_that_hangs_never_replaces_the_block(job: Job) -> None:
    """Oracle: the reference of trilinear hexahedra with a direct solver, with 200.329 N/mm. The block alone has 200
    N/mm."""
    image = block_and_column()
    image[1:, 0, 0] = 0
    write(job, image, EDGES + DROP, "uniaxial")
    done = job.run("-n", "1", "--no-report")
    assert done.code == 0, done.err
    assert done.summary["elements"] >= 64
    assert done.summary["stiffness_N_per_mm"] == pytest.approx(200.32912, rel=1e-5)


@pytest.mark.parametrize(
    ("name", "test", "segment", "right"),
    [
        ("checkerboard", "uniaxial", EDGES, 142.17594),
        ("checkerboard", "axial_bonded", EDGES, 154.88643),
        ("noise 2", "axial_bonded", EDGES + DROP, 18.175245),
        ("noise 9", "uniaxial", EDGES + DROP, 44.5632),
    ],
)
def test_rings_of_parts_bear(job: Job, name: str, test: str, segment: str, right: float) -> None:
    """Oracle: the reference of trilinear hexahedra, in which no voxel is removed."""
    image = np.indices((6, 6, 6)).sum(0) % 2 if name == "checkerboard" else smooth_noise(int(name[-1]))
    write(job, image.astype(np.uint8), segment, test, ratio=0.3)
    done = job.run("-n", "3", "--no-report")
    assert done.code == 0, done.err
    assert done.summary["stiffness_N_per_mm"] == pytest.approx(right, rel=2e-6)
    assert force_on_pins(done.summary) < 1e-7 or test == "axial_bonded"


@pytest.mark.parametrize("seed", [1, 5])
def test_what_joins_the_plates_by_edges_runs(job: Job, seed: int) -> None:
    """Invariant: the remaining solid is supported, on any number of ranks."""
    write(job, smooth_noise(seed), EDGES + DROP, "uniaxial", ratio=0.3)
    found = []
    for ranks in ("1", "3"):
        done = job.run("-n", ranks, "--no-report", "--force")
        assert done.code == 0, done.err
        found.append((done.summary["elements"], done.summary["stiffness_N_per_mm"]))
        assert force_on_pins(done.summary) < 1e-7
    assert found[0][0] == found[1][0]
    assert found[0][1] == pytest.approx(found[1][1], rel=1e-7)


def test_an_island_without_a_plate_is_still_refused(job: Job) -> None:
    """Oracle: the contract. No plate fixes the island along the axis, so that a pin must not hide the missing
    support."""
    image = two_columns()
    image[2, 0, 5] = 1
    write(job, image, '[segment]\nthreshold = 0.5\nkeep = "all"\n', "uniaxial")
    done = job.run("-n", "2", "--no-report")
    assert done.code == 3
    assert "1 of the 3 parts of the solid (1 voxel) are not supported: 1 island" in done.err


def test_pins_leave_room_for_supports_of_the_user(job: Job) -> None:
    """Oracle: determined by hand. The support of one node replaces two of three pins, and also carries no load."""
    image = block_and_column()
    image[:, 0, 0] = 0
    write(job, image, KEEP, "uniaxial")
    text = (job.folder / "job.toml").read_text() + '[[set]]\nname = "corner"\nselect = "nodes"\nnodes = [[0, 1, 1]]\n'
    job.write(text + '[[support]]\non = "corner"\nfix = "yx"\n')
    done = job.run("-n", "1", "--no-report")
    assert done.code == 0, done.err
    assert done.summary["stiffness_N_per_mm"] == pytest.approx(200, rel=1e-6)
    assert sum(len(p["held"]) * p["nodes"] for p in pins(done.summary)) == 1
    assert np.abs([s["reaction_N"] for s in done.summary["supports"][2:]]).max() < 1e-8


def strut() -> np.ndarray:
    """Two plates on a column. A strut shares one node with a corner of each plate, so that the strut rotates about the
    line between these nodes."""
    image = np.zeros((8, 5, 5), np.uint8)
    image[:2, :4, :4] = image[6:, :4, :4] = 1
    image[2:6, :2, :2] = image[2:6, 4, 4] = 1
    return image


@pytest.mark.parametrize(("test", "right"), [("axial_bonded", 31.671962), ("uniaxial", 30.768103)])
def test_a_strut_between_two_nodes_bears(job: Job, test: str, right: float) -> None:
    """Oracle: the reference of trilinear hexahedra, in which no voxel is removed."""
    write(job, strut(), EDGES + DROP, test, ratio=0.3)
    done = job.run("-n", "3", "--no-report")
    assert done.code == 0, done.err
    assert done.summary["segmentation"]["dropped_unsupported_voxels"] == 0
    assert done.summary["stiffness_N_per_mm"] == pytest.approx(right, rel=1e-6)
    assert sum(len(p["held"]) * p["nodes"] for p in pins(done.summary)) == (1 if test == "axial_bonded" else 4)
    assert force_on_pins(done.summary) < 1e-7


def test_a_strut_that_a_force_could_turn_is_no_load_path(job: Job) -> None:
    """Oracle: the contract. A pin would carry the force, so that the strut is removed. The strut is also removed if it
    meets one plate only."""
    write(
        job, strut(), EDGES + DROP, "axial_bonded", ratio=0.3, load="strain = -0.01\ngravity_m_per_s2 = [-9.81, 0, 0]"
    )
    text = (job.folder / "job.toml").read_text().replace("poisson_ratio", "density_kg_per_m3 = 2000\npoisson_ratio")
    job.write(text)
    done = job.run("-n", "2", "--no-report")
    assert done.code == 0, done.err
    assert done.summary["segmentation"]["dropped_unsupported_voxels"] == 4
    image = strut()
    image[5, 4, 4] = 0
    write(job, image, EDGES + DROP, "axial_bonded", ratio=0.3)
    done = job.run("-n", "1", "--no-report", "--force")
    assert done.code == 0, done.err
    assert done.summary["segmentation"]["dropped_unsupported_voxels"] == 3
