"""The page of `osteon compare`. The page contains the answers with their changes. Fields are side by side, with a
common cursor."""

# ruff: noqa: E501 (lines of HTML and CSS)

import os
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from ..report import viewer_data
from ..report.page_frame import format_value, frame, table
from ..report.scene import read_scene
from ..report.text import describe_test, number
from ..report.volumes import Scale, codes_of, packed, scale_of
from .comparison import MARK, MISSING, Comparison, Row
from .fields import SharedField, Shown, statistics

MOST_SHOWN = 5  # maximum number of jobs; browsers allow at most 16 three-dimensional views
MOST_OVER_LIMIT = 8.0  # largest stored change relative to the limit of the colours
LARGE_CHANGE = 0.05  # from this relative change on, values are printed in bold

STYLE = """
.panes{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,19rem),1fr));gap:0 1.1rem}.pane{min-width:0}.pane h2{overflow-wrap:anywhere}
.pane .view{grid-template-columns:minmax(0,1fr)}.pane .three{min-height:0;aspect-ratio:1}.pane .tools,.shared-tools .loads{display:none}.shared-tools .sub{margin:0}
.pane .readout{display:none}.shared-tools{margin-bottom:1.1rem}.values,.place{display:flex;flex-wrap:wrap;gap:0 1.6rem;font-variant-numeric:tabular-nums}.values b{font-size:1.15rem}.values,.place{color:var(--soft);min-height:1.5em}.values b{color:var(--ink)}
.change{color:var(--soft);font-weight:400}.big{color:var(--bad)}.keys .change,.keys .change b{font-size:1rem;display:block;color:inherit}.keys .big{color:var(--bad)}
th{white-space:nowrap}code{font-size:.9em;overflow-wrap:anywhere}
@media print{.shared-tools{display:none}}
"""


def page_of(it: Comparison, shown: Shown) -> str:
    title = " and ".join(it.names) if len(it.names) < 4 else f"{len(it.names)} jobs"
    has_maps = bool(shown.fields)
    body = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="sub">{escape(it.results[0].physics)} · {escape(describe_test(it.results[0].summary))} · the reference is '
        f"{escape(it.names[0])}</p>",
        _keys(it),
        _notes(it, shown),
        _maps(it, shown) if has_maps else "",
        _answers(it),
        _changes(it, shown),
        _jobs(it),
        _facts(it),
        _links(it),
    ]
    script = viewer_data.script(linked=True) if has_maps else ""
    return frame(f"{title} - osteon compare", "\n".join(filter(None, body)), MARK, script, STYLE)


def _notes(it: Comparison, shown: Shown) -> str:
    lines = [
        f"{name}: the solver did not converge; do not use these numbers."
        for name, r in zip(it.names, it.results, strict=True)
        if r.summary.get("status") != "done"
    ]
    if it.same_input is False:
        lines.append("The images differ (SHA-256 of their bytes).")
    lines += shown.notes
    if not shown.fields and not it.grid_note:
        lines.append("The results have no field in common, so there are no maps.")
    return f'<aside class="note">{"".join(f"<p>{escape(line)}</p>" for line in lines)}</aside>' if lines else ""


def _percent(relative: float | None) -> str:
    if relative is None:
        return ""
    if relative == 0:
        return "0 %"
    sign = "+" if relative > 0 else "−"
    return f"{sign}{number(abs(100 * relative), 3)} %"


def _change(row: Row, n: int) -> str:
    change = row.change(n)
    if change is None:
        return ""
    absolute, relative = change
    text = "no change" if absolute == 0 else f"{'+' if absolute > 0 else '−'}{number(abs(absolute))}"
    if absolute and relative is not None:
        text += f" ({_percent(relative)})"
    large = relative is not None and abs(relative) > LARGE_CHANGE
    return f'<span class="change{" big" if large else ""}">{f"<b>{text}</b>" if large else text}</span>'


def _keys(it: Comparison) -> str:
    cards = []
    for row in it.rows[:3]:
        reported = " → ".join("–" if v is MISSING else escape(format_value(v)) for v in row.values)
        changes = " ".join(_change(row, n) for n in range(1, len(it.names)))
        cards.append(
            f'<div class="card"><span>{escape(row.name)}</span><b>{reported} <small>{escape(row.unit)}</small></b>{changes}</div>'
        )
    return f'<section class="keys" aria-label="Key answers">{"".join(cards)}</section>' if cards else ""


