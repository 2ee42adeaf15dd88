"""The page of a batch. The page contains counts by status, failures, distributions with outliers, and a sortable
table."""

# ruff: noqa: E501 (lines of HTML and CSS)

import io
import os
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from ..report.page_frame import format_value, frame
from ..report.text import number
from ..results.answer_values import Value
from .table import DONE, FAILED, NOT_CONVERGED, STOPPED, WAITING, Outcome, columns_of

FEWEST = 5  # minimum number of values for which quartiles are drawn
MOST_PLOTS = 24
MOST_COLUMNS = 8  # maximum number of columns in the table of the page; the CSV file contains all answers
MOST_PICTURES = 200
PICTURE_PIXELS = 160
FENCE = 1.5  # limit of outliers: distance from the quartiles in units of the interquartile range, after Tukey

STYLE = """
.plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,18.5rem),1fr));gap:1.1rem}.plots figure{margin:0}.plots figcaption{font-size:.93rem}.plots svg{width:100%;height:auto;display:block;overflow:visible}
svg text{font:11px system-ui,sans-serif;fill:var(--soft)}.box{fill:var(--accent);opacity:.2}.med{stroke:var(--accent);stroke-width:2}.whisker{stroke:var(--accent);stroke-width:1;opacity:.6}.dot{fill:var(--accent);opacity:.8}.odd{fill:var(--bad)}svg a:focus-visible circle{stroke:var(--ink);stroke-width:2}
.items td:first-child{min-width:0}.items th button{all:unset;cursor:pointer;font-weight:700}.items th button:focus-visible{outline:2px solid var(--accent)}.items td{vertical-align:middle}.items img{width:64px;max-width:none;height:64px;object-fit:cover;border-radius:6px}
.items th[aria-sort=ascending] button::after{content:" ▲"}.items th[aria-sort=descending] button::after{content:" ▼"}[class^=s-]{white-space:nowrap}.items a{display:inline-block;min-width:7rem;max-width:20rem;overflow-wrap:anywhere}.s-done{color:var(--good)}.s-failed,.s-not{color:var(--bad);font-weight:700}a{color:var(--accent)}
.warning{color:var(--bad);font-weight:700}.items .odd{color:var(--bad)}td.reason{min-width:14rem;overflow-wrap:anywhere}.failures td:first-child{overflow-wrap:anywhere}.failures a{white-space:normal}@media(max-width:560px){.failures tr{display:grid;padding:.4rem 0;border-bottom:1px solid var(--line)}.failures td{border:0;padding:0}.failures thead{display:none}}.fixed{color:var(--soft)}
@media print{.items img{width:32px;height:32px}.plots{grid-template-columns:1fr 1fr 1fr;gap:.5rem}.plots figure{break-inside:avoid}}
"""

# The script sorts rows by a column in ascending or descending order. In both orders, cells without a value are at the
# end.
SCRIPT = """'use strict';
for (const table of document.querySelectorAll('table.items'))
  table.querySelectorAll('th button').forEach((button, column) => button.addEventListener('click', () => {
    const head = button.closest('th'), at = head.cellIndex, body = table.tBodies[0];
    const down = head.getAttribute('aria-sort') === 'ascending' ? -1 : 1;
    table.querySelectorAll('th[aria-sort]').forEach(th => th.removeAttribute('aria-sort'));
    head.setAttribute('aria-sort', down > 0 ? 'ascending' : 'descending');
    const key = row => row.cells[at].dataset.v ?? '';
    const isNumber = [...body.rows].some(row => key(row) !== '' && !isNaN(key(row)));
    body.append(...[...body.rows].sort((a, b) => {
      const [x, y] = [key(a), key(b)];
      if (x === '' || y === '') return (x === '') - (y === '');
      return down * (isNumber ? x - y : x.localeCompare(y, undefined, {numeric: true}));
    }));
  }));
"""


@dataclass
class Distribution:
    """Finite values of one answer for all completed items."""

    value: Value
    outcomes: list[Outcome]
    numbers: np.ndarray

    @property
    def quartiles(self) -> tuple[float, float, float]:
        low, middle, high = (float(v) for v in np.percentile(self.numbers, (25, 50, 75)))
        return low, middle, high

    def odd(self) -> list[int]:
        """Return the indices of values that are more than 1.5 interquartile ranges outside of the quartiles. With fewer
        than FEWEST values, the list is empty."""
        low, _, high = self.quartiles
        if len(self.numbers) < FEWEST:
            return []
        reach = FENCE * (high - low)
        # Values that differ only by rounding are not outliers.
        slack = 1e-9 * max(abs(low), abs(high))
        return [n for n, v in enumerate(self.numbers) if v < low - reach - slack or v > high + reach + slack]


def distributions(outcomes: list[Outcome]) -> list[Distribution]:
    found: dict[str, tuple[Value, list[tuple[Outcome, float]]]] = {}
    for outcome in outcomes:
        for value in outcome.answers:
            if isinstance(value.value, (int, float)) and not isinstance(value.value, bool):
                found.setdefault(value.column, (value, []))[1].append((outcome, float(value.value)))
    return [
        Distribution(value, [o for o, _ in pairs], np.array([v for _, v in pairs]))
        for value, pairs in found.values()
        if np.isfinite([v for _, v in pairs]).all()
    ]


