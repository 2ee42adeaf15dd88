"""Documents of a completed job: summary and manifest."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import DataError, MachineError
from .unit_for_people import unit_for_people


@dataclass
class Documents:
    """Summary and manifest of a job. If the file is missing, `manifest` is empty, and `notes` contains the missing
    file."""

    directory: Path
    summary: dict[str, Any]
    manifest: dict[str, Any]
    notes: list[str] = field(default_factory=list)

    @property
    def physics(self) -> str:
        return str(self.summary.get("physics", ""))

    @property
    def field_name(self) -> tuple[str, str, str]:
        """Return name in the file, title and unit. Earlier versions of the program did not write the title."""
        reported = self.summary.get("shown", {})
        name = str(reported.get("field", ""))
        if self.cases:  # with several cases, the name of a field ends with the name of its case
            name = name.removesuffix(f"_{self.cases[0]}")
        return name, str(reported.get("title", name)), unit_for_people(str(reported.get("units", "1")))

    @property
    def cases(self) -> list[str]:
        """Names of the load cases, if there are several load cases."""
        return [str(case.get("name")) for case in self.summary.get("cases", [])]

    @property
    def origin_mm(self) -> list[float]:
        """Low corner of the image. This corner is the origin of positions in the job. For a cropped image, this value
        is the position of the crop in the whole image."""
        return list(self.summary.get("image", {}).get("origin_mm") or [0.0, 0.0, 0.0])

    @property
    def spacing_mm(self) -> list[float]:
        return list(self.summary.get("image", {}).get("spacing_mm") or [1.0, 1.0, 1.0])


def _unreadable(path: Path, e: OSError) -> MachineError:
    return MachineError(f"'{path}' cannot be read: {e.strerror or e}; check the disk and the permissions")


def well_formed(value: Any) -> Any:
    """Escape halves of surrogate pairs in the strings of a JSON value, because UTF-8 cannot represent these halves."""
    if isinstance(value, str):
        return value.encode(errors="backslashreplace").decode()
    if isinstance(value, dict):
        return {well_formed(key): well_formed(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [well_formed(inner) for inner in value]
    return value


def documents(directory: Path) -> Documents:
    """Read the documents in the folder of a job. Only summary.json is required.

    @throws DataError if the summary is missing or damaged; MachineError if the disk fails
    """
    path = directory / "summary.json"
    try:
        summary = well_formed(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise DataError(f"no summary: '{path}'; pass the output directory of a completed job") from None
    except (ValueError, RecursionError) as e:
        raise DataError(f"'{path}' cannot be read: {e}; run the job again") from None
    except OSError as e:
        raise _unreadable(path, e) from None
    if not isinstance(summary, dict) or not str(summary.get("schema", "")).startswith("osteon.summary/1"):
        raise DataError(f"'{path}': schema is not osteon.summary/1; run the job again with this version")
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
