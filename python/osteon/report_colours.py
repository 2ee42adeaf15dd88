"""Colour maps and embedded pictures of the report."""

import base64

import numpy as np
from matplotlib import colormaps


def data_uri(data: bytes, kind: str = "image/png") -> str:
    return f"data:{kind};base64,{base64.b64encode(data).decode('ascii')}"


def colour_table(name: str) -> np.ndarray:
    """256 colours, shape (256, 3), uint8."""
    try:
        import cmcrameri.cm as scientific

        table = scientific.cmaps.get(name)
    except ImportError:
        table = None
    if table is None:
        table = colormaps[name if name in colormaps else "viridis"]
    return (np.asarray(table(np.linspace(0, 1, 256)))[:, :3] * 255).round().astype("u1")
