"""Report of a completed job: `python -m osteon.report OUTDIR` writes OUTDIR/report.html.

The page is self-contained. Pictures are embedded, and the page makes no requests.
"""

import base64
import hashlib
from html import escape
from pathlib import Path
from string import Template
from typing import Any

# ruff: noqa: E501 (lines of HTML)
from PIL import Image

from ..errors import MACHINE, USAGE, DataError, Error, complain, report_file_warnings
from ..files.replace_file import write_whole
from . import picture_labels, viewer_data
from .colours import data_uri
from .data import JobResult, load
from .failure import certificates as failure_certificates
from .failure import curve
from .plots import convergence, greys, histogram, history
from .probes import probes
from .scene import Scene, read_scene
from .tensors import has_section
from .tensors import sections as tensors
from .text import (
    Answer,
    answers,
    answers_by_case,
    by_material,
    certificates,
    custom_keys,
    describe_test,
    machine,
    number,
    segmentation,
    shape,
    supports_and_forces,
    uncertainty,
)


def build(result: JobResult, picture: Image.Image | None = None, scene: Scene | None = None) -> str:
    """Return the HTML text. @param picture labelled picture of the run @param scene result of read_scene; None: read
    the scene"""
    name = str(result.summary.get("job", "job"))
    rows = [(a, v) for a, v in answers(result) if not has_section(a.key)]
    scene = scene or read_scene(result)
    result.notes += scene.notes
    viewer = viewer_data.of_result(result, scene, picture)  # this call also appends notes about the viewer
    parts = {
        "title": escape(f"{name}: {result.physics} - osteon report"),
        "heading": escape(name),
        "subtitle": escape(_subtitle(result)),
        "notes": _notes(result),
        "keys": "".join(
            f'<div class="card"><span>{escape(title)}</span><b>{v} <small>{escape(unit)}</small></b></div>'
            for title, v, unit in _keys(result, rows)
        ),
        "viewer": viewer,
        "cut": _picture(result, picture)
        + _cut(result)
        + _film(result)
        + _plot("Load and displacement", curve(result), "Load and energies over the displacement")
        + _plot("Time history", history(result), "Answers of the flow over time")
        + _plot("Probes", probes(result), "Values at the probes"),
        "answers": _answers_of_cases(result) if result.cases else _answers(rows),
        "answers_class": "" if result.cases else ' class="answers"',  # on a narrow screen, the answers have one column
        "supports": _table("Shape", shape(result))
        + _table("Uncertainty of the answers", uncertainty(result))
        + _table("Supports and forces", supports_and_forces(result)),
        "by_material": _table("By material", by_material(result)),
        "tensors": tensors(result),
        "histogram": _plot(
            f"Distribution (case {escape(result.cases[0])})" if result.cases else "Distribution",
            histogram(result),
            f"Histogram of the {escape(result.field_name[1])} on a logarithmic axis",
        ),
        "greys": _plot("Grey values", greys(result), "Histogram of the scan's grey values with the threshold"),
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
    page = Path(__file__).with_name("template.html").read_text(encoding="utf-8")
    # External texts are escaped when the texts are inserted. If a text were not escaped, the browser would still run
    # only the script of this page, and would fetch no other file.
    parts["script"] = viewer_data.script() if viewer else ""
    own = base64.b64encode(hashlib.sha256(parts["script"].encode()).digest()).decode()
    parts["policy"] = f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{own}'"
    return Template(page).substitute(parts)


def _subtitle(result: JobResult) -> str:
    test = describe_test(result.summary)
    shape = result.summary.get("image", {}).get("shape", [])
    return f"{test} · {' x '.join(str(n) for n in shape)} voxels (z, y, x) of {number(result.spacing_mm)} mm"


def _keys(result: JobResult, rows: list[tuple[Answer, str]]) -> list[tuple[str, str, str]]:
    """Return title, value and unit of the key answers. The key answers are the first answers, or the first answer of
    each load case."""
    if not result.cases:
        reported = result.summary.get("uncertainty", {})
        factor = reported.get("coverage_factor", 1)
        known = {a["key"]: f"{number(factor * a['total'], 2)} (k = {factor:g})" for a in reported.get("answers", [])}
        return custom_keys(result) or [
            (a.title, f"{v} ± {known[a.key]}" if a.key in known else v, a.unit) for a, v in rows[:3]
        ]
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
        lines.append("No path of solid connects the two faces: there is no flow, and the tortuosity is infinite.")
    if note := result.summary.get("image", {}).get("spacing_note"):
        lines.append(f"Voxel size {number(result.spacing_mm)} mm (z, y, x): {note}")
    reported = result.summary.get("warnings")
    lines += [f"Warning: {text}." for text in reported if isinstance(text, str)] if isinstance(reported, list) else []
    lines += result.notes
    return f'<aside class="note">{"".join(f"<p>{escape(line)}</p>" for line in lines)}</aside>' if lines else ""


def _picture(result: JobResult, picture: Image.Image | None) -> str:
    """Display the picture of the run in two cases: the picture has streamlines, which the viewer does not draw, or
    there are no fields."""
    lines = result.summary.get("streamlines", {})
    if picture is None or (result.fields and not lines):
        return ""
    uri = viewer_data.picture_uri(picture, LARGEST_PICTURE)
    title = escape(str(result.summary.get("shown", {}).get("caption", "The specimen")))
    note = ""
    if lines.get("median_time_s") is not None:
        note = (
            f"<p>{number(lines['lines'])} streamlines, with a density proportional to the flow. {number(lines['through'])} cross "
            f"the specimen, in a median time of {number(lines['median_time_s'])} s.</p>"
        )
    alt = f"The {escape(result.field_name[1])}, drawn by the run"
    return f'<section class="card picture"><h2>{title}</h2><img src="{uri}" alt="{alt}">{note}</section>'


def _cut(result: JobResult) -> str:
    if "cut" not in result.summary.get("files", {}):
        return ""
    uri = viewer_data.picture_uri(result.directory / "cut.png", LARGEST_PICTURE)
    if not uri:
        return ""
    return (
        '<section class="card picture"><h2>Along a cut</h2>'
        f'<img src="{uri}" alt="A cut through the middle with threads along the flow"></section>'
    )


LARGEST_PICTURE = 1400  # maximum number of pixels along an edge
LARGEST_FILM = 32 * 2**20  # maximum number of embedded bytes of a film


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
    """Return the waiting time of a run that has counted its messages."""
    waited, model = stage.get("waiting_seconds"), stage.get("model_seconds")
    if waited is None:
        return ""
    model_text = "" if model is None else f" (the network's model: {number(float(model), 3)} s)"
    return f", {number(float(waited), 3)} s of it waiting for messages{model_text}"


def _job_file(result: JobResult) -> str:
    text = result.manifest.get("job_text")
    return f'<section class="card long"><h2>Job file</h2><pre>{escape(text)}</pre></section>' if text else ""


def page_of(directory: Path) -> str:
    """@throws DataError if the summary or the manifest is missing or incomplete"""
    return _page_and_picture(directory)[0]


def _page_and_picture(directory: Path) -> tuple[str, bytes]:
    """Return the page, and the labelled picture as PNG. Without a picture, the PNG is empty. @throws errors of
    page_of"""
    try:
        result = load(directory)
        scene = read_scene(result)
        picture = picture_labels.of_result(result, scene)
        return build(result, picture, scene), picture_labels.as_png(picture)
    except (TypeError, ValueError, LookupError, AttributeError, OverflowError) as e:
        raise DataError(
            f"'{directory / 'summary.json'}' or manifest.json lacks required content ({e!r:.120}); run the job again"
        ) from None


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or arguments[0] in ("-h", "--help"):
        complain("usage: python -m osteon.report OUTDIR")
        return USAGE
    directory = Path(arguments[0])
    report_file_warnings()
    try:
        page, picture = _page_and_picture(directory)
    except Error as e:
        complain(e)
        return e.exit_code
    except OSError as e:
        name = f"'{e.filename}'" if e.filename else f"a file of '{directory}'"
        complain(f"cannot read {name}: {e.strerror or e}; check the disk, then run `osteon report` again")
        return MACHINE
    except MemoryError:
        complain(f"out of memory while writing the report of '{directory}'; write it on a machine with more memory")
        return MACHINE
    target = directory / "report.html"
    try:
        write_whole(target, page)
        if picture:
            write_whole(directory / "picture_labelled.png", picture)
    except OSError as e:
        complain(f"cannot write '{target}': {e.strerror}; free some space or choose another directory")
        return 5
    print(target)
    return 0
