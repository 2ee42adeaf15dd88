"""Tests of loads that cannot be applied. All ranks return one clear message and the exit code of the error."""

from __future__ import annotations

import numpy as np
import pytest
from whole_job import Job, job_text

USAGE, DATA = 2, 3
HOLD = '[[support]]\non = "z_low"\nfix = "zyx"\n'
PUSH = '[[force]]\non = "z_high"\nforce_N = [-1, 0, 0]\n'


def plate(job: Job, more: str, image: np.ndarray | None = None, keep: str = "all") -> None:
    """Write a job on a table. The table is a column under a plate, in an image of 8 x 6 x 6 voxels of 1 mm."""
    if image is None:
        image = np.zeros((8, 6, 6), np.uint8)
        image[:6, 2:4, 2:4] = 100
        image[6:] = 100
    np.save(job.folder / "table.npy", image)
    text = job_text(
        "table.npy", more=f'{more}\n[segment]\nthreshold = 50\nkeep = "{keep}"\n', spacing="spacing_mm = 1.0"
    )
    job.write(text.replace("[picture]", "[picture]\nenabled = false"))


def refused(job: Job, code: int, *expected: str) -> None:
    done = job.run("-n", "3", "--no-report")
    assert done.code == code, done.err
    errors = [line for line in done.err.splitlines() if line.startswith("osteon: ")]
    assert len(errors) == 1, done.err
    for text in expected:
        assert text in done.err, done.err


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ('[[support]]\non = "z_lwo"\nfix = "zyx"\n' + PUSH, ["unknown set 'z_lwo'", "did you mean 'z_low'?"]),
        ('[[support]]\non = "z_low"\nfix = "zyw"\n' + PUSH, ["'zyw': must contain only the letters z, y and x"]),
        ('[[support]]\non = "z_low"\n' + PUSH, ["fix: missing; specify fix or move_..._mm"]),
        (HOLD, ["the specimen has no load"]),
        ('[load]\ntest = "custom"\n' + PUSH, ["the specimen is free to move"]),
        ('[load]\ntest = "uniaxial"\nforce_N = 3\n' + PUSH, ["cannot be combined with other loads"]),
        ('[load]\ntest = "torsion"\nstrain = 0.1\n', ['"pure_shear", not to "torsion"']),
        ('[load]\ntest = "shear"\ndirection = "z"\n', ["'z' is the axis of the test"]),
        ("[load]\nstrain = 0.1\nforce_N = 3\n", ["2 of strain, displacement_mm, force_N, angle_deg and moment_N_mm"]),
        ("[load]\ngravity_m_per_s2 = [9.81, 0, 0]\n", ["density_kg_per_m3: missing"]),
        (HOLD + '[[force]]\non = "z_high"\nforce_N = [1, 0]\n', ["2 values; give three"]),
        (HOLD + '[[force]]\non = "z_high"\n', ["0 of force_N, node_force_N, toward_mm and pressure_MPa"]),
        (HOLD + '[[force]]\non = "z_high"\ntoward_mm = [1, 2, 3]\n', ["magnitude_N: missing"]),
        ('[[set]]\nname = "a"\nselect = "disk"\ncentre_mm = [1, 1, 1]\n', ["radius_mm: missing", "normal: missing"]),
        ('[[set]]\nname = "a"\nselect = "brush"\n', ["radius_mm: missing", "points_mm: missing"]),
        (
            '[[set]]\nname = "a"\nselect = "box"\nlow_mm = [0, 0, 0]\nhigh_mm = [1, 1, 1]\nradius_mm = 2\n',
            ['radius_mm: belongs to select = "disk" or "brush", not to "box"'],
        ),
        (
            '[[set]]\nname = "a"\nselect = "points"\npoints_mm = [1, 2, 3]\n',
            ["points_mm", "expected a list in brackets"],
        ),
        (
            '[[set]]\nname = "a"\nselect = "face"\nface = "z_low"\nwithin = "b"\n'
            '[[set]]\nname = "b"\nselect = "face"\nface = "y_low"\nwithin = "a"\n',
            ["'b' is itself within 'a'", "'a' is itself within 'b'"],
        ),
        (
            '[[set]]\nname = "a"\nselect = "face"\nface = "z_low"\nwithin = "z_hihg"\n',
            ["unknown set 'z_hihg'", "did you mean 'z_high'?"],
        ),
        ('[load]\ntest = "shear"\n[[case]]\nname = "a"\n', ["but the job has [[case]] tables"]),
        (
            '[[case]]\nname = "a b"\n[[case]]\nname = "c"\n[[case]]\nname = "c"\n',
            ["'a b': must consist of letters", "two cases"],
        ),
    ],
)
def test_faults_of_the_job_file(job: Job, more: str, expected: list[str]) -> None:
    plate(job, more)
    done = job.run("-n", "2", "--no-report")
    assert done.code == USAGE, done.err
    for text in expected:
        assert text in done.err, done.err


