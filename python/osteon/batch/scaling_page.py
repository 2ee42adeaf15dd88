"""The page of `osteon bench scaling`: times over the number of cores, with the prediction, and a table by stages."""

# ruff: noqa: E501 (lines of HTML)

from __future__ import annotations

import math
from html import escape
from pathlib import Path

from ..report.page_frame import frame, table
from ..report.text import number
from .page import STYLE, failures
from .scaling_point import Point
from .table import Outcome

MARK = "osteon bench scaling"
WIDE, HIGH = 420, 260
LEFT, RIGHT, TOP, BOTTOM = 56, 14, 12, 36
OWN_STYLE = (
    ".plots{grid-template-columns:repeat(auto-fill,minmax(min(100%,24rem),1fr))}"
    ".line{fill:none;stroke:var(--accent);stroke-width:2}.guess{fill:none;stroke:var(--soft);stroke-width:1.5;stroke-dasharray:5 4}"
    ".ideal{fill:none;stroke:var(--soft);stroke-width:1;opacity:.5}.axis{stroke:var(--soft);stroke-width:1;opacity:.5}"
)


def page_of(job: str, points: list[Point], stages: list[str], outcomes: list[Outcome], folder: Path) -> str:
    body = [f"<h1>Scaling of {escape(job)}</h1>"]
    for kind, meaning in (
        ("strong", "The whole image on all numbers of cores"),
        ("weak", "A part of the image that is proportional to the number of cores"),
    ):
        mine = [p for p in points if p.kind == kind]
        if not mine:
            continue
        figures = "".join(_figure(f"{kind} scaling, {t} threads per rank" if t > 1 else f"{kind} scaling", [p for p in mine if p.threads == t])
                          for t in sorted({p.threads for p in mine}))  # fmt: skip
        body.append(
            f'<section class="card"><h2>{kind.capitalize()} scaling</h2><p class="sub">{meaning}. Solid: measured, the '
            f"fastest run; dashed: osteon estimate; thin: ideal.</p><div class=plots>{figures}</div></section>"
        )
        body.append(table(["ranks x threads", "elements", "iterations", "seconds", "efficiency", "estimate, s"], [
            [f"{p.ranks} x {p.threads}", str(p.elements), str(p.iterations), number(p.seconds, 3),
             f"{100 * p.efficiency:.0f} %", "" if p.predicted_seconds is None else number(p.predicted_seconds, 3)]
            for p in mine
        ], f"{kind.capitalize()} scaling"))  # fmt: skip
        body.append(table(["ranks x threads", *(f"{s}, s" for s in stages)], [
            [f"{p.ranks} x {p.threads}", *(_pair(p, s) for s in stages)] for p in mine
        ], f"{kind.capitalize()} scaling by stage: measured (estimate)"))  # fmt: skip
    body.append(failures(outcomes, folder))
    title = f"{folder.resolve().name} - {MARK}"
    return frame(title, "\n".join(filter(None, body)), MARK, "", STYLE + OWN_STYLE)


def _pair(point: Point, stage: str) -> str:
    text = number(point.stages[stage], 3)
    return f"{text} ({number(point.predicted_stages[stage], 3)})" if point.predicted_stages else text


def _figure(title: str, points: list[Point]) -> str:
    """Draw seconds over cores on logarithmic axes."""
    first = points[0]
    ideal = [first.seconds * (p.elements / first.elements) * first.cores / p.cores for p in points]
    predicted = [p.predicted_seconds for p in points]
    values = [v for v in [*(p.seconds for p in points), *ideal, *predicted] if v]
    low, high = math.log(min(values) / 1.2), math.log(max(values) * 1.2)
    begin, end = math.log(first.cores), math.log(points[-1].cores)

    def x(cores: int) -> float:
        share = (math.log(cores) - begin) / (end - begin) if end > begin else 0.5
        return LEFT + 14 + share * (WIDE - LEFT - RIGHT - 28)

    def y(seconds: float) -> float:
        return TOP + (high - math.log(seconds)) / (high - low) * (HIGH - TOP - BOTTOM)

    def line(style: str, seconds: list[float | None]) -> str:
        at = [f"{x(p.cores):.1f},{y(s):.1f}" for p, s in zip(points, seconds, strict=True) if s]
        return f'<polyline class="{style}" points="{" ".join(at)}"/>'

    parts = [
        line("ideal", list(ideal)),
        line("guess", predicted),
        line("line", [p.seconds for p in points]),
        f'<line class="axis" x1="{LEFT}" x2="{WIDE - RIGHT}" y1="{HIGH - BOTTOM + 6}" y2="{HIGH - BOTTOM + 6}"/>',
    ]
    for p in points:
        parts.append(f'<circle class="dot" cx="{x(p.cores):.1f}" cy="{y(p.seconds):.1f}" r="3"/>')
        parts.append(f'<text x="{x(p.cores):.1f}" y="{HIGH - 12}" text-anchor="middle">{p.cores}</text>')
    for seconds in (min(values), max(values)):
        parts.append(
            f'<text x="{LEFT - 6}" y="{y(seconds) + 4:.1f}" text-anchor="end">{escape(number(seconds, 2))}</text>'
        )
    label = "; ".join(f"{p.cores} cores: {number(p.seconds, 3)} s" for p in points)
    return (
        f"<figure><figcaption><b>{escape(title)}</b>, seconds over cores</figcaption>"
        f'<svg viewBox="0 0 {WIDE} {HIGH}" role="img" aria-label="{escape(title)}: {escape(label)}">{"".join(parts)}</svg></figure>'
    )
