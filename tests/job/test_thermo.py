"""Tests of temperatures that load an elastic body, in one job."""

from __future__ import annotations

import netCDF4
import numpy as np
import pytest
from whole_job import Finished, Job, job_text

MODULUS, EXPANSION = 6829.0, 2e-5


def porous(shape: tuple[int, int, int] = (12, 9, 8)) -> np.ndarray:
    """Grey values of a connected body, which consists of beams along the axes around random pores."""
    image = np.where(np.random.default_rng(5).random(shape) < 0.6, 200, 0).astype("u1")
    image[::4, ::4, :] = image[::4, :, ::4] = image[:, ::4, ::4] = 200
    return image


def run(job: Job, image: np.ndarray, load: str, more: str = "", ranks: int = 1, reports: bool = False) -> Finished:
    np.save(job.folder / "image.npy", image)
    text = job_text(
        "image.npy",
        "thermo_elasticity",
        f"[segment]\nthreshold = 100\n[load]\nreference_K = 300\n{load}\n{more}",
        spacing="spacing_mm = [0.03, 0.02, 0.05]",
    )
    job.write(text)
    return job.run("--ranks", str(ranks), *(() if reports else ("--no-report",)))


def cells(done: Finished, name: str) -> np.ndarray:
    with netCDF4.Dataset(done.folder / "results.nc") as file:
        return np.ma.filled(file["VTKHDF/CellData"][name][:].astype("f8"), np.nan)


def test_a_free_body_at_one_temperature_expands_without_stress(job: Job) -> None:
    """Oracle: the strain is alpha dT everywhere, and the stress is zero."""
    done = run(
        job,
        porous(),
        'test = "free_expansion"\nlow_K = 340\nhigh_K = 340',
        '[output]\nfields = ["strain", "stress"]\n[solve]\ntolerance = 1e-10\n',
    )
    assert done.code == 0, done.err
    solid = cells(done, "material") > 0
    strain, stress = cells(done, "strain")[solid], cells(done, "stress")[solid]
    assert np.allclose(cells(done, "temperature")[solid], 340, rtol=1e-6)
    assert np.allclose(strain, np.array([1, 1, 1, 0, 0, 0]) * EXPANSION * 40, atol=1e-6 * EXPANSION * 40)
    assert np.abs(stress).max() < 1e-5 * MODULUS * EXPANSION * 40


@pytest.mark.parametrize("strain", [0.0, 0.002])
def test_the_stress_of_a_bar_between_plates_follows_from_its_mean_temperature(job: Job, strain: float) -> None:
    """Oracle: without lateral contraction, the mean stress along the bar is E (strain - alpha (mean T - T_ref)), also
    for a non-uniform temperature. The heat flow is that of a wall."""
    np.save(job.folder / "image.npy", np.full((10, 4, 5), 200, "u1"))
    text = job_text(
        "image.npy",
        "thermo_elasticity",
        f"[load]\nreference_K = 300\nlow_K = 310\nhigh_K = 350\nstrain = {strain}\n[solve]\ntolerance = 1e-10\n"
        "[segment]\nthreshold = 100\n",
        spacing="spacing_mm = [0.03, 0.02, 0.05]",
    ).replace("poisson_ratio = 0.3", "poisson_ratio = 0.0")
    job.write(text)
    done = job.run("--no-report")
    assert done.code == 0, done.err
    s = done.summary
    assert s["apparent_stress_MPa"] == pytest.approx(MODULUS * (strain - EXPANSION * 30), rel=1e-8)
    assert s["temperature_K"] == {
        "mean": pytest.approx(330),
        "low": pytest.approx(312, abs=1e-6),
        "high": pytest.approx(348, abs=1e-6),
    }
    assert s["flux_W"] == pytest.approx(0.5e-3 * 40 * 4 * 0.02 * 5 * 0.05 / 0.3, rel=1e-8)
    for proof in (s["certificate"], s["heat_certificate"]):
        assert proof["converged"] and proof["true_relative_residual"] <= 1.1e-10
        assert max(proof["reaction_imbalance"], proof["energy_identity_error"]) < 1e-8


