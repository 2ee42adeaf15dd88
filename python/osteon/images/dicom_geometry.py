"""Geometry of a DICOM series: order and distance of its slices, and size of its pixels."""

from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import pairwise
from pathlib import Path

import numpy as np

from ..errors import DataError

EVEN = 0.02  # fraction of the median step: only rounding may explain a larger deviation
ROUGHEST = 0.25  # fraction of the step: smaller rounding cannot hide a missing slice
UNSURE = 0.05  # fraction of the step: largest deviation in either direction that rounded positions explain
PIXELS = 0.05  # fraction of a pixel: tolerance of pixel sizes, accumulated at the far edge of a slice


@dataclass
class Slice:
    """One file of a series, or one frame of a file. Vectors are in LPS and have 3 components."""

    path: Path
    tags: object  # pydicom.Dataset without pixels; for a frame, with the tags of that frame
    position: np.ndarray  # centre of the first pixel, mm
    rows: np.ndarray  # direction along a row, which is the x axis
    columns: np.ndarray
    frame: int | None = None  # counted from 0

    @property
    def name(self) -> str:
        return f"'{self.path.name}'" if self.frame is None else f"frame {self.frame + 1} of '{self.path.name}'"

    @property
    def place(self) -> str:
        return f"'{self.path}'" if self.frame is None else f"frame {self.frame + 1} of '{self.path}'"


def step_between(slices: list[Slice], normal: np.ndarray, warnings: list[str]) -> float:
    """Return the distance of the slices in mm. The distance must be even, or must have been even before positions were
    rounded.

    @param slices in the order along `normal`
    @throws DataError if slices have equal positions, if one is missing, or if the stack is oblique
    """
    along = np.array([normal @ (b.position - a.position) for a, b in pairwise(slices)])
    usual = float(np.median(along))
    for (a, b), height in zip(pairwise(slices), along, strict=True):
        if height <= 1e-3 * max(usual, 1e-3):
            raise DataError(
                f"{a.name} and {b.name} have the same position along the stack; the folder contains slices of two "
                "phases, or copies: keep one of each"
            )
    is_even = bool((np.abs(along - usual) <= EVEN * usual).all())
    rounding = _rounding(slices, normal)
    step = float(along.mean()) if is_even else _fitted_step(slices, normal, rounding, warnings)
    if step is None:
        _refuse_uneven(slices, along, usual)
    slack = 0.0 if is_even else 4 * rounding
    for a, b in pairwise(slices):
        _refuse_leaning(a, b, normal, 0.01 * float(normal @ (b.position - a.position)) + slack)
    if slices[0].tags.get("PixelSpacing"):  # small lateral steps accumulate
        _refuse_leaning(slices[0], slices[-1], normal, 0.5 * min(float(h) for h in slices[0].tags.PixelSpacing))
    return step


def _rounding(slices: list[Slice], normal: np.ndarray) -> float:
    """Return the largest rounding of positions along the stack in mm: half of the last decimal in the file."""
    decimals = 0
    for s in slices:
        for value in s.tags.ImagePositionPatient:
            try:
                exponent = Decimal(str(getattr(value, "original_string", value)).strip()).as_tuple().exponent
            except InvalidOperation:
                return 0.0
            decimals = max(decimals, -exponent if isinstance(exponent, int) else 0)
    return 0.5 * 10.0**-decimals * float(np.abs(normal).sum())


