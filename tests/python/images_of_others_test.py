"""Images of other packages as arguments. Oracle: the stiffness of bars along one axis of a box with unequal voxel
edges."""

import os
import warnings
from pathlib import Path

import numpy as np
import pytest

import osteon

pytestmark = pytest.mark.skipif(
    not Path(os.environ.get("OSTEON_BINARY", "/nonexistent")).exists(),
    reason="the osteon program is not built (OSTEON_BINARY)",
)

STEEL = {"youngs_modulus_MPa": 200e3, "poisson_ratio": 0.0, "tolerance": 1e-10, "threshold": 100}
SPACING = (0.1, 0.2, 0.4)  # z, y, x
EXACT = 200e3 * (5 * 0.2 * 2 * 0.4) / (6 * 0.1)  # E A / l along z


@pytest.fixture(scope="module")
def bars() -> np.ndarray:
    values = np.full((6, 5, 4), 30, "u1")
    values[:, :, :2] = 200
    return values


def stiffness(image, **options) -> float:
    return osteon.stiffness(image, **{**STEEL, **options}).stiffness_N_per_mm


def test_xarray_dimensions_are_used_by_name(bars: np.ndarray):
    xarray = pytest.importorskip("xarray")
    turned = xarray.DataArray(bars.transpose(2, 0, 1), dims=("x", "z", "y"))
    assert stiffness(turned, spacing_mm=SPACING) == pytest.approx(EXACT, rel=1e-6)
    assert stiffness(turned.expand_dims("channel"), spacing_mm=SPACING) == pytest.approx(EXACT, rel=1e-6)
    unnamed = xarray.DataArray(bars)
    assert stiffness(unnamed, spacing_mm=SPACING) == pytest.approx(EXACT, rel=1e-6)
    for dims, words in ((("x", "z", "t"), r"'t' \(5\) is not z, y or x"), (("z", "plane", "x"), "each once")):
        with pytest.raises(osteon.DataError, match=words):
            stiffness(xarray.DataArray(bars.transpose(2, 0, 1), dims=dims), spacing_mm=SPACING)


def test_xarray_coordinates_with_a_unit_are_the_spacing(bars: np.ndarray):
    xarray = pytest.importorskip("xarray")
    coordinates = {
        axis: (axis, 1000 * step * np.arange(n), {"units": "um"})
        for axis, step, n in zip("zyx", SPACING, bars.shape, strict=True)
    }
    image = xarray.DataArray(bars, coordinates, dims=("z", "y", "x"))
    assert stiffness(image.transpose("y", "x", "z")) == pytest.approx(EXACT, rel=1e-6)
    with pytest.warns(osteon.JobWarning, match=r"^spacing_mm: the image states \(0.1, 0.2, 0.4\) mm"):
        assert stiffness(image, spacing_mm=0.2) == pytest.approx(200e3 * 2 * 0.2 * 5 / 6, rel=1e-6)
    with pytest.raises(osteon.UsageError, match="spacing_mm: missing"):
        stiffness(image.assign_coords(z=np.arange(6)))
    with pytest.raises(osteon.DataError, match="steps from"):
        stiffness(image.assign_coords(z=("z", [0, 1, 2, 3, 4, 9], {"units": "mm"})))


def test_simpleitk_and_itk_images_bring_their_spacing(bars: np.ndarray):
    sitk = pytest.importorskip("SimpleITK")
    image = sitk.GetImageFromArray(bars)
    with pytest.warns(osteon.JobWarning, match="1 mm, the default of ITK"):
        assert stiffness(image) == pytest.approx(200e3 * 10 / 6, rel=1e-6)
    image.SetSpacing(SPACING[::-1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert stiffness(image) == pytest.approx(EXACT, rel=1e-6)
    mask = sitk.BinaryThreshold(image, 100, 255)
    shape = osteon.morphometry(mask, threshold=0.5)
    assert shape["TV_mm3"] == pytest.approx(6 * 5 * 4 * np.prod(SPACING))
    image.SetDirection((0, 1, 0, 1, 0, 0, 0, 0, 1))
    with pytest.warns(osteon.JobWarning, match="rotated in space"):
        stiffness(image)
    with pytest.raises(osteon.DataError, match="2 components"):
        stiffness(sitk.Compose(image, image))


def test_itk_images_bring_their_spacing(bars: np.ndarray):
    itk = pytest.importorskip("itk")
    image = itk.image_from_array(bars)
    image.SetSpacing(SPACING[::-1])
    assert stiffness(image) == pytest.approx(EXACT, rel=1e-6)


def test_nibabel_images_bring_their_spacing(bars: np.ndarray):
    nibabel = pytest.importorskip("nibabel")
    image = nibabel.Nifti1Image(bars.transpose(2, 1, 0), np.diag([-0.4, -0.2, 0.1, 1]))
    with pytest.raises(osteon.UsageError, match="spacing_mm: missing"):  # no unit is stated
        stiffness(image)
    image.header.set_xyzt_units("mm")
    assert stiffness(image) == pytest.approx(EXACT, rel=1e-6)
    image = nibabel.Nifti1Image(bars.transpose(2, 1, 0), np.diag([400.0, 200, 100, 1]))
    image.header.set_xyzt_units("micron")
    assert stiffness(image) == pytest.approx(EXACT, rel=1e-6)


@pytest.mark.parametrize("on_points", [False, True])
def test_pyvista_images_bring_their_spacing(bars: np.ndarray, on_points: bool):
    pyvista = pytest.importorskip("pyvista")
    image = pyvista.ImageData(
        dimensions=[n + (not on_points) for n in bars.shape[::-1]], spacing=SPACING[::-1], origin=(1, 2, 3)
    )
    (image.point_data if on_points else image.cell_data)["grey"] = bars.ravel()
    with pytest.warns(osteon.JobWarning, match="states no unit"):
        assert stiffness(image) == pytest.approx(EXACT, rel=1e-6)
    image.spacing = (1, 1, 1)
    with pytest.raises(osteon.UsageError, match="spacing_mm: missing"):
        stiffness(image)
    assert stiffness(image, spacing_mm=SPACING) == pytest.approx(EXACT, rel=1e-6)
    with pytest.raises(osteon.DataError, match="PolyData is not an image"):
        stiffness(pyvista.Sphere())


def test_other_images_are_rejected_by_name(bars: np.ndarray):
    class Scan:
        spacing = (1, 1, 1)

        def __array__(self, *_):
            return bars

    with pytest.raises(osteon.DataError, match=r"the axis order of a .*Scan is unknown; pass a numpy array"):
        stiffness(Scan(), spacing_mm=0.1)
