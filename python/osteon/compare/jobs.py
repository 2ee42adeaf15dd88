"""Differences between the jobs of completed runs. The differences are in the keys of the job files and of `--set`."""

import shlex
import tomllib
from typing import Any, NamedTuple


class Difference(NamedTuple):
    """A key with different values in the jobs. If a job does not contain the key, its value is None."""

    key: str
    values: list[str | None]


def keys_of(manifest: dict[str, Any]) -> dict[str, Any] | None:
    """Return all keys of a job by their dotted names. The keys include changes by `--set`. In a list, tables are
    counted from 1.

    If the job is a script of another program, or if the text is missing, the result is None.
    """
    try:
        tree = tomllib.loads(str(manifest.get("job_text", "")))
    except tomllib.TOMLDecodeError:
        return None
    keys: dict[str, Any] = {}
    _flatten(tree, "", keys)
    for change in _changes_in(str(manifest.get("command", ""))):
        name, _, text = change.partition("=")
        value = _value_of(text)
        for known in [k for k in keys if k == name or k.startswith((name + ".", name + "["))]:
            del keys[known]
        _put(value, name, keys)
    return keys


def _flatten(tree: dict[str, Any], before: str, keys: dict[str, Any]) -> None:
    for name, value in tree.items():
        _put(value, f"{before}{name}", keys)


def _put(value: Any, name: str, keys: dict[str, Any]) -> None:
    if isinstance(value, dict):
        _flatten(value, name + ".", keys)
    elif isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        for n, item in enumerate(value, start=1):
            _flatten(item, f"{name}[{n}].", keys)
    else:
        keys[name] = value


def _changes_in(command: str) -> list[str]:
    try:
        arguments = shlex.split(command)
    except ValueError:
        return []
    return [
        arguments[n + 1] if word == "--set" else word.removeprefix("--set=")
        for n, word in enumerate(arguments)
        if (word == "--set" and n + 1 < len(arguments)) or word.startswith("--set=")
    ]


def _value_of(text: str) -> Any:
    """Parse a value in the same way as the program. A text that is not TOML is a string."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, KeyError):
        return text


def differences(manifests: list[dict[str, Any]]) -> list[Difference] | None:
    """Return the keys with different values. The order is that of the first job with the key. If a job has no keys for
    a comparison, the result is None."""
    jobs = [keys_of(m) for m in manifests]
    if any(job is None for job in jobs):
        return None
    names = dict.fromkeys(name for job in jobs for name in job)
    found = []
    for name in names:
        values = [_text(job[name]) if name in job else None for job in jobs]
        if len(set(values)) > 1:
            found.append(Difference(name, values))
    return found


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + ", ".join(_text(v) for v in value) + "]"
    return str(value)
