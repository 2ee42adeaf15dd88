"""Round values along an axis, and labels of these values."""

import math

STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def round_ticks(low: float, high: float, most: int, whole: bool = False) -> list[float]:
    """Return multiples of a round step in a range.

    @param most maximum number of intervals @param whole True: only integers
    """
    if not (math.isfinite(high - low) and high > low):
        return [low]
    least = (high - low) / most
    power = 10.0 ** math.floor(math.log10(least))
    steps = [m * p for p in (power / 10, power) for m in STEPS[:-1]] + [10 * power]
    if whole:
        steps = [s for s in (*steps, 20 * power, 50 * power) if s >= 1 and s == math.floor(s)] or [1.0]
    fitting = [n for n, s in enumerate(steps) if s >= least * (1 - 1e-9)]
    for n in range(fitting[0] if fitting else len(steps) - 1, -1, -1):
        values = _multiples(steps[n], low, high)
        if len(values) > 1:
            return values
    return values


def _multiples(step: float, low: float, high: float) -> list[float]:
    near = 1e-9 * (high - low) / step
    first, last = math.ceil(low / step - near), math.floor(high / step + near)
    return [float(f"{n * step:.12g}") for n in range(first, last + 1)]


def log_ticks(low: float, high: float, most: int) -> list[float]:
    """Return powers of ten in a range of positive values. In a short range, also return 2 and 5 times the powers, or
    return round values."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    stride = max(1, math.ceil((last - first + 1) / most))
    powers = [10.0**n for n in range(first, last + 1, stride)]
    if len(powers) > 2:
        return powers
    finer = [m * 10.0**n for n in range(first - 1, last + 1) for m in (1, 2, 5)]
    finer = [v for v in finer if low * (1 - 1e-9) <= v <= high * (1 + 1e-9)]
    return finer if len(finer) > 2 else round_ticks(low, high, most)


def power_of_ten(value: float) -> str:
    """Format a tick of a logarithmic axis. Values from "0.01" to "1000" are decimal numbers; other values are powers of
    ten."""
    exponent = math.floor(math.log10(value) + 1e-9) if value > 0 else 0
    if not value > 0 or -2 <= exponent <= 3:
        return f"{value:g}"
    share, power = value / 10.0**exponent, f"10{str(exponent).translate(SUPERSCRIPTS)}"
    return power if math.isclose(share, 1, rel_tol=1e-6) else f"{share:g}·{power}"


def tick_labels(values: list[float]) -> tuple[list[str], str]:
    """Return ticks of a linear axis with equal numbers of decimals. Also return their common factor, which may be an
    empty string."""
    largest = max((abs(v) for v in values), default=0.0)
    exponent = math.floor(math.log10(largest)) if largest > 0 else 0
    shared = exponent if exponent >= 5 or exponent < -3 else 0
    scaled = [v / 10.0**shared for v in values]
    decimals = next((d for d in range(8) if all(abs(v - round(v, d)) < 1e-7 for v in scaled)), 8)
    labels = [f"{v + 0.0:.{decimals}f}".replace("-", "−") for v in scaled]
    return labels, f"×10{str(shared).translate(SUPERSCRIPTS)}" if shared else ""
