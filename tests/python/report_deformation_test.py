"""Coarse displacements for the viewer. Oracle: fields with a known value everywhere."""

import numpy as np
import pytest
from osteon.report.deformation import MOST, coarse_displacement


def in_pieces(values):
    return ((z, values[z : z + 3]) for z in range(0, len(values), 3))


def linear(shape):
    """A displacement that increases linearly, on the nodes of an image of this shape."""
    z, y, x = np.meshgrid(*(np.arange(n + 1.0) for n in shape), indexing="ij")
    return np.stack([2 + 0.1 * z, -0.3 * x, 0.05 * y], axis=-1)


@pytest.mark.parametrize("shape", [(7, 9, 5), (90, 50, 41)])
def test_a_linear_field_stays_one(shape):
    """Means of blocks of nodes equal the values at the centres of the blocks."""
    found = coarse_displacement(in_pieces(linear(shape)), shape)
    assert found.values.shape == (*(min(MOST, n) for n in shape), 3)
    assert found.largest == pytest.approx(np.abs(found.values).max())
    for axis, component, slope in ((0, 0, 0.1), (2, 1, -0.3), (1, 2, 0.05)):
        cells = found.values.shape[axis]
        begins = np.arange(cells + 1) * (shape[axis] + 1) // cells
        middles = (begins[:-1] + begins[1:] - 1) / 2
        line = np.moveaxis(found.values[..., component], axis, 0)[:, 0, 0]
        np.testing.assert_allclose(line, slope * middles + (2 if component == 0 else 0), rtol=1e-5, atol=1e-6)
    back = (found.codes() / 255.0 * 2 - 1) * found.largest
    assert np.abs(back - found.values).max() <= found.largest / 250


def test_empty_space_takes_what_lies_around():
    shape = (12, 12, 12)
    moves = np.full((13, 13, 13, 3), np.nan)
    moves[:, :4, :4] = [0.1, 0.2, -0.4]
    found = coarse_displacement(in_pieces(moves), shape)
    np.testing.assert_allclose(found.values, np.broadcast_to([0.1, 0.2, -0.4], found.values.shape), rtol=1e-6)


def test_nothing_moves():
    assert coarse_displacement(in_pieces(np.zeros((5, 5, 5, 3))), (4, 4, 4)) is None
    assert coarse_displacement(in_pieces(np.full((5, 5, 5, 3), np.nan)), (4, 4, 4)) is None
