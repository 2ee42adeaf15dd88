"""Diagrams of the report, as SVG that reads on light and dark paper."""

import io
from collections.abc import Callable

import matplotlib

matplotlib.use("Agg")
import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from .report_data import JobResult
from .report_slices import data_uri

INK, LINE = "#7d838c", "#2f7f9e"


def _draw(paint: Callable[[Axes], None]) -> str:
    style = {"text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": INK, "xtick.color": INK, "ytick.color": INK}
    with plt.rc_context(
        {**style, "font.size": 10, "svg.hashsalt": "osteon", "axes.spines.top": False, "axes.spines.right": False}
    ):
        figure, axes = plt.subplots(figsize=(5.6, 3.3), layout="constrained")
        paint(axes)
        axes.grid(color=INK, alpha=0.2, linewidth=0.6)
        out = io.BytesIO()
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None})
        plt.close(figure)
    return data_uri(out.getvalue(), "image/svg+xml")


def histogram(result: JobResult) -> str | None:
    if result.shown is None:
        return None
    values = result.shown[np.isfinite(result.shown)]
    values = values[values > 0]
    if values.size < 2:
        return None
    # Dead ends bear next to nothing: over all decades that they span the rest would be a single bar.
    low = max(float(np.percentile(values, 1)), float(values.max()) * 1e-9)
    high = max(float(values.max()), low * 1.01)
    _, words, unit = result.field_name

    def paint(axes: Axes) -> None:
        axes.hist(values, bins=np.geomspace(low, high, 81), weights=np.full(values.size, 100 / values.size), color=LINE)
        axes.set(xscale="log", xlabel=f"{words} ({unit}); 1 % lies further left", ylabel="solid volume (%)")
        for q, style in ((50, "-"), (98, "--")):
            axes.axvline(
                np.percentile(values, q), color="#d1603d", linestyle=style, linewidth=1.2, label=f"{q} % lie below"
            )
        axes.legend(frameon=False, fontsize=9)

    return _draw(paint)


def convergence(result: JobResult) -> str | None:
    history = [float(v) for v in result.summary.get("residual_history", [])]
    if len(history) < 2 or max(history) <= 0:
        return None
    tolerance = result.summary.get("certificate", {}).get("tolerance")

    def paint(axes: Axes) -> None:
        axes.semilogy(range(len(history)), history, color=LINE, marker="o", markersize=3.5, linewidth=1.4)
        axes.set(xlabel="iteration", ylabel="relative residual")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        if tolerance:
            axes.axhline(
                float(tolerance), color="#d1603d", linestyle="--", linewidth=1.2, label=f"tolerance {tolerance:g}"
            )
            axes.legend(frameon=False, fontsize=9)

    return _draw(paint)
