"""Run a job on an image of the caller. The image contains grey values, or is a mask of one phase."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import Error, UsageError, arguments_for, warn_of_job
from ..processes.native_module import native_module
from .api import run, to_toml
from .arguments import listener_of, require_disk, require_room, spacing_of, tables_of
from .image_array import convert_image, fault_of_array, without_mask
from .in_process import raise_together, solve_in_process, solve_together
from .progress import Listener
from .result import Result

if TYPE_CHECKING:
    import numpy as np
    from mpi4py import MPI
    from numpy.typing import ArrayLike

    Image = np.ndarray | ArrayLike
    Spacing = float | Sequence[float] | np.ndarray  # edge length of a voxel: one number, or three numbers (z, y, x)

# Arguments of the functions, by the key that each argument sets.
ARGUMENTS = {
    "image.path": "image",
    "image.spacing_mm": "spacing_mm",
    "segment.threshold": "threshold",
    "load.axis": "axis",
    "load.test": "test",
    "load.strain": "strain",
    "load.boundary_condition": "boundary_condition",
    "solve.tolerance": "tolerance",
    "material[1].youngs_modulus_MPa": "youngs_modulus_MPa",
    "material[1].poisson_ratio": "poisson_ratio",
    "material[1].conductivity_W_per_mK": "conductivity_W_per_mK",
    "physics": "physics",
}


class GivenImage(NamedTuple):
    """Arguments that define the image of a job. Exactly one of the first three members is set."""

    image: "Image | None"
    spacing_mm: "Spacing | None"
    threshold: float | None = None
    solid: "Image | None" = None
    pores: "Image | None" = None
    # True if a positional mask would be ambiguous, because similar functions compute in different phases
    needs_phase: bool = False
    accepts_greys: bool = True
    phase: str = "solid"  # if the array is a mask: the phase in which the job computes
    inverts: bool = False  # True for flow, because flow is computed in the empty voxels of the image


class _ReadImage(NamedTuple):
    values: "np.ndarray"
    spacing_mm: list[float]
    threshold: float | None


def run_of_image(
    given: GivenImage,
    job: dict[str, Any],
    tables: Mapping[str, Any],
    progress: bool | Listener,
    comm: "MPI.Intracomm | None",
) -> Result:
    """Run a job on an array. For each key, tables of the caller have priority over default tables.

    Raises
    ------
    UsageError, DataError, SolveError, MachineError, Interrupted
        A `UsageError` lists all faults with the names of the arguments.
    """
    progress, tables = listener_of(progress), tables_of(tables)
    with arguments_for(_arguments_of(given, job, tables)):
        whole, values, fault = {}, None, None
        if comm is None or comm.Get_rank() == 0:
            try:
                whole, values = _whole_job(given, job, tables)
            except Exception as e:  # all exceptions are caught, because the other ranks are waiting
                if comm is None:
                    raise
                fault = e
        raise_together(comm, fault)
        if comm is not None:
            return solve_together(whole, values, progress, comm)
        assert values is not None
        if (result := solve_in_process(whole, values, progress)) is not None:
            return result
        return _run_by_program(whole, values, progress)


def read_image(given: GivenImage) -> tuple[_ReadImage | None, list[Error]]:
    """Return the image as an array of numbers, or return all faults of the image."""
    import numpy as np

    faults: list[Error] = []
    spacing, values, stated, threshold = [1.0] * 3, None, None, given.threshold
    try:
        values, stated, threshold = _values_of(given)
    except Error as e:
        faults.append(e)
    try:
        is_array = isinstance(next((i for i in given[:1] + given[3:5] if i is not None), None), np.ndarray)
        spacing = _spacing_of(given.spacing_mm, stated, is_array or values is not None)
    except Error as e:
        faults.append(e)
    return (None if faults or values is None else _ReadImage(values, spacing, threshold)), faults


def raise_all(faults: list[Error]) -> None:
    """Raise one error that lists all faults."""
    if len(faults) == 1:
        raise faults[0]
    if faults:
        raise UsageError("\n".join(map(str, faults)))


def _arguments_of(given: GivenImage, job: Mapping[str, Any], tables: Mapping[str, Any]) -> dict[str, str]:
    """Return the members of ARGUMENTS that are not set by the tables of the caller."""
    set_by_tables = {f"{name}.{key}" for name, table in tables.items() if isinstance(table, Mapping) for key in table}
    own = {key: name for key, name in ARGUMENTS.items() if key not in set_by_tables}
    if "material" in tables:
        own = {key: name for key, name in own.items() if not key.startswith("material")}
    if given.threshold is None and "segment.threshold" in own:  # for a mask, this function sets the threshold
        masks = {"solid": given.solid, "pores": given.pores, "image": given.image}
        name = next((name for name, mask in masks.items() if str(getattr(mask, "dtype", "")) == "bool"), "threshold")
        own["segment.threshold"] = name
    for name in ("test", "strain", "boundary_condition"):
        if name not in job.get("load", {}):
            own.pop(f"load.{name}", None)
    return own


def _whole_job(
    given: GivenImage, job: dict[str, Any], tables: Mapping[str, Any]
) -> tuple[dict[str, Any], "np.ndarray"]:
    import numpy as np

    for name, table in tables.items():
        if isinstance(table, np.ndarray) or not isinstance(table, (Mapping, list, tuple, str, type(None))):
            raise UsageError(
                f"{name}: not an argument of this function; further arguments are tables of a job, for example "
                'output={"fields": ["displacement"]}'
            )
    image, faults = read_image(_with_void_label(given, tables))
    whole: dict[str, Any] = {
        **job,
        "image": {"spacing_mm": image.spacing_mm if image else [1.0] * 3},
        "segment": {"threshold": image.threshold if image else 0.5},
        "picture": {"enabled": False},
    }
    for name, table in tables.items():
        whole[name] = {**whole.get(name, {}), **table} if isinstance(table, Mapping) else table
    if image is not None:
        return whole, image.values
    if (native := native_module()) is not None:
        try:
            native.why_not(to_toml({**whole, "image": {**whole["image"], "path": "array"}}))
        except UsageError as e:
            faults.append(e)
    raise_all(faults)
    raise AssertionError


def _with_void_label(given: GivenImage, tables: Mapping[str, Any]) -> GivenImage:
    """In a label image, set the masked voxels to the first label of empty space."""
    import numpy as np

    segment = tables.get("segment")
    if not isinstance(segment, Mapping):
        return given
    if segment.get("labels") is True and isinstance(given.image, np.ma.MaskedArray):
        return given._replace(image=without_mask(given.image, None, next(iter(segment.get("void_labels", [0])), 0)))
    return given


def _values_of(given: GivenImage) -> tuple["np.ndarray", tuple[float, float, float] | None, float | None]:
    """Return the values, the spacing that the image contains, and the threshold. @throws DataError, UsageError"""
    import numpy as np

    both = "pass exactly one of solid= and pores=, boolean arrays that are True in that phase"
    masks = {name: mask for name, mask in (("solid", given.solid), ("pores", given.pores)) if mask is not None}
    if len(masks) + (given.image is not None) > 1:
        names = " and ".join([*(["an image"] if given.image is not None else []), *masks])
        raise UsageError(f"{names} are given; {both}, or an image of grey values")
    if not masks:
        if given.image is None:
            raise UsageError(
                f"image: missing; {both}" if given.needs_phase else "image: missing; pass an array (z, y, x)"
            )
        values, stated = convert_image(given.image)
        if values.dtype == bool and given.needs_phase:
            raise UsageError(f"a boolean array does not define which phase is True; {both}")
        if not given.accepts_greys:
            raise UsageError(f"the image has values of type {values.dtype}, but this function has no threshold; {both}")
        _require_array(values)
        if given.inverts and np.ma.is_masked(values):
            raise UsageError(
                "image: masked voxels of grey values are neither fluid nor solid; "
                + both
                + ", masked voxels are closed"
            )
        values = without_mask(values, given.threshold, None)
        if values.dtype != bool:
            return values, stated, given.threshold
        return values.view(np.uint8), stated, 0.5 if given.threshold is None else given.threshold
    (name, mask), *_ = masks.items()
    if given.threshold is not None:
        raise UsageError(f"threshold: {name}= has no grey values; remove threshold, or pass an image of grey values")
    values, stated = convert_image(mask)
    if values.dtype != bool:
        raise UsageError(
            f"{name}: must be a boolean array, not of type {values.dtype}; pass `image > threshold` or `labels == 2`"
        )
    _require_array(values)
    inside = np.ma.getdata(values) if name == given.phase else ~np.ma.getdata(values)
    if np.ma.is_masked(values):
        inside = inside & ~np.ma.getmaskarray(values)
    return (~inside if given.inverts else inside).view(np.uint8), stated, 0.5


def _require_array(values: "np.ndarray") -> None:
    if (fault := fault_of_array(values)) is not None:
        raise fault
    require_room(values, "the image")


def _spacing_of(given: Any, stated: tuple[float, float, float] | None, is_known: bool) -> list[float]:
    """Return the spacing (z, y, x) in mm. @param is_known True if the image may contain the spacing @throws
    UsageError"""
    import numpy as np

    if given is None:
        if stated is None and is_known:
            raise UsageError("spacing_mm: missing; edge lengths of a voxel in mm, (z, y, x) or one number")
        return list(stated or (1.0, 1.0, 1.0))
    edges = spacing_of(given)
    if stated is not None and not np.allclose(edges, stated, rtol=1e-4, atol=0):
        warn_of_job(
            f"spacing_mm: the image states {tuple(float(f'{s:.6g}') for s in stated)} mm (z, y, x); the argument "
            f"{tuple(edges)} mm overrides it"
        )
    return edges


def _run_by_program(whole: dict[str, Any], values: "np.ndarray", progress: bool | Listener) -> Result:
    import numpy as np

    with tempfile.TemporaryDirectory(prefix="osteon-") as folder:
        path = Path(folder) / "image.npy"
        require_disk(Path(folder), values)
        np.save(path, values)
        return run({**whole, "image": {"path": str(path), **whole["image"]}}, progress=progress)
