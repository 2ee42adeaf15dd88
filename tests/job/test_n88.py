"""Tests of models of FAIM and n88tools. The models are exported from a job, and run as a job."""

from __future__ import annotations

import json
import random
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from whole_job import Finished, Job, follows_schema, job_text, osteon

MODULUS, RATIO, EDGE = 6829.0, 0.3, 0.0607
STEPS = [(z, y, x) for z in (0, 1) for y in (0, 1) for x in (0, 1)]  # corners of VTK_VOXEL


def solid(shape: tuple[int, int, int] = (7, 6, 5), seed: int = 8) -> np.ndarray:
    voxels = np.random.default_rng(seed).random(shape) < 0.75
    voxels[0] = voxels[-1] = voxels[:, 0] = voxels[:, -1] = voxels[:, :, 0] = voxels[:, :, -1] = True
    return voxels


def write_model(
    path: Path,
    voxels: np.ndarray,
    constraints: dict[str, tuple[str, list[tuple[tuple[int, int, int], int, float]]]],
    *,
    materials: dict[int, tuple[str, dict]] | None = None,
    shuffled: bool = False,
    edge: tuple[float, float, float] = (EDGE, EDGE, EDGE),
    low: tuple[float, float, float] = (3.0, -2.0, 11.5),
) -> None:
    """Write a model in the layout of vtkbone, independent of osteon. `constraints` contains a type, and then the
    position of a node, a sense and a value."""
    cells = np.argwhere(voxels)
    ids = voxels[voxels != 0].astype(int)
    order = np.random.default_rng(1).permutation(len(cells)) if shuffled else np.arange(len(cells))
    cells, ids = cells[order], ids[order]
    corners = cells[:, None, :] + np.array(STEPS)
    places, numbers = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    numbers = numbers.reshape(-1, 8)
    if shuffled:
        new = np.random.default_rng(2).permutation(len(places))
        places, numbers = places[np.argsort(new)], new[numbers]
    of_place = {tuple(p): n + 1 for n, p in enumerate(places)}
    with netCDF4.Dataset(path, "w") as file:
        file.Conventions = "Numerics88/Finite_Element_Model-1.0"
        file.ActiveProblem = "Problem1"
        file.createDimension("Dimensionality", 3)
        definitions = file.createGroup("MaterialDefinitions")
        materials = materials or {1: ("bone", {"Type": "LinearIsotropic", "E": MODULUS, "nu": RATIO})}
        for name, values in materials.values():
            group = definitions.createGroup(name)
            for key, value in values.items():
                if isinstance(value, list):
                    if "MaterialArrayLength" not in group.dimensions:
                        group.createDimension("MaterialArrayLength", len(value))
                    group.createVariable(key, "f4", "MaterialArrayLength")[:] = value
                else:
                    setattr(group, key, value)
        part = file.createGroup("Parts/Part1")
        part.createDimension("NumberOfNodes", len(places))
        at = places[:, ::-1] * np.array(edge)[::-1] + np.array(low)[::-1]
        part.createVariable("NodeCoordinates", "f4", ("NumberOfNodes", "Dimensionality"))[:] = at
        group = part.createGroup("Elements/Hexahedrons")
        group.createDimension("NumberOfNodesPerElement", 8)
        group.createDimension("NumberOfElements", len(cells))
        group.createVariable("ElementNumber", "u4", "NumberOfElements")[:] = np.arange(len(cells)) + 1
        group.createVariable("NodeNumbers", "u4", ("NumberOfElements", "NumberOfNodesPerElement"))[:] = numbers + 1
        group.createVariable("MaterialID", "u4", "NumberOfElements")[:] = ids
        table = part.createGroup("MaterialTable")
        table.createDimension("Size", len(materials))
        table.createVariable("ID", "u4", "Size")[:] = list(materials)
        names = table.createVariable("MaterialName", str, "Size")
        for n, (name, _) in enumerate(materials.values()):
            names[n] = name
        for name, (kind, values) in constraints.items():
            group = file.createGroup(f"Constraints/{name}")
            group.Part, group.Type = "Part1", kind
            group.createDimension("NumberOfValues", len(values))
            group.createVariable("NodeNumber", "u4", "NumberOfValues")[:] = [of_place[p] for p, _, _ in values]
            group.createVariable("Sense", "i1", "NumberOfValues")[:] = [s for _, s, _ in values]
            group.createVariable("Value", "f4", "NumberOfValues")[:] = [v for _, _, v in values]
        problem = file.createGroup("Problems/Problem1")
        problem.Part, problem.Constraints = "Part1", ",".join(constraints)


