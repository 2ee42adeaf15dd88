"""HDF5: one array of three axes, or ParOSol's models. h5py runs in a separate process (hdf5_values.py)."""

import json
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

from ..errors import DataError
from ..files.hdf5_locks import NO_LOCKS
from ..processes.child_process import python_command, python_environment
from .named_axes import arranged, is_in_order, order_of_axes, three_of
from .packed import BLOCK, check_claim
from .pieces import Pieces, in_values
from .volume import Missing, Stored, Volume, check_shape, type_of_layout

ENDINGS = (".h5", ".hdf5", ".he5")
REMEDY = "a scan has z, y and x: export one time or channel alone, in ilastik by the region in the export settings"
NAME = "image"  # dataset of the voxels, if there are several arrays of three axes
PAROSOL, VOXEL_SIZE, POISSON = "/Image_Data/Image", "/Image_Data/Voxelsize", "/Image_Data/Poisons_ratio"
CONDITIONS = ("/Image_Data/Fixed_Displacement_Coordinates", "/Image_Data/Loaded_Nodes_Coordinates")


def read_hdf5(path: Path) -> Volume:
    name, entry, spacing, facts, warnings = read_structure(path)
    shape, kind = tuple(entry["shape"]), np.dtype(entry["dtype"])
    missing = missing_of(entry)
    if name == PAROSOL:
        values = Pieces(shape, np.dtype("f4"), partial(_in_mpa, path, kind))
        return Volume(values, "parosol", spacing, facts=facts, warnings=warnings, missing=missing)
    order = order_of(entry, path)
    if is_in_order(order, shape):
        kept = shape if order is None else tuple(shape[i] for i in order)
        values = Pieces(kept, kind, partial(_values, path, name, kind))
    else:  # the planes are not contiguous in the file
        values = Pieces(tuple(shape[i] for i in order), kind, partial(_turned, path, name, kind, shape, order))
    place = partial(_stored, path, name, entry, order, values)
    return Volume(values, "hdf5", spacing, facts=facts, warnings=warnings, missing=missing, stored=place)


def _stored(path: Path, name: str, entry: dict, order: tuple[int, int, int] | None, values: Pieces) -> Stored | None:
    """Return the place of the values, if they are contiguous, or in chunks with known codecs."""
    done = subprocess.run(_command(path, name, "--layout"), capture_output=True, check=False, env=python_environment())
    _require_done(done.returncode, done.stderr, path)
    place, shape, kind = json.loads(done.stdout), tuple(entry["shape"]), np.dtype(entry["dtype"])
    layout = {"path": str(path.absolute()), **type_of_layout(kind)}
    if place is None:
        return None
    if "offset" in place:
        if not is_in_order(order, shape):
            return None
        three = [shape[a] for a in three_of(order, shape)]
        return Stored({"kind": "values", "offset": place["offset"], "shape": three} | layout, values)
    layout |= {"kind": "chunks", "shape": list(shape), "stored_axes": list(range(len(shape)))}
    fill = np.array(entry.get("fill_value", 0)).astype(kind).tobytes().hex()
    layout |= {"z_y_x": three_of(order, shape), "fill": fill}
    return Stored(layout | place, values, place["codecs"])


def order_of(entry: dict, path: Path) -> tuple[int, int, int] | None:
    """Return the indices of the axes z, y and x if the file names its axes. @throws DataError for axes of time or
    channels"""
    return order_of_axes(entry["axes"] or "", tuple(entry["shape"]), path, REMEDY)


def missing_of(entry: dict) -> Missing | None:
    return Missing(entry["missing"], entry["chunks"], entry.get("fill_value")) if entry.get("missing") else None


def _turned(path: Path, name: str, kind: np.dtype, shape: tuple[int, ...], order: tuple[int, int, int]):
    whole = Pieces(shape, kind, partial(_values, path, name, kind)).whole(str(path))
    yield arranged(whole, order)


def _in_mpa(path: Path, kind: np.dtype) -> Iterator[np.ndarray]:
    """Yield ParOSol's moduli, converted from GPa to MPa."""
    for piece in _values(path, PAROSOL, kind):
        yield (piece.astype("f8") * 1e3).astype("f4")


def read_structure(path: Path) -> tuple[str, dict, tuple[float, float, float] | None, dict, list[str]]:
    """Return name and entry of the voxels, spacing, facts and warnings. @throws DataError"""
    listing = _listing(path)
    datasets: dict[str, dict] = listing["datasets"]
    if PAROSOL in datasets:
        name = PAROSOL
        spacing, facts, warnings = _of_parosol(datasets, path)
    else:
        name, facts, warnings = _voxels(datasets, path), {}, []
        spacing = _spacing(datasets[name], path) or _spacing(listing, path) or _spacing_beside(datasets, name, path)
    entry = datasets[name]
    check_shape(tuple(entry["shape"]), str(path))
    if entry["elsewhere"]:
        raise DataError(f"'{path}' stores the values of '{name}' in other files; merge them, as `h5repack` does")
    claimed = int(np.prod(entry["shape"], dtype=np.int64)) * np.dtype(entry["dtype"]).itemsize
    check_claim(claimed, path, entry["bytes"], packed=entry["chunked"])
    return name, entry, spacing, facts, warnings


