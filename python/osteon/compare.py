"""Compare finished jobs: `python -m osteon.compare [--csv F] [--page F] A.out B.out [...]`; docs/howto/compare.md.

The first folder is the reference.
"""

import argparse
import csv
import io
import json
import sys
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .answer_values import values_of
from .compare_jobs import Difference, differences
from .errors import DATA, USAGE, DataError, complain, tell_file_warnings
from .extras import end_without
from .replace_file import write_whole
from .report_data import JobResult, documents

MARK = "osteon compare"  # of pages that may be replaced


@dataclass
class Row:
    """One answer of all jobs; None where JSON has none, MISSING where a job has not that answer."""

    key: str
    case: str
    title: str
    unit: str
    column: str
    values: list[Any]

    def change(self, n: int) -> tuple[float, float | None] | None:
        """Of job n from the first: absolute, and the ratio less 1 unless the first is 0; None without two numbers."""
        first, other = self.values[0], self.values[n]
        if not (_is_number(first) and _is_number(other)):
            return None
        return other - first, other / first - 1 if first else None

    @property
    def name(self) -> str:
        return f"{self.case}: {self.title}" if self.case else self.title


MISSING = object()


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


@dataclass
class Comparison:
    names: list[str]
    results: list[JobResult]
    rows: list[Row]
    facts: list[Row]  # what the answers were computed on
    jobs: list[Difference] | None  # None: their texts cannot be compared by keys
    inputs: list[str]  # digests; empty: not known
    grid_note: str = ""  # why fields are not subtracted; empty: they have one grid
    fields: list[dict[str, Any]] = field(default_factory=list)

    @property
    def same_input(self) -> bool | None:
        return None if not all(self.inputs) else len(set(self.inputs)) == 1


def compare(folders: list[Path]) -> Comparison:
    """@throws DataError if a folder holds no results, is damaged, or the physics differ"""
    results = [_documents(folder) for folder in folders]
    names = names_of(folders)
    kinds = [r.physics for r in results]
    if len(set(kinds)) > 1:
        told = ", ".join(f"'{n}' {k}" for n, k in zip(names, kinds, strict=True))
        raise DataError(f"the jobs are of different physics ({told}); compare jobs of one physics")
    try:
        rows = _rows([{(v.case, v.key): v for v in values_of(r.summary)} for r in results])
        facts = _facts(results)
    except (TypeError, ValueError, LookupError, AttributeError) as e:
        raise DataError(
            f"a summary.json of {', '.join(map(repr, names))} does not hold what a job writes ({e!r:.120})"
        ) from None
    inputs = [str(r.manifest.get("input_sha256", "")) for r in results]
    return Comparison(
        names, results, rows, facts, differences([r.manifest for r in results]), inputs, _grid_note(results, names)
    )


def _documents(folder: Path) -> JobResult:
    if not folder.exists():
        raise DataError(f"there is no folder '{folder}'; give output folders of finished jobs")
    if not folder.is_dir():
        raise DataError(f"'{folder}' is a file; give the output folder that it lies in")
    return documents(folder)


def names_of(folders: list[Path]) -> list[str]:
    """As short as they can be told apart: the last part of each path, or as many as it takes."""
    parts = [folder.absolute().parts for folder in folders]
    depth = 1
    while depth < max(map(len, parts)) and len({p[-depth:] for p in parts}) < len(set(parts)):
        depth += 1
    return [str(Path(*p[-depth:])) for p in parts]


def _rows(found: list[dict[tuple[str, str], Any]]) -> list[Row]:
    keys: dict[tuple[str, str], Any] = {}
    for values in found:
        keys |= {key: v for key, v in values.items() if key not in keys}
    return [
        Row(v.key, v.case, v.title[:1].upper() + v.title[1:], v.unit, v.column,
            [values[key].value if key in values else MISSING for values in found])
        for key, v in keys.items()
    ]  # fmt: skip


FACTS = (
    ("image.shape", "voxels (z, y, x)", ""),
    ("image.spacing_mm", "voxel size (z, y, x)", "mm"),
    ("segmentation.threshold", "threshold", ""),
    ("segmentation.volume_fraction", "solid volume fraction", ""),
    ("elements", "elements", ""),
    ("certificate.true_relative_residual", "true relative residual", ""),
    ("status", "status", ""),
)


def _facts(results: list[JobResult]) -> list[Row]:
    rows = []
    for key, title, unit in FACTS:
        values: list[Any] = []
        for result in results:
            value: Any = result.summary
            for part in key.split("."):
                value = value.get(part, MISSING) if isinstance(value, dict) else MISSING
            values.append(MISSING if value is None else value)
        if any(v is not MISSING for v in values):
            rows.append(Row(key, "", title, unit, key, values))
    for key, title in (("version", "version"), ("git", "revision")):
        rows.append(Row(key, "", title, "", key, [r.manifest.get(key, MISSING) for r in results]))
    return rows


