"""Filters that preserve thin structures. Oracles: transfer functions by hand, definitions written out in NumPy, and
parts by flooding."""

import numpy as np
import pytest
from osteon.errors import DataError
from osteon.images.image_steps import apply_steps
from osteon.images.volume import Volume

RNG = np.random.default_rng(11)
GREY = RNG.integers(-50, 200, (12, 10, 9)).astype("i2")


def stepped(values: np.ndarray, step: dict, spacing=(0.1, 0.1, 0.1)) -> np.ndarray:
    volume = Volume(values.copy(), "npy", spacing)
    apply_steps(volume, [step], None, False, "a.npy")
    return volume.values


@pytest.mark.parametrize(("cycles", "axis"), [(0, 0), (0.1, 0), (0.125, 1), (0.2, 2), (0.25, 0)])
def test_a_wave_is_multiplied_by_the_transfer_function(cycles, axis):
    """Oracle: ((1 - e) + e f^2) (1 + cos(pi f / f_c)) / 2, with f in cycles per mm. The voxel edges differ across the
    wave."""
    spacing = np.array([0.1, 0.1, 0.1])
    spacing[axis] = 0.08
    n = 80
    at = np.arange(n)
    shape = [1, 1, 1]
    shape[axis] = n
    # The wave is even about the centre of the border, so that mirroring continues the wave.
    wave = 100 * np.cos(2 * np.pi * cycles * at).reshape(shape) * np.ones([n if a == axis else 24 for a in range(3)])
    found = stepped(wave.astype("f4"), {"kind": "laplace_hamming"}, tuple(spacing))
    f, end = cycles / 0.08, 0.3 / 0.08
    factor = (0.55 + 0.45 * f * f) * (0.5 + 0.5 * np.cos(np.pi * f / end))
    inner = tuple(slice(20, -20) if a == axis else slice(None) for a in range(3))
    np.testing.assert_allclose(found[inner], factor * wave[inner], atol=0.02 * 100 * max(factor, 0.2))


def test_fine_structures_come_out_of_a_blur():
    """A blurred plate of one voxel next to a block. After the filter, a threshold of half the value in the block
    contains the plate again."""
    image = np.zeros((16, 16, 48), "f4")
    image[:, :, 8:20] = 1000
    image[:, :, 32] = 1000
    blurred = stepped(image, {"kind": "gaussian", "sigma_voxels": 1.0})
    assert blurred[8, 8, 32] < 500 < blurred[8, 8, 12]  # the plate is lost at the usual threshold
    found = stepped(blurred, {"kind": "laplace_hamming"}, (0.0607,) * 3)
    assert found[8, 8, 32] > 0.5 * found[8, 8, 9:19].mean()


def window(values: np.ndarray, at: tuple[int, ...], radius: int) -> np.ndarray:
    return values[tuple(slice(max(0, a - radius), a + radius + 1) for a in at)]


@pytest.mark.parametrize("method", ["sauvola", "phansalkar", "bernsen"])
def test_local_thresholds(method):
    """Oracle: the definitions, window by window, away from the border."""
    step = {"kind": "local_threshold", "method": method, "radius_voxels": 2, "low": -20.0, "high": 150.0}
    found = stepped(GREY, step | ({"contrast": 60.0} if method == "bernsen" else {}))
    low, high = float(GREY.min()), float(GREY.max())
    dark = (high - GREY) / (high - low)
    differ, raised = 0, 0
    for at in np.ndindex(*GREY.shape):
        if any(a < 2 or a >= n - 2 for a, n in zip(at, GREY.shape, strict=True)):
            continue
        w = window(dark, at, 2)
        mean, deviation = w.mean(), w.std(ddof=1)
        if method == "sauvola":
            expected = dark[at] < mean * (1 + 0.2 * (deviation / 0.5 - 1))
        elif method == "phansalkar":
            expected = dark[at] < mean * (1 + 2 * np.exp(-10 * mean) + 0.25 * (deviation / 0.5 - 1))
        else:
            g = window(GREY, at, 2).astype(float)
            expected = GREY[at] > (g.min() + g.max()) / 2
        is_raised = expected and -20 < GREY[at] <= 150
        raised += is_raised
        differ += found[at] != (151 if is_raised else GREY[at])
    assert differ <= (0 if method == "bernsen" else 1)  # rounding decides for a value on the threshold
    assert raised > 50 and found.dtype == GREY.dtype


def test_what_is_raised_lies_just_above():
    flat = np.full((9, 9, 9), 7, "u1")
    flat[4, 4, 4], flat[8] = 9, 200
    bernsen = {"kind": "local_threshold", "method": "bernsen", "radius_voxels": 2, "contrast": 5.0, "low": 5.0}
    # noise that is darker than the threshold of Otsu
    np.testing.assert_array_equal(stepped(flat, bernsen | {"high": 100.0})[:6], flat[:6])
    assert stepped(flat, bernsen | {"contrast": 1.0, "high": 100.5})[4, 4, 4] == 101
    floats = stepped(flat.astype("f4"), bernsen | {"contrast": 1.0, "high": 100.5})
    assert 100.5 < floats[4, 4, 4] < 100.51
    with pytest.raises(DataError, match="largest value of the image type"):
        stepped(flat, bernsen | {"high": 255.0})


def test_hysteresis_keeps_what_hangs_on_something_bright():
    """Oracle: flooding by faces from the bright voxels."""
    found = stepped(GREY, {"kind": "hysteresis", "low": 60.0, "high": 170.0})
    above, reached = GREY > 60, GREY > 170
    while True:
        grown = reached.copy()
        for axis in range(3):
            for by in (1, -1):
                moved = np.roll(reached, by, axis)
                edge = [slice(None)] * 3
                edge[axis] = 0 if by == 1 else -1
                moved[tuple(edge)] = False
                grown |= moved
        grown &= above
        if (grown == reached).all():
            break
        reached = grown
    np.testing.assert_array_equal(found, np.where(reached & (GREY <= 170), 171, GREY))
    assert (GREY > 170).sum() < reached.sum() < above.sum()
    with pytest.raises(DataError, match="no voxel is above high = 900; the brightest is 199"):
        stepped(GREY, {"kind": "hysteresis", "low": 60.0, "high": 900.0})
