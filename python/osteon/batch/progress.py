"""Progress of a batch on standard error."""

import sys
import time
from pathlib import Path

from ..errors import printable
from .batch import Batch
from .table import DONE, FAILED, NOT_CONVERGED, outcome_of
from .task_queue import Task

CLEAR = "\r\x1b[K"  # this sequence clears the line of a terminal
TABLES_EVERY_S = 10.0  # minimum interval in s between tables; users can read the table while the batch is running


class Progress:
    """Print a line for each completed item. On a terminal, also update a line with the running items and the remaining
    time."""

    def __init__(self, batch: Batch, at_once: int) -> None:
        self.batch, self.at_once = batch, at_once
        self.is_terminal = sys.stderr.isatty()
        self.done = self.failed = self.were_done = 0
        self.durations: list[float] = []  # durations of the computed items
        self.stamps = {item.name: _stamp(batch.results(item)) for item in batch.items}
        self.last_tables = time.monotonic()

    def ended(self, task: Task, code: int, seconds: float) -> None:
        item = next(i for i in self.batch.items if i.name == task.name)
        outcome = outcome_of(item, self.batch.results(item), self.batch.log(item))
        self.done += 1
        was_done = outcome.status == DONE and self.stamps[item.name] == _stamp(self.batch.results(item))
        if was_done:
            self.were_done += 1
        else:
            self.durations.append(seconds)
        self.failed += outcome.status in (FAILED, NOT_CONVERGED)
        answer = next(
            (f"{v.title} {v.value:.6g} {v.unit}" for v in outcome.answers if isinstance(v.value, float)), ""
        ).rstrip()
        status = "completed before" if was_done else outcome.status
        self._line(f"{task.name}: {status}" + (f", {answer}" if answer and not was_done else "")
                   + (f": {outcome.reason}" if outcome.reason else "") + f"  [{self._place()}]")  # fmt: skip
        if time.monotonic() - self.last_tables > TABLES_EVERY_S:
            self.batch.write_tables(self.batch.outcomes())
            self.last_tables = time.monotonic()

    def meanwhile(self, tasks: list[Task]) -> None:
        if self.is_terminal:
            names = ", ".join(t.name for t in tasks[:3]) + (" ..." if len(tasks) > 3 else "")
            print(CLEAR + printable(f"{self._place()}: {names}"), end="", file=sys.stderr, flush=True)

    def _place(self) -> str:
        total = len(self.batch.items)
        text = f"{self.done} of {total}" + (f", {self.failed} failed" if self.failed else "")
        left = total - self.done
        if self.durations and left:
            text += f", about {duration(left * sum(self.durations) / len(self.durations) / self.at_once)} left"
        return text

    def _line(self, text: str) -> None:
        clear = CLEAR if self.is_terminal else ""
        print(clear + printable(text), file=sys.stderr, flush=True)

    def close(self) -> None:
        if self.is_terminal:
            print(CLEAR, end="", file=sys.stderr, flush=True)


def _stamp(folder: Path) -> int:
    try:
        return (folder / "results.nc").stat().st_mtime_ns
    except OSError:
        return 0


def duration(seconds: float) -> str:
    if seconds < 60:
        return f"{max(1, round(seconds))} s"
    if seconds < 3600:
        return f"{round(seconds / 60)} min"
    return f"{int(seconds / 3600)} h {round(seconds % 3600 / 60)} min"
