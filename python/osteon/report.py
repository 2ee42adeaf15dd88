"""One page about a finished job: `python -m osteon.report OUTDIR` writes OUTDIR/report.html.

The page needs nothing but itself: pictures are embedded, there is no request to anywhere.
"""

import base64
import hashlib
import json
import sys
from html import escape
from pathlib import Path
from string import Template
from typing import Any

# ruff: noqa: E501 (lines of HTML)
from .errors import DATA, USAGE, DataError, complain, tell_file_warnings
from .replace_file import write_whole
from .report_data import JobResult, load
from .report_failure import certificates as failure_certificates
from .report_failure import curve
from .report_homogenised import section as homogenised
from .report_plots import convergence, histogram, history
from .report_probes import probes
from .report_slices import colour_table, css_gradient, data_uri, slices_of
from .report_text import (
    Answer,
    answers,
    answers_by_case,
    by_material,
    certificates,
    machine,
    number,
    segmentation,
    supports_and_forces,
    words_of_test,
)


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
            f'<div class="card"><span>{escape(title)}</span><b>{v} <small>{escape(unit)}</small></b></div>'
            for title, v, unit in _keys(result, rows)
        ),
        "picture": _picture(result, _colour_bar(result, gradient, result.field_range)),
        "cut": _cut(result)
        + _film(result)
        + _plot("Load and displacement", curve(result), "How the load and the energies go with the displacement")
        + _plot("In time", history(result), "What the flow does over time")
        + _plot("Probes", probes(result), "What the flow does at the probes"),
        "slices": _slices(slices_of(result, table), result, _colour_bar(result, gradient, result.slice_range)),
        "answers": _answers_of_cases(result) if result.cases else _answers(rows),
        "supports": _table("Supports and forces", supports_and_forces(result)),
        "by_material": _table("By material", by_material(result)),
        "homogenised": homogenised(result),
        "histogram": _plot(
            f"Distribution (case {escape(result.cases[0])})" if result.cases else "Distribution",
            histogram(result),
            f"Histogram of the {escape(result.field_name[1])} on a logarithmic axis",
        ),
        "convergence": _plot("Convergence", convergence(result), "Relative residual over the solver's iterations"),
        "certificates": "".join(
            f'<tr><td class="{"ok" if good else "no"}">{"✓ pass" if good else "✗ fail"}</td><td>{escape(title)}</td>'
            f'<td class="n">{v}</td><td class="m l">{limit}</td></tr>'
            for title, v, limit, good in certificates(result) + failure_certificates(result.summary)
        ),
        "segmentation": _pairs(segmentation(result)),
        "stages": _stages(result.summary.get("stages", [])),
        "machine": _pairs(machine(result)),
        "job": _job_file(result),
    }
    page = Path(__file__).with_name("report_template.html").read_text(encoding="utf-8")
    # Texts of others are escaped where they go into the page. Should one ever not be: a browser runs the page's own script
    # and no other, and fetches nothing.
    own = base64.b64encode(hashlib.sha256(page.split("<script>")[1].split("</script>")[0].encode()).digest()).decode()
    parts["policy"] = f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{own}'"
    return Template(page).substitute(parts)


def _subtitle(result: JobResult) -> str:
    what = words_of_test(result.summary)
    shape = result.summary.get("image", {}).get("shape", [])
    return f"{what} · {' x '.join(str(n) for n in shape)} voxels (z, y, x) of {number(result.spacing_mm)} mm"


def _keys(result: JobResult, rows: list[tuple[Answer, str]]) -> list[tuple[str, str, str]]:
    """Title, value and unit of the largest numbers on the page: the first answers, or the first one of each load case."""
    if not result.cases:
        return [(a.title, v, a.unit) for a, v in rows[:3]]
    chosen: list[tuple[str, str, str]] = []
    for n, name in enumerate(result.cases[:6]):
        first = next(((a, values[n]) for a, values in answers_by_case(result) if values[n] != "-"), None)
        if first:
            chosen.append((f"{name}: {first[0].title}", first[1], first[0].unit))
    return chosen


def _answers(rows: list[tuple[Answer, str]]) -> str:
    return "".join(
        f'<tr><td>{escape(a.title)}</td><td class="n">{v} {escape(a.unit)}</td><td class="m">{escape(a.meaning)}</td></tr>'
        for a, v in rows
    )


def _answers_of_cases(result: JobResult) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in result.cases)
    rows = "".join(
        f'<tr title="{escape(a.meaning)}"><td>{escape(a.title)}</td>'
        + "".join(f'<td class="n">{escape(v)}</td>' for v in values)
        + f'<td class="m">{escape(a.unit)}</td></tr>'
        for a, values in answers_by_case(result)
    )
    return f"<tr><th>load case</th>{head}<th></th></tr>{rows}"


def _notes(result: JobResult) -> str:
    lines = []
    if result.summary.get("status") != "done":
        lines.append("The solver did not converge: do not use these numbers.")
    if result.summary.get("percolates") is False:
        lines.append("No path of solid joins the two faces: nothing flows, and the tortuosity is infinite.")
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
    alt = f"Volume rendering: the {escape(result.field_name[1])} glows inside the translucent solid"
    title = escape(str(result.summary.get("shown", {}).get("caption", "The specimen")))
    lines = result.summary.get("streamlines", {})
    if lines.get("median_time_s") is not None:
        bar += (
            f"<p>{lines['lines']} streamlines, the more of them the faster the flow. {lines['through']} lead through, "
            f"in a median time of {number(lines['median_time_s'])} s.</p>"
        )
    if result.cases:
        title += f" (case {escape(result.cases[0])})"
    return f'<section class="card picture"><h2>{title}</h2><img src="{data_uri(data)}" alt="{alt}">{bar}</section>'


