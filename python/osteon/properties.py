"""Effective properties of an image, one call each: numpy in, a `Result` out.

What the material is like has no default: a number that osteon guesses would look like one that somebody measured.
"""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .api import run
from .errors import UsageError
from .image_array import fault_of_array
from .in_process import raise_together, solve_here, solve_together
from .one_frame import one_frame
from .progress import Listener
from .result import Result

if TYPE_CHECKING:
    import numpy as np
    from mpi4py import MPI
    from numpy.typing import ArrayLike

    Image = np.ndarray | ArrayLike
    Spacing = float | tuple[float, float, float]


@one_frame
def solve(
    image: "Image",
    spacing_mm: "Spacing",
    threshold: float | None = None,
    physics: str = "elasticity",
    *,
    youngs_modulus_MPa: float | None = None,  # noqa: N803 (keys carry their unit)
    poisson_ratio: float | None = None,
    conductivity_W_per_mK: float | None = None,  # noqa: N803
    axis: str | None = "z",
    strain: float | None = None,
    tolerance: float | None = 1e-6,
    progress: bool | Listener = False,
    comm: "MPI.Intracomm | None" = None,
    **tables: Mapping[str, Any],
) -> Result:
    """Any physics of one image; `stiffness` and its neighbours are easier to read.

    Parameters
    ----------
    image
        Grey values, shape (z, y, x), or a mask. The solid lies above `threshold`, by Otsu's method if it is None; of a
        mask it is True.
    spacing_mm
        Edge lengths of a voxel, (z, y, x) or one number.
    threshold
        Grey value above which a voxel is solid.
    physics
        As the key `physics` of a job. ``elasticity``: bonded axial compression; ``heat``: conduction between the two
        faces.
    youngs_modulus_MPa, poisson_ratio, conductivity_W_per_mK
        Of the solid; a physics needs some of them.
    axis
        Of the test.
    strain
        Of the driven face; that of the test if left out, for compression -0.01.
    tolerance
        Of the solver.
    progress
        True: a bar; a function: called with stage, share that is done, and details.
    comm
        Of mpi4py: its processes solve together, and all of them call this with the same arguments, but the image, which
        counts on rank 0 and may be None elsewhere. All get the answers, rank 0 the fields; where
        ``output={"directory": ...}`` names a folder for files, all can read these.
    **tables
        Further tables of a job, for example ``run={"ranks": 2}``.

    Returns
    -------
    Result

    Raises
    ------
    UsageError, DataError, SolveError, MachineError, Interrupted
        All of them `Error`, with the message of the program.
    """
    material = {
        "name": "solid",
        "youngs_modulus_MPa": youngs_modulus_MPa,
        "poisson_ratio": poisson_ratio,
        "conductivity_W_per_mK": conductivity_W_per_mK,
    }
    job = {
        "name": "solve",
        "physics": physics,
        "material": [material],
        "load": {"axis": axis, "strain": strain},
        "solve": {"tolerance": tolerance},
    }
    return _of_image(image, spacing_mm, threshold, job, tables, progress, comm)


@one_frame
def stiffness(
    image: "Image",
    spacing_mm: "Spacing",
    *,
    youngs_modulus_MPa: float,  # noqa: N803
    poisson_ratio: float,
    threshold: float | None = None,
    axis: str = "z",
    test: str = "axial_bonded",
    strain: float | None = None,
    tolerance: float = 1e-6,
    progress: bool | Listener = False,
    comm: "MPI.Intracomm | None" = None,
    **tables: Mapping[str, Any],
) -> Result:
    """Stiffness of a specimen in a mechanical test.

    The answers are ``stiffness_N_per_mm`` and ``apparent_modulus_MPa``, or those of another `test`; fields are the
    strain energy density, stresses and strains of `[output] fields`.

    Parameters
    ----------
    image
        Grey values, shape (z, y, x), or a mask. The solid lies above `threshold`, by Otsu's method if it is None; of a
        mask it is True.
    spacing_mm
        Edge lengths of a voxel, (z, y, x) or one number.
    youngs_modulus_MPa, poisson_ratio
        Of the solid.
    threshold
        Grey value above which a voxel is solid.
    axis
        Of the load: z, y or x.
    test
        ``axial_bonded``, ``uniaxial``, ``confined``, ``shear``, ``pure_shear``, ``bending`` or ``torsion``, as the key
        `load.test` of a job.
    strain
        Of the driven face; that of the test if left out, for compression -0.01.
    tolerance
        Largest relative residual.
    progress
        True: a bar; a function: called with stage, share that is done, and details.
    comm
        Of mpi4py: its processes solve together, and all of them call this with the same arguments, but the image, which
        counts on rank 0 and may be None elsewhere. All get the answers, rank 0 the fields; where
        ``output={"directory": ...}`` names a folder for files, all can read these.
    **tables
        Further tables of a job, for example ``output={"fields": ["displacement"]}``.

    Returns
    -------
    Result

    Examples
    --------
    >>> bone = osteon.stiffness(scan, spacing_mm=0.02, youngs_modulus_MPa=10_000, poisson_ratio=0.3)  # doctest: +SKIP
    >>> bone.apparent_modulus_MPa  # doctest: +SKIP
    1234.5
    """
    job = {
        "name": "stiffness",
        "physics": "elasticity",
        "material": [_elastic(youngs_modulus_MPa, poisson_ratio)],
        "load": {"axis": axis, "test": test, "strain": strain},
        "solve": {"tolerance": tolerance},
    }
    return _of_image(image, spacing_mm, threshold, job, tables, progress, comm)


