"""Stacks of slices in separate files: TIFF by tifffile, PNG and BMP by Pillow."""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ..errors import DataError
from .pieces import Pieces
from .tiff_reader import ENDINGS as TIFF
from .tiff_reader import read_tiff_plane
from .tiff_values import GreyScale
from .volume import Volume, check_shape

ENDINGS = (*TIFF, ".png", ".bmp")


def natural_key(path: Path) -> list[tuple[int, int, str]]:
    """Return a sort key that puts slice9 before slice10."""
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in re.split(r"(\d+)", path.name)]


def read_stack(paths: list[Path], source: str) -> Volume:
    """Read one slice per file, in the order of the numbers in the file names.

    @throws DataError if a number is missing, or if the slices differ
    """
    kinds = sorted({"tiff" if p.suffix.lower() in TIFF else p.suffix.lower()[1:] for p in paths})
    if len(kinds) > 1:
        raise DataError(
            f"'{source}' contains slices of several formats ({', '.join(kinds)}); keep one of them, or use a pattern "
            f"such as '{source}/*{paths[0].suffix}'"
        )
    _refuse_gaps(paths, source)
    first, greys = plane_and_scale(paths[0])
    check_shape((len(paths), *first.shape), source)

    def read() -> Iterator[np.ndarray]:
        for path in paths:
            plane, own = plane_and_scale(path)
            if own.coefficients != greys.coefficients or own.unit != greys.unit:
                raise DataError(
                    f"'{path}' has another calibration or photometric interpretation than '{paths[0]}' (coefficients "
                    f"{own.coefficients} and {greys.coefficients}); save all slices with one calibration"
                )
            if plane.shape != first.shape or plane.dtype != first.dtype:
                raise DataError(
                    f"'{path}' is {plane.shape} {plane.dtype}, but '{paths[0]}' is {first.shape} {first.dtype}; "
                    "slices of a stack must have one shape and type; remove other files"
                )
            yield plane

    values = Pieces((len(paths), *first.shape), first.dtype, read)
    return Volume(values, f"{kinds[0]} stack", facts=greys.facts, warnings=greys.warnings)


def _refuse_gaps(paths: list[Path], source: str) -> None:
    parts = [re.split(r"(\d+)", path.stem) for path in paths]
    for path, names in zip(paths, parts, strict=True):
        if names[::2] != parts[0][::2]:
            raise DataError(
                f"the name '{path.name}' does not match '{paths[0].name}', so it belongs to another stack; "
                f"move it out of '{source}', or use a pattern such as 'slice*{path.suffix}'"
            )
    varying = [i for i in range(1, len(parts[0]), 2) if len({names[i] for names in parts}) > 1]
    if len(paths) > 1 and len(varying) != 1:
        raise DataError(
            f"the names in '{source}' differ in {len(varying)} numbers ('{paths[0].name}', '{paths[-1].name}'); "
            "slices of a stack must be numbered by one number"
        )
    for at in varying:
        numbers = [int(names[at]) for names in parts]
        for a, b, path in zip(numbers[:-1], numbers[1:], paths, strict=False):
            if b == a:
                raise DataError(f"'{source}' contains two slices with number {a}; keep one of them")
            if b != a + 1:
                raise DataError(
                    f"'{source}': '{path.name}' (number {a}) is followed by number {b}: {b - a - 1} of its slices are "
                    "missing; copy them, or number the slices consecutively"
                )


def plane_of(path: Path) -> np.ndarray:
    """Return the grey values of a slice."""
    return plane_and_scale(path)[0]


def plane_and_scale(path: Path) -> tuple[np.ndarray, GreyScale]:
    """Return the grey values of a slice, and their relation to the stored samples."""
    if path.suffix.lower() in TIFF:
        return read_tiff_plane(path)
    values = _plane(path)
    return values, GreyScale(values.dtype)


def _plane(path: Path) -> np.ndarray:
    from PIL import Image

    try:
        with Image.open(path) as image:
            image.verify()  # verifies checksums of PNG chunks, which are ignored while the pixels are read
        with Image.open(path) as image:
            if getattr(image, "n_frames", 1) != 1:
                raise DataError(
                    f"'{path}' has {image.n_frames} frames; in a folder of slices each file must be one slice"
                )
            if image.mode in ("1", "L", "I", "F") or image.mode.startswith("I;16"):
                return np.asarray(image)
            return _grey_of_colours(np.asarray(image.convert("RGBA")), path)
    except (OSError, SyntaxError, ValueError) as e:  # raised by Pillow for damaged files
        raise DataError(f"'{path}' cannot be read ({e}); copy it again") from None


def _grey_of_colours(rgba: np.ndarray, path: Path) -> np.ndarray:
    """Convert grey slices saved as colours with three equal values, without loss."""
    red = rgba[..., :1]
    if not (rgba[..., 1:3] == red).all() or not (rgba[..., 3] == 255).all():
        raise DataError(f"'{path}' is a colour image; convert it to grey values")
    return np.ascontiguousarray(red[..., 0])
