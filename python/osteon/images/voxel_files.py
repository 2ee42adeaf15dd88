"""Voxels of a detached header (.mhd, .nhdr): in one file, in a list of files, or in files numbered by a pattern."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..errors import DataError
from .packed import check_claim, unpacked
from .pieces import Pieces, in_values, stored

NUMBER = re.compile(r"%(0?)(\d{0,2})[diu]")  # printf formats; other conversions do not number files
PATTERN = re.compile(r"^(?P<name>\S.*?)(?P<numbers>(?:\s+-?\d+){0,4})$")
MOST_FILES = 1_000_000


def numbered(text: str, count: int, header: Path) -> list[str] | None:
    """Expand a pattern such as `s%03d.raw 0 5 1` (first and last number, step); None if `text` is not a pattern.

    @param count number of planes; if the pattern has no numbers, files are numbered from 1 and contain one plane each
    """
    found = PATTERN.match(text)
    if found is None or len(NUMBER.findall(found["name"])) != 1:
        return None
    given = [int(n) for n in found["numbers"].split()]
    first = given[0] if given else 1
    last = given[1] if len(given) > 1 else first + count - 1
    step = given[2] if len(given) > 2 else 1
    files = (last - first) // step + 1 if step else 0
    if not 0 < files <= min(count, MOST_FILES):
        raise DataError(
            f"'{header}' numbers its data files from {first} to {last} by {step}, or {max(files, 0)} files for "
            f"{count} planes; correct the pattern '{text}'"
        )
    width = NUMBER.search(found["name"])
    fill = "0" if width[1] else " "
    return [
        NUMBER.sub(lambda _, i=i: str(i).rjust(int(width[2] or 0), fill), found["name"])
        for i in range(first, first + files * step, step)
    ]


@dataclass
class VoxelFiles:
    """Files that contain the values of an image one after the other, with equal counts."""

    header: Path
    files: list[Path]
    shape: tuple[int, ...]
    kind: np.dtype
    begin: int = 0  # offset of the voxels in each file; -1: the voxels are the last bytes
    packing: str | None = None  # `zlib`, `gzip` or `bzip2`; begin counts compressed bytes,
    skip: int = 0  # decompressed bytes to skip
    is_text: bool = False
    exact: bool = False  # no data may follow the voxels of a file
    lines: int = 0  # lines of each file, before `begin`

    def __post_init__(self) -> None:
        count = int(np.prod(self.shape, dtype=np.int64))
        if not self.files or count % len(self.files):
            raise DataError(
                f"'{self.header}' has {count} voxels in {len(self.files)} data files, which must have equal sizes; "
                "correct its list of files"
            )
        self.each = count // len(self.files)
        for path in self.files:
            if not path.is_file():
                raise DataError(
                    f"'{self.header}' refers to '{path.name}', which is not in '{path.parent}'; copy it there"
                )
        for path in self.files:
            self._check(path)

    def _check(self, path: Path) -> None:
        """@throws DataError if a file is too short for its voxels"""
        size, claimed = path.stat().st_size, self.each * self.kind.itemsize
        if self.packing is not None:
            check_claim(self.skip + claimed, path, packed=True)
            return
        if self.is_text:  # a value has at least one digit and one separator
            check_claim(2 * self.each - 1, path, size)
            return
        check_claim(claimed, path, size)
        length = size - self._begin_of(path)
        if length < claimed or (self.exact and length != claimed):
            raise DataError(f"'{path}' has {length} bytes of voxels, its header requires {claimed}; copy it again")

    def _begin_of(self, path: Path) -> int:
        if self.begin == -1:
            return path.stat().st_size - self.each * self.kind.itemsize
        if not self.lines:
            return self.begin + self.skip
        with path.open("rb") as file:
            file.seek(self.begin)
            for _ in range(min(self.lines, path.stat().st_size)):
                file.readline()
            return file.tell() + self.skip

    def values(self) -> Pieces:
        return Pieces(self.shape, self.kind, self._read)

    def _read(self) -> Iterator[np.ndarray]:
        for path in self.files:
            if self.packing is not None:
                yield from self._unpacked(path)
            elif self.is_text:
                yield self._text(path)
            else:
                yield from stored(path, self._begin_of(path), self.kind, self.each)

    def _unpacked(self, path: Path) -> Iterator[np.ndarray]:
        with path.open("rb") as file:
            file.seek(self._begin_of(path) - self.skip)
            blocks = unpacked(file, path, self.skip + self.each * self.kind.itemsize, self.packing)
            yield from in_values(blocks, self.kind, self.skip)

    def _text(self, path: Path) -> np.ndarray:
        with path.open("rb") as file:
            file.seek(self._begin_of(path))
            tokens = file.read().split()
        if len(tokens) != self.each:
            raise DataError(f"'{path}' contains {len(tokens)} values instead of {self.each}; copy it again")
        try:
            numbers = np.array(tokens).astype("f8")
            values = numbers.astype(self.kind)
        except ValueError:
            raise DataError(f"'{path}' contains words that are not numbers; copy it again") from None
        if self.kind.kind in "iu" and not np.array_equal(values, numbers):
            raise DataError(f"'{path}' contains numbers outside the type {self.kind.name} stated in its header")
        return values

    @property
    def has_planes(self) -> bool:
        """Return True if a plane can be read without the planes before it."""
        return self.packing is None and not self.is_text and self.each % int(np.prod(self.shape[1:])) == 0

    def plane(self, z: int) -> np.ndarray:
        """Return one plane of a volume; requires `has_planes`."""
        size = int(np.prod(self.shape[1:]))
        file, at = divmod(z * size, self.each)
        path = self.files[file]
        values = stored(path, self._begin_of(path) + at * self.kind.itemsize, self.kind, size)
        return np.concatenate(list(values)).reshape(self.shape[1:])
