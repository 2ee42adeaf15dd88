"""The job file that the page edits. The text on disk is authoritative.

An edit contains the digest of the text that is edited. An edit is a list of operations on keys, and forms one undo
step. Operations preserve comments, order and unknown keys. Undo steps contain complete texts. The texts are therefore
restored exactly. Undo steps are stored on disk. The steps are therefore still available after the server ends.
"""

import hashlib
import json
import re
import stat
import threading
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from ..errors import DataError, printable
from ..files.replace_file import write_whole
from .file_lock import exclusive
from .foreign_file import MOST_DEPTH, json_of, require_depth, to_append

MOST_STEPS = 200
HEAD = re.compile(r"""\[\[?\s*[A-Za-z_"'][^\]]*\]\]?\s*(#.*)?$""")
MOST_BYTES = 4 << 20  # maximum size of a job file


class Changed(Exception):  # noqa: N818 (not a fault)
    """The file differs from the text that the edit changes."""


class JobFile:
    """A job file with undo steps. Several threads may use the object concurrently."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.folder = path.with_suffix(".studio")
        self.lock = threading.Lock()
        self.undo_texts: list[str] = []
        self.redo_texts: list[str] = []
        self.steps_seen: tuple[int, ...] | None = None  # stamp of the undo file at the time of the last read
        self._read_steps()

    def _read_steps(self) -> None:
        """Read the undo steps from disk, because another studio may have written undo steps."""
        path = self.folder / "undo.json"
        try:
            stamp = stamp_of(path)
            if stamp == self.steps_seen:
                return
            kept = json_of(path)
        except (OSError, ValueError):
            return
        kept = kept if isinstance(kept, dict) else {}
        self.undo_texts, self.redo_texts = (
            [t for t in steps if isinstance(t, str)][-MOST_STEPS:] if isinstance(steps, list) else []
            for steps in (kept.get("undo"), kept.get("redo"))
        )
        self.steps_seen = stamp

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        """Exclude threads and other studios while the text on disk is compared and replaced."""
        self.folder.mkdir(exist_ok=True)
        with self.lock, exclusive(self.folder / "edit.lock"):
            self._read_steps()
            yield

    def text(self) -> str:
        """@throws DataError"""
        try:
            found = self.path.stat()
            if not stat.S_ISREG(found.st_mode):
                raise DataError(f"'{self.path}' is not a regular file; a job is a text file")
            if found.st_size > MOST_BYTES:
                raise DataError(f"'{self.path}' exceeds {MOST_BYTES >> 20} MiB, the limit of a job file")
            return self.path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as e:
            raise DataError(f"'{self.path}' cannot be read: {e}") from None

    def digest(self) -> str:
        return digest_of(self.text())

    def state(self) -> dict[str, Any]:
        """Return the text, the data, the digest, and the number of undo steps. For invalid TOML, the data are null, and
        `fault` contains the reason."""
        text = self.text()
        data, fault = None, ""
        try:
            data = tomllib.loads(text)
            require_depth(data)
        except RecursionError:
            data, fault = None, f"tables and arrays are nested more than {MOST_DEPTH} levels deep"
        except ValueError as e:
            data, fault = None, printable(str(e))
        return {
            "path": str(self.path),
            "name": self.path.name,
            "text": text,
            "data": data,
            "fault": fault,
            "digest": digest_of(text),
            "undo": len(self.undo_texts),
            "redo": len(self.redo_texts),
        }

    def edit(self, base: str, operations: list[dict[str, Any]]) -> None:
        """@throws Changed; DataError if an operation cannot be applied to the text"""
        with self._exclusive():
            text = self._expected(base)
            new = edited(text, operations)
            if new == text:
                return
            self._write(new, [*self.undo_texts, text], [], {"edit": operations})

    def put(self, base: str, text: str) -> None:
        """Replace the whole text by a text that the user has typed, or by the text of another protocol. @throws
        Changed"""
        if len(text.encode()) > MOST_BYTES:
            raise DataError(f"the text exceeds {MOST_BYTES >> 20} MiB, the limit of a job file; nothing was changed")
        with self._exclusive():
            old = self._expected(base)
            if text == old:
                return
            self._write(text, [*self.undo_texts, old], [], {"text": len(text)})

    def undo(self, base: str) -> None:
        """@throws Changed"""
        with self._exclusive():
            text = self._expected(base)
            if self.undo_texts:
                *rest, last = self.undo_texts
                self._write(last, rest, [*self.redo_texts, text], {"undo": 1})

    def redo(self, base: str) -> None:
        """@throws Changed"""
        with self._exclusive():
            text = self._expected(base)
            if self.redo_texts:
                *rest, last = self.redo_texts
                self._write(last, [*self.undo_texts, text], rest, {"redo": 1})

    def _expected(self, base: str) -> str:
        text = self.text()
        if digest_of(text) != base:
            raise Changed
        return text

    def _write(self, text: str, undo: list[str], redo: list[str], entry: dict[str, Any]) -> None:
        """Write the text, and then write the undo steps that belong to the text."""
        write_whole(self.path, text)
        self.undo_texts, self.redo_texts = undo[-MOST_STEPS:], redo[-MOST_STEPS:]
        self.folder.mkdir(exist_ok=True)
        path = self.folder / "undo.json"
        write_whole(path, json.dumps({"undo": self.undo_texts, "redo": self.redo_texts}))
        self.steps_seen = stamp_of(path)
        self.log({**entry, "digest": digest_of(text)})

    def log(self, entry: dict[str, Any]) -> None:
        """Append a line to the log of the session. The line is an edit, or a command in shell syntax."""
        self.folder.mkdir(exist_ok=True)
        line = json.dumps({"time": round(time.time(), 3), **entry}) + "\n"
        with to_append(self.folder / "log.jsonl") as file:
            file.write(line.encode())


def stamp_of(path: Path) -> tuple[int, ...]:
    """Return the attributes of a file that change when the file is written. @throws OSError"""
    found = path.lstat()
    return found.st_ino, found.st_size, found.st_mtime_ns


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def edited(text: str, operations: list[dict[str, Any]]) -> str:
    """Apply operations to a text. `set` sets a value at a path, `remove` removes the value, and `add` adds a table to a
    list of tables.

    @param operations {op, path, value, comment}; a path consists of keys, and of indices (from 0) of tables in a list
    @throws DataError
    """
    try:
        document = tomlkit.parse(text)
        for operation in operations:
            if operation["op"] == "set":
                document = _without_placeholder(document, operation["path"])
            _apply(document, operation)
        new = with_lines_between(text, tomlkit.dumps(document))
        require_depth(tomllib.loads(new))
    except RecursionError:
        raise DataError(
            f"the edit does not fit the job file: nested more than {MOST_DEPTH} levels deep; nothing was changed"
        ) from None
    except (TOMLKitError, tomllib.TOMLDecodeError, KeyError, IndexError, TypeError, ValueError, AttributeError) as e:
        raise DataError(
            f"the edit does not fit the job file: {printable(str(e)) or type(e).__name__}; nothing was changed"
        ) from None
    return new


def with_lines_between(before: str, after: str) -> str:
    """Make sure that exactly one empty line precedes the head of each table that an edit has added."""
    pairs = set(zip(["", *before.splitlines()], before.splitlines(), strict=False))
    lines: list[str] = []
    for line in after.splitlines():
        last = lines[-1] if lines else ""
        if HEAD.match(line) and last.strip() and not last.startswith("#") and (last, line) not in pairs:
            lines.append("")
        lines.append(line)
    text = "\n".join(lines).rstrip("\n") + "\n"
    return text if "\n\n\n" in before else re.sub(r"\n{3,}", "\n\n", text)


def _without_placeholder(document: tomlkit.TOMLDocument, path: list[Any]) -> tomlkit.TOMLDocument:
    """`osteon new` writes a comment about a missing key. Replace this comment by the key. The comment has the form `#
    KEY = # missing: ...`."""
    *parents, key = path
    if not isinstance(key, str) or len(parents) not in (1, 2) or not all(isinstance(k, str) for k in parents[:1]):
        return document
    head = f"[{parents[0]}]" if len(parents) == 1 else f"[[{parents[0]}]]"
    lines = tomlkit.dumps(document).split("\n")
    heads = [n for n, line in enumerate(lines) if HEAD.match(line)]
    own = [n for n in heads if lines[n].split("#")[0].strip() == head]
    number = parents[1] if len(parents) == 2 else 0
    if not isinstance(number, int) or number >= len(own):
        return document
    end = next((n for n in heads if n > own[number]), len(lines))
    for n in range(own[number] + 1, end):
        if re.match(rf"# {re.escape(key)} = .*missing:", lines[n]):
            lines[n] = f"{key} = 0"
            return tomlkit.parse("\n".join(lines))
    return document


def _apply(document: tomlkit.TOMLDocument, operation: dict[str, Any]) -> None:
    *parents, last = operation["path"]
    kind = operation["op"]
    if kind == "remove":
        at = _walk(document, parents, makes=False)
        if isinstance(last, int) and len(at) == 1 and isinstance(parents[-1], str):
            # when the last table is removed, its list is also removed
            _walk(document, parents[:-1], makes=False).pop(parents[-1])
        else:
            at.pop(last)
        return
    at = _walk(document, parents, makes=True)
    if kind == "set":
        value = tomlkit.item(operation["value"])
        if isinstance(last, str) and last in at and not isinstance(at[last], dict):
            value.trivia.comment, value.trivia.comment_ws = at[last].trivia.comment, at[last].trivia.comment_ws
        at[last] = value
        if operation.get("comment"):
            at[last].comment(operation["comment"])
            at[last].trivia.comment_ws = "  "
        return
    if kind != "add":
        raise ValueError(f"unknown operation {kind!r}")
    table = tomlkit.table()
    for key, value in operation["value"].items():
        table.add(key, value)
    if operation.get("comment"):
        table.comment(operation["comment"])
    if last not in at:
        at[last] = tomlkit.aot()
    at[last].append(table)


def _walk(at: Any, parents: list[Any], makes: bool) -> Any:
    for key in parents:
        if isinstance(key, str) and key not in at:
            if not makes:
                raise KeyError(key)
            at.add(key, tomlkit.table())
        at = at[key]
    return at