def _answers(it: Comparison) -> str:
    head = "".join(
        f'<th class="n">{escape(name)}</th>' + ('<th class="n">change</th>' if n else "")
        for n, name in enumerate(it.names)
    )
    lines = []
    for row in it.rows:
        cells = "".join(
            f'<td class="n">{"–" if v is MISSING else escape(format_value(v))}</td>'
            + (f'<td class="n">{_change(row, n)}</td>' if n else "")
            for n, v in enumerate(row.values)
        )
        lines.append(f'<tr><td>{escape(row.name)}</td>{cells}<td class="m">{escape(row.unit)}</td></tr>')
    return (
        '<section class="card wide-table"><h2>Answers</h2><table><thead><tr><th></th>'
        f"{head}<th>unit</th></tr></thead><tbody>{''.join(lines)}</tbody></table></section>"
    )


def _changes(it: Comparison, shown: Shown) -> str:
    """Return the table of the fields."""
    rows = []
    for f in statistics(shown):
        for n, c in enumerate(f["changes"], start=1):
            share = f" ({number(100 * c['rms'] / f['rms'], 3)} %)" if f["rms"] else ""
            rows.append(
                [
                    f["title"] + (f", {it.names[n]}" if len(it.names) > 2 else ""),
                    format_value(f["rms"], f["unit"]),
                    format_value(c["rms"], f["unit"]) + share,
                    format_value(c["largest"], f["unit"]),
                    ", ".join(number(v) for v in c["at_mm"]),
                    f"{number(c['only_in_first'])} / {number(c['only_in_this'])}",
                ]
            )
    head = ["field", f"RMS in {it.names[0]}", "RMS of the change", "largest change", "at z, y, x (mm)",
            "voxels only in the first / the other"]  # fmt: skip
    return table(head, rows, "Fields, voxel by voxel")


def _jobs(it: Comparison) -> str:
    if it.jobs is None:
        return '<section class="card"><h2>Jobs</h2><p>The jobs are not TOML files, so their keys cannot be compared.</p></section>'
    if not it.jobs:
        return '<section class="card"><h2>Jobs</h2><p>All keys are equal.</p></section>'
    head = "".join(f"<th>{escape(name)}</th>" for name in it.names)
    rows = "".join(
        f"<tr><td><code>{escape(d.key)}</code></td>"
        + "".join(f"<td>{'<i>not given</i>' if v is None else escape(v)}</td>" for v in d.values)
        + "</tr>"
        for d in it.jobs
    )
    return (
        '<section class="card wide-table"><h2>Differences of the jobs</h2><table><thead><tr><th>key</th>'
        f"{head}</tr></thead><tbody>{rows}</tbody></table></section>"
    )


def _facts(it: Comparison) -> str:
    rows = [[r.title, *("–" if v is MISSING else format_value(v, r.unit) for v in r.values)] for r in it.facts]
    rows.append(["SHA-256 of the image", *(digest[:16] or "–" for digest in it.inputs)])
    return table(["", *it.names], rows, "Models")


def _links(it: Comparison) -> str:
    links = [
        f'<li><a href="{escape(Path(os.path.relpath(path)).as_posix())}">{escape(name)}</a></li>'
        for name, r in zip(it.names, it.results, strict=True)
        if (path := r.directory / "report.html").exists()
    ]
    return f'<section class="card"><h2>Reports</h2><ul>{"".join(links)}</ul></section>' if links else ""


# ---- maps


def _maps(it: Comparison, shown: Shown) -> str:
    """Return one viewer for each job, and one viewer for each change. The first viewer contains the volumes and the
    tools of the page."""
    names, loaded = it.names[:MOST_SHOWN], shown.loaded[:MOST_SHOWN]
    volumes = viewer_data.Volumes()
    panes = [_Pane(name, "values") for name in names] + [_Pane(f"{name} − {names[0]}", "changes") for name in names[1:]]
    left_out = _add_fields(panes, shown.fields, len(names), volumes)
    scans = _add_scans(panes, loaded, it, volumes)
    for n, result in enumerate(loaded):
        if result.share is not None:
            panes[n].solid = volumes.add(f"solid-{n}", result.share)
            if n:
                panes[len(names) + n - 1].solid = panes[n].solid
    scene = read_scene(loaded[0])
    shape, k = loaded[0].page_shape, loaded[0].thinned
    base = {
        "shape": [int(n) for n in reversed(shape)],
        "spacing": [float(v) * k for v in reversed(loaded[0].spacing_mm)],
        "origin": [float(v) for v in reversed(loaded[0].origin_mm)],
        "sets": None,
        "arrows": [],
        "letters": scene.letters,
        "maps": viewer_data.maps_of(loaded[0].summary.get("shown")),
        "camera": scene.camera or {"azimuth": -60.0, "elevation": 22.0, "zoom": 1.0},
        "mode": "maximum" if "fluid" in loaded[0].summary else "surface",
    }
    parts = []
    for n, pane in enumerate(panes):
        description = base | {
            "fields": pane.fields, "scan": scans[n], "solid": pane.solid, "name": pane.name, "colours": pane.colours
        }  # fmt: skip
        markup = viewer_data.section(
            description, volumes if n == 0 else viewer_data.Volumes(), "",
            f"{pane.name} in three dimensions", [], name=f"pane-{n}", title=pane.name,
        )  # fmt: skip
        parts.append(markup.replace('class="card viewer"', 'class="card viewer pane"', 1))
    note = f"Not shown, because the page would be too large: {', '.join(left_out)}." if left_out else ""
    more = f" Maps of the first {MOST_SHOWN} jobs." if len(it.names) > MOST_SHOWN else ""
    return (
        '<section class="card shared-tools" aria-label="Tools of all views"><div class="tools" id="tools"></div>'
        '<p class="place" role="status" aria-live="polite"></p><p class="values" aria-live="polite"></p>'
        f'<p class="sub">All views share the cursor, the direction of view and the field. {escape(note)}{more}</p></section>'
        f'<div class="panes">{"".join(parts)}</div>'
    )


