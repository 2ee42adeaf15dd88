"""The solid of a result as a mesh. The mesh consists of hexahedra with fields (.vtu); its surface consists of triangles
(.stl).

Values are written to disk plane by plane. At any time, only one field is in memory.
"""

import struct
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np

from ..errors import DataError
from ..results.result_fields import Field, known_fields, read_fields

# Corners of a voxel as offsets (z, y, x). The order is that of a hexahedron in VTK: around the lower face, then around
# the upper face.
CORNERS = ((0, 0, 0), (0, 0, 1), (0, 1, 1), (0, 1, 0), (1, 0, 0), (1, 0, 1), (1, 1, 1), (1, 1, 0))
MIRRORED_CORNERS = CORNERS[4:] + CORNERS[:4]  # for left-handed axes, the corners of the upper face are first
HEXAHEDRON = 12
TYPES = {"f4": "Float32", "f8": "Float64", "u1": "UInt8", "u2": "UInt16", "i4": "Int32", "i8": "Int64"}
TRIANGLE = np.dtype([("normal", "<f4", 3), ("points", "<f4", (3, 3)), ("attribute", "<u2")])


class SolidMesh:
    """The voxels of the solid and their corners. Corners are numbered along x, then along y, then along z."""

    def __init__(self, material: Field) -> None:
        self.field = material
        self.solid = material.values > 0
        self.cells_of_plane = np.count_nonzero(self.solid, axis=(1, 2))
        self.nodes_of_plane = np.array([np.count_nonzero(self.has_node(z)) for z in range(len(self.solid) + 1)])
        self.cells, self.nodes = int(self.cells_of_plane.sum()), int(self.nodes_of_plane.sum())
        self.is_mirrored = bool(np.linalg.det(material.rotation()) < 0)
        self.kind = np.dtype("<i4" if self.nodes < 2**31 else "<i8")

    def has_node(self, z: int) -> np.ndarray:
        """Return a mask of the corners in a plane. Corners of the solid are True."""
        planes = self.solid[max(0, z - 1) : z + 1].any(axis=0)
        nodes = np.zeros([n + 1 for n in planes.shape], bool)
        for y in (0, 1):
            for x in (0, 1):
                nodes[y : y + planes.shape[0], x : x + planes.shape[1]] |= planes
        return nodes

    def points(self) -> Iterator[np.ndarray]:
        """Yield positions (x, y, z) in LPS, in mm."""
        turn, corner, h = self.field.rotation(), self.field.placement.corner_mm, self.field.spacing
        for z in range(len(self.solid) + 1):
            y, x = np.nonzero(self.has_node(z))
            at = np.stack([x, y, np.full(len(x), z)], axis=1) * h + corner
            yield at @ turn.T

    def connectivity(self) -> Iterator[np.ndarray]:
        """Yield the corners of the cells. With the order of the corners, each volume is positive in LPS."""
        corners = MIRRORED_CORNERS if self.is_mirrored else CORNERS
        numbers = [self._numbers(0, 0)]
        first = int(self.nodes_of_plane[0])
        for z, plane in enumerate(self.solid):
            numbers = [numbers[-1], self._numbers(z + 1, first)]
            first += int(self.nodes_of_plane[z + 1])
            y, x = np.nonzero(plane)
            yield np.stack([numbers[dz][y + dy, x + dx] for dz, dy, dx in corners], axis=1)

    def ends(self) -> Iterator[np.ndarray]:
        """Yield the end of each cell in the list of all corners."""
        for first in range(0, self.cells, 1 << 20):
            yield 8 * np.arange(first + 1, min(first + (1 << 20), self.cells) + 1, dtype="<i8")

    def _numbers(self, z: int, first: int) -> np.ndarray:
        has = self.has_node(z)
        numbers = np.zeros(has.shape, self.kind)
        numbers[has] = first + np.arange(np.count_nonzero(has))
        return numbers

    def of_field(self, field: Field) -> Iterator[np.ndarray]:
        """Yield the values of the field at the cells or nodes of the mesh. Components are along LPS."""
        turn = field.rotation()
        for z, plane in enumerate(field.values):
            where = self.has_node(z) if field.on_nodes else self.solid[z]
            values = plane[where][None, None]  # the field has one row
            part = Field(field.name, values, field.units, field.on_nodes, field.spacing, field.placement)
            yield part.in_frame(turn)[0, 0]


