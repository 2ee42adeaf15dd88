"""Colour maps and embedded pictures of the report."""

import base64

import numpy as np
from matplotlib import colormaps

IVORY = ("#ece3d0", "#e9d2a2", "#f0a95a", "#e0632f", "#a8213a", "#4a0f3f")  # what bears nothing looks like bone


def data_uri(data: bytes, kind: str = "image/png") -> str:
    return f"data:{kind};base64,{base64.b64encode(data).decode('ascii')}"


def colour_table(name: str) -> np.ndarray:
    """256 colours, shape (256, 3), uint8."""
    if name == "ivory":
        from matplotlib.colors import LinearSegmentedColormap

        of_stops = LinearSegmentedColormap.from_list(name, IVORY)
        return (of_stops(np.linspace(0, 1, 256))[:, :3] * 255).round().astype("u1")
    try:
        import cmcrameri.cm as scientific

        table = scientific.cmaps.get(name)
    except ImportError:
        table = None
    if table is None:
        table = colormaps[name if name in colormaps else "viridis"]
    return (np.asarray(table(np.linspace(0, 1, 256)))[:, :3] * 255).round().astype("u1")
