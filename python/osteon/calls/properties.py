"""Effective properties of an image. For each property, a function accepts a numpy array and returns a `Result`.

Material properties have no default, because users could mistake a default for a measured value.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from .of_image import GivenImage, run_of_image
from .one_frame import one_frame
from .progress import Listener
from .result import Result

if TYPE_CHECKING:
    from mpi4py import MPI

    from .of_image import Image, Spacing


@one_frame
def solve(
    image: "Image | None" = None,
    spacing_mm: "Spacing | None" = None,
    threshold: float | None = None,
    physics: str = "elasticity",
    *,
    solid: "Image | None" = None,
    pores: "Image | None" = None,
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
    """Solve the problem of a physics on one image. For common properties, use simpler functions such as `stiffness`.

    Parameters
    ----------
    image
        Grey values with the shape (z, y, x), or a mask. Voxels above `threshold` are solid. None selects the method of
        Otsu. A mask is True in the solid. Masked voxels of a numpy.ma array are empty. The axes of an xarray.DataArray
        are ordered by their names z, y, x. Images of SimpleITK, ITK, nibabel and PyVista contain their spacing.
    spacing_mm
        Edge lengths of a voxel in mm: (z, y, x) or one number. The argument is optional if the image contains a
        spacing.
    threshold
        Grey value. Voxels with larger values are solid.
    solid, pores
        Instead of `image`: a boolean array that is True in this phase. Elasticity and heat are computed in the solid.
        Flow is computed in the pores. A mask as `image` is accepted only for elasticity.
    physics
        Value of the job key `physics`. ``elasticity``: bonded axial compression; ``heat``: conduction between the two
        faces.
    youngs_modulus_MPa, poisson_ratio, conductivity_W_per_mK
        Properties of the solid. Each physics requires some of these properties.
    axis
        Axis of the test: z, y or x.
    strain
        Applied strain. None selects the default of the test, which is -0.01 for compression.
    tolerance
        Relative residual at which the solver stops.
    progress
        True displays a bar. A function is called with stage, completed fraction and details.
    comm
        Communicator of mpi4py. The processes of the communicator solve the job together. All processes call this
        function with the same arguments. Only the image of rank 0 is used. On other ranks, the image may be None. All
        ranks receive the answers, and rank 0 receives the fields. With ``output={"directory": ...}``, all ranks can
        read the fields.
    **tables
        Further tables of a job, for example ``run={"ranks": 2}``.

    Returns
    -------
    Result

    Raises
    ------
    UsageError, DataError, SolveError, MachineError, Interrupted
        Subclasses of `Error`, with the message of the program.
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
    # Phase in which the physics computes, and True if a mask as `image` would be ambiguous.
    phase, needs_phase = {"elasticity": ("solid", False), "flow": ("pores", True)}.get(physics, ("solid", True))
    given = GivenImage(
        image, spacing_mm, threshold, solid, pores, needs_phase=needs_phase, phase=phase, inverts=phase == "pores"
    )
    return run_of_image(given, job, tables, progress, comm)


