"""An array of Zarr: a folder with a file per chunk, or per shard of several chunks."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from pathlib import Path

import numpy as np

from ..errors import DataError
from .zarr_codecs import Codec, checked_crc32c, decoded

ABSENT = 2**64 - 1  # offset and length of a chunk that a shard does not contain


@dataclass
class Shards:
    """Several chunks in one file, with a table of the offset and the length of each chunk."""

    counts: tuple[int, ...]  # chunks of a shard along each axis
    is_index_last: bool
    has_checksum: bool

    @property
    def bytes_of_index(self) -> int:
        return 16 * prod(self.counts) + 4 * self.has_checksum


@dataclass
class ZarrArray:
    """An array in the order of its file, and the metadata of its group."""

    folder: Path
    shape: tuple[int, ...]
    chunks: tuple[int, ...]
    kind: np.dtype
    stored_axes: tuple[int, ...]  # order of the axes in a chunk, slowest first
    codecs: list[Codec]  # in the order of encoding
    fill: object  # None: the file states none
    separator: str
    prefix: str = ""  # of the names of chunks
    shards: Shards | None = None
    axes: str | None = None  # a letter for each axis
    spacing: np.ndarray | None = None  # mm, by axis
    first: np.ndarray | None = None  # centre of the first voxel, mm, by axis
    direction: list[float] | None = None
    resolution: dict[str, object] | None = None  # level and number of levels of an image with several resolutions

    @property
    def counts(self) -> tuple[int, ...]:
        """Number of chunks along each axis."""
        return tuple(-(-n // c) for n, c in zip(self.shape, self.chunks, strict=True))

    @property
    def bytes_of_chunk(self) -> int:
        return prod(self.chunks) * self.kind.itemsize

    def name_of(self, at: tuple[int, ...]) -> str:
        """Name of a file of the array, relative to its folder."""
        return self.prefix + self.separator.join(map(str, at))

    def file_counts(self) -> tuple[int, ...]:
        if self.shards is None:
            return self.counts
        return tuple(-(-n // s) for n, s in zip(self.counts, self.shards.counts, strict=True))

    def missing_chunks(self) -> int:
        """Count the chunks without values. @throws DataError for a damaged shard, or a chunk outside of the array"""
        names = {p.relative_to(self.folder).as_posix() for p in self.folder.rglob("*") if p.is_file()}
        expected = {self.name_of(at): at for at in np.ndindex(self.file_counts())}
        number = re.escape(self.separator).join([r"\d+"] * len(self.shape))
        is_chunk = re.compile(re.escape(self.prefix) + number)
        for name in sorted(names - expected.keys()):
            if is_chunk.fullmatch(name):
                raise DataError(
                    f"'{self.folder / name}' is a chunk outside of the array, which has {list(self.file_counts())} "
                    "files of chunks along its axes: the metadata are of another array; copy it again"
                )
        present = [at for name, at in expected.items() if name in names]
        if self.shards is None:
            return prod(self.counts) - len(present)
        return prod(self.counts) - sum(self._chunks_in(at) for at in present)

    def _chunks_in(self, at: tuple[int, ...]) -> int:
        """Count the chunks of a shard that are inside the array."""
        table = index_of(self, at)
        inside = tuple(
            slice(max(0, min(s, n - i * s))) for i, s, n in zip(at, self.shards.counts, self.counts, strict=True)
        )
        return int(np.count_nonzero(table[inside][..., 0] != ABSENT))

    def chunk(self, at: tuple[int, ...]) -> np.ndarray | None:
        """Return the values of a chunk; None: the fill value. @throws DataError for a damaged chunk"""
        data, name = self._data_of(at)
        if data is None:
            return None
        try:
            values = decoded(data, self.codecs, self.bytes_of_chunk)
        except (DataError, ImportError):
            raise
        except Exception as e:  # decoders raise any exception for damaged bytes
            reason = " ".join(str(e).split())[-80:]
            raise DataError(f"{name} is truncated or damaged ({reason}); copy it again") from None
        if len(values) != self.bytes_of_chunk:
            raise DataError(
                f"{name} decompresses to {len(values)} bytes instead of {self.bytes_of_chunk}; copy it again"
            )
        stored = np.frombuffer(values, self.kind).reshape([self.chunks[a] for a in self.stored_axes])
        return stored.transpose(np.argsort(self.stored_axes))

    def _data_of(self, at: tuple[int, ...]) -> tuple[bytes | None, str]:
        if self.shards is None:
            file = self.folder / self.name_of(at)
            return (file.read_bytes() if file.is_file() else None), f"'{file}'"
        shard = tuple(i // s for i, s in zip(at, self.shards.counts, strict=True))
        file = self.folder / self.name_of(shard)
        if not file.is_file():
            return None, f"'{file}'"
        inner = tuple(i % s for i, s in zip(at, self.shards.counts, strict=True))
        offset, length = (int(n) for n in index_of(self, shard)[inner])
        if offset == ABSENT:
            return None, f"'{file}'"
        with file.open("rb") as opened:
            opened.seek(offset)
            return opened.read(length), f"chunk {list(inner)} of '{file}'"

    def slabs(self) -> Iterator[np.ndarray]:
        """Yield the values, in slabs of the first axis with the size of a chunk."""
        for first in range(self.counts[0]):
            begin = first * self.chunks[0]
            slab = np.empty((min(self.chunks[0], self.shape[0] - begin), *self.shape[1:]), self.kind)
            for rest in np.ndindex(self.counts[1:]):
                places = [slice(i * c, (i + 1) * c) for i, c in zip(rest, self.chunks[1:], strict=True)]
                part = slab[(slice(None), *places)]
                chunk = self.chunk((first, *rest))
                part[...] = self.fill if chunk is None else chunk[tuple(slice(n) for n in part.shape)]
            yield slab


def index_of(array: ZarrArray, at: tuple[int, ...]) -> np.ndarray:
    """Return the offsets and lengths of the chunks of a shard, shape (*chunks of a shard, 2).

    @throws DataError if the table is incomplete, has a wrong checksum, or names bytes outside of the file
    """
    file = array.folder / array.name_of(at)
    change = file.stat()
    return _index(file, change.st_size, change.st_mtime_ns, array.shards.counts, array.shards.is_index_last,
                  array.shards.has_checksum, array.shards.bytes_of_index)  # fmt: skip


@lru_cache(maxsize=1024)
def _index(file: Path, size: int, _time: int, counts: tuple, is_last: bool, has_checksum: bool, length: int):
    if size < length:
        raise DataError(
            f"the shard '{file}' has {size} bytes, fewer than its table of {length} bytes requires; copy it again"
        )
    with file.open("rb") as opened:
        opened.seek(size - length if is_last else 0)
        data = opened.read(length)
    if has_checksum:
        try:
            data = checked_crc32c(data)
        except ValueError as e:
            raise DataError(f"the table of the shard '{file}' is damaged ({e}); copy it again") from None
    table = np.frombuffer(data, "<u8").reshape(*counts, 2)
    offset, count = table[..., 0], table[..., 1]
    present = offset != ABSENT
    first, end = (0, size - length) if is_last else (length, size)
    is_inside = (offset >= first) & (offset <= end) & (count <= end - np.minimum(offset, np.uint64(end)))
    if not (is_inside | ~present).all() or (present & (count == ABSENT)).any():
        raise DataError(f"the table of the shard '{file}' names bytes outside of the file; copy it again")
    return table
