"""Arguments of the public functions. The arguments are checked before anything is allocated, written or started."""

import contextlib
import functools
import math
import numbers
import os
import resource
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import DataError, MachineError, UsageError

if TYPE_CHECKING:
    import numpy as np

MOST_DEPTH = 64  # maximum depth of nested tables


def array_of(image: Any, name: str = "the image") -> "np.ndarray":
    """Convert to an array. @throws DataError if the values are not numbers, or if the memory is insufficient"""
    import numpy as np

    try:
        values = np.asarray(image)
    except (TypeError, ValueError) as e:
        raise DataError(f"{name} is not an array of numbers: {e}; pass a numpy array of shape (z, y, x)") from None
    require_room(values, name)
    return values


def require_room(values: "np.ndarray", name: str) -> None:
    """Check the size of an array with repeated memory. Such arrays have strides of zero or overlapping windows. Only a
    copy of such an array needs memory. @throws DataError"""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    count, size = math.prod(values.shape), math.prod(values.shape) * values.itemsize
    pairs = zip(values.shape, values.strides, strict=True)
    held = values.itemsize + sum((n - 1) * abs(step) for n, step in pairs)
    if size > max(memory, held):
        shape = " x ".join(map(str, values.shape))
        raise DataError(
            f"{name} has {shape} = {count:.4g} voxels of {values.itemsize} bytes, {_bytes(size)}; this machine has "
            f"{_bytes(memory)} of memory: crop or coarsen it, or pass the image file to a job"
        )


def require_disk(folder: Path, values: "np.ndarray") -> None:
    """@throws MachineError if a folder has too little space for a copy of the array"""
    free = shutil.disk_usage(folder).free
    if values.nbytes > free:
        raise MachineError(
            f"the image needs {_bytes(values.nbytes)}, but {folder}, where it is written for the program, has "
            f"{_bytes(free)} free; set TMPDIR to a folder with enough space"
        )


def spacing_of(spacing_mm: Any) -> list[float]:
    """Return the edges of a voxel along z, y, x. The argument is one number or three numbers. @throws UsageError"""
    values = [spacing_mm] if _is_number(spacing_mm) else _listed(spacing_mm)
    if len(values) not in (1, 3) or not all(_is_number(v) for v in values):
        raise UsageError(f"spacing_mm: {_shown(spacing_mm)} must be one number or three, (z, y, x), in mm")
    try:
        edges = [float(v) for v in values]
    except OverflowError:
        raise UsageError(f"spacing_mm: {_shown(spacing_mm)} is too large; each edge must be in (0, 1000] mm") from None
    return edges * 3 if len(edges) == 1 else edges


def tables_of(job: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tables of a job. The tables that this package reads must be mappings. The program checks all other
    tables.

    @throws UsageError
    """
    for name in ("image", "output", "run"):
        if not isinstance(job.get(name, {}), Mapping):
            raise UsageError(
                f"{name}: {_shown(job[name])} is not a table; pass a dict, as in output={{'fields': [...]}}"
            )
    return dict(job)


def path_of(path: Any, name: str) -> Path:
    """Convert to a path that the system accepts. @throws UsageError"""
    if not isinstance(path, (str, os.PathLike)) or isinstance(os.fspath(path), bytes):
        raise UsageError(f"{name} is {_shown(path)}; pass a path as a string or pathlib.Path")
    if "\0" in os.fspath(path):
        raise UsageError(f"{name} is {_shown(path)}; a path must not contain a NUL character")
    return Path(path)


def listener_of(progress: Any) -> Any:
    """@throws UsageError unless the value is a bool or a function"""
    if progress is not None and not isinstance(progress, bool) and not callable(progress):
        raise UsageError(
            f"progress is {_shown(progress)}; pass True for a bar, or a function of stage, share and details"
        )
    if progress is None or isinstance(progress, bool):
        return progress

    @functools.wraps(progress, updated=())
    def listener(*reported: Any) -> None:
        try:
            progress(*reported)
        except BaseException as e:
            with contextlib.suppress(AttributeError, TypeError):
                e._of_osteon_listener = True  # type: ignore[attr-defined]
            raise

    return listener


def is_of_listener(e: BaseException) -> bool:
    """Return True if the caller's progress function has raised the exception."""
    return getattr(e, "_of_osteon_listener", False)


def plain(value: Any, where: str = "", depth: int = 0) -> Any:
    """Convert a part of a job to types of TOML. In tables, entries with the value None are omitted.

    @throws UsageError for values that TOML cannot represent
    """
    import datetime

    if depth > MOST_DEPTH:
        raise UsageError(f"{where[:80]}: tables are nested more than {MOST_DEPTH} deep")
    if isinstance(value, Mapping):
        return {
            _text(str(key), where): plain(inner, f"{where}.{key}" if where else str(key), depth + 1)
            for key, inner in value.items()
            if inner is not None
        }
    if isinstance(value, (list, tuple)):
        return [plain(inner, f"{where}[{n}]", depth + 1) for n, inner in enumerate(value)]
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if hasattr(value, "tolist") and not isinstance(value, (list, bool)):
        return plain(value.tolist(), where, depth + 1)
    if isinstance(value, str):
        return _text(value, where)
    if isinstance(value, (bool, int, float, datetime.date, datetime.time)):
        return value
    raise UsageError(f"{where}: {_shown(value)} has the type {type(value).__name__}, which a job cannot contain")


def descriptor_limit_message() -> str:
    """Return the message for the error EMFILE."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return (
        f"this process uses all of its {soft} file descriptors; close files, or raise the limit "
        f"(`ulimit -n`, at most {hard})"
    )


def _text(text: str, where: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError(
            f"{where}: {_shown(text)} contains half of a surrogate pair, which is not a character"
        ) from None
    if "\0" in text:
        raise UsageError(f"{where}: {_shown(text)} contains a NUL character, which a job must not contain")
    return text


def _is_number(value: Any) -> bool:
    if isinstance(value, (str, bytes, bool)) or value is None:
        return False
    if getattr(value, "ndim", None) == 0:
        return getattr(getattr(value, "dtype", None), "kind", "O") in "iuf"
    return isinstance(value, numbers.Real)


def _listed(value: Any) -> list[Any]:
    if isinstance(value, (str, bytes, Mapping)):
        return []
    try:
        return list(value)
    except TypeError:
        return []


def _shown(value: Any) -> str:
    text = ascii(value) if isinstance(value, (str, bytes)) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _bytes(count: float) -> str:
    for unit in ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB"):
        if count < 1024:
            return f"{count:.3g} {unit}"
        count /= 1024
    return f"{count:.3g} EiB"
