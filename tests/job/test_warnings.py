"""Tests of warnings. `run`, the report and Python print the warnings that `check` prints. Oracle: the list of `osteon
check --json`."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from whole_job import osteon

import osteon as package

SOFT = """
name = "soft"
[image]
path = "column.npy"
spacing_mm = 36
[segment]
threshold = 0.5
[[set]]
name = "far"
select = "box"
low_mm = [1e6, 1e6, 1e6]
high_mm = [2e6, 2e6, 2e6]
[[material]]
youngs_modulus_MPa = 10
poisson_ratio = 0.3
[load]
strain = -1
[picture]
enabled = false
"""


@pytest.fixture
def soft(tmp_path: Path) -> Path:
    column = np.zeros((8, 8, 8), "u1")
    column[:, 2:6, 2:6] = 1
    column[0, 0] = 1  # a part that segment.keep removes, with 8 of 136 voxels
    column[3:6, 0, 0] = 1
    column[:, 7, 7] = 1
    np.save(tmp_path / "column.npy", column)
    path = tmp_path / "soft.toml"
    path.write_text(SOFT, encoding="utf-8")
    return path


@pytest.mark.parametrize("ranks", [1, 2])
def test_run_and_check_print_equal_warnings(soft: Path, ranks: int):
    answer = soft.parent / "check.json"
    osteon("check", soft, "--json", answer)
    found = [(w["where"].partition(": ")[2], w["text"]) for w in json.loads(answer.read_text())["warnings"]]
    keys = {key for key, _ in found}
    assert keys == {"material[1].youngs_modulus_MPa", "image.spacing_mm", "load.strain", "segment.keep", "set"}
    checked = [text if key == "set" else f"{key}: {text}" for key, text in found]  # sets that the text names
    out = soft.parent / "soft.out"
    for _ in range(2):  # the second run uses the existing model
        done = osteon("run", soft, "-n", str(ranks), "-o", out, "--quiet", "--force")
        summary = json.loads((out / "summary.json").read_text())
        assert sorted(summary["warnings"]) == sorted(checked)
        for text in checked:
            assert done.stderr.count(text) == 1, text
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "Warning: material[1].youngs_modulus_MPa: 10 MPa is typical of polymers" in page


def test_python_raises_the_warnings_of_a_job(soft: Path, monkeypatch: pytest.MonkeyPatch):
    """Oracle: the list of the summary, the line of the call, and the names of arguments."""
    monkeypatch.chdir(soft.parent)  # make the folder of the job the working directory
    with warnings.catch_warnings(record=True) as reported:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", package.JobWarning)
        result = package.run(soft)
    assert [str(w.message) for w in reported] == result.summary["warnings"]
    assert {w.filename for w in reported} == {__file__}

    bone = {"youngs_modulus_MPa": 10, "poisson_ratio": 0.3}
    column = np.ones((4, 4, 4), bool)
    for tables in ({}, {"run": {"ranks": 2}}):  # in this process, and by the program
        with warnings.catch_warnings(record=True) as reported:
            warnings.simplefilter("ignore")
            warnings.simplefilter("always", package.JobWarning)
            result = package.stiffness(column, 36, strain=-1, **bone, **tables)
        assert len(reported) == len(result.summary["warnings"])
        assert {str(w.message).partition(":")[0] for w in reported} == {
            "youngs_modulus_MPa",
            "spacing_mm",
            "strain",
            "image",
        }
        assert {w.filename for w in reported} == {__file__}
    with warnings.catch_warnings(), pytest.raises(package.JobWarning, match="spacing_mm"):
        warnings.simplefilter("ignore")
        warnings.filterwarnings("error", "spacing_mm")
        package.stiffness(column, 36, **bone)


def test_flow_with_inertia_is_reported():
    """Oracle: Re = density k dp / (L viscosity^2 porosity) * hydraulic diameter of a slit of 4 voxels, computed by
    hand."""
    solid = np.zeros((4, 6, 3), bool)
    solid[:, 4:] = True
    with pytest.warns(
        package.JobWarning, match=r"^flow.pressure_drop_Pa: 100 Pa results in a Reynolds number of 1\.2e\+04"
    ) as t:
        flow = package.permeability(solid=solid, spacing_mm=0.2, flow={"pressure_drop_Pa": 100.0})
    k, gradient = (4**2 + 2) / 12 * 4 / 6 * 0.2**2, 100 / 0.8
    by_hand = 1000 * 1e-6 * (k * gradient / 1e-3 / (4 / 6)) * (2 * 0.8) / 1e-3
    assert flow.reynolds_number == pytest.approx(by_hand, rel=1e-4)
    assert f"{by_hand:.3g}" in str(t[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error", package.JobWarning)
        package.permeability(solid=solid, spacing_mm=0.005)


def test_a_file_whose_spacing_differs_warns_when_its_model_is_reused(tmp_path: Path):
    """Oracle: the spacing of the job compared with that of the file, in both runs."""
    sitk = pytest.importorskip("SimpleITK")
    image = sitk.GetImageFromArray(np.ones((4, 4, 4), "u1"))
    image.SetSpacing((0.1, 0.1, 0.1))
    sitk.WriteImage(image, str(tmp_path / "scan.nrrd"))
    text = SOFT.replace("column.npy", "scan.nrrd").replace("= 36", "= 0.2").replace("= 10\n", "= 1000\n")
    text = text.replace("strain = -1", "strain = -0.01").replace("threshold = 0.5", "threshold = 0.5")
    (tmp_path / "scan.toml").write_text(text, encoding="utf-8")
    for _ in range(2):
        done = osteon("run", tmp_path / "scan.toml", "-n", "1", "--no-report", "--force", "-o", tmp_path / "out")
        assert done.stderr.count("the image file states a voxel size of [0.1, 0.1, 0.1] mm") == 1
        told = json.loads((tmp_path / "out" / "summary.json").read_text())["warnings"]
        assert any("the image file states a voxel size" in text for text in told)