def _cut(result: JobResult) -> str:
    if "cut" not in result.summary.get("files", {}):
        return ""
    try:
        data = (result.directory / "cut.png").read_bytes()
    except OSError:
        return ""
    return (
        '<section class="card picture"><h2>Along a cut</h2>'
        f'<img src="{data_uri(data)}" alt="A cut through the middle: threads lie along the flow"></section>'
    )


LARGEST_FILM = 32 * 2**20  # bytes that a page may hold


def _film(result: JobResult) -> str:
    if "film" not in result.summary.get("files", {}):
        return ""
    try:
        path = result.directory / "film.png"
        size = path.stat().st_size
        data = path.read_bytes() if size <= LARGEST_FILM else b""
    except OSError:
        return ""
    film = (
        f'<img src="{data_uri(data)}" alt="The solution while it was computed, frame by frame">'
        if data
        else f"<p>film.png, {number(size / 2**20, 3)} MiB, is too large for this page; browsers play it.</p>"
    )
    return f'<section class="card picture"><h2>Film</h2>{film}</section>'


def _slices(planes: list[dict[str, Any]], result: JobResult, bar: str) -> str:
    if not planes:
        return ""
    cards = "".join(_plane(p, escape(result.field_name[1])) for p in planes)
    choice = "".join(f"<option>{escape(name)}</option>" for name in result.shown_by_case)
    if choice:
        choice = f'<label class="choice">load case <select id="case">{choice}</select></label>'
    return f'<section class="card"><h2>Slices</h2>{choice}<div class="planes">{cards}</div>{bar}</section>'


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
        f'<div class="plane"><h3>{p["axis"]} = <output>{number(p["at_mm"][middle])}</output> mm</h3>{figures}'
        f'<p class="ax">→ {p["columns"]} &nbsp; ↑ {p["rows"]}</p>'
        f'<input type="range" min="0" max="{len(p["at_mm"]) - 1}" value="{middle}" aria-label="Position of the slice along {p["axis"]}">'
        f'<script type="application/json">{_json(p)}</script></div>'
    )


def _json(value: object) -> str:
    """For a script element: no text in it can end the element."""
    return json.dumps(value).replace("<", "\\u003c")


def _round_length(length: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is not longer."""
    power = 10.0 ** int(f"{length:e}".split("e")[1])
    return next(m * power for m in (5.0, 2.0, 1.0) if m * power <= length * (1 + 1e-12))


def _table(title: str, rows: list[list[str]]) -> str:
    if not rows:
        return ""
    head, *body = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows)
    table = (
        f"<thead><tr>{head.replace('td>', 'th>')}</tr></thead><tbody>{''.join(f'<tr>{r}</tr>' for r in body)}</tbody>"
    )
    return f'<section class="card wide-table"><h2>{escape(title)}</h2><table>{table}</table></section>'


def _plot(title: str, uri: str | None, alt: str) -> str:
    return f'<section class="card"><h2>{title}</h2><img class="wide" src="{uri}" alt="{alt}"></section>' if uri else ""


def _pairs(rows: list[tuple[str, str]]) -> str:
    return "".join(f"<tr><td>{escape(k)}</td><td>{escape(v)}</td></tr>" for k, v in rows)


def _stages(stages: list[dict[str, Any]]) -> str:
    longest = max((float(s["seconds"]) for s in stages), default=0.0) or 1.0
    return "".join(
        f'<div class="stage"><span>{escape(str(s["name"]))}</span><span><i style="width:{100 * float(s["seconds"]) / longest:.1f}%"></i></span>'
        f"<span>{number(float(s['seconds']), 3)} s{_waiting(s)}</span></div>"
        for s in stages
    )


def _waiting(stage: dict[str, Any]) -> str:
    """Of a run that counted its messages."""
    waited, model = stage.get("waiting_seconds"), stage.get("model_seconds")
    if waited is None:
        return ""
    said = "" if model is None else f" (the network's model: {number(float(model), 3)} s)"
    return f", {number(float(waited), 3)} s of it waiting for messages{said}"


def _job_file(result: JobResult) -> str:
    text = result.manifest.get("job_text")
    return f'<section class="card"><h2>Job file</h2><pre>{escape(text)}</pre></section>' if text else ""


def page_of(directory: Path) -> str:
    """@throws DataError if the numbers are not there, or are other than what a job writes"""
    try:
        return build(load(directory))
    except (TypeError, ValueError, LookupError, AttributeError, OverflowError) as e:
        raise DataError(
            f"'{directory / 'summary.json'}' or manifest.json does not hold what a job writes ({e!r:.120}); run the job again"
        ) from None


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or arguments[0].startswith("-"):
        complain("usage: python -m osteon.report OUTDIR")
        return USAGE
    directory = Path(arguments[0])
    tell_file_warnings()
    try:
        page = page_of(directory)
    except DataError as e:
        complain(e)
        return DATA
    target = directory / "report.html"
    try:
        write_whole(target, page)
    except OSError as e:
        complain(f"cannot write '{target}': {e.strerror}; free some space or choose another directory")
        return 5
    print(target)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
