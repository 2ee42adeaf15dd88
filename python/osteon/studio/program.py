"""Calls of the program. The calls return the findings in a job, the estimate of a run, and the schema of the keys."""

import json
import os
import re
import subprocess
import threading
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import DataError, MachineError, error_of

SHOWN = 4000  # maximum number of characters of an error text


def binary() -> str:
    return os.environ.get("OSTEON_BINARY", "osteon")


def answer_of(*arguments: str, folder: Path, accepts: tuple[int, ...] = (0,)) -> dict[str, Any]:
    """Return the document that a command prints with `--json -`. @throws the Error for the exit code"""
    done = run(*arguments, "--json", "-", folder=folder)
    if done.returncode not in accepts:
        raise error_of(done.returncode, (done.stderr.strip() or f"osteon {arguments[0]} failed")[-SHOWN:])
    try:
        return json.loads(done.stdout)
    except ValueError:
        raise MachineError(f"osteon {arguments[0]} returned no answer: {done.stderr.strip()[-SHOWN:]}") from None


def run(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            [binary(), *arguments], capture_output=True, text=True, check=False, cwd=folder, stdin=subprocess.DEVNULL
        )
    except OSError as e:
        raise MachineError(f"cannot start '{binary()}': {e.strerror}; set OSTEON_BINARY to the program") from None


class Checker:
    """Run `osteon check --deep`, and read the volume of sets that the command writes. Only one check runs at a time,
    and only one volume is in memory."""

    def __init__(self, folder: Path) -> None:
        """@param folder folder in which the model is stored between checks"""
        self.folder = folder
        self.lock = threading.Lock()
        self.sets = np.zeros((0, 0, 0), "u1")
        self.begin = (0, 0, 0)  # offset in voxels between the volume and the scan

    def check(self, job: Path, digest: str, scan: Any) -> dict[str, Any]:
        """Return findings and loads. `stamp` identifies the corresponding volume of sets."""
        with self.lock:
            self.folder.mkdir(exist_ok=True)
            volume = self.folder / "sets.nrrd"
            volume.unlink(missing_ok=True)
            options = ("--deep", "--keep-model", str(self.folder), "--set-volume", str(volume))
            found = answer_of("check", f"./{job.name}", *options, folder=job.parent, accepts=(0, 2))
            loads = found.get("loads")
            self.sets = read_labels(volume) if loads and volume.exists() else np.zeros((0, 0, 0), "u1")
            if loads and scan is not None:
                first = np.asarray(scan.origin_mm)
                offset = (np.asarray(loads["origin_mm"]) - first) / np.asarray(loads["spacing_mm"])
                self.begin = tuple(int(v) for v in np.rint(offset))
            return {**found, "digest": digest}

    def slice(self, axis: int, at: int, shape: tuple[int, ...]) -> np.ndarray:
        """Return numbers of sets in a slice of the scan."""
        others = [a for a in range(3) if a != axis]
        out = np.zeros([shape[a] for a in others], "u1")
        sets, begin = self.sets, self.begin
        if not sets.size or not 0 <= at - begin[axis] < sets.shape[axis]:
            return out
        part = np.take(sets, at - begin[axis], axis=axis)
        rows, columns = (slice(max(0, begin[a]), begin[a] + sets.shape[a]) for a in others)
        out[rows, columns] = part[: out[rows, columns].shape[0], : out[rows, columns].shape[1]]
        return out

    def level(self, shape: tuple[int, ...], factor: int) -> np.ndarray:
        """Return the highest number of a set in each block of `factor`^3 voxels. A layer of one voxel is then
        preserved."""
        out = np.zeros([-(-n // factor) for n in shape], "u1")
        sets, begin = self.sets, self.begin
        if sets.size:
            z, y, x = np.nonzero(sets)
            places = tuple((v + b) // factor for v, b in zip((z, y, x), begin, strict=True))
            inside = np.all([(p >= 0) & (p < n) for p, n in zip(places, out.shape, strict=True)], axis=0)
            np.maximum.at(out, tuple(p[inside] for p in places), sets[z, y, x][inside])
        return out

    def at(self, voxel: list[int]) -> int:
        place = tuple(v - b for v, b in zip(voxel, self.begin, strict=True))
        inside = self.sets.size and all(0 <= p < n for p, n in zip(place, self.sets.shape, strict=True))
        return int(self.sets[place]) if inside else 0


def read_labels(path: Path) -> np.ndarray:
    """Read a volume of bytes with shape (z, y, x) that the program has written as NRRD."""
    import zlib

    header, _, packed = path.read_bytes().partition(b"\n\n")
    sizes = re.search(rb"^sizes: (\d+) (\d+) (\d+)$", header, re.M)
    if not sizes:
        raise DataError(f"'{path}' is not a label image of the program")
    x, y, z = (int(n) for n in sizes.groups())
    return np.frombuffer(zlib.decompress(packed, 47), "u1").reshape(z, y, x)
