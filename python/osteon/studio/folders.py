"""Access control. The studio reads and writes only in the opened folders and their subfolders."""

from pathlib import Path

from ..errors import DataError
from ..images.read_image import READERS
from ..images.zarr_reader import is_zarr

JOB, SCRIPTS = ".toml", (".studio",)
IMAGES = tuple(ending for endings, _ in READERS for ending in endings)
MOST_ENTRIES = 500


class Outside(DataError):  # noqa: N818 (an error by its base)
    """A path outside of the opened folders."""


class Folders:
    """The opened folders. Links in paths are resolved before paths are compared."""

    def __init__(self, *opened: Path) -> None:
        self.opened = [p.resolve() for p in opened]

    def below(self, text: str | Path) -> Path:
        """Return an absolute path to which access is allowed. @throws Outside; DataError for a loop of links or a NUL
        character"""
        path = Path(text)
        try:
            path = (path if path.is_absolute() else self.opened[0] / path).resolve()
        except (OSError, RuntimeError, ValueError) as e:
            raise DataError(f"'{str(text)[:200]}' is not a path: {e}") from None
        if not any(path == folder or folder in path.parents for folder in self.opened):
            raise Outside(
                f"'{text}' is outside of {', '.join(map(str, self.opened))}; start `osteon studio` in a parent folder"
            )
        return path

    def listed(self) -> list[dict[str, str]]:
        """Return the scans, jobs and results of the first folder. The latest entries are first."""
        found = []
        for path in sorted(self.opened[0].iterdir(), key=lambda p: -_time_of(p))[:MOST_ENTRIES]:
            if kind := kind_of(path):
                found.append({"path": path.name, "kind": kind})
        return found


def kind_of(path: Path) -> str:
    """Return `scan`, `job` or `results`. For other files, return an empty string."""
    name = path.name.lower()
    if name.startswith("."):
        return ""
    if path.is_dir():
        return "results" if (path / "summary.json").is_file() else "scan" if is_zarr(path) else ""
    if name.endswith(JOB):
        return "job"
    return "scan" if name.endswith(IMAGES) or ".isq" in name or ".aim" in name else ""


def _time_of(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
