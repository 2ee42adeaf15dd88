"""Specimens that yield, as whole jobs."""

from __future__ import annotations

import csv
import json
import shutil
import signal
import subprocess
import time
from pathlib import Path

import calculix
import netCDF4
import numpy as np
import pytest
from whole_job import BINARY, Finished, Job, osteon

MODULUS, RATIO, YIELD, HARDENING = 10000.0, 0.3, 80.0, 100.0
TANGENT = MODULUS * HARDENING / (MODULUS + HARDENING)


def porous(n: int, seed: int = 3) -> np.ndarray:
    """A connected body: beams along the axes around random pores."""
    image = np.where(np.random.default_rng(seed).random((n, n, n)) < 0.45, 200, 0).astype("u1")
    image[::4, ::4, :] = image[::4, :, ::4] = image[:, ::4, ::4] = 200
    return image


def write(job: Job, image: np.ndarray, failure: str, load: str, more: str = "") -> None:
    np.save(job.folder / "image.npy", image)
    job.write(
        'physics = "failure"\n[image]\npath = "image.npy"\nspacing_mm = 0.05\n[segment]\nthreshold = 100\n'
        f"[[material]]\nyoungs_modulus_MPa = {MODULUS}\npoisson_ratio = {RATIO}\n"
        f"[failure]\n{failure}\n[load]\n{load}\n[picture]\nwidth = 64\nheight = 64\n{more}"
    )


def run(
    job: Job, image: np.ndarray, failure: str, load: str, more: str = "", *arguments: str, reports: bool = False
) -> Finished:
    write(job, image, failure, load, more)
    return job.run(*(arguments or ("--ranks", "1")), *(() if reports else ("--no-report",)))


VON_MISES = f'law = "von_mises"\nyield_stress_MPa = {YIELD}\nhardening_MPa = {HARDENING}\n'