class _Pane:
    def __init__(self, name: str, colours: str) -> None:
        self.name, self.colours = name, colours
        self.fields: list[dict[str, Any]] = []
        self.solid: str | None = None


def _add_fields(panes: list[_Pane], fields: list[SharedField], count: int, volumes: viewer_data.Volumes) -> list[str]:
    """Add fields to all panes until the page is full. Return the titles of the omitted fields."""
    left_out = []
    for f in fields:
        thin = [page_field.thin for page_field in f.fields[:count]]
        scale = scale_of(np.sort(np.concatenate([t.sorted_values for t in thin])))
        limits = [page_field.limits for page_field in f.fields[:count] if page_field.limits]
        shared = (min(a for a, _ in limits), max(b for _, b in limits)) if limits else _limits(thin, scale)
        name = f.fields[0].name
        entries, texts = [], {}
        for n, t in enumerate(thin):
            texts[f"field-{name}-{n}"] = packed(codes_of(t, scale))
            entries.append(
                viewer_data.describe_field(
                    f"{name}-{n}",
                    f.fields[0].title,
                    f.unit,
                    t,
                    scale,
                    shared,
                    1,
                    has_peak=not f.fields[0].is_derived,
                )
            )
        for n, t in enumerate(f.changes[: count - 1], start=count):
            size = np.abs(t.values[np.isfinite(t.values)])
            limit, most = (float(v) for v in np.percentile(size, (98, 100))) if size.size else (0.0, 0.0)
            # otherwise, typical changes would have only a few different codes
            if limit and most > MOST_OVER_LIMIT * limit:
                most = max(MOST_OVER_LIMIT * limit, float(np.percentile(size, 99.99)))
            even = Scale(-(most or 1.0), most or 1.0, 1.0, True)
            limit = limit or most or 1.0
            texts[f"field-{name}-{n}"] = packed(codes_of(t, even))
            entries.append(
                viewer_data.describe_field(f"{name}-{n}", f"change of {f.title}", f.unit, t, even, (-limit, limit), 1)
            )
        if panes[0].fields and volumes.size + sum(map(len, texts.values())) > viewer_data.BUDGET:
            left_out.append(f.title)
            continue
        volumes.packed |= texts
        for pane, entry in zip(panes, entries, strict=True):
            pane.fields.append(entry)
    return left_out


def _limits(thin: list[Any], scale: Scale) -> tuple[float, float]:
    """Return the limits of the colours for all jobs."""
    if scale.power != 2:
        return scale.low, scale.high
    some = np.concatenate([t.values[np.isfinite(t.values)] for t in thin])
    return 0.0, (float(np.percentile(some, 98)) if some.size else 1.0) or 1.0


def _add_scans(panes: list[_Pane], loaded: list[Any], it: Comparison, volumes: viewer_data.Volumes) -> list[Any]:
    """Add the scan of each pane. Equal images use one scan. Changes use the scan of the first job."""
    count = len(loaded)
    own: list[dict[str, Any] | None] = []
    for n, result in enumerate(loaded):
        if n and it.same_input and own[0] is not None:
            own.append(own[0])
        elif result.scan is None or volumes.size > viewer_data.BUDGET:
            own.append(None)
        else:
            name = volumes.add(f"scan-{n}", result.scan.codes)
            unit = str(result.summary.get("image", {}).get("unit") or "")
            own.append({"volume": name, "low": result.scan.low, "high": result.scan.high, "unit": unit})
    return [own[n] if n < count else own[0] for n in range(len(panes))]
