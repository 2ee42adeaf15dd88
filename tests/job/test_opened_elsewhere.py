"""Tests of results of whole jobs in other programs: xarray, PyVista, and jobs in CalculiX."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from whole_job import Job, follows_schema, job_text, osteon

CCX = shutil.which("ccx")
SMALL = '[output]\nfields = ["displacement", "sed", "stress"]\n'


def verified(*paths: Path) -> None:
    done = osteon("verify", *map(str, paths))
    assert done.returncode == 0, done.stdout


def test_results_open_in_xarray_and_pyvista(job: Job, sponge: Path) -> None:
    """Oracle: both names are one file. xarray and PyVista read the values of h5py at the positions of h5py."""
    xarray, pv, h5py = (pytest.importorskip(name) for name in ("xarray", "pyvista", "h5py"))
    job.write(job_text(sponge, more=SMALL))
    done = job.run("-n", "2", "--no-report")
    assert done.code == 0, done.err
    results, same = done.folder / "results.nc", done.folder / "results.vtkhdf"
    assert results.stat().st_ino == same.stat().st_ino and done.summary["files"]["vtkhdf"].endswith("results.vtkhdf")
    verified(results, same, done.folder / "model.nc")
    with h5py.File(results) as file:
        expected = {name: file[f"VTKHDF/CellData/{name}"][:] for name in ("material", "sed", "stress")}
        displacement = file["VTKHDF/PointData/displacement"][:]
    with xarray.open_dataset(results) as data:
        assert set(data.data_vars) == {"material", "sed", "stress", "displacement"}
        assert data.sed.dims == ("z", "y", "x") and data.displacement.dims == ("zn", "yn", "xn", "c")
        for name, values in expected.items():
            np.testing.assert_array_equal(data[name].values, values)
        assert data.sed.attrs["units"] == "MPa" and data.z.attrs["units"] == "mm"
        np.testing.assert_allclose(data.y.values, (np.arange(15) + 0.5) * 0.02)
        np.testing.assert_allclose(data.yn.values, np.arange(16) * 0.02, atol=1e-15)
        np.testing.assert_array_equal(data.displacement.values, displacement)
    with xarray.open_dataset(done.folder / "model.nc") as data:
        assert data.material.dims == ("z", "y", "x")
    grid = pv.read(same)
    assert grid.dimensions == (15, 16, 19) and grid.spacing == pytest.approx((0.02,) * 3)
    np.testing.assert_array_equal(grid.cell_data["sed"], expected["sed"].ravel())
    np.testing.assert_array_equal(grid.point_data["displacement"], displacement.reshape(-1, 3))


def test_kept_results_stay_one_file(job: Job, sponge: Path) -> None:
    """Oracle: inodes. The two earlier names are removed together, and the new names are another file."""
    job.write(job_text(sponge, more=SMALL))
    assert job.run("-n", "1", "--no-report").code == 0
    first = (job.folder / "job.out/results.nc").stat().st_ino
    assert job.run("-n", "1", "--no-report").code == 0
    names = [
        job.folder / folder / name for folder in ("job.out.1", "job.out") for name in ("results.nc", "results.vtkhdf")
    ]
    inodes = [path.stat().st_ino for path in names]
    assert inodes[0] == inodes[1] == first and inodes[2] == inodes[3] != first
    assert job.run("-n", "1", "--no-report", "--force").code == 0
    assert names[2].stat().st_ino == names[3].stat().st_ino
    verified(*names)


def test_a_copy_by_another_program_is_whole(job: Job, sponge: Path) -> None:
    """Oracle: nccopy, which rewrites each field, drops only the seal."""
    if shutil.which("nccopy") is None:
        pytest.skip("nccopy is not installed (Debian: netcdf-bin)")
    job.write(job_text(sponge, more=SMALL))
    assert job.run("-n", "1", "--no-report").code == 0
    copy = job.folder / "copy.nc"
    subprocess.run(["nccopy", job.folder / "job.out/results.nc", copy], check=True, timeout=60)
    done = osteon("verify", str(copy))
    assert done.returncode == 0 and "no seal" in done.stdout
    verified(copy)
    assert osteon("verify", "--seal", str(copy)).returncode == 0
    verified(copy)


def test_a_file_system_without_hard_links(job: Job, sponge: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Oracle: link(2) fails as on FAT. The job completes, warns, and leaves no older results under the second name."""
    library = tmp_path_factory.mktemp("links") / "no_hard_links.so"
    source = Path(__file__).with_name("no_hard_links.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True, timeout=60)
    job.write(job_text(sponge, more=SMALL))
    assert job.run("-n", "1", "--no-report").code == 0
    job.environment["LD_PRELOAD"] = str(library)
    done = job.run("-n", "1", "--no-report", "--force")
    assert done.code == 0 and "does not support hard links" in done.err
    assert not (done.folder / "results.vtkhdf").exists() and "vtkhdf" not in done.summary["files"]
    verified(done.folder / "results.nc")


def totals(dat: Path) -> dict[str, list[np.ndarray]]:
    """Return the sums of reactions x, y, z by set, one per step, as CalculiX prints them."""
    found: dict[str, list[np.ndarray]] = {}
    for name, numbers in re.findall(r"total force \(fx,fy,fz\) for set (\S+) and time.*\n\s*\n(.*)\n", dat.read_text()):
        found.setdefault(name, []).append(np.array([float(n) for n in numbers.split()]))
    return found


def calculated(job: Job) -> dict[str, list[np.ndarray]]:
    folder = f'output.directory="{job.folder}/job.out"'
    done = osteon(
        "export", str(job.folder / "job.toml"), "-o", str(job.folder / "job.inp"), "--set", folder, "--json", "-"
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    follows_schema(answer, "inp")
    assert answer["bytes"] == (job.folder / "job.inp").stat().st_size
    ran = subprocess.run(
        [CCX, "-i", "job"],
        cwd=job.folder,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        check=False,
    )
    assert ran.returncode == 0 and "*ERROR" not in ran.stdout, ran.stdout[-2000:]
    return totals(job.folder / "job.dat")


@pytest.mark.skipif(CCX is None, reason="ccx is not installed (Debian: calculix-ccx)")
@pytest.mark.parametrize("test", ["axial_bonded", "shear", "torsion"])
def test_calculix_finds_the_same_force(job: Job, test: str) -> None:
    """Oracle: CalculiX, another program with an equal element. The reactions agree to 1e-6 of the largest reaction."""
    rng = np.random.default_rng(3)
    np.save(job.folder / "cube.npy", np.where(rng.random((6, 6, 6)) < 0.8, 200, 10).astype("u1"))
    amount = {
        "axial_bonded": "strain = -0.01",
        "shear": 'direction = "x"\nstrain = 0.01',
        "torsion": "angle_deg = 1.0\nbonded = true",
    }[test]
    job.write(
        job_text(
            job.folder / "cube.npy",
            more=f'[load]\ntest = "{test}"\naxis = "z"\n{amount}\n[solve]\ntolerance = 1e-10\n',
            spacing="spacing_mm = [0.03, 0.02, 0.01]",
        )
    )
    done = job.run("-n", "1", "--no-report")
    assert done.code == 0, done.err
    ours = np.array(done.summary["reaction_N"])[::-1]
    sums = calculated(job)
    scale = np.abs(ours).max()
    assert any(np.abs(found - ours).max() < 1e-6 * scale for parts in sums.values() for found in parts), (ours, sums)


LOADS = """
[[set]]
name = "top"
select = "face"
face = "z_high"
[[set]]
name = "bottom"
select = "face"
face = "z_low"
[[support]]
on = "bottom"
fix = "zyx"
[[case]]
name = "push"
[[case.force]]
on = "top"
force_N = [-1.5, 0.25, 0.5]
[[case]]
name = "press"
[[case.force]]
on = "top"
pressure_MPa = 2.0
[solve]
tolerance = 1e-10
"""


@pytest.mark.skipif(CCX is None, reason="ccx is not installed (Debian: calculix-ccx)")
def test_calculix_has_the_cases_as_steps(job: Job) -> None:
    """Oracle: CalculiX, on two cases of forces and two materials, with the reactions of each step."""
    image = np.ones((5, 4, 4), "u1")
    image[:, :, 2:], image[4, 3, 3] = 2, 0
    np.save(job.folder / "two.npy", image)
    materials = "".join(
        f'[[material]]\nname = "m {n}"\nlabel = {n}\nyoungs_modulus_MPa = {e}\npoisson_ratio = {nu}\n'
        for n, e, nu in ((1, 1000, 0.2), (2, 50, 0.4))
    )
    job.write(f'[image]\npath = "two.npy"\nspacing_mm = 0.5\n[segment]\nlabels = true\n{materials}{LOADS}')
    done = job.run("-n", "1", "--no-report")
    assert done.code == 0, done.err
    sums = calculated(job)
    (parts,) = (p for name, p in sums.items() if "BOTTOM" in name)
    for found, case in zip(parts, done.summary["cases"], strict=True):
        np.testing.assert_allclose(found, case["supports"][0]["reaction_N"][::-1], atol=2e-6)
    text = (job.folder / "job.inp").read_text()
    assert text.count("*STEP") == 2 and text.count("*MATERIAL") == 2


@pytest.mark.parametrize(
    ("physics", "more", "arguments", "words"),
    [
        ("heat", "", [], 'physics = "heat" cannot be written as .inp; only elasticity'),
        ("elasticity", '[load]\ntest = "homogenise"\n', [], '"homogenise" cannot be written as .inp'),
        ("elasticity", "", ["--field", "sed"], "--field, --component, --empty and --open-in apply to images"),
        ("elasticity", "", ["--set", "segment.threshold=300"], "solid"),
    ],
)
def test_jobs_that_cannot_be_written(
    job: Job, sponge: Path, physics: str, more: str, arguments: list[str], words: str
) -> None:
    """Oracle: the contract, with exit code 2 or 3, a sentence, and no file."""
    path = job.write(job_text(sponge, physics, more=more))
    done = osteon(
        "export", str(path), "-o", str(job.folder / "x.inp"), "--set", f'output.directory="{job.folder}/o"', *arguments
    )
    assert done.returncode in (2, 3) and words in done.stderr, done.stderr
    assert not (job.folder / "x.inp").exists()


def test_results_have_no_loads(job: Job) -> None:
    """Oracle: the contract."""
    done = osteon("export", "some.out/results.nc", "-o", str(job.folder / "x.inp"))
    assert done.returncode == 2 and "pass the job: osteon export job.toml" in done.stderr
