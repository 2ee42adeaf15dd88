"""Tests of VOX-FE scripts as jobs. The files of a user of VOX-FE or PARA-BMU run without changes and are exported
again."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from whole_job import BINARY, ROOT, Job, follows_schema

EXAMPLE = ROOT / "examples" / "voxfe"
TEXTS = ("displacement.txt", "fullstrain.txt", "reaction.txt", "sed.csv")


def osteon(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(BINARY), *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False)


def run(script: Path, out: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return osteon("run", script, "-o", out, "--no-report", *arguments)


@pytest.fixture
def case(tmp_path: Path, job: Job) -> Path:
    """Copy the example to a separate folder, without a picture, to save time. Return the script."""
    shutil.copytree(EXAMPLE, tmp_path / "case")
    return tmp_path / "case" / "cantilever.script"


def table(path: Path, skip: int) -> np.ndarray:
    return np.array([line.replace(":", " ").split() for line in path.read_text().splitlines()[skip:]], float)


def test_cantilever_agrees_with_beam_theory(case: Path, tmp_path: Path) -> None:
    """Oracle: Timoshenko's beam, to the error of four bricks through the depth. Further oracles are equilibrium and the
    energy of the load."""
    done = run(case, tmp_path / "out", "-n", "2")
    assert done.returncode == 0, done.stderr
    follows_schema(json.loads((tmp_path / "out" / "summary.json").read_text()), "summary")
    u = table(tmp_path / "out" / "displacement.txt", 4)
    assert u.shape == (21 * 5 * 5, 4)
    assert np.array_equal(u[:, 0], np.arange(len(u)))
    length, depth, modulus, load = 2.0, 0.4, 17000.0, 0.5
    beam = load * length**3 / (3 * modulus * depth**4 / 12) + load * length / (0.84967 * modulus / 2.6 * depth**2)
    tip = u.reshape(5, 5, 21, 4)[:, :, -1, 2]
    assert tip.mean() == pytest.approx(-beam, rel=0.1)
    reaction = table(tmp_path / "out" / "reaction.txt", 1)
    assert len(reaction) == 50
    assert reaction[:, 4:7].sum(axis=0) + reaction[:, 7:10].sum(axis=0) == pytest.approx([0, 0, 0], abs=1e-8)
    assert reaction[:, 7:10].sum(axis=0) == pytest.approx([0, -load, 0])
    sed = np.genfromtxt(tmp_path / "out" / "sed.csv", delimiter=",", skip_header=1)
    assert sed.shape == (320, 6)
    assert sed[:, 5].sum() * 0.1**3 == pytest.approx(load * -tip.mean() / 2, rel=1e-6)
    strain = table(tmp_path / "out" / "fullstrain.txt", 9)
    assert np.array_equal(strain[:, 5:8], u[:, 1:4])
    assert strain[:, 14:17].sum(axis=1) == pytest.approx(strain[:, 8:11].sum(axis=1), abs=1e-11)
    assert np.all(np.diff(strain[:, 14:17], axis=1) <= 0)
    netcdf4 = pytest.importorskip("netCDF4")
    with netcdf4.Dataset(tmp_path / "out" / "results.nc") as file:
        field = file["VTKHDF/PointData/displacement"][:]
    assert np.asarray(field).reshape(-1, 3) == pytest.approx(u[:, 1:], rel=1e-6, abs=1e-12)


def test_ranks_and_ways_write_the_same_files(case: Path, tmp_path: Path) -> None:
    """Oracle: one rank. Numbers agree to the solver tolerance, and all other output agrees to the byte."""
    results = {}
    for name, arguments in {
        "one": ("-n", "1"),
        "three": ("-n", "3"),
        "serial": ("-n", "3", "--io", "text-serial"),
        "four": ("-n", "4", "--io", "text-serial"),
    }.items():
        done = run(case, tmp_path / name, *arguments)
        assert done.returncode == 0, done.stderr
        results[name] = tmp_path / name
    for text in TEXTS:
        assert (results["three"] / text).read_bytes() == (results["serial"] / text).read_bytes()
        skip = {"displacement.txt": 4, "fullstrain.txt": 9, "reaction.txt": 1, "sed.csv": 1}[text]
        one, four = (
            np.array([line.replace(",", " ").replace(":", " ").split() for line in lines[skip:]], float)
            for lines in ((results[n] / text).read_text().splitlines() for n in ("one", "four"))
        )
        assert four == pytest.approx(one, rel=1e-6, abs=1e-7 * np.abs(one[:, -3:]).max())


@pytest.mark.parametrize("ranks", [1, 2, 3, 6])
def test_any_number_of_ranks_under_a_launcher(case: Path, tmp_path: Path, ranks: int) -> None:
    """Oracle: one rank, started by osteon. The model has 4 planes, so that 2 of 6 ranks are idle."""
    one = run(case, tmp_path / "one", "-n", "1")
    assert one.returncode == 0, one.stderr
    launcher = [
        str(ROOT / "tools" / "mpirun.sh"),
        str(ranks),
        str(BINARY),
        "run",
        str(case),
        "-o",
        str(tmp_path / "many"),
        "--no-report",
    ]
    done = subprocess.run(launcher, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert ("2 of the 6 ranks are idle" in done.stdout + done.stderr) == (ranks == 6)
    for text, skip in {"displacement.txt": 4, "reaction.txt": 1}.items():
        expected, found = (table(tmp_path / name / text, skip) for name in ("one", "many"))
        assert found == pytest.approx(expected, rel=1e-6, abs=1e-7 * np.abs(expected[:, -3:]).max())


def test_more_ranks_than_planes_end_together_on_a_fault(case: Path, tmp_path: Path) -> None:
    """Oracle: the exit code and the text of one rank. No rank waits for failed ranks."""
    (case.parent / "model.txt").write_text((case.parent / "model.txt").read_text().replace("1 1 1 1 1", "1 7 1 1 1", 1))
    one = run(case, tmp_path / "one", "-n", "1")
    launcher = [
        str(ROOT / "tools" / "mpirun.sh"),
        "6",
        str(BINARY),
        "run",
        str(case),
        "-o",
        str(tmp_path / "many"),
        "--no-report",
    ]
    done = subprocess.run(launcher, capture_output=True, text=True, timeout=60, check=False)
    assert one.returncode == done.returncode == 3, done.stderr
    assert run(case, tmp_path / "clamped", "-n", "6").returncode == 3


def test_text_to_netcdf_to_text_is_byte_identical(case: Path, tmp_path: Path) -> None:
    """Oracle: the canonical files of the example."""
    assert osteon("convert", case, tmp_path / "model.nc").returncode == 0
    done = osteon("convert", tmp_path / "model.nc", tmp_path / "back" / case.name)
    assert done.returncode == 0, done.stderr
    for name in ("cantilever.script", "model.txt", "materials.txt", "constraints.txt"):
        assert (tmp_path / "back" / name).read_bytes() == (case.parent / name).read_bytes(), name


def test_hundreds_of_materials_go_to_netcdf_and_back(case: Path, tmp_path: Path) -> None:
    """Oracle: the canonical files. Each of the 320 elements of the example has a separate material."""
    lines = (case.parent / "model.txt").read_text().split("\n")
    elements = [line.split() for line in lines[1:] if line]
    (case.parent / "model.txt").write_text(
        lines[0] + "\n" + "".join(f"{n} {n} {' '.join(place)}\n" for n, _, *place in elements)
    )
    rows = "".join(f"{n} {17000 + n} 0.3 1\n" for n in range(1, len(elements) + 1))
    (case.parent / "materials.txt").write_text(rows)
    assert len(elements) == 320
    assert osteon("convert", case, tmp_path / "model.nc").returncode == 0
    assert osteon("verify", tmp_path / "model.nc").returncode == 0
    done = osteon("convert", tmp_path / "model.nc", tmp_path / "back" / case.name)
    assert done.returncode == 0, done.stderr
    for name in ("cantilever.script", "model.txt", "materials.txt", "constraints.txt"):
        assert (tmp_path / "back" / name).read_bytes() == (case.parent / name).read_bytes(), name
    seds = []
    for ranks in ("1", "3"):
        done = run(case, tmp_path / ranks, "-n", ranks)
        assert done.returncode == 0, done.stderr
        seds.append([line.split(",") for line in (tmp_path / ranks / "sed.csv").read_text().splitlines()[1:]])
    assert sorted(int(row[1]) for row in seds[0]) == list(range(1, 321))
    assert [row[:5] for row in seds[0]] == [row[:5] for row in seds[1]]


def test_metres_and_pascals_give_the_same_answer(case: Path, tmp_path: Path) -> None:
    """Oracle: the same beam in mm and MPa. The text results have the units of the script."""
    script = case.read_text().replace("0.1 0.1 0.1", "1e-4 1e-4 1e-4").replace("PRINT_X", "PRINT_DISPLACEMENTS")
    case.write_text("# in m and Pa\r\n" + script.replace("\n", "\r\n"))
    (case.parent / "materials.txt").write_text("1 1.7e10 0.3 1\n")
    refused = osteon("check", case)
    assert refused.returncode == 2
    assert "--units m" in refused.stdout
    assert run(case, tmp_path / "m", "-n", "1", "--units", "m").returncode == 0
    assert run(EXAMPLE / case.name, tmp_path / "mm", "-n", "1").returncode == 0
    metres = table(tmp_path / "m" / "displacement.txt", 3)
    assert metres[:, 4:] * 1e3 == pytest.approx(
        table(tmp_path / "mm" / "displacement.txt", 4)[:, 1:], rel=1e-6, abs=1e-12
    )
    assert np.array_equal(metres[:, 0], metres[:, 1] + 21 * (metres[:, 2] + 5 * metres[:, 3]))
    sed = [np.genfromtxt(tmp_path / n / "sed.csv", delimiter=",", skip_header=1)[:, 5] for n in ("m", "mm")]
    assert sed[0] == pytest.approx(1e6 * sed[1], rel=1e-6)


def test_islands_carry_no_load_and_keep_their_numbers(case: Path, tmp_path: Path) -> None:
    """Oracle: the same beam alone. An unconnected element is numbered and does not move."""
    model = (case.parent / "model.txt").read_text().splitlines()
    script = case.read_text()
    case.write_text(script.replace("20 4 4 model", "20 4 6 model"))
    (case.parent / "model.txt").write_text("\n".join(["321", *model[1:], "321 1 10 2 6"]) + "\n")
    done = run(case, tmp_path / "out", "-n", "2")
    assert done.returncode == 0, done.stderr
    assert run(EXAMPLE / case.name, tmp_path / "alone", "-n", "1").returncode == 0
    u, alone = (table(tmp_path / n / "displacement.txt", 4) for n in ("out", "alone"))
    assert len(u) == len(alone) + 8
    assert u[: len(alone)] == pytest.approx(alone, rel=1e-6, abs=1e-10)
    assert not u[len(alone) :, 1:].any()
    assert (tmp_path / "out" / "sed.csv").read_text().splitlines()[-1] == "321,1,10,2,6,0.000000000e+00"


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        ("model.txt", "7 1 7 1 1", "7 1 7 1", "model.txt:8: element '7 1 7 1' must be"),
        ("model.txt", "320\n", "321\n", "321 elements exceed the grid"),
        ("materials.txt", "0.3", "0.5", "Poisson's ratio 0.5 must be in (-1, 0.5)"),
        ("constraints.txt", "21 1 1 0 -0.02", "21 1 9 0 -0.02", "constraints.txt:26: z = 9 is not a node"),
        (
            "cantilever.script",
            "LOAD_MCTSCAN 20 4 4",
            "LOAD_MCTSCAN 4 20 4",
            "model.txt:6: x = 5 is outside of the grid of 4 x 20 x 4",
        ),
        ("cantilever.script", "materials.txt", "nothing.txt", "cannot read"),
        ("cantilever.script", "PRINT_X displacement.txt", "PRINT_X ..", "results file '..': invalid name"),
    ],
)
def test_faults_are_reported(case: Path, tmp_path: Path, file: str, old: str, new: str, words: str) -> None:
    """Oracle: the file, the line and the value, an exit code, and no result that looks finished."""
    path = case.parent / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))
    done = run(case, tmp_path / "out", "-n", "2")
    assert done.returncode in (2, 3)
    assert words in done.stderr
    assert not (tmp_path / "out" / "summary.json").exists()


def test_a_force_in_empty_space_is_refused(case: Path, tmp_path: Path) -> None:
    """Oracle: equilibrium. A force that is not applied to any voxel would be lost silently."""
    script = case.read_text()
    case.write_text(script.replace("20 4 4 model", "20 4 6 model"))
    nodes = case.parent / "constraints.txt"
    nodes.write_text(nodes.read_text() + "SELECT_NODE_3D 5 5 7 1 0 0 0 0 0\n")
    done = run(case, tmp_path / "out", "-n", "1")
    assert done.returncode == 3
    assert "x, y, z = 4, 4, 6" in done.stderr


def test_an_unfinished_solution_leaves_no_text(case: Path, tmp_path: Path) -> None:
    """Oracle: text results cannot mark missing convergence. No text results exist, not even the results of an earlier
    run."""
    assert run(case, tmp_path / "out", "-n", "1").returncode == 0
    case.write_text(case.read_text().replace("MAX_ITER 2000", "MAX_ITER 1"))
    done = run(case, tmp_path / "out", "-n", "1")
    assert done.returncode == 4, done.stderr
    assert not any((tmp_path / "out" / text).exists() for text in TEXTS)


def test_options_of_scripts_are_refused_for_other_jobs(job: Job, sponge: Path) -> None:
    """Oracle: a TOML job has its own units."""
    job.write(
        f'[image]\npath = "{sponge}"\nspacing_mm = 1\n[[material]]\nyoungs_modulus_MPa = 1\npoisson_ratio = 0.3\n'
    )
    assert job.run("--units", "m").code == 2
