"""Write fields of a result as an image: `python -m osteon.export RESULTS -o IMAGE --field NAME`."""

import argparse
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from .errors import DATA, USAGE, DataError, complain, tell_file_warnings
from .export_writers import WRITERS
from .extras import missing_package
from .replace_file import folder_beside
from .result_fields import Field, read_fields


def export(
    source: str | Path,
    target: str | Path,
    fields: list[str],
    component: str | None = None,
    empty: float | None = None,
) -> None:
    """Write fields of a result or model as an image of the format that the target's ending names.

    @param component of a field with several: x, y, z or xx, yy, zz, xy, yz, xz, along the image's axes
    @param empty value of the voxels without solid, instead of NaN
    @throws DataError if a field cannot be had or the format cannot hold it
    """
    target = Path(target)
    write = next((w for ending, w in WRITERS.items() if target.name.lower().endswith(ending)), None)
    if write is None:
        raise DataError(f"'{target}' has an unknown ending; known are {', '.join(WRITERS)}")
    if not fields and target.suffix.lower() != ".vti":
        names = ", ".join(field.name for field in read_fields(Path(source), []))
        raise DataError(f"name a field by --field; '{source}' has {names}")
    found = [_prepared(field, component, empty) for field in read_fields(Path(source), fields)]
    with folder_beside(target) as folder:
        part = folder / target.name  # the ending decides the format for some of the writers
        try:
            write(found, part)
        except (OSError, DataError, ImportError):
            raise
        except Exception as e:  # What a format cannot hold, its writer says in its own way.
            raise DataError(f"'{target.name}' cannot be written: {' '.join(str(e).split())[-200:]}") from None
        if target.is_dir() and not (target / ".zattrs").is_file():
            raise DataError(f"'{target}' is a folder of something else; choose another name, or remove it")
        if target.is_dir():  # An image that is a folder cannot be replaced in one step.
            shutil.rmtree(target)
        part.replace(target)
        if target.suffix.lower() == ".npy":
            part.with_suffix(".json").replace(target.with_suffix(".json"))


def _prepared(field: Field, component: str | None, empty: float | None) -> Field:
    values = field.values
    if component is not None:
        if component not in field.components:
            has = f"has the components {', '.join(field.components)}" if field.components else "has one value a voxel"
            raise DataError(f"'{field.name}' {has}, none is called '{component}'")
        values = np.ascontiguousarray(values[..., field.components.index(component)])
        field = replace(field, name=f"{field.name}_{component}")
    if empty is not None and values.dtype.kind == "f":
        values = np.where(np.isnan(values), values.dtype.type(empty), values)
    return replace(field, values=values)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="osteon export", description=__doc__.split(":")[0] + ".")
    parser.add_argument("source", help="results.nc or model.nc")
    parser.add_argument(
        "-o", "--output", required=True, help=f"image to write; its ending says how: {' '.join(WRITERS)}"
    )
    parser.add_argument("-f", "--field", action="append", default=[], help="field; several go into .vti only")
    parser.add_argument("--component", help="one component of the field: x y z or xx yy zz xy yz xz")
    parser.add_argument("--empty", type=float, help="value of empty voxels (default: NaN)")
    try:
        given = parser.parse_args(arguments)
    except SystemExit as e:
        return USAGE if e.code else 0
    tell_file_warnings()
    try:
        export(given.source, given.output, given.field, given.component, given.empty)
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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
