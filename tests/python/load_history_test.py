"""Loads estimated from structure. Oracles: all active sets of small matrices, and densities generated from known
amplitudes."""

from itertools import combinations

import numpy as np
import pytest
from osteon.load_history import _Sums, amplitudes_of, nonnegative_least_squares


def best(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The minimum over all active sets with a feasible solution."""
    n, found = len(right), np.zeros(len(right))
    for size in range(1, n + 1):
        for free in map(list, combinations(range(n), size)):
            x = np.zeros(n)
            x[free] = np.linalg.solve(matrix[np.ix_(free, free)], right[free])
            if (x >= 0).all() and x @ matrix @ x / 2 - right @ x < found @ matrix @ found / 2 - right @ found:
                found = x
    return found


@pytest.mark.parametrize("n", [1, 2, 3, 5, 6])
def test_least_squares_without_negative_amplitudes(n):
    random = np.random.default_rng(n)
    for _ in range(40):
        rows = random.standard_normal((n + 3, n))
        matrix, right = rows.T @ rows, random.standard_normal(n)
        np.testing.assert_allclose(nonnegative_least_squares(matrix, right), best(matrix, right), atol=1e-8)


def sums_of(densities: np.ndarray, blocks: np.ndarray) -> _Sums:
    k, n = len(densities), 64
    sums = _Sums(np.zeros(n), np.zeros((n, k)), np.zeros((n, k, k)))
    for b in range(n):
        here = densities[:, blocks == b]
        sums.voxels[b], sums.densities[b], sums.products[b] = here.shape[1], here.sum(axis=1), here @ here.T
    return sums


def test_amplitudes_that_are_known_are_found():
    """Densities that are even for 4 times the first case and a ninth of the second case. The third case is
    negligible."""
    random = np.random.default_rng(3)
    share = random.random(6400)
    densities = np.stack([share * 0.02 / 4, (1 - share) * 0.02 * 9, np.full(6400, 1e-9) * random.random(6400)])
    squares, low, high = amplitudes_of(sums_of(densities, np.arange(6400) % 64), 0.02)
    np.testing.assert_allclose(squares[:2], [4, 1 / 9], rtol=1e-6)
    assert (low[:2] <= squares[:2] * (1 + 1e-9)).all() and (high[:2] >= squares[:2] * (1 - 1e-9)).all()


def test_noise_widens_the_interval_which_holds_the_truth():
    """Invariant: of 40 specimens with 30 % noise, more than 30 contain the amplitude in their interval."""
    held, random = 0, np.random.default_rng(5)
    for _ in range(40):
        share = random.random(6400)
        noise = 1 + 0.3 * random.standard_normal(64)[np.arange(6400) % 64]  # one value per block
        densities = np.stack([share, 1 - share]) * 0.02 * noise
        squares, low, high = amplitudes_of(sums_of(densities, np.arange(6400) % 64), 0.02)
        assert (high > low).all()
        # the densities contain the noise, and its variance increases the mean of their squares
        expected = 1 / (1 + 0.3**2)
        held += bool(low[0] <= expected <= high[0])
        assert squares[0] == pytest.approx(expected, rel=0.3)
    assert held > 30
