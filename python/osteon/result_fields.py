"""Fields of a result or model file, with where they lie in space."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import xxhash

from .errors import DataError
from .placement import Placement


@dataclass
class Field:
    """A field on a regular grid: values of shape (z, y, x) or (z, y, x, components).

    Components lie along the image's axes: x, y, z or xx, yy, zz, xy, yz, xz.
    """

    name: str
    values: np.ndarray
    units: str
    on_nodes: bool
    spacing: np.ndarray  # x, y, z, mm
    placement: Placement  # of the voxels' low corner

    @property
    def components(self) -> list[str]:
        if self.values.ndim == 3:
            return []
        names = ["x", "y", "z"] if self.values.shape[3] == 3 else ["xx", "yy", "zz", "xy", "yz", "xz"]
        return names

    def rotation(self) -> np.ndarray:
        """From coordinates along the image's axes to LPS; nothing is turned where the scan states no axes."""
        return np.eye(3) if self.placement.direction is None else self.placement.direction

    def first_mm(self) -> np.ndarray:
        """Position of the first sample in LPS (x, y, z): a node is on the low corner, a voxel's centre is not."""
        return self.rotation() @ (self.placement.corner_mm + (0 if self.on_nodes else self.spacing / 2))

    def in_frame(self, axes: np.ndarray) -> np.ndarray:
        """The values with their components along other axes.

        @param axes rotation or reflection from the image's axes to the others
        """
        if self.values.ndim == 3 or np.array_equal(axes, np.eye(3)):
            return self.values
        r = axes.astype(self.values.dtype)
        if self.values.shape[3] == 3:
            return self.values @ r.T
        shear = 0.5 if self.name.split("_")[0] == "strain" else 1.0  # engineering shears are twice the tensor's
        full = self.values[..., [0, 3, 5, 3, 1, 4, 5, 4, 2]].reshape(*self.values.shape[:3], 3, 3).copy()
        full *= np.where(np.eye(3, dtype=bool), 1, shear).astype(full.dtype)
        turned = (r @ full @ r.T).reshape(*self.values.shape[:3], 9)[..., [0, 4, 8, 1, 5, 2]]
        turned[..., 3:] /= shear
        return turned


def fields_of(file) -> dict[str, tuple[object, bool]]:
    """Variables of an open file by name, and whether they are on nodes."""
    found = {}
    for group, on_nodes in (("CellData", False), ("PointData", True)):
        if group in file["VTKHDF"].groups:
            found |= {name: (variable, on_nodes) for name, variable in file["VTKHDF"][group].variables.items()}
    return found


def read_fields(path: Path, names: list[str]) -> Iterator[Field]:
    """Fields of a file, one after the other, checked against their digests; all of them if no name is given.

    @throws DataError if the file is none of ours, incomplete or damaged, or has no such field
    """
    import netCDF4

    if not path.is_file():
        raise DataError(f"there is no file '{path}'; give the results.nc of a job")
    try:
        file = netCDF4.Dataset(path)
    except OSError as e:
        raise DataError(f"'{path}' cannot be read as netCDF-4: {e.strerror or e}") from None
    with file:
        file.set_auto_maskandscale(False)
        if not str(getattr(file, "product_schema", "")).startswith("osteon-") or "VTKHDF" not in file.groups:
            raise DataError(f"'{path}' is no result of osteon")
        if int(getattr(file, "complete", 0)) != 1:
            raise DataError(f"'{path}' is not complete: the run that wrote it was ended; run the job again")
        found = fields_of(file)
        for name in names or found:
            if name not in found:
                raise DataError(f"'{path}' has no field '{name}'; it has {', '.join(sorted(found))}")
            yield _field(file, name, *found[name], path)


def _field(file, name: str, variable, on_nodes: bool, path: Path) -> Field:
    values = np.ascontiguousarray(variable[:])
    _check_digests(file, name, values, path)
    vtk = file["VTKHDF"]
    try:
        image = json.loads(getattr(file, "provenance", "{}")).get("image", {})
    except ValueError:
        image = {}
    direction = image.get("direction")
    placement = Placement(
        np.array(vtk.Origin, float), None if direction is None else np.array(direction, float).reshape(3, 3)
    )
    return Field(name, values, str(getattr(variable, "units", "1")), on_nodes, np.array(vtk.Spacing, float), placement)


def _check_digests(file, name: str, values: np.ndarray, path: Path) -> None:
    stored = file["integrity"][name]
    planes = int(stored.planes_per_digest)
    digest = xxhash.xxh3_64 if getattr(stored, "digest", "") == "XXH3_64" else xxhash.xxh64  # older files
    for row, expected in enumerate(stored[:]):
        part = values[row * planes : (row + 1) * planes]
        bytes_of_part = part.astype(part.dtype.newbyteorder("<"), copy=False)
        if digest(bytes_of_part).hexdigest() != expected.tobytes().decode():
            raise DataError(
                f"'{path}' is damaged: plane {row * planes} of '{name}' has not the digest it was written with"
            )
