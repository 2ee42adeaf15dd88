"""Runs of a job: a queue, each run in a session of its own, so that neither the page nor the server ends it.

A run keeps the text of the job as it was: `NAME.run1.toml` beside the job, results in `NAME.run1.out`, what it tells
in `NAME.studio/run1.jsonl`. Whoever starts a studio next finds it: a process is known by its number and the time of
its start, as numbers come again.
"""

import contextlib
import fcntl
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
from ..replace_file import write_whole
from .job_file import JobFile, digest_of
from .program import binary

WAITING, RUNNING, STOPPED, DONE, FAILED = "waiting", "running", "stopped", "done", "failed"
ANSWERS = ("stiffness_N_per_mm", "apparent_modulus_MPa", "effective_conductivity_W_per_mK", "permeability_m2")
MOST_LINES = 5000  # of a log that the page gets; the latest


class Runs:
    """The runs of one job file. One studio has the queue; another one only looks."""

    def __init__(self, job: JobFile, changed: Callable[[], None] = lambda: None) -> None:
        self.job, self.changed = job, changed
        self.folder = job.folder
        self.lock = threading.RLock()
        self.children: dict[int, subprocess.Popen[bytes]] = {}
        self.is_mine = False
        self.held: Any = None
        self.take()
        self.entries: list[dict[str, Any]] = self._kept()

    def take(self) -> bool:
        """Take the queue, if no other studio has it."""
        if self.is_mine:
            return True
        self.folder.mkdir(exist_ok=True)
        held = (self.folder / "lock").open("a+")
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            held.close()
            return False
        self.held, self.is_mine = held, True  # until the process ends, however it does
        return True

    def release(self) -> None:
        if self.held is not None:
            self.held.close()
        self.held, self.is_mine = None, False

    def _kept(self) -> list[dict[str, Any]]:
        try:
            return json.loads((self.folder / "runs.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return []

    def _keep(self) -> None:
        write_whole(self.folder / "runs.json", json.dumps(self.entries, indent=1))
        self.changed()

    def add(self, text: str, ranks: int | None = None) -> dict[str, Any]:
        """Put a run of this text at the end of the queue. @throws UsageError if another studio has the queue"""
        with self.lock:
            self._require_mine()
            number = 1 + max((e["number"] for e in self.entries), default=0)
            stem = f"{self.job.path.stem}.run{number}"
            while (self.job.path.parent / f"{stem}.toml").exists() or (self.job.path.parent / f"{stem}.out").exists():
                number += 1
                stem = f"{self.job.path.stem}.run{number}"
            write_whole(self.job.path.with_name(f"{stem}.toml"), text)
            command = ["osteon", "run", f"{stem}.toml", "-o", f"{stem}.out"]
            if ranks:
                command += ["-n", str(ranks)]
            entry = {
                "number": number,
                "name": stem,
                "digest": digest_of(text),
                "state": WAITING,
                "command": shlex.join(command),
                "added": time.time(),
            }
            self.entries.append(entry)
            self._keep()
        self.tend()
        return entry

    def stop(self, number: int) -> None:
        """Take it out of the queue, or tell it to write a checkpoint and end."""
        with self.lock:
            self._require_mine()
            entry = self._entry(number)
            if entry["state"] == WAITING:
                entry["state"] = STOPPED
                self._keep()
            elif entry["state"] == RUNNING and is_alive(entry):
                entry["asked_to_stop"] = True
                self._keep()
                os.kill(entry["pid"], signal.SIGTERM)

    def resume(self, number: int) -> None:
        with self.lock:
            self._require_mine()
            entry = self._entry(number)
            if entry["state"] in (STOPPED, FAILED):
                entry["state"] = WAITING
                self._keep()
        self.tend()

    def tend(self) -> None:
        """See what has ended, and begin the next one. Called again and again."""
        with self.lock:
            if not self.is_mine:
                self.entries = self._kept()
                return
            changed = False
            for entry in self.entries:
                if entry["state"] == RUNNING and not is_alive(entry):
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
                self._keep()

    def _start(self, entry: dict[str, Any]) -> None:
        folder, name = self.job.path.parent, entry["name"]
        goes_on = (folder / f"{name}.out" / "checkpoint").is_dir()
        told = self.told(entry)
        if goes_on:
            words = [binary(), "resume", f"{name}.out", "--progress", str(told)]
        else:
            words = [binary(), *shlex.split(entry["command"])[1:], "--progress", str(told)]
        self.job.log({"command": shlex.join(["osteon", *words[1:]])})
        entry.pop("asked_to_stop", None)
        entry.pop("exit_code", None)
        with (self.folder / f"run{entry['number']}.log").open("ab" if goes_on else "wb") as log:
            try:
                child = subprocess.Popen(
                    words, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
                )
            except OSError as e:
                entry.update(state=FAILED, text=f"cannot start '{words[0]}': {e.strerror}", ended=time.time())
                return
        self.children[entry["number"]] = child
        entry.update(state=RUNNING, pid=child.pid, born=born(child.pid), host=os.uname().nodename, began=time.time())

    def _ended(self, entry: dict[str, Any]) -> None:
        """What became of a run. The last line of what it told says it, also of one that was no child of ours."""
        last = self._last_line(entry)
        code = last.get("exit_code") if last.get("kind") == "end" else entry.get("exit_code")
        done = code == 0
        entry["exit_code"] = code
        entry["ended"] = time.time()
        stopped = code in (INTERRUPTED, 130, 143) or (entry.get("asked_to_stop") and not done)
        entry["state"] = DONE if done else STOPPED if stopped else FAILED
        if done:
            entry["answers"] = self._answers(entry)
        entry["text"] = (
            last.get("text", "") if last.get("kind") == "end" else "" if done else "it was ended from outside"
        )

    def _answers(self, entry: dict[str, Any]) -> dict[str, float]:
        """The first numbers of a run's summary, for its card."""
        try:
            path = self.results_of(entry["number"]) / "summary.json"
            summary = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return {key: summary[key] for key in ANSWERS if isinstance(summary.get(key), (int, float))}

    def _last_line(self, entry: dict[str, Any]) -> dict[str, Any]:
        lines = self.lines(entry["number"], 0)[0]
        return lines[-1] if lines else {}

    def lines(self, number: int, begin: int) -> tuple[list[dict[str, Any]], int]:
        """Lines that a run has told from this byte on, and the byte after them. Of a shorter file: from the first."""
        path = self.folder / f"run{number}.jsonl"
        try:
            with path.open("rb") as file:
                if os.fstat(file.fileno()).st_size < begin:
                    begin = 0
                file.seek(begin)
                data = file.read()
        except OSError:
            return [], 0
        whole = data[: data.rfind(b"\n") + 1]
        found = []
        for line in whole.splitlines()[-MOST_LINES:]:
            with contextlib.suppress(ValueError):
                found.append(json.loads(line))
        return found, begin + len(whole)

    def told(self, entry: dict[str, Any]) -> Path:
        return (self.folder / f"run{entry['number']}.jsonl").resolve()

    def log_of(self, number: int) -> str:
        try:
            return (self.folder / f"run{number}.log").read_bytes()[-20000:].decode(errors="replace")
        except OSError:
            return ""

    def job_of(self, number: int) -> str:
        """The text that a run was started with. @throws DataError if it is gone"""
        path = self.job.path.with_name(f"{self._entry(number)['name']}.toml")
        try:
            return path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            raise DataError(f"'{path.name}', the job of run {number}, cannot be read any more") from None

    def results_of(self, number: int) -> Path:
        return self.job.path.parent / f"{self._entry(number)['name']}.out"

    def _entry(self, number: int) -> dict[str, Any]:
        found = next((e for e in self.entries if e["number"] == number), None)
        if found is None:
            raise UsageError(f"there is no run {number}")
        return found

    def _require_mine(self) -> None:
        if not self.take():
            raise UsageError(f"another studio has the runs of '{self.job.path.name}'; start and stop them there")


def born(pid: int) -> str | None:
    """When a process began, in ticks since the machine did; nothing if it is no more (a zombie is none)."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rsplit(")", 1)[1].split()
    except (OSError, IndexError):
        return None
    return None if fields[0] in "ZX" else fields[19]


def is_alive(entry: dict[str, Any]) -> bool:
    return "pid" in entry and entry.get("born") is not None and born(entry["pid"]) == entry["born"]
