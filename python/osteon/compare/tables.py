"""A comparison as text for a terminal, as CSV, and as JSON."""

import csv
import io
import unicodedata
from typing import Any

from .comparison import MISSING, Comparison, Row, of_image


def text_of(it: Comparison) -> str:
    lines = _answers(it)
    differing = [row for row in it.facts if len({_shown(v) for v in row.values}) > 1]
    if differing:
        lines += ["", "models"]
        lines += _columns(
            [["", *it.names], *([row.title, *(_shown(v, row.unit) for v in row.values)] for row in differing)]
        )
    lines += ["", *_job_lines(it)]
    same = it.same_input
    lines.append(
        "inputs: "
        + ("the same bytes" if same else "unknown" if same is None else "different (by SHA-256 of the image)")
    )
    if it.grid_note:
        lines.append(it.grid_note)
    return "\n".join(lines) + "\n"


def _answers(it: Comparison) -> list[str]:
    two = len(it.names) == 2
    head = ["", *it.names, "change", "%"] if two else [""]
    if not two:
        for n, name in enumerate(it.names):
            head += [name, "%"] if n else [name]
    head.append("")
    table = [head]
    for row in it.rows:
        cells = [row.name]
        for n, value in enumerate(row.values):
            cells.append(_shown(value))
            if n and not two:
                cells.append(_percent(row, n))
        if two:
            change = row.change(1)
            cells += ["" if change is None else _signed(change[0]), _percent(row, 1)]
        table.append([*cells, row.unit])
    return _columns(table)


def _shown(value: Any, unit: str = "") -> str:
    if value is MISSING:
        return "-"
    if value is None:
        return "infinite"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        text = ", ".join(_shown(v) for v in value)
    elif isinstance(value, float):
        text = f"{value:.6g}"
    else:
        text = str(value)
    return f"{text} {unit}" if unit else text


def _signed(value: float) -> str:
    return "0" if value == 0 else f"{value:+.4g}"


def _percent(row: Row, n: int) -> str:
    change = row.change(n)
    if change is None or change[1] is None:
        return ""
    return "0" if change[1] == 0 else f"{100 * change[1]:+.3g}"


def _job_lines(it: Comparison) -> list[str]:
    if it.jobs is None:
        texts = {str(r.manifest.get("job_text", "")) for r in it.results}
        return [
            "jobs: "
            + (
                "equal texts"
                if len(texts) == 1
                else "the texts differ; they are not TOML, so their keys cannot be compared"
            )
        ]
    if not it.jobs:
        return ["jobs: all keys are equal"]
    table = [["", *it.names]]
    table += [[d.key, *("(not given)" if v is None else v for v in d.values)] for d in it.jobs]
    return ["jobs differ in", *_columns(table, to_the_left=True)]


def _columns(table: list[list[str]], to_the_left: bool = False) -> list[str]:
    """Return lines with aligned columns. The first column and the last column are left-aligned."""
    widths = [max(_width(row[c]) for row in table) for c in range(len(table[0]))]
    lines = []
    for row in table:
        cells = []
        for c, cell in enumerate(row):
            space = " " * (widths[c] - _width(cell))
            left = c == 0 or to_the_left or (c == len(row) - 1 and not table[0][c])
            cells.append(cell + space if left else space + cell)
        lines.append(("  " + "  ".join(cells)).rstrip())
    return lines


def _width(text: str) -> int:
    """Return the width of a text on a terminal."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def csv_of(it: Comparison) -> str:
    """Write one line for each answer. A line contains the name of the column, the unit, the values and the changes."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    changes = [head for name in it.names[1:] for head in (f"change of {name}", f"relative change of {name} [1]")]
    writer.writerow(["answer [unit]", "title", *it.names, *changes])
    for row in it.rows:
        cells: list[str] = [row.column, row.title, *(cell(v) for v in row.values)]
        for n in range(1, len(it.names)):
            change = row.change(n)
            cells += ["", ""] if change is None else [cell(change[0]), "" if change[1] is None else cell(change[1])]
        writer.writerow(cells)
    return out.getvalue()


def cell(value: Any) -> str:
    """Return a table cell for programs. The cell contains all digits. If the value is missing, the cell is empty."""
    if value is MISSING:
        return ""
    if value is None:
        return "inf"
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)


def json_of(it: Comparison) -> dict[str, Any]:
    def changes(row: Row) -> list[Any]:
        found = [row.change(n) for n in range(1, len(it.names))]
        return [None if c is None else {"absolute": c[0], "relative": c[1]} for c in found]

    return {
        "schema": "osteon.compare/1",
        "physics": it.results[0].physics,
        "results": [
            {
                "name": name,
                "folder": str(r.directory),
                "job": str(r.summary.get("job", "")),
                "status": str(r.summary.get("status", "")),
                "version": str(r.manifest.get("version", "")),
                "input_sha256": digest,
                "shape": of_image(r, "shape"),
                "spacing_mm": r.spacing_mm,
            }
            for name, r, digest in zip(it.names, it.results, it.inputs, strict=True)
        ],
        "answers": [
            {
                "key": row.key,
                "case": row.case,
                "title": row.title,
                "unit": row.unit,
                "values": [None if v is MISSING else v for v in row.values],
                "changes": changes(row),
            }
            for row in it.rows
        ],
        "job_keys": None if it.jobs is None else [{"key": d.key, "values": d.values} for d in it.jobs],
        "same_input": it.same_input,
        "same_grid": not it.grid_note,
        "fields": it.fields,
    }
