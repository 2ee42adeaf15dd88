"""Tests of functions that accept an array, and of the members of their result. Oracles: closed forms, and packages that
read the same file."""

import gc
import json
import math
import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import osteon

pytestmark = pytest.mark.skipif(
    not Path(os.environ.get("OSTEON_BINARY", "/nonexistent")).exists(),
    reason="the osteon program is not built (OSTEON_BINARY)",
)

ONE_RANK = {"run": {"ranks": 1}}
STEEL = {"youngs_modulus_MPa": 200e3, "poisson_ratio": 0.0}


@pytest.fixture(scope="module")
def half() -> np.ndarray:
    """A mask whose lower half along x is True. The mask consists of bars along z."""
    mask = np.zeros((6, 5, 4), bool)
    mask[:, :, :2] = True
    return mask


@pytest.fixture(scope="module")
def bar(half: np.ndarray) -> osteon.Result:
    return osteon.stiffness(
        half, (0.1, 0.2, 0.4), **STEEL, tolerance=1e-10, output={"fields": ["displacement"]}, **ONE_RANK
    )


def test_stiffness_of_a_bar(bar: osteon.Result):
    """Oracle: E A / l, and E over the cross-section of the bounding box of the solid. Poisson's ratio is zero, so that
    bonded faces have no effect."""
    area, length = 5 * 0.2 * 2 * 0.4, 6 * 0.1
    assert bar.stiffness_N_per_mm == pytest.approx(200e3 * area / length, rel=1e-6)
    assert bar.apparent_modulus_MPa == pytest.approx(200e3, rel=1e-6)
    assert bar.certificate["converged"] is True
    answer = bar.answers["apparent_modulus_MPa"]
    assert answer.unit == "MPa" and answer.value == bar.apparent_modulus_MPa
    assert "apparent_modulus_MPa" in dir(bar) and "apparent_modulus_MPa" in repr(bar)


def test_what_there_is_not_is_said(bar: osteon.Result):
    with pytest.raises(AttributeError, match=r"no 'porosity'; available: .*stiffness_N_per_mm"):
        _ = bar.porosity
    with pytest.raises(KeyError, match="no field 'speed'; available: "):
        _ = bar["speed"]
    with pytest.raises(osteon.UsageError, match="solid= and pores="):
        osteon.tortuosity(np.ones((3, 3, 3)), 1.0)
    with pytest.raises(TypeError, match="youngs_modulus_MPa"):
        osteon.stiffness(np.ones((3, 3, 3), bool), 1.0, poisson_ratio=0.3)


def test_homogenise_a_block():
    """Oracle: the Lame constants of an isotropic material. Scalars are returned as an array."""
    e, nu = 1000.0, 0.25
    block = osteon.homogenise(
        np.ones((3, 4, 5), bool), 0.1, youngs_modulus_MPa=e, poisson_ratio=nu, tolerance=1e-10, **ONE_RANK
    )
    lame, shear = e * nu / (1 + nu) / (1 - 2 * nu), e / 2 / (1 + nu)
    exact = np.diag([2 * shear] * 3 + [shear] * 3)
    exact[:3, :3] += lame
    np.testing.assert_allclose(block.stiffness_MPa, exact, atol=1e-5 * e)


def test_conductivity_and_tortuosity(half: np.ndarray):
    """Oracle: parallel bars. Along the bars, the conductivity is the volume fraction of the solid. Across the bars,
    there is no path."""
    along = osteon.conductivity(solid=half, spacing_mm=0.1, conductivity_W_per_mK=3.0, tolerance=1e-10, **ONE_RANK)
    assert along.effective_conductivity_W_per_mK == pytest.approx(1.5, rel=1e-6)
    straight = osteon.tortuosity(pores=half, spacing_mm=0.1, tolerance=1e-10, **ONE_RANK)
    assert straight.tortuosity == pytest.approx(1, rel=1e-6)
    assert straight["temperature"].shape == half.shape
    tensor = osteon.conductivity(
        solid=half, spacing_mm=0.1, conductivity_W_per_mK=3.0, axis=None, tolerance=1e-10, **ONE_RANK
    )
    np.testing.assert_allclose(np.diag(tensor.conductivity_tensor_W_per_mK), [1.5, 1.5, 0], atol=1e-6)