def compression(voxels: np.ndarray, moved_mm: float) -> dict:
    """Both faces across z are fixed in all directions, and the high face is displaced along z."""
    n = voxels.shape
    face = [(y, x) for y in range(n[1] + 1) for x in range(n[2] + 1)]  # solid everywhere (see solid())
    low = [((0, y, x), s, 0.0) for y, x in face for s in (1, 2, 3)]
    across = [((n[0], y, x), s, 0.0) for y, x in face for s in (1, 2)]
    return {
        "bottom_fixed": ("NodeAxisDisplacement", low),
        "top_fixed": ("NodeAxisDisplacement", across),
        "top_displacement": ("NodeAxisDisplacement", [((n[0], y, x), 3, moved_mm) for y, x in face]),
    }


def run(path: Path, out: Path, *more: str, code: int = 0) -> tuple[dict, str]:
    done = osteon("run", str(path), "-o", str(out), "--no-report", *(more or ("-n", "1")), timeout=120)
    assert done.returncode == code, done.stderr
    return Finished(0, "", "", 0, out).summary if code == 0 else {}, done.stderr


def axial(
    job: Job, voxels: np.ndarray, moved_mm: float, spacing: str = f"spacing_mm = {EDGE}", more: str = ""
) -> Finished:
    """The same compression as a job of osteon on the image."""
    np.save(job.folder / "image.npy", np.where(voxels, 200, 10).astype("u1"))
    load = f'[segment]\nthreshold = 100\n[load]\ntest = "axial_bonded"\naxis = "z"\ndisplacement_mm = {moved_mm}\n'
    job.write(job_text("image.npy", more=load + more + "[solve]\ntolerance = 1e-9\n", spacing=spacing))
    done = job.run("-n", "1", "--no-report")
    assert done.code == 0, done.err
    return done


@pytest.mark.parametrize("shuffled", [False, True], ids=["in order", "in any order"])
def test_a_model_runs_as_the_job_does(job: Job, tmp_path: Path, shuffled: bool) -> None:
    """Oracle: the same compression of the image. The test writes the model independently of osteon."""
    voxels, moved = solid(), -0.004
    ours = axial(job, voxels, moved).summary
    write_model(tmp_path / "bone.n88model", voxels, compression(voxels, moved), shuffled=shuffled)
    for ranks in ("1", "3"):
        reported, log = run(tmp_path / "bone.n88model", tmp_path / f"out{ranks}", "-n", ranks)
        assert reported["stiffness_N_per_mm"] == pytest.approx(ours["stiffness_N_per_mm"], rel=1e-6), log
        by_name = {s["on"]: s for s in reported["supports"]}
        assert set(by_name) == {"nodes held along zyx", "nodes moved along zyx by -0.004, 0, 0 mm"}
        np.testing.assert_allclose(
            by_name["nodes moved along zyx by -0.004, 0, 0 mm"]["reaction_N"],
            ours["reaction_N"],
            atol=1e-6 * abs(ours["reaction_N"][0]),
        )
    with netCDF4.Dataset(tmp_path / "out3" / "results.nc") as file:
        np.testing.assert_array_equal(np.array(file["VTKHDF/CellData/material"][:]) > 0, voxels)


