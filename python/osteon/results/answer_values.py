"""Answers of a summary as single numbers or texts with units. Tables about several jobs contain these values."""

from typing import Any, NamedTuple

from .unit_for_people import unit_for_people

AXES = "zyx"


class Value(NamedTuple):
    """One number of a job.

    `key` is dotted, and ends with the axis of a vector component, or with the index in a list. If the value in JSON is
    null, `value` is None. An example is an infinite tortuosity.
    """

    key: str
    case: str  # name of the load case; empty for a value of the whole job
    title: str
    unit: str  # unit for display; empty for a number without a unit
    value: float | int | bool | str | None

    @property
    def column(self) -> str:
        """Return the name of the column. The name consists of the case, the key, and the unit in brackets. For a number
        without a unit, the unit is `[1]`."""
        case = f"{self.case}: " if self.case else ""
        return f"{case}{self.key} [{self.unit or '1'}]"


def values_of(summary: dict[str, Any]) -> list[Value]:
    """Return all answers of a job in the order of the program. The answers of each load case follow."""
    trees = [("", summary), *((str(case.get("name")), case) for case in summary.get("cases", []))]
    found: list[Value] = []
    for case, tree in trees:
        for reported in summary.get("answers", []):
            key, title, unit = str(reported["key"]), str(reported["title"]), unit_for_people(str(reported["unit"]))
            is_there, value = _look_up(tree, key)
            if not is_there:
                continue
            found += [
                Value(
                    key + ending, case, (title.removesuffix(" (z, y, x)") if suffix else title) + suffix, unit, number
                )
                for ending, suffix, number in _numbers_in(value)
            ]
    return found


def uncertainties_of(summary: dict[str, Any]) -> list[Value]:
    """Return the standard deviation of each answer, if the job has been solved on changed images."""
    return [
        Value(
            f"uncertainty.{reported['key']}",
            str(reported.get("case", "")),
            f"{reported['title']}, uncertainty",
            unit_for_people(str(reported["unit"])),
            reported["total"],
        )
        for reported in summary.get("uncertainty", {}).get("answers", [])
        if reported.get("in_table")
    ]


OF_A_COMPARTMENT = {
    "BV_TV": "",
    "Tb_Th_mm": "mm",
    "Tb_Sp_mm": "mm",
    "Tb_N_per_mm": "1/mm",
    "Ct_Th_mm": "mm",
    "Ct_Po": "",
    "vBMD": "",
}


def shape_of(summary: dict[str, Any]) -> list[Value]:
    """Return the measures of the shape of the solid, if the job has such measures. Thicknesses are represented by mean
    and standard deviation."""
    reported = summary.get("morphometry", {})
    units = {"BV_TV": "", "BS_BV_per_mm": "1/mm", "Tb_N_per_mm": "1/mm", "Conn_D_per_mm3": "1/mm³", "fabric.DA": ""}
    found = [Value(f"morphometry.{key}", "", key, unit, _look_up(reported, key)[1]) for key, unit in units.items()]
    for key in ("Tb_Th_mm", "Tb_Sp_mm", "throats.diameter_mm"):
        for part in ("mean", "sd"):
            found.append(
                Value(f"morphometry.{key}.{part}", "", f"{key} {part}", "mm", _look_up(reported, f"{key}.{part}")[1])
            )
    for key, unit in (("accessible_share", ""), *((f"critical_diameter_mm.{a}", "mm") for a in "zyx")):
        name = f"throats.{key}"
        found.append(Value(f"morphometry.{name}", "", name, unit, _look_up(reported, name)[1]))
    for name, measured in reported.get("compartments", {}).items():
        for key, unit in OF_A_COMPARTMENT.items():
            value, part = measured.get(key), ""
            if isinstance(value, dict):
                value, part = value.get("mean"), ".mean"
            unit = measured.get("vBMD_unit", "") if key == "vBMD" else unit
            found.append(Value(f"morphometry.compartments.{name}.{key}{part}", "", f"{name} {key}", unit, value))
    return [value for value in found if reported and value.value is not None]


def _look_up(tree: Any, dotted: str) -> tuple[bool, Any]:
    """Return whether a key exists, and the value of the key. A number in a key is an index in a list."""
    for part in dotted.split("."):
        if isinstance(tree, dict) and part in tree:
            tree = tree[part]
        elif isinstance(tree, list) and part.isdecimal() and int(part) < len(tree):
            tree = tree[int(part)]
        else:
            return False, None
    return True, tree


def _numbers_in(value: Any) -> list[tuple[str, str, Any]]:
    """Return the suffix of the key, the suffix of the title, and the number. The value is one number, or a list or
    table of numbers."""
    if isinstance(value, dict):
        named = [(str(k), str(k), v) for k, v in value.items()]
    elif isinstance(value, list):
        # The components of vectors have the suffixes z, y, x. Members of other lists have their index in the summary.
        is_vector = len(value) == 3 and not any(isinstance(v, (list, dict)) for v in value)
        named = [
            (AXES[n] if is_vector else str(n), AXES[n] if is_vector else str(n + 1), v) for n, v in enumerate(value)
        ]
    else:
        return [("", "", value)]
    return [
        (f".{name}{ending}", f" {suffix}{more}", number)
        for name, suffix, inner in named
        for ending, more, number in _numbers_in(inner)
    ]
