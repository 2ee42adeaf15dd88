"""The result of a job. A result contains numbers with units and arrays of fields, and can be converted for other
packages."""

import itertools
import json
import math
import re
import tempfile
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import DataError, MachineError, UsageError
from ..results.documents import well_formed
from ..results.unit_for_people import in_micrometres, unit_for_people
from .arguments import path_of
from .copied_fields import copied
from .one_frame import one_frame

if TYPE_CHECKING:
    import matplotlib.figure
    import numpy as np
    import pyvista
    import xarray

    from ..results.result_fields import Field


class Answer(NamedTuple):
    """An answer of a job. The answer consists of one number or of several numbers.

    Attributes
    ----------
    value : float, bool, list or dict
        Value as in summary.json.
    unit : str
        Unit; empty for a number without a unit.
    title, meaning : str
        Description in words.
    """

    value: Any
    unit: str
    title: str
    meaning: str


class StoredFields(Mapping[str, "np.ndarray"]):
    """Fields of a results file by name. A field is read on its first use.

    The shape of a field is (z, y, x) or (z, y, x, components). The order of components is x, y, z or xx, yy, zz, xy,
    yz, xz. Outside of the domain of a field, values are NaN.
    """

    def __init__(self, path: Path) -> None:
        from ..results.cluster_parts import open_results

        self.path = path
        with open_results(path) as file:
            self._names = list(file)
        self._read: dict[str, Field] = {}

    def field(self, name: str) -> "Field":
        """Return the field with its unit and its location."""
        from ..results.result_fields import read_fields

        if name not in self._names:
            raise KeyError(f"no field '{name}'; available: {', '.join(self._names)}")
        if name not in self._read:
            (self._read[name],) = read_fields(self.path, [name])
        return self._read[name]

    def __getitem__(self, name: str) -> "np.ndarray":
        return self.field(name).values

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"<fields {', '.join(self._names)} of {self.path}>"


