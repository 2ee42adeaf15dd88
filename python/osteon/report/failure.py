"""Curve of load and displacement of a yielding specimen, and energy balance of the specimen."""

from typing import Any

from .chart import COLOURS, LINE, Line, Panel, Rule, svg_uri
from .data import JobResult
from .text import look_up, number

LARGEST_WORK_ERROR = 0.01  # error of the trapezoidal rule; the error decreases with the step size
LARGEST_VIOLATION = 1e-5  # error by rounding of states to single precision (docs/reference/failure.md)
LARGEST_CHANGE = 0.003  # largest change of the loads when the step size is halved


def curve(result: JobResult) -> str | None:
    """Plot the load and the energies over the displacement or the angle."""
    reported = result.summary.get("curve", {})
    turns = "angle_deg" in reported
    place, load = ("angle_deg", "moment_N_mm") if turns else ("displacement_mm", "force_N")
    x = [float(v) for v in reported.get(place, [])]
    if len(x) < 2:
        return None

    upper = Panel(y_title="moment (N mm)" if turns else "force (N)")
    upper.lines.append(Line(x, reported[load], LINE, "computed", width=1.4, dot=1.6))
    for key, label, colour in (
        ("first_yield", "first yield", COLOURS[4]),
        ("yield_offset", "0.2 % offset", COLOURS[1]),
        ("ultimate", "ultimate", COLOURS[2]),
    ):
        at = result.summary.get(key, {})
        if load in at:
            upper.lines.append(Line([at[place]], [at[load]], colour, label, width=0, dot=3))
    pistoia = look_up(result.summary, "pistoia.failure_moment_N_mm" if turns else "pistoia.failure_load_N")
    if isinstance(pistoia, float):
        upper.rules.append(Rule("y", pistoia, COLOURS[3], "Pistoia, from the elastic solution", dashed=True))
    lower = Panel(
        "angle (°)" if turns else "displacement of the driven face (mm)", "energy (mJ)", _energies(x, reported)
    )
    return svg_uri((8, 5.6), [upper, lower], share_x=True)


def _energies(x: list[float], reported: dict[str, list[float]]) -> list[Line]:
    labels = {"work_mJ": "work", "stored_mJ": "stored", "dissipated_mJ": "dissipated", "hardening_mJ": "hardening"}
    return [
        Line(x, reported[key], COLOURS[n], label)
        for n, (key, label) in enumerate(labels.items())
        if any(v != 0 for v in reported[key])
    ]


def certificates(summary: dict[str, Any]) -> list[tuple[str, str, str, bool]]:
    """Return name, value and limit of each certificate, and True if the certificate passes."""
    proof = summary.get("failure_proof")
    if not proof:
        return []
    tolerance = float(look_up(summary, "certificate.tolerance") or 1e-6)
    rows = []
    for key, title, limit in (
        ("force_residual", "Largest residual at free nodes over all steps, relative to the reactions", 1.1 * tolerance),
        ("yield_violation", "Excess over the yield stress, relative to the yield stress", LARGEST_VIOLATION),
        ("work_error", "External work against stored, dissipated and hardening energy", LARGEST_WORK_ERROR),
    ):
        value = float(proof[key])
        rows.append((title, number(value, 3), f"≤ {number(limit, 2)}", value <= limit))
    least = float(proof["smallest_dissipation_MPa"])
    change = look_up(proof, "halved.change_of_load")
    if change is not None:
        title = "Change of the loads with halved steps"
        rows.append((title, number(float(change), 3), f"≤ {number(LARGEST_CHANGE, 2)}", change <= LARGEST_CHANGE))
    rows.append(("Smallest dissipation", number(least, 3), "≥ 0", least >= 0))
    return rows
