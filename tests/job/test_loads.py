"""Tests of standard tests, supports, forces and load cases of whole jobs, which are compared with analytic answers."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest
from whole_job import Job

E = 1000.0
SHAPE = (6, 5, 4)
SPACING = (1.0, 0.5, 0.25)
SIZE = tuple(n * h for n, h in zip(SHAPE, SPACING, strict=True))


def block(
    job: Job,
    loads: str,
    shape: tuple[int, ...] = SHAPE,
    spacing: tuple[float, ...] = SPACING,
    poisson: float = 0.3,
    density: str = "",
    image: np.ndarray | None = None,
    more: str = "",
) -> None:
    """Write a job on a solid block, or on an image of 0 and 100."""
    np.save(job.folder / "block.npy", np.full(shape, 100, np.uint8) if image is None else image)
    job.write(
        f'[image]\npath = "block.npy"\nspacing_mm = {list(spacing)}\n[segment]\nthreshold = 50\nkeep = "all"\n{more}\n'
        f"[[material]]\nyoungs_modulus_MPa = {E}\npoisson_ratio = {poisson}\n{density}\n{loads}\n"
        "[solve]\ntolerance = 1e-10\n[picture]\nenabled = false\n"
    )


def solved(job: Job, ranks: int = 1) -> dict:
    done = job.run("-n", str(ranks), "--no-report")
    assert done.code == 0, done.err
    return done.summary


def load(test: str, **keys: object) -> str:
    words = {k: f'"{v}"' if isinstance(v, str) else str(v).lower() for k, v in keys.items()}
    return f'[load]\ntest = "{test}"\n' + "".join(f"{k} = {v}\n" for k, v in words.items())


@pytest.mark.parametrize("axis", ["z", "y", "x"])
@pytest.mark.parametrize(
    ("test", "key", "expected"),
    [
        ("uniaxial", "apparent_modulus_MPa", E),
        ("confined", "aggregate_modulus_MPa", E * 0.7 / (1.3 * 0.4)),
        ("pure_shear", "shear_modulus_MPa", E / 2.6),
    ],
)
def test_uniform_tests_give_the_moduli(job: Job, test: str, key: str, expected: float, axis: str) -> None:
    """Oracle: Hooke's law. The states are uniform, so that the elements are exact."""
    block(job, load(test, axis=axis))
    summary = solved(job, ranks=2)
    assert summary[key] == pytest.approx(expected, rel=1e-9)
    a = "zyx".index(axis)
    area = math.prod(SIZE) / SIZE[a]
    assert summary["load"]["length_mm"] == pytest.approx(SIZE[a])
    assert summary["stiffness_N_per_mm"] == pytest.approx(expected * area / SIZE[a], rel=1e-9)


def test_bonded_shear_of_a_layer_is_uniform(job: Job) -> None:
    """Oracle: all nodes of one layer of voxels are on the plates, so that the shear is uniform."""
    block(job, load("shear", axis="z", direction="x", displacement_mm=0.02), shape=(1, 5, 4))
    summary = solved(job)
    assert summary["shear_modulus_MPa"] == pytest.approx(E / 2.6, rel=1e-12)
    assert summary["load"]["strain"] == pytest.approx(0.02)


