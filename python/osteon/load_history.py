"""Estimate the loads on a bone from its structure (docs/howto/load_history.md).

The method assumes that bone adapts until a strain energy density is uniform. This density is the sum over all loads
during the life of the bone. The method finds the amplitudes of several unit load cases. With these amplitudes, the
summed density is closest to a uniform density.

@cite [Christen2013]
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .calls.one_frame import one_frame
from .errors import DataError, UsageError

TARGET_MPA = 0.02  # Christen et al.
# larger densities occur at notches and at faces of the box; these densities are replaced by this percentile
PERCENTILE = 95.0
SAMPLES = 200_000  # number of voxels for the estimate of this percentile
EDGE_BLOCKS = 4  # number of blocks along each axis; the bootstrap of the confidence interval uses these blocks
DRAWS = 500
SEED = 1
LARGE_CONDITION = 100.0


@dataclass(frozen=True)
class Amplitude:
    """Amplitude of a load case, and its confidence interval. An amplitude is a factor of the load in the case."""

    case: str
    factor: float
    low: float  # 2.5 % and 97.5 % quantiles of the bootstrap samples
    high: float
    share: float  # fraction of the summed density that the case contributes, averaged over the voxels
    force_N: list[float] | None  # noqa: N815 (z, y, x) at that amplitude; None: no face is driven


@dataclass(frozen=True)
class LoadHistory:
    target_MPa: float  # noqa: N815 (units as they are written)
    voxels: int
    amplitudes: list[Amplitude]
    deviation: float  # root mean square difference between the sum and the target, divided by the target
    # condition number of the matrix of mean products, scaled to a unit diagonal; None: the matrix is singular
    condition: float | None
    blocks: int  # number of blocks of the bootstrap

    def to_json(self) -> dict[str, Any]:
        return {"schema": "osteon.loads/1", **asdict(self)}

    def __str__(self) -> str:
        from .report.text import number

        lines = [f"amplitudes of {len(self.amplitudes)} load cases for {number(self.target_MPa)} MPa everywhere"]
        for a in self.amplitudes:
            force = "" if a.force_N is None else f", force (z, y, x) {number([float(f) for f in a.force_N])} N"
            lines.append(
                f"  {a.case:<20} {number(a.factor):>10} of its load, 95 %: {number(a.low)} to {number(a.high)}; "
                f"{100 * a.share:.1f} % of the energy{force}"
            )
        lines.append(f"  root mean square deviation  {100 * self.deviation:.0f} % of the target")
        reported = "none" if self.condition is None else number(self.condition)
        is_distinct = self.condition is not None and self.condition < LARGE_CONDITION
        lines.append(f"  condition of the matrix     {reported}" + ("" if is_distinct else UNSURE))
        return "\n".join(lines)


UNSURE = ": the cases cause similar strains, so that their amplitudes cannot be distinguished"


def nonnegative_least_squares(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Minimise x' A x / 2 - b' x over x >= 0 by active sets. A must be symmetric positive definite.

    @cite [LawsonHanson1974], chapter 23
    """
    n = len(right)
    x, free = np.zeros(n), np.zeros(n, bool)
    slack = 1e-12 * max(float(np.abs(right).max(initial=0.0)), 1e-300)
    for _ in range(3 * n + 10):
        slope = right - matrix @ x
        slope[free] = -np.inf
        if n == 0 or slope.max() <= slack:
            break
        free[int(np.argmax(slope))] = True
        while True:
            tried = np.zeros(n)
            tried[free] = np.linalg.lstsq(matrix[np.ix_(free, free)], right[free], rcond=None)[0]
            if (tried[free] > 0).all():
                x = tried
                break
            below = free & (tried <= 0)
            step = np.min(x[below] / (x[below] - tried[below]))
            x = x + step * (tried - x)
            free &= x > slack * 1e-6
            x[~free] = 0
            if not free.any():
                break
    return x


@dataclass
class _Sums:
    """Number of voxels, sums of the densities, and sums of products of densities, for each block."""

    voxels: np.ndarray
    densities: np.ndarray
    products: np.ndarray


