"""Optional packages, and extras of the wheel that install these packages.

The extras are defined in pyproject.toml. tests/packaging/wheel_test.py compares this table with pyproject.toml and with
the imports.
"""

import importlib.util
import sys

from .errors import MACHINE, complain

# Imported module, package that contains the module, and extra that installs the package.
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
    "anyio": ("anyio", "studio"),
    "uvicorn": ("uvicorn", "studio"),
    "tomlkit": ("tomlkit", "studio"),
}


def missing_package(error: ImportError) -> str:
    """Return the message for a package that could not be imported. The message contains a command that installs the
    package.

    The command contains names of packages instead of an extra of osteon. For an extra, pip would search for osteon on
    PyPI. PyPI has no such package.
    """
    name = (error.name or "").split(".")[0] or "?"
    package, extra = PACKAGE_OF.get(name, (name, None))
    others = [
        other for module, (other, its) in PACKAGE_OF.items() if its == extra and other != package and _lacks(module)
    ]
    packages = " ".join([package, *(others if extra else [])])
    return f"the Python package '{name}' is missing; `{sys.executable} -m pip install {packages}` installs it"


def end_without(*names: str) -> None:
    """If one of these modules is not installed, print the message and exit the program."""
    for name in names:
        if importlib.util.find_spec(name) is None:
            complain(missing_package(ImportError(name=name)))
            sys.exit(MACHINE)


def _lacks(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is None
    except ValueError:  # the module was created without a specification
        return False
