"""Units as a page or a table shows them."""

import re


def unit_for_people(unit: str) -> str:
    """`W mm-2` and `N mm2` as W/mm² and N mm², degrees by their sign."""
    unit = re.sub(r" ([A-Za-z]+)-1\b", r"/\1", unit)
    unit = re.sub(r" ([A-Za-z]+)-([23])\b", r"/\1\2", unit)
    unit = re.sub(r"(?<=[A-Za-z])[23]\b", lambda power: "²³"[int(power[0]) - 2], unit)
    return re.sub(r"\bdeg\b", "°", unit)
