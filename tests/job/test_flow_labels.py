"""Tests of labels of solid voxels, and of periodic faces, in flow between openings on the command line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from whole_job import Job

H = 0.1  # voxel edge in mm
INLET = '[[boundary]]\nface = "z_low"\nkind = "velocity"\nvelocity_mm_per_s = 2\n'
OUTLET = '[[boundary]]\nface = "z_high"\nkind = "outlet"\n'


def text(boundaries: str, flow: str = "", more: str = "", segment: str = "labels = true") -> str:
    return (
        f'physics = "flow"\n[image]\npath = "image.npy"\nspacing_mm = {H}\n[segment]\n{segment}\n'
        f"[flow]\n{flow}\n{boundaries}\n{more}\n[picture]\nenabled = false\n"
    )


def run(job: Job, job_file: str, *arguments: str) -> dict:
    job.write(job_file)
    done = job.run("--no-report", "--force", *arguments)
    assert done.code == 0, done.err
    return done.summary


def blocks(folder: Path) -> np.ndarray:
    """A channel with two blocks of different labels, and a third block without a label name."""
    labels = np.zeros((12, 8, 6), np.uint8)
    labels[3:5, :4, :] = 2
    labels[7:9, 5:, :3] = 3
    labels[7:9, 5:, 3:] = 7
    np.save(folder / "image.npy", labels)
    return labels


def test_the_force_is_shared_among_labels_on_any_number_of_ranks(job: Job, tmp_path: Path) -> None:
    """Oracle: the total force, and other numbers of ranks. The history of a transient flow ends with its answers."""
    blocks(tmp_path)
    flow = "inertia = true\nforce_labels = [2, 3]\nreference_velocity_mm_per_s = 2\nreference_area_mm2 = 0.1"
    job_file = text(INLET + OUTLET, flow, "[solve]\ntolerance = 1e-6\nmax_iterations = 2000")
    one = run(job, job_file, "-n", "1")
    forces = one["force_on_label_N"]
    assert list(forces) == ["2", "3", "other"]
    assert np.sum([forces[k] for k in forces], axis=0) == pytest.approx(one["force_on_solid_N"], rel=1e-12)
    unit = 1000 / 2 * 2e-3**2 * 0.1e-6
    for label in ("2", "3"):
        assert np.array(forces[label]) / unit == pytest.approx(one["force_coefficients_of_label"][label], rel=1e-9)
        assert forces[label][0] > 0
    three = run(job, job_file, "-n", "3")
    for label, force in forces.items():
        assert three["force_on_label_N"][label] == pytest.approx(force, abs=1e-4 * forces["2"][0]), label
    later = run(job, job_file + "[transient]\nend_s = 0.01\n", "-n", "2")
    history = later["flow_history"]
    assert [history["force_on_label_N"][k][-1] for k in forces] == [later["force_on_label_N"][k] for k in forces]
    assert history["force_coefficients_of_label"]["3"][-1] == later["force_coefficients_of_label"]["3"]
    assert len(history["force_coefficients"]) == len(history["time_s"])


def test_a_pipe_is_opened_by_labels_as_by_its_cropped_ends(job: Job, tmp_path: Path) -> None:
    """Oracle: the image that is cropped to the pipe, with openings at its faces."""
    rng = np.random.default_rng(3)
    labels = np.ones((10, 6, 6), np.uint8)
    labels[2:8, 1:5, 1:5] = np.where(rng.random((6, 4, 4)) < 0.15, 1, 0)
    labels[1][labels[2] == 0] = 4
    labels[8][labels[7] == 0] = 5
    np.save(tmp_path / "image.npy", labels)
    openings = (
        '[[boundary]]\nlabel = 4\nkind = "flow_rate"\nflow_rate_mm3_per_s = 0.02\nprofile = "developed"\n'
        '[[boundary]]\nlabel = 5\nkind = "pressure"\npressure_Pa = 3\n'
    )
    more = "[solve]\ntolerance = 1e-9\nmax_iterations = 2000"
    one = run(job, text(openings, "", more), "-n", "3")
    cropped = text(openings.replace("label = 4", 'face = "z_low"').replace("label = 5", 'face = "z_high"'), "", more)
    other = run(job, cropped.replace("spacing_mm", "crop_voxels = [[2, 8], [0, 6], [0, 6]]\nspacing_mm"), "-n", "1")
    for key in ("pressure_drop_Pa", "mean_speed_mm_per_s", "mean_wall_shear_stress_Pa", "hydraulic_diameter_mm"):
        assert one[key] == pytest.approx(other[key], rel=1e-8), key
    assert one["opening_pressure_Pa"]["label_5"] == 3
    assert one["opening_pressure_Pa"]["label_4"] == pytest.approx(other["opening_pressure_Pa"]["z_low"], rel=1e-8)
    assert one["force_on_solid_N"] == pytest.approx(other["force_on_solid_N"], rel=1e-7, abs=1e-14)
    # The labels are in a separate image, and are painted into the pores of a grey-value image.
    painted = np.where(labels > 1, labels, 0)
    np.save(tmp_path / "labels.npy", painted.astype(np.uint8))
    np.save(tmp_path / "image.npy", np.where(labels == 1, 100, 0).astype(np.uint8))
    grey = run(job, text(openings, 'label_image = "labels.npy"', more, "threshold = 50"), "-n", "2")
    assert grey["pressure_drop_Pa"] == pytest.approx(one["pressure_drop_Pa"], rel=1e-8)
    assert grey["fluid"] == one["fluid"]
    # The transient solver has the same result.
    settled = run(
        job,
        text(openings, 'label_image = "labels.npy"', "[transient]\nend_s = 0.2\nstep_s = 0.02", "threshold = 50"),
        "-n",
        "1",
    )
    assert settled["pressure_drop_Pa"] == pytest.approx(one["pressure_drop_Pa"], rel=0.05)


def test_a_box_opens_the_solid_inside_it(job: Job, tmp_path: Path) -> None:
    solid = np.zeros((6, 4, 4), np.uint8)
    solid[0] = 100
    np.save(tmp_path / "image.npy", solid)
    source = INLET.replace('face = "z_low"\n', "") + f"low_mm = [0, 0, 0]\nhigh_mm = [{H}, {2 * H}, {4 * H}]\n"
    s = run(job, text(source + OUTLET, "", "[solve]\ntolerance = 1e-8", "threshold = 50"), "-n", "2")
    assert s["opening_inflow_mm3_per_s"]["inside"] == pytest.approx(2 * 8 * H**2)


@pytest.mark.parametrize("inertia", ["false", "true"])
def test_a_slit_that_repeats_has_the_rate_of_its_drop(job: Job, tmp_path: Path, inertia: str) -> None:
    """Oracle: (g^2 + 2) / 12 voxels^2, exact on this grid, and the pressure drop for this flow rate."""
    gap = 6
    labels = np.zeros((4, gap + 1, 5), np.uint8)
    labels[:, gap] = 1
    np.save(tmp_path / "image.npy", labels)
    sides = '[[boundary]]\nface = "z"\nkind = "periodic"\n'
    along = '[[boundary]]\nface = "x"\nkind = "periodic"\n'
    flow = f"inertia = {inertia}\nforce_labels = [1]"
    more = "[solve]\ntolerance = 1e-8"
    s = run(job, text(sides + along + "pressure_drop_Pa = 0.05\n", flow, more), "-n", "3")
    rate = 0.05 / (5 * H) / 1e-3 * (gap**2 + 2) / 12 * H**2 * gap * 4 * H**2
    assert s["period_flow_rate_mm3_per_s"]["x"] == pytest.approx(rate, rel=1e-7)
    assert s["period_flow_rate_mm3_per_s"]["z"] == pytest.approx(0, abs=1e-7 * rate)
    assert s["flow_rate_mm3_per_s"] == pytest.approx(rate, rel=1e-7)
    # The other plate is a face of the image.
    assert s["force_on_label_N"]["1"][2] == pytest.approx(0.05 * gap * 4 * H**2 * 1e-6 / 2, rel=1e-6)
    found = run(job, text(sides + along + f"flow_rate_mm3_per_s = {rate}\n", flow, more), "-n", "1")
    assert found["period_pressure_drop_Pa"] == pytest.approx({"z": 0, "x": 0.05}, rel=1e-7)
    if inertia == "true":
        time = "[transient]\nend_s = 0.3\nstep_s = 0.01\n"
        later = run(job, text(sides + along + "pressure_drop_Pa = 0.05\n", flow, more + "\n" + time), "-n", "2")
        assert later["flow_history"]["period_flow_rate_mm3_per_s"]["x"][-1] == pytest.approx(rate, rel=1e-3)


PERIOD = '[[boundary]]\nface = "x"\nkind = "periodic"\n'


@pytest.mark.parametrize(
    ("boundaries", "flow", "segment", "fault"),
    [
        ('[[boundary]]\nlabel = 3\nkind = "velocity"\nvelocity_mm_per_s = 1\n', "", "", "inflow without outflow"),
        ('[[boundary]]\nkind = "outlet"\n' + INLET, "", "", "boundary[1].face: missing"),
        ('[[boundary]]\nlabel = 0\nkind = "outlet"\n' + INLET, "", "", "0 is a label of the fluid"),
        (
            2 * '[[boundary]]\nlabel = 3\nkind = "outlet"\n' + INLET,
            "",
            "",
            "3 already has the condition of boundary[1]",
        ),
        ('[[boundary]]\nlabel = 3\nkind = "outlet"\n' + INLET, "", "threshold = 1", "label 3 requires a label image"),
        (INLET + OUTLET, "force_labels = [2, 2]", "", "2 is listed twice"),
        (INLET + OUTLET, "force_labels = [2.5]", "", "is not a label"),
        (INLET + OUTLET, 'label_image = "image.npy"', "", "contains a label; remove the key"),
        (INLET + OUTLET + PERIOD.replace('"x"', '"x_low"'), "", "", "is a single face"),
        (INLET + OUTLET + PERIOD.replace('"x"', '"z"'), "", "", "one of them is periodic"),
        (PERIOD, "", "", "no driving force"),
        (
            PERIOD + "pressure_drop_Pa = 1\nflow_rate_mm3_per_s = 1\n",
            "",
            "",
            "not allowed together with pressure_drop_Pa",
        ),
        (PERIOD + "flow_rate_mm3_per_s = 0\n", "", "", "set pressure_drop_Pa"),
        (INLET + "pressure_drop_Pa = 1\n" + OUTLET, "", "", 'belongs to kind = "periodic", not to "velocity"'),
        (
            PERIOD + "factor_at_s = [[0, 1], [1, 2]]\n[transient]\nend_s = 1\nstep_s = 0.1\n",
            "",
            "",
            "which has no value",
        ),
    ],
)
def test_what_contradicts_itself_is_refused(
    job: Job, tmp_path: Path, boundaries: str, flow: str, segment: str, fault: str
) -> None:
    blocks(tmp_path)
    job.write(text(boundaries, flow, "", segment or "labels = true"))
    done = job.run("--no-report")
    assert done.code == 2, done.err
    assert fault in done.err, done.err


@pytest.mark.parametrize(
    ("boundaries", "flow", "fault"),
    [
        ('[[boundary]]\nlabel = 9\nkind = "outlet"\n' + INLET, "", "has the label 9"),
        (INLET + OUTLET, "force_labels = [5]", "has the label 5"),
        (
            '[[boundary]]\nlabel = 4\nkind = "outlet"\n' + INLET,
            "",
            "boundary[1] (label 4) has no voxel face in common with the fluid",
        ),
        (PERIOD.replace('"x"', '"y"') + "pressure_drop_Pa = 1\n", "", "connects one period to the next"),
    ],
)
def test_what_the_image_contradicts_is_refused_before_the_solve(
    job: Job, tmp_path: Path, boundaries: str, flow: str, fault: str
) -> None:
    labels = blocks(tmp_path)
    labels[:, 4] = 7  # no flow passes along y
    labels[:, :4][labels[:, :4] == 0] = 7
    labels[0, 0, 0] = 4
    np.save(tmp_path / "image.npy", labels)
    job.write(text(boundaries, flow))
    done = job.run("--no-report")
    assert done.code == 3, done.err
    assert fault in done.err, done.err