def _voxels(datasets: dict[str, dict], path: Path) -> str:
    solid = [name for name, entry in datasets.items() if len(entry["shape"]) >= 3]
    found = [name for name in solid if name.split("/")[-1] == NAME] or solid
    if len(found) == 1:
        return found[0]
    names = (
        ", ".join(f"'{name}' {tuple(entry['shape'])}" for name, entry in list(datasets.items())[:12]) or "no numbers"
    )
    raise DataError(
        f"'{path}' contains {names}; one array of shape (z, y, x) is required, or several with one named '{NAME}': "
        f"copy the voxels to a separate file, as `h5copy -i IN -s /NAME -o OUT -d /{NAME}` does"
    )


def _of_parosol(datasets: dict[str, dict], path: Path) -> tuple[tuple[float, float, float], dict, list[str]]:
    edge = _number(datasets, VOXEL_SIZE, path)
    if edge is None or not (np.isfinite(edge) and edge > 0):
        raise DataError(
            f"'{path}' is a model of ParOSol, but its {VOXEL_SIZE} is {edge}; it must be the edge of a voxel in mm"
        )
    ratio = _number(datasets, POISSON, path)
    warning = (
        f"'{path}' is a model of ParOSol: its values, in GPa, are read as Young's moduli in MPa, for [modulus_image] "
        "with the same path"
    )
    if ratio is not None:
        warning += f" and poisson_ratio = {ratio:g}"
    warning += ", and [segment] threshold = 0"
    if any(name in datasets for name in CONDITIONS):
        warning += "; its supports and loads are not read: define them in [load], [[support]] and [[force]]"
    return (edge, edge, edge), {"unit": "MPa"}, [warning]


def _number(datasets: dict[str, dict], name: str, path: Path) -> float | None:
    values = datasets.get(name, {}).get("values")
    if values is not None and len(values) != 1:
        raise DataError(f"'{path}': {name} has {len(values)} numbers; one is required")
    return None if values is None else float(values[0])


def _spacing(listing: dict, path: Path) -> tuple[float, float, float] | None:
    """Return the attribute `spacing_mm`, or `element_size_um` of ImageJ's and ilastik's plug-ins; (z, y, x)."""
    for key, scale in (("spacing_mm", 1.0), ("element_size_um", 1e-3)):
        if key in listing:
            return _three(listing[key], scale, key, path)
    return None


def _spacing_beside(datasets: dict[str, dict], voxels: str, path: Path) -> tuple[float, float, float] | None:
    entry = datasets.get(voxels.rsplit("/", 1)[0] + "/spacing_mm", {})
    return _three(entry["values"], 1.0, "spacing_mm", path) if "values" in entry else None


def _three(values: list[float], scale: float, key: str, path: Path) -> tuple[float, float, float]:
    edges = [scale * v for v in (values * 3 if len(values) == 1 else values)]
    if len(edges) != 3 or not all(np.isfinite(h) and h > 0 for h in edges):
        raise DataError(f"'{path}': {key} is {values}; it must be 3 numbers (z, y, x) > 0")
    return (edges[0], edges[1], edges[2])


def _listing(path: Path) -> dict:
    done = subprocess.run(_command(path), capture_output=True, check=False, env=python_environment())
    _require_done(done.returncode, done.stderr, path)
    try:
        return json.loads(done.stdout)
    except ValueError:
        raise DataError(f"'{path}' is damaged: its datasets cannot be listed; copy it again") from None


def _values(path: Path, name: str, kind: np.dtype) -> Iterator[np.ndarray]:
    with subprocess.Popen(
        _command(path, name), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=python_environment()
    ) as reader:
        try:
            yield from in_values(iter(lambda: reader.stdout.read(BLOCK), b""), kind)
            _require_done(reader.wait(), reader.stderr.read(), path)
        finally:
            if reader.poll() is None:
                reader.kill()


def _command(path: Path, *more: str) -> list[str]:
    return python_command("osteon.results.hdf5_values", str(path), *more)


def _require_done(code: int, output: bytes, path: Path) -> None:
    if code == 0:
        return
    message = " ".join(output.decode(errors="replace").split())[-300:]
    if "No module named 'h5py'" in message:
        raise ImportError("h5py is missing", name="h5py")
    if NO_LOCKS in message:
        raise DataError(f"'{path}' cannot be opened: {message}")
    why = message if code > 0 else f"HDF5 was terminated by signal {-code}"
    raise DataError(f"'{path}': not an HDF5 file, or damaged ({why}); copy it again")
