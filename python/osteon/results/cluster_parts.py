"""Results of a job on several clusters (`osteon join`). Each cluster writes a file. This module reads all files as one
file.

Each cluster writes its planes to a file: results.0.nc, results.1.nc and so on. Both files contain the nodes between two
clusters.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import DataError
from .result_file import ResultFile


class MissingPartError(DataError):
    """A part of the results is on the file system of another cluster."""


@dataclass
class JoinedVariable:
    """Metadata of a field in all parts, without values."""

    shape: tuple[int, ...]
    dtype: np.dtype
    units: str
    long_name: str


def part_path(path: Path, index: int) -> Path:
    """For example, return `results.1.nc` for `results.nc` and cluster 1."""
    return path.with_name(f"{path.stem}.{index}{path.suffix}")


def results_exist(path: Path) -> bool:
    """Return True if results with this name exist as one file or as parts."""
    return path.exists() or part_path(path, 0).exists()


def open_results(path: Path) -> "ResultFile | ClusterParts":
    """Open a file of osteon. If the file does not exist, open the parts of the clusters.

    @throws MissingPartError if a part is missing in the folder @throws DataError in the cases of ResultFile
    """
    if not path.exists() and part_path(path, 0).exists():
        return ClusterParts(path)
    return ResultFile(path)


class ClusterParts:
    """All parts of a job's results, with the interface of a ResultFile.

    @throws MissingPartError if a part is missing @throws DataError in the cases of ResultFile
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.parts: list[ResultFile] = []
        try:
            self.parts.append(ResultFile(part_path(path, 0)))
            count = self._count()
            for index in range(1, count):
                if not (part := part_path(path, index)).is_file():
                    raise MissingPartError(
                        f"'{part}' is missing: each of the {count} clusters wrote its planes to a separate file; "
                        "copy all of them to this folder"
                    )
                self.parts.append(ResultFile(part))
            self.variables = {
                name: (self._joined(name), on_nodes) for name, (_, on_nodes) in self._first.variables.items()
            }
        except BaseException:
            self.close()
            raise

    @property
    def _first(self) -> ResultFile:
        return self.parts[0]

    @property
    def file(self) -> Any:
        """Return the file of the first part. The origin of this file is the origin of the whole image."""
        return self._first.file

    def _count(self) -> int:
        reported = str(getattr(self.file, "parts", ""))
        if reported.isdecimal() and 1 < int(reported) <= 65536:
            return int(reported)
        raise DataError(
            f"'{self._first.path}' does not state the number of its parts; read them one by one, or run the job again"
        )

    def _joined(self, name: str) -> JoinedVariable:
        known = [part.variables[name] for part in self.parts if name in part.variables]
        shapes = [tuple(int(n) for n in v.shape) for v, _ in known]
        if len(known) != len(self.parts) or len({s[1:] for s in shapes}) != 1:
            raise DataError(f"the parts of '{self.path}' are from different runs: '{name}' differs; run the job again")
        first, on_nodes = known[0]
        planes = sum(s[0] for s in shapes) - (len(shapes) - 1 if on_nodes else 0)
        return JoinedVariable(
            (planes, *shapes[0][1:]),
            np.dtype(first.dtype),
            str(getattr(first, "units", "1")),
            str(getattr(first, "long_name", name)),
        )

    def __enter__(self) -> "ClusterParts":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        for part in self.parts:
            part.file.close()

    def __contains__(self, name: str) -> bool:
        return name in self.variables

    def __iter__(self) -> Iterator[str]:
        return iter(self.variables)

    def __getitem__(self, name: str) -> np.ndarray:
        """Return a field with shape (z, y, x) or (z, y, x, components). @throws DataError if the field is missing or
        damaged"""
        return np.concatenate([group for _, group in self.planes(name)])

    def planes(self, name: str) -> Iterator[tuple[int, np.ndarray]]:
        """Return the field a few planes at a time, as in ResultFile.planes.

        A plane of nodes between two clusters is merged from both files. At nodes that only voxels of the other cluster
        use, the value in each file is NaN.
        """
        if name not in self.variables:
            raise DataError(f"'{self.path}' has no field '{name}'; available: {', '.join(sorted(self.variables))}")
        on_nodes = self.variables[name][1]
        begin = 0
        between: np.ndarray | None = None
        for part in self.parts:
            count = int(part.variables[name][0].shape[0])
            keeps = on_nodes and part is not self.parts[-1]
            for first, group in part.planes(name):
                if between is not None:
                    group[0] = np.where(np.isfinite(between), between, group[0])
                    between = None
                if keeps and first + len(group) == count:
                    between, group = group[-1], group[:-1]
                if len(group):
                    yield begin + first, group
            begin += count - (1 if keeps else 0)