def test_load_on_void(job: Job) -> None:
    hole = '[[set]]\nname = "hole"\nselect = "box"\nlow_mm = [1.5, 0, 0]\nhigh_mm = [4.5, 1.5, 1.5]\n'
    plate(job, HOLD + hole + '[[force]]\non = "hole"\nforce_N = [1, 0, 0]\n')
    refused(job, DATA, "set 'hole' (box from [1.5, 0, 0] mm to [4.5, 1.5, 1.5] mm) contains no node",
            "extends from [0, 0, 0] mm to [8, 6, 6] mm")  # fmt: skip


def test_listed_voxels_and_points_in_the_void(job: Job) -> None:
    voxels = '[[set]]\nname = "v"\nselect = "voxels"\nvoxels = [[0, 2, 2], [1, 0, 0], [7, 9, 0]]\n'
    plate(job, HOLD + voxels + '[[force]]\non = "v"\nforce_N = [1, 0, 0]\n')
    refused(job, DATA, "set 'v': 2 of the 3 listed voxels are not part of the solid, the first is [1, 0, 0]")
    points = '[[set]]\nname = "p"\nselect = "points"\npoints_mm = [[3, 0, 3]]\n'
    plate(job, HOLD + points + '[[force]]\non = "p"\nforce_N = [1, 0, 0]\n')
    refused(job, DATA, "the distance of point [3, 0, 3] mm to the nearest node of the solid is 2 mm")


def test_held_in_two_ways(job: Job) -> None:
    pull = (
        '[[support]]\non = "foot"\nmove_x_mm = 0.25\n[[set]]\nname = "foot"\nselect = "plane"\naxis = "z"\nat_mm = 0\n'
    )
    plate(job, HOLD + pull + PUSH)
    refused(job, USAGE, "different displacements at 9 nodes; at [0, 2, 2] mm: 0 mm along x for 'z_low'",
            "but 0.25 mm for 'foot'")  # fmt: skip


def test_the_same_displacement_twice_is_no_conflict(job: Job) -> None:
    plate(job, HOLD + HOLD + PUSH)
    done = job.run("-n", "2", "--no-report")
    assert done.code == 0, done.err
    assert done.summary["supports"][0]["reaction_N"][0] == pytest.approx(1.0, rel=1e-5)


def test_force_into_a_support_warns(job: Job) -> None:
    plate(job, HOLD + '[[force]]\non = "z_low"\nforce_N = [0, 4.5, 0]\n' + PUSH)
    done = job.run("-n", "2", "--no-report")
    assert done.code == 0, done.err
    assert "4.5 N of the force on 'z_low' act along 9 prescribed displacements" in done.err


def test_mechanism_names_the_free_motions(job: Job) -> None:
    plate(job, '[[support]]\non = "z_low"\nfix = "z"\n' + PUSH)
    refused(job, DATA, "permit rigid motions", "translation along y", "translation along x", "rotation about z")


def test_grips_that_overlap(job: Job) -> None:
    plate(job, "[load]\ndepth_mm = 5.0\n")
    refused(job, DATA, "the loaded faces 'z_low' and 'z_high' overlap")


def test_no_free_face_to_press_on(job: Job) -> None:
    inner = '[[set]]\nname = "inner"\nselect = "nodes"\nnodes = [[7, 1, 1], [7, 1, 2], [7, 2, 1], [7, 2, 2]]\n'
    plate(job, HOLD + inner + '[[force]]\non = "inner"\npressure_MPa = 1\n')
    refused(job, DATA, "set 'inner' (4 nodes) contains no free voxel face")


def islands() -> np.ndarray:
    image = np.zeros((8, 6, 6), np.uint8)
    image[:6, 2:4, 2:4] = 100
    image[6:, 2:, 2:] = 100
    image[3, 0, 0:2] = 100  # this part is an island
    image[2, 4, 4] = 100  # this part shares only an edge with the column
    return image


def test_islands_are_named_and_dropped_on_request(job: Job) -> None:
    """Oracle: the same job without the islands."""
    plate(job, HOLD + PUSH, islands())
    refused(job, DATA, "2 of the 3 parts of the solid (3 voxels) are not supported", "1 island, and 1 connected to other parts",
            "the largest has 2 voxels between [3, 0, 0] mm and [4, 1, 2] mm", "segment.drop_unsupported = true")  # fmt: skip
    plate(job, HOLD + PUSH, islands(), keep='all"\ndrop_unsupported = true\n#"')
    done = job.run("-n", "3", "--no-report")
    assert done.code == 0, done.err
    assert done.summary["segmentation"]["dropped_unsupported_voxels"] == 3
    plate(job, HOLD + PUSH, islands(), keep="largest")
    alone = job.run("-n", "2", "--no-report")
    assert alone.code == 0, alone.err
    assert alone.summary["elements"] == done.summary["elements"]
    assert alone.summary["sed_MPa"]["mean"] == pytest.approx(done.summary["sed_MPa"]["mean"], rel=1e-5)


