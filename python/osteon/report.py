"""One page about a finished job: `python -m osteon.report OUTDIR` writes OUTDIR/report.html.

The page needs nothing but itself: pictures are embedded, there is no request to anywhere.
"""

import json
import os
import sys
from html import escape
from pathlib import Path
from string import Template
from typing import Any

# ruff: noqa: E501 (lines of HTML)
from .errors import DATA, USAGE, DataError
from .report_data import JobResult, load
from .report_homogenised import section as homogenised
from .report_plots import convergence, histogram
from .report_slices import colour_table, css_gradient, data_uri, slices_of
from .report_text import answers, by_material, certificates, machine, number, segmentation, words_of_test


def build(result: JobResult) -> str:
    """The page as text."""
    table = colour_table(str(result.summary.get("shown", {}).get("colour_map", "batlow")))
    gradient = css_gradient(table)
    name = str(result.summary.get("job", "job"))
    rows = answers(result)
    parts = {
        "title": escape(f"{name}: {result.physics} - osteon report"),
        "heading": escape(name),
        "subtitle": escape(_subtitle(result)),
        "notes": _notes(result),
        "keys": "".join(
            f'<div class="card"><span>{escape(a.title)}</span><b>{v} <small>{escape(a.unit)}</small></b></div>'
            for a, v in rows[:3]
        ),
        "picture": _picture(result, _colour_bar(result, gradient, result.field_range)),
        "slices": _slices(slices_of(result, table), result, _colour_bar(result, gradient, result.slice_range)),
        "answers": "".join(
            f'<tr><td>{escape(a.title)}</td><td class="n">{v} {escape(a.unit)}</td><td class="m">{escape(a.meaning)}</td></tr>'
            for a, v in rows
        ),
        "by_material": _by_material(by_material(result)),
        "homogenised": homogenised(result),
        "histogram": _plot(
            "Distribution", histogram(result), f"Histogram of the {result.field_name[1]} on a logarithmic axis"
        ),
        "convergence": _plot("Convergence", convergence(result), "Relative residual over the solver's iterations"),
        "certificates": "".join(
            f'<tr><td class="{"ok" if good else "no"}">{"✓ pass" if good else "✗ fail"}</td><td>{escape(title)}</td>'
            f'<td class="n">{v}</td><td class="m l">{limit}</td></tr>'
            for title, v, limit, good in certificates(result)
        ),
        "segmentation": _pairs(segmentation(result)),
        "stages": _stages(result.summary.get("stages", [])),
        "machine": _pairs(machine(result)),
        "job": _job_file(result),
    }
    page = Path(__file__).with_name("report_template.html").read_text(encoding="utf-8")
    return Template(page).substitute(parts)


def _subtitle(result: JobResult) -> str:
    load = result.summary.get("load", {})
    if result.physics == "heat":
        what = _heat_test(load)
    elif load.get("test") == "homogenise":
        what = "Stiffness of the material, every outer face moved with the mean strain; fields: 1 % along z"
    elif result.physics == "thermo_elasticity":
        ends = (
            f"{number(load.get('low_K', '?'))} K to {number(load.get('high_K', '?'))} K along {load.get('axis', '?')}"
        )
        held = "free to expand" if load.get("test") == "free_expansion" else "between bonded plates"
        what = f"{ends}, {held}, free of stress at {number(load.get('reference_K', '?'))} K"
        if load.get("strain"):
            what += f", {number(100 * float(load['strain']))} % strain"
    else:
        what = words_of_test(result.summary)
    shape = result.summary.get("image", {}).get("shape", [])
    return f"{what} · {' x '.join(str(n) for n in shape)} voxels (z, y, x) of {number(result.spacing_mm)} mm"


def _heat_test(load: dict[str, Any]) -> str:
    if load.get("test") == "conductivity_tensor":
        return f"Conductivity in all directions, {load.get('surroundings', 'periodic')} surroundings"
    if load.get("test") == "heat_transfer":
        faces = (f"{b['kind']} on {b['face']}" for b in load.get("boundary", []))
        return "Heat transfer: " + (", ".join(faces) or "insulated")
    limits = f"{number(load.get('low_K', '?'))} K to {number(load.get('high_K', '?'))} K"
    return f"Heat conduction along {load.get('axis', '?')}, {limits}"


def _notes(result: JobResult) -> str:
    lines = []
    if result.summary.get("status") != "done":
        lines.append("The solver did not converge: do not use these numbers.")
    if note := result.summary.get("image", {}).get("spacing_note"):
        lines.append(f"Voxel size {number(result.spacing_mm)} mm (z, y, x): {note}")
    lines += result.notes
    return f'<aside class="note">{"".join(f"<p>{escape(line)}</p>" for line in lines)}</aside>' if lines else ""


