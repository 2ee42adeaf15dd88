"""Packages that only some tasks need, and the extras of pip that bring them.

`osteon[EXTRA]` of pyproject.toml; tests/packaging/wheel_test.py holds this table against it and against the imports.
"""

import importlib.metadata
import importlib.util
import sys

from .errors import MACHINE, complain

# The module as it is imported, the package that has it, and the extra that brings it.
PACKAGE_OF = {
    "tifffile": ("tifffile", "tiff"),
    "imagecodecs": ("imagecodecs", "tiff"),
    "pydicom": ("pydicom", "dicom"),
    "SimpleITK": ("SimpleITK", "metaimage"),
    "nibabel": ("nibabel", "nifti"),
    "nrrd": ("pynrrd", "nrrd"),
    "h5py": ("h5py", "hdf5"),
    "py_aimio": ("aimio-py", "scanco"),
    "PIL": ("pillow", "report"),
    "matplotlib": ("matplotlib", "report"),
    "cmcrameri": ("cmcrameri", "report"),
    "xarray": ("xarray", "xarray"),
    "pyvista": ("pyvista", "pyvista"),
    "vtk": ("vtk", "pyvista"),
    "meshio": ("meshio", "mesh"),
    "tqdm": ("tqdm", "notebook"),
    "starlette": ("starlette", "studio"),
    "uvicorn": ("uvicorn", "studio"),
    "tomlkit": ("tomlkit", "studio"),
}


def missing_package(error: ImportError) -> str:
    """The sentence for a package that could not be imported: what to install."""
    name = (error.name or "").split(".")[0] or "?"
    package, extra = PACKAGE_OF.get(name, (name, None))
    asked = f"'osteon[{extra}]'" if extra and _is_installed() else package
    return f"the Python package '{name}' is missing; `{sys.executable} -m pip install {asked}` brings it"


def end_without(*names: str) -> None:
    """For programs: print the sentence and end, if one of these modules is not installed."""
    for name in names:
        if importlib.util.find_spec(name) is None:
            complain(missing_package(ImportError(name=name)))
            sys.exit(MACHINE)


def _is_installed() -> bool:
    """Whether pip knows osteon, and with it the extras; it does not in a tree that was built."""
    try:
        return bool(importlib.metadata.distribution("osteon").metadata.get_all("Provides-Extra"))
    except importlib.metadata.PackageNotFoundError:
        return False
