"""Units for display on pages and in tables."""

import re


def unit_for_people(unit: str) -> str:
    """Write `W mm-2` as W/mm², `N mm2` as N mm², and degrees with their sign."""
    unit = re.sub(r" ([A-Za-z]+)-1\b", r"/\1", unit)
    unit = re.sub(r" ([A-Za-z]+)-([23])\b", r"/\1\2", unit)
    unit = re.sub(r"(?<=[A-Za-z])[23]\b", lambda power: "²³"[int(power[0]) - 2], unit)
    return re.sub(r"\bdeg\b", "°", unit)


def in_micrometres(value: object, unit: str) -> tuple[object, str]:
    """Convert a short length from mm to micrometres, as is usual for pores and thin struts. Other values are returned
    unchanged."""
    is_short = unit == "mm" and isinstance(value, float) and 0 < abs(value) < 0.1
    return (1000 * value, "\u00b5m") if is_short and isinstance(value, float) else (value, unit)
