"""Tests of heat jobs. Conditions on faces, the conductivity tensor, and transient results are compared with closed
forms."""

from __future__ import annotations

import importlib
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from whole_job import ROOT, Job, job_text

STEEL = "[[material]]\nconductivity_W_per_mK = 52.0\nheat_capacity_J_per_m3K = 3.6e6\n"


def text(image: str, more: str, spacing: str = "10") -> str:
    return (
        f'physics = "heat"\n[image]\npath = "{image}"\nspacing_mm = {spacing}\n[segment]\nthreshold = 1\n'
        f"{STEEL}{more}\n[picture]\nenabled = false\n"
    )


def block(folder: Path, shape: tuple[int, ...]) -> str:
    np.save(folder / "block.npy", np.full(shape, 9, np.uint8))
    return "block.npy"


def run(job: Job, job_file: str, *arguments: str) -> dict:
    job.write(job_file)
    done = job.run("--no-report", *arguments)
    assert done.code == 0, done.err
    return done.summary


def test_flux_and_convection_have_the_hand_value(job: Job, tmp_path: Path) -> None:
    """Oracle: the flux q through a slab of 0.1 m into a film. At the heated face, T = ambient + q / h + q L / k."""
    conditions = """[[boundary]]
face = "z_low"
kind = "flux"
flux_W_per_m2 = 5200.0
[[boundary]]
face = "z_high"
kind = "convection"
temperature_K = 293.0
transfer_W_per_m2K = 100.0
"""
    summary = run(job, text(block(tmp_path, (10, 2, 3)), conditions), "-n", "2")
    area = 0.02 * 0.03
    assert summary["face_inflow_W"]["z_low"] == pytest.approx(5200 * area, rel=1e-9)
    assert summary["face_inflow_W"]["z_high"] == pytest.approx(-5200 * area, rel=1e-6)
    assert summary["temperature_K"]["high"] == pytest.approx(293 + 52 + 100 * 0.095, rel=1e-7)
    assert summary["load"]["boundary"][1]["transfer_W_per_m2K"] == 100
    assert summary["certificate"]["reaction_imbalance"] < 1e-5


def test_tensor_of_bars_knows_their_direction(job: Job, tmp_path: Path) -> None:
    """Oracle: straight bars along y over a quarter of the section conduct a quarter. Across the bars, there is no
    connection."""
    image = np.zeros((8, 6, 8), np.uint8)
    image[2:6, :, 2:6] = 9
    np.save(tmp_path / "bars.npy", image)
    summary = run(job, text("bars.npy", '[load]\ntest = "conductivity_tensor"\naxis = "y"\n'), "-n", "3")
    expected = np.zeros((3, 3))
    expected[1, 1] = 13
    np.testing.assert_allclose(summary["conductivity_tensor_W_per_mK"], expected, atol=1e-9)
    assert summary["principal_directions"][0] == pytest.approx([0, 1, 0], abs=1e-9)
    assert summary["periodic_faces"]["y"]["matching_voxels"] == 16
    assert summary["periodic_faces"]["z"]["low_voxels"] == 0
    uniform = run(
        job, text("bars.npy", '[load]\ntest = "conductivity_tensor"\nboundary_condition = "uniform"\n'), "-n", "1"
    )
    assert uniform["conductivity_tensor_W_per_mK"][1][1] == pytest.approx(13, rel=1e-6)


def test_a_cooling_plate_agrees_with_its_series(job: Job, tmp_path: Path) -> None:
    """Oracle: the first term of the Fourier series after a long time, 4 / pi exp(-pi^2 a t / L^2)."""
    conditions = """[load]
low_K = 300.0
high_K = 300.0
[transient]
initial_K = 400.0
end_s = 200.0
step_s = 2.0
output_every_s = 50.0
scheme = "crank_nicolson"
[solve]
tolerance = 1e-9
"""
    summary = run(job, text(block(tmp_path, (40, 1, 2)), conditions, "2.5"), "-n", "2")
    history = summary["history"]
    assert history["time_s"] == [0, 50, 100, 150, 200]
    diffusivity = 52 / 3.6e6
    decay = np.exp(-(np.pi**2) * diffusivity * 200 / 0.1**2)
    # Voxels and steps change the exponent by (pi h / L)^2 / 12 and (rate dt)^2 / 12, which are 1.7e-3 together.
    assert history["mean_K"][-1] - 300 == pytest.approx(100 * 8 / np.pi**2 * decay, rel=2e-3)
    assert history["mean_K"][0] == 400
    balance = np.array(history["face_inflow_W"]["z_low"]) + np.array(history["face_inflow_W"]["z_high"])
    np.testing.assert_allclose(balance[1:], history["stored_W"][1:], rtol=1e-6)
    assert summary["step_s"] == 2
    with netCDF4.Dataset(job.folder / "job.out" / "results.nc") as file:
        temperature = file["VTKHDF/CellData/temperature"][:]
    assert temperature.mean() == pytest.approx(history["mean_K"][-1], rel=1e-6)


