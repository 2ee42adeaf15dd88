"""Steps of a job before the threshold ([[image.step]]), by SimpleITK. Each step needs the whole image in memory.

Filters with a window process slabs of planes with a halo, in place if the type of the values does not change.

Positions refer to the image before all steps. A crop or a resampling moves the low corner, but never the origin.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..errors import DataError
from ..processes.container_limits import memory_bytes
from .fine_structures import CUTOFF, EPSILON, hysteresis, laplace_hamming, local_threshold
from .placement import Placement
from .volume import Volume

SLAB_VOXELS = 4 << 20
MOVING = ("crop", "resample")  # steps that also apply to images on the grid of the scan
# Bytes per voxel that a step needs in addition to the image: for copies of the image's type, and for other types. Steps
# that process slabs need them per voxel of a slab.
COPIES = {
    "gaussian": (0, 20),
    "median": (2, 0),
    "close": (4, 0),
    "open": (4, 0),
    "resample": (1, 0),
    "crop": (1, 0),
    "labels": (0, 2),
    "laplace_hamming": (0, 40),
    "local_threshold": (0, 41),
    "hysteresis": (0, 8),
}
RESULT_OF_SLABS = {
    "gaussian": 4,
    "median": 0,
    "close": 0,
    "open": 0,
    "local_threshold": 0,
}  # bytes per voxel of the image


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
        try:
            held = _require_memory(volume, step, where, source)
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


def _require_memory(volume: Volume, step: dict, where: str, source: str) -> int:
    values, kind = volume.values, step["kind"]
    own, other = COPIES[kind]
    held = values.nbytes
    if kind in RESULT_OF_SLABS:
        halo = _halo(volume, step, where)
        planes = min(values.shape[0], _planes_of_slab(values, halo) + 2 * halo)
        if planes < values.shape[0]:
            held += values.size * RESULT_OF_SLABS[kind]
        held += planes * values[0].size * (values.dtype.itemsize * own + other)
    else:
        held += values.size * (values.dtype.itemsize * own + other)
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
    if kind == "hysteresis":
        return hysteresis(values, step["low"], step["high"], where)
    halo = _halo(volume, step, where)
    if kind == "local_threshold":
        return _by_slabs(values, halo, local_threshold(values, step, where))
    if kind == "gaussian":
        sigma = _sigma(volume, step, where)
        # Use ITK's kernel for discrete samples, because the variance of this kernel is exact for any width.
        blur = sitk.DiscreteGaussianImageFilter()
        blur.SetUseImageSpacing(False)
        blur.SetVariance([v * v for v in sigma])
        blur.SetMaximumError(1e-3)
        blur.SetMaximumKernelWidth(2 * int(np.ceil(6 * max(sigma))) + 3)
        return _by_slabs(values, halo, _of_arrays(lambda part: blur.Execute(sitk.Cast(part, sitk.sitkFloat32))))
    radius = [int(step.get("radius_voxels", 1))] * 3
    if kind == "median":
        return _by_slabs(values, halo, _of_arrays(lambda part: sitk.Median(part, radius)))

    def morphology(part):
        # Extend the image by its border values, so that a closing does not erode a solid at the border.
        part = sitk.Cast(part, sitk.sitkInt16) if part.GetPixelID() == sitk.sitkInt8 else part
        if kind == "close":
            return sitk.GrayscaleMorphologicalClosing(part, radius, sitk.sitkBall, True)
        return sitk.GrayscaleMorphologicalOpening(part, radius, sitk.sitkBall, True)

    return _by_slabs(values, halo, _of_arrays(morphology))


def _sigma(volume: Volume, step: dict, where: str) -> list[float]:
    """Return the width of the step `gaussian` in voxels along x, y and z."""
    if step.get("sigma_voxels") is not None:
        return [float(step["sigma_voxels"])] * 3
    return (float(step["sigma_mm"]) / _spacing(volume, where)[::-1]).tolist()


def _halo(volume: Volume, step: dict, where: str) -> int:
    """Return the number of planes on which a plane of the filtered image depends, on each side."""
    if step["kind"] == "gaussian":
        return int(np.ceil(6 * max(_sigma(volume, step, where)))) + 2  # half the maximum width of the kernel
    size = int(step.get("radius_voxels", 1))
    return 2 * size if step["kind"] in ("close", "open") else size  # two filters in succession


def _planes_of_slab(values: np.ndarray, halo: int) -> int:
    return max(1, halo, SLAB_VOXELS // max(1, values[0].size))


def _of_arrays(by: Callable) -> Callable[[np.ndarray], np.ndarray]:
    """Convert a filter of images of SimpleITK to a filter of arrays."""
    import SimpleITK as sitk  # noqa: N813

    return lambda part: sitk.GetArrayFromImage(by(sitk.GetImageFromArray(part)))


def _by_slabs(values: np.ndarray, halo: int, by: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Filter an image in slabs of planes.

    @param halo planes around a slab on which the values of the slab depend @param by filter of an array
    @return the array `values`, overwritten, if the filter preserves its type; otherwise a new array. The values equal
    those of a filter of the whole image
    """
    planes = values.shape[0]
    step = _planes_of_slab(values, halo)
    result: np.ndarray | None = None
    before = values[:0]  # the unfiltered planes before the slab
    for first in range(0, planes, step):
        end = min(planes, first + step)
        part = np.concatenate([before, values[first : min(planes, end + halo)]])
        found = by(part)[len(before) : len(before) + end - first]
        if result is None:
            result = (
                values
                if found.dtype == values.dtype and values.flags.writeable
                else np.empty(values.shape, found.dtype)
            )
        if result is values:
            before = part[max(0, len(before) + end - first - halo) : len(before) + end - first].copy()
        else:
            before = values[max(0, end - halo) : end]
        result[first:end] = found
    return values if result is None else result


def _labels(values: np.ndarray, ranges: list[list[float]], where: str) -> np.ndarray:
    labels = np.zeros(values.shape, np.uint16)
    for plane, labels_of_plane in zip(values, labels, strict=True):
        taken = np.zeros(plane.shape, bool)
        for low, high, label in ranges:
            inside = (plane >= low) & (plane <= high)
            if (inside & taken).any():
                raise DataError(
                    f"{where}: the range from {low:g} to {high:g} overlaps another range; ranges must be disjoint"
                )
            taken |= inside
            labels_of_plane[inside] = int(label)
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