def test_parts_connected_by_edges_are_reported_and_kept_on_request(job: Job) -> None:
    """Oracle: determined by hand. A bar of 2 x 1 x 2 voxels shares one line with the column and rotates about this
    line."""
    image = np.zeros((8, 6, 6), np.uint8)
    image[:, 2:4, 2:4] = 100
    image[3:5, 4, 4:] = 100
    plate(job, HOLD + PUSH, image, keep="largest")
    done = job.run("-n", "2", "--no-report")
    assert done.code == 0, done.err
    reported = done.summary["segmentation"]
    assert (reported["dropped_voxels"], reported["hanging_voxels"], reported["hanging_islands"]) == (4, 4, 1)
    assert "4 voxels in 1 part (11 % of the solid) are connected by edges or corners" in done.err
    plate(job, HOLD + PUSH, image, keep='largest"\nconnectivity = 26\n#"')
    refused(job, DATA, "1 connected to other parts by single nodes or edges", "drop_unsupported")
    image[4, 4, 4:] = 0
    image[3, 1, 1] = image[3, 1, 2] = 100  # connected by a face, so that this part is always kept
    plate(job, HOLD + PUSH, image, keep='largest"\nconnectivity = 26\ndrop_unsupported = true\n#"')
    done = job.run("-n", "2", "--no-report")
    assert done.code == 0, done.err
    reported = done.summary["segmentation"]
    assert (reported["dropped_voxels"], reported["connectivity"], reported["dropped_unsupported_voxels"]) == (0, 26, 2)


def test_faults_of_all_load_cases_come_before_the_first_solution(job: Job) -> None:
    """Oracle: the log. The supports of the second case are insufficient, which is reported before any case is
    solved."""
    loose = '[[case]]\nname = "b"\n[[case.support]]\non = "z_low"\nfix = "z"\n[[case.force]]\non = "z_high"\nforce_N = [1, 0, 0]\n'
    plate(job, '[[case]]\nname = "a"\n' + loose)
    refused(job, DATA, "rigid motions of the solid: translation along y, translation along x, rotation about z")
    done = job.run("-n", "2", "--no-report")
    assert "load case 'a'" not in done.err


@pytest.mark.parametrize("force", [1e25, 1e300, 1e-60])
def test_absurd_answers_are_not_written(job: Job, force: float) -> None:
    """Oracle: single precision ranges from 1e-45 to 3e38. The value 1e21 is not a plausible strain."""
    plate(job, f'[load]\ntest = "axial_bonded"\nforce_N = {force}\n')
    refused(job, 4, "implausible answers: ", "check the loads, the moduli and their units")
    assert not list((job.folder / "job.out").glob("results*"))
    assert not (job.folder / "job.out" / "summary.json").exists()


def test_a_motion_without_strain_has_no_failure_load(job: Job) -> None:
    """Oracle: all nodes have equal displacements. Zero strain is a valid answer."""
    everywhere = '[[set]]\nname = "all"\nselect = "box"\nlow_mm = [0, 0, 0]\nhigh_mm = [8, 6, 6]\n'
    plate(job, everywhere + '[[support]]\non = "all"\nfix = "zy"\nmove_x_mm = 0.5\n')
    done = job.run("-n", "2", "--no-report")
    assert done.code == 0, done.err
    assert done.summary["effective_strain"]["max"] == 0
    assert done.summary["largest_displacement_mm"] == pytest.approx(0.5)
    assert done.summary["pistoia"]["factor"] is None
    assert "failure_load_N" not in done.summary["pistoia"]


def test_a_held_island_stays(job: Job) -> None:
    """Oracle: a support on the island is sufficient."""
    hold = HOLD + '[[support]]\non = "island"\nfix = "zyx"\n'
    island = '[[set]]\nname = "island"\nselect = "box"\nlow_mm = [3, 0, 0]\nhigh_mm = [3, 1, 2]\n'
    image = islands()
    image[2, 4, 4] = 0
    plate(job, hold + island + PUSH, image)
    done = job.run("-n", "3", "--no-report")
    assert done.code == 0, done.err
    assert done.summary["elements"] == int((image > 0).sum())


def test_a_face_that_the_solid_does_not_reach(job: Job) -> None:
    """Oracle: the contract. The advice names the required key, and setting this key is effective."""
    image = np.zeros((8, 6, 6), np.uint8)
    image[:, 1:4, 1:4] = 100  # this part reaches no side
    plate(job, '[load]\ntest = "confined"\n', image)
    refused(job, DATA, "contains no node of the solid", 'load.faces = "solid"')
    plate(job, '[load]\ntest = "confined"\nfaces = "solid"\n', image)
    done = job.run("-n", "2", "--no-report")
    assert done.code == 0, done.err
    plate(job, '[[support]]\non = "y_low"\nfix = "zyx"\n' + PUSH, image)
    refused(job, DATA, "contains no node of the solid", 'a [[set]] with select = "face" and of = "solid"')