def page_of(outcomes: list[Outcome], folder: Path, csv: Path, kind: str = "batch", warnings: Sequence[str] = ()) -> str:
    spread = distributions(outcomes)
    varied = [d for d in spread if len(d.numbers) > 1 and np.ptp(d.numbers) > 1e-12 * np.abs(d.numbers).max()]
    count = {s: sum(o.status == s for o in outcomes) for s in (DONE, NOT_CONVERGED, FAILED, STOPPED, WAITING)}
    body = [
        f"<h1>{escape(folder.resolve().name)}</h1>",
        f'<p class="sub">{len(outcomes)} items · {escape(_physics(outcomes))} · '
        f'<a href="{_link(csv, folder)}">table of all numbers ({escape(csv.name)})</a></p>',
        '<section class="keys" aria-label="Number of items">'
        + "".join(
            f'<div class="card"><span>{status}</span><b>{n} <small>of {len(outcomes)}</small></b></div>'
            for status, n in count.items()
            if n or status == DONE
        )
        + "</section>",
        "".join(f'<p class="card warning">{escape(text)}</p>' for text in warnings),
        failures(outcomes, folder),
        _plots(varied, folder, [d for d in spread if d not in varied and len(d.numbers) > 1]),
        _outliers(varied, folder),
        _items(outcomes, varied, folder),
    ]
    mark = f"osteon {kind}"
    return frame(f"{folder.resolve().name} - {mark}", "\n".join(filter(None, body)), mark, SCRIPT, STYLE)


def _physics(outcomes: list[Outcome]) -> str:
    return ", ".join(dict.fromkeys(o.result.physics for o in outcomes if o.result)) or "no item is complete"


def _link(path: Path, folder: Path) -> str:
    return escape(quote(Path(os.path.relpath(path, folder)).as_posix()))


def _report(o: Outcome, folder: Path) -> str:
    """Return the link of an item. The link leads to the report; without a report, to the results; without results, to
    the log."""
    for path in (o.folder / "report.html", o.folder / "summary.json", o.log):
        if path.exists():
            return _link(path, folder)
    return ""


def _named(o: Outcome, folder: Path) -> str:
    link = _report(o, folder) if o.status == DONE else _link(o.log, folder) if o.log.exists() else ""
    return f'<a href="{link}">{escape(o.item.name)}</a>' if link else escape(o.item.name)


def failures(outcomes: list[Outcome], folder: Path) -> str:
    bad = [o for o in outcomes if o.status not in (DONE, WAITING)]
    if not bad:
        return ""
    rows = "".join(
        f"<tr><td>{_named(o, folder)}</td><td>{_status(o)}</td><td class=reason>{escape(o.reason)}</td></tr>"
        for o in bad
    )
    return (
        '<section class="card wide-table"><h2>Incomplete items</h2><table class="failures"><thead><tr><th>item (its log)</th><th>status</th>'
        f"<th>reason</th></tr></thead><tbody>{rows}</tbody></table></section>"
    )


def _status(o: Outcome) -> str:
    return f'<span class="s-{o.status.split()[0]}">{o.status}</span>'


def _plots(spread: list[Distribution], folder: Path, fixed: list[Distribution]) -> str:
    if not spread:
        return ""
    figures = "".join(_figure(d, folder) for d in spread[:MOST_PLOTS])
    more = f"; the table has {len(spread) - MOST_PLOTS} more" if len(spread) > MOST_PLOTS else ""
    same = ", ".join(f"{_title(d.value)} {format_value(float(d.numbers[0]), d.value.unit)}" for d in fixed)
    note = f'<p class="fixed">Equal in all items: {escape(same)}.</p>' if same else ""
    return (
        f'<section class="card"><h2>Distributions</h2><p class="sub">Each point is an item and links to it; box: quartiles; line: '
        f"median; whiskers: up to {FENCE} quartile distances; red: beyond{more}.</p>"
        f'<div class="plots">{figures}</div>{note}</section>'
    )


def _title(value: Value) -> str:
    title = f"{value.case}: {value.title}" if value.case else value.title
    return title[:1].upper() + title[1:]


WIDE, HIGH, EDGE = 320, 96, 8