def _summed(fields: dict[str, Any], shape: tuple[int, ...], caps: np.ndarray) -> _Sums:
    k, n = len(fields), EDGE_BLOCKS**3
    sums = _Sums(np.zeros(n), np.zeros((n, k)), np.zeros((n, k, k)))
    edges = [np.arange(s) * EDGE_BLOCKS // s for s in shape]
    y_x = edges[1][:, None] * EDGE_BLOCKS + edges[2][None, :]
    for parts in zip(*(f() for f in fields.values()), strict=True):
        first = parts[0][0]
        for plane in range(len(parts[0][1])):
            values = [p[1][plane] for p in parts]
            solid = np.isfinite(values[0])
            density = np.minimum(np.stack([v[solid] for v in values]).astype(float), caps[:, None])
            block = y_x[solid]
            for b in np.unique(block):
                of_block = density[:, block == b]
                at = int(edges[0][first + plane]) * EDGE_BLOCKS**2 + int(b)
                sums.voxels[at] += of_block.shape[1]
                sums.densities[at] += of_block.sum(axis=1)
                sums.products[at] += of_block @ of_block.T
    return sums


def _caps(fields: dict[str, Any], voxels: int) -> np.ndarray:
    every = max(1, voxels // SAMPLES)
    caps = []
    for field in fields.values():
        kept = np.concatenate([values[np.isfinite(values)][::every] for _, values in field()])
        caps.append(float(np.percentile(kept, PERCENTILE)) if len(kept) else 0.0)
    return np.array(caps)


def amplitudes_of(sums: _Sums, target: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the squared amplitudes. The result also contains the 2.5 % and 97.5 % quantiles of bootstrap samples of
    the blocks."""

    def solve(weights: np.ndarray) -> np.ndarray:
        matrix = np.tensordot(weights, sums.products, 1)
        right = target * (weights @ sums.densities)
        # with this scale, load cases of different size have equal weights
        scale = np.sqrt(np.maximum(np.diag(matrix), 1e-300))
        return nonnegative_least_squares(matrix / np.outer(scale, scale), right / scale) / scale

    filled = np.flatnonzero(sums.voxels)
    draw = np.random.default_rng(SEED)
    samples = []
    for _ in range(DRAWS):
        weights = np.zeros(len(sums.voxels))
        np.add.at(weights, draw.choice(filled, len(filled)), 1.0)
        samples.append(solve(weights))
    low, high = np.percentile(samples, [2.5, 97.5], axis=0)
    return solve((sums.voxels > 0).astype(float)), low, high


@one_frame
def load_history(results: str | Path, target_MPa: float = TARGET_MPA) -> LoadHistory:  # noqa: N803
    """Estimate the amplitudes of load cases. With these amplitudes, the summed strain energy density is closest to a
    uniform value.

    Parameters
    ----------
    results
        Output folder of an elasticity job. The job must have at least two ``[[case]]`` tables and the field ``sed`` of
        each case.
    target_MPa
        Uniform strain energy density of adapted bone. All amplitudes are proportional to the square root of this value.

    Returns
    -------
    LoadHistory

    Raises
    ------
    UsageError, DataError
    """
    from .results.cluster_parts import open_results
    from .results.documents import documents

    if not (np.isfinite(target_MPa) and target_MPa > 0):
        raise UsageError(f"target_MPa = {target_MPa}: must be > 0")
    folder = Path(results)
    summary = documents(folder).summary
    cases = {str(c["name"]): c for c in summary.get("cases", [])}
    if len(cases) < 2:
        raise UsageError(f"'{folder}' has fewer than two load cases ([[case]]); a load history requires two or more")
    with open_results(folder / "results.nc") as file:
        missing = [name for name in cases if f"sed_{name}" not in file]
        if missing:
            raise UsageError(
                f"'{folder}' has no strain energy density of {', '.join(missing)}; run it with sed in output.fields"
            )
        fields = {name: (lambda n=name: file.planes(f"sed_{n}")) for name in cases}
        shape = tuple(int(n) for n in summary["image"]["shape"])
        caps = _caps(fields, int(summary["elements"]))
        if not (caps > 0).all():
            raise DataError(f"the case '{list(cases)[int(np.argmin(caps))]}' of '{folder}' causes no strain")
        sums = _summed(fields, shape, caps)
    return _history(cases, sums, float(target_MPa))


def _condition(matrix: np.ndarray) -> float | None:
    values = np.linalg.eigvalsh(matrix)
    return float(values[-1] / values[0]) if values[0] > 1e-12 * values[-1] else None


def _history(cases: Mapping[str, Any], sums: _Sums, target: float) -> LoadHistory:
    squares, low, high = amplitudes_of(sums, target)
    voxels = sums.voxels.sum()
    mean, products = sums.densities.sum(axis=0) / voxels, sums.products.sum(axis=0) / voxels
    scale = np.sqrt(np.diag(products))
    total = float(squares @ mean)
    squared = float(squares @ products @ squares) - 2 * target * total + target**2
    found = []
    for n, (name, case) in enumerate(cases.items()):
        factor = float(np.sqrt(squares[n]))
        force = case.get("reaction_N")
        found.append(
            Amplitude(
                name,
                factor,
                float(np.sqrt(low[n])),
                float(np.sqrt(high[n])),
                float(squares[n] * mean[n] / total) if total > 0 else 0.0,
                [factor * float(f) for f in force] if isinstance(force, list) else None,
            )
        )
    return LoadHistory(
        target,
        int(voxels),
        found,
        float(np.sqrt(max(squared, 0.0)) / target),
        _condition(products / np.outer(scale, scale)),
        int(np.count_nonzero(sums.voxels)),
    )