def write_vtu(source: Path, names: list[str], path: Path) -> None:
    """Write an unstructured grid of VTK. ParaView, PyVista and meshio read this format."""
    mesh = solid_mesh(source)
    arrays = known_fields(source, names)
    count = {True: mesh.nodes, False: mesh.cells}
    integer = TYPES[mesh.kind.str[1:]]
    parts: list[tuple[str, int]] = []  # pairs of the text of an array and the number of its bytes
    offset = 0

    def array(name: str, kind: str, size: int, components: int = 1, more: str = "") -> str:
        nonlocal offset
        text = (
            f'<DataArray type="{kind}" Name={quoteattr(name)} NumberOfComponents="{components}"{more} '
            f'format="appended" offset="{offset}"/>'
        )
        offset += 8 + size
        parts.append((text, size))
        return text

    points = array("Points", "Float64", 24 * mesh.nodes, 3)
    cells = array("connectivity", integer, 8 * mesh.kind.itemsize * mesh.cells)
    cells += array("offsets", "Int64", 8 * mesh.cells) + array("types", "UInt8", mesh.cells)
    shown: dict[bool, str] = {True: "", False: ""}
    for a in arrays:
        named = "".join(f" ComponentName{i}={quoteattr(c)}" for i, c in enumerate(a.components))
        size = count[a.on_nodes] * max(1, len(a.components)) * a.dtype.itemsize
        shown[a.on_nodes] += array(a.name, TYPES[a.dtype.str[1:]], size, max(1, len(a.components)), named)
    head = (
        '<?xml version="1.0"?>\n<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" '
        'header_type="UInt64">\n<UnstructuredGrid>\n'
        f'<Piece NumberOfPoints="{mesh.nodes}" NumberOfCells="{mesh.cells}">\n'
        f"<PointData>{shown[True]}</PointData>\n<CellData>{shown[False]}</CellData>\n<Points>{points}</Points>\n"
        f'<Cells>{cells}</Cells>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding="raw">\n_'
    )
    with path.open("wb") as file:
        file.write(head.encode())

        def put(size: int, values: Iterator[np.ndarray], kind: str) -> None:
            file.write(struct.pack("<Q", size))
            for block in values:
                file.write(np.ascontiguousarray(block).astype(kind, copy=False).tobytes())

        put(parts[0][1], mesh.points(), "<f8")
        put(parts[1][1], mesh.connectivity(), mesh.kind.str)
        put(parts[2][1], mesh.ends(), "<i8")
        put(parts[3][1], iter([np.full(mesh.cells, HEXAHEDRON, "u1")]), "u1")
        for a, (_, size) in zip(arrays, parts[4:], strict=True):
            for field in read_fields(source, [a.name]):
                put(size, mesh.of_field(field), a.dtype.newbyteorder("<").str)
        file.write(b"\n</AppendedData>\n</VTKFile>\n")


def write_stl(source: Path, path: Path, smooth: int = 0) -> None:
    """Write the surface of the solid. Each face of a voxel consists of two triangles. If `smooth` is set, the filter
    SurfaceNets of VTK smooths the surface."""
    mesh = solid_mesh(source)
    if smooth:
        _write_smooth(mesh, path, smooth)
        return
    order = ((0, 2, 1), (0, 3, 2)) if mesh.is_mirrored else ((0, 1, 2), (0, 2, 3))
    count = 0
    with path.open("wb") as file:
        file.write(b"surface of a voxel solid by osteon, mm".ljust(80) + struct.pack("<I", 0))
        for points, normal in _faces(mesh):
            triangles = np.zeros(2 * len(points), TRIANGLE)
            triangles["normal"] = normal
            triangles["points"] = points[:, order].reshape(-1, 3, 3)
            file.write(triangles.tobytes())
            count += len(triangles)
            if count >= 2**32:
                raise DataError("the surface has more than 2^32 triangles, the limit of STL; crop the image")
        file.seek(80)
        file.write(struct.pack("<I", count))


