"""The viewer of a report. Its description, volumes and script are parts of one page (viewer/viewer.js)."""

import io
import json
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from string import Template
from typing import Any

import numpy as np
from PIL import Image

from ..results.unit_for_people import unit_for_people
from .colours import colour_table, data_uri, table_of_job
from .data import JobResult
from .scene import Scene
from .volumes import Scale, ThinField, codes_of, packed, scale_of

SCRIPTS = ("volumes.js", "slices.js", "plot.js", "surface.glsl.js", "surface.js", "viewer.js")
# maximum number of bytes of all compressed volumes on a page; script, tables and plots add about 0.5 MB
BUDGET = 5_000_000
STILL_PIXELS = 900


@dataclass
class Volumes:
    """Compressed volumes of a page. The key is the id of the HTML element. The volumes may belong to several results
    with the same shape."""

    packed: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, codes: np.ndarray) -> str:
        self.packed[name] = packed(codes)
        return name

    @property
    def size(self) -> int:
        return sum(map(len, self.packed.values()))

    def elements(self) -> str:
        return "\n".join(f'<script type="text/plain" id="{escape(n)}">{t}</script>' for n, t in self.packed.items())


def script(linked: bool = False) -> str:
    """Return the modules of the viewer in a scope of their own. The page calls osteonViewer for each element with the
    class viewer.

    @param linked True: the viewers display one grid with a common cursor (viewer/linked.js)
    """
    folder = Path(__file__).with_name("viewer")
    names = (*SCRIPTS, "linked.js") if linked else SCRIPTS
    parts = "\n".join((folder / name).read_text(encoding="utf-8") for name in names)
    if linked:
        return f"'use strict';\n(() => {{\n{parts}\nstartLinked();\n}})();"
    start = (
        "for (const root of document.querySelectorAll('.viewer'))\n"
        "  osteonViewer(root, JSON.parse(root.querySelector('.description').textContent)).catch(e => {\n"
        "    root.classList.add('nogl', 'failed');\n"
        "    root.querySelector('.readout').textContent = `The slices cannot be shown: ${e.message}`;\n"
        "  });"
    )
    return f"'use strict';\n(() => {{\n{parts}\n{start}\n}})();"


def colours(name: str) -> str:
    """Return a colour map for the viewer. The map consists of 256 colours with six hexadecimal digits each."""
    return colour_table(name).tobytes().hex()


def maps_of(shown: Any) -> dict[str, str]:
    """Return the colour maps of a viewer. The result contains the map of the picture of the job, and a map for
    fields with both signs."""
    return {"field": table_of_job(shown).tobytes().hex(), "diverging": colours("vik")}


def describe_field(
    name: str, label: str, unit: str, thin: ThinField, scale: Scale, limits: tuple[float, float] | None, k: int,
    case: str = "", has_peak: bool = True,
) -> dict[str, Any]:  # fmt: skip
    """Return an entry of `fields` in the description of the viewer. The volume of the field has the same name."""
    at_least = limits is None or limits[1] < thin.largest
    if limits is None:
        top = thin.percentiles(98)[0] if thin.has_values else 1.0
        limits = (0.0, top or 1.0) if scale.power == 2 else (scale.low, scale.high)
    if scale.diverging:
        top = max(abs(v) for v in limits)
        limits = (-top, top)
    if not limits[1] > limits[0]:
        limits = (limits[0], limits[0] + (abs(limits[0]) or 1.0))
    entry: dict[str, Any] = {
        "id": name,
        "label": label,
        "unit": unit,
        "volume": f"field-{name}",
        "low": scale.low,
        "high": scale.high,
        "power": scale.power,
        "range": [float(v) for v in limits],
        "map": "diverging" if scale.diverging else "field",
        "diverging": scale.diverging,
        "at_least": at_least,
    }
    if case:
        entry["case"] = case
    if has_peak and np.isfinite(thin.largest):
        entry["peak"] = {"value": thin.largest, "at": [float(v) for v in thin.largest_at]}
    return entry


def picture_uri(picture: Path | Image.Image, pixels: int = STILL_PIXELS) -> str:
    """Return a picture of the run with reduced size for a page. Without a picture, the text is empty."""
    if isinstance(picture, Path):
        try:
            picture = Image.open(picture).convert("RGB")
        except (OSError, ValueError, SyntaxError):
            return ""
    from PIL import WebPImagePlugin  # noqa: F401 (registers itself, so that Pillow does not import all plug-ins)

    small = picture.copy()
    small.thumbnail((pixels, pixels))
    out = io.BytesIO()
    small.save(out, "WEBP", quality=85, method=2)
    return data_uri(out.getvalue(), "image/webp")


