"""Convert arrays, and images of other packages, to images with the shape (z, y, x)."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import DataError, UsageError, warn_of_job

if TYPE_CHECKING:
    import numpy as np

# Names of dimensions in other packages (xarray, scikit-image, DICOM), in lower case.
AXES = {
    **dict.fromkeys(("z", "plane", "pln", "slice", "depth"), "z"),
    **dict.fromkeys(("y", "row", "height"), "y"),
    **dict.fromkeys(("x", "col", "column", "width"), "x"),
}
MM_PER_UNIT = {
    **dict.fromkeys(("m", "meter", "metre", "meters", "metres"), 1e3),
    **dict.fromkeys(("cm", "centimeter", "centimetre", "centimeters", "centimetres"), 10.0),
    **dict.fromkeys(("mm", "millimeter", "millimetre", "millimeters", "millimetres"), 1.0),
    **dict.fromkeys(("um", "\u00b5m", "\u03bcm", "micron", "microns", "micrometer", "micrometre"), 1e-3),
    **dict.fromkeys(("micrometers", "micrometres"), 1e-3),
    **dict.fromkeys(("nm", "nanometer", "nanometre", "nanometers", "nanometres"), 1e-6),
}


class TakenImage(NamedTuple):
    """Values with the shape (z, y, x), and the spacing in mm if the image contains a spacing."""

    values: "np.ndarray"
    spacing_mm: tuple[float, float, float] | None = None


def convert_image(image: Any) -> TakenImage:
    """Return the values of an array or of an image of another package, in the order z, y, x, and the spacing.

    Raises
    ------
    DataError
        If the order of the axes is unknown.
    """
    import numpy as np

    package = type(image).__module__.partition(".")[0]
    convert = _CONVERTERS.get(package)
    if convert is not None:
        return convert(image)
    if not isinstance(image, np.ndarray):
        for mark in ("affine", "spacing", "GetSpacing", "direction", "dims"):
            if hasattr(image, mark):
                raise DataError(
                    f"the axis order of a {type(image).__module__}.{type(image).__qualname__} is unknown; "
                    "pass a numpy array of shape (z, y, x), and spacing_mm"
                )
        try:
            image = np.asanyarray(image)
        except (TypeError, ValueError) as e:
            raise DataError(f"the image is not an array of numbers: {e}; pass an array of shape (z, y, x)") from None
    return TakenImage(image)


def fault_of_array(values: "np.ndarray") -> DataError | None:
    """Return the reason why an array cannot be an image. If the array can be an image, the result is None."""
    if values.dtype.kind not in "biuf":
        return DataError(
            f"the array has values of type {values.dtype}; integers, floats or a boolean mask are required"
        )
    if values.ndim < 3 or sum(n != 1 for n in values.shape) > 3:
        return DataError(
            f"the array has shape {values.shape}; an image has three axes, (z, y, x): pass a slice as "
            "`image[numpy.newaxis]`, and one channel of several"
        )
    if values.size == 0:
        return DataError(f"the array has shape {values.shape}; every axis must have at least one voxel")
    return None


def without_mask(values: "np.ndarray", threshold: float | None, void_label: float | None) -> "np.ndarray":
    """Return the values of a masked array. In the result, masked voxels are empty. The value of an empty voxel is below
    the threshold, is False, or is the label of the void.

    Raises
    ------
    UsageError
        If no value certainly represents an empty voxel.
    """
    import numpy as np

    if not isinstance(values, np.ma.MaskedArray):
        return values
    if not np.ma.is_masked(values):
        return values.data
    masked = int(np.ma.getmaskarray(values).sum())
    if values.dtype == bool:
        return values.filled(False)
    if void_label is not None:
        return values.filled(void_label)
    if threshold is None:
        raise UsageError(
            f"threshold: missing; {masked} voxels are masked, and Otsu's method would count them: set a threshold, "
            "or fill the array with an empty grey value"
        )
    # Values above the threshold are solid. Masked voxels receive the largest value of the type that is not above the
    # threshold.
    kind = values.dtype
    empty = np.floor(threshold) if kind.kind in "iu" else threshold
    lowest = np.iinfo(kind).min if kind.kind in "iu" else -np.inf
    if empty < lowest:
        raise UsageError(
            f"threshold: {threshold:g} is below all values of type {kind}, so that the {masked} masked voxels would "
            "be solid; set a higher threshold"
        )
    low = values.min()
    return values.filled(low if low <= threshold else kind.type(empty))


def _convert_xarray(image: Any) -> TakenImage:
    names = [str(d) for d in image.dims]
    if all(name == f"dim_{n}" for n, name in enumerate(names)):  # these names are the defaults of xarray
        return TakenImage(image.to_masked_array() if image.dtype.kind == "O" else image.values)
    known = {name: AXES.get(name.lower()) for name in names}
    others = [name for name, axis in known.items() if axis is None]
    if long := [f"'{name}' ({image.sizes[name]})" for name in others if image.sizes[name] != 1]:
        raise DataError(
            f"the dimensions of the xarray.DataArray are {tuple(names)}, but {', '.join(long)} is not z, y or x: "
            "select one index of it, or rename it"
        )
    found = [axis for axis in known.values() if axis]
    if sorted(found) != ["x", "y", "z"]:
        raise DataError(
            f"the dimensions of the xarray.DataArray are {tuple(names)}; an image has z, y and x, each once: "
            "rename them"
        )
    image = image.isel(dict.fromkeys(others, 0), drop=True)
    by_axis = {axis: name for name, axis in known.items() if axis}
    image = image.transpose(*(by_axis[axis] for axis in "zyx"))
    steps = [_step_of(image.coords[by_axis[axis]]) if by_axis[axis] in image.coords else None for axis in "zyx"]
    return TakenImage(image.values, tuple(steps) if None not in steps else None)


def _step_of(coordinate: Any) -> float | None:
    """Return the spacing of a coordinate in mm. If the coordinate has no unit or only one value, the result is None.

    Raises
    ------
    DataError
        If the spacing varies.
    """
    import numpy as np

    scale = MM_PER_UNIT.get(str(coordinate.attrs.get("units", "")).strip().lower())
    if scale is None or coordinate.size < 2:
        return None
    steps = np.diff(coordinate.values.astype(float)) * scale
    if np.ptp(steps) > 1e-3 * abs(steps.mean()):
        raise DataError(
            f"the coordinate '{coordinate.name}' has steps from {steps.min():g} to {steps.max():g} mm; voxels must "
            "have one size: interpolate the image to equal steps"
        )
    return abs(float(steps.mean()))


def _convert_simpleitk(image: Any) -> TakenImage:
    import SimpleITK

    if image.GetNumberOfComponentsPerPixel() != 1:
        raise DataError(
            f"the SimpleITK image has {image.GetNumberOfComponentsPerPixel()} components per voxel; pass one of them"
        )
    return _convert_itk_like(
        SimpleITK.GetArrayFromImage(image), image.GetSpacing(), image.GetDirection(), "SimpleITK image"
    )


def _convert_itk(image: Any) -> TakenImage:
    import itk
    import numpy as np

    if image.GetNumberOfComponentsPerPixel() != 1:
        raise DataError(
            f"the ITK image has {image.GetNumberOfComponentsPerPixel()} components per voxel; pass one of them"
        )
    direction = np.asarray(itk.array_from_matrix(image.GetDirection())).ravel()
    return _convert_itk_like(itk.array_from_image(image), list(image.GetSpacing()), direction, "ITK image")


def _convert_itk_like(values: "np.ndarray", spacing: Any, direction: Any, kind: str) -> TakenImage:
    """Convert an image of ITK. Spacing and direction have the order x, y, z. The first axis of the array is z."""
    import numpy as np

    if values.ndim != 3:
        raise DataError(f"the {kind} has {values.ndim} dimensions; an image has three")
    _warn_of_direction(np.reshape(np.asarray(direction, float), (3, 3)), kind)
    if all(step == 1 for step in spacing):
        warn_of_job(f"spacing_mm: the {kind} states 1 mm, the default of ITK if no spacing was set")
    return TakenImage(values, tuple(float(step) for step in reversed(list(spacing))))


def _convert_nibabel(image: Any) -> TakenImage:
    import numpy as np

    values = np.asanyarray(image.dataobj)
    while values.ndim > 3 and values.shape[-1] == 1:
        values = values[..., 0]
    if values.ndim != 3:
        raise DataError(
            f"the nibabel image has shape {image.shape}; an image has three axes: pass one volume, "
            "`image.slicer[..., 0]`"
        )
    zooms = [float(step) for step in image.header.get_zooms()[:3]]
    # in MGH and Analyze images, the unit is mm
    units = getattr(image.header, "get_xyzt_units", lambda: ("mm", ""))()[0]
    scale = MM_PER_UNIT.get(str(units).lower())
    if image.affine is not None and all(zooms):
        _warn_of_direction(np.asarray(image.affine)[:3, :3] / zooms, "nibabel image")
    spacing = tuple(step * scale for step in reversed(zooms)) if scale and all(zooms) else None
    return TakenImage(values.transpose(2, 1, 0), spacing)


def _convert_pyvista(image: Any) -> TakenImage:
    import numpy as np
    import pyvista

    if not isinstance(image, pyvista.ImageData):
        raise DataError(
            f"a pyvista.{type(image).__name__} is not an image; pass a pyvista.ImageData, or sample it on one"
        )
    name, values = image.active_scalars_name, image.active_scalars
    if values is None or values.ndim != 1:
        raise DataError(
            "the pyvista.ImageData has no active scalars of one component; select some by set_active_scalars"
        )
    points = np.array(image.dimensions)
    shape = points if values.size == points.prod() else np.maximum(points - 1, 1)
    if values.size != shape.prod():
        raise DataError(f"the scalars '{name}' of the pyvista.ImageData are neither on its cells nor on its points")
    if hasattr(image, "direction_matrix"):
        _warn_of_direction(np.asarray(image.direction_matrix), "pyvista.ImageData")
    spacing = tuple(float(step) for step in reversed(image.spacing))
    if all(step == 1 for step in spacing):  # if no spacing was set, VTK uses this default
        return TakenImage(np.asarray(values).reshape(shape[::-1]))
    warn_of_job(f"spacing_mm: the pyvista.ImageData states no unit; its spacing {spacing} (z, y, x) is used as mm")
    return TakenImage(np.asarray(values).reshape(shape[::-1]), spacing)


def _warn_of_direction(direction: "np.ndarray", kind: str) -> None:
    """Warn if the axes of an image are oblique in space. The order of the axes does not change."""
    import numpy as np

    if not np.allclose(np.abs(direction), np.eye(3), atol=1e-3):
        warn_of_job(f"image: the axes of the {kind} are rotated in space; z, y, x are the axes of its array")


_CONVERTERS: dict[str, Callable[[Any], TakenImage]] = {
    "xarray": _convert_xarray,
    "SimpleITK": _convert_simpleitk,
    "itk": _convert_itk,
    "nibabel": _convert_nibabel,
    "pyvista": _convert_pyvista,
}
