"""Diagrams of the probes of a flow. Points and means are plotted over time, and lines are plotted along their
length."""

import csv
import math
from typing import Any

from .chart import COLOURS, Panel, svg_uri
from .chart import Line as Drawn
from .data import JobResult

PANELS = (  # key, title and unit
    ("speed_mm_per_s", "speed", "mm/s"),
    ("velocity_mm_per_s", "velocity", "mm/s"),
    ("pressure_Pa", "pressure", "Pa"),
    ("temperature_K", "temperature", "K"),
)
MOST_WITH_COMPONENTS = 2  # maximum number of probes with components; for more probes, only the speed is plotted
Line = tuple[str, list[float], list[float]]


def _over_time(result: JobResult, names: list[str]) -> dict[str, list[Line]]:
    """Return the lines of each key in probes.csv. A line consists of label, times and values."""
    path = result.directory / "probes.csv"
    if not path.is_file():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    if len(rows) < 3 or "time_s" not in rows[0]:
        return {}
    lines: dict[str, list[Line]] = {}
    for name in names:
        for key, *_ in PANELS:
            parts = [f".{axis}" for axis in "zyx"] if key == "velocity_mm_per_s" else [""]
            if key == "velocity_mm_per_s" and len(names) > MOST_WITH_COMPONENTS:
                continue
            for part in parts:
                reported = [(row["time_s"], row.get(f"{name}.{key}{part}") or "") for row in rows]
                reported = [(time, value) for time, value in reported if value]
                if reported:
                    line = (name + part, [float(t) for t, _ in reported], [float(v) for _, v in reported])
                    lines.setdefault(key, []).append(line)
    return lines


def _along(probes: dict[str, Any]) -> dict[str, list[Line]]:
    """Return the lines of each key. A line consists of a label, distances from the first end [mm], and last values."""
    lines: dict[str, list[Line]] = {}
    for name, probe in probes.items():
        if "from_mm" not in probe:
            continue
        length = math.dist(probe["from_mm"], probe["to_mm"])
        for key, *_ in PANELS:
            values = probe.get("last", {}).get(key)
            if key == "velocity_mm_per_s" or not values:
                continue
            distances = [length * n / (len(values) - 1) for n in range(len(values))]
            lines.setdefault(key, []).append((name, distances, [math.nan if v is None else float(v) for v in values]))
    return lines


def probes(result: JobResult) -> str | None:
    """Plot the probes of a flow. Without probes, the result is None."""
    reported = result.summary.get("probes", {})
    panels = [
        (lines[key], f"{title} ({unit})", x_title)
        for lines, x_title in (
            (_over_time(result, [name for name in reported if "from_mm" not in reported[name]]), "time (s)"),
            (_along(reported), "along the line (mm)"),
        )
        for key, title, unit in PANELS
        if key in lines
    ]
    if not panels:
        return None

    drawn = []
    for n, (lines, title, x_title) in enumerate(panels):
        is_last = n + 1 == len(panels) or panels[n + 1][2] != x_title
        coloured = [Drawn(x, y, COLOURS[i % len(COLOURS)], label) for i, (label, x, y) in enumerate(lines)]
        drawn.append(Panel(x_title if is_last else "", title, coloured))
    return svg_uri((8, 2.0 * len(panels)), drawn)