def _grid_note(results: list[JobResult], names: list[str]) -> str:
    """Why the fields cannot be subtracted voxel by voxel; empty if they can."""
    first = results[0]
    for result, name in zip(results[1:], names[1:], strict=True):
        for title, a, b, unit in (
            ("shape", _of_image(first, "shape"), _of_image(result, "shape"), "voxels"),
            ("voxel size", first.spacing_mm, result.spacing_mm, "mm"),
            ("origin", first.origin_mm, result.origin_mm, "mm"),
        ):
            scale = max((abs(float(v)) for v in first.spacing_mm), default=1.0)
            if len(a) != len(b) or any(abs(float(x) - float(y)) > 1e-6 * scale for x, y in zip(a, b, strict=True)):
                return (
                    f"The fields are not subtracted: the {title} of '{name}' is {_listed(b)} {unit} (z, y, x), that of "
                    f"'{names[0]}' {_listed(a)} {unit}; numbers only."
                )
    return ""


def _of_image(result: JobResult, key: str) -> list[Any]:
    return list(result.summary.get("image", {}).get(key) or [])


def _listed(values: list[Any]) -> str:
    return " x ".join(f"{v:g}" if isinstance(v, float) else str(v) for v in values)


# ---- terminal


def text_of(it: Comparison) -> str:
    lines = _answers(it)
    differing = [row for row in it.facts if len({_shown(v) for v in row.values}) > 1]
    if differing:
        lines += ["", "computed on"]
        lines += _columns(
            [["", *it.names], *([row.title, *(_shown(v, row.unit) for v in row.values)] for row in differing)]
        )
    lines += ["", *_told_of_jobs(it)]
    same = it.same_input
    lines.append(
        "inputs: "
        + ("the same bytes" if same else "not known" if same is None else "different (by SHA-256 of the image)")
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


def _told_of_jobs(it: Comparison) -> list[str]:
    if it.jobs is None:
        texts = {str(r.manifest.get("job_text", "")) for r in it.results}
        return [
            "jobs: "
            + (
                "the same text"
                if len(texts) == 1
                else "their texts differ; they are no TOML, whose keys could be named"
            )
        ]
    if not it.jobs:
        return ["jobs: no key differs"]
    table = [["", *it.names]]
    table += [[d.key, *("(not given)" if v is None else v for v in d.values)] for d in it.jobs]
    return ["jobs differ in", *_columns(table, to_the_left=True)]


def _columns(table: list[list[str]], to_the_left: bool = False) -> list[str]:
    """Lines of columns as wide as they need; the first and the last begin at the left."""
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
    """On a terminal."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


# ---- files


def csv_of(it: Comparison) -> str:
    """One line for each answer: its column name with the unit, the values, the changes."""
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
    """A value in a table for programs: all digits; empty where there is none."""
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
                "shape": _of_image(r, "shape"),
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


def _write(target: Path, text: str) -> None:
    """@throws DataError if a page of that name is not one of ours"""
    if target.suffix == ".html" and target.exists():
        with target.open("rb") as file:
            if f'content="{MARK}"'.encode() not in file.read(1000):
                raise DataError(f"'{target}' is there and is no page of `{MARK}`; choose another name by --output")
    write_whole(target, text)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="osteon compare", description=__doc__)
    parser.add_argument("--json", default="")
    parser.add_argument("--csv", default="")
    parser.add_argument("--page", default="")
    parser.add_argument("folders", nargs="+")
    given = parser.parse_args(arguments)
    if len(given.folders) < 2:
        complain("one folder: give two or more output folders of finished jobs")
        return USAGE
    tell_file_warnings()
    if given.page:
        end_without("matplotlib", "PIL")
    target = ""
    try:
        it = compare([Path(folder) for folder in given.folders])
        page = None
        if given.page or given.json:
            from .compare_fields import load_fields, statistics

            shown = load_fields(it)
            it.fields = statistics(shown)
            if given.page:
                from .compare_page import page_of

                page = page_of(it, shown)
        for target, text in (
            (given.page, page),
            (given.csv, csv_of(it) if given.csv else None),
            (given.json if given.json != "-" else "", json.dumps(json_of(it), indent=2) + "\n" if given.json else None),
        ):
            if target and text is not None:
                _write(Path(target), text)
    except DataError as e:
        complain(e)
        return DATA
    except OSError as e:
        complain(f"cannot write '{target}': {e.strerror}; choose another place, or --no-page")
        return 5
    if given.json == "-":
        print(json.dumps(json_of(it), indent=2))
    else:
        print(text_of(it), end="")
        if given.page:
            print(f"page: {given.page}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
