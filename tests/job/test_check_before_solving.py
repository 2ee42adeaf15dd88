"""Tests of errors that `run` reports before it solves. `check` reports these errors with the same text, for every kind
of load and every source of a model."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from test_voxfe import EXAMPLE, osteon
from whole_job import Job, job_text

SEGMENT = "[segment]\nthreshold = 50\n"
ALL = SEGMENT + 'keep = "all"\n'
HOMOGENISE = '[load]\ntest = "homogenise"\n'
PERIODIC = HOMOGENISE + 'boundary = "periodic"\n'
TENSOR = '[load]\ntest = "conductivity_tensor"\n'
ROUND = '[load]\ntest = "heat_transfer"\n[[boundary]]\nface = "x"\nkind = "periodic"\n'
STEPS = "[transient]\ninitial_K = 300\nend_s = 1\nstep_s = 0.5\n"
WARM = "[load]\nreference_K = 300\nlow_K = 310\nhigh_K = 350\n"


def block() -> np.ndarray:
    return np.full((6, 5, 4), 100, np.uint8)


def half() -> np.ndarray:
    """A solid in the low half of x. The high x face has no voxels that match this solid."""
    image = np.zeros((6, 4, 6), np.uint8)
    image[:, :, :3] = 100
    return image


def step() -> np.ndarray:
    """A solid that touches both faces across x, at different heights."""
    image = np.zeros((6, 4, 6), np.uint8)
    image[:3, :, :4] = image[3:, :, 2:] = 100
    return image


def with_island() -> np.ndarray:
    image = np.zeros((8, 7, 7), np.uint8)
    image[:, 1:3, 1:3] = 100
    image[3:5, 5, 5] = 100
    return image


def write(job: Job, physics: str, image: np.ndarray, more: str) -> None:
    np.save(job.folder / "image.npy", image)
    text = job_text("image.npy", physics, more).replace("[picture]", "[picture]\nenabled = false")
    if physics == "heat":
        text = text.replace("[[material]]\n", "[[material]]\nheat_capacity_J_per_m3K = 2e6\n", 1)
    job.write(text)


def same_words(done: tuple[int, str], checked: tuple[int, str], said: str) -> None:
    """Oracle: the program itself. Each error of `check` is an error message of `run`."""
    assert done[0] in (2, 3), done
    assert checked[0] == 2, checked
    problems = json.loads(checked[1])["problems"]
    assert problems
    for problem in problems:
        assert problem["text"] in done[1]
    assert any(said in problem["text"] for problem in problems), problems


@pytest.mark.parametrize(
    ("physics", "image", "more", "printed"),
    [
        ("elasticity", half, SEGMENT + PERIODIC, "periodic x faces has a partner on the opposite face"),
        ("elasticity", with_island, ALL + HOMOGENISE, "1 of the 2 parts of the solid (2 voxels) are loose"),
        ("elasticity", with_island, ALL, "1 of the 2 parts of the solid (2 voxels) are not supported"),
        (
            "elasticity",
            block,
            SEGMENT + '[load]\ntest = "custom"\n[[support]]\non = "z_low"\nfix = "zyx"\n'
            '[[support]]\non = "x_low"\nfix = "z"\nmove_x_mm = 0.1\n',
            "two supports prescribe different displacements",
        ),
        ("heat", step, SEGMENT + ROUND + STEPS, "the periodic x faces have no common solid position"),
        ("heat", step, SEGMENT + ROUND + STEPS.replace("0.5", "2"), "2 s exceeds transient.end_s = 1 s"),
        ("heat", step, SEGMENT + ROUND, "the periodic x faces have no common solid position"),
        ("thermo_elasticity", half, SEGMENT + WARM + 'axis = "x"\n', "the solid does not touch the"),
        ("thermo_elasticity", block, SEGMENT + "[load]\nlow_K = 310\n", "stress-free temperature"),
    ],
)
def test_what_run_refuses_before_solving(job: Job, physics: str, image, more: str, printed: str) -> None:
    write(job, physics, image(), more)
    done, checked = job.run("-n", "2", "--no-report"), job.run("--json", "-", command="check")
    same_words((done.code, done.err), (checked.code, checked.out), printed)


def test_materials_without_an_expansion(job: Job) -> None:
    write(job, "thermo_elasticity", block(), SEGMENT + WARM)
    path = job.folder / "job.toml"
    path.write_text(path.read_text().replace("thermal_expansion_per_K = 2e-5\n", ""))
    done, checked = job.run("-n", "1", "--no-report"), job.run("--json", "-", command="check")
    same_words((done.code, done.err), (checked.code, checked.out), 'required by physics = "thermo_elasticity", in 1/K')


@pytest.mark.parametrize(
    ("physics", "more"),
    [
        ("elasticity", ""),
        ("elasticity", HOMOGENISE),
        ("elasticity", PERIODIC),
        ("heat", ""),
        ("heat", TENSOR),
        ("heat", ROUND + '[[boundary]]\nface = "z-low"\ntemperature_K = 300\n' + STEPS),
        (
            "heat",
            '[load]\ntest = "heat_transfer"\n[[boundary]]\nface = "y"\nkind = "flux"\nflux_W_per_m2 = 5\n' + STEPS,
        ),
        ("thermo_elasticity", WARM),
        ("thermo_elasticity", WARM + 'test = "free_expansion"\n'),
        ("thermo_elasticity", WARM.replace("310", "350")),
    ],
)
def test_good_jobs_pass(job: Job, physics: str, more: str) -> None:
    """Oracle: the program itself, which runs the jobs."""
    write(job, physics, block(), SEGMENT + more)
    checked = job.run(command="check")
    assert checked.code == 0, checked.out
    assert "no faults" in checked.out
    done = job.run("-n", "2", "--no-report")
    assert done.code == 0, done.err


@pytest.fixture
def script(tmp_path: Path, job: Job) -> Path:
    shutil.copytree(EXAMPLE, tmp_path / "case")
    return tmp_path / "case" / "cantilever.script"


def missing(folder: Path) -> None:
    (folder / "model.txt").unlink()


def short(folder: Path) -> None:
    lines = (folder / "model.txt").read_text().splitlines()
    (folder / "model.txt").write_text("\n".join(lines[:-3]) + "\n")


def pulled_at_nothing(folder: Path) -> None:
    lines = (folder / "model.txt").read_text().splitlines()
    kept = [line for line in lines[1:] if int(line.split()[2]) <= 15]  # the free end is removed, but its forces remain
    (folder / "model.txt").write_text("\n".join([str(len(kept)), *kept]) + "\n")


def held_by_nothing(folder: Path) -> None:
    lines = (folder / "constraints.txt").read_text().splitlines()
    (folder / "constraints.txt").write_text("\n".join(line for line in lines if line.split()[1] != "1") + "\n")


def of_no_material(folder: Path) -> None:
    text = (folder / "model.txt").read_text().splitlines()
    number, _, *place = text[5].split()
    (folder / "model.txt").write_text("\n".join([*text[:5], " ".join([number, "7", *place]), *text[6:]]) + "\n")


@pytest.mark.parametrize(
    ("damage", "printed"),
    [
        (missing, "model.txt"),
        (short, "320 elements are declared, but 317 found"),
        (pulled_at_nothing, "a force of the model acts at node x, y, z = 20, 0, 0"),
        (held_by_nothing, "permit rigid motions of the solid"),
        (of_no_material, "7"),
    ],
)
def test_a_script_is_checked_with_its_model(script: Path, damage, printed: str) -> None:
    damage(script.parent)
    done = osteon("run", script, "-o", script.parent / "out", "-n", "2", "--no-report")
    checked = osteon("check", script, "--json", "-")
    same_words((done.returncode, done.stderr), (checked.returncode, checked.stdout), printed)


def test_a_good_script_passes_and_a_large_one_is_not_read(script: Path) -> None:
    """Oracle: determined by hand. There are 20 x 4 x 4 voxels, and all voxels are solid."""
    checked = osteon("check", script)
    assert checked.returncode == 0, checked.stdout
    assert "320 of 320 voxels are solid" in checked.stdout
    missing(script.parent)
    large = osteon("check", script, "--most-voxels", "300")
    assert large.returncode == 0, large.stdout
    assert "the model is large (320 voxels); the voxels and the loads were not checked" in large.stdout
