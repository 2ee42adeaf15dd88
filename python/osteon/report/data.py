"""Input of a report: the files of a completed job."""

import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import DataError, FileWarning
from ..results.cluster_parts import ClusterParts, MissingPartError, open_results, results_exist
from ..results.documents import Documents, documents
from ..results.result_file import ResultFile
from ..results.unit_for_people import unit_for_people
from .deformation import CoarseDisplacement, Deformation
from .volumes import ScanCodes, ThinField, magnitudes, scan_codes, solid_share, thin_field, thinning


@dataclass
class PageField:
    """A field that the page displays."""

    name: str  # name of the field in the file
    title: str
    unit: str
    thin: ThinField
    limits: tuple[float, float] | None = None  # limits of the colours; None: the values determine the limits
    case: str = ""  # name of the load case
    # True for the magnitude of a vector; the file does not contain the maximum of the magnitude
    is_derived: bool = False


LONGEST_TEXT = 4096  # maximum number of characters; this is the length of the longest path
LONGEST_JOB = 1 << 20
MOST_DEFORMATIONS = 6  # maximum number of load cases with a deformed shape in the report


@dataclass
class JobResult(Documents):
    """Output of a job. Volumes have the shape (z, y, x). Large volumes are thinned."""

    fields: list[PageField] = field(default_factory=list)  # fields of each load case; the field of the picture is first
    share: np.ndarray | None = None  # solid fraction from 0 to 255
    scan: ScanCodes | None = None
    deformations: dict[str, Deformation] = field(
        default_factory=dict
    )  # deformation of each load case; the key is "" without load cases
    thinned: int = 1  # number of voxels along the edge of the blocks that are merged on the page
    shape: tuple[int, int, int] = (0, 0, 0)  # shape before thinning

    @property
    def page_shape(self) -> tuple[int, int, int]:
        z, y, x = (-(-n // self.thinned) for n in self.shape)
        return z, y, x

    @property
    def shown(self) -> ThinField | None:
        """Field of the picture in the first load case."""
        name = self.field_name[0]
        chosen = [f for f in self.fields if f.name == name or (f.case and f.name == f"{name}_{f.case}")]
        return chosen[0].thin if chosen else None

    @property
    def field_range(self) -> tuple[float, float]:
        """Range of the colour bar. The range is that of the picture; without a picture, the range ends at the 98th
        percentile."""
        reported = self.summary.get("shown", {})
        if reported.get("high"):
            return float(reported.get("low", 0.0)), float(reported["high"])
        if self.shown is None or not self.shown.has_values:
            return 0.0, 1.0
        return 0.0, self.shown.percentiles(98)[0] or 1.0


def load(directory: Path) -> JobResult:
    """Read the available files. Only summary.json is required. For each other missing file, the notes contain the
    reason.

    @throws DataError if no summary can be read
    """
    result = JobResult(**vars(documents(directory)))
    result.summary, result.manifest = (shortened(d) for d in (result.summary, result.manifest))
    _load_fields(result)
    _load_scan(result)
    return result


def shortened(document: Any, name: str = "") -> Any:
    """Shorten the texts of a document to a readable length. Figures and tables then remain small."""
    if isinstance(document, dict):
        return {str(key)[:LONGEST_TEXT]: shortened(inner, key) for key, inner in document.items()}
    if isinstance(document, list):
        return [shortened(inner) for inner in document]
    most = LONGEST_JOB if name == "job_text" else LONGEST_TEXT
    if isinstance(document, str) and len(document) > most:
        return f"{document[:most]} ... ({len(document) - most} more characters)"
    return document


def _load_fields(result: JobResult) -> None:
    """@throws DataError if the file with the fields is damaged, because the answers are then not reliable either"""
    path = result.directory / "results.nc"
    if not results_exist(path):
        result.notes.append("results.nc is missing, so there are no slices of the field and no histogram.")
        return
    with warnings.catch_warnings(record=True) as reported:
        warnings.simplefilter("always", FileWarning)
        try:
            opened = open_results(path)
        except MissingPartError as e:
            result.notes.append(f"There are no slices of the field and no histogram: {e}.")
            return
        with opened as file:
            z, y, x = file.variables["material"][0].shape
            result.shape = (int(z), int(y), int(x))
            result.thinned = thinning(result.shape)
            result.share = solid_share(file.planes("material"), result.shape, result.thinned)
            name = result.field_name[0]
            wanted = [f"{name}_{case}" for case in result.cases] or [name]
            if not name:
                result.notes.append("summary.json names no field to show, so there is no histogram.")
            elif wanted[0] not in file:
                result.notes.append(
                    f"The results do not contain '{name}', so there are no slices of it and no histogram; "
                    "add it to output.fields."
                )
            # fields of cells are first
            others = sorted(set(file) - {"material", *wanted}, key=lambda n: (file.variables[n][1], n))
            moving = {f"displacement_{case}" if case else "displacement": case for case in _deformed_cases(result)}
            for each in [*(n for n in wanted if n in file), *others]:
                moves = CoarseDisplacement(result.shape) if each in moving else None
                if (made := _page_field(result, file, each, moves)) is not None:
                    result.fields.append(made)
                if moves is not None and (moved := moves.result()) is not None:
                    result.deformations[moving[each]] = moved
    for warning in reported:
        result.notes.append(f"{warning.message}.")
        warnings.warn(str(warning.message), warning.category, stacklevel=2)


def _deformed_cases(result: JobResult) -> list[str]:
    return result.cases[:MOST_DEFORMATIONS] or [""]


def _page_field(
    result: JobResult, file: ResultFile | ClusterParts, name: str, moves: CoarseDisplacement | None = None
) -> PageField | None:
    """Return a scalar field or the magnitude of a vector. For tensors, the result is None, because the invariants of
    tensors are separate fields.

    @param moves object that receives the planes of a vector
    """
    variable, on_nodes = file.variables[name]
    components = int(variable.shape[3]) if len(variable.shape) == 4 else 1
    if components not in (1, 3) or (on_nodes and components == 1):
        return None
    base, title, unit = result.field_name
    case = next((c for c in result.cases if name.endswith(f"_{c}")), "")
    is_shown = bool(base) and name == (f"{base}_{case}" if case else base)
    if not is_shown:
        title = str(getattr(variable, "long_name", name))
        unit = unit_for_people(str(getattr(variable, "units", "1")))
        title = title.removesuffix(f", case {case}").split(" at the voxel")[0]
    planes = file.planes(name) if moves is None else moves.pass_through(file.planes(name))
    if components == 3:
        planes, title = magnitudes(planes, on_nodes), f"{title}, magnitude"
    elif not np.issubdtype(variable.dtype, np.floating):
        planes = ((first, group.astype("f4")) for first, group in planes)
    if case:
        title += f" ({case})"
    thin = thin_field(planes, result.shape, result.thinned)
    if not thin.has_values:
        return None
    reported = result.summary.get("shown", {})
    limits = None
    if is_shown and reported.get("high"):
        low, high = float(reported.get("low", 0.0)), float(reported["high"])
        # The range begins at 0, because slices have no occlusion. Temperatures are an exception, because temperatures
        # are far from 0.
        limits = (low if float(thin.sorted_values[0]) >= 0.2 * high else min(low, 0.0), high)
    return PageField(name, title, unit, thin, limits, case, components == 3)


def _load_scan(result: JobResult) -> None:
    from ..images.read_image import read_image

    image = result.summary.get("image", {})
    if "path" not in image:
        return
    try:
        values = read_image(str(image["path"]), "missing_chunks" in image).values
    except DataError as e:
        result.notes.append(f"The scan is not shown: {e}.")
        return
    if crop := image.get("crop_voxels"):
        values = values[tuple(slice(int(a), int(b)) for a, b in crop)]
    if result.share is None:
        z, y, x = values.shape
        result.shape, result.thinned = (z, y, x), thinning(values.shape)
    elif values.shape != result.shape:
        result.notes.append(
            f"The scan is not shown: it now has shape {values.shape}, but the results have {result.shape}."
        )
        return
    result.scan = scan_codes(values, result.thinned)