def test_uniaxial_supports_in_the_plane_carry_no_load(job: Job, sponge: Path) -> None:
    """Oracle: equilibrium. The supports are statically determinate for any specimen."""
    block(job, load("uniaxial", axis="y"), image=np.load(sponge) // 2)
    summary = solved(job, ranks=3)
    force = abs(summary["reaction_N"][1])
    for support in summary["supports"][2:]:
        assert max(map(abs, support["reaction_N"])) < 1e-7 * force
    assert len(summary["supports"]) == 4


@pytest.mark.parametrize("test", ["axial_bonded", "uniaxial", "confined", "shear", "pure_shear"])
def test_force_driven_tests_are_scaled_to_the_force(job: Job, test: str) -> None:
    """Oracle: the reaction is the force. The stiffness is the stiffness of the displacement-driven test."""
    block(job, load(test, force_N=-7.5))
    by_force = solved(job)
    along = "zyx".index(by_force["load"].get("direction", "z"))
    assert by_force["reaction_N"][along] == pytest.approx(-7.5, rel=1e-12)
    block(job, load(test, displacement_mm=by_force["load"]["displacement_mm"]))
    by_displacement = solved(job)
    assert by_displacement["reaction_N"][along] == pytest.approx(-7.5, rel=1e-9)
    assert by_displacement["sed_MPa"]["max"] == pytest.approx(by_force["sed_MPa"]["max"], rel=1e-6)


def test_bending_stiffness_converges_to_beam_theory(job: Job) -> None:
    """Oracle: E I of a beam, as the limit of Richardson's extrapolation of the error h^2."""
    found = []
    for n in (4, 8):
        block(job, load("bending", direction="x"), shape=(n, n, 1), spacing=(2 / n, 2 / n, 1.0), poisson=0.0)
        found.append(solved(job)["bending_stiffness_N_mm2"])
    exact = E * 1.0 * 2.0**3 / 12
    assert found[1] > exact
    assert (4 * found[1] - found[0]) / 3 == pytest.approx(exact, rel=2e-3)


def test_bending_by_a_moment(job: Job) -> None:
    """Oracle: the specimen driven by the angle. The moment is about the requested axis."""
    block(job, load("bending", axis="y", direction="z", moment_N_mm=3.0))
    summary = solved(job, ranks=2)
    assert summary["reaction_moment_N_mm"] == pytest.approx([3.0, 0, 0], abs=1e-7)
    block(job, load("bending", axis="y", direction="z", angle_deg=summary["load"]["angle_deg"]))
    again = solved(job)
    assert again["reaction_moment_N_mm"][0] == pytest.approx(3.0, rel=1e-8)
    assert again["reaction_N"] == pytest.approx([0, 0, 0], abs=1e-7)


def test_torsional_stiffness_converges_to_saint_venant(job: Job) -> None:
    """Oracle: G J of a square bar, with J = 0.140577 a^4 (Timoshenko), by Richardson's extrapolation."""
    found = []
    for n in (6, 12):
        block(job, load("torsion", axis="x"), shape=(n, n, 2), spacing=(2 / n, 2 / n, 0.5))
        found.append(solved(job)["torsional_stiffness_N_mm2"])
    exact = E / 2.6 * 0.140577 * 2.0**4
    assert (4 * found[1] - found[0]) / 3 == pytest.approx(exact, rel=1e-3)


COLUMN = (8, 2, 3)
COLUMN_MM = (0.5, 1.0, 1.5)
DENSITY = "density_kg_per_m3 = 2000.0"
HANG = '[load]\ntest = "custom"\ngravity_m_per_s2 = [9.81, 0, 0]\n[[support]]\non = "z_low"\nfix = "zyx"\n'


def test_hanging_column_carries_its_weight(job: Job) -> None:
    """Oracle: weight = rho g V. The end of a bar without lateral contraction sinks by rho g L^2 / (2 E), which is exact
    at nodes."""
    block(job, HANG, COLUMN, COLUMN_MM, poisson=0.0, density=DENSITY)
    summary = solved(job, ranks=3)
    length, area = 8 * 0.5, 2 * 1.0 * 3 * 1.5
    weight = 2000e-9 * 9.81 * length * area
    assert summary["supports"][0]["reaction_N"] == pytest.approx([-weight, 0, 0], abs=1e-9 * weight)
    assert summary["forces"][0]["force_N"] == pytest.approx([weight, 0, 0], rel=1e-12)
    sed_mean = (2000e-9 * 9.81) ** 2 * length**2 / (6 * E)  # mean of sigma^2 / (2 E) over the elements
    sed_mean *= 1 - 1 / (4 * 8**2)  # ... in each element, sigma is the mean stress of the element
    assert summary["sed_MPa"]["mean"] == pytest.approx(sed_mean, rel=1e-6)


def test_even_traction_by_area_is_uniform(job: Job) -> None:
    """Oracle: sigma^2 / (2 E) in every voxel. Equal forces on all nodes would overload the edge."""
    hold = '[[support]]\non = "z_low"\nfix = "zyx"\n[[force]]\non = "z_high"\n'
    area = 2 * 1.0 * 3 * 1.5
    expected = 10.0**2 / (2 * E)
    for force in (f'force_N = [{10 * area}, 0, 0]\nspread = "area"', "pressure_MPa = -10"):
        block(job, hold + force, COLUMN, COLUMN_MM, poisson=0.0)
        sed = solved(job, ranks=2)["sed_MPa"]
        assert sed["mean"] == pytest.approx(expected, rel=1e-6)
        assert sed["max"] == pytest.approx(expected, rel=1e-6)
    block(job, hold + f"force_N = [{10 * area}, 0, 0]", COLUMN, COLUMN_MM, poisson=0.0)
    assert solved(job)["sed_MPa"]["max"] > 1.1 * expected


MUSCLE = """
[[set]]
name = "origin"
select = "box"
low_mm = [3.5, 0, 0]
high_mm = [4, 1, 4.5]
surface = true
[[support]]
on = "z_low"
fix = "zyx"
[[force]]
on = "origin"
toward_mm = [9.0, 1.0, 2.0]
magnitude_N = 12.0
"""


def test_force_toward_a_point(job: Job) -> None:
    """Oracle: the sum over the surface nodes of the box, computed by numpy."""
    block(job, MUSCLE, COLUMN, COLUMN_MM)
    force = solved(job, ranks=2)["forces"][0]
    nodes = [
        (z * 0.5, y * 1.0, x * 1.5) for z in (7, 8) for y in (0, 1) for x in range(4) if z == 8 or y == 0 or x in (0, 3)
    ]
    arms = np.array([9.0, 1.0, 2.0]) - np.array(nodes)
    expected = (12.0 / len(nodes) * arms / np.linalg.norm(arms, axis=1)[:, None]).sum(axis=0)
    assert force["nodes"] == len(nodes) == 14
    assert force["force_N"] == pytest.approx(expected.tolist(), rel=1e-12)


CASES = """
[[support]]
on = "z_low"
fix = "zyx"
[[case]]
name = "push"
[[case.force]]
on = "z_high"
force_N = [-5, 0, 0]
[[case]]
name = "pull_and_push"
[[case.force]]
on = "z_high"
force_N = [-5, 0, 2]
[[case]]
name = "pull"
[[case.force]]
on = "z_high"
force_N = [0, 0, 2]
[[case]]
name = "twist"
[[case.support]]
on = "z_high"
fix = "yx"
rotate_deg = [2, 0, 0]
"""


def test_load_cases_superpose_and_do_not_depend_on_ranks(job: Job) -> None:
    """Oracles: the fields are additive, because the problem is linear. Each case equals a separate job. Results do not
    depend on ranks."""
    import netCDF4

    image = np.full((6, 4, 3), 100, np.uint8)
    image[2:4, 1:3, 1] = 0
    summaries = []
    for ranks in (1, 2, 3):
        block(job, CASES, image=image)
        summaries.append(solved(job, ranks))
    names = ["push", "pull_and_push", "pull", "twist"]
    assert [c["name"] for c in summaries[0]["cases"]] == names
    for other in summaries[1:]:
        for a, b in zip(summaries[0]["cases"], other["cases"], strict=True):
            assert b["sed_MPa"]["mean"] == pytest.approx(a["sed_MPa"]["mean"], rel=1e-8)
            assert b["supports"][0]["reaction_N"] == pytest.approx(a["supports"][0]["reaction_N"], abs=1e-7)
    with netCDF4.Dataset(str(job.folder / "job.out" / "results.nc")) as file:
        u = {n: np.asarray(file[f"VTKHDF/PointData/displacement_{n}"][:], dtype=float) for n in names}
    total = u["push"] + u["pull"]
    solid = np.isfinite(total)
    assert np.abs(u["pull_and_push"] - total)[solid].max() < 1e-6 * np.abs(total[solid]).max()
    block(job, CASES[: CASES.index("[[case]]")] + '[[force]]\non = "z_high"\nforce_N = [-5, 0, 0]\n', image=image)
    assert solved(job)["sed_MPa"]["mean"] == pytest.approx(summaries[0]["cases"][0]["sed_MPa"]["mean"], rel=1e-8)


def test_cases_of_standard_tests(job: Job) -> None:
    """Oracle: Hooke's law for each case."""
    block(
        job,
        '[[case]]\nname = "press"\ntest = "uniaxial"\nforce_N = -3\n[[case]]\nname = "slide"\ntest = "pure_shear"\n'
        'axis = "y"\n[[case]]\nname = "fill"\ntest = "confined"\n',
    )
    press, slide, fill = solved(job, ranks=2)["cases"]
    assert press["apparent_modulus_MPa"] == pytest.approx(E, rel=1e-9)
    assert press["reaction_N"][0] == pytest.approx(-3, rel=1e-12)
    assert slide["shear_modulus_MPa"] == pytest.approx(E / 2.6, rel=1e-9)
    assert fill["aggregate_modulus_MPa"] == pytest.approx(E * 0.7 / 0.52, rel=1e-9)


def test_faces_of_the_solid(job: Job) -> None:
    """Oracle: Hooke's law for the solid part of the image."""
    image = np.zeros((9, 8, 7), np.uint8)
    image[2:7, 1:6, 3:6] = 100
    block(job, load("uniaxial", faces="solid"), image=image)
    summary = solved(job, ranks=3)
    assert summary["load"]["length_mm"] == pytest.approx(5.0)
    assert summary["load"]["cross_section_mm2"] == pytest.approx(5 * 0.5 * 3 * 0.25)
    assert summary["apparent_modulus_MPa"] == pytest.approx(E, rel=1e-9)


def test_a_cylinder_has_the_modulus_of_its_material(job: Job) -> None:
    """Oracle: Hooke's law. A prism in uniaxial compression has the modulus E over its own section, for any surrounding
    box."""
    y, x = np.mgrid[:22, :22] - 10.5
    image = np.repeat(((y**2 + x**2 <= 100) * np.uint8(100))[None], 6, 0)
    voxel = 0.5 * 0.25
    section = float((image[0] > 0).sum()) * voxel
    for more, area, modulus, words in (
        ("", section, E, "convex outline of the solid's projection along z"),
        ('area = "box"\n', 22 * 22 * voxel, E * section / (22 * 22 * voxel), "box of the image"),
        ('area = "solid_box"\n', 20 * 20 * voxel, E * section / (20 * 20 * voxel), "FAIM"),
        ('area = "solid"\n', section, E, "mean cross-section of the solid"),
        ("area_mm2 = 12.5\n", 12.5, E * section / 12.5, "given by load.area_mm2"),
    ):
        block(job, load("uniaxial") + more, image=image)
        summary = solved(job, ranks=2)
        assert summary["apparent_modulus_MPa"] == pytest.approx(modulus, rel=1e-6)
        assert summary["apparent_area_mm2"] == summary["load"]["cross_section_mm2"] == pytest.approx(area)
        assert words in summary["apparent_area_definition"]
        assert summary["load"]["cross_section_definition"] == summary["apparent_area_definition"]


@pytest.mark.parametrize(
    ("more", "printed"),
    [
        ('area = "box"\narea_mm2 = 2.0\n', "load.area: conflicts with area_mm2"),
        ("area_mm2 = -2.0\n", "load.area_mm2: -2 must be > 0 mm2"),
        ('area = "hull"\n', "load.area: 'hull' is not one of"),
    ],
)
def test_areas_that_make_no_sense_are_faults(job: Job, more: str, printed: str) -> None:
    """Oracle: the contract, with exit code 2 and the invalid key."""
    block(job, load("uniaxial") + more)
    done = job.run(command="check")
    assert done.code == 2
    assert printed in done.err + done.out


def test_sets_by_label_image_and_by_material(job: Job) -> None:
    """Oracle: the nodes that a box selects, which does not move with a crop. A label of the void around the solid
    selects no nodes."""
    image = np.zeros((6, 5, 6), np.uint8)
    image[:, 1:, :4] = 1
    image[5, 1:, :4] = 2
    labels = np.zeros((7, 5, 6), np.int16)
    labels[6, 3:, :2] = 700  # after cropping: 2 x 2 voxels at the top
    labels[6, 0, :] = 700
    np.save(job.folder / "labels.npy", labels)
    np.save(job.folder / "block.npy", np.concatenate([image[:1], image]))
    text = (
        '[image]\npath = "block.npy"\nspacing_mm = 1.0\ncrop_voxels = [[1, 7], [0, 5], [0, 6]]\n[segment]\nlabels = true\n'
        '[[material]]\nlabel = 1\nyoungs_modulus_MPa = 1000\npoisson_ratio = 0.3\n[[material]]\nname = "cap"\nlabel = 2\n'
        "youngs_modulus_MPa = 1000\npoisson_ratio = 0.3\n[solve]\ntolerance = 1e-10\n[picture]\nenabled = false\n"
        '[[support]]\non = "z_low"\nfix = "zyx"\n[[force]]\non = "a"\nforce_N = [-1, 0, 0]\n[[set]]\nname = "a"\n'
    )
    summaries = []
    for select in (
        'select = "image"\nimage = "labels.npy"\nlabels = [700]\n',
        'select = "box"\nlow_mm = [6, 3, 0]\nhigh_mm = [7, 5, 2]\n',
        'select = "material"\nmaterial = "cap"\n',
    ):
        job.write(text + select)
        summaries.append(solved(job, ranks=2))
    assert [s["forces"][0]["nodes"] for s in summaries] == [18, 18, 2 * 5 * 5]
    # The face of one material, and the same nodes selected by a box.
    for select in (
        'select = "face"\nface = "x_low"\nwithin = "m"\n[[set]]\nname = "m"\nselect = "material"\nmaterial = "cap"\n',
        'select = "box"\nlow_mm = [6, 1, 0]\nhigh_mm = [7, 5, 0]\n',
    ):
        job.write(text + select)
        summaries.append(solved(job, ranks=2))
    assert [s["forces"][0]["nodes"] for s in summaries[3:]] == [10, 10]
    assert summaries[3]["sed_MPa"]["max"] == pytest.approx(summaries[4]["sed_MPa"]["max"], rel=1e-6)
    assert summaries[0]["sed_MPa"]["max"] == pytest.approx(summaries[1]["sed_MPa"]["max"], rel=1e-6)
    job.write(text + 'select = "image"\nimage = "labels.npy"\nlabels = [700, 3]\n')
    done = job.run("-n", "2", "--no-report")
    assert done.code == 3
    assert "has the label 3" in done.err


UNIFORM = """[[support]]
on = "z_low"
fix = "z"
[[support]]
on = "y_low"
fix = "y"
[[support]]
on = "x_low"
fix = "x"
"""


def test_supports_and_forces_have_a_stiffness(job: Job) -> None:
    """Oracle: Hooke's law of a bar, E A / L. The state is uniform, so that the elements are exact."""
    stiffness = E * SIZE[1] * SIZE[2] / SIZE[0]
    block(
        job,
        '[[case]]\nname = "moved"\n[[case.support]]\non = "z_high"\nmove_z_mm = -0.02\n'
        '[[case]]\nname = "pushed"\n[[case.force]]\non = "z_high"\nforce_N = [-30.0, 0, 0]\nspread = "area"\n'
        + UNIFORM,
    )
    done = job.run("-n", "2", "--no-report")
    assert done.code == 0, done.err
    moved, pushed = done.summary["cases"]
    assert moved["stiffness_N_per_mm"] == pytest.approx(stiffness, rel=1e-8)
    assert pushed["stiffness_N_per_mm"] == pytest.approx(stiffness, rel=1e-8)
    assert pushed["forces"][0]["displacement_mm"] == pytest.approx(30 / stiffness, rel=1e-8)
    driven = next(s for s in moved["supports"] if s["on"] == "z_high")
    assert driven["reaction_N"] == pytest.approx([-0.02 * stiffness, 0, 0], abs=1e-8 * stiffness)
    # The terminal shows both cases and the reaction of every support in each.
    assert re.search(r"load case +moved +pushed\n", done.out), done.out
    assert "stiffness [N/mm]" in done.out
    assert done.out.count("reaction z, y, x [N]") == 2
    assert f"{-0.02 * stiffness:.4g}, 0, 0" in done.out
    assert "displacement along it [mm]" in done.out


def test_a_turned_support_has_the_stiffness_of_the_test(job: Job) -> None:
    """Oracle: the test `torsion` with bonded faces, which fixes and rotates the same nodes."""
    cases = (
        '[[case]]\nname = "test"\ntest = "torsion"\naxis = "z"\nbonded = true\n'
        '[[case]]\nname = "own"\n[[case.support]]\non = "z_low"\nfix = "zyx"\n'
        '[[case.support]]\non = "z_high"\nfix = "zyx"\nrotate_deg = [1, 0, 0]\n'
    )
    block(job, cases)
    test, own = solved(job)["cases"]
    assert own["stiffness_N_mm_per_deg"] == pytest.approx(test["stiffness_N_mm_per_deg"], rel=1e-7)


def test_what_two_things_drive_has_no_stiffness(job: Job) -> None:
    """Oracle: the contract. A stiffness is one load divided by one displacement."""
    both = '[[support]]\non = "z_high"\nmove_z_mm = -0.02\n[[force]]\non = "x_high"\nforce_N = [0, 0, 1]\n'
    block(job, UNIFORM + both)
    done = job.run("-n", "1", "--no-report")
    assert done.code == 0, done.err
    assert "stiffness_N_per_mm" not in done.summary
    assert "displacement_mm" in done.summary["forces"][0]
    assert "reaction z, y, x [N]" in done.out


@pytest.mark.parametrize(("thick", "is_told"), [(1, True), (2, False)])
def test_a_bent_strut_of_one_voxel_is_reported(job: Job, thick: int, is_told: bool) -> None:
    """Oracle: beam theory. The bending stress is zero on the axis, where the voxel centres of a strut of one voxel
    are."""
    image = np.full((12, thick, thick), 100, np.uint8)
    block(
        job,
        load("bending", axis="z", angle_deg=1.0),
        spacing=(1.0, 1.0, 1.0),
        image=np.pad(image, ((0, 0), (1, 1), (1, 1))),
    )
    done = job.run("-n", "1", "--no-report")
    assert done.code == 0, done.err
    assert ("% of the strain energy, because the solid bends" in done.err) == is_told


def test_a_mechanism_is_reported(job: Job) -> None:
    """Oracle: determined by hand. A block between two hinges, one above the other, rotates under a shear across the
    hinges."""
    image = np.zeros((6, 3, 4), np.uint8)
    image[:2, :, :2] = image[2:4, :, 2:] = image[4:, :, :2] = 100
    block(job, load("shear", axis="z", direction="x"), spacing=(1.0, 1.0, 1.0), image=image)
    file = job.folder / "job.toml"
    file.write_text(file.read_text().replace('keep = "all"', 'keep = "percolating"\nconnectivity = 26'))
    done = job.run("-n", "1", "--no-report")
    assert done.code == 0, done.err
    assert "moves like a mechanism" in done.err


def test_a_voxel_in_torsion_has_no_failure_load(job: Job) -> None:
    """Oracle: determined by hand. The strain is evaluated at the centre of the voxel, where it is zero."""
    block(job, load("torsion", axis="z"), shape=(1, 1, 1), spacing=(1.0, 1.0, 1.0))
    reported = solved(job)
    assert reported["stiffness_N_mm_per_deg"] > 0
    assert reported["pistoia"]["factor"] is None or reported["pistoia"]["factor"] > 1e6