class Result:
    """A finished job.

    For each number of the summary, the result has an attribute with the name of the key, including the unit:
    ``result.permeability_m2``, ``result.stiffness_N_per_mm``. ``result["displacement"]`` is a field.

    Attributes
    ----------
    summary : dict
        Content of summary.json.
    fields : Mapping of str to numpy.ndarray
        Arrays with the shape (z, y, x) or (z, y, x, components). Outside of the solid (for flow: outside of the fluid),
        values are NaN.
    output_directory : pathlib.Path or None
        Folder with the files of the job. If osteon has created the folder for the call, the folder is deleted with the
        result.
    """

    def __init__(
        self,
        summary: dict[str, Any],
        fields: "Mapping[str, np.ndarray]",
        output_directory: Path | None = None,
        *,
        _temporary: tempfile.TemporaryDirectory | None = None,
    ) -> None:
        self.summary = summary
        self.fields = fields
        self.output_directory = output_directory
        self._temporary = _temporary  # this member keeps the temporary files as long as the result exists

    def __getitem__(self, name: str) -> "np.ndarray":
        return self.fields[name]

    def __reduce__(self) -> tuple[Any, ...]:
        """Store answers and fields. Files of a temporary folder are not included. For a folder of the caller, only the
        path is stored."""
        folder = self.output_directory if self._has_own_folder() else None
        return Result, (self.summary, copied(self.fields), folder)

    def __copy__(self) -> "Result":
        """Return a result that has the same fields and files as this result."""
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__)
        copy.__dict__["summary"] = dict(self.summary)
        return copy

    def _has_own_folder(self) -> bool:
        """Return True if the folder of the files exists longer than this result."""
        return self._temporary is None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or "summary" not in self.__dict__:
            raise AttributeError(name)
        if name in self.summary:
            return _array(_with_infinity(name, self.summary[name]))
        inner = {table: values[name] for table, values in self._tables() if name in values}
        if len(inner) == 1:
            return _array(next(iter(inner.values())))
        if inner:
            raise AttributeError(f"'{name}' is in {' and '.join(inner)}: use result.{next(iter(inner))}['{name}']")
        raise AttributeError(
            f"the {self.summary.get('physics', '')} result has no '{name}'; available: {self._known()}"
        )

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.summary, *(key for _, values in self._tables() for key in values)})

    def _tables(self) -> list[tuple[str, dict[str, Any]]]:
        """Return the tables of the summary that contain answers. For example, the table `a` contains the answer
        `a.b`."""
        of_answers = {str(a["key"]).partition(".")[0] for a in self.summary.get("answers", []) if "." in str(a["key"])}
        return [(name, self.summary[name]) for name in of_answers if isinstance(self.summary.get(name), dict)]

    def _known(self) -> str:
        return ", ".join(dict.fromkeys(key.partition(".")[0] for key in self.answers))

    @property
    def answers(self) -> dict[str, Answer]:
        """Return the answers of the job, by their key in the summary. The key ``a.b`` means the key b of the table
        a."""
        found = {}
        for answer in self.summary.get("answers", []):
            key = str(answer["key"])
            value = _with_infinity(key, self._at(key)) if key in self.summary else self._at(key)
            if value is not None:
                found[key] = Answer(value, str(answer["unit"]), str(answer["title"]), str(answer["meaning"]))
        return found

    def _at(self, key: str) -> Any:
        """Return the value of a dotted key. `*` and `@` represent all entries of a table."""
        value: Any = self.summary
        for part in key.split("."):
            if part in ("*", "@"):
                return value
            if isinstance(value, list) and part.isdecimal() and int(part) < len(value):
                value = value[int(part)]
            elif isinstance(value, dict) and part in value:
                value = value[part]
            else:
                return None
        return value

    @property
    def certificate(self) -> dict[str, Any]:
        """Return the evidence for the answers. Examples are the residual, balances, energies and the convergence of the
        solver."""
        return dict(self.summary.get("certificate", {}))

    def __repr__(self) -> str:
        lines = [f"<osteon result of '{self.summary.get('job', '')}', {self.summary.get('physics', '')}"]
        lines += [f"  {key} = {_short(answer.value)}" for key, answer in self.answers.items()]
        return "\n".join([*lines, f"  fields: {', '.join(self.fields)}>"])

    def _repr_html_(self) -> str:
        """Return an HTML table of the answers and a picture. Notebooks display this HTML. The HTML contains no scripts,
        because notebooks that are not trusted remove scripts."""
        left = "style='text-align:left'"
        rows = "".join(
            f"<tr title='{escape(a.meaning, quote=True)}'><td {left}>{escape(a.title[:1].upper() + a.title[1:])}</td>"
            f"<td>{escape(_short(value))}</td><td {left}>{escape(unit_for_people(unit))}</td></tr>"
            for a in self.answers.values()
            for value, unit in (in_micrometres(a.value, a.unit),)
        )
        ok = self.certificate.get("converged")
        status = "" if ok is None else "certificate: converged" if ok else "certificate: <b>not converged</b>"
        return (
            f"<div><b>{escape(str(self.summary.get('job', '')))}</b> · {escape(str(self.summary.get('physics', '')))}"
            f" · {status}<table>{rows}</table>{self._still()}</div>"
        )

    def _still(self) -> str:
        """Return an HTML element with the picture of the job. Without a picture, the element displays the middle slices
        of the displayed field."""
        import base64
        import io

        if (picture := self._picture()) is not None:
            from PIL import Image

            with Image.open(picture) as whole:
                whole.thumbnail((480, 480))
                out = io.BytesIO()
                whole.convert("RGB").save(out, "webp", quality=80)
            kind, data = "webp", out.getvalue()
        else:
            try:
                figure = self.plot()
            except (MachineError, UsageError):
                return ""
            out = io.BytesIO()
            figure.savefig(out, format="png", dpi=70)
            kind, data = "png", out.getvalue()
        source = f"data:image/{kind};base64,{base64.b64encode(data).decode()}"
        return f"<img alt='displayed field of the job' src='{source}'>"

    def _picture(self) -> Path | None:
        """Return the path of the job's picture. Without a picture, the result is None."""
        picture = self.output_directory / "picture.png" if self.output_directory is not None else None
        return picture if picture is not None and picture.exists() else None

    def _stored(self) -> Any:
        if not hasattr(self.fields, "field"):
            raise UsageError("this result contains arrays only; osteon.load(folder) also reads units and locations")
        return self.fields

    @one_frame
    def to_xarray(self) -> "xarray.Dataset":
        """Return all fields as a dataset with units and coordinates in mm.

        Fields at voxels have the dimensions z, y, x. Fields at nodes have the dimensions zn, yn, xn. Components form an
        additional dimension.
        """
        import numpy as np
        import xarray as xr

        stored, data, coordinates = self._stored(), {}, {}
        for name in stored:
            field = stored.field(name)
            dims = ["zn", "yn", "xn"] if field.on_nodes else ["z", "y", "x"]
            for axis, (dim, count) in enumerate(zip(dims, field.values.shape[:3], strict=True)):
                low, step = field.placement.corner_mm[2 - axis], field.spacing[2 - axis]
                at = low + step * (np.arange(count) + (0 if field.on_nodes else 0.5))
                coordinates[dim] = (dim, at, {"units": "mm"})
            if field.components:
                dims.append(f"component{len(field.components)}")
                coordinates[dims[-1]] = field.components
            data[name] = (dims, field.values, {"units": field.units})
        reported = {key: value for key, value in self.summary.items() if isinstance(value, (str, int, float))}
        return xr.Dataset(data, coordinates, reported)

    @one_frame
    def to_pyvista(self) -> "pyvista.ImageData":
        """Return all fields on a grid of PyVista in mm. Fields at voxels are cell data, and fields at nodes are point
        data."""
        import numpy as np
        import pyvista as pv

        stored = self._stored()
        grid = None
        for name in stored:
            field = stored.field(name)
            shape = np.array(field.values.shape[2::-1])  # x, y, z
            if grid is None:
                points = shape if field.on_nodes else shape + 1
                grid = pv.ImageData(
                    dimensions=points,
                    spacing=field.spacing,
                    origin=field.rotation() @ field.placement.corner_mm,
                    direction_matrix=field.rotation(),
                )
            values = field.values.reshape(-1, *field.values.shape[3:])  # as in VTK, x varies fastest
            (grid.point_data if field.on_nodes else grid.cell_data)[name] = values
        if grid is None:
            raise UsageError("the result has no fields; list some in [output] fields of the job")
        return grid

    @one_frame
    def plot(
        self, field: str | None = None, slice_at: tuple[float, float, float] | None = None
    ) -> "matplotlib.figure.Figure":
        """Plot three slices of a field. The plot has a scale in mm, and a colour bar with the unit.

        Parameters
        ----------
        field
            Name of the field. Default: the displayed field of the job. For vectors, the plot displays the magnitude.
        slice_at
            Position at which the slices intersect, as fractions of the edges along z, y, x. Default: the centre.

        Returns
        -------
        matplotlib.figure.Figure
            The figure is neither displayed nor registered with pyplot.
        """
        import numpy as np
        from matplotlib.colors import ListedColormap
        from matplotlib.figure import Figure

        from ..report.colours import table_of_job

        stored, shown = self._stored(), self.summary.get("shown", {})
        name = field or next((n for n in (shown.get("field", ""), *stored) if n in stored and n != "material"), None)
        if name is None:
            raise UsageError("the result has no field to plot; list some in [output] fields of the job")
        it = stored.field(name)
        values = np.linalg.norm(it.values, axis=3) if it.components else it.values
        is_shown = name == shown.get("field")
        low, high = (shown.get("low", 0.0), shown.get("high")) if is_shown else (0.0, None)
        if not high:
            finite = values[np.isfinite(values)]
            low, high = (float(finite.min()), float(np.percentile(finite, 98))) if finite.size else (0.0, 1.0)
        colours = ListedColormap(table_of_job(shown) / 255)
        figure = Figure(figsize=(10, 3.6), layout="constrained")
        panels = figure.subplots(1, 3)
        at = [min(int(share * n), n - 1) for share, n in zip(slice_at or (0.5, 0.5, 0.5), values.shape, strict=True)]
        for axis, panel in enumerate(panels):
            plane = np.take(values, at[axis], axis)
            rows, columns = (a for a in range(3) if a != axis)
            step = it.spacing[::-1]  # z, y, x
            low_mm = it.placement.corner_mm[::-1]
            extent = [
                low_mm[columns],
                low_mm[columns] + step[columns] * plane.shape[1],
                low_mm[rows],
                low_mm[rows] + step[rows] * plane.shape[0],
            ]
            image = panel.imshow(
                plane, cmap=colours, vmin=low, vmax=high, origin="lower", extent=extent, interpolation="nearest"
            )
            panel.set(
                xlabel=f"{'zyx'[columns]} [mm]",
                ylabel=f"{'zyx'[rows]} [mm]",
                title=f"{'zyx'[axis]} = {low_mm[axis] + step[axis] * (at[axis] + 0.5):.4g} mm",
            )
            panel.set_facecolor("0.92")
        title = str(shown.get("title", name)) if is_shown else name.replace("_", " ")
        unit = unit_for_people(it.units)
        figure.colorbar(image, ax=panels, label=f"{title} [{unit}]" if unit not in ("", "1") else title, extend="max")
        return figure

    @one_frame
    def report(self, path: str | Path | None = None) -> Path:
        """Write the report as a self-contained HTML page.

        Parameters
        ----------
        path : str or pathlib.Path, optional
            File of the page. Default: ``report.html`` in the output folder of the job. Without an output folder, the
            default is ``NAME_report.html`` in the working directory. NAME is the name of the job.

        Returns
        -------
        pathlib.Path
            Absolute path of the page.
        """
        from ..files.replace_file import write_whole
        from ..report.page import page_of

        if self.output_directory is None:
            raise UsageError("this result has no folder; run the job with an [output] directory")
        if path is not None:
            target = Path(path)
        elif self._temporary is None:
            target = self.output_directory / "report.html"
        else:  # the folder is temporary, and is deleted with the result
            target = _own_page(re.sub(r"[^\w.-]", "_", str(self.summary.get("job", "job"))).lstrip(".-") or "job")
        write_whole(target, page_of(self.output_directory))
        return target.absolute()


