"""Of a specimen that yields: its curve of load and displacement, and how well the energies balance."""

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .data import JobResult
from .plots import COLOURS, INK, LINE, svg_uri
from .text import look_up, number

LARGEST_WORK_ERROR = 0.01  # of the trapezoidal rule; smaller steps make it smaller
LARGEST_VIOLATION = 1e-5  # of states in single precision: 6e-8 of plastic strain over yield strain (docs/failure.md)
LARGEST_CHANGE = 0.003  # of the loads by half the steps


def curve(result: JobResult) -> str | None:
    """Load and energies against the displacement or the angle."""
    told = result.summary.get("curve", {})
    turns = "angle_deg" in told
    place, load = ("angle_deg", "moment_N_mm") if turns else ("displacement_mm", "force_N")
    x = [float(v) for v in told.get(place, [])]
    if len(x) < 2:
        return None

    def paint(figure: Figure) -> None:
        upper, lower = figure.subplots(2, 1, sharex=True)
        upper.plot(x, told[load], color=LINE, linewidth=1.4, marker=".", markersize=4, label="computed")
        for key, words, colour in (
            ("first_yield", "first yield", COLOURS[4]),
            ("yield_offset", "0.2 % offset", COLOURS[1]),
            ("ultimate", "ultimate", COLOURS[2]),
        ):
            at = result.summary.get(key, {})
            if load in at:
                upper.plot([at[place]], [at[load]], "o", markersize=6, color=colour, label=words)
        pistoia = look_up(result.summary, "pistoia.failure_moment_N_mm" if turns else "pistoia.failure_load_N")
        if isinstance(pistoia, float):
            upper.axhline(
                pistoia, color=COLOURS[3], linestyle="--", linewidth=1, label="Pistoia, of the elastic solution"
            )
        upper.set_ylabel("moment (N mm)" if turns else "force (N)")
        _energies(lower, x, told)
        lower.set_xlabel("angle (°)" if turns else "displacement of the driven face (mm)")
        for axes in (upper, lower):
            axes.grid(color=INK, alpha=0.2, linewidth=0.6)
            axes.legend(frameon=False, fontsize=8)

    return svg_uri((8, 5.6), paint)


def _energies(axes: Axes, x: list[float], told: dict[str, list[float]]) -> None:
    for n, (key, words) in enumerate(
        (
            ("work_mJ", "work"),
            ("stored_mJ", "stored"),
            ("dissipated_mJ", "dissipated"),
            ("hardening_mJ", "hardening"),
        )
    ):
        if any(v != 0 for v in told[key]):
            axes.plot(x, told[key], color=COLOURS[n], linewidth=1.3, label=words)
    axes.set_ylabel("energy (mJ)")


def certificates(summary: dict[str, Any]) -> list[tuple[str, str, str, bool]]:
    """Name, value, limit, passed."""
    proof = summary.get("failure_proof")
    if not proof:
        return []
    tolerance = float(look_up(summary, "certificate.tolerance") or 1e-6)
    rows = []
    for key, title, limit in (
        ("force_residual", "Forces at free nodes, of all steps, over the reactions", 1.1 * tolerance),
        ("yield_violation", "Stress beyond the yield stress, over it", LARGEST_VIOLATION),
        ("work_error", "Work against stored, dissipated and hardening energy", LARGEST_WORK_ERROR),
    ):
        value = float(proof[key])
        rows.append((title, number(value, 3), f"≤ {number(limit, 2)}", value <= limit))
    least = float(proof["smallest_dissipation_MPa"])
    change = look_up(proof, "halved.change_of_load")
    if change is not None:
        title = "Change of the loads when steps are halved"
        rows.append((title, number(float(change), 3), f"≤ {number(LARGEST_CHANGE, 2)}", change <= LARGEST_CHANGE))
    rows.append(("Dissipation is nowhere negative", number(least, 3), "≥ 0", least >= 0))
    return rows
