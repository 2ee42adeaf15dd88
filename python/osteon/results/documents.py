"""What a finished job says of itself: its summary and its manifest."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import DataError, MachineError
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


def _unreadable(path: Path, e: OSError) -> MachineError:
    return MachineError(f"'{path}' cannot be read: {e.strerror or e}; check the disk and the permissions")


def well_formed(value: Any) -> Any:
    """A value of JSON whose texts have no halves of surrogate pairs, which UTF-8 cannot encode: they are escaped."""
    if isinstance(value, str):
        return value.encode(errors="backslashreplace").decode()
    if isinstance(value, dict):
        return {well_formed(key): well_formed(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [well_formed(inner) for inner in value]
    return value


def documents(directory: Path) -> Documents:
    """Read the documents in the folder of a job. Only summary.json is indispensable.

    @throws DataError if there is no summary, or a damaged one; MachineError if the disk fails
    """
    path = directory / "summary.json"
    try:
        summary = well_formed(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise DataError(f"'{path}' is not there; give the output directory of a finished job") from None
    except (ValueError, RecursionError) as e:
        raise DataError(f"'{path}' cannot be read: {e}; run the job again") from None
    except OSError as e:
        raise _unreadable(path, e) from None
    if not isinstance(summary, dict) or not str(summary.get("schema", "")).startswith("osteon.summary/1"):
        raise DataError(f"'{path}' has not the schema osteon.summary/1; run the job again with this version")
    try:
        manifest = well_formed(json.loads((directory / "manifest.json").read_text(encoding="utf-8")))
    except (FileNotFoundError, ValueError, RecursionError):
        manifest = {}
    except OSError as e:
        raise _unreadable(directory / "manifest.json", e) from None
    result = Documents(directory, summary, manifest)
    if not manifest:
        result.notes.append("manifest.json is missing, so machine, versions and job file are not shown.")
    return result
