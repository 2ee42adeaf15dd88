"""Fields of a result or model file, and their positions in space."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..errors import DataError
from ..images.placement import Placement
from .cluster_parts import open_results


@dataclass
class Field:
    """A field on a regular grid. The values have the shape (z, y, x) or (z, y, x, components).

    Components are along the axes of the image: x, y, z or xx, yy, zz, xy, yz, xz.
    """

    name: str
    values: np.ndarray
    units: str
    on_nodes: bool
    spacing: np.ndarray  # spacing along x, y, z in mm
    placement: Placement  # position of the low corner of the voxels, and directions of the axes

    @property
    def components(self) -> list[str]:
        return components_of(self.values.shape)

    def rotation(self) -> np.ndarray:
        """Rotation from the axes of the image to LPS. If the scan contains no axes, the rotation is the identity."""
        return np.eye(3) if self.placement.direction is None else self.placement.direction

    def first_mm(self) -> np.ndarray:
        """Position (x, y, z) of the first sample in LPS. The sample is the low corner for nodes, and the centre of a
        voxel for cells."""
        return self.rotation() @ (self.placement.corner_mm + (0 if self.on_nodes else self.spacing / 2))

    def in_frame(self, axes: np.ndarray) -> np.ndarray:
        """Return the values with components along other axes.

        @param axes rotation or reflection from the axes of the image to the other axes
        """
        if self.values.ndim == 3 or np.array_equal(axes, np.eye(3)):
            return self.values
        r = axes.astype(self.values.dtype)
        if self.values.shape[3] == 3:
            return self.values @ r.T
        shear = 0.5 if self.name.split("_")[0] == "strain" else 1.0  # engineering shears are twice the tensor shears
        full = self.values[..., [0, 3, 5, 3, 1, 4, 5, 4, 2]].reshape(*self.values.shape[:3], 3, 3).copy()
        full *= np.where(np.eye(3, dtype=bool), 1, shear).astype(full.dtype)
        turned = (r @ full @ r.T).reshape(*self.values.shape[:3], 9)[..., [0, 4, 8, 1, 5, 2]]
        turned[..., 3:] /= shear
        return turned


@dataclass
class FieldKind:
    """Metadata of a field, without values."""

    name: str
    dtype: np.dtype
    components: list[str]
    units: str
    on_nodes: bool


def components_of(shape: tuple[int, ...]) -> list[str]:
    if len(shape) == 3:
        return []
    return ["x", "y", "z"] if shape[3] == 3 else ["xx", "yy", "zz", "xy", "yz", "xz"]


def field_names(path: Path) -> dict[str, FieldKind]:
    """The fields of a file. @throws DataError in the cases of read_fields"""
    with open_results(path) as file:
        return {
            name: FieldKind(name, np.dtype(v.dtype), components_of(v.shape), str(getattr(v, "units", "1")), on_nodes)
            for name, (v, on_nodes) in file.variables.items()
        }


def known_fields(path: Path, names: list[str]) -> list[FieldKind]:
    """Return the named fields, or all fields. @throws DataError in the cases of read_fields"""
    known = field_names(path)
    for name in names:
        if name not in known:
            raise DataError(f"'{path}' has no field '{name}'; available: {', '.join(sorted(known))}")
    return [known[name] for name in names or known]


def read_fields(path: Path, names: list[str]) -> Iterator[Field]:
    """Yield the fields of a file one by one. The digests of the fields are verified. Without names, all fields are
    read.

    @throws DataError if the file is not from osteon, is incomplete or damaged, or does not contain a named field
    """
    with open_results(path) as file:
        vtk = file.file["VTKHDF"]
        try:
            image = json.loads(getattr(file.file, "provenance", "{}")).get("image", {})
        except ValueError:
            image = {}
        direction = image.get("direction")
        placement = Placement(
            np.array(vtk.Origin, float), None if direction is None else np.array(direction, float).reshape(3, 3)
        )
        for name in names or file:
            values = file[name]
            variable, on_nodes = file.variables[name]
            spacing = np.array(vtk.Spacing, float)
            yield Field(name, values, str(getattr(variable, "units", "1")), on_nodes, spacing, placement)