def _colour_bar(result: JobResult, gradient: str, limits: tuple[float, float]) -> str:
    low, high = limits
    _, words, unit = result.field_name
    middle = f"{escape(words)} ({escape(unit)})"
    return (
        f'<div class="bar" style="background:{gradient}" role="img" aria-label="Colour bar of the {escape(words)}"></div>'
        f'<div class="ticks"><span>{number(float(low))}</span><span>{middle}</span><span>≥ {number(float(high))}</span></div>'
    )


def _picture(result: JobResult, bar: str) -> str:
    if "picture" not in result.summary.get("files", {}):
        return ""  # one that lies there is of an earlier job
    try:
        data = (result.directory / "picture.png").read_bytes()
    except OSError:
        return ""
    alt = f"Volume rendering: the {result.field_name[1]} glows inside the translucent solid"
    title = "Heat through the specimen" if result.physics == "heat" else "The specimen under load"
    return f'<section class="card picture"><h2>{title}</h2><img src="{data_uri(data)}" alt="{alt}">{bar}</section>'


def _slices(planes: list[dict[str, Any]], result: JobResult, bar: str) -> str:
    if not planes:
        return ""
    cards = "".join(_plane(p, result.field_name[1]) for p in planes)
    return f'<section class="card"><h2>Slices</h2><div class="planes">{cards}</div>{bar}</section>'


def _plane(p: dict[str, Any], words: str) -> str:
    middle = len(p["at_mm"]) // 2
    length = _round_length(p["width_mm"] / 3)
    scale = f'<div class="scale" style="width:{100 * length / p["width_mm"]:.1f}%">{number(length)} mm</div>'
    figures = ""
    for key, title in (("scan", "scan"), ("field", words)):
        if p[key]:
            alt = f"Slice of the {title} across {p['axis']}"
            figures += (
                f'<figure class="{key[0]}"><img class="{key}" src="{p[key][middle]}" alt="{alt}">'
                f"<figcaption>{title}</figcaption>{scale}</figure>"
            )
    return (
        f'<div class="plane"><h3>{p["axis"]} = <output>{number(p["at_mm"][middle], 3)}</output> mm</h3>{figures}'
        f'<p class="ax">→ {p["columns"]} &nbsp; ↑ {p["rows"]}</p>'
        f'<input type="range" min="0" max="{len(p["at_mm"]) - 1}" value="{middle}" aria-label="Position of the slice along {p["axis"]}">'
        f'<script type="application/json">{json.dumps(p)}</script></div>'
    )


def _round_length(length: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is not longer."""
    power = 10.0 ** int(f"{length:e}".split("e")[1])
    return next(m * power for m in (5.0, 2.0, 1.0) if m * power <= length * (1 + 1e-12))


def _by_material(rows: list[list[str]]) -> str:
    if not rows:
        return ""
    head, *body = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows)
    table = (
        f"<thead><tr>{head.replace('td>', 'th>')}</tr></thead><tbody>{''.join(f'<tr>{r}</tr>' for r in body)}</tbody>"
    )
    return f'<section class="card"><h2>By material</h2><table>{table}</table></section>'


def _plot(title: str, uri: str | None, alt: str) -> str:
    return f'<section class="card"><h2>{title}</h2><img class="wide" src="{uri}" alt="{alt}"></section>' if uri else ""


def _pairs(rows: list[tuple[str, str]]) -> str:
    return "".join(f"<tr><td>{escape(k)}</td><td>{escape(v)}</td></tr>" for k, v in rows)


def _stages(stages: list[dict[str, Any]]) -> str:
    longest = max((float(s["seconds"]) for s in stages), default=0.0) or 1.0
    return "".join(
        f'<div class="stage"><span>{escape(str(s["name"]))}</span><span><i style="width:{100 * float(s["seconds"]) / longest:.1f}%"></i></span>'
        f"<span>{number(float(s['seconds']), 3)} s</span></div>"
        for s in stages
    )


def _job_file(result: JobResult) -> str:
    text = result.manifest.get("job_text")
    return f'<section class="card"><h2>Job file</h2><pre>{escape(text)}</pre></section>' if text else ""


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print("usage: python -m osteon.report OUTDIR", file=sys.stderr)
        return USAGE
    directory = Path(arguments[0])
    try:
        page = build(load(directory))
    except DataError as e:
        print(e, file=sys.stderr)
        return DATA
    target = directory / "report.html"
    part = directory / f"report.html.tmp.{os.getpid()}"
    try:
        part.write_text(page, encoding="utf-8")
        part.replace(target)
    except OSError as e:
        part.unlink(missing_ok=True)
        print(f"cannot write '{target}': {e.strerror}; free some space or choose another directory", file=sys.stderr)
        return 5
    print(target)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