def _figure(d: Distribution, folder: Path) -> str:
    v = d.numbers
    low, high = float(v.min()), float(v.max())
    span = (high - low) or 1.0

    def x(value: float) -> float:
        return EDGE + (value - low) / span * (WIDE - 2 * EDGE)

    odd = set(d.odd())
    parts = []
    if len(v) >= FEWEST:
        q1, middle, q3 = d.quartiles
        inside = v[[n for n in range(len(v)) if n not in odd]]
        parts += [
            f'<line class="whisker" x1="{x(float(inside.min())):.1f}" x2="{x(float(inside.max())):.1f}" y1="37" y2="37"/>',
            f'<rect class="box" x="{x(q1):.1f}" y="16" width="{max(x(q3) - x(q1), 1):.1f}" height="42" rx="3"/>',
            f'<line class="med" x1="{x(middle):.1f}" x2="{x(middle):.1f}" y1="16" y2="58"/>',
        ]
    for n, value in enumerate(v):
        o, kind = d.outcomes[n], "odd" if n in odd else "dot"
        height = 37 + 16 * (2 * ((n * 0.6180339887) % 1) - 1)  # the heights are evenly distributed and reproducible
        title = f"{o.item.name}: {format_value(float(value), d.value.unit)}"
        parts.append(
            f'<a href="{_report(o, folder)}"><circle class="{kind}" cx="{x(float(value)):.1f}" cy="{height:.1f}" r="3.4">'
            f"<title>{escape(title)}</title></circle></a>"
        )
    ends = (
        f'<text x="{EDGE}" y="80">{escape(number(low))}</text>'
        f'<text x="{WIDE - EDGE}" y="80" text-anchor="end">{escape(number(high))}</text>'
    )
    unit = f" in {d.value.unit}" if d.value.unit else ""
    title = _title(d.value)
    label = f"{title}{unit}: {len(v)} values from {number(low)} to {number(high)}, median {number(d.quartiles[1])}"
    return (
        f"<figure><figcaption><b>{escape(title)}</b>{escape(unit)}<br>"
        f"median {escape(number(d.quartiles[1]))}, {len(v)} values</figcaption>"
        f'<svg viewBox="0 0 {WIDE} {HIGH}" role="group" aria-label="{escape(label)}">{"".join(parts)}{ends}</svg></figure>'
    )


def _outliers(spread: list[Distribution], folder: Path) -> str:
    rows = []
    for d in spread:
        q1, middle, q3 = d.quartiles
        for n in d.odd():
            value = float(d.numbers[n])
            beyond = (value - q3 if value > q3 else q1 - value) / (q3 - q1) if q3 > q1 else float("inf")
            side = "above" if value > q3 else "below"
            rows.append(
                f"<tr><td>{_named(d.outcomes[n], folder)}</td><td>{escape(_title(d.value))}</td>"
                f'<td class="n">{escape(format_value(value, d.value.unit))}</td><td class="n">{escape(format_value(middle, d.value.unit))}</td>'
                f"<td>{escape(number(beyond, 2) if np.isfinite(beyond) else '∞')} quartile distances {side}</td></tr>"
            )
    if not rows:
        return ""
    return (
        '<section class="card wide-table"><h2>Outliers</h2><table><thead><tr><th>item</th><th>answer</th><th class="n">value</th>'
        f'<th class="n">median</th><th>distance</th></tr></thead><tbody>{"".join(rows)}</tbody></table></section>'
    )


def _items(outcomes: list[Outcome], spread: list[Distribution], folder: Path) -> str:
    shown = [d.value for d in spread[:MOST_COLUMNS]] or columns_of(outcomes)[:MOST_COLUMNS]
    odd = {(d.value.column, d.outcomes[n].item.name) for d in spread for n in d.odd()}
    pictures = [_picture(o) for o in outcomes] if len(outcomes) <= MOST_PICTURES else [""] * len(outcomes)
    has_pictures = any(pictures)
    head = "".join(
        f'<th{" class=n" if n else ""}><button type="button">{escape(heading)}</button></th>'
        for n, heading in enumerate(
            ["item", "status", *(f"{_title(v)} ({v.unit})" if v.unit else _title(v) for v in shown)]
        )
    ).replace('<th class=n><button type="button">status', '<th><button type="button">status')
    rows = []
    for o, picture in zip(outcomes, pictures, strict=True):
        own = {v.column: v.value for v in o.values}
        cells = [
            f'<td data-v="{escape(o.item.name)}">{_named(o, folder)}</td>',
            f'<td data-v="{o.status}">{_status(o)}</td>',
        ]
        for v in shown:
            value: Any = own.get(v.column)
            plain = value if isinstance(value, (int, float)) else ""
            mark = " odd" if (v.column, o.item.name) in odd else ""
            cells.append(
                f'<td class="n{mark}" data-v="{plain}">{escape(format_value(value)) if v.column in own else ""}</td>'
            )
        rows.append(f"<tr>{f'<td>{picture}</td>' if has_pictures else ''}{''.join(cells)}</tr>")
    return (
        '<section class="card wide-table"><h2>All items</h2><table class="items"><thead><tr>'
        f"{'<th></th>' if has_pictures else ''}{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></section>"
    )


def _picture(o: Outcome) -> str:
    """Return a small picture of the run. Without Pillow, or without a picture, the text is empty."""
    path = o.folder / "picture.png"
    if o.status != DONE or not path.exists():
        return ""
    try:
        from PIL import Image

        from ..report.colours import data_uri

        with Image.open(path) as whole:
            whole.thumbnail((PICTURE_PIXELS, PICTURE_PIXELS))
            out = io.BytesIO()
            whole.convert("RGB").save(out, "WEBP", quality=80)
    except (ImportError, OSError, ValueError, SyntaxError):
        return ""
    return f'<img src="{data_uri(out.getvalue(), "image/webp")}" alt="" loading="lazy">'