def test_a_job_comes_back_from_its_model(job: Job, tmp_path: Path) -> None:
    """Oracle: the job itself, and the lists in the file. The test includes unequal edges and two load cases."""
    voxels = solid()
    ours = axial(job, voxels, -0.004, spacing="spacing_mm = [0.05, 0.03, 0.02]").summary
    target = job.folder / "model.n88model"
    done = osteon("export", str(job.folder / "job.toml"), "-o", str(target), "--json", "-")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    follows_schema(answer, "n88model")
    with netCDF4.Dataset(target) as file:
        assert file.Conventions == "Numerics88/Finite_Element_Model-1.0" and file.ActiveProblem == "Problem1"
        hexahedra = file["Parts/Part1/Elements/Hexahedrons"]
        assert len(hexahedra["ElementNumber"]) == answer["elements"] == voxels.sum()
        at = file["Parts/Part1/NodeCoordinates"][:][hexahedra["NodeNumbers"][:].astype(int) - 1]
        np.testing.assert_allclose(at - at[:, :1], np.array(STEPS)[:, ::-1] * [0.02, 0.03, 0.05] + 0 * at, atol=1e-6)
        np.testing.assert_array_equal(np.rint(at[:, 0, ::-1] / [0.05, 0.03, 0.02]), np.argwhere(voxels))
        moved = file["Constraints/Problem1 displacements"]
        assert moved.Type == "NodeAxisDisplacement" and set(moved["Sense"][:]) == {1, 2, 3}
        assert set(file["Sets/NodeSets"].groups) == {"z_low", "z_high"}
        (material,) = file["MaterialDefinitions"].groups.values()
        assert (material.Type, material.E, material.nu) == ("LinearIsotropic", MODULUS, RATIO)
    again, _ = run(target, tmp_path / "again")
    assert again["stiffness_N_per_mm"] == pytest.approx(ours["stiffness_N_per_mm"], rel=1e-6)


def test_forces_and_materials(job: Job, tmp_path: Path) -> None:
    """Oracle: a bar of two materials under tension by nodal forces, with F L / (E A) of each material. The file has
    arrays of materials. An ignored yield criterion is reported."""
    voxels = np.ones((8, 2, 2), int)
    voxels[4:] = 6  # a number of the array that begins at 5
    nodes = [(y, x) for y in range(3) for x in range(3)]
    share = {0: 1, 1: 2, 2: 1}
    pulled = [((8, y, x), 3, 16.0 * share[y] * share[x] / 16) for y, x in nodes]
    constraints = {
        "foot": ("NodeAxisDisplacement", [((0, y, x), 3, 0.0) for y, x in nodes]),
        "left": ("NodeAxisDisplacement", [((z, y, 0), 1, 0.0) for z in range(9) for y in range(3)]),
        "front": ("NodeAxisDisplacement", [((z, 0, x), 2, 0.0) for z in range(9) for x in range(3)]),
        "pull": ("NodeAxisForce", pulled),
    }
    path = tmp_path / "bar.n88model"
    write_model(
        path,
        voxels,
        constraints,
        materials={
            1: ("hard", {"Type": "VonMisesIsotropic", "E": 2000.0, "nu": 0.0, "Y": 50.0}),
            5: ("graded", {"Type": "LinearIsotropic", "E": [100.0, 500.0], "nu": [0.0, 0.0]}),
        },
        edge=(0.5, 0.5, 0.5),
    )
    reported, log = run(path, tmp_path / "out")
    (force,) = reported["forces"]
    assert force["force_N"] == pytest.approx([16, 0, 0]) and force["on"] == "forces of the model"
    assert force["displacement_mm"] == pytest.approx(16 * 2 / 2000 + 16 * 2 / 500, rel=1e-5)
    assert "'hard': yield (VonMisesIsotropic) is ignored" in log
    # The converted model is equal, and so is a VOX-FE script.
    for target in (tmp_path / "model.nc", tmp_path / "script.txt"):
        source = path if target.suffix == ".nc" else tmp_path / "model.nc"
        done = osteon("convert", str(source), str(target))
        assert done.returncode == 0, done.stderr
    done = osteon(
        "run", str(tmp_path / "script.txt"), "-o", str(tmp_path / "again"), "--no-report", "-n", "1", "--units", "mm"
    )
    assert done.returncode == 0, done.stderr
    again = Finished(0, "", "", 0, tmp_path / "again").summary
    assert again["forces"][0]["displacement_mm"] == pytest.approx(force["displacement_mm"], rel=1e-6)


