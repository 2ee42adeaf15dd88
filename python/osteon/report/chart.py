"""SVG diagrams for light and dark backgrounds. A diagram contains panels with axes, lines, histograms and rules.

This module replaces matplotlib. The report of a small job takes a third of a CPU second. The import of matplotlib alone
would take half of a second.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape

import numpy as np

from .colours import data_uri
from .ticks import log_ticks, power_of_ten, round_ticks, tick_labels

INK, LINE = "#7d838c", "#2f7f9e"
COLOURS = (LINE, "#d1603d", "#6a994e", "#8e6bb0", "#c29a2b", "#5b6770")
FONT = "system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif"  # the font of template.html
TEXT, LETTER = 10.0, 0.56  # font size, and ratio of the mean width of a letter to the font size
LEFT, RIGHT, BOTTOM, GAP = 59.0, 9.0, 37.0, 12.0  # margins of a figure, and gap between its panels
LEGEND_ROW, KEY = 14.0, 20.0
# maximum number of points of a line; a longer line is reduced to its extremes in each half of a typographic point along
# x
MOST_POINTS = 4000


@dataclass
class Line:
    """y values over x values. At non-finite values, the line has gaps."""

    x: Sequence[float] | np.ndarray
    y: Sequence[float] | np.ndarray
    colour: str = LINE
    label: str = ""
    width: float = 1.3  # line width; 0: only dots
    dot: float = 0.0  # radius of a dot


@dataclass
class Rule:
    """A line across a panel at a value on one axis."""

    axis: str  # "x" or "y"
    at: float
    colour: str
    label: str = ""
    dashed: bool = False


@dataclass
class Panel:
    """A pair of axes. Lines and steps determine the ranges. A rule of y also extends the range of y."""

    x_title: str = ""
    y_title: str = ""
    lines: list[Line] = field(default_factory=list)
    steps: tuple[np.ndarray, np.ndarray] | None = None  # edges, and heights between these edges; the area is filled
    rules: list[Rule] = field(default_factory=list)
    log_x: bool = False
    log_y: bool = False
    whole_x: bool = False  # True: ticks only at integers
    y_range: tuple[float, float] | None = None


@dataclass
class _Axis:
    """Linear map from the values `low` to `high` to the positions `first` to `last`."""

    low: float
    high: float
    log: bool
    first: float = 0.0
    last: float = 1.0

    def at(self, values: Sequence[float] | np.ndarray) -> np.ndarray:
        v, ends = np.asarray(values, float), np.array([self.low, self.high])
        if self.log:
            with np.errstate(invalid="ignore", divide="ignore"):
                v, ends = np.where(v > 0, np.log10(np.where(v > 0, v, 1)), np.nan), np.log10(ends)
        return self.first + (v - ends[0]) / (ends[1] - ends[0]) * (self.last - self.first)


def svg_uri(size: tuple[float, float], panels: Sequence[Panel], share_x: bool = False) -> str:
    """Draw panels one below the other as SVG in a data URI.

    @param size width and height in inches
    @param share_x True: all panels have the same range along x, and only the last panel has tick labels
    """
    width, height = 72 * size[0], 72 * size[1]
    x_axes = [_axis([v for p in (panels if share_x else [panel]) for v in _values(p, 0)], panel.log_x,
                    0.02 if panel.steps else 0.05) for panel in panels]  # fmt: skip
    heads = [_legend_rows(panel, width) for panel in panels]
    bare = share_x or all(not panel.x_title for panel in panels[:-1])
    spaces = [GAP / 2 + LEGEND_ROW * len(rows) for rows in heads]
    below = [BOTTOM if not bare and panel.x_title else 0 if share_x else BOTTOM / 2 for panel in panels[:-1]]
    height_of_panel = (height - BOTTOM - sum(spaces) - sum(below) - GAP * (len(panels) - 1) / 2) / len(panels)
    out, top = [], 0.0
    for n, (panel, x) in enumerate(zip(panels, x_axes, strict=True)):
        top += spaces[n]
        x.first, x.last = LEFT, width - RIGHT
        out += _panel(panel, x, top, top + height_of_panel, heads[n], not share_x or n + 1 == len(panels))
        top += height_of_panel + (below[n] + GAP / 2 if n < len(below) else 0)
    text = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}pt" '
        f'height="{height:g}pt" font-family="{FONT}" font-size="{TEXT:g}" fill="{INK}">{"".join(out)}</svg>'
    )
    return data_uri(text.encode(), "image/svg+xml")


def _values(panel: Panel, which: int) -> list[np.ndarray]:
    found = [np.asarray((line.x, line.y)[which], float) for line in panel.lines]
    if panel.steps is not None:
        found.append(np.asarray(panel.steps[which], float))
    if which == 1:
        found += [np.array([r.at]) for r in panel.rules if r.axis == "y"]
    return found


def _axis(values: list[np.ndarray], log: bool, margin: float) -> _Axis:
    every = np.concatenate(values) if values else np.zeros(0)
    every = every[np.isfinite(every) & ((every > 0) | (not log))]
    low, high = (float(every.min()), float(every.max())) if every.size else (1.0, 10.0) if log else (0.0, 1.0)
    if log:
        if not high > low * (1 + 1e-12):
            low, high = low / 2, high * 2
        more = (high / low) ** margin
        return _Axis(low / more, high * more, True)
    if not high > low:
        low, high = low - (abs(low) * 0.05 or 0.05), high + (abs(high) * 0.05 or 0.05)
    more = margin * (high - low)
    return _Axis(low - more, high + more, False)


def _y_axis(panel: Panel) -> _Axis:
    if panel.y_range is not None:
        return _Axis(*panel.y_range, panel.log_y)
    axis = _axis(_values(panel, 1), panel.log_y, 0.05)
    if panel.steps is not None and not panel.log_y:
        axis.low = 0.0
    return axis


def _legend_rows(panel: Panel, width: float) -> list[list[tuple[float, Line | Rule]]]:
    """Return the entries of a legend in rows. Each entry has its position in the row."""
    rows: list[list[tuple[float, Line | Rule]]] = []
    place = math.inf
    for each in (*panel.lines, *panel.rules):
        if not each.label:
            continue
        long = KEY + LETTER * TEXT * len(each.label) + 14
        if place + long > width - RIGHT + 14:
            rows.append([])
            place = LEFT
        rows[-1].append((place, each))
        place += long
    return rows


def _panel(panel: Panel, x: _Axis, top: float, bottom: float, head: list, has_ticks: bool) -> list[str]:
    y = _y_axis(panel)
    y.first, y.last = bottom, top
    grid, labels = _ticks_of_x(panel, x, top, bottom, has_ticks)
    more_grid, more_labels = _ticks_of_y(panel, y, x)
    out = [
        f'<path d="{grid}{more_grid}" stroke="{INK}" stroke-opacity=".2" stroke-width=".6"/>',
        *_legend(head, top),
        *labels,
        *more_labels,
    ]
    if panel.steps is not None:
        out.append(_steps(panel.steps, x, y))
    for line in panel.lines:
        out += _line(line, x, y)
    for rule in panel.rules:
        out.append(_rule(rule, x, y, top, bottom))
    out.append(
        f'<path d="M{LEFT:g} {top:.1f}V{bottom:.1f}H{x.last:.1f}" fill="none" stroke="{INK}" stroke-width=".8"/>'
    )
    if panel.y_title:
        out.append(
            f'<text transform="translate(11 {(top + bottom) / 2:.1f}) rotate(-90)" text-anchor="middle"'
            f"{_to_fit(panel.y_title, bottom - top + GAP)}>{escape(panel.y_title)}</text>"
        )
    if panel.x_title:
        out.append(
            f'<text x="{(LEFT + x.last) / 2:.1f}" y="{bottom + 30:.1f}" text-anchor="middle"'
            f"{_to_fit(panel.x_title, x.last)}>{escape(panel.x_title)}</text>"
        )
    return out


def _to_fit(text: str, available: float) -> str:
    """If a title is longer than its axis, return an attribute with a smaller font size."""
    long = LETTER * TEXT * len(text)
    return f' font-size="{max(5.0, TEXT * available / long):.1f}"' if long > available else ""


def _ticks_of_x(panel: Panel, x: _Axis, top: float, bottom: float, has_labels: bool) -> tuple[str, list[str]]:
    values = log_ticks(x.low, x.high, 7) if x.log else round_ticks(x.low, x.high, 8, panel.whole_x)
    labels, factor = ([power_of_ten(v) for v in values], "") if x.log else tick_labels(values)
    out, grid = [], ""
    for place, text in zip(x.at(values), labels, strict=True):
        grid += f"M{place:.1f} {top:.1f}V{bottom:.1f}"
        if has_labels:
            out.append(f'<text x="{place:.1f}" y="{bottom + 14:.1f}" text-anchor="middle">{text}</text>')
    if factor and has_labels:
        out.append(f'<text x="{x.last:.1f}" y="{bottom + 30:.1f}" text-anchor="end">{factor}</text>')
    return grid, out


def _ticks_of_y(panel: Panel, y: _Axis, x: _Axis) -> tuple[str, list[str]]:
    most = max(2, int((y.first - y.last) / 20))
    values = log_ticks(y.low, y.high, min(7, most)) if y.log else round_ticks(y.low, y.high, min(7, most))
    labels, factor = ([power_of_ten(v) for v in values], "") if y.log else tick_labels(values)
    out, grid = [], ""
    for place, text in zip(y.at(values), labels, strict=True):
        grid += f"M{LEFT:g} {place:.1f}H{x.last:.1f}"
        out.append(f'<text x="{LEFT - 5:g}" y="{place + 3.4:.1f}" text-anchor="end">{text}</text>')
    if factor:
        out.append(f'<text x="{LEFT - 5:g}" y="{y.last - 3:.1f}" text-anchor="end">{factor}</text>')
    return grid, out


def _legend(rows: list[list[tuple[float, Line | Rule]]], top: float) -> list[str]:
    out = []
    for n, row in enumerate(rows):
        y = top - LEGEND_ROW * (len(rows) - n) + 8
        for place, each in row:
            if isinstance(each, Line) and each.dot:
                out.append(f'<circle cx="{place + 7:.1f}" cy="{y - 3.4:.1f}" r="{each.dot:g}" fill="{each.colour}"/>')
            if not isinstance(each, Line) or each.width:
                out.append(
                    f'<path d="M{place:.1f} {y - 3.4:.1f}h14" stroke="{each.colour}" stroke-width="1.4"{_dash(each)}/>'
                )
            out.append(f'<text x="{place + KEY:.1f}" y="{y:.1f}">{escape(each.label)}</text>')
    return out


def _dash(each: Line | Rule) -> str:
    return ' stroke-dasharray="5 3"' if isinstance(each, Rule) and each.dashed else ""


def _rule(rule: Rule, x: _Axis, y: _Axis, top: float, bottom: float) -> str:
    place = float((x if rule.axis == "x" else y).at([rule.at])[0])
    path = f"M{place:.1f} {top:.1f}V{bottom:.1f}" if rule.axis == "x" else f"M{LEFT:g} {place:.1f}H{x.last:.1f}"
    within = (x.first <= place <= x.last) if rule.axis == "x" else (top <= place <= bottom)
    return f'<path d="{path}" stroke="{rule.colour}" stroke-width="1.2"{_dash(rule)}/>' if within else ""


def _steps(steps: tuple[np.ndarray, np.ndarray], x: _Axis, y: _Axis) -> str:
    edges = x.at(steps[0])
    heights = np.minimum(np.nan_to_num(y.at(np.maximum(steps[1], y.low)), nan=y.first), y.first)
    path = "".join(f"V{h:.1f}H{edge:.1f}" for h, edge in zip(heights, edges[1:], strict=True))
    return f'<path d="M{edges[0]:.1f} {y.first:.1f}{path}V{y.first:.1f}Z" fill="{LINE}"/>'


def _line(line: Line, x: _Axis, y: _Axis) -> list[str]:
    px, py = _thinned(x.at(line.x), y.at(line.y))
    out = []
    if line.width:
        path, pen_is_up = [], True
        for a, b in zip(px, py, strict=True):
            is_finite = math.isfinite(a) and math.isfinite(b)
            if is_finite:
                path.append(f"{'M' if pen_is_up else 'L'}{a:.1f} {b:.1f}")
            pen_is_up = not is_finite
        out.append(
            f'<path d="{"".join(path)}" fill="none" stroke="{line.colour}" stroke-width="{line.width:g}" '
            'stroke-linejoin="round"/>'
        )
    if line.dot:
        out += [
            f'<circle cx="{a:.1f}" cy="{b:.1f}" r="{line.dot:g}" fill="{line.colour}"/>'
            for a, b in zip(px, py, strict=True)
            if math.isfinite(a) and math.isfinite(b)
        ]
    return out


def _thinned(px: np.ndarray, py: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Reduce a long line. The first, the last, the lowest and the highest point remain in each half of a point
    along x."""
    if px.size <= MOST_POINTS:
        return px, py
    column = np.floor(2 * np.nan_to_num(px))
    begins = np.flatnonzero(np.r_[True, np.diff(column) != 0])
    kept: set[int] = set()
    for begin, end in zip(begins, np.r_[begins[1:], px.size], strict=True):
        kept |= {int(begin), int(end) - 1}
        part = py[begin:end]
        if np.isfinite(part).any():
            kept |= {int(begin + np.nanargmin(part)), int(begin + np.nanargmax(part))}
    chosen = np.array(sorted(kept))
    return px[chosen], py[chosen]
