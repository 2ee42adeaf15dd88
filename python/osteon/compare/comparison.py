"""Comparison of completed jobs. The comparison contains answers and their changes, models, and keys that differ between
the jobs."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..errors import DataError
from ..results.answer_values import values_of
from ..results.documents import Documents, documents
from .jobs import Difference, differences

MARK = "osteon compare"  # this text marks pages that the program may replace


@dataclass
class Row:
    """One answer of all jobs. If the value in JSON is null, the value is None. If a job does not have the answer, the
    value is MISSING."""

    key: str
    case: str
    title: str
    unit: str
    column: str
    values: list[Any]

    def change(self, n: int) -> tuple[float, float | None] | None:
        """Return the absolute change and the relative change between the first job and job n. The reference of the
        relative change is the magnitude of the first value. Both changes therefore have the same sign.

        If the first value is 0, the relative change is None. Unless both values are numbers, the result is None.
        """
        first, other = self.values[0], self.values[n]
        if not (_is_number(first) and _is_number(other)):
            return None
        return other - first, (other - first) / abs(first) if first else None

    @property
    def name(self) -> str:
        return f"{self.case}: {self.title}" if self.case else self.title


MISSING = object()

# The sign of a strength is the sign of its load. The comparison therefore uses magnitudes.
STRENGTHS = frozenset(
    [
        "pistoia.failure_load_N",
        "pistoia.failure_moment_N_mm",
        *(
            f"{at}.{quantity}"
            for at in ("first_yield", "yield_offset", "ultimate")
            for quantity in ("force_N", "moment_N_mm")
        ),
    ]
)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


@dataclass
class Comparison:
    names: list[str]
    results: list[Documents]
    rows: list[Row]
    facts: list[Row]  # properties of the image, the solid and the solver
    jobs: list[Difference] | None  # None: the text is not valid TOML, and its keys cannot be compared
    inputs: list[str]  # names of inputs with different digests; empty if unknown
    grid_note: str = ""  # reason why fields are not subtracted; empty: the grids are equal
    fields: list[dict[str, Any]] = field(default_factory=list)

    @property
    def same_input(self) -> bool | None:
        return None if not all(self.inputs) else len(set(self.inputs)) == 1


def compare(folders: list[Path]) -> Comparison:
    """@throws DataError if a folder has no results, if results are damaged, or if the jobs have different physics"""
    results = [_documents(folder) for folder in folders]
    names = names_of(folders)
    kinds = [r.physics for r in results]
    if len(set(kinds)) > 1:
        reported = ", ".join(f"'{n}' {k}" for n, k in zip(names, kinds, strict=True))
        raise DataError(f"cannot compare jobs of different physics: {reported}")
    try:
        rows = _rows([{(v.case, v.key): v for v in values_of(r.summary)} for r in results])
        facts = _facts(results)
    except (TypeError, ValueError, LookupError, AttributeError) as e:
        raise DataError(
            f"a summary.json of {', '.join(map(repr, names))} lacks required content ({e!r:.120})"
        ) from None
    inputs = [str(r.manifest.get("input_sha256", "")) for r in results]
    return Comparison(
        names, results, rows, facts, differences([r.manifest for r in results]), inputs, _grid_note(results, names)
    )


def _documents(folder: Path) -> Documents:
    if not folder.exists():
        raise DataError(f"no folder '{folder}'; pass output folders of completed jobs")
    if not folder.is_dir():
        raise DataError(f"'{folder}' is a file; pass the output folder that contains it")
    return documents(folder)


def names_of(folders: list[Path]) -> list[str]:
    """Return the shortest unique names. A name consists of the last components of a path."""
    parts = [folder.absolute().parts for folder in folders]
    depth = 1
    while depth < max(map(len, parts)) and len({p[-depth:] for p in parts}) < len(set(parts)):
        depth += 1
    return [str(Path(*p[-depth:])) for p in parts]


def _rows(found: list[dict[tuple[str, str], Any]]) -> list[Row]:
    keys: dict[tuple[str, str], Any] = {}
    for values in found:
        keys |= {key: v for key, v in values.items() if key not in keys}
    rows = [
        Row(v.key, v.case, v.title[:1].upper() + v.title[1:], v.unit, v.column,
            [values[key].value if key in values else MISSING for values in found])
        for key, v in keys.items()
    ]  # fmt: skip
    return [_magnitudes(row) if row.key in STRENGTHS else row for row in rows]


def _magnitudes(row: Row) -> Row:
    if not any(_is_number(v) and v < 0 for v in row.values):
        return row
    values = [abs(v) if _is_number(v) else v for v in row.values]
    return replace(row, title=f"{row.title}, magnitude", values=values)


FACTS = (
    ("image.shape", "voxels (z, y, x)", ""),
    ("image.spacing_mm", "voxel size (z, y, x)", "mm"),
    ("segmentation.threshold", "threshold", ""),
    ("segmentation.volume_fraction", "solid volume fraction", ""),
    ("elements", "elements", ""),
    ("certificate.true_relative_residual", "true relative residual", ""),
    ("status", "status", ""),
)


def _facts(results: list[Documents]) -> list[Row]:
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


def _grid_note(results: list[Documents], names: list[str]) -> str:
    """Return the reason why fields cannot be subtracted voxel by voxel. If a subtraction is possible, the text is
    empty."""
    first = results[0]
    for result, name in zip(results[1:], names[1:], strict=True):
        for title, a, b, unit in (
            ("shape", of_image(first, "shape"), of_image(result, "shape"), "voxels"),
            ("voxel size", first.spacing_mm, result.spacing_mm, "mm"),
            ("origin", first.origin_mm, result.origin_mm, "mm"),
        ):
            scale = max((abs(float(v)) for v in first.spacing_mm), default=1.0)
            if len(a) != len(b) or any(abs(float(x) - float(y)) > 1e-6 * scale for x, y in zip(a, b, strict=True)):
                return (
                    f"The fields are not subtracted: the {title} of '{name}' is {_listed(b)} {unit} (z, y, x), that of "
                    f"'{names[0]}' {_listed(a)} {unit}. Only answers are compared."
                )
    return ""


def of_image(result: Documents, key: str) -> list[Any]:
    return list(result.summary.get("image", {}).get(key) or [])


def _listed(values: list[Any]) -> str:
    return " x ".join(f"{v:g}" if isinstance(v, float) else str(v) for v in values)