def test_no_path_has_an_infinite_tortuosity(half: np.ndarray, tmp_path: Path):
    """Oracle: bars along z. There is no flow across the bars. D_eff / D is the volume fraction divided by the
    tortuosity."""
    across = osteon.tortuosity(pores=half, spacing_mm=0.1, axis="x", output={"directory": tmp_path / "out"}, **ONE_RANK)
    for result in (across, osteon.load(tmp_path / "out"), osteon.tortuosity(pores=half, spacing_mm=0.1, axis="x")):
        assert result.tortuosity == math.inf and result.answers["tortuosity"].value == math.inf
        assert result.relative_diffusivity == 0 and result.porosity == 0.5
        assert "inf" in repr(result)
    tensor = osteon.conductivity(solid=half, spacing_mm=0.1, conductivity_W_per_mK=3.0, axis=None, tolerance=1e-10)
    np.testing.assert_allclose(tensor.tortuosities, [1, 1, math.inf], rtol=1e-6)
    np.testing.assert_allclose(tensor.relative_diffusivities, [0.5, 0.5, 0], atol=1e-6)
    along = osteon.tortuosity(pores=half, spacing_mm=0.1, tolerance=1e-10)
    assert along.relative_diffusivity == pytest.approx(0.5, rel=1e-6)


def test_the_package_has_the_version_of_the_program():
    """Oracle: the output of `osteon version`."""
    from osteon.calls.api import binary

    reported = subprocess.run([binary(), "version", "--json", "-"], capture_output=True, text=True, check=True)
    assert osteon.__version__ == json.loads(reported.stdout)["version"]


def test_files_live_as_long_as_the_result(half: np.ndarray):
    result = osteon.tortuosity(pores=half, spacing_mm=0.1, **ONE_RANK)
    folder = result.output_directory
    assert (folder / "results.nc").exists()
    page = result.report(folder.parent / "page.html").read_text(encoding="utf-8")
    assert "ortuosity" in page
    again = osteon.load(folder)
    assert again.tortuosity == result.tortuosity
    del result, again
    gc.collect()
    assert not folder.exists()


def test_to_xarray(bar: osteon.Result):
    """Oracle: the centres of voxels and the corners of nodes, computed by hand."""
    pytest.importorskip("xarray")
    data = bar.to_xarray()
    np.testing.assert_allclose(data["z"], 0.1 * (np.arange(6) + 0.5))
    np.testing.assert_allclose(data["xn"], 0.4 * np.arange(5))
    assert data["z"].attrs["units"] == "mm" and data["displacement"].attrs["units"] == "mm"
    end = data["displacement"].sel(component3="z").isel(zn=-1, yn=0, xn=0)
    assert float(end) == pytest.approx(-0.01 * 0.6, rel=1e-5)


def test_to_pyvista(bar: osteon.Result):
    """Oracle: the displacement that PyVista samples at a point. In a bar, the displacement is linear along z."""
    pyvista = pytest.importorskip("pyvista")
    grid = bar.to_pyvista()
    assert grid.dimensions == (5, 6, 7) and grid.n_cells == 6 * 5 * 4
    point = grid.find_closest_point((0.4, 0.4, 0.3))
    assert grid.point_data["displacement"][point][2] == pytest.approx(-0.01 * 0.3, rel=1e-4)
    solid = grid.cell_data["material"] != 0
    assert set(np.round(grid.cell_centers().points[solid][:, 0], 6)) == {0.2, 0.6}
    assert isinstance(grid, pyvista.ImageData)


def test_a_notebook_shows_a_table_and_a_picture(bar: osteon.Result):
    text = bar._repr_html_()
    assert "Apparent" in text and "MPa" in text and "<script" not in text
    assert re.search(r"<img alt='[^']+' src='data:image/(png|webp);base64,", text)
    assert len(text) < 60_000
    assert len(bar.plot().axes) == 4
    with pytest.raises(KeyError, match="no field 'speed'"):
        bar.plot("speed")


@pytest.mark.parametrize(("tables", "last"), [(ONE_RANK, "solving"), ({"run": {"ranks": 2}}, "writing results")])
def test_progress_is_told(half: np.ndarray, tables: dict, last: str):
    """Stages are reported in order, each from its beginning."""
    reported: list[tuple[str, float]] = []
    result = osteon.tortuosity(
        pores=half, spacing_mm=0.1, progress=lambda stage, fraction, _: reported.append((stage, fraction)), **tables
    )
    assert result.tortuosity == pytest.approx(1, rel=1e-4)
    stages = list(dict.fromkeys(stage for stage, _ in reported))
    assert stages.index("importing the image") < stages.index("solving")
    assert stages[-1] == last
    assert all(0 <= fraction <= 1 for _, fraction in reported)
