"""The solid of a result as a mesh in formats of meshio, such as Gmsh, XDMF and Nastran.

The mesh and the fields are in memory at the same time. For large meshes, use .vtu.
"""

import contextlib
import io
from pathlib import Path

import numpy as np

from ..errors import DataError
from ..results.result_fields import Field, known_fields, read_fields
from .mesh import solid_mesh

# For each extension: name of the format in meshio, and options of the writer.
FORMATS = {
    ".msh": ("gmsh22", {"binary": True}),  # all programs read this version of the format
    ".xdmf": ("xdmf", {"data_format": "HDF", "compression": "gzip"}),
    ".bdf": ("nastran", {}),
}
# Indices of xx, yy, zz, xy, yz, xz in a matrix that is stored row by row.
MATRIX = [0, 3, 5, 3, 1, 4, 5, 4, 2]


def write_by_meshio(source: Path, names: list[str], path: Path) -> list[str]:
    """Write the mesh with the named fields or with all fields. Positions (x, y, z) are in LPS, in mm. Material numbers
    of the voxels become physical groups in Gmsh, and properties in Nastran.

    @return further files in the folder of `path` @throws DataError if a field is not available, or if the format has no
    fields
    """
    import meshio

    ending = path.suffix.lower()
    if ending == ".bdf" and names:
        raise DataError("a Nastran mesh (.bdf) contains no fields; remove --field, or write .msh, .xdmf or .vtu")
    arrays = [] if ending == ".bdf" else known_fields(source, names)
    mesh = solid_mesh(source)
    point_data, cell_data = {}, {}
    for wanted in arrays:
        for field in read_fields(source, [wanted.name]):
            values = np.concatenate(list(mesh.of_field(field)))
            where = point_data if field.on_nodes else cell_data
            where[field.name] = _as_matrix(field, values) if ending == ".msh" and len(field.components) == 6 else values
    material = np.concatenate(list(mesh.of_field(mesh.field))).astype("i4")
    tags = {".msh": ("gmsh:physical", "gmsh:geometrical"), ".bdf": ("nastran:ref",)}
    cell_data |= dict.fromkeys(tags.get(ending, ()), material)
    points = np.concatenate(list(mesh.points()))
    if ending == ".bdf":  # numbers in this format have 16 characters; positions are therefore rounded to a nanometre
        points = np.round(points, 6) + 0.0
    whole = meshio.Mesh(
        points,
        [("hexahedron", np.concatenate(list(mesh.connectivity())))],
        point_data=point_data,
        cell_data={name: [values] for name, values in cell_data.items()},
    )
    kind, more = FORMATS[ending]
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):  # irrelevant warnings of meshio are hidden
        meshio.write(path, whole, file_format=kind, **more)
    return [path.with_suffix(".h5").name] if ending == ".xdmf" else []


def _as_matrix(field: Field, values: np.ndarray) -> np.ndarray:
    """Convert values to matrices, which represent tensors in Gmsh. Engineering shears of a strain are divided by
    two."""
    if field.name.endswith("strain"):
        values = values * np.array([1, 1, 1, 0.5, 0.5, 0.5], values.dtype)
    return values[:, MATRIX]
