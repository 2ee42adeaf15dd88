"""Fields of completed jobs on one grid, and differences between these fields."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import DataError
from ..report.data import JobResult, PageField, load
from ..report.volumes import ThinField

if TYPE_CHECKING:
    from .comparison import Comparison


@dataclass
class SharedField:
    """A field that all jobs have. The members are the values in each job, and the difference between each job and the
    first job."""

    title: str
    unit: str
    fields: list[PageField]
    changes: list[ThinField]  # changes of the second and later jobs; NaN where one of the two jobs has no value


@dataclass
class Shown:
    """Content of the page for jobs on one grid. If the jobs have no common field, there are no fields."""

    loaded: list[JobResult]
    fields: list[SharedField]
    notes: list[str]


def load_fields(it: "Comparison") -> Shown:
    """Read the fields of all jobs. If the grids differ, there are no fields.

    @throws DataError if a results file is damaged
    """
    if it.grid_note:
        return Shown([], [], [it.grid_note])
    try:
        loaded = [load(r.directory) for r in it.results]
    except (TypeError, ValueError, LookupError, AttributeError, OverflowError) as e:
        raise DataError(f"the results of {', '.join(map(repr, it.names))} cannot be compared: {e!r:.120}") from None
    notes = [
        f"{name}: {note}"
        for name, result in zip(it.names, loaded, strict=True)
        for note in result.notes
        if "manifest.json" not in note
    ]
    if len({r.shape for r in loaded if r.fields}) > 1:  # the files contradict their summaries
        reported = ", ".join(f"'{n}' {r.shape}" for n, r in zip(it.names, loaded, strict=True))
        return Shown(loaded, [], [*notes, f"The fields are not subtracted: their shapes differ ({reported})."])
    by_name = [{f.name: f for f in r.fields} for r in loaded]
    shared = [_shared([fields[name] for fields in by_name]) for name in by_name[0] if all(name in f for f in by_name)]
    in_some = sorted({n for fields in by_name for n in fields} - {s.fields[0].name for s in shared})
    if in_some:
        notes.append(f"Not shown, because some jobs lack them: {', '.join(in_some)}.")
    if len({tuple(r.spacing_mm) for r in loaded}) == 1 and loaded[0].thinned > 1:
        k = loaded[0].thinned
        notes.append(f"Means over the solid voxels of blocks of {k} x {k} x {k} voxels are subtracted.")
    return Shown(loaded, shared, notes)


def _shared(fields: list[PageField]) -> SharedField:
    first = fields[0]
    title = first.title + (" (difference of the magnitudes)" if first.is_derived else "")
    return SharedField(title, first.unit, fields, [_subtracted(f.thin, first.thin) for f in fields[1:]])


def _subtracted(other: ThinField, first: ThinField) -> ThinField:
    with np.errstate(invalid="ignore"):
        change = other.values.astype("f4") - first.values.astype("f4")
    if not np.isfinite(change).any():
        return ThinField(change, 0.0, (0.0, 0.0, 0.0))
    z, y, x = np.unravel_index(int(np.nanargmax(np.abs(change))), change.shape)
    return ThinField(change, float(change[z, y, x]), (float(x) + 0.5, float(y) + 0.5, float(z) + 0.5))


def statistics(shown: Shown) -> list[dict[str, Any]]:
    """Return the root mean square (RMS) of each field in the first job. For each change, also return the RMS, the
    maximum and the position of the maximum."""
    return [
        {
            "name": f.fields[0].name,
            "title": f.title,
            "unit": f.unit,
            "rms": _rms(f.fields[0].thin.values),
            "changes": [
                {
                    "rms": _rms(c.values),
                    "largest": c.largest,
                    "at_mm": _place(shown.loaded[0], c),
                    "only_in_first": int((np.isfinite(f.fields[0].thin.values) & ~np.isfinite(c.values)).sum()),
                    "only_in_this": int((np.isfinite(f.fields[n].thin.values) & ~np.isfinite(c.values)).sum()),
                }
                for n, c in enumerate(f.changes, start=1)
            ],
        }
        for f in shown.fields
    ]


def _rms(values: np.ndarray) -> float:
    some = values[np.isfinite(values)].astype("f8")
    return float(np.sqrt(np.mean(some**2))) if some.size else 0.0


def _place(result: JobResult, change: ThinField) -> list[float]:
    """Return the position (z, y, x) of the largest change."""
    return [
        float(o + v * s * result.thinned)
        for o, v, s in zip(result.origin_mm, reversed(change.largest_at), result.spacing_mm, strict=True)
    ]