def _fitted_step(slices: list[Slice], normal: np.ndarray, rounding: float, warnings: list[str]) -> float | None:
    """Return the step of even slices whose positions were rounded; None if the slices are not even."""
    places = np.array([normal @ s.position for s in slices])
    numbers = np.arange(len(slices))
    limit = rounding * (1 + 1e-6) + 1e-9
    # A step fits two positions if it is not smaller than their distance minus two roundings, and not larger than their
    # distance plus two roundings.
    low, high = 0.0, np.inf
    for i in range(1, len(slices)):
        distance = places[i:] - places[:-i]
        low = max(low, float((distance.max() - 2 * limit) / i))
        high = min(high, float((distance.min() + 2 * limit) / i))
    if low > high:
        return None
    step = float(np.clip(np.polyfit(numbers, places, 1)[0], low, high))
    if rounding > ROUGHEST * step or high - low > 2 * UNSURE * step:
        return None
    said = [s.tags.get(key) for s in slices[:1] for key in ("SpacingBetweenSlices", "SliceThickness")]
    stated = next((float(h) for h in said if h not in (None, "") and low <= float(h) <= high), None)
    origin = f"fitted within {low:g} to {high:g} mm" if stated is None else "which the slices also state"
    step = step if stated is None else stated
    warnings.append(
        f"the positions of {slices[0].place} and of the other slices are rounded to {2 * rounding:.3g} mm, so that "
        f"their steps differ; the distance of the slices is set to {step:g} mm, {origin}"
    )
    return step


def _refuse_uneven(slices: list[Slice], along: np.ndarray, usual: float) -> None:
    for (a, b), height in zip(pairwise(slices), along, strict=True):
        if abs(height - usual) > EVEN * usual:
            lost = height / usual - 1
            why = f"{lost:.0f} missing between them" if lost > 0.9 and abs(lost % 1 - 0.5) > 0.4 else "the steps differ"
            raise DataError(
                f"{a.name} and {b.name} are {height:g} mm apart, the others {usual:g} mm ({why}); export the complete "
                "series, or resample it onto an even grid"
            )


def _refuse_leaning(a: Slice, b: Slice, normal: np.ndarray, limit_mm: float) -> None:
    step = b.position - a.position
    height = float(normal @ step)
    aside = float(np.linalg.norm(step - height * normal))
    if aside > limit_mm:
        angle = float(np.degrees(np.arctan2(aside, height)))
        raise DataError(
            f"the stack is oblique: from {a.name} to {b.name} it deviates by {angle:.2g} degrees from the normal of "
            "the slices, as with a tilted gantry; resample it onto a rectangular grid (for example by dcm2niix) first"
        )


def pixel_size(slices: list[Slice], warnings: list[str]) -> tuple[float, float] | None:
    """Return the distances between rows (y) and between columns (x) in mm; None if no slice states the distances.

    @throws DataError if slices disagree by more than the precision of their headers
    """
    first = slices[0]
    if all(not s.tags.get("PixelSpacing") for s in slices):
        return None
    for s in slices:
        if not s.tags.get("PixelSpacing") or len(s.tags.PixelSpacing) != 2:
            raise _of_mixed_pixels(s, first)
    sizes = np.array([[float(h) for h in s.tags.PixelSpacing] for s in slices])
    if not (np.isfinite(sizes).all() and (sizes > 0).all()):
        return float(sizes[0][0]), float(sizes[0][1])  # a size of 0 is treated as missing
    middle = np.median(sizes, axis=0)
    limit = PIXELS / np.array([float(first.tags.Rows), float(first.tags.Columns)])
    off = np.abs(sizes / middle - 1)
    if (off > limit).any():
        odd = slices[int(np.argmax(off.max(axis=1)))]
        usual = slices[int(np.argmin(off.max(axis=1)))]
        raise _of_mixed_pixels(odd, usual)
    if (sizes != sizes[0]).any():
        rows, columns = (float(h) for h in sizes.mean(axis=0))
        warnings.append(
            f"{first.place} and other slices state pixels that differ by up to {off.max():.2g} of their size, a "
            f"rounding of their headers; the mean of {rows:.9g} x {columns:.9g} mm is used"
        )
        return rows, columns
    return float(sizes[0][0]), float(sizes[0][1])


def _of_mixed_pixels(s: Slice, other: Slice) -> DataError:
    return DataError(
        f"{s.place} has pixels of {s.tags.get('PixelSpacing')} mm, {other.name} of {other.tags.get('PixelSpacing')} "
        "mm; the series is mixed"
    )