@one_frame
def stiffness(
    image: "Image",
    spacing_mm: "Spacing | None" = None,
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

    The answers are ``stiffness_N_per_mm`` and ``apparent_modulus_MPa``. Other values of `test` have other answers. The
    key `output.fields` selects the fields, for example strain energy density, stress or strain.

    Parameters
    ----------
    image
        Grey values with the shape (z, y, x), or a mask. Voxels above `threshold` are solid. None selects the method of
        Otsu. A mask is True in the solid. Masked voxels of a numpy.ma array are empty. The axes of an xarray.DataArray
        are ordered by their names z, y, x. Images of SimpleITK, ITK, nibabel and PyVista contain their spacing.
    spacing_mm
        Edge lengths of a voxel in mm: (z, y, x) or one number. The argument is optional if the image contains a
        spacing.
    youngs_modulus_MPa, poisson_ratio
        Properties of the solid.
    threshold
        Grey value. Voxels with larger values are solid.
    axis
        Axis of the load: z, y or x.
    test
        ``axial_bonded``, ``uniaxial``, ``confined``, ``shear``, ``pure_shear``, ``bending`` or ``torsion``. The values
        are those of the job key `load.test`.
    strain
        Applied strain. None selects the default of the test, which is -0.01 for compression.
    tolerance
        Relative residual at which the solver stops.
    progress
        True displays a bar. A function is called with stage, completed fraction and details.
    comm
        Communicator of mpi4py. The processes of the communicator solve the job together. All processes call this
        function with the same arguments. Only the image of rank 0 is used. On other ranks, the image may be None. All
        ranks receive the answers, and rank 0 receives the fields. With ``output={"directory": ...}``, all ranks can
        read the fields.
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
    return run_of_image(GivenImage(image, spacing_mm, threshold), job, tables, progress, comm)


@one_frame
def homogenise(
    image: "Image",
    spacing_mm: "Spacing | None" = None,
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
    """Stiffness tensor of a sample of a material. The tensor is computed from six load cases.

    The answer is ``stiffness_MPa``, a 6 x 6 matrix. Its order is xx, yy, zz, xy, yz, xz, and its shear strains are
    engineering strains. Further answers are ``youngs_modulus_MPa``, ``shear_modulus_MPa`` and Poisson's ratios along
    the axes.

    Parameters
    ----------
    image, spacing_mm, youngs_modulus_MPa, poisson_ratio, threshold, tolerance, progress, comm, **tables
        See `stiffness`.
    boundary_condition
        ``periodic``: the image is repeated; ``kubc``: the faces of the image move with the mean strain. ``kubc`` yields
        an upper bound.

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
    return run_of_image(GivenImage(image, spacing_mm, threshold), job, tables, progress, comm)


@one_frame
def conductivity(
    image: "Image | None" = None,
    spacing_mm: "Spacing | None" = None,
    *,
    conductivity_W_per_mK: float,  # noqa: N803
    solid: "Image | None" = None,
    pores: "Image | None" = None,
    phase: str = "solid",
    threshold: float | None = None,
    axis: str | None = "z",
    tolerance: float = 1e-6,
    progress: bool | Listener = False,
    comm: "MPI.Intracomm | None" = None,
    **tables: Mapping[str, Any],
) -> Result:
    """Effective conductivity for heat, or for any other quantity that a gradient drives.

    The answers are ``effective_conductivity_W_per_mK`` and ``tortuosity``. If `axis` is None, the answers are
    ``conductivity_tensor_W_per_mK`` and ``tortuosities``.

    Parameters
    ----------
    image
        Grey values with the shape (z, y, x). Voxels above `threshold` are solid and conduct. None selects the method of
        Otsu. A mask must be passed as `solid` or `pores`.
    spacing_mm, threshold, tolerance, progress, comm, **tables
        See `stiffness`.
    conductivity_W_per_mK
        Conductivity of the conducting phase.
    solid, pores
        One of these arguments replaces `image`: a boolean array that is True in this phase.
    phase
        ``solid`` or ``pores``: the conducting phase of a mask.
    axis
        z, y or x: conduction between the two faces of the axis; all other faces are insulated. None: the tensor of a
        periodic image.

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
    given = GivenImage(image, spacing_mm, threshold, solid, pores, needs_phase=True, phase=_phase(phase))
    return run_of_image(given, job, tables, progress, comm)


@one_frame
def tortuosity(
    image: None = None,
    spacing_mm: "Spacing | None" = None,
    *,
    solid: "Image | None" = None,
    pores: "Image | None" = None,
    phase: str = "pores",
    axis: str = "z",
    tolerance: float = 1e-6,
    progress: bool | Listener = False,
    comm: "MPI.Intracomm | None" = None,
    **tables: Mapping[str, Any],
) -> Result:
    """Tortuosity factor of a phase. The factor is the volume fraction times the diffusivity of the phase, divided by
    the effective diffusivity.

    The answers are ``tortuosity``, ``porosity`` and ``relative_diffusivity``. If no path crosses the image,
    ``tortuosity`` is math.inf. ``porosity`` is the volume fraction of the phase. ``relative_diffusivity`` is the
    effective diffusivity divided by the diffusivity of the phase.

    Parameters
    ----------
    image
        None. A mask must be passed as `solid` or `pores`.
    spacing_mm
        Edge lengths of a voxel in mm: (z, y, x) or one number.
    solid, pores
        One of these arguments: a boolean array with the shape (z, y, x) that is True in this phase.
    phase
        ``pores`` or ``solid``: the phase in which diffusion takes place. For the electrolyte of an electrode and for
        the pores of a rock, use ``pores``.
    axis
        z, y or x: diffusion between the two faces of the axis; all other faces are closed.
    tolerance, progress, comm, **tables
        See `stiffness`.

    Returns
    -------
    Result

    Raises
    ------
    UsageError
        Unless exactly one of `solid` and `pores` is given. The phase and the threshold are never guessed.
    """
    job = {
        "name": "tortuosity",
        "physics": "heat",
        "material": [{"name": "phase", "conductivity_W_per_mK": 1.0}],
        "load": {"axis": axis},
        "solve": {"tolerance": tolerance},
    }
    given = GivenImage(
        image, spacing_mm, None, solid, pores, needs_phase=True, accepts_greys=False, phase=_phase(phase)
    )
    return run_of_image(given, job, tables, progress, comm)


@one_frame
def permeability(
    image: "Image | None" = None,
    spacing_mm: "Spacing | None" = None,
    threshold: float | None = None,
    axis: str | None = "z",
    boundary_condition: str = "periodic",
    tolerance: float = 1e-4,
    *,
    solid: "Image | None" = None,
    pores: "Image | None" = None,
    progress: bool | Listener = False,
    comm: "MPI.Intracomm | None" = None,
    **tables: Mapping[str, Any],
) -> Result:
    """Permeability of the pores of an image. The permeability is computed from steady Stokes flow.

    The answer is ``permeability_m2``. For all axes, the answer is ``permeability_tensor_m2``. The fields are `velocity`
    (mm/s), `speed` and `pressure`.

    Parameters
    ----------
    image
        Grey values with the shape (z, y, x). Voxels above `threshold` are solid. None selects the method of Otsu. The
        fluid fills all other voxels. A mask must be passed as `solid` or `pores`.
    spacing_mm
        Edge lengths of a voxel in mm: (z, y, x) or one number. The argument is optional if the image contains a
        spacing.
    threshold
        Grey value. Voxels with larger values are solid.
    axis
        Direction of the flow. With None, the flow is solved along all three axes, and the answer is the tensor.
    boundary_condition
        ``periodic``, ``mirrored`` or ``closed``. The values are those of the job key `load.boundary_condition`.
    tolerance
        Relative distance between the bounds of the permeability at which the solver stops.
    solid, pores
        One of these arguments replaces `image`: a boolean array that is True in this phase. The fluid fills the pores.
    progress
        True displays a bar. A function is called with stage, completed fraction and details.
    comm
        Communicator of mpi4py. The processes of the communicator solve the job together. All processes call this
        function with the same arguments. Only the image of rank 0 is used. On other ranks, the image may be None. All
        ranks receive the answers, and rank 0 receives the fields. With ``output={"directory": ...}``, all ranks can
        read the fields.
    **tables
        Further tables of a job, for example ``flow={"viscosity_Pa_s": 0.4}`` or ``run={"ranks": 2}``.

    Returns
    -------
    Result
    """
    test = "permeability" if axis else "permeability_tensor"
    load = {"boundary_condition": boundary_condition, "test": test, "axis": axis}
    job = {"name": "permeability", "physics": "flow", "load": load, "solve": {"tolerance": tolerance}}
    given = GivenImage(image, spacing_mm, threshold, solid, pores, needs_phase=True, phase="pores", inverts=True)
    return run_of_image(given, job, tables, progress, comm)


@one_frame
def permeability_tensor(
    image: "Image | None" = None,
    spacing_mm: "Spacing | None" = None,
    threshold: float | None = None,
    boundary_condition: str = "periodic",
    tolerance: float = 1e-4,
    *,
    solid: "Image | None" = None,
    pores: "Image | None" = None,
    progress: bool | Listener = False,
    comm: "MPI.Intracomm | None" = None,
    **tables: Mapping[str, Any],
) -> Result:
    """Permeability tensor of the pores of an image. The tensor is computed from steady Stokes flow along all three
    axes.

    The answers are ``permeability_tensor_m2``, ``principal_permeabilities_m2`` and ``principal_directions``.

    Parameters
    ----------
    image, spacing_mm, threshold, boundary_condition, tolerance, solid, pores, progress, comm, **tables
        See `permeability`.

    Returns
    -------
    Result
    """
    return permeability(
        image,
        spacing_mm,
        threshold,
        None,
        boundary_condition,
        tolerance,
        solid=solid,
        pores=pores,
        progress=progress,
        comm=comm,
        **tables,
    )


def _elastic(youngs_modulus_MPa: float, poisson_ratio: float) -> dict[str, Any]:  # noqa: N803
    return {"name": "solid", "youngs_modulus_MPa": youngs_modulus_MPa, "poisson_ratio": poisson_ratio}


def _phase(name: str) -> str:
    if name not in ("solid", "pores"):
        raise UsageError(f"phase: {name!r:.40} must be 'solid' or 'pores'")
    return name
