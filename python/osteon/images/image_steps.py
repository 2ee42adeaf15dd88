"""Steps of a job before the threshold ([[image.step]]), by SimpleITK. Each step needs the whole image in memory.

Positions refer to the image before all steps. A crop or a resampling moves the low corner, but never the origin.
"""

from dataclasses import replace

import numpy as np

from ..errors import DataError
from ..processes.container_limits import memory_bytes
from .fine_structures import CUTOFF, EPSILON, hysteresis, laplace_hamming, local_threshold
from .placement import Placement
from .volume import Volume

MOVING = ("crop", "resample")  # steps that also apply to images on the grid of the scan
# Bytes per voxel that a step needs in addition to the image: for copies of the image's type, and for other types.
COPIES = {
    "gaussian": (0, 20),
    "median": (2, 0),
    "close": (4, 0),
    "open": (4, 0),
    "resample": (1, 0),
    "crop": (1, 0),
    "labels": (0, 5),
    "laplace_hamming": (0, 40),
    "local_threshold": (0, 41),
    "hysteresis": (0, 12),
}


def apply_steps(
    volume: Volume, steps: list[dict], given_mm: list[float] | None, overlay: bool, source: str
) -> list[dict]:
    """Apply the steps in order to a volume in memory.

    @param given_mm spacing (z, y, x) of the job, which overrides the spacing of the file @param overlay True if the
    image is on the grid of the scan. Its voxels then move with the voxels of the scan, without interpolation
    @return the steps, with the resulting shape and the bytes needed @throws DataError
    """
    if given_mm is not None:
        _take_spacing(volume, given_mm)
    done = []
    for number, step in enumerate(steps, 1):
        kind = step["kind"]
        if overlay and kind not in MOVING:
            continue
        where = f"image.step[{number}] ({kind})"
        if kind not in COPIES:
            raise DataError(f"image.step[{number}]: unknown kind '{kind}'; known: {', '.join(COPIES)}")
        held = _require_memory(volume.values, kind, where, source)
        try:
            if kind == "crop":
                _crop(volume, step, where)
            elif kind == "resample":
                _resample(volume, step, overlay, where)
            else:
                volume.values = _filtered(volume, step, where, source)
        except KeyError as e:  # a missing key in an unchecked job; `osteon check` reports the key before a run
            raise DataError(f"{where}: missing {e.args[0]}") from None
        done.append({**step, "shape": list(volume.values.shape), "bytes": held})
    return done


def _take_spacing(volume: Volume, given_mm: list[float]) -> None:
    z, y, x = (float(h) for h in given_mm)
    if volume.placement is not None and volume.spacing_mm is not None:
        # The centre of the first voxel does not move.
        old = np.array(volume.spacing_mm[::-1])
        corner = volume.placement.corner_mm + old / 2 - np.array([x, y, z]) / 2
        volume.placement = replace(volume.placement, corner_mm=corner)
    volume.spacing_mm = (z, y, x)


def _require_memory(values: np.ndarray, kind: str, where: str, source: str) -> int:
    own, other = COPIES[kind]
    held = values.size * (values.dtype.itemsize * (1 + own) + other)
    there = memory_bytes()
    if held > there:
        raise DataError(
            f"{where} of '{source}' needs all {values.shape} voxels in memory, {held / 1e9:.1f} GB; this "
            f"machine or container has {there / 1e9:.1f} GB: crop the image in an earlier step, or remove the step"
        )
    return int(held)


def _spacing(volume: Volume, where: str) -> np.ndarray:
    if volume.spacing_mm is None:
        raise DataError(f"{where} is in mm, but the image does not state its voxel size; add spacing_mm to [image]")
    return np.array(volume.spacing_mm, float)