def test_the_sponge_has_the_conductivity_that_taufactor_found(
    job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Oracle: TauFactor 1.2.1 on the sponge of 128^3 voxels, with D_eff 0.04461. tau is the volume fraction, a quarter,
    divided by D_eff."""
    monkeypatch.syspath_prepend(ROOT / "bench")
    module = importlib.import_module("solve")
    np.save(tmp_path / "sponge.npy", module.porous(128) * np.uint8(9))
    job.write(
        'physics = "heat"\n[image]\npath = "sponge.npy"\nspacing_mm = 0.02\n[segment]\nthreshold = 1\n'
        "[[material]]\nconductivity_W_per_mK = 1.0\n[picture]\nenabled = false\n"
    )
    done = job.run("--no-report", "-n", "2")
    assert done.code == 0, done.err
    assert done.summary["effective_conductivity_W_per_mK"] == pytest.approx(0.04461, abs=1e-5)
    assert done.summary["tortuosity"] == pytest.approx(0.25 / 0.04461, abs=2e-3)


def test_a_periodic_laminate_with_a_source_balances(job: Job, tmp_path: Path) -> None:
    """Oracle: the whole generated heat leaves through the only face with a prescribed temperature."""
    labels = np.full((4, 6, 6), 3, np.int16)
    labels[:, ::2] = 7
    np.save(tmp_path / "labels.npy", labels)
    job.write("""physics = "heat"
[image]
path = "labels.npy"
spacing_mm = 0.5
[segment]
labels = true
[[material]]
label = 3
conductivity_W_per_mK = 1.0
[[material]]
label = 7
conductivity_W_per_mK = 5.0
heat_source_W_per_m3 = 2e6
[[boundary]]
face = "z_high"
temperature_K = 300.0
[[boundary]]
face = "y"
kind = "periodic"
[picture]
enabled = false
""")
    done = job.run("--no-report", "-n", "2")
    assert done.code == 0, done.err
    made = 2e6 * 72 * 0.5e-3**3
    assert done.summary["heat_source_W"] == pytest.approx(made, rel=1e-12)
    assert done.summary["face_inflow_W"]["z_high"] == pytest.approx(-made, rel=1e-5)
    assert done.summary["periodic_faces"]["y"] == {"low_voxels": 24, "high_voxels": 24, "matching_voxels": 24}


def test_older_spellings_have_the_same_answers_and_a_hint(job: Job, tmp_path: Path) -> None:
    """Oracle: the same job with the current key, for which no hint is printed."""
    image = np.full((6, 5, 4), 9, np.uint8)
    image[:, 1:3, 1:3] = 0
    np.save(tmp_path / "tube.npy", image)
    film = '[[boundary]]\nface = "z{0}low"\ntemperature_K = 290.0\n[[boundary]]\nface = "z{0}high"\ntemperature_K = 310.0\n'
    film += "[transient]\ninitial_K = 300.0\nend_s = 20.0\nstep_s = 5.0\n"
    tensor = '[load]\ntest = "conductivity_tensor"\n{} = "uniform"\n'
    for pattern, older, present, hints in (
        (film, "-", "_", ["boundary[1].face: 'z-low' was renamed to 'z_low'", "'z-high' was renamed to 'z_high'"]),
        (tensor, "surroundings", "boundary_condition", ["'surroundings' was renamed to 'boundary_condition'"]),
    ):
        summaries = []
        for word, expected in ((present, []), (older, hints)):
            job.write(text("tube.npy", pattern.format(word)))
            done = job.run("--no-report", "-n", "2")
            assert done.code == 0, done.err
            assert done.err.count("was renamed to") == len(expected)
            assert all(f"{hint}\n" in done.err for hint in expected)
            checked = job.run(command="check")
            assert checked.code == 0
            assert checked.out.count("was renamed to") == len(expected)
            summaries.append({k: v for k, v in done.summary.items() if k in ("load", "history", "face_inflow_W")
                              or k.startswith("conductivity")})  # fmt: skip
        assert summaries[0] == summaries[1]
        assert len(summaries[0]) > 1
    assert summaries[0]["load"]["surroundings"] == summaries[0]["load"]["boundary_condition"] == "uniform"


def test_scripts_find_flows_by_the_older_spelling_of_faces(job: Job, tmp_path: Path) -> None:
    """Oracle: the same numbers with the current key."""
    more = (
        '[[boundary]]\nface = "z"\ntemperature_K = 300.0\n[transient]\ninitial_K = 310.0\nend_s = 2.0\nstep_s = 1.0\n'
    )
    summary = run(job, text(block(tmp_path, (4, 2, 3)), more), "-n", "1")
    for tree, older in ((summary, "heat_inflow_W"), (summary["history"], "inflow_W")):
        assert {face.replace("-", "_"): flow for face, flow in tree[older].items()} == tree["face_inflow_W"]
        assert "z-low" in tree[older]
    assert [a["key"] for a in summary["answers"] if "inflow" in a["key"]][:2] == [
        "face_inflow_W.z_low",
        "face_inflow_W.z_high",
    ]


def test_faces_that_do_not_meet_are_bad_data(job: Job, tmp_path: Path) -> None:
    """Oracle: the contract, with exit code 3 and a message with the number of voxels that must match."""
    image = np.zeros((6, 6, 6), np.uint8)
    image[:3, :, :2] = 9
    image[:, :, 2:4] = 9
    image[3:, :, 4:] = 9
    np.save(tmp_path / "step.npy", image)
    job.write(
        text(
            "step.npy", '[[boundary]]\nface = "x"\nkind = "periodic"\n[[boundary]]\nface = "y"\ntemperature_K = 300.0\n'
        )
    )
    done = job.run("--no-report", "-n", "2")
    assert done.code == 3
    assert "18 solid voxels on the low face" in done.err


@pytest.mark.parametrize(
    ("more", "printed"),
    [
        ('[[boundary]]\nface = "z_low"\nkind = "flux"\n', "boundary[1].flux_W_per_m2: missing"),
        ('[[boundary]]\nface = "z_low"\nkind = "periodic"\n', 'use face = "z"'),
        ('[[boundary]]\nface = "z"\ntemperature_K = 1.0\n[[boundary]]\nface = "z_low"\ntemperature_K = 1.0\n', "z_low already"),
        ('[load]\ntest = "conduction"\n[[boundary]]\nface = "z"\ntemperature_K = 1.0\n', "boundary: belongs to"),
        ('[load]\nboundary_condition = "uniform"\n', "load.boundary_condition: belongs to"),
        ('[load]\ntest = "conductivity_tensor"\n[transient]\ninitial_K = 1.0\nend_s = 1.0\nstep_s = 1.0\n', "transient: belongs to test"),
        ('[load]\ntest = "conductivity_tensor"\nboundary_condition = "kubc"\n', "use 'periodic' or 'uniform'"),
        ("[transient]\nend_s = 1.0\nstep_s = 2.0\n", "transient.initial_K: missing"),
        ("[transient]\ninitial_K = 1.0\nend_s = 1.0\nstep_s = 2.0\n", "transient.step_s: 2 s exceeds"),
        ("[load]\ngradient_K_per_mm = [1, 2, 3]\n", "load.gradient_K_per_mm: belongs to"),
        ('[load]\ntest = "axial_bonded"\n', "load.test: 'axial_bonded' is not available"),
    ],
)  # fmt: skip
def test_contradictory_keys_are_reported(job: Job, tmp_path: Path, more: str, printed: str) -> None:
    """Oracle: the contract, with exit code 2 and the invalid key."""
    job.write(text(block(tmp_path, (2, 2, 2)), more))
    done = job.run(command="check")
    assert done.code == 2
    assert printed in done.err + done.out


def test_heat_keys_in_an_elastic_job_are_faults(job: Job, tmp_path: Path) -> None:
    """Oracle: the contract."""
    more = '[[boundary]]\nface = "z"\ntemperature_K = 1.0\n'
    job.write(job_text(block(tmp_path, (2, 2, 2)), more=more))
    done = job.run(command="check")
    assert done.code == 2
    assert 'boundary: belongs to physics = "heat"' in done.err + done.out


@pytest.mark.parametrize("keep", ["largest", "all", "percolating"])
def test_without_a_path_the_tortuosity_is_infinite(job: Job, tmp_path: Path, keep: str) -> None:
    """Oracle: the convention of TauFactor for an image that does not percolate. The flow is zero, which is a valid
    answer."""
    image = np.full((9, 4, 5), 200, np.uint8)
    image[4] = 0
    np.save(tmp_path / "gap.npy", image)
    job.write(job_text("gap.npy", "heat", f'[segment]\nthreshold = 50\nkeep = "{keep}"\n'))
    done = job.run("-n", "2")
    assert done.code == 0, done.err
    summary = done.summary
    assert summary["status"] == "done"
    assert summary["percolates"] is False
    assert summary["flux_W"] == 0
    assert summary["effective_conductivity_W_per_mK"] == 0
    assert "tortuosity" in summary
    assert summary["tortuosity"] is None
    assert "no conducting path connects the low and the high z face" in done.err
    assert "infinite" in done.out
    assert "∞" in (done.folder / "report.html").read_text()
    if keep == "all":
        with netCDF4.Dataset(done.folder / "results.nc") as file:
            temperature = np.asarray(file["VTKHDF/CellData/temperature"][:])
        assert (temperature[:4] == 0).all()
        assert (temperature[5:] == 1).all()


def kept_by(job: Job, image: np.ndarray, segment: str, more: str = "", **changes: str) -> dict:
    np.save(job.folder / "image.npy", image)
    job.write(job_text("image.npy", "heat", f"[segment]\n{segment}\n{more}", **changes))
    done = job.run("-n", "2", "--no-report")
    assert done.code == 0, done.err
    return {**done.summary, "err": done.err}


def test_all_wires_conduct_by_default(job: Job) -> None:
    """Oracle: determined by hand. There are five equal wires of one voxel in a section of 30 voxels. The largest part
    is one of these wires."""
    wires = np.zeros((20, 10, 3), np.uint8)
    wires[:, ::2, 1] = 9
    found = kept_by(job, wires, "threshold = 1")
    k = found["effective_conductivity_W_per_mK"]
    one = kept_by(job, wires, 'threshold = 1\nkeep = "largest"')
    assert k == pytest.approx(5 * one["effective_conductivity_W_per_mK"], rel=1e-6)
    assert found["tortuosity"] == pytest.approx(1, rel=1e-6)
    assert found["segmentation"]["keep"] == "percolating"
    assert one["segmentation"]["keep"] == "largest"


def test_closed_pores_count_in_the_tortuosity_as_in_taufactor(job: Job) -> None:
    """Oracle: the definition of TauFactor, evaluated by hand. The tortuosity is the volume fraction of all voxels of
    the phase, divided by the relative diffusivity."""
    labels = np.zeros((12, 6, 6), np.uint8)
    labels[:, 1, 1] = 1
    labels[:, 3, 3] = 2
    labels[3:5, 5, 5] = 2
    table = "".join(f"[[material]]\nlabel = {n}\nconductivity_W_per_mK = {k}\n" for n, k in ((1, 1.0), (2, 4.0)))
    np.save(job.folder / "image.npy", labels)
    for keep, phase in (("", 12 + 4 * 14), ('keep = "largest"\n', 12)):
        job.write(
            'physics = "heat"\n[image]\npath = "image.npy"\nspacing_mm = 0.1\n[segment]\nlabels = true\n'
            f"{keep}{table}[picture]\nenabled = false\n"
        )
        done = job.run("-n", "2", "--no-report")
        assert done.code == 0, done.err
        k = done.summary["effective_conductivity_W_per_mK"]
        assert k == pytest.approx((5 if not keep else 1) / 36, rel=1e-6)
        assert done.summary["tortuosity"] == pytest.approx(phase / labels.size / k, rel=1e-6)
        assert ("2 voxels of removed parts" in done.err) == (keep == "")


def test_islands_have_no_conductivity_in_any_direction(job: Job, tmp_path: Path) -> None:
    """Oracle: determined by hand. The image has separate voxels in a void."""
    image = np.zeros((6, 6, 6), np.uint8)
    image[1::3, 1::3, 1::3] = 9
    np.save(tmp_path / "islands.npy", image)
    more = '[segment]\nkeep = "all"\n[load]\ntest = "conductivity_tensor"\n'
    job.write(job_text("islands.npy", "heat", more))
    done = job.run("-n", "2", "--no-report")
    assert done.code == 0, done.err
    assert done.summary["tortuosities"] == [None, None, None]
    assert done.summary["principal_conductivities_W_per_mK"] == [0, 0, 0]


def test_a_periodic_tensor_without_partners_along_an_axis_is_zero_along_it(job: Job) -> None:
    """Oracle: determined by hand. The bar along y conducts 1/64 of a full section, and no voxels of the z faces
    match."""
    cut = np.zeros((8, 8, 8), np.uint8)
    cut[:, 3, 3] = cut[4, :, 3] = cut[7, 5, 5] = 9
    cut[7, 3, 3] = 0
    more = '[load]\ntest = "conductivity_tensor"\n[solve]\ntolerance = 1e-9\n'
    found = kept_by(job, cut, 'keep = "all"\nthreshold = 1', more)
    one = kept_by(job, np.full_like(cut, 9), "threshold = 1", more)["conductivity_tensor_W_per_mK"][1][1]
    k = np.array(found["conductivity_tensor_W_per_mK"])
    assert k[1, 1] == pytest.approx(one / 64, rel=1e-7)
    k[1, 1] = 0
    assert (k == 0).all()
    assert found["tortuosities"][0] is None
    assert "no common solid position (1 solid voxels on the low face, 1 on the high face)" in found["err"]
