"""Write results for other programs: `python -m osteon.export RESULTS -o FILE [--field NAME]`."""

import argparse
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..errors import DATA, USAGE, DataError, complain, report_file_warnings
from ..extras import missing_package
from ..files.replace_file import folder_beside, replace_whole
from ..results.result_fields import Field, field_names, read_fields
from .image_formats import WRITERS
from .mesh import write_stl, write_vtu
from .meshio_formats import FORMATS, write_by_meshio
from .scripts import write_script

MESHES = (".vtu", ".stl", *FORMATS)
KNOWN = (*WRITERS, *MESHES)
MOST_ROUNDS = 1000


def export(
    source: str | Path,
    target: str | Path,
    fields: list[str],
    component: str | None = None,
    empty: float | None = None,
    smooth: int = 0,
    open_in: str | None = None,
) -> None:
    """Write fields of a result or model. The file extension of the target determines the format.

    @param component component of a field along the axes of the image: x, y, z or xx, yy, zz, xy, yz, xz
    @param empty value of voxels outside of the solid; default: NaN
    @param smooth number of smoothing rounds for a surface (.stl) @param open_in paraview or slicer; the target is then
    a script
    @throws DataError if a field is not available, or if the format cannot represent the field
    """
    source, target = Path(source), Path(target)
    write = _writer(source, target, fields, component, empty, smooth, open_in)
    with folder_beside(target) as folder:
        part = folder / target.name  # some writers select the format by the file extension
        try:
            beside = write(part) or []
        except (OSError, DataError, ImportError):
            raise
        except Exception as e:  # Writers raise their own exceptions for values that a format cannot represent.
            raise DataError(f"'{target.name}' cannot be written: {' '.join(str(e).split())[-200:]}") from None
        if target.is_dir() and not (target / ".zattrs").is_file():
            raise DataError(f"'{target}' is a folder with other content; choose another name, or remove it")
        for name in beside:
            if (other := target.with_name(name)).exists() and not _names(target, name):
                raise DataError(
                    f"'{other}' exists, but the data of '{target.name}' must be written there; choose another name"
                )
        for name in beside:  # the data files precede the file that refers to them
            (folder / name).replace(target.with_name(name))
        replace_whole(part, target)
        if target.suffix.lower() == ".npy":
            part.with_suffix(".json").replace(target.with_suffix(".json"))


def _names(target: Path, other: str) -> bool:
    """Return True if an existing target refers to the other file as its data file."""
    return target.is_file() and f">{other}:".encode() in b"".join(target.read_bytes().split())


def _writer(
    source: Path,
    target: Path,
    fields: list[str],
    component: str | None,
    empty: float | None,
    smooth: int,
    open_in: str | None,
) -> Callable[[Path], list[str] | None]:
    """Return the writer for a target. @throws DataError if the format does not support the options"""
    ending = target.suffix.lower()
    if smooth and ending != ".stl":
        raise DataError(f"--smooth applies to surfaces (.stl), not to '{target.name}'")
    if not 0 <= smooth <= MOST_ROUNDS:
        raise DataError(f"--smooth {smooth} must be in [0, {MOST_ROUNDS}] rounds")
    if open_in or ending in MESHES:
        if component is not None or empty is not None:
            raise DataError("--component and --empty apply to images, not to meshes or scripts")
        if open_in:
            if ending != ".py" or len(fields) > 1:
                raise DataError(
                    f"--open-in writes a script (.py) for one field, for example -o open.py; not '{target.name}'"
                )
            return lambda part: write_script(source, open_in, fields[0] if fields else None, part)
        if ending == ".vtu":
            return lambda part: write_vtu(source, fields, part)
        if ending in FORMATS:
            return lambda part: write_by_meshio(source, fields, part)
        if fields:
            raise DataError("a surface (.stl) contains no fields; remove --field, or write .vtu")
        return lambda part: write_stl(source, part, smooth)
    write = next((w for ending, w in WRITERS.items() if target.name.lower().endswith(ending)), None)
    if write is None:
        raise DataError(f"'{target}': unknown file extension; known: {', '.join(KNOWN)}")
    if not fields and ending != ".vti":
        names = ", ".join(field_names(source))
        raise DataError(f"select a field by --field; '{source}' has {names}")
    return lambda part: write([_prepared(field, component, empty) for field in read_fields(source, fields)], part)


def _prepared(field: Field, component: str | None, empty: float | None) -> Field:
    values = field.values
    if component is not None:
        if component not in field.components:
            has = f"has the components {', '.join(field.components)}" if field.components else "has one value per voxel"
            raise DataError(f"'{field.name}' has no component '{component}'; it {has}")
        values = np.ascontiguousarray(values[..., field.components.index(component)])
        field = replace(field, name=f"{field.name}_{component}")
    if empty is not None and values.dtype.kind == "f":
        values = np.where(np.isnan(values), values.dtype.type(empty), values)
    return replace(field, values=values)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="osteon export", description=__doc__.split(":")[0] + ".")
    parser.add_argument("source", help="results.nc or model.nc")
    parser.add_argument("-o", "--output", required=True, help=f"file to write; extension: {' '.join(KNOWN)}")
    parser.add_argument("-f", "--field", action="append", default=[], help="field; .vti and meshes accept several")
    parser.add_argument("--component", help="one component of the field: x y z or xx yy zz xy yz xz")
    parser.add_argument("--empty", type=float, help="value of empty voxels (default: NaN)")
    parser.add_argument("--smooth", type=int, default=0, help="rounds of smoothing of a surface (.stl)")
    parser.add_argument("--open-in", choices=("paraview", "slicer"), help="write a script (.py) that opens the results")
    try:
        given = parser.parse_args(arguments)
    except SystemExit as e:
        return USAGE if e.code else 0
    report_file_warnings()
    try:
        export(given.source, given.output, given.field, given.component, given.empty, given.smooth, given.open_in)
    except DataError as e:
        complain(e)
        return DATA
    except ImportError as e:
        complain(missing_package(e))
        return 5
    except OSError as e:
        complain(f"cannot write '{given.output}': {e.strerror}")
        return 5
    return 0
