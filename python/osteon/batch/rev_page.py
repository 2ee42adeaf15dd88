"""The page of `osteon rev`. The page contains plots of each answer over the edge of the cubes, and the smallest
representative edge."""

# ruff: noqa: E501 (lines of HTML)

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from pathlib import Path

from ..report.page_frame import frame, table
from ..report.text import number
from ..results.answer_values import Value
from .page import STYLE, failures
from .rev_convergence import Step, size_that_represents
from .table import DONE, Outcome, columns_of

MARK = "osteon rev"
WIDE, HIGH = 320, 190
LEFT, RIGHT, TOP, BOTTOM = 52, 12, 10, 34
MOST_FIGURES = 24
OWN_STYLE = ".mean{fill:none;stroke:var(--accent);stroke-width:2}.good{fill:var(--accent);opacity:.12}.axis{stroke:var(--soft);stroke-width:1;opacity:.5}"


@dataclass(frozen=True)
class CubeSeries:
    """A series of cubes. The members are the job, the size of its image (in voxels and in mm along z, y, x), the
    tolerance of the cubes, and the paths of the results."""

    job: str
    shape: tuple[int, ...]
    spacing: list[float]
    tolerance: float
    folder: Path
    csv: Path


def page_of(cubes: CubeSeries, outcomes: list[Outcome], steps: dict[str, list[Step]]) -> str:
    named = {v.column: v for v in columns_of(outcomes)}
    done = sum(o.status == DONE for o in outcomes)
    size = " x ".join(f"{n * h:.4g}" for n, h in zip(cubes.shape, cubes.spacing, strict=True))
    rows = []
    for column, found in steps.items():
        from_mm = size_that_represents(found, cubes.tolerance)
        last = found[-1]
        rows.append(
            [
                _title(named[column]),
                f"from {number(from_mm)} mm" if from_mm is not None else "at none of these edges",
                f"{number(last.mean)} {named[column].unit}".rstrip(),
            ]
        )
    figures = "".join(_figure(named[c], found, cubes.tolerance) for c, found in list(steps.items())[:MOST_FIGURES])
    body = [
        f"<h1>Representative volume of {escape(cubes.job)}</h1>",
        f'<p class="sub">{done} of {len(outcomes)} cubes of an image of {escape(size)} mm (z, y, x) are complete · '
        f'<a href="{escape(cubes.csv.name) if cubes.csv.parent == cubes.folder else "../" + escape(cubes.csv.name)}">table of all numbers</a></p>',
        table(
            ["answer", f"representative within {100 * cubes.tolerance:g} %", "mean of the largest cubes"],
            rows,
            "Smallest representative edge",
        ),
        f'<section class="card"><h2>Convergence</h2><p class="sub">Point: a cube; line: mean and standard deviation; shaded: within '
        f"{100 * cubes.tolerance:g} % of the mean of the largest cubes.</p><div class=plots>{figures}</div></section>"
        if figures
        else "",
        failures(outcomes, cubes.folder),
    ]
    title = f"{cubes.folder.resolve().name} - {MARK}"
    return frame(title, "\n".join(filter(None, body)), MARK, "", STYLE + OWN_STYLE)


def _title(value: Value) -> str:
    title = f"{value.case}: {value.title}" if value.case else value.title
    return title[:1].upper() + title[1:]


def _figure(value: Value, steps: list[Step], tolerance: float) -> str:
    """Draw values over the edge of the cubes. The axis of the edges is logarithmic."""
    last = steps[-1].mean
    values = [v for s in steps for v in s.numbers] + [last * (1 - tolerance), last * (1 + tolerance)]
    low, high = min(values), max(values)
    span = (high - low) or 1.0
    first, end = math.log(steps[0].edge_mm), math.log(steps[-1].edge_mm)

    def x(edge: float) -> float:
        share = (math.log(edge) - first) / (end - first) if end > first else 0.5
        return LEFT + 12 + share * (WIDE - LEFT - RIGHT - 24)

    def y(v: float) -> float:
        return TOP + (high - v) / span * (HIGH - TOP - BOTTOM)

    band = sorted((y(last * (1 - tolerance)), y(last * (1 + tolerance))))
    parts = [
        f'<rect class="good" x="{LEFT}" width="{WIDE - LEFT - RIGHT}" y="{band[0]:.1f}" height="{band[1] - band[0]:.1f}"/>',
        f'<line class="axis" x1="{LEFT}" x2="{WIDE - RIGHT}" y1="{HIGH - BOTTOM + 8}" y2="{HIGH - BOTTOM + 8}"/>',
        f'<polyline class="mean" points="{" ".join(f"{x(s.edge_mm):.1f},{y(s.mean):.1f}" for s in steps)}"/>',
    ]
    for s in steps:
        at = x(s.edge_mm)
        if s.spread is not None:
            ends = (min(high, s.mean + s.spread), max(low, s.mean - s.spread))
            parts.append(
                f'<line class="mean" x1="{at:.1f}" x2="{at:.1f}" y1="{y(ends[0]):.1f}" y2="{y(ends[1]):.1f}"/>'
            )
        parts += [f'<circle class="dot" cx="{at:.1f}" cy="{y(v):.1f}" r="2.6"/>' for v in s.numbers]
        parts.append(f'<text x="{at:.1f}" y="{HIGH - 10}" text-anchor="middle">{escape(number(s.edge_mm, 3))}</text>')
    for v in (low, high):
        parts.append(f'<text x="{LEFT - 6}" y="{y(v) + 4:.1f}" text-anchor="end">{escape(number(v, 3))}</text>')
    unit = f" in {value.unit}" if value.unit else ""
    label = "; ".join(f"{number(s.edge_mm)} mm: {number(s.mean)}" for s in steps)
    return (
        f"<figure><figcaption><b>{escape(_title(value))}</b>{escape(unit)} over the edge in mm</figcaption>"
        f'<svg viewBox="0 0 {WIDE} {HIGH}" role="img" aria-label="{escape(_title(value))}{escape(unit)}: {escape(label)}">'
        f"{''.join(parts)}</svg></figure>"
    )
