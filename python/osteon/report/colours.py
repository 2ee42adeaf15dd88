"""Colour maps and embedded pictures of the report."""

import base64
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

IVORY = ("#ece3d0", "#e9d2a2", "#f0a95a", "#e0632f", "#a8213a", "#4a0f3f")  # low values have the colour of bone


def data_uri(data: bytes, kind: str = "image/png") -> str:
    return f"data:{kind};base64,{base64.b64encode(data).decode('ascii')}"


def colour_table(name: str) -> np.ndarray:
    """Return 256 colours of a map of osteon, cmcrameri or matplotlib. The shape is (256, 3), and the type is uint8. For
    unknown names, the map is viridis."""
    if name == "ivory":
        stops = np.array([[int(stop[i : i + 2], 16) for i in (1, 3, 5)] for stop in IVORY])
        places = np.linspace(0, 1, 256)
        columns = [np.interp(places, np.linspace(0, 1, len(stops)), column) for column in stops.T]
        return np.stack(columns, -1).round().astype("u1")
    if name.endswith("_r"):
        return colour_table(name[:-2])[::-1]
    if (path := _scientific_map(name)) is not None:
        return (np.loadtxt(path)[:, :3] * 255).round().astype("u1")
    from matplotlib import colormaps

    table = colormaps[name if name in colormaps else "viridis"]
    return (np.asarray(table(np.linspace(0, 1, 256)))[:, :3] * 255).round().astype("u1")


def table_of_job(shown: Any) -> np.ndarray:
    """Return 256 colours from the low end to the high end of the range, as in the picture of the job. The shape is
    (256, 3), and the type is uint8.

    @param shown entry in the summary of the job; without the name of a map, the map is ivory, which is the map of
    surfaces
    """
    picture = shown if isinstance(shown, dict) else {}
    table = colour_table(str(picture.get("colour_map", "ivory")))
    try:
        first, last = (min(max(float(v), 0.0), 1.0) for v in picture.get("part_of_map", (0, 1)))
    except (TypeError, ValueError):
        first, last = 0.0, 1.0
    return table[np.linspace(255 * first, 255 * last, 256).round().astype(int)]


def _scientific_map(name: str) -> Path | None:
    """Return the file of a map of cmcrameri. If the package or the map is missing, the result is None. The package is
    not imported, because its import would load pyplot."""
    spec = find_spec("cmcrameri")
    if spec is None or spec.origin is None or not name.isalnum():
        return None
    path = Path(spec.origin).parent / "cmaps" / f"{name}.txt"
    return path if path.is_file() else None
