"""Convergence of answers for cubes of several sizes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..report.text import number
from ..results.answer_values import Value
from .items import Item
from .table import DONE, Outcome

# Answers in these units grow with the volume, and therefore do not converge.
GROW = {"N", "N/mm", "N mm", "N·mm", "N mm2", "N mm²", "N mm/deg", "mJ", "W", "W/K", "mm3/s", "mm³/s", "kg/s"}


@dataclass(frozen=True)
class Step:
    """Values of one answer for the cubes of one edge."""

    edge_voxels: int
    edge_mm: float  # edge in mm; if voxels are not cubes, edge of a cube with the same volume
    numbers: tuple[float, ...]
    not_done: int

    @property
    def mean(self) -> float:
        return float(np.mean(self.numbers))

    @property
    def spread(self) -> float | None:
        """Standard deviation over the cubes. For a single cube, the result is None."""
        return float(np.std(self.numbers, ddof=1)) if len(self.numbers) > 1 else None

    def to_json(self) -> dict[str, Any]:
        return {
            "edge_voxels": self.edge_voxels,
            "edge_mm": self.edge_mm,
            "cubes": len(self.numbers),
            "not_done": self.not_done,
            "mean": self.mean,
            "sd": self.spread,
        }


def convergence(
    outcomes: list[Outcome], edge_of: Callable[[Item], int], spacing_mm: list[float]
) -> dict[str, list[Step]]:
    """Return the steps of each answer, by column of the answer. The edges are ascending. The result does not contain
    answers that grow with the volume."""
    voxel = float(np.prod(spacing_mm)) ** (1 / 3)
    found: dict[str, dict[int, list[float]]] = {}
    not_done: dict[int, int] = {}
    for o in outcomes:
        edge = edge_of(o.item)
        not_done.setdefault(edge, 0)
        if o.status != DONE:
            not_done[edge] += 1
            continue
        solid = [v for v in o.computed_on if v.key == "segmentation.volume_fraction"]
        for v in solid + o.answers:
            if v.unit in GROW or isinstance(v.value, bool) or not isinstance(v.value, (int, float)):
                continue
            if np.isfinite(v.value):
                found.setdefault(v.column, {}).setdefault(edge, []).append(float(v.value))
    return {
        column: [Step(edge, edge * voxel, tuple(numbers), not_done[edge]) for edge, numbers in sorted(by_edge.items())]
        for column, by_edge in found.items()
    }


def size_that_represents(steps: list[Step], tolerance: float) -> float | None:
    """Return the smallest representative edge [mm]. From this edge on, the scatter of cubes is less than the tolerance,
    and the mean equals that of the largest cubes.

    If no such edge exists, the result is None. The largest edge is not assessed, because there are no larger cubes for
    a comparison.
    """
    if len(steps) < 2:
        return None
    last = steps[-1].mean
    good = None
    for step in reversed(steps[:-1]):
        scale = tolerance * abs(last)
        if step.not_done or step.spread is None or step.spread > scale or abs(step.mean - last) > scale:
            break
        good = step.edge_mm
    return good


def convergence_text(steps: dict[str, list[Step]], columns: list[Value], tolerance: float) -> str:
    """Return a table for the terminal. For each answer, the table contains the spread for each edge, and the smallest
    representative edge."""
    named = {v.column: v for v in columns}
    text = ""
    for column, found in steps.items():
        value = named[column]
        from_mm = size_that_represents(found, tolerance)
        verdict = f"from an edge of {number(from_mm)} mm" if from_mm is not None else "at none of these edges"
        title = f"{value.title} [{value.unit}]" if value.unit else value.title
        text += f"\n{title}: representative within {100 * tolerance:g} % {verdict}\n"
        for step in found:
            spread = "" if step.spread is None else f" +- {number(step.spread, 2)}"
            missing = f", {step.not_done} incomplete" if step.not_done else ""
            cubes = f"{len(step.numbers)} cube{'s' if len(step.numbers) > 1 else ''}"
            text += f"  {number(step.edge_mm):>8} mm  {number(step.mean):>10}{spread}  ({cubes}{missing})\n"
    return text
