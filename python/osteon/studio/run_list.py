"""The list of runs on disk, `NAME.studio/runs.json`.

The folder of a job may come from an untrusted source. Each entry is therefore created again from values that have been
checked. The number of the run and the number of ranks determine the names of files and commands. The texts in the file
are not used for names and commands.
"""

import math
import re
import shlex
from pathlib import Path
from typing import Any

from ..errors import UsageError
from .foreign_file import json_of

WAITING, HELD, RUNNING, STOPPED, DONE, FAILED = "waiting", "held", "running", "stopped", "done", "failed"
STATES = (WAITING, HELD, RUNNING, STOPPED, DONE, FAILED)
ANSWERS = ("stiffness_N_per_mm", "apparent_modulus_MPa", "effective_conductivity_W_per_mK", "permeability_m2")
LARGEST_NUMBER = 1_000_000  # largest number of a run
MOST_RANKS = 100_000
MOST_ENTRIES = 10_000
MOST_TEXT = 4000  # maximum number of characters in the fault of a run


def name_of(stem: str, number: int) -> str:
    """Return the NAME of a run. The job of the run is NAME.toml, and the results are in NAME.out."""
    return f"{stem}.run{number}"


def arguments_of(name: str, ranks: int | None) -> list[str]:
    """Return the arguments of a run, after the name of the program."""
    here = f"./{name}" if name.startswith("-") else name  # without this prefix, a leading dash would start an option
    return ["run", f"{here}.toml", "-o", f"{here}.out", *(["-n", str(ranks)] if ranks else [])]


def checked_ranks(value: Any) -> int | None:
    """@throws UsageError for an invalid number of ranks"""
    if value is None or value == "":
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_RANKS:
        raise UsageError(f"ranks must be from 1 to {MOST_RANKS}, not {str(value)[:40]!r}; omit it for all cores")
    return value


def entry_of(stem: str, number: int, ranks: int | None, **more: Any) -> dict[str, Any]:
    """Return an entry. The number of the run determines the name and the command."""
    name = name_of(stem, number)
    entry = {"number": number, "name": name, **more, "command": shlex.join(["osteon", *arguments_of(name, ranks)])}
    return entry | ({"ranks": ranks} if ranks else {})


def kept_entries(path: Path, stem: str) -> tuple[list[dict[str, Any]], int]:
    """Return the valid entries of a list on disk, and the number of invalid entries."""
    try:
        found = json_of(path)
    except FileNotFoundError:
        return [], 0
    except (OSError, ValueError):
        return [], 1
    if not isinstance(found, list):
        return [], 1
    entries: dict[int, dict[str, Any]] = {}
    for value in found[:MOST_ENTRIES]:
        entry = checked_entry(value, stem)
        if entry is not None:
            entries.setdefault(entry["number"], entry)
    return list(entries.values()), len(found) - len(entries)


def checked_entry(value: Any, stem: str) -> dict[str, Any] | None:
    """Create an entry again from its checked values. If there is no number, or if the name does not match the number,
    the result is None."""
    if not isinstance(value, dict):
        return None
    number, state = value.get("number"), value.get("state")
    if not _is_whole(number, 1, LARGEST_NUMBER) or value.get("name") != name_of(stem, number) or state not in STATES:
        return None
    entry = entry_of(stem, number, _ranks_of(value, stem, number), state=state)
    entry["digest"] = _text(value.get("digest"), 64)
    for key in ("added", "began", "ended"):
        if _is_finite(value.get(key)):
            entry[key] = value[key]
    if _is_whole(value.get("pid"), 1, 2**31 - 1) and re.fullmatch(r"\d{1,20}", str(value.get("born"))):
        entry["pid"], entry["born"] = value["pid"], str(value["born"])
    if _is_whole(value.get("exit_code"), -1000, 1000):
        entry["exit_code"] = value["exit_code"]
    if value.get("asked_to_stop") is True:
        entry["asked_to_stop"] = True
    for key, most in (("host", 256), ("text", MOST_TEXT)):
        if key in value:
            entry[key] = _text(value[key], most)
    if isinstance(value.get("answers"), dict):
        entry["answers"] = answers_in(value["answers"])
    return entry


def answers_in(summary: Any) -> dict[str, float]:
    """Return the first numbers of a summary for the card of a run."""
    if not isinstance(summary, dict):
        return {}
    return {key: summary[key] for key in ANSWERS if _is_finite(summary.get(key))}


def clean_text(value: Any, most: int = MOST_TEXT) -> str:
    """Return a text without halves of surrogate pairs, because UTF-8 cannot represent these halves."""
    return _text(value, most)


def _text(value: Any, most: int) -> str:
    return value[:most].encode(errors="replace").decode() if isinstance(value, str) else ""


def _ranks_of(value: dict[str, Any], stem: str, number: int) -> int | None:
    """Return the number of ranks. In earlier versions, only the command contains this number."""
    if _is_whole(value.get("ranks"), 1, MOST_RANKS):
        return value["ranks"]
    command = value.get("command")
    found = re.search(r" -n (\d{1,6})$", command) if isinstance(command, str) else None
    ranks = int(found[1]) if found else None
    if not ranks or ranks > MOST_RANKS:
        return None
    return ranks if entry_of(stem, number, ranks)["command"] == command else None


def _is_whole(value: Any, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high


def _is_finite(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False
