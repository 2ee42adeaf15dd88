"""Diagrams of the report."""

import numpy as np

from .chart import COLOURS, Line, Panel, Rule, svg_uri
from .data import JobResult
from .volumes import percentiles_of_sorted

WARM = COLOURS[1]
SMALL = (5.6, 3.3)  # size in inches


def histogram(result: JobResult) -> str | None:
    if result.shown is None:
        return None
    values = result.shown.sorted_values
    values = values[np.searchsorted(values, 0, side="right") :]
    if values.size < 2:
        return None
    least, middle, most = percentiles_of_sorted(values, (1, 50, 98))
    # Dead ends have almost no load. If an axis contained all decades of these values, all other values would form a
    # single bar.
    low = max(least, float(values[-1]) * 1e-9)
    high = max(float(values[-1]), low * 1.01)
    _, title, unit = result.field_name
    edges = np.geomspace(low, high, 81)
    edges[-1] = high  # rounding may reduce this edge and exclude the maximum
    counts = np.diff(np.append(np.searchsorted(values, edges[:-1]), values.size))
    panel = Panel(
        f"{title} ({unit}); 1 % of the volume is below the axis",
        "solid volume (%)",
        steps=(edges, 100 * counts / values.size),
        rules=[Rule("x", middle, WARM, "median"), Rule("x", most, WARM, "98th percentile", dashed=True)],
        log_x=True,
    )
    return svg_uri(SMALL, [panel])


def greys(result: JobResult) -> str | None:
    """Plot the histogram of the scan's grey values, and the threshold."""
    scan = result.scan
    if scan is None or scan.counts.sum() == 0:
        return None
    s = result.summary
    unit = str(s.get("image", {}).get("unit") or "")
    threshold = s.get("segmentation", {}).get("threshold")
    share = 100 * scan.counts / scan.counts.sum()
    panel = Panel(
        f"grey value{f' ({unit})' if unit else ''}",
        "voxels (%)",
        steps=(scan.edges, share),
        log_y=True,
        y_range=(max(float(share[share > 0].min()) / 2, 1e-4), 1.5 * float(share.max())),
    )
    if threshold is not None:
        panel.rules.append(Rule("x", float(threshold), WARM, f"threshold {float(threshold):g}"))
    return svg_uri(SMALL, [panel])


def convergence(result: JobResult) -> str | None:
    history = [float(v) for v in result.summary.get("residual_history", [])]
    if len(history) < 2 or max(history) <= 0:
        return None
    tolerance = result.summary.get("certificate", {}).get("tolerance")
    line = Line(range(len(history)), history, width=1.4, dot=1.75 if len(history) <= 200 else 0.0)
    panel = Panel("iteration", "relative residual", [line], log_y=True, whole_x=True)
    if tolerance:
        panel.rules.append(Rule("y", float(tolerance), WARM, f"tolerance {tolerance:g}", dashed=True))
    return svg_uri(SMALL, [panel])


# Title, unit, and keys of the history with the labels of their lines. A key with members has one line for each member.
PANELS = (
    ("force on the solid", "N", {"force_on_solid_N": ""}),
    ("flow rate in", "mm³/s", {"opening_inflow_mm3_per_s": ""}),
    ("pressure drop", "Pa", {"pressure_drop_Pa": ""}),
    ("temperature", "K", {"fluid_temperature_K": "fluid", "solid_temperature_K": "solid"}),
    ("temperature at openings", "K", {"opening_temperature_K": ""}),
    (
        "heat",
        "W",
        {
            "heat_source_W": "sources",
            "wall_heat_W": "walls to fluid",
            "heat_carried_out_W": "convected out",
            "heat_stored_W": "stored",
        },
    ),
    ("heat inflow through faces", "W", {"face_inflow_W": ""}),
    ("Nusselt number of convection", "", {"convection_nusselt_number": ""}),
    ("Courant number", "", {"cfl": ""}),
    ("divergence", "", {"divergence": ""}),
)


def _numbers(values: list[object]) -> list[float]:
    """Convert the values of a line. Undefined values become gaps. An example is a mixing temperature without flow."""
    return [np.nan if v is None else float(v) for v in values]  # type: ignore[arg-type]


def _lines(history: dict[str, object], key: str, word: str) -> list[tuple[str, list[float]]]:
    """Return labels and values of the lines for a key of a history."""
    values = history.get(key)
    if isinstance(values, dict):
        return [(f"{word} {name}".strip(), _numbers(inner)) for name, inner in values.items()]
    if not isinstance(values, list) or not values:
        return []
    if isinstance(values[0], list):
        return [(axis, _numbers([v[n] for v in values])) for n, axis in enumerate("zyx")]
    return [(word, _numbers(values))]


def _has_values(values: list[float]) -> bool:
    return bool(np.any(np.nan_to_num(values)))


def history(result: JobResult) -> str | None:
    """Plot the history of a transient flow over time: forces, flow rates, pressures, temperatures, heat and step
    sizes."""
    reported = result.summary.get("flow_history", {})
    time = [float(t) for t in reported.get("time_s", [])]
    if len(time) < 3:
        return None
    drawn = [
        (
            title,
            unit,
            [line for key, word in keys.items() for line in _lines(reported, key, word) if _has_values(line[1])],
        )
        for title, unit, keys in PANELS
    ]
    drawn = [(title, unit, lines) for title, unit, lines in drawn if lines]
    if not drawn:
        return None

    panels = []
    for title, unit, lines in drawn:
        panels.append(
            Panel(
                y_title=f"{title} ({unit})" if unit else title,
                lines=[
                    Line(time, values, COLOURS[n % len(COLOURS)], label if len(lines) > 1 or lines[0][0] else "")
                    for n, (label, values) in enumerate(lines)
                ],
                log_y=title == "divergence" and all(v > 0 for v in lines[0][1][1:]),
            )
        )
    panels[-1].x_title = "time (s)"
    return svg_uri((8, 1.7 * len(panels)), panels, share_x=True)
