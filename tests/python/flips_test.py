"""Label images whose axes are reversed relative to their scan. Oracle: the position that ITK gives each voxel in the
patient."""

from pathlib import Path

import numpy as np
import pytest
import SimpleITK as sitk  # noqa: N813
from osteon.images.read_image import convert

LABELS = np.random.default_rng(4).integers(0, 4, (5, 6, 7)).astype("u1")
TURN = np.array([[0.8, -0.6, 0.0], [0.6, 0.8, 0.0], [0.0, 0.0, 1.0]])


@pytest.fixture(autouse=True)
def _in_tmp(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def scan() -> sitk.Image:
    image = sitk.GetImageFromArray(LABELS)
    image.SetSpacing((0.5, 0.25, 2.0))
    image.SetOrigin((-7.0, 3.0, 11.0))
    image.SetDirection(TURN.ravel().tolist())
    return image


@pytest.mark.parametrize("name", ["l.nii.gz", "l.nrrd", "l.mha"])
@pytest.mark.parametrize("axes", [(), (1,), (0, 1), (2,), (0, 1, 2)])
def test_reversed_axes_are_put_in_the_order_of_the_scan(axes, name):
    """Oracle: ITK flips an image in place, together with the origin and the direction of the image."""
    image = sitk.Flip(scan(), [axis in axes for axis in range(3)], False)
    sitk.WriteImage(image, name)
    plain = convert(name, "plain.npy")
    found = convert(name, "o.npy", {"direction": TURN.ravel().tolist()})
    np.testing.assert_array_equal(np.load("o.npy"), LABELS)
    sitk.WriteImage(scan(), "scan.nrrd")
    expected = convert("scan.nrrd", "s.npy")
    for key in ("origin_mm", "direction", "spacing_mm"):
        np.testing.assert_allclose(found[key], expected[key], atol=1e-5)
    assert len(found["warnings"]) == len(plain["warnings"]) + bool(axes)
    if axes:
        assert (
            "stores " + " and ".join(n for i, n in ((2, "z"), (1, "y"), (0, "x")) if i in axes) in found["warnings"][-1]
        )


def test_other_axes_stay():
    """Oracle: the unchanged file. A rotation is not a reversal of axes."""
    image = scan()
    image.SetDirection(np.eye(3).ravel().tolist())
    sitk.WriteImage(image, "l.nrrd")
    assert convert("l.nrrd", "a.npy", {"direction": TURN.ravel().tolist()}) == convert("l.nrrd", "b.npy")
    assert Path("a.npy").read_bytes() == Path("b.npy").read_bytes()