def test_a_bar_follows_two_straight_lines(job: Job) -> None:
    """Oracle: F = A (sy + Et (e - ey)), with Et = E H / (E + H), and the offset line. The file curve.csv has these
    numbers."""
    image = np.full((6, 4, 5), 200, "u1")
    load = 'test = "uniaxial"\nstrain = -0.02'
    done = run(job, image, VON_MISES + "steps = 10", load, "[solve]\ntolerance = 1e-9\n", reports=True)
    assert done.code == 0, done.err
    reported, area = done.summary, 20 * 0.05**2
    strain = np.array(reported["curve"]["strain"])
    stress = np.where(-strain <= YIELD / MODULUS, MODULUS * strain, -(YIELD + TANGENT * (-strain - YIELD / MODULUS)))
    assert np.allclose(reported["curve"]["force_N"], stress * area, atol=1e-6 * YIELD * area)
    assert reported["first_yield"]["strain"] == pytest.approx(-0.008, rel=1e-7)
    offset = (YIELD - TANGENT * YIELD / MODULUS + MODULUS * 0.002) / (MODULUS - TANGENT)
    assert reported["yield_offset"]["strain"] == pytest.approx(-offset, rel=1e-6)
    assert reported["stiffness_N_per_mm"] == pytest.approx(MODULUS * area / 0.3, rel=1e-6)
    assert reported["post_yield_stiffness_N_per_mm"] == pytest.approx(TANGENT * area / 0.3, rel=1e-3)
    assert reported["yielded_share"] == {"all": 1, "tension": 0, "compression": 1}
    assert reported["failure_proof"]["work_error"] < 1e-6
    with (done.folder / "curve.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [float(r["force_N"]) for r in rows] == reported["curve"]["force_N"]
    with netCDF4.Dataset(done.folder / "results.nc") as file:
        plastic = np.array(file["VTKHDF/CellData"]["plastic_strain"][:])
        dissipated = np.array(file["VTKHDF/CellData"]["dissipation"][:])
    assert np.allclose(plastic, 0.02 + stress[-1] / MODULUS, rtol=1e-5)
    assert np.allclose(dissipated, YIELD * plastic, rtol=1e-5)
    assert "Load and displacement" in (done.folder / "report.html").read_text()


@pytest.mark.skipif(shutil.which("ccx") is None, reason="needs CalculiX: apt-get install calculix-ccx")
@pytest.mark.parametrize("is_plastic", [False, True], ids=["elastic", "yielding"])
def test_calculix_finds_the_same_forces(job: Job, is_plastic: bool) -> None:
    """Oracle: CalculiX 2.20 on the exported job, with C3D8 and *PLASTIC, increment by increment."""
    image = porous(9)[:, :8, :8]
    failure = VON_MISES if is_plastic else f'law = "von_mises"\nyield_stress_MPa = {1000 * YIELD}\n'
    done = run(
        job, image, failure + "steps = 5", 'test = "axial_bonded"\nstrain = -0.02', "[solve]\ntolerance = 1e-8\n"
    )
    assert done.code == 0, done.err
    curve = done.summary["curve"]
    places = [n for n, s in enumerate(curve["strain"]) if n and abs(s / 0.004 - round(s / 0.004)) < 1e-9]
    assert len(places) == 5
    exported = osteon("export", str(job.folder / "job.toml"), "-o", str(job.folder / "peer.inp"))
    assert exported.returncode == 0, exported.stderr
    assert "*PLASTIC" in (job.folder / "peer.inp").read_text()
    peer = calculix.forces(job.folder / "peer.inp")
    if not is_plastic:  # solved without increments
        peer = [peer[-1] * n / 5 for n in range(1, 6)]
    assert len(peer) == 5
    assert np.allclose([curve["force_N"][n] for n in places], peer, rtol=1e-5)
    assert not is_plastic or done.summary["yielded_share"]["all"] > 0.2


@pytest.mark.skipif(shutil.which("ccx") is None, reason="needs CalculiX: apt-get install calculix-ccx")
def test_calculix_unloads_the_same_way(job: Job) -> None:
    """Oracle: CalculiX 2.20 on the exported job, with one step per reversal of the path."""
    done = run(
        job,
        porous(8)[:, :7, :6],
        VON_MISES + "steps = 4\npath = [1.0, 0.25]",
        'test = "axial_bonded"\nstrain = -0.015',
        "[solve]\ntolerance = 1e-8\n",
    )
    assert done.code == 0, done.err
    exported = osteon("export", str(job.folder / "job.toml"), "-o", str(job.folder / "peer.inp"))
    assert exported.returncode == 0, exported.stderr
    peer = calculix.forces(job.folder / "peer.inp")
    assert len(peer) == 8
    curve = done.summary["curve"]
    top = int(np.argmin(curve["strain"]))
    assert curve["force_N"][top] == pytest.approx(peer[3], rel=1e-5)
    assert curve["force_N"][-1] == pytest.approx(peer[-1], rel=1e-5)
    assert abs(curve["force_N"][-1] - 0.25 * curve["force_N"][top]) > 0.1 * abs(curve["force_N"][top])


@pytest.mark.parametrize(
    ("law", "target", "words"),
    [
        ('law = "von_mises"\nyield_strain = 0.005\n', "forced.inp", "load.force_N cannot be written as .inp"),
        (
            'law = "cone"\ntensile_yield_strain = 0.004\ncompressive_yield_strain = 0.006\n',
            "x.inp",
            "supports von_mises only",
        ),
        ('law = "von_mises"\nyield_strain = 0.005\nintegration = "bbar"\n', "x.inp", "C3D8 uses full integration"),
        ('law = "von_mises"\nyield_strain = 0.005\n', "x.h5", 'physics = "failure" cannot be written as .h5'),
    ],
)
def test_laws_that_other_programs_lack_are_not_exported(job: Job, law: str, target: str, words: str) -> None:
    """Oracle: the contract. A file that would otherwise fail is rejected."""
    write(job, porous(6), law, "force_N = -5" if target == "forced.inp" else "strain = -0.01")
    done = osteon("export", str(job.folder / "job.toml"), "-o", str(job.folder / target))
    assert done.returncode == 2 and words in done.stderr, done.stderr
    assert not (job.folder / target).exists()


def test_ranks_give_the_same_digits(job: Job, tmp_path: Path) -> None:
    """Oracle: the same job on one rank."""
    image, forces = porous(16), []
    for ranks in ("1", "2", "3"):
        done = run(
            job,
            image,
            VON_MISES + 'steps = 4\nintegration = "bbar"',
            "strain = -0.02",
            "",
            "--ranks",
            ranks,
        )
        assert done.code == 0, done.err
        forces.append(done.summary["curve"]["force_N"])
    assert np.abs(np.array(forces[1:]) - forces[0]).max() < 1e-8 * abs(forces[0][-1])


def test_a_cone_distinguishes_tension_and_compression_and_unloads(job: Job) -> None:
    """Oracle: uniaxial strengths. After unloading, the residual strain carries no stress."""
    image = np.full((4, 3, 3), 200, "u1")
    law = 'law = "cone"\ntensile_yield_strain = 0.005\ncompressive_yield_strain = 0.009\n'
    for sign, strength in ((1, 50.0), (-1, 90.0)):
        done = run(
            job,
            image,
            law + "path = [1, 0.2]\nsteps = 4",
            f'test = "uniaxial"\nstrain = {sign * 0.015}',
            "[solve]\ntolerance = 1e-9\n",
            "--ranks",
            "1",
        )
        assert done.code == 0, done.err
        reported = done.summary
        assert reported["first_yield"]["stress_MPa"] == pytest.approx(sign * strength, rel=1e-6)
        assert reported["failure"]["hardening_floor"] is True
        assert "hardening" in done.err + done.out
        # Slope between the record at the reversal and the first record of unloading.
        turn = reported["curve"]["strain"].index(reported["load"]["strain"])
        slope = np.diff(reported["curve"]["stress_MPa"])[turn] / np.diff(reported["curve"]["strain"])[turn]
        assert slope == pytest.approx(MODULUS, rel=1e-5)


CONE = "tensile_strength_MPa = 50\ncompressive_strength_MPa = 90\n"


@pytest.mark.parametrize(
    ("failure", "load", "words"),
    [
        ("", "strain = -0.02", "failure.law"),
        ('law = "von_mises"', "strain = -0.02", "requires a strength"),
        ('law = "cone"\ntensile_strength_MPa = 50', "strain = -0.02", "compressive_strength_MPa"),
        ('law = "von_mises"\nyield_stress_MPa = 80\nyield_strain = 0.01', "strain = -0.02", "remove one of the two"),
        ('law = "von_mises"\nyield_stress_MPa = -80', "strain = -0.02", "must be > 0 MPa"),
        ('law = "von_mises"\nyield_stress_MPa = 80\nhardening_MPa = -5', "strain = -0.02", "results with softening"),
        ('law = "von_mises"\nyield_stress_MPa = 80\nsteps = 0', "strain = -0.02", "failure.steps"),
        ('law = "von_mises"\nyield_stress_MPa = 80\npath = [1, 1]', "strain = -0.02", "failure.path"),
        ('law = "von_mises"\nyield_stress_MPa = 80\nmaterials = [2]', "strain = -0.02", "failure.materials"),
        ('law = "quadric"\ntensile_strength_MPa = 50\ncompressive_strength_MPa = 90', "strain = -0.02", "interaction"),
        (CONE + 'law = "quadric"\ninteraction = 0.5', "strain = -0.02", '0.5 corresponds to law = "cone"'),
        (CONE + 'law = "cone"\ninteraction = 0.3', "strain = -0.02", 'law = "quadric", not to "cone"'),
        (
            CONE + 'law = "secant_damage"\nfracture_ratio = 3',
            "strain = -0.02",
            "fracture_ratio requires the voxel size",
        ),
        (CONE + 'law = "cone"\nfracture_ratio = 3', "strain = -0.02", 'law = "secant_damage", not to "cone"'),
        (CONE + 'law = "secant_damage"\nhardening_MPa = 20000', "strain = -0.02", "does not increase the stiffness"),
        (CONE + 'law = "secant_damage"', "force_N = -100", "the load may decrease"),
        ('law = "von_mises"\nyield_stress_by_density = [57, 1.4]', "strain = -0.02", "requires a [density_law]"),
        ('law = "von_mises"\nyield_stress_MPa = 80', 'test = "homogenise"', "is not available for"),
    ],
)
def test_bad_keys_are_refused_in_words(job: Job, failure: str, load: str, words: str) -> None:
    """Oracle: the invalid key in the message, and exit code 2."""
    done = run(job, np.full((3, 3, 3), 200, "u1"), failure, load)
    assert done.code == 2
    assert words in done.err


def test_strengths_in_pascals_are_doubted(job: Job) -> None:
    """Oracle: tissue has no yield strain above 10 %."""
    done = run(
        job, np.full((3, 3, 3), 200, "u1"), 'law = "von_mises"\nyield_stress_MPa = 80e6\nsteps = 2', "strain = -0.02"
    )
    assert done.code == 0, done.err
    assert "check that strengths are in MPa" in done.err


def test_what_does_not_converge_ends_with_the_curve_so_far(job: Job) -> None:
    """Oracle: exit code 4, and the last converged state in the files."""
    done = run(
        job,
        porous(8),
        VON_MISES + "steps = 1\nhalvings = 0",
        "strain = -0.9",
        "[solve]\ntolerance = 1e-11\nmax_iterations = 60\n",
    )
    assert done.code == 4
    assert "no equilibrium found beyond the load factor" in done.err
    reported = done.summary
    assert reported["status"] == "not converged"
    assert abs(reported["curve"]["strain"][-1]) < 0.9
    assert (done.folder / "curve.csv").is_file()


def test_a_force_is_walked_to_and_proven(job: Job) -> None:
    """Oracle: the force itself, and F = A (sy + Et (e - ey)). The supports of the scene carry the force. Straight lines
    do not depend on the steps."""
    image, area = np.full((6, 4, 5), 200, "u1"), 20 * 0.05**2
    wanted = -1.01 * YIELD * area
    done = run(
        job,
        image,
        VON_MISES + "prove = true",
        f'test = "uniaxial"\nforce_N = {wanted}',
        "[solve]\ntolerance = 1e-9\n",
    )
    assert done.code == 0, done.err
    reported = done.summary
    assert reported["curve"]["force_N"][-1] == pytest.approx(wanted, rel=1e-5)
    assert reported["curve"]["strain"][-1] == pytest.approx(-(YIELD / MODULUS + 0.01 * YIELD / TANGENT), rel=1e-3)
    assert reported["stiffness_N_per_mm"] == pytest.approx(MODULUS * area / 0.3, rel=1e-6)
    halved = reported["failure_proof"]["halved"]
    assert halved["steps"] >= reported["failure"]["steps"]
    assert halved["change_of_load"] < 1e-6
    assert halved["ended"] is None
    case = json.loads((done.folder / "scene.json").read_text())["cases"][0]
    driven = [s for s in case["supports"] if s["kind"] == "displaced"]
    assert len(driven) == 1
    assert driven[0]["displacement_mm"][0] == pytest.approx(reported["curve"]["displacement_mm"][-1], rel=1e-9)
    assert driven[0]["reaction_N"][0] == pytest.approx(wanted, rel=1e-5)


def test_a_force_that_is_not_borne_ends_with_the_curve_so_far(job: Job) -> None:
    """Oracle: exit code 4. Perfect plasticity carries the yield stress plus the contribution of the least hardening."""
    image, area = np.full((4, 3, 3), 200, "u1"), 9 * 0.05**2
    law = f'law = "von_mises"\nyield_stress_MPa = {YIELD}'
    done = run(job, image, law, f'test = "uniaxial"\nforce_N = {-1.5 * YIELD * area}')
    assert done.code == 4
    assert "was not reached: the load is" in done.err
    told = done.summary
    assert told["status"] == "not converged"
    assert "was not reached" in told["ended"]
    assert -1.01 * YIELD * area < told["curve"]["force_N"][-1] < -YIELD * area
    assert (done.folder / "curve.csv").is_file()


@pytest.mark.parametrize("ranks", ["1", "3"])
def test_the_ultimate_force_of_a_plateau_is_where_it_begins(job: Job, ranks: str) -> None:
    """Oracle: determined by hand. The slope beyond the strength is zero, so that all later forces equal the strength,
    to the solver tolerance."""
    law = 'law = "secant_damage"\ntensile_strength_MPa = 50\ncompressive_strength_MPa = 90\nsteps = 5\n'
    load = 'test = "uniaxial"\nstrain = 0.03'
    done = run(job, np.full((6, 3, 3), 200, "u1"), law, load, "[solve]\ntolerance = 1e-7\n", "-n", ranks)
    assert done.code == 0, done.err
    reported = done.summary
    yields = [
        strain
        for strain, share in zip(reported["curve"]["strain"], reported["curve"]["yielded_share"], strict=True)
        if share > 0
    ]
    assert len(yields) > 2
    assert reported["ultimate"]["strain"] <= yields[0]
    assert reported["ultimate"]["is_peak"] is False


def test_damage_breaks_voxels_and_the_force_falls(job: Job) -> None:
    """Oracle: the slope is E up to the strength and zero beyond it. A voxel of half the size breaks at twice the strain
    beyond the strength. A fraction of 1e-3 of the stiffness remains."""
    image, area = np.full((4, 3, 3), 200, "u1"), 9 * 0.05**2
    law = (
        'law = "secant_damage"\ntensile_strength_MPa = 50\ncompressive_strength_MPa = 90\nsteps = 8\n'
        "fracture_ratio = 1.5\nfracture_length_mm = 0.1\n"
    )
    done = run(job, image, law, 'test = "uniaxial"\nstrain = 0.012', "[solve]\ntolerance = 1e-7\n")
    assert done.code == 0, done.err
    curve = done.summary["curve"]
    strain, broken = np.array(curve["strain"]), np.array(curve["broken_share"])
    assert np.array_equal(broken, strain > 2 * 50 / MODULUS + 1e-9)
    stress = np.where(broken > 0, 1e-3 * MODULUS * strain, np.minimum(MODULUS * strain, 50))
    assert np.allclose(curve["force_N"], stress * area, atol=1e-5 * 50 * area)
    assert done.summary["ultimate"]["is_peak"] is True
    with netCDF4.Dataset(done.folder / "results.nc") as file:
        assert np.allclose(file["VTKHDF/CellData"]["damage"][:], 0.999)


def test_strengths_follow_the_density(job: Job) -> None:
    """Oracle: computed by hand with rho = 0.5, E = 3814.4 rho^1.05, and sy = 57.4464 rho^1.39."""
    np.save(job.folder / "image.npy", np.full((4, 3, 3), 200, "u1"))
    job.write(
        'physics = "failure"\n[image]\npath = "image.npy"\nspacing_mm = 0.05\n[segment]\nthreshold = 100\n'
        "[density_law]\nslope = 0.0025\ncoefficient_MPa = 3814.4\nexponent = 1.05\npoisson_ratio = 0.3\n"
        '[failure]\nlaw = "von_mises"\nyield_stress_by_density = [57.4464, 1.39]\nsteps = 2\n'
        '[load]\ntest = "uniaxial"\nstrain = -0.02\n[picture]\nenabled = false\n[solve]\ntolerance = 1e-9\n'
    )
    done = job.run("--ranks", "1", "--no-report")
    assert done.code == 0, done.err
    assert done.summary["first_yield"]["stress_MPa"] == pytest.approx(-57.4464 * 0.5**1.39, rel=1e-6)


DAMAGE = (
    'law = "secant_damage"\ntensile_yield_strain = 0.004\ncompressive_yield_strain = 0.006\nhardening_ratio = 0.05\n'
)


@pytest.mark.parametrize(
    "law",
    [VON_MISES, DAMAGE],  # fractures agree only within the tolerance, because their fixed-point iteration restarts
    ids=["plastic", "damaged"],
)
def test_a_stopped_job_goes_on_to_the_same_curve(job: Job, law: str) -> None:
    """Oracle: the job without interruption."""
    image, often = porous(13), "[checkpoint]\nevery_minutes = 1e-9\n"
    whole = run(job, image, law + "steps = 40", "strain = -0.02", often)
    assert whole.code == 0, whole.err
    want = whole.summary["curve"]["force_N"]
    shutil.rmtree(whole.folder)
    command = [str(BINARY), "run", str(job.folder / "job.toml"), "--ranks", "1", "--no-report"]
    with subprocess.Popen(command, cwd=job.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as started:
        while started.poll() is None and not list(whole.folder.glob("checkpoint/slot_1*.checkpoint")):
            time.sleep(0.01)
        started.send_signal(signal.SIGTERM)
        started.wait(60)
    assert started.returncode == 75
    assert not (whole.folder / "curve.csv").exists()
    done = _resume(job)
    assert done.returncode == 0, done.stderr
    reported = Finished(0, "", "", 0, whole.folder).summary
    assert "resumed after step" in done.stderr
    assert np.allclose(reported["curve"]["force_N"], want, rtol=1e-8)


def _resume(job: Job) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(BINARY), "resume", str(job.folder / "job.out")],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=job.folder,
        check=False,
    )
