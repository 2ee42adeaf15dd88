"""Filters and thresholds that preserve structures of one or two voxels. They are steps of an image (image_steps.py)."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import DataError
from .grey_histogram import greys_of

EPSILON, CUTOFF = 0.45, 0.3  # defaults of XtremeCT evaluations
MARGIN = 16  # mirrored voxels around the image; wider than the filter's point response


def laplace_hamming(values: np.ndarray, spacing_mm: np.ndarray, epsilon: float, cutoff: float) -> np.ndarray:
    """Subtract the Laplacian from the image and remove high frequencies.

    The spectrum at frequency f, in cycles per mm, is multiplied by ((1 - epsilon) + epsilon |f|^2)
    (1 + cos(pi |f| / f_c)) / 2 up to f_c, and by 0 above f_c. f_c is the cutoff divided by the smallest voxel edge. The
    mean is multiplied by 1 - epsilon.

    @cite [LaibRuegsegger1999]
    """
    margins = [min(MARGIN, n - 1) for n in values.shape]
    image = np.pad(values.astype(np.float32), [(m, m) for m in margins], mode="reflect")
    spectrum = np.fft.rfftn(image)
    steps = [np.fft.fftfreq(n, h) for n, h in zip(image.shape[:2], spacing_mm[:2], strict=True)]
    steps.append(np.fft.rfftfreq(image.shape[2], spacing_mm[2]))
    y_x = (steps[1][:, None] ** 2 + steps[2][None, :] ** 2).astype(np.float32)
    end = cutoff / float(min(spacing_mm))
    for plane, f_z in zip(spectrum, steps[0], strict=True):  # by planes, to avoid a second array of the full size
        squared = y_x + np.float32(f_z**2)
        window = np.where(squared < end**2, 0.5 + 0.5 * np.cos(np.pi / end * np.sqrt(squared)), 0)
        plane *= ((1 - epsilon) + epsilon * squared) * window
    filtered = np.fft.irfftn(spectrum, image.shape, axes=(0, 1, 2))
    inside = tuple(slice(m, m + n) for m, n in zip(margins, values.shape, strict=True))
    return np.ascontiguousarray(filtered[inside], np.float32)


def local_threshold(values: np.ndarray, step: dict[str, Any], where: str) -> Callable[[np.ndarray], np.ndarray]:
    """Return a function that applies a local threshold to slabs of an image. The function needs a halo of
    `radius_voxels` planes.

    Raise voxels to just above high if they are between low and high, and brighter than expected from their
    neighbourhood.

    The methods are defined for dark text on bright paper, so grey values are inverted and scaled to [0, 1]. The window
    has the mean m and the standard deviation s. A voxel is raised under these conditions:
    sauvola: darker than m (1 + k (s / 0.5 - 1));
    phansalkar: darker than m (1 + 2 exp(-10 m) + k (s / 0.5 - 1));
    bernsen: brighter than the mid-range of the window.

    @cite [SauvolaPietikainen2000], [Phansalkar2011], [Bernsen1986]
    """
    radius, method = int(step.get("radius_voxels", 1)), step.get("method", "sauvola")
    if method == "bernsen":
        contrast, otsu = float(step["contrast"]), greys_of([values]).threshold
        limit = otsu if otsu is not None else np.inf

        def found(part: np.ndarray) -> np.ndarray:
            return _above_the_middle(part, radius, contrast, limit)
    else:
        low, high = float(values.min()), float(values.max())

        def found(part: np.ndarray) -> np.ndarray:
            return _darker_than_paper(part, (low, high), radius, method, step.get("weight"))

    return lambda part: _raised(part, found(part), step["low"], step["high"], where)


def _raised(values: np.ndarray, found: np.ndarray, low: float, high: float, where: str) -> np.ndarray:
    """Set the found voxels between low and high to just above high, so that a threshold of high includes the voxels."""
    if values.dtype.kind == "f":
        above = float(np.nextafter(values.dtype.type(high), np.inf, dtype=values.dtype))
    else:
        above = int(np.floor(high)) + 1
        if above > np.iinfo(values.dtype).max:
            raise DataError(f"{where}: high = {high:g} is the largest value of the image type; choose a lower one")
    return np.where(found & (values > low) & (values <= high), values.dtype.type(above), values)


def _darker_than_paper(
    values: np.ndarray, greys: tuple[float, float], radius: int, method: str, weight: float | None
) -> np.ndarray:
    import SimpleITK as sitk  # noqa: N813

    low, high = greys
    dark = ((high - values.astype(np.float32)) / ((high - low) or 1.0)).astype(np.float32)
    window = [radius] * 3
    mean = sitk.GetArrayFromImage(sitk.BoxMean(sitk.GetImageFromArray(dark), window))
    deviation = sitk.GetArrayFromImage(sitk.BoxSigma(sitk.GetImageFromArray(dark), window))
    k = weight if weight is not None else 0.2 if method == "sauvola" else 0.25
    share = 1 + k * (deviation / 0.5 - 1)
    if method == "phansalkar":
        share += 2 * np.exp(-10 * mean)
    return dark < mean * share


def _above_the_middle(values: np.ndarray, radius: int, contrast: float, limit: float) -> np.ndarray:
    import SimpleITK as sitk  # noqa: N813

    image = sitk.GetImageFromArray(values.astype(np.float32))
    window = [radius] * 3
    least = sitk.GetArrayFromImage(sitk.GrayscaleErode(image, window, sitk.sitkBox))
    most = sitk.GetArrayFromImage(sitk.GrayscaleDilate(image, window, sitk.sitkBox))
    middle = (least + most) / 2
    return np.where(most - least < contrast, middle > limit, values > middle)


def hysteresis(values: np.ndarray, low: float, high: float, where: str) -> np.ndarray:
    """Raise voxels to just above high if they are between low and high, and connected to a voxel above high."""
    import SimpleITK as sitk  # noqa: N813

    if not any((plane > high).any() for plane in values):
        raise DataError(f"{where}: no voxel is above high = {high:g}; the brightest is {float(values.max()):g}")
    found = sitk.ConnectedComponent(sitk.GetImageFromArray((values > low).astype(np.uint8)), False)
    parts = sitk.GetArrayViewFromImage(found)
    kept = np.zeros(int(parts.max()) + 1, bool)
    for plane, parts_of_plane in zip(values, parts, strict=True):
        kept[parts_of_plane[plane > high]] = True
    kept[0] = False
    result = values if values.flags.writeable else values.copy()
    for plane, parts_of_plane in zip(result, parts, strict=True):
        plane[...] = _raised(plane, kept[parts_of_plane], low, high, where)
    return result
