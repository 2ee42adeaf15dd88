"""Runs of a job in a queue. Each run has a session of its own. A run therefore continues after the page and the server
have ended.

A run stores the text of the job at the start of the run. The files are `NAME.run1.toml` in the folder of the job,
results in `NAME.run1.out`, progress in `NAME.studio/run1.jsonl`. The next studio identifies the process of a run by its
number and its start time, because the system reuses numbers.

Only entries that this studio has added start automatically. A waiting entry of another studio may come from an
untrusted source together with the folder. Such an entry waits until a user starts the run.
"""

import contextlib
import itertools
import json
import os
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..errors import INTERRUPTED, DataError, UsageError
from ..files.replace_file import write_whole
from .file_lock import held
from .foreign_file import json_of, loads, opened, to_append, to_write
from .job_file import JobFile, digest_of
from .program import binary
from .run_list import (
    DONE,
    FAILED,
    HELD,
    LARGEST_NUMBER,
    RUNNING,
    STOPPED,
    WAITING,
    answers_in,
    arguments_of,
    checked_ranks,
    clean_text,
    entry_of,
    kept_entries,
    name_of,
)

MOST_LINES = 5000  # maximum number of lines of a log that the page receives
MOST_BYTES = 32 << 20  # maximum number of bytes of a log that are read in one call