def _faces(mesh: SolidMesh) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the corners of the faces between solid and empty voxels, with shape (faces, 4, 3), and the normals. From
    outside, the corners are counter-clockwise."""
    solid, field = mesh.solid, mesh.field
    turn, corner, h = field.rotation(), field.placement.corner_mm, field.spacing
    empty = np.zeros(solid.shape[1:], bool)
    for z, plane in enumerate(solid):
        for axis, side in ((a, s) for a in (0, 1, 2) for s in (-1, 1)):  # axes in the order z, y, x
            if axis == 0:
                beside = solid[z + side] if 0 <= z + side < len(solid) else empty
            else:
                beside = np.zeros_like(plane)
                inner, outer = [slice(None)] * 2, [slice(None)] * 2
                low, high = slice(None, -1), slice(1, None)
                inner[axis - 1], outer[axis - 1] = (high, low) if side < 0 else (low, high)
                beside[tuple(inner)] = plane[tuple(outer)]
            y, x = np.nonzero(plane & ~beside)
            if not len(x):
                continue
            across = 2 - axis  # index in the order x, y, z
            first = np.stack([x, y, np.full(len(x), z)], axis=1)[:, None, :]
            steps = np.zeros((4, 3), int)
            steps[:, across] = side > 0
            u, v = (across + 1) % 3, (across + 2) % 3
            around = ((0, 0), (1, 0), (1, 1), (0, 1)) if side > 0 else ((0, 0), (0, 1), (1, 1), (1, 0))
            for k, (a, b) in enumerate(around):
                steps[k, u], steps[k, v] = a, b
            points = ((first + steps) * h + corner) @ turn.T
            yield points, side * turn[:, across]


def _write_smooth(mesh: SolidMesh, path: Path, rounds: int) -> None:
    try:
        import vtk
        from vtk.util.numpy_support import numpy_to_vtk
    except ImportError:
        raise DataError(
            "a smooth surface requires the Python package vtk: pip install vtk, or remove --smooth"
        ) from None

    field, solid = mesh.field, np.pad(mesh.solid, 1)
    image = vtk.vtkImageData()
    image.SetDimensions(solid.shape[::-1])
    image.SetSpacing(field.spacing)
    image.SetOrigin(field.placement.corner_mm - field.spacing / 2)
    labels = numpy_to_vtk(solid.astype(np.uint8).ravel(), deep=True)
    image.GetPointData().SetScalars(labels)
    nets = vtk.vtkSurfaceNets3D()
    nets.SetInputData(image)
    nets.SetValue(0, 1)
    nets.SetOutputMeshTypeToTriangles()
    nets.SetNumberOfIterations(rounds)
    # Points move by at most half of a voxel. Plates of one voxel therefore remain intact.
    nets.AutomaticSmoothingConstraintsOff()
    nets.SetConstraintDistance(0.5 * float(field.spacing.min()))
    turn = vtk.vtkTransform()
    matrix = np.eye(4)
    matrix[:3, :3] = field.rotation()
    turn.SetMatrix(matrix.ravel())
    moved = vtk.vtkTransformFilter()
    moved.SetTransform(turn)
    moved.SetInputConnection(nets.GetOutputPort())
    writer = vtk.vtkSTLWriter()
    writer.SetFileTypeToBinary()
    writer.SetFileName(str(path))
    writer.SetInputConnection(moved.GetOutputPort())
    if not writer.Write():
        raise OSError(5, "VTK could not write the file")


def solid_mesh(source: Path) -> SolidMesh:
    """@throws DataError if the model has no solid"""
    mesh = SolidMesh(next(read_fields(source, ["material"])))
    if mesh.cells == 0:
        raise DataError(f"'{source}' has no solid voxel")
    return mesh