def test_nodes_that_move_each_by_its_own(job: Job, tmp_path: Path) -> None:
    """Oracle: a linear displacement field on the surface is also the solution inside. The field is uniform shear, whose
    energy is computed by hand."""
    voxels = np.ones((4, 4, 4), int)
    outer = [p for p in np.ndindex(5, 5, 5) if 0 in p or 4 in p]
    gamma = 0.002
    values = [(p, s, gamma * p[0] * EDGE if s == 1 else 0.0) for p in outer for s in (1, 2, 3)]
    path = tmp_path / "cube.n88model"
    write_model(path, voxels, {"surface": ("NodeAxisDisplacement", values)})
    reported, _ = run(path, tmp_path / "out", "-n", "2")
    modulus = MODULUS / 2 / (1 + RATIO)
    energy = 0.5 * modulus * gamma**2 * (4 * EDGE) ** 3
    assert reported["strain_energy_mJ"] == pytest.approx(energy, rel=1e-5)
    # Rows of the surface have equal displacements. There are five distances, which are few enough for separate
    # supports.
    assert "stiffness_N_per_mm" not in reported
    values = [(p, s, 1e-3 * EDGE * (p[2] - 2 * p[1] + 3 * p[0]) if s == 1 else 0.0) for p in outer for s in (1, 2, 3)]
    write_model(path, voxels, {"surface": ("NodeAxisDisplacement", values)})
    reported, _ = run(path, tmp_path / "own", "-n", "2")
    (support,) = reported["supports"]
    assert support["on"] == "nodes moved along zyx, individual displacements"
    strain = np.array([1e-3, -1e-3, 1.5e-3])  # the strain xx, and halves of the shears xy and xz
    lame = MODULUS * RATIO / (1 + RATIO) / (1 - 2 * RATIO)
    density = 0.5 * lame * strain[0] ** 2 + modulus * (strain[0] ** 2 + 2 * strain[1] ** 2 + 2 * strain[2] ** 2)
    assert reported["strain_energy_mJ"] == pytest.approx(density * (4 * EDGE) ** 3, rel=1e-5)


def damaged(path: Path, change) -> Path:
    with netCDF4.Dataset(path, "a") as file:
        change(file)
    return path


def set_value(variable: str, where, value):
    def change(file: netCDF4.Dataset) -> None:
        file[variable][where] = value

    return change


def set_attribute(group: str, name: str, value: str):
    return lambda file: setattr(file[group] if group else file, name, value)


HEXAHEDRA = "Parts/Part1/Elements/Hexahedrons"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (set_attribute("", "Conventions", "CF-1.8"), "for models of FAIM and n88tools"),
        (set_attribute("", "ActiveProblem", "Problem7"), "missing group 'Problem7'"),
        (set_attribute("Constraints/top_fixed", "Type", "NodeRotation"), "type 'NodeRotation'"),
        (set_attribute("MaterialDefinitions/bone", "Type", "LinearOrthotropic"), "use an isotropic material"),
        (set_attribute("MaterialDefinitions/bone", "E", -3.0), "E is -3 MPa"),
        (set_attribute("MaterialDefinitions/bone", "nu", 0.5), "nu is 0.5"),
        (set_attribute("Problems/Problem1", "Constraints", "bottom_fixed,side"), "missing group 'side'"),
        (set_value(f"{HEXAHEDRA}/NodeNumbers", (3, 5), 100000), "node 100000 does not exist"),
        (set_value(f"{HEXAHEDRA}/NodeNumbers", (3, 5), 0), "node 0 does not exist"),
        (set_value(f"{HEXAHEDRA}/NodeNumbers", (3, 5), 1), "element 4 is not on the grid"),
        (set_value(f"{HEXAHEDRA}/MaterialID", 7, 9), "element 8: material 9"),
        (set_value("Parts/Part1/NodeCoordinates", (9, 1), np.nan), "the position of node 10 must be finite"),
        (set_value("Parts/Part1/NodeCoordinates", (40, 0), 3.3 + EDGE / 2), "is not on the grid"),
        (set_value("Parts/Part1/NodeCoordinates", (9, 1), 1e6), "improbable"),
        (set_value("Constraints/top_fixed/Sense", 4, 0), "Sense 0 must be"),
        (set_value("Constraints/top_displacement/NodeNumber", 0, 5000), "node 5000 does not exist"),
        (set_value("Constraints/top_displacement/Value", 0, np.inf), "must be finite"),
        (lambda file: file["Parts/Part1/Elements"].createGroup("Tetrahedrons"), "use hexahedra"),
    ],
)
def test_what_is_no_voxel_model_is_refused(tmp_path: Path, change, words: str) -> None:
    """Oracle: the contract, with exit code 3, a sentence with the name of the file, and no results."""
    voxels = solid()
    path = tmp_path / "bone.n88model"
    write_model(path, voxels, compression(voxels, -0.001))
    _, told = run(damaged(path, change), tmp_path / "out", "-n", "2", code=3)
    assert words in told and "bone.n88model" in told, told
    assert not (tmp_path / "out" / "results.nc").exists()