def _filtered(volume: Volume, step: dict, where: str, source: str) -> np.ndarray:
    import SimpleITK as sitk  # noqa: N813

    kind, values = step["kind"], volume.values
    if kind == "labels":
        return _labels(values, step["ranges"], where)
    if kind == "laplace_hamming":
        return laplace_hamming(
            values, _spacing(volume, where), step.get("epsilon", EPSILON), step.get("cutoff", CUTOFF)
        )
    if kind == "local_threshold":
        return local_threshold(values, step, where)
    if kind == "hysteresis":
        return hysteresis(values, step["low"], step["high"], where)
    if kind == "gaussian":
        image = sitk.GetImageFromArray(values.astype(np.float32))
        if step.get("sigma_voxels") is not None:
            sigma = [float(step["sigma_voxels"])] * 3
        else:
            sigma = (float(step["sigma_mm"]) / _spacing(volume, where)[::-1]).tolist()
        # Use ITK's kernel for discrete samples, because the variance of this kernel is exact for any width.
        blur = sitk.DiscreteGaussianImageFilter()
        blur.SetUseImageSpacing(False)
        blur.SetVariance([v * v for v in sigma])
        blur.SetMaximumError(1e-3)
        blur.SetMaximumKernelWidth(2 * int(np.ceil(6 * max(sigma))) + 3)
        return sitk.GetArrayFromImage(blur.Execute(image))
    image = sitk.GetImageFromArray(values)
    radius = [int(step.get("radius_voxels", 1))] * 3
    if kind == "median":
        return sitk.GetArrayFromImage(sitk.Median(image, radius))
    # Extend the image by its border values, so that a closing does not erode a solid at the border.
    image = sitk.Cast(image, sitk.sitkInt16) if image.GetPixelID() == sitk.sitkInt8 else image
    if kind == "close":
        return sitk.GetArrayFromImage(sitk.GrayscaleMorphologicalClosing(image, radius, sitk.sitkBall, True))
    return sitk.GetArrayFromImage(sitk.GrayscaleMorphologicalOpening(image, radius, sitk.sitkBall, True))


def _labels(values: np.ndarray, ranges: list[list[float]], where: str) -> np.ndarray:
    labels = np.zeros(values.shape, np.uint16)
    taken = np.zeros(values.shape, bool)
    for low, high, label in ranges:
        inside = (values >= low) & (values <= high)
        if (inside & taken).any():
            raise DataError(
                f"{where}: the range from {low:g} to {high:g} overlaps another range; ranges must be disjoint"
            )
        taken |= inside
        labels[inside] = int(label)
    return labels


def _crop(volume: Volume, step: dict, where: str) -> None:
    ranges = step["voxels"]
    for axis, (first, last), n in zip("zyx", ranges, volume.values.shape, strict=True):
        if last > n:
            raise DataError(f"{where}: {axis} = [{first}, {last}] exceeds the image, which has {n} voxels along it")
    volume.values = np.ascontiguousarray(volume.values[tuple(slice(a, b) for a, b in ranges)])
    if volume.spacing_mm is not None:
        first = np.array([a for a, _ in ranges], float)
        _move(volume, (first * _spacing(volume, where))[::-1])


def _resample(volume: Volume, step: dict, overlay: bool, where: str) -> None:
    import SimpleITK as sitk  # noqa: N813

    old, new = _spacing(volume, where), np.array(step["spacing_mm"], float)
    count = np.maximum(1, np.rint(np.array(volume.values.shape) * old / new)).astype(int)
    if count.prod(dtype=np.int64) > 2**40:
        raise DataError(f"{where} creates {'x'.join(map(str, count))} voxels; choose a larger spacing_mm")
    by = "nearest" if overlay else step.get("interpolation", "linear")
    method = {"linear": sitk.sitkLinear, "nearest": sitk.sitkNearestNeighbor, "bspline": sitk.sitkBSpline}[by]
    image = sitk.GetImageFromArray(volume.values)
    image.SetSpacing(old[::-1].tolist())
    image.SetOrigin((old[::-1] / 2).tolist())  # puts the low corner at 0
    kind = image.GetPixelID() if by == "nearest" else sitk.sitkFloat32
    resampled = sitk.ResampleImageFilter()
    resampled.SetSize(count[::-1].tolist())
    resampled.SetOutputSpacing(new[::-1].tolist())
    resampled.SetOutputOrigin((new[::-1] / 2).tolist())
    resampled.SetInterpolator(method)
    resampled.SetOutputPixelType(kind)
    resampled.UseNearestNeighborExtrapolatorOn()  # extrapolate beyond the centres of the outer voxels
    volume.values = sitk.GetArrayFromImage(resampled.Execute(image))
    volume.spacing_mm = tuple(float(h) for h in new)


def _move(volume: Volume, by_x_y_z: np.ndarray) -> None:
    placement = volume.placement or Placement(np.zeros(3))
    volume.placement = replace(placement, corner_mm=placement.corner_mm + by_x_y_z)