@one_frame
def homogenise(
    image: "Image",
    spacing_mm: "Spacing",
    *,
    youngs_modulus_MPa: float,  # noqa: N803
    poisson_ratio: float,
    threshold: float | None = None,
    boundary_condition: str = "periodic",
    tolerance: float = 1e-6,
    progress: bool | Listener = False,
    comm: "MPI.Intracomm | None" = None,
    **tables: Mapping[str, Any],
) -> Result:
    """Stiffness tensor of a material of which the image is a sample, by six load cases.

    The answer is ``stiffness_MPa``, 6 x 6 in the order xx, yy, zz, xy, yz, xz with engineering shears, with
    ``youngs_modulus_MPa``, ``shear_modulus_MPa`` and Poisson's ratios along the axes.

    Parameters
    ----------
    image, spacing_mm, youngs_modulus_MPa, poisson_ratio, threshold, tolerance, progress, comm, **tables
        As of `stiffness`.
    boundary_condition
        ``periodic``: the image repeats itself; ``kubc``: its faces move with the mean strain, an upper bound.

    Returns
    -------
    Result
    """
    job = {
        "name": "homogenise",
        "physics": "elasticity",
        "material": [_elastic(youngs_modulus_MPa, poisson_ratio)],
        "load": {"test": "homogenise", "boundary_condition": boundary_condition},
        "solve": {"tolerance": tolerance},
    }
    return _of_image(image, spacing_mm, threshold, job, tables, progress, comm)


@one_frame
def conductivity(
    image: "Image",
    spacing_mm: "Spacing",
    *,
    conductivity_W_per_mK: float,  # noqa: N803
    threshold: float | None = None,
    axis: str | None = "z",
    tolerance: float = 1e-6,
    progress: bool | Listener = False,
    comm: "MPI.Intracomm | None" = None,
    **tables: Mapping[str, Any],
) -> Result:
    """Effective conductivity of heat, or of anything else that spreads by a gradient.

    The answers are ``effective_conductivity_W_per_mK`` and ``tortuosity``, of all axes ``conductivity_tensor_W_per_mK``
    and ``tortuosities``.

    Parameters
    ----------
    image, spacing_mm, threshold, tolerance, progress, comm, **tables
        As of `stiffness`.
    conductivity_W_per_mK
        Of the solid.
    axis
        z, y or x: between its two faces, the others insulated. None: the tensor of an image that repeats itself.

    Returns
    -------
    Result
    """
    job = {
        "name": "conductivity",
        "physics": "heat",
        "material": [{"name": "solid", "conductivity_W_per_mK": conductivity_W_per_mK}],
        "load": {"axis": axis} if axis else {"test": "conductivity_tensor"},
        "solve": {"tolerance": tolerance},
    }
    return _of_image(image, spacing_mm, threshold, job, tables, progress, comm)