def test_two_elements_in_one_place_and_files_that_are_none(tmp_path: Path) -> None:
    """Oracle: the contract."""
    voxels = solid()
    path = tmp_path / "bone.n88model"
    write_model(path, voxels, compression(voxels, -0.001))

    def twice(file: netCDF4.Dataset) -> None:
        numbers = file[f"{HEXAHEDRA}/NodeNumbers"]
        numbers[1] = numbers[0]

    _, told = run(damaged(path, twice), tmp_path / "out", "-n", "2", code=3)
    assert "duplicate element at voxel x, y, z = 0, 0, 0" in told
    (tmp_path / "text.n88model").write_text("no netCDF")
    _, told = run(tmp_path / "text.n88model", tmp_path / "out", code=3)
    assert "text.n88model" in told
    _, told = run(tmp_path / "absent.n88model", tmp_path / "out", code=2)
    assert "no such file" in told
    _, told = run(path, tmp_path / "out", "--set", "solve.tolerance=1e-3", code=2)
    assert "--set applies to TOML job files" in told
    done = osteon("check", str(path))
    assert done.returncode == 2 and "duplicate element at" in done.stdout, done.stderr


def test_flipped_bytes_never_hang_or_crash(tmp_path: Path) -> None:
    """Oracle: an exit code of the contract. Results of files that are still valid models are not compared."""
    voxels = solid((4, 3, 3))
    path = tmp_path / "bone.n88model"
    write_model(path, voxels, compression(voxels, -0.001))
    whole, draw = path.read_bytes(), random.Random(4)
    for _ in range(25):
        bytes_ = bytearray(whole)
        for _ in range(draw.choice((1, 20))):
            bytes_[draw.randrange(len(bytes_))] ^= 1 << draw.randrange(8)
        path.write_bytes(bytes_ if draw.random() < 0.8 else bytes_[: draw.randrange(len(bytes_))])
        done = osteon("import", str(path), "-o", str(tmp_path / "model.nc"), timeout=60)
        assert done.returncode in (0, 2, 3, 5), (done.returncode, done.stderr)


def test_cubes_of_a_model_are_refused(tmp_path: Path) -> None:
    """Oracle: the contract. A model has no image from which cubes can be cut."""
    voxels = solid()
    write_model(tmp_path / "bone.n88model", voxels, compression(voxels, -0.001))
    done = osteon("rev", "bone.n88model", folder=tmp_path)
    assert done.returncode == 2 and "is a model of another program" in done.stderr, done.stderr


def test_conditions_that_move_nodes_are_no_script(job: Job, tmp_path: Path) -> None:
    """Oracle: the contract. VOX-FE scripts can only fix nodes. An error reports the displacement, which would otherwise
    be lost."""
    voxels = solid()
    path = tmp_path / "bone.n88model"
    write_model(path, voxels, compression(voxels, -0.001))
    assert osteon("convert", str(path), str(tmp_path / "model.nc")).returncode == 0
    done = osteon("convert", str(tmp_path / "model.nc"), str(tmp_path / "script.txt"))
    assert done.returncode == 2 and "VOX-FE scripts support only fixed nodes" in done.stderr, done.stderr