def _own_page(name: str) -> Path:
    """Return the first free name of NAME_report.html, NAME_report_2.html, ... The name of an earlier report of osteon
    also counts as free."""
    for n in itertools.count(1):
        page = Path(f"{name}_report.html" if n == 1 else f"{name}_report_{n}.html")
        try:
            with page.open(encoding="utf-8", errors="replace") as file:
                if "osteon report</title>" in file.read(4096):
                    return page
        except FileNotFoundError:
            return page
        except OSError:
            continue
    raise AssertionError


@one_frame
def load(folder: str | Path) -> Result:
    """Read the result of a completed job from its output folder or from its results.nc.

    Raises
    ------
    DataError
        If the file is damaged, truncated or unfinished. If another program has written a copy of the file, the copy is
        read with a FileWarning.
    """
    from ..results.cluster_parts import results_exist

    folder = path_of(folder, "the output folder")
    if folder.is_file() or (folder.suffix == ".nc" and results_exist(folder)):
        folder = folder.parent
    try:
        summary = well_formed(json.loads((folder / "summary.json").read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise DataError(f"'{folder}' has no summary.json; give the output folder of a finished job") from None
    except (ValueError, RecursionError) as e:
        raise DataError(f"'{folder / 'summary.json'}' cannot be read: {e}; run the job again") from None
    if not isinstance(summary, dict):
        raise DataError(f"'{folder / 'summary.json'}' is not a summary of osteon; run the job again")
    return Result(summary, StoredFields(folder / "results.nc"), folder)


# JSON has no infinity. Instead of infinity, these keys have the value null.
_MAY_BE_INFINITE = frozenset(("tortuosity", "tortuosities"))


def _with_infinity(key: str, value: Any) -> Any:
    """Return the value of an answer. For these keys, null means infinity, because no conducting path exists."""
    if key not in _MAY_BE_INFINITE:
        return value
    if isinstance(value, list):
        return [math.inf if each is None else each for each in value]
    return math.inf if value is None else value


def _array(value: Any) -> Any:
    """Convert nested lists of numbers to an array. null becomes NaN."""
    import numpy as np

    if not isinstance(value, list) or not value:
        return value
    try:
        return np.array(value, float)
    except (TypeError, ValueError):
        return value


def _short(value: Any) -> str:
    """Format each number with five digits."""
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    if isinstance(value, (int, float)):
        return f"{value:.5g}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_short, value)) + "]"
    if isinstance(value, dict):
        return ", ".join(f"{key} {_short(inner)}" for key, inner in value.items())
    return str(value)