@one_frame
def tortuosity(
    mask: "Image",
    spacing_mm: "Spacing",
    *,
    axis: str = "z",
    tolerance: float = 1e-6,
    progress: bool | Listener = False,
    comm: "MPI.Intracomm | None" = None,
    **tables: Mapping[str, Any],
) -> Result:
    """Tortuosity factor of a phase: its share of the volume times its own diffusivity over the effective one.

    The answers are ``tortuosity`` and ``effective_conductivity_W_per_mK``, here the effective diffusivity over that
    of the open phase.

    Parameters
    ----------
    mask
        True where the phase is, shape (z, y, x): of an electrode the electrolyte, of a rock the pores.
    spacing_mm
        Edge lengths of a voxel, (z, y, x) or one number.
    axis
        z, y or x: between its two faces, the others closed.
    tolerance, progress, comm, **tables
        As of `stiffness`.

    Returns
    -------
    Result

    Raises
    ------
    UsageError
        If `mask` is no mask: a threshold is not guessed here.
    """
    import numpy as np

    values, fault = np.asarray(mask), None
    if values.dtype != bool:
        fault = UsageError(
            f"tortuosity takes a mask, not values of the type {values.dtype}; give `image > threshold` or `labels == 2`"
        )
    raise_together(comm, fault)
    return conductivity(
        None if mask is None else values,
        spacing_mm,
        conductivity_W_per_mK=1.0,
        axis=axis,
        tolerance=tolerance,
        progress=progress,
        comm=comm,
        **tables,
    )


@one_frame
def permeability(
    image: "Image",
    spacing_mm: "Spacing",
    threshold: float | None = None,
    axis: str | None = "z",
    boundary_condition: str = "periodic",
    tolerance: float = 1e-4,
    *,
    progress: bool | Listener = False,
    comm: "MPI.Intracomm | None" = None,
    **tables: Mapping[str, Any],
) -> Result:
    """Permeability of the pores of an image, by steady Stokes flow.

    The answer is ``permeability_m2``, of all axes ``permeability_tensor_m2``; fields are `velocity` (mm/s), `speed` and
    `pressure`.

    Parameters
    ----------
    image
        Grey values, shape (z, y, x), or a mask. The solid lies above `threshold`, by Otsu's method if it is None; of a
        mask it is True. The fluid fills the rest.
    spacing_mm
        Edge lengths of a voxel, (z, y, x) or one number.
    threshold
        Grey value above which a voxel is solid.
    axis
        Direction of the flow; None: all three, for the tensor.
    boundary_condition
        ``periodic``, ``mirrored`` or ``closed``, as the key of a job.
    tolerance
        Largest relative distance of the bounds of the permeability.
    progress
        True: a bar; a function: called with stage, share that is done, and details.
    comm
        Of mpi4py: its processes solve together, and all of them call this with the same arguments, but the image, which
        counts on rank 0 and may be None elsewhere. All get the answers, rank 0 the fields; where
        ``output={"directory": ...}`` names a folder for files, all can read these.
    **tables
        Further tables of a job, for example ``flow={"viscosity_Pa_s": 0.4}`` or ``run={"ranks": 2}``.

    Returns
    -------
    Result
    """
    test = "permeability" if axis else "permeability_tensor"
    load = {"boundary_condition": boundary_condition, "test": test, "axis": axis}
    job = {"name": "permeability", "physics": "flow", "load": load, "solve": {"tolerance": tolerance}}
    return _of_image(image, spacing_mm, threshold, job, tables, progress, comm)


def _elastic(youngs_modulus_MPa: float, poisson_ratio: float) -> dict[str, Any]:  # noqa: N803
    return {"name": "solid", "youngs_modulus_MPa": youngs_modulus_MPa, "poisson_ratio": poisson_ratio}


def _of_image(
    image: "Image",
    spacing_mm: "Spacing",
    threshold: float | None,
    job: dict[str, Any],
    tables: Mapping[str, Mapping[str, Any]],
    progress: bool | Listener,
    comm: "MPI.Intracomm | None",
) -> Result:
    """Run a job on an array. Tables of the caller go before ours, key by key."""
    import numpy as np

    values = np.asarray(image)
    raise_together(comm, None if image is None and comm is not None else fault_of_array(values))
    if values.dtype == bool:
        values, threshold = values.view(np.uint8), 0.5 if threshold is None else threshold
    whole: dict[str, Any] = {
        **job,
        "image": {"spacing_mm": [float(s) for s in np.broadcast_to(spacing_mm, 3)]},
        "segment": {"threshold": threshold},
        "picture": {"enabled": False},
    }
    for name, table in tables.items():
        whole[name] = {**whole.get(name, {}), **table} if isinstance(table, Mapping) else table
    if comm is not None:
        return solve_together(whole, None if image is None else values, progress, comm)
    if (result := solve_here(whole, values, progress)) is not None:
        return result
    with tempfile.TemporaryDirectory(prefix="osteon-") as folder:
        path = Path(folder) / "image.npy"
        np.save(path, values)
        whole["image"] = {"path": str(path), **whole["image"]}
        return run(whole, progress=progress)
