"""A scan for the page. The scan provides slices of all voxels, a level that fits into a graphics card, a histogram, and
hits of rays.

The voxels are in a memory-mapped file. A scan may therefore exceed the memory. The readers of `osteon import` write
this file in a process of their own. After the file has been opened, its name is removed. The system therefore removes
the file when this process ends.
"""

import json
import shutil
import subprocess
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import DATA, DataError, MachineError
from ..images.grey_histogram import otsu
from ..processes.child_process import python_command, python_environment
from ..results.patient_axes import is_left_handed, letters_of

MOST_LEVEL = 5_000_000  # maximum number of voxels of the level for the 3-D view
BINS = 1024
# distance in voxels around a position; the grey values within this distance determine the direction of the surface
REACH = 4


@dataclass
class Level:
    """Means of blocks of `factor`^3 voxels as bytes. The code is (grey - low) / step, from 0 to 255."""

    codes: np.ndarray
    factor: int
    low: float
    step: float


@dataclass
class Histogram:
    low: float
    width: float
    counts: list[int]
    otsu: float
    values: list[int] = field(default_factory=list)  # all values if there are only a few values, as in label images


class Scan:
    """@throws DataError for a fault of the image; MachineError for insufficient space or missing packages"""

    def __init__(
        self,
        source: Path,
        steps: list[dict[str, Any]] | None = None,
        given_mm: Any = None,
        accepts_fill_value: bool = False,
    ) -> None:
        self.source = source
        self.values, self.facts = _read(source, steps or [], given_mm, accepts_fill_value)
        self.shape: tuple[int, int, int] = self.values.shape
        self.low, self.high = float(self.facts["grey_min"]), float(self.facts["grey_max"])
        self.spacing_mm = self.facts["spacing_mm"]
        self.origin_mm = self.facts["origin_mm"] or [0.0, 0.0, 0.0]
        whole = self.values.dtype.kind in "bui" and self.high - self.low < 65536
        self.step = 1.0 if whole else max((self.high - self.low) / 65535, 1e-30)
        self.is_byte = self.values.dtype == np.uint8
        if self.is_byte:
            self.low_code = 0.0
        else:
            self.low_code = self.low
        self._level: dict[tuple[Any, ...], Level] = {}
        self._lock = threading.Lock()
        self._histogram: Histogram | None = None

    def described(self) -> dict[str, Any]:
        return {
            "source": str(self.source),
            "name": self.source.name,
            "shape": list(self.shape),
            "spacing_mm": self.spacing_mm,
            "origin_mm": list(self.origin_mm),
            "letters": letters_of(self.facts.get("direction")),
            "is_left_handed": is_left_handed(self.facts.get("direction")),
            "format": self.facts["format"],
            "dtype": self.facts["dtype"],
            "grey_min": self.low,
            "grey_max": self.high,
            "unit": self.facts.get("unit"),
            "warnings": self.facts.get("warnings", []),
            "labels": self.facts.get("labels", {}),
            "codes": {"bytes": 1 if self.is_byte else 2, "low": self.low_code, "step": self.step},
        }

    def histogram(self) -> Histogram:
        """Count all voxels, a few planes at a time."""
        with self._lock:
            if self._histogram is None:
                self._histogram = self._count()
            return self._histogram

    def _count(self) -> Histogram:
        exact = self.step == 1.0
        span = self.high - self.low
        group = max(1, int(np.ceil((span + 1) / BINS))) if exact else 1
        width = float(group) if exact else (span / BINS or 1.0)
        bins = int(span // width) + 1 if exact else BINS
        fine_bins = int(span) + 1 if exact else bins
        fine = np.zeros(fine_bins, np.int64)
        scale = 1.0 if exact else width
        for planes in self._slabs():
            if self.is_byte:
                fine += counts_of_bytes(planes)[int(self.low) : int(self.low) + fine_bins]
                continue
            at = ((planes.astype(np.float64) - self.low) / scale).astype(np.int64)
            fine += np.bincount(np.minimum(at, fine_bins - 1).ravel(), minlength=fine_bins)
        at = otsu(fine)[0] if np.count_nonzero(fine) > 1 else 0
        threshold = self.low + at if exact else self.low + width * (at + 1)
        present = np.flatnonzero(fine) + int(self.low) if exact else np.zeros(0, int)
        counts = np.add.reduceat(fine, np.arange(0, fine_bins, group)) if exact else fine
        values = present.tolist() if exact and present.size <= 16 else []
        return Histogram(self.low, width, counts.tolist(), float(threshold), values)

    def _slabs(self) -> Any:
        thick = max(1, (1 << 24) // int(np.prod(self.shape[1:])))
        for z in range(0, self.shape[0], thick):
            yield self.values[z : z + thick]

    def slice(self, axis: int, at: int) -> bytes:
        """Return the codes of a slice. Rows are along the first of the other axes. A code has one byte, or two bytes in
        little-endian order."""
        if not (0 <= axis < 3 and 0 <= at < self.shape[axis]):
            raise DataError(f"no slice {at} across {'zyx'[axis] if 0 <= axis < 3 else axis}")
        index: list[Any] = [slice(None)] * 3
        index[axis] = at
        return self.codes(self.values[tuple(index)]).tobytes()

    def codes(self, values: np.ndarray) -> np.ndarray:
        if self.is_byte:
            return np.ascontiguousarray(values)
        return np.rint((values.astype(np.float64) - self.low_code) / self.step).astype("<u2")

    def level(self, labels: list[int] | None = None) -> Level:
        """@param labels for a label image: empty labels; the level is then the solid fraction"""
        with self._lock:
            key = tuple(labels) if labels is not None else ()
            kind = (labels is not None, key)
            if kind not in self._level:
                self._level = {kind: self._make_level(labels)}  # the scan stores only one level at a time
            return self._level[kind]

    def _make_level(self, labels: list[int] | None) -> Level:
        k = 1
        while np.prod([-(-n // k) for n in self.shape]) > MOST_LEVEL:
            k += 1
        if labels is not None:
            low, step = 0.0, 1 / 255
        else:
            low, high = self._window()
            step = max((high - low) / 255, 1e-30)
        out = np.empty([-(-n // k) for n in self.shape], "u1")
        for z in range(out.shape[0]):
            planes = self.values[z * k : (z + 1) * k]
            if labels is not None:
                planes = ~np.isin(planes, labels)
            mean = means_of_blocks(planes, k)
            out[z] = np.clip(np.rint((mean - low) / step), 0, 255).astype("u1")
        return Level(out, k, low, step)

    def _window(self) -> tuple[float, float]:
        """Range of grey values that the level resolves. For bytes, the range contains all values. For other types, the
        range excludes the outermost thousandth of the values."""
        if self.is_byte:
            return 0.0, 255.0
        step = max(1, round((self.values.size / 2e6) ** (1 / 3)))
        sample = np.asarray(self.values[::step, ::step, ::step])
        low, high = (float(v) for v in np.percentile(sample, (0.1, 99.9)))
        return (low, high) if high > low else (low, low + 1.0)

    def meet(self, begin: Any, end: Any, threshold: float, upper: float | None = None) -> dict[str, Any] | None:
        """Find the first solid voxel on a line between two positions (z, y, x) in voxels.

        The function returns the position of the voxel, the face at which the ray enters ("z-" is the low face), the
        grey value and the outward direction.
        """
        begin, end = np.asarray(begin, float), np.asarray(end, float)
        if not (np.isfinite(begin).all() and np.isfinite(end).all() and np.abs([begin, end]).max() < 1e7):
            raise DataError("a ray requires two positions")
        ray = end - begin
        ts, axes = [np.zeros(1)], [np.full(1, -1)]
        for a in range(3):
            if ray[a] == 0:
                continue
            first, last = sorted((begin[a], end[a]))
            planes = np.arange(max(0, int(np.ceil(first))), min(self.shape[a], int(np.floor(last))) + 1)
            t = (planes - begin[a]) / ray[a]
            inside = (t >= 0) & (t <= 1)
            ts.append(t[inside])
            axes.append(np.full(int(inside.sum()), a))
        t, axis = np.concatenate(ts), np.concatenate(axes)
        order = np.argsort(t, kind="stable")
        t, axis = t[order], axis[order]
        middle = (t + np.append(t[1:], 1.0)) / 2
        voxels = np.floor(begin + middle[:, None] * ray).astype(int)
        is_inside = ((voxels >= 0) & (voxels < self.shape)).all(1)
        t, axis, voxels = t[is_inside], axis[is_inside], voxels[is_inside]
        if not len(voxels):
            return None
        greys = self.values[tuple(voxels.T)].astype(float)
        solid = greys > threshold
        if upper is not None:
            solid &= greys <= upper
        if not solid.any():
            return None
        n = int(np.argmax(solid))
        voxel = voxels[n]
        face = ""
        if axis[n] >= 0:
            a = int(axis[n])
            face = "zyx"[a] + ("-" if ray[a] > 0 else "+")
        return {
            "voxel": voxel.tolist(),
            "face": face,
            "grey": float(greys[n]),
            "normal": self.direction(voxel).tolist(),
        }

    def direction(self, voxel: np.ndarray) -> np.ndarray:
        """Return the outward direction (z, y, x) of the surface near a voxel. This direction is opposite to the mean
        gradient of grey values.

        Values outside of the image are empty. Faces of the image that cut the solid therefore have a direction.
        """
        low, high = np.maximum(voxel - REACH, 0), np.minimum(voxel + REACH + 1, self.shape)
        box = self.values[tuple(slice(a, b) for a, b in zip(low, high, strict=True))].astype(float) - self.low
        box = np.pad(box, [(a, b) for a, b in zip(low - (voxel - REACH), voxel + REACH + 1 - high, strict=True)])
        spacing = np.asarray(self.spacing_mm or (1.0, 1.0, 1.0))
        gradient = np.array([g.mean() for g in np.gradient(box)]) / spacing
        length = np.linalg.norm(gradient)
        return np.round(-gradient / length, 4) if length > 0 else np.zeros(3)


def counts_of_bytes(values: np.ndarray) -> np.ndarray:
    """Count each of the 256 byte values. The function counts pairs of bytes, because counting a pair takes as long as
    counting one byte."""
    flat = np.ascontiguousarray(values).reshape(-1)
    even = flat.size // 2 * 2
    pairs = np.bincount(flat[:even].view("u2"), minlength=65536).reshape(256, 256)
    return pairs.sum(axis=0) + pairs.sum(axis=1) + np.bincount(flat[even:], minlength=256)


def means_of_blocks(planes: np.ndarray, k: int) -> np.ndarray:
    """Return the means in one layer of blocks of k^3 voxels. The last block along each axis may be incomplete."""
    if k == 1:
        return planes[0].astype(float)
    total = planes.sum(axis=0, dtype=np.float64)
    for axis in (0, 1):
        total = np.add.reduceat(total, np.arange(0, total.shape[axis], k), axis=axis)
    counts = [np.diff(np.append(np.arange(0, n, k), n)) for n in planes.shape[1:]]
    return total / (len(planes) * counts[0][:, None] * counts[1][None, :])


def _require_room(source: Path) -> None:
    """@throws MachineError if the free space of the disk is less than the size of the file, which is a lower bound for
    the size of the voxels"""
    files = [p for p in source.iterdir() if p.is_file()] if source.is_dir() else [source]
    size, free = sum(p.stat().st_size for p in files), shutil.disk_usage(tempfile.gettempdir()).free
    if size > free:
        raise MachineError(
            f"'{source.name}' has {size / 2**30:.3g} GiB, but {tempfile.gettempdir()}, where the studio unpacks scans, "
            f"has {free / 2**30:.3g} GiB free; crop the scan, or set TMPDIR to a folder with enough space"
        )


def _read(
    source: Path, steps: list[dict[str, Any]], given_mm: Any, accepts_fill_value: bool
) -> tuple[np.ndarray, dict[str, Any]]:
    _require_room(source)
    with tempfile.TemporaryDirectory(prefix="osteon-studio-") as folder:
        target = Path(folder) / "scan.npy"
        command = python_command("osteon.images", str(source), str(target))
        if steps or accepts_fill_value:
            given = {"steps": steps, "spacing_mm": given_mm, "overlay": False}
            command.append(json.dumps({**given, "accept_fill_value": accepts_fill_value}))
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=python_environment())
        output = done.stderr.strip().splitlines()[-1:] or [f"the image reader ended with exit code {done.returncode}"]
        if done.returncode == DATA:
            raise DataError(output[0])
        if done.returncode != 0:
            raise MachineError(output[0])
        return np.load(target, mmap_mode="r", allow_pickle=False), json.loads(done.stdout)