def test_every_label_expands_by_its_own_coefficient(job: Job) -> None:
    """Oracle: layers without lateral contraction between fixed plates. At the mean stress, the sum of their thermal and
    elastic elongations is zero."""
    image = np.full((10, 4, 5), 9, "u1")
    image[4:] = 3
    np.save(job.folder / "layers.npy", image)
    layers = {9: (1000.0, 2e-5, 4), 3: (3000.0, 5e-5, 6)}  # modulus, expansion, number of planes
    materials = "".join(
        f"[[material]]\nlabel = {label}\nyoungs_modulus_MPa = {modulus}\npoisson_ratio = 0.0\n"
        f"conductivity_W_per_mK = 0.5\nthermal_expansion_per_K = {expansion}\n"
        for label, (modulus, expansion, _) in layers.items()
    )
    job.write(
        'physics = "thermo_elasticity"\n[image]\npath = "layers.npy"\nspacing_mm = [0.03, 0.02, 0.05]\n'
        f"[segment]\nlabels = true\n{materials}[load]\nreference_K = 300\nlow_K = 340\nhigh_K = 340\n"
        "[solve]\ntolerance = 1e-10\n[picture]\nenabled = false\n"
    )
    done = job.run("--no-report")
    assert done.code == 0, done.err
    expected = -40 * sum(a * n for _, a, n in layers.values()) / sum(n / e for e, _, n in layers.values())
    assert done.summary["apparent_stress_MPa"] == pytest.approx(expected, rel=1e-8)
    assert [m["thermal_expansion_per_K"] for m in done.summary["materials"]] == [2e-5, 5e-5]


def test_ranks_do_not_matter_and_all_fields_are_there(job: Job) -> None:
    """Invariant: the stress of a non-uniform temperature is equal on 1, 2 and 3 ranks."""
    found = []
    for ranks in (1, 2, 3):
        done = run(
            job, porous(), "low_K = 300\nhigh_K = 380", "[solve]\ntolerance = 1e-10\n", ranks, reports=ranks == 3
        )
        assert done.code == 0, done.err
        found.append(done.summary["von_mises_MPa"]["mean"])
    with netCDF4.Dataset(done.folder / "results.nc") as file:
        assert {"temperature", "heat_flux", "sed", "von_mises"} <= set(file["VTKHDF/CellData"].variables)
        assert "displacement" in file["VTKHDF/PointData"].variables
    assert found == pytest.approx([found[0]] * 3, rel=1e-7)
    page = (done.folder / "report.html").read_text(encoding="utf-8")
    assert "Heat: true residual" in page and "bonded plates" in page
    assert "heat: iterations" in done.out and "von Mises stress, mean" in done.out


def test_unconverged_temperatures_are_reported(job: Job) -> None:
    """Oracle: exit code 4, and results marked as unfinished, although only the heat solver did not converge."""
    done = run(job, porous(), "low_K = 300\nhigh_K = 380", "[solve]\ntolerance = 1e-10\nmax_iterations = 2\n")
    assert done.code == 4
    assert done.summary["status"] == "not converged"
    assert not done.summary["heat_certificate"]["converged"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("low_K = 300\n", "load.reference_K: missing"),
        (
            'reference_K = 300\ntest = "free_expansion"\nstrain = 0.01\n',
            'load.strain: belongs to test = "axial_bonded"',
        ),
        ('reference_K = 300\ntest = "conduction"\n', "use 'axial_bonded' or 'free_expansion'"),
    ],
)
def test_missing_or_contradictory_keys_are_reported(job: Job, text: str, words: str) -> None:
    """Oracle: exit code 2 and the key."""
    np.save(job.folder / "image.npy", porous())
    job.write(job_text("image.npy", "thermo_elasticity", f"[load]\n{text}"))
    done = job.run("--no-report")
    assert done.code == 2
    assert words in done.err


@pytest.mark.parametrize("test", ["axial_bonded", "free_expansion"])
def test_islands_are_refused_before_anything_is_solved(job: Job, test: str) -> None:
    """Oracle: `check` reports the faults of `run`. Without the island, the job runs."""
    image = np.zeros((8, 8, 8), np.uint8)
    image[:, :4, :4] = 200
    image[3:5, 6:, 6:] = 200
    np.save(job.folder / "image.npy", image)
    load = f'[load]\ntest = "{test}"\nreference_K = 300\nlow_K = 310\nhigh_K = 310\n'
    job.write(job_text("image.npy", "thermo_elasticity", load + '[segment]\nthreshold = 100\nkeep = "all"\n'))
    for command in ("check", "run"):
        done = job.run(command=command)
        assert done.code == (2 if command == "check" else 3), (command, done.err)
        assert "1 of the 2 parts of the solid (8 voxels) are not supported: 1 island" in done.out + done.err
        assert 'keep the largest part only (segment.keep = "largest")' in done.out + done.err
        assert "temperatures" not in done.err
    job.write(job_text("image.npy", "thermo_elasticity", load + '[segment]\nthreshold = 100\nkeep = "largest"\n'))
    assert job.run("--no-report").code == 0


def test_a_material_without_expansion_is_refused(job: Job) -> None:
    """Oracle: exit code 2 and the key."""
    np.save(job.folder / "image.npy", porous())
    text = job_text("image.npy", "thermo_elasticity", "[load]\nreference_K = 300\n")
    job.write(text.replace("thermal_expansion_per_K = 2e-5\n", ""))
    done = job.run("--no-report")
    assert done.code == 2
    assert "thermal_expansion_per_K: missing" in done.err
