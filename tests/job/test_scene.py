"""Tests of the description of the loads of a run for pictures: scene.json and sets.nrrd."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import nrrd
import numpy as np
import pytest
from whole_job import Job, follows_schema

SHAPE, SPACING = (6, 5, 4), (1.0, 0.5, 0.25)


def job_on(job: Job, loads: str, image: np.ndarray | None = None, physics: str = "elasticity") -> None:
    """Write a job on a solid block, or on an image of 0 and 100."""
    np.save(job.folder / "block.npy", np.full(SHAPE, 100, np.uint8) if image is None else image)
    material = "youngs_modulus_MPa = 1000\npoisson_ratio = 0.3\n" if physics == "elasticity" else ""
    material += "conductivity_W_per_mK = 2.0\n" if physics == "heat" else ""
    job.write(
        f'physics = "{physics}"\n[image]\npath = "block.npy"\nspacing_mm = {list(SPACING)}\n[segment]\nthreshold = 50\n'
        f"{'[[material]]' if material else ''}\n{material}\n{loads}\n[picture]\nenabled = false\n"
    )


def scene_of(job: Job, ranks: int = 1) -> tuple[dict, dict]:
    done = job.run("-n", str(ranks), "--no-report", "--force")
    assert done.code == 0, done.err
    summary = done.summary
    scene = json.loads((done.folder / "scene.json").read_text())
    follows_schema(scene, "scene")
    assert Path(summary["files"]["scene"]).name == "scene.json"
    assert scene["shape"] == list(SHAPE) and scene["spacing_mm"] == list(SPACING)
    return scene, summary


def labels(scene: dict, folder: Path) -> np.ndarray:
    """Return the labels, shape (z, y, x)."""
    path = folder / scene["set_volume"]["file"]
    assert hashlib.sha256(path.read_bytes()).hexdigest() == scene["set_volume"]["sha256"]
    values, header = nrrd.read(str(path))
    np.testing.assert_allclose(np.diag(header["space directions"]), SPACING[::-1])
    np.testing.assert_allclose(header["space origin"], np.array(SPACING[::-1]) / 2)
    return values.transpose(2, 1, 0)


@pytest.mark.parametrize("measure", ["strain = -0.01", "force_N = -3.0"])
def test_a_standard_test_lists_its_faces(job: Job, measure: str) -> None:
    """Oracle: the layers at the two faces, and a strain of 0.01 over 6 mm or the scaled force of the summary."""
    job_on(job, f'[load]\ntest = "axial_bonded"\naxis = "z"\n{measure}\n')
    scene, summary = scene_of(job)
    low, high = scene["cases"][0]["supports"]
    assert (low["kind"], low["on"], low["held"], low["nodes"]) == ("held", "z_low", "zyx", 6 * 5)
    assert (high["kind"], high["on"]) == ("displaced", "z_high")
    assert high["displacement_mm"] == pytest.approx([summary["load"]["displacement_mm"], 0, 0])
    if "strain" in measure:
        assert high["displacement_mm"][0] == pytest.approx(-0.06)
    assert high["reaction_N"] == summary["supports"][1]["reaction_N"]
    volume = labels(scene, job.folder / "job.out")
    expected = np.zeros(SHAPE, int)
    expected[0], expected[-1] = low["set"], high["set"]
    np.testing.assert_array_equal(volume, expected)
    assert [s["number"] for s in scene["sets"]] == [1, 2]
    assert scene["sets"][1]["centroid_mm"] == pytest.approx([6, 1.25, 0.5])


CUSTOM = """[load]
test = "custom"
[[support]]
on = "z_low"
fix = "zyx"
[[force]]
on = "spot"
toward_mm = [9, 2.5, 1]
magnitude_N = 12
[[force]]
on = "z_high"
pressure_MPa = 2
[[set]]
name = "spot"
select = "box"
low_mm = [6, 2.4, 0.9]
high_mm = [6, 2.6, 1.1]
"""


def test_forces_are_resolved_and_the_smallest_set_names_a_voxel(job: Job) -> None:
    """Oracle: a force of 12 N along z at one node at the corner, a pressure of 2 MPa on 2.5 mm2, and the voxel below
    this corner."""
    job_on(job, CUSTOM)
    scene, _ = scene_of(job)
    pull, press = scene["cases"][0]["forces"]
    assert (pull["kind"], press["kind"]) == ("toward", "pressure")
    assert pull["point_mm"] == pytest.approx([6, 2.5, 1]) and pull["force_N"] == pytest.approx([12, 0, 0])
    assert press["force_N"] == pytest.approx([-5, 0, 0]) and press["point_mm"] == pytest.approx([6, 1.25, 0.5])
    volume = labels(scene, job.folder / "job.out")
    assert volume[-1, -1, -1] == pull["set"]
    assert (volume[-1].ravel()[:-1] == press["set"]).all()
    assert scene["cases"][0]["supports"][0]["reaction_N"] == pytest.approx([-7, 0, 0], abs=1e-4)


def test_scenes_are_equal_on_any_number_of_ranks(job: Job) -> None:
    """Oracle: one rank."""
    job_on(job, CUSTOM)
    alone, _ = scene_of(job, 1)
    volume = (job.folder / "job.out" / "sets.nrrd").read_bytes()
    several, _ = scene_of(job, 3)
    assert (job.folder / "job.out" / "sets.nrrd").read_bytes() == volume
    assert several["sets"] == alone["sets"]
    for a, b in zip(alone["cases"][0]["forces"], several["cases"][0]["forces"], strict=True):
        assert a["point_mm"] == pytest.approx(b["point_mm"]) and a["force_N"] == pytest.approx(b["force_N"])


def test_load_cases_have_entries_of_their_own(job: Job) -> None:
    """Oracle: the names of the cases."""
    cases = (
        '[[case]]\nname = "press"\ntest = "axial_bonded"\n[[case]]\nname = "twist"\ntest = "torsion"\nangle_deg = 2\n'
    )
    job_on(job, cases)
    scene, _ = scene_of(job)
    assert [c["name"] for c in scene["cases"]] == ["press", "twist"]
    turned = scene["cases"][1]["supports"][1]
    assert turned["kind"] == "displaced" and turned["turn_deg"] == pytest.approx([2, 0, 0])


def test_heat_and_flow_tell_their_faces(job: Job) -> None:
    """Oracle: the conditions of the job, and the flow through these faces in the summary."""
    job_on(job, '[load]\naxis = "y"\nlow_K = 300\nhigh_K = 320\n', physics="heat")
    scene, _ = scene_of(job)
    assert [(b["face"], b["temperature_K"]) for b in scene["boundaries"]] == [("y_low", 300), ("y_high", 320)]
    assert "set_volume" not in scene and scene["cases"] == []
    image = np.zeros(SHAPE, np.uint8)
    image[:, 0] = 100
    inlet = '[[boundary]]\nface = "z_low"\nkind = "velocity"\nvelocity_mm_per_s = 2\n'
    job_on(job, inlet + '[[boundary]]\nface = "z_high"\nkind = "outlet"\n', image, "flow")
    scene, summary = scene_of(job, 2)
    assert [b["kind"] for b in scene["boundaries"]] == ["velocity", "outlet"]
    for b in scene["boundaries"]:
        assert b["inflow_mm3_per_s"] == summary["opening_inflow_mm3_per_s"][b["face"]]


@pytest.mark.parametrize("ranks", [1, 3])
def test_the_position_of_the_largest_value_is_reported(job: Job, ranks: int) -> None:
    """Oracle: the largest value of the results file and its voxel, for several numbers of ranks."""
    import netCDF4

    image = np.full(SHAPE, 100, np.uint8)
    image[2:4, 1:4, 1] = 0  # a notch
    job_on(job, '[load]\ntest = "axial_bonded"\naxis = "z"\nstrain = -0.01\n', image)
    scene, summary = scene_of(job, ranks)
    with netCDF4.Dataset(job.folder / "job.out" / "results.nc") as file:
        values = np.ma.filled(file[summary["shown"]["field"]][:].astype(float), np.nan)
    peak = scene["shown"]["peak"]
    assert peak == summary["shown"]["peak"]
    assert peak["value"] == pytest.approx(np.nanmax(values))
    assert values[tuple(peak["voxel"])] == pytest.approx(peak["value"])
    np.testing.assert_allclose(peak["at_mm"], (np.array(peak["voxel"]) + 0.5) * SPACING)


def test_a_job_may_be_drawn_for_paper(job: Job) -> None:
    """Oracle: white around the specimen. The picture contains only a surface, with colours from 0, the first colour of
    the map."""
    from PIL import Image

    job_on(job, '[load]\ntest = "axial_bonded"\naxis = "z"\nstrain = -0.01\n')
    text = (job.folder / "job.toml").read_text()
    drawn = 'preset = "paper"\nwidth = 64\nheight = 64\nzoom = 0.7\n'
    (job.folder / "job.toml").write_text(text.replace("enabled = false\n", drawn))
    _, summary = scene_of(job)
    shown = summary["shown"]
    assert (shown["colour_map"], shown["part_of_map"], shown["low"]) == ("ivory", [0, 1], 0)
    picture = np.asarray(Image.open(job.folder / "job.out" / "picture.png"))[..., :3]
    assert (picture[0] == 255).all() and (picture[:, 0] == 255).all()
    assert (picture[24:40, 24:40] < 255).any(axis=2).all()