class Runs:
    """The runs of one job file. Only one studio owns the queue. Other studios only read the queue."""

    def __init__(
        self, job: JobFile, changed: Callable[[], None] = lambda: None, added: set[tuple[Path, int]] | None = None
    ) -> None:
        """@param added runs that this studio has added, by job file and number; this object appends its runs"""
        self.job, self.changed = job, changed
        self.added = added if added is not None else set()
        self.folder = job.folder
        self.lock = threading.RLock()
        self.children: dict[int, subprocess.Popen[bytes]] = {}
        self.is_mine = False
        self.held: Any = None
        self.note = ""  # message about the list for the page
        self.entries: list[dict[str, Any]] = []
        if not self.acquire():
            self.entries = self._read_entries()

    def acquire(self) -> bool:
        """Lock the queue, unless another studio has the lock."""
        with self.lock:
            if self.is_mine:
                return True
            self.folder.mkdir(exist_ok=True)
            lock = held(self.folder / "lock")
            if lock is None:
                return False
            self.held, self.is_mine = lock, True  # the lock remains until the process ends
            self.entries = self._read_entries()
            for entry in self.entries:
                if entry["state"] == WAITING and (self.job.path, entry["number"]) not in self.added:
                    entry["state"] = HELD
            return True

    def release(self) -> None:
        if self.held is not None:
            self.held.close()
        self.held, self.is_mine = None, False

    def _read_entries(self) -> list[dict[str, Any]]:
        entries, faults = kept_entries(self.folder / "runs.json", self.job.path.stem)
        self.note = ""
        if faults:
            self.note = (
                f"{faults} invalid {'entries' if faults > 1 else 'entry'} of '{self.folder.name}/runs.json' "
                f"{'are' if faults > 1 else 'is'} ignored; the file is kept as runs.json.invalid"
            )
        return entries

    def _write_entries(self) -> None:
        path = self.folder / "runs.json"
        if self.note:
            with contextlib.suppress(FileNotFoundError):
                path.replace(path.with_name("runs.json.invalid"))
            self.note = ""
        write_whole(path, json.dumps(self.entries, indent=1))
        self.changed()

    def listed(self) -> list[dict[str, Any]]:
        """Return copies of the entries. Other threads do not change these copies."""
        with self.lock:
            return [dict(entry) for entry in self.entries]

    def add(self, text: str, ranks: int | None = None) -> dict[str, Any]:
        """Append a run of this text to the queue. @throws UsageError if another studio owns the queue"""
        with self.lock:
            self._require_queue_lock()
            ranks = checked_ranks(ranks)
            number = self._free_number()
            write_whole(self._file(number, "toml"), text)
            entry = entry_of(
                self.job.path.stem, number, ranks, digest=digest_of(text), state=WAITING, added=time.time()
            )
            self.entries.append(entry)
            self.added.add((self.job.path, number))
            self._write_entries()
        self.tend()
        return entry

    def _free_number(self) -> int:
        """Return a number for which no files exist. Links to files that do not exist also count as files."""
        number = 1 + max((e["number"] for e in self.entries), default=0)
        while any(os.path.lexists(self._file(number, ending)) for ending in ("toml", "out")):
            number += 1
        if number > LARGEST_NUMBER:
            raise UsageError(f"a job has at most {LARGEST_NUMBER} runs; remove '{self.folder.name}' and earlier runs")
        return number

    def _file(self, number: int, ending: str) -> Path:
        return self.job.path.with_name(f"{name_of(self.job.path.stem, number)}.{ending}")

    def stop(self, number: int) -> None:
        """Remove a run from the queue. If the run is active, send a signal; the run then writes a checkpoint and
        ends."""
        with self.lock:
            self._require_queue_lock()
            entry = self._entry(number)
            if entry["state"] in (WAITING, HELD):
                entry["state"] = STOPPED
                self._write_entries()
            elif entry["state"] == RUNNING and self._is_running(entry):
                entry["asked_to_stop"] = True
                self._write_entries()
                os.kill(entry["pid"], signal.SIGTERM)

    def resume(self, number: int) -> None:
        with self.lock:
            self._require_queue_lock()
            entry = self._entry(number)
            if entry["state"] in (HELD, STOPPED, FAILED):
                entry["state"] = WAITING
                self.added.add((self.job.path, number))
                self._write_entries()
        self.tend()

    def _is_running(self, entry: dict[str, Any]) -> bool:
        """Return True if the process of an entry belongs to this studio, or writes the progress file of this run. This
        check is necessary, because the list on disk may contain any process number."""
        if not is_alive(entry):
            return False
        progress_file = self.progress_file(entry)
        return entry["number"] in self.children or writes_progress(
            entry["pid"], f"{progress_file.parent.name}/{progress_file.name}"
        )

    def tend(self) -> None:
        """Update the ended runs, and start the next run. The server calls this function periodically."""
        with self.lock:
            if not self.is_mine:
                self.entries = self._read_entries()
                return
            changed = False
            for entry in self.entries:
                if entry["state"] == RUNNING and not self._is_running(entry):
                    if child := self.children.pop(entry["number"], None):
                        entry["exit_code"] = child.wait()
                    self._ended(entry)
                    changed = True
            if not any(e["state"] == RUNNING for e in self.entries):
                following = next((e for e in self.entries if e["state"] == WAITING), None)
                if following:
                    self._start(following)
                    changed = True
            if changed:
                self._write_entries()

    def _start(self, entry: dict[str, Any]) -> None:
        folder, number = self.job.path.parent, entry["number"]
        results = self.results_of(number)
        resumes = (results / "checkpoint").is_dir()
        progress_file = self.progress_file(entry)
        entry.pop("asked_to_stop", None)
        entry.pop("exit_code", None)
        try:
            self._require_no_links(number)
            arguments = arguments_of(entry["name"], entry.get("ranks"))
            # the command is not `osteon resume`, because `osteon resume` uses the job and the folder in the checkpoint
            if resumes:
                arguments.append("--resume")
            arguments += ["--progress", str(progress_file)]
            self.job.log({"command": shlex.join(["osteon", *arguments])})
            path = self.folder / f"run{number}.log"
            with to_append(path) if resumes else to_write(path) as log:
                child = subprocess.Popen(
                    [binary(), *arguments],
                    cwd=folder,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
        except DataError as e:
            entry.update(state=FAILED, text=str(e), ended=time.time())
            return
        except OSError as e:
            entry.update(state=FAILED, text=f"cannot start '{e.filename or binary()}': {e.strerror}", ended=time.time())
            return
        self.children[number] = child
        entry.update(state=RUNNING, pid=child.pid, born=born(child.pid), host=os.uname().nodename, began=time.time())

    def _require_no_links(self, number: int) -> None:
        """@throws DataError if a file that the run reads or writes is a link, because the target of a link is
        arbitrary"""
        for path in (
            self._file(number, "toml"),
            self._file(number, "out"),
            self.folder / f"run{number}.jsonl",
            self.folder / f"run{number}.log",
        ):
            if path.is_symlink():
                raise DataError(f"'{path.name}' is a link; replace it by its target, then start the run again")

    def _ended(self, entry: dict[str, Any]) -> None:
        """Set the outcome of a run from the last line of its progress file. The run may belong to another studio."""
        last = self._last_line(entry)
        code = last.get("exit_code") if last.get("kind") == "end" else entry.get("exit_code")
        code = code if isinstance(code, int) else None
        done = code == 0
        entry["exit_code"] = code
        entry["ended"] = time.time()
        stopped = code in (INTERRUPTED, 130, 143) or (entry.get("asked_to_stop") and not done)
        entry["state"] = DONE if done else STOPPED if stopped else FAILED
        if done:
            entry["answers"] = self._answers(entry)
        text = last.get("text", "") if last.get("kind") == "end" else "" if done else "terminated by another process"
        entry["text"] = clean_text(text)

    def _answers(self, entry: dict[str, Any]) -> dict[str, float]:
        """Return the first numbers in the summary of a run. The card of the run displays these numbers."""
        try:
            return answers_in(json_of(self.results_of(entry["number"]) / "summary.json"))
        except (OSError, ValueError):
            return {}

    def _last_line(self, entry: dict[str, Any]) -> dict[str, Any]:
        lines = self.lines(entry["number"], 0)[0]
        return lines[-1] if lines else {}

    def lines(self, number: int, begin: int) -> tuple[list[dict[str, Any]], int]:
        """Return the lines of progress that begin at a byte position, and the next position. If the file has become
        shorter, return all lines."""
        path = self.folder / f"run{number}.jsonl"
        try:
            with opened(path) as file:
                size = os.fstat(file.fileno()).st_size
                if size < begin:
                    begin = 0
                begin = max(begin, size - MOST_BYTES)
                file.seek(begin)
                data = file.read(MOST_BYTES)
        except OSError:
            return [], 0
        whole = data[: data.rfind(b"\n") + 1]
        found = []
        for line in whole.splitlines()[-MOST_LINES:]:
            with contextlib.suppress(ValueError):
                progress_file = loads(line)
                if isinstance(progress_file, dict):
                    found.append(progress_file)
        return found, begin + len(whole)

    def progress_file(self, entry: dict[str, Any]) -> Path:
        return self.folder.resolve() / f"run{entry['number']}.jsonl"

    def log_of(self, number: int) -> str:
        try:
            with opened(self.folder / f"run{number}.log") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - 20000))
                return file.read(20000).decode(errors="replace")
        except OSError:
            return ""

    def job_of(self, number: int) -> str:
        """Return the text with which a run was started. @throws DataError if the text is missing"""
        path = self._file(self._entry(number)["number"], "toml")
        try:
            with opened(path) as file:
                return file.read(MOST_BYTES).decode("utf-8")
        except (OSError, UnicodeDecodeError):
            raise DataError(f"'{path.name}', the job of run {number}, cannot be read") from None

    def results_of(self, number: int) -> Path:
        return self._file(self._entry(number)["number"], "out")

    def _entry(self, number: int) -> dict[str, Any]:
        found = next((e for e in self.entries if e["number"] == number), None)
        if found is None:
            raise UsageError(f"no run {number}")
        return found

    def _require_queue_lock(self) -> None:
        if not self.acquire():
            raise UsageError(f"another studio manages the runs of '{self.job.path.name}'; start and stop them there")


def born(pid: int) -> str | None:
    """Return the start time of a process in ticks since boot. If the process has ended (or is a zombie), the result is
    None."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rsplit(")", 1)[1].split()
    except (OSError, IndexError):
        return None
    return None if fields[0] in "ZX" else fields[19]


def is_alive(entry: dict[str, Any]) -> bool:
    return "pid" in entry and entry.get("born") is not None and born(entry["pid"]) == entry["born"]


def writes_progress(pid: int, to: str) -> bool:
    """Return True if a process was started with `--progress` and a file with a path that ends in `to`."""
    try:
        arguments = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    end = b"/" + os.fsencode(to)
    return any(word == b"--progress" and path.endswith(end) for word, path in itertools.pairwise(arguments))
