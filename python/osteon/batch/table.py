"""Outcomes of the items of a batch, and table of the outcomes. The table has one row for each item, including failed
items."""

import csv
import io
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import Error, printable
from ..results.answer_values import Value, shape_of, uncertainties_of, values_of
from ..results.documents import Documents, documents
from .items import Item
from .task_queue import last_attempt

DONE, NOT_CONVERGED, FAILED, STOPPED, WAITING = "done", "not converged", "failed", "stopped", "waiting"
STOP_CODES = (75, 130, 143)


@dataclass
class Outcome:
    """State of an item. The log and the output folder determine the state."""

    item: Item
    folder: Path  # folder with the results of the item
    log: Path
    status: str
    reason: str = ""
    code: int | None = None
    result: Documents | None = None  # results if the item is complete
    computed_on: list[Value] = field(default_factory=list)
    answers: list[Value] = field(default_factory=list)

    @property
    def values(self) -> list[Value]:
        return self.computed_on + self.answers


def outcome_of(item: Item, folder: Path, log: Path) -> Outcome:
    try:
        code, lines = last_attempt(log)
    except OSError:
        return Outcome(item, folder, log, WAITING, "not started")
    if code is None:
        return Outcome(
            item, folder, log, STOPPED, "terminated, or still running; the next run of the batch continues it"
        )
    if code != 0:
        status = STOPPED if code in STOP_CODES else NOT_CONVERGED if code == 4 else FAILED
        return Outcome(item, folder, log, status, _fault(lines) or f"exit code {code}", code)
    try:
        result = documents(folder)
        computed_on = _computed_on(result)
        answers = values_of(result.summary) + uncertainties_of(result.summary) + shape_of(result.summary)
    except Error as e:
        return Outcome(item, folder, log, FAILED, str(e), code)
    except (TypeError, ValueError, LookupError, AttributeError) as e:
        return Outcome(item, folder, log, FAILED, f"summary.json lacks required content ({e!r:.120})", code)
    return Outcome(item, folder, log, DONE, "", code, result, computed_on, answers)


def _fault(lines: list[str]) -> str:
    """Return the error message of the program, as one line."""
    first = next((n for n, line in enumerate(lines) if line.startswith("osteon: ")), max(0, len(lines) - 1))
    return printable(" ".join(" ".join(lines[first:]).split()).removeprefix("osteon: "))


def _computed_on(result: Documents) -> list[Value]:
    """Return measures of quality of the image, the solid and the solver."""
    s = result.summary
    image, solid, proof = s.get("image", {}), s.get("segmentation", {}), s.get("certificate", {})
    rows = [
        Value("elements", "", "elements", "", s.get("elements")),
        Value("segmentation.volume_fraction", "", "solid volume fraction", "", solid.get("volume_fraction")),
        Value("segmentation.threshold", "", "threshold", str(image.get("unit") or ""), solid.get("threshold")),
    ]
    rows += [
        Value(f"image.spacing_mm.{axis}", "", f"voxel size {axis}", "mm", size)
        for axis, size in zip("zyx", image.get("spacing_mm") or [], strict=False)
    ]
    rows.append(
        Value(
            "certificate.true_relative_residual", "", "true relative residual", "", proof.get("true_relative_residual")
        )
    )
    return [row for row in rows if row.value is not None]


def columns_of(outcomes: list[Outcome]) -> list[Value]:
    """Return the columns of all items in the order of their first occurrence. The answers are last."""
    found: dict[str, Value] = {}
    for kind in ("computed_on", "answers"):
        for outcome in outcomes:
            for value in getattr(outcome, kind):
                found.setdefault(value.column, value)
    return list(found.values())


def csv_of(outcomes: list[Outcome], digits: int | None = None) -> str:
    """Write the table. Equal results produce equal bytes. If an item is incomplete, the cells of its answers are empty.

    @param digits number of significant digits in the largest component of a vector or tensor; None: all digits
    """
    columns = [v.column for v in columns_of(outcomes)]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["item", "job", "image", "status", "reason", *columns])
    for o in outcomes:
        own = {v.column: _cell(v, digits) for v in (o.values if digits is None else _rounded(o.values, digits))}
        writer.writerow([o.item.name, o.item.job, o.item.image, o.status, o.reason, *(own.get(c, "") for c in columns)])
    return out.getvalue()


def _rounded(values: list[Value], digits: int) -> list[Value]:
    """Round to a number of digits. All components of a vector or tensor have the same absolute precision."""

    def whole(v: Value) -> tuple[str, str]:
        parts = v.key.split(".")
        while len(parts) > 1 and (parts[-1] in ("z", "y", "x") or parts[-1].isdecimal()):
            parts.pop()
        return v.case, ".".join(parts)

    largest: dict[tuple[str, str], float] = {}
    for v in values:
        if isinstance(v.value, float) and math.isfinite(v.value):
            largest[whole(v)] = max(largest.get(whole(v), 0.0), abs(v.value))

    def rounded(v: Value) -> Value:
        scale = largest.get(whole(v), 0.0)
        if not isinstance(v.value, float) or not math.isfinite(v.value) or scale == 0:
            return v
        # this addition removes the sign of -0
        return v._replace(value=round(v.value, digits - 1 - math.floor(math.log10(scale))) + 0.0)

    return [rounded(v) for v in values]


def _cell(v: Value, digits: int | None) -> str:
    value = v.value
    if value is None:
        return "inf"  # in JSON, the tortuosity without a conducting path is null
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value) if digits is None else f"{value:.{digits}g}"
    return str(value)


def json_of(outcomes: list[Outcome], folder: Path) -> dict[str, Any]:
    counts = {status: sum(o.status == status for o in outcomes) for status in _STATUSES}
    return {
        "schema": "osteon.batch/1",
        "folder": str(folder),
        "counts": {status.replace(" ", "_"): n for status, n in counts.items()},
        "columns": [
            {"name": v.column, "key": v.key, "case": v.case, "title": v.title, "unit": v.unit}
            for v in columns_of(outcomes)
        ],
        "items": [
            {
                "name": o.item.name,
                "job": o.item.job,
                "image": o.item.image,
                "status": o.status,
                "reason": o.reason,
                "exit_code": o.code,
                "folder": str(o.folder),
                "values": {v.column: v.value for v in o.values},
            }
            for o in outcomes
        ],
    }


_STATUSES = (DONE, NOT_CONVERGED, FAILED, STOPPED, WAITING)
