"""What a report is made of: the files of a finished job."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .errors import DataError

FIELDS = {
    "sed": ("strain energy density", "MPa"),
    "von_mises": ("von Mises stress", "MPa"),
    "effective_strain": ("effective strain", "1"),
    "heat_flux": ("heat flux density", "W/mm²"),
}


@dataclass
class JobResult:
    """A job's output. Volumes have shape (z, y, x)."""

    directory: Path
    summary: dict[str, Any]
    manifest: dict[str, Any]
    shown: np.ndarray | None = None
    solid: np.ndarray | None = None
    scan: np.ndarray | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def physics(self) -> str:
        return str(self.summary.get("physics", "elasticity"))

    @property
    def field_name(self) -> tuple[str, str, str]:
        """Name in the file, name in words, unit."""
        name = self.summary.get("shown", {}).get("field")
        if name not in FIELDS:
            name = "heat_flux" if self.physics == "heat" else "sed"
        return (name, *FIELDS[name])

    @property
    def spacing_mm(self) -> list[float]:
        return list(self.summary.get("image", {}).get("spacing_mm") or [1.0, 1.0, 1.0])

    @property
    def field_range(self) -> tuple[float, float]:
        """Range of the colour bar: that of the picture, else up to the 98th percentile."""
        told = self.summary.get("shown", {})
        if told.get("high"):
            return float(told.get("low", 0.0)), float(told["high"])
        if self.shown is None or not np.isfinite(self.shown).any():
            return 0.0, 1.0
        return 0.0, float(np.nanpercentile(self.shown, 98)) or 1.0

    @property
    def slice_range(self) -> tuple[float, float]:
        """Range of the slices: from nothing, because a slice hides nothing behind its low values."""
        low, high = self.field_range
        return min(low, 0.0), high


def load(directory: Path) -> JobResult:
    """Read what is there. Only summary.json is indispensable; for the rest a note says what is missing and why.

    @throws DataError if there is no readable summary
    """
    path = directory / "summary.json"
    try:
        summary = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataError(f"'{path}' is not there; give the output directory of a finished job") from None
    except (OSError, ValueError) as e:
        raise DataError(f"'{path}' cannot be read: {e}; run the job again") from None
    if not isinstance(summary, dict) or not str(summary.get("schema", "")).startswith("osteon.summary/1"):
        raise DataError(f"'{path}' has not the schema osteon.summary/1; run the job again with this version")
    try:
        manifest = json.loads((directory / "manifest.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        manifest = {}
    result = JobResult(directory, summary, manifest)
    if not manifest:
        result.notes.append("manifest.json is missing, so machine, versions and job file are not shown.")
    _load_fields(result)
    _load_scan(result)
    return result


def _load_fields(result: JobResult) -> None:
    import netCDF4

    try:
        with netCDF4.Dataset(result.directory / "results.nc") as file:
            file.set_auto_mask(False)
            cells = file["VTKHDF/CellData"]
            result.solid = np.asarray(cells["material"][:]) != 0
            name = result.field_name[0]
            if name not in cells.variables:
                result.notes.append(
                    f"The results do not hold '{name}', so there are no slices of it and no histogram; "
                    "name it in output.fields."
                )
                return
            values = np.asarray(cells[name][:], dtype="f4")
            result.shown = np.where(result.solid, values, np.nan)
    except (OSError, LookupError, ValueError) as e:
        result.notes.append(f"results.nc cannot be read ({e}), so there are no slices of the field and no histogram.")


def _load_scan(result: JobResult) -> None:
    from .read_image import read_image

    image = result.summary.get("image", {})
    if "path" not in image:
        return
    try:
        values = read_image(str(image["path"])).values
    except DataError as e:
        result.notes.append(f"The scan is not shown: {e}.")
        return
    if crop := image.get("crop_voxels"):
        values = values[tuple(slice(int(a), int(b)) for a, b in crop)]
    if result.solid is not None and values.shape != result.solid.shape:
        result.notes.append(
            f"The scan is not shown: it now has shape {values.shape}, but the results have {result.solid.shape}."
        )
        return
    result.scan = values
