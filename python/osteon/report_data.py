"""What a report is made of: the files of a finished job."""

import json
import re
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .errors import DataError, FileWarning
from .result_file import ResultFile


def unit_for_people(unit: str) -> str:
    """`W mm-2` and `N mm2` as W/mm² and N mm², degrees by their sign."""
    unit = re.sub(r" ([A-Za-z]+)-1\b", r"/\1", unit)
    unit = re.sub(r" ([A-Za-z]+)-([23])\b", r"/\1\2", unit)
    unit = re.sub(r"(?<=[A-Za-z])[23]\b", lambda power: "²³"[int(power[0]) - 2], unit)
    return re.sub(r"\bdeg\b", "°", unit)


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
    shown_by_case: dict[str, np.ndarray] = field(default_factory=dict)  # of several load cases; `shown` is the first

    @property
    def physics(self) -> str:
        return str(self.summary.get("physics", ""))

    @property
    def field_name(self) -> tuple[str, str, str]:
        """Name in the file, name in words, unit. An older version of the program did not write the words."""
        told = self.summary.get("shown", {})
        name = str(told.get("field", ""))
        if self.cases:  # fields of several cases end with the name of theirs
            name = name.removesuffix(f"_{self.cases[0]}")
        return name, str(told.get("title", name)), unit_for_people(str(told.get("units", "1")))

    @property
    def cases(self) -> list[str]:
        """Names of the load cases, if there are several."""
        return [str(case.get("name")) for case in self.summary.get("cases", [])]

    @property
    def origin_mm(self) -> list[float]:
        """Low corner of the image, from where a job counts its positions; of a crop, where it lies in the image."""
        return list(self.summary.get("image", {}).get("origin_mm") or [0.0, 0.0, 0.0])

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
        """Range of the slices: from nothing, as a slice hides nothing behind its low values; but of a temperature."""
        low, high = self.field_range
        return (low, high) if self.field_name[0] == "temperature" else (min(low, 0.0), high)


def load(directory: Path) -> JobResult:
    """Read what is there. Only summary.json is indispensable; for the rest a note says what is missing and why.

    @throws DataError if there is no readable summary
    """
    path = directory / "summary.json"
    try:
        summary = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataError(f"'{path}' is not there; give the output directory of a finished job") from None
    except (OSError, ValueError, RecursionError) as e:
        raise DataError(f"'{path}' cannot be read: {e}; run the job again") from None
    if not isinstance(summary, dict) or not str(summary.get("schema", "")).startswith("osteon.summary/1"):
        raise DataError(f"'{path}' has not the schema osteon.summary/1; run the job again with this version")
    try:
        manifest = json.loads((directory / "manifest.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        manifest = {}
    result = JobResult(directory, summary, manifest)
    if not manifest:
        result.notes.append("manifest.json is missing, so machine, versions and job file are not shown.")
    _load_fields(result)
    _load_scan(result)
    return result


def _load_fields(result: JobResult) -> None:
    """@throws DataError if the file of the fields is damaged: then the numbers are not to be trusted either"""
    path = result.directory / "results.nc"
    if not path.exists():
        result.notes.append("results.nc is missing, so there are no slices of the field and no histogram.")
        return
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", FileWarning)
        with ResultFile(path) as cells:
            result.solid = cells["material"] != 0
            name = result.field_name[0]
            if not name:
                result.notes.append("summary.json names no field to show, so there are no slices and no histogram.")
                return
            names = {case: f"{name}_{case}" for case in result.cases} or {"": name}
            name = next(iter(names.values()))
            if name not in cells:
                result.notes.append(
                    f"The results do not hold '{name}', so there are no slices of it and no histogram; "
                    "name it in output.fields."
                )
            for case, name in names.items():
                if name not in cells:
                    continue
                values = np.where(result.solid, cells[name].astype("f4", copy=False), np.nan)
                if result.shown is None:
                    result.shown = values
                if case:
                    result.shown_by_case[case] = values
    for warning in told:
        result.notes.append(f"{warning.message}.")
        warnings.warn(str(warning.message), warning.category, stacklevel=2)


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
