"""A queue of programs on one machine. A fixed number of programs runs concurrently. Each program has cores and a log of
its own.

On the first signal, the queue forwards the signal to the running programs, and starts no further programs. A second
signal terminates the programs. If this process ends for any reason, the programs also end.
"""

import os
import shlex
import signal
import subprocess
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from ..processes.container_limits import usable_cores

PROMPT = "$ "  # text before the command in a log
ENDING = "exit code "  # text of the last line in a log
STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGHUP)
LOOK_EVERY_S = 0.02


@dataclass(frozen=True)
class Task:
    name: str
    log: Path
    command: Callable[[], list[str]]  # function that is called when the task starts
    again: Callable[[str], list[str] | None] = lambda log_text: (
        None
    )  # function that selects another command after a failure, from the log


@dataclass
class _Running:
    task: Task
    process: subprocess.Popen[bytes]
    log: IO[bytes]
    slot: int
    from_byte: int  # position in the log at which this attempt starts
    is_second: bool = False


class Queue:
    """@param at_once number of concurrent tasks @param environment environment variables of the programs"""

    def __init__(self, at_once: int, environment: dict[str, str]) -> None:
        self.environment = environment
        self.stopped: signal.Signals | None = None
        self._running: list[_Running] = []
        self._slots = _slots(at_once)

    def run(
        self,
        tasks: Sequence[Task],
        on_start: Callable[[Task], None] = lambda task: None,
        ended: Callable[[Task, int, float], None] = lambda task, code, seconds: None,
        meanwhile: Callable[[list[Task]], None] = lambda tasks: None,
    ) -> dict[str, int]:
        """Run all tasks in order. @return exit code of each task by name; tasks that have not started are missing"""
        waiting, codes = deque(tasks), {}
        start_times: dict[str, float] = {}
        # when this process ends, the system closes the pipe, and the programs detect the closed pipe
        alive, ours = os.pipe()
        before = {number: signal.signal(number, self._stop) for number in STOPS if _is_handled(number)}
        try:
            free = list(range(len(self._slots)))[::-1]
            while waiting or self._running:
                while waiting and free and self.stopped is None:
                    task = waiting.popleft()
                    start_times[task.name] = time.monotonic()
                    on_start(task)
                    self._start(task, task.command(), free.pop(), alive)
                if not self._running:
                    break
                time.sleep(LOOK_EVERY_S)
                meanwhile([r.task for r in self._running])
                for r in [r for r in self._running if r.process.poll() is not None]:
                    self._running.remove(r)
                    code = _code_of(r.process.returncode)
                    other = None if r.is_second or code == 0 or self.stopped else r.task.again(_log_text(r))
                    _close(r, code)
                    if other is not None:
                        self._start(r.task, other, r.slot, alive, is_second=True)
                        continue
                    free.append(r.slot)
                    codes[r.task.name] = code
                    ended(r.task, code, time.monotonic() - start_times[r.task.name])
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            os.close(alive)
            os.close(ours)
        return codes

    def _start(self, task: Task, command: list[str], slot: int, alive: int, is_second: bool = False) -> None:
        task.log.parent.mkdir(parents=True, exist_ok=True)
        log = task.log.open("ab")
        at = log.tell()
        log.write(f"{PROMPT}{shlex.join(command)}\n".encode(errors="surrogateescape"))
        log.flush()
        own_cores = os.sched_getaffinity(0)
        os.sched_setaffinity(0, self._slots[slot])  # the started program inherits the affinity
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**self.environment, "OSTEON_LIFELINE": str(alive)},
                pass_fds=(alive,),
                # only this process receives signals from the terminal; this process forwards the signals
                start_new_session=True,
            )
        finally:
            os.sched_setaffinity(0, own_cores)
        self._running.append(_Running(task, process, log, slot, at, is_second))
        if self.stopped is not None:  # a signal has arrived since the last check
            process.send_signal(self.stopped)

    def _stop(self, number: int, _: object) -> None:
        self.stopped = signal.Signals(number)
        for r in self._running:
            if r.process.poll() is None:
                r.process.send_signal(number)


def _is_handled(number: signal.Signals) -> bool:
    """Return False if the signal was ignored when this process started, as with nohup."""
    return signal.getsignal(number) is not signal.SIG_IGN


def _slots(at_once: int) -> list[set[int]]:
    """Return the cores of each slot. The slots have equal numbers of cores. If there are too few cores, several slots
    have the same core."""
    cores = sorted(os.sched_getaffinity(0))
    cores = cores[: usable_cores()]  # the number of cores is at most the quota of a container
    n = len(cores)
    return [set(cores[i * n // at_once : (i + 1) * n // at_once] or [cores[i % n]]) for i in range(at_once)]


def _code_of(returned: int) -> int:
    return returned if returned >= 0 else 128 - returned


def _log_text(r: _Running) -> str:
    with r.task.log.open("rb") as file:
        file.seek(r.from_byte)
        return file.read().decode(errors="replace")


def _close(r: _Running, code: int) -> None:
    r.log.write(f"{ENDING}{code}\n".encode())
    r.log.close()


def last_attempt(log: Path) -> tuple[int | None, list[str]]:
    """Return the exit code and the lines of the last program in a log. If the program was terminated, the code is None.

    @throws FileNotFoundError if the program has never started
    """
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    first = max((n for n, line in enumerate(lines) if line.startswith(PROMPT)), default=-1)
    lines = lines[first + 1 :]
    code = None
    if lines and lines[-1].startswith(ENDING) and lines[-1].removeprefix(ENDING).isdecimal():
        code = int(lines.pop().removeprefix(ENDING))
    return code, lines