def section(
    description: dict[str, Any], volumes: Volumes, still: str, alt: str, legend: list[dict[str, Any]],
    loads_label: str = "supports and loads", name: str = "viewer", title: str = "",
) -> str:  # fmt: skip
    """Return the part of a page that contains the viewer."""
    entries = "".join(
        f'<li><i style="background:rgb{tuple(int(v) for v in e["colour"])}"></i>{escape(str(e["label"]))}</li>'
        for e in legend
    )
    markup = Path(__file__).with_name("viewer") / "viewer.html"
    return Template(markup.read_text(encoding="utf-8")).substitute(
        id=escape(name),
        title=f"<h2>{escape(title)}</h2>" if title else "",
        alt=escape(alt),
        still=still,
        loads_label=escape(loads_label),
        legend=f'<ul class="legend">{entries}</ul>' if entries else "",
        description=json.dumps(description, allow_nan=False).replace("<", "\\u003c"),
        data=volumes.elements(),
    )


def of_result(result: JobResult, scene: Scene, picture: Image.Image | None) -> str:
    """Return the viewer of one job. If the job has no fields, the text is empty. The notes contain the fields that are
    too large for the page."""
    if not result.fields and result.scan is None:
        return ""
    k, volumes, fields = result.thinned, Volumes(), []
    if result.scan is not None:
        volumes.add("scan", result.scan.codes)
    if k > 1 and result.share is not None:
        volumes.add("solid", result.share)
    if scene.sets is not None:
        volumes.add("sets", scene.sets)
    left_out = []
    for f in result.fields:
        scale = scale_of(f.thin.sorted_values)
        codes = packed(codes_of(f.thin, scale))
        if fields and volumes.size + len(codes) > BUDGET:
            left_out.append(f.title)
            continue
        volumes.packed[f"field-{f.name}"] = codes
        fields.append(describe_field(f.name, f.title, f.unit, f.thin, scale, f.limits, k, f.case, not f.is_derived))
    if left_out:
        result.notes.append(f"Not in the viewer, because the page would be too large: {', '.join(left_out)}.")
    if k > 1:
        result.notes.append(
            f"In the viewer each block of {k} x {k} x {k} voxels is averaged over its solid voxels. Maxima and "
            "tables refer to all voxels."
        )
    shape = result.page_shape
    if not fields:  # only the scan is available
        volumes.add("field-none", np.zeros(shape, "u1"))
        fields.append(describe_field("none", "no field", "", ThinField(np.full((1, 1, 1), np.nan), np.nan, (0, 0, 0)),
                                     Scale(0, 1, 2), (0.0, 1.0), 1))  # fmt: skip
        if result.share is not None:
            volumes.add("solid", result.share)
    spacing = [float(v) * k for v in reversed(result.spacing_mm)]
    description = {
        "shape": [int(n) for n in reversed(shape)],
        "spacing": spacing,
        "origin": [float(v) for v in reversed(result.origin_mm)],
        "scan": None,
        "fields": fields,
        "solid": "solid" if "solid" in volumes.packed else None,
        "sets": {"volume": "sets", "entries": scene.entries} if scene.sets is not None else None,
        "arrows": scene.arrows,
        "letters": scene.letters,
        "maps": maps_of(result.summary.get("shown")),
        "camera": scene.camera or {"azimuth": -60.0, "elevation": 22.0, "zoom": 1.0},
        "mode": "maximum" if "fluid" in result.summary else "surface",  # the surface of a fluid would hide the flow
    }
    if result.deformations:
        entries = []
        for case, moved in result.deformations.items():
            name = volumes.add(f"moves-{case}" if case else "moves", moved.codes())
            entries.append({"volume": name, "largest": moved.largest, **({"case": case} if case else {})})
        grid = next(iter(result.deformations.values())).values.shape
        description["deformation"] = {"shape": [int(n) for n in reversed(grid[:3])], "entries": entries}
    if result.scan is not None:
        unit = unit_for_people(str(result.summary.get("image", {}).get("unit") or ""))
        description["scan"] = {"volume": "scan", "low": result.scan.low, "high": result.scan.high, "unit": unit}
    alt = f"The specimen in three dimensions, its surface in the colours of the {result.field_name[1]}"
    label = "conditions on faces" if scene.is_of_faces else "supports and loads"
    still = ""  # the picture for browsers without WebGL2
    if picture is not None:
        still = f'<img class="still" src="{picture_uri(picture)}" alt="The specimen, drawn by the run">'
    title = str(result.summary.get("shown", {}).get("caption", ""))
    return section(description, volumes, still, alt, scene.entries, label, title=title)
