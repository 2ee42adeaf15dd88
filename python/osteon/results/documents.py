"""What a finished job says of itself: its summary and its manifest."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import DataError
from .unit_for_people import unit_for_people


@dataclass
class Documents:
    """The numbers of a job. `manifest` is empty where the file is missing, which `notes` say."""

    directory: Path
    summary: dict[str, Any]
    manifest: dict[str, Any]
    notes: list[str] = field(default_factory=list)

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


def documents(directory: Path) -> Documents:
    """Read the documents in the folder of a job. Only summary.json is indispensable.

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
    result = Documents(directory, summary, manifest)
    if not manifest:
        result.notes.append("manifest.json is missing, so machine, versions and job file are not shown.")
    return result
