"""Diagrams of the report, as SVG that reads on light and dark paper."""

import io
import math
from collections.abc import Callable

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

from .colours import data_uri
from .data import JobResult

INK, LINE = "#7d838c", "#2f7f9e"


STYLE = {
    **{"text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": INK, "xtick.color": INK, "ytick.color": INK},
    **{"font.size": 10, "svg.hashsalt": "osteon", "axes.spines.top": False, "axes.spines.right": False},
}


def svg_uri(size: tuple[float, float], paint: Callable[[Figure], None]) -> str:
    """Draw a figure as SVG in a data URI.

    The figure is an object without pyplot and has fixed margins: the import of pyplot, and a layout engine that
    measures all texts, each take as long as the drawing.

    @param size width and height in inches
    @param paint adds axes and lines to the empty figure
    """
    with rc_context(STYLE):
        figure = Figure(size)
        width, height = size
        figure.subplots_adjust(
            left=0.82 / width, right=1 - 0.12 / width, bottom=0.52 / height, top=1 - 0.18 / height, hspace=0.18
        )
        paint(figure)
        for ground in (figure, *figure.axes):
            ground.patch.set_alpha(0)
        out = io.BytesIO()
        FigureCanvasSVG(figure).print_svg(out, metadata={"Date": None})
    return data_uri(out.getvalue(), "image/svg+xml")


def _draw(paint: Callable[[Axes], None]) -> str:
    def paint_one(figure: Figure) -> None:
        axes = figure.subplots()
        paint(axes)
        axes.grid(color=INK, alpha=0.2, linewidth=0.6)

    return svg_uri((5.6, 3.3), paint_one)


SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def log_axis(axis: Axis) -> None:
    """Label about six powers of ten in plain text: matplotlib's own labels are TeX, and slower than the figure."""
    axis.set_major_locator(LogLocator(numticks=7))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(lambda value, _: power_of_ten(value))


def power_of_ten(value: float) -> str:
    """A tick of a logarithmic axis: "0.01" to "1000" in full, others as a power; empty between powers."""
    if not value > 0:
        return ""
    exponent = round(math.log10(value))
    if not math.isclose(value, 10.0**exponent, rel_tol=1e-6):
        return f"{value:g}"
    return f"{value:g}" if -2 <= exponent <= 3 else f"10{str(exponent).translate(SUPERSCRIPTS)}"


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
        axes.set(
            xscale="log", xlabel=f"{words} ({unit}); 1 % of the volume is below the axis", ylabel="solid volume (%)"
        )
        log_axis(axes.xaxis)
        for q, style in ((50, "-"), (98, "--")):
            axes.axvline(
                np.percentile(values, q), color="#d1603d", linestyle=style, linewidth=1.2, label=f"{q} % lie below"
            )
        axes.legend(frameon=False, fontsize=9)

    return _draw(paint)


def greys(result: JobResult) -> str | None:
    """How many voxels of the scan have which grey value, and where the threshold lies."""
    scan = result.scan
    if scan is None or scan.counts.sum() == 0:
        return None
    s = result.summary
    unit = str(s.get("image", {}).get("unit") or "")
    threshold = s.get("segmentation", {}).get("threshold")

    def paint(axes: Axes) -> None:
        share = 100 * scan.counts / scan.counts.sum()
        axes.stairs(share, scan.edges, color=LINE, fill=True)
        axes.set(yscale="log", xlabel=f"grey value{f' ({unit})' if unit else ''}", ylabel="voxels (%)")
        log_axis(axes.yaxis)
        axes.set_ylim(max(share[share > 0].min() / 2, 1e-4), 5 * share.max())  # room for the legend
        if threshold is not None:
            axes.axvline(float(threshold), color="#d1603d", linewidth=1.4, label=f"threshold {float(threshold):g}")
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
        log_axis(axes.yaxis)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        if tolerance:
            axes.axhline(
                float(tolerance), color="#d1603d", linestyle="--", linewidth=1.2, label=f"tolerance {tolerance:g}"
            )
            axes.legend(frameon=False, fontsize=9)

    return _draw(paint)


PANELS = (  # title, unit, keys of the history with the word for their lines; those with members have a line each
    ("force on the solid", "N", {"force_on_solid_N": ""}),
    ("flow rate in", "mm³/s", {"opening_inflow_mm3_per_s": ""}),
    ("drop of pressure", "Pa", {"pressure_drop_Pa": ""}),
    ("temperature", "K", {"fluid_temperature_K": "fluid", "solid_temperature_K": "solid"}),
    ("temperature at openings", "K", {"opening_temperature_K": ""}),
    (
        "heat",
        "W",
        {
            "heat_source_W": "sources",
            "wall_heat_W": "walls to fluid",
            "heat_carried_out_W": "carried out",
            "heat_stored_W": "stored",
        },
    ),
    ("heat in through faces", "W", {"face_inflow_W": ""}),
    ("Nusselt number of convection", "", {"convection_nusselt_number": ""}),
    ("Courant number", "", {"cfl": ""}),
    ("divergence", "", {"divergence": ""}),
)
COLOURS = ("#2f7f9e", "#d1603d", "#6a994e", "#8e6bb0", "#c29a2b", "#5b6770")


def _numbers(values: list[object]) -> list[float]:
    """Values of a line; what has none at a time, as a mixing temperature where nothing flows, is a gap."""
    return [np.nan if v is None else float(v) for v in values]  # type: ignore[arg-type]


def _lines(history: dict[str, object], key: str, word: str) -> list[tuple[str, list[float]]]:
    """Label and values of what a key of a history holds."""
    values = history.get(key)
    if isinstance(values, dict):
        return [(f"{word} {name}".strip(), _numbers(inner)) for name, inner in values.items()]
    if not isinstance(values, list) or not values:
        return []
    if isinstance(values[0], list):
        return [(axis, _numbers([v[n] for v in values])) for n, axis in enumerate("zyx")]
    return [(word, _numbers(values))]


def _says_something(values: list[float]) -> bool:
    return bool(np.any(np.nan_to_num(values)))


def history(result: JobResult) -> str | None:
    """Of a flow in time: forces, flow rates, pressures, temperatures and heat, and how the steps went, against time."""
    told = result.summary.get("flow_history", {})
    time = [float(t) for t in told.get("time_s", [])]
    if len(time) < 3:
        return None
    drawn = [
        (
            title,
            unit,
            [line for key, word in keys.items() for line in _lines(told, key, word) if _says_something(line[1])],
        )
        for title, unit, keys in PANELS
    ]
    drawn = [(title, unit, lines) for title, unit, lines in drawn if lines]
    if not drawn:
        return None

    def paint(figure: Figure) -> None:
        axes = figure.subplots(len(drawn), 1, sharex=True, squeeze=False)
        for panel, (title, unit, lines) in zip(axes[:, 0], drawn, strict=True):
            for (label, values), colour in zip(lines, COLOURS * (len(lines) // len(COLOURS) + 1), strict=False):
                panel.plot(time, values, color=colour, linewidth=1.3, label=label or None)
            if title == "divergence" and all(v > 0 for v in lines[0][1][1:]):
                panel.set_yscale("log")
                log_axis(panel.yaxis)
            panel.set_ylabel(f"{title} ({unit})" if unit else title, fontsize=8)
            panel.grid(color=INK, alpha=0.2, linewidth=0.6)
            if len(lines) > 1 or lines[0][0]:
                panel.legend(frameon=False, fontsize=8, ncols=min(len(lines), 4))
        axes[-1, 0].set_xlabel("time (s)")

    return svg_uri((8, 1.7 * len(drawn)), paint)
