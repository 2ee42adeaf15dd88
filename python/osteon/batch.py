"""Run many jobs, or one job on many images: `python -m osteon.batch --out FOLDER JOB...`; docs/howto/batch.md.

`osteon batch` becomes this program. All that is known of an item is in its files, so a batch that was stopped goes on
by the same command.
"""

import argparse
import fcntl
import json
import os
import sys
import time
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path

from . import batch_slurm
from .api import binary
from .batch_items import Item, items_of
from .batch_page import page_of
from .batch_table import DONE, FAILED, NOT_CONVERGED, STOPPED, WAITING, Outcome, csv_of, json_of, outcome_of
from .errors import MACHINE, Error, UsageError, complain, printable
from .installed_program import PROGRAM, settings
from .replace_file import write_whole
from .task_queue import Queue, Task

CLEAR = "\r\x1b[K"  # the line of a terminal
TABLES_EVERY_S = 10.0  # at least; a batch at work can be looked at


class Batch:
    kind = "batch"  # what its table and page are called

    def __init__(self, given: argparse.Namespace) -> None:
        self.given = given
        self.folder = Path(given.out)
        self.items = items_of(given.jobs, given.image)
        self.csv = Path(given.csv) if given.csv else self.folder / f"{self.kind}.csv"

    @property
    def page(self) -> Path:
        return self.folder / f"{self.kind}.html"

    def warnings(self, outcomes: list[Outcome]) -> list[str]:
        """What a reader of the table has to know."""
        return []

    def table_text(self, outcomes: list[Outcome]) -> str:
        return csv_of(outcomes)

    def page_text(self, outcomes: list[Outcome]) -> str:
        return page_of(outcomes, self.folder, self.csv, self.kind, self.warnings(outcomes))

    def own_words(self) -> list[str]:
        """Of the command line, what only this kind has; for a job array."""
        given = self.given
        return [*(["--csv", given.csv] if given.csv else []), *(["--no-report"] if given.no_report else [])]

    def item_words(self) -> list[str]:
        """The end of the command line: what it is of."""
        return [*self.given.jobs, *(["--images", *self.given.image] if self.given.image else [])]

    def results(self, item: Item) -> Path:
        return self.folder / f"{item.name}.out"

    def log(self, item: Item) -> Path:
        return self.folder / "logs" / f"{item.name}.log"

    def command(self, item: Item) -> list[str]:
        """What does the item, unless its results are there; from its checkpoint, if there is one."""
        resume = ["--resume"] if any((self.results(item) / "checkpoint").glob("*.checkpoint")) else []
        return self._command(item, resume)

    def _command(self, item: Item, more: list[str]) -> list[str]:
        given, out = self.given, self.results(item)
        words = [binary(), "run", item.job, "--unless-done", *more, "--output", str(out)]
        words += ["--checkpoint", str(out / "checkpoint")]
        for name, value in (("--ranks", given.ranks), ("--threads", given.threads)):
            words += [name, str(value)] if value else []
        if (given.at_once or 1) > 1:
            words += ["--bind", "none"]  # the queue has given it its cores
        if given.no_report:
            words.append("--no-report")
        for change in given.set:
            words += ["--set", change]
        return [*words, *item.words]

    def anew(self, item: Item, told: str) -> list[str] | None:
        """After a failure: a job that was changed since it was stopped has no use for its checkpoint."""
        return self._command(item, []) if "--resume" in told and "start without --resume" in told else None

    def outcomes(self) -> list[Outcome]:
        return [outcome_of(item, self.results(item), self.log(item)) for item in self.items]

    def write_tables(self, outcomes: list[Outcome]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        write_whole(self.csv, self.table_text(outcomes))
        write_whole(self.page, self.page_text(outcomes))
        if self.given.json and self.given.json != "-":
            write_whole(Path(self.given.json), json.dumps(json_of(outcomes, self.folder), indent=2) + "\n")


def environment() -> dict[str, str]:
    """Of the programs that are started: this Python and this copy of the package."""
    env = {"OSTEON_PYTHON": sys.executable, **os.environ}
    env["PYTHONPATH"] = os.pathsep.join(filter(None, [str(Path(__file__).parents[1]), env.get("PYTHONPATH")]))
    if binary() == str(PROGRAM):
        env |= settings(env)
    return env


class Progress:
    """A line for each item that ends; on a terminal one more, which is written anew: what runs, and the time left."""

    def __init__(self, batch: Batch, at_once: int) -> None:
        self.batch, self.at_once = batch, at_once
        self.is_terminal = sys.stderr.isatty()
        self.done = self.failed = self.were_done = 0
        self.took: list[float] = []  # of what was computed
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
            self.took.append(seconds)
        self.failed += outcome.status in (FAILED, NOT_CONVERGED)
        answer = next(
            (f"{v.title} {v.value:.6g} {v.unit}" for v in outcome.answers if isinstance(v.value, float)), ""
        ).rstrip()
        words = "done before" if was_done else outcome.status
        self._line(f"{task.name}: {words}" + (f", {answer}" if answer and not was_done else "")
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
        if self.took and left:
            text += f", about {duration(left * sum(self.took) / len(self.took) / self.at_once)} left"
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


@contextmanager
def held(folder: Path):
    """One batch at a time in a folder; the system ends the lock with the process. @throws UsageError, OSError"""
    folder.mkdir(parents=True, exist_ok=True)
    file = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(
                f"another batch is at work in '{folder}'; wait for it, or choose another folder by --out"
            ) from None
        except OSError:
            pass  # a file system without locks; each output folder has its own
        yield
    finally:
        os.close(file)


def run_all(batch: Batch) -> int:
    at_once = batch.given.at_once or 1
    with held(batch.folder):
        progress = Progress(batch, at_once)
        tasks = [
            Task(
                item.name,
                batch.log(item),
                lambda item=item: batch.command(item),
                lambda told, item=item: batch.anew(item, told),
            )
            for item in batch.items
        ]
        queue = Queue(at_once, environment())
        queue.run(tasks, ended=progress.ended, meanwhile=progress.meanwhile)
        progress.close()
        return finish(batch, progress.were_done, stopped_by=queue.stopped)


def run_one(batch: Batch, number: int) -> int:
    """A task of a job array: its item, its log, its exit code."""
    if not 1 <= number <= len(batch.items):
        raise UsageError(f"--only {number}: there are {len(batch.items)} items, counted from 1")
    item = batch.items[number - 1]
    task = Task(item.name, batch.log(item), lambda: batch.command(item), lambda told: batch.anew(item, told))
    codes = Queue(1, environment()).run([task])
    outcome = outcome_of(item, batch.results(item), batch.log(item))
    print(printable(f"{item.name}: {outcome.status}" + (f": {outcome.reason}" if outcome.reason else "")))
    return codes[item.name]


def finish(batch: Batch, were_done: int = 0, stopped_by: int | None = None) -> int:
    """Table, page, and what a person wants to see. @return the exit code"""
    outcomes = batch.outcomes()
    batch.write_tables(outcomes)
    for_people = sys.stderr if batch.given.json == "-" else sys.stdout
    count = {s: sum(o.status == s for o in outcomes) for s in (DONE, NOT_CONVERGED, FAILED, STOPPED, WAITING)}
    line = f"{count[DONE]} of {len(outcomes)} done" + (f" ({were_done} before)" if were_done else "")
    line += "".join(f", {n} {status}" for status, n in count.items() if n and status != DONE)
    print(line, file=for_people)
    for o in outcomes:
        if o.status in (FAILED, NOT_CONVERGED):
            print(printable(f"  {o.item.name}: {o.status}: {o.reason}"), file=for_people)
    for warning in batch.warnings(outcomes):
        print(printable(f"warning: {warning}"), file=for_people)
    print(f"table: {batch.csv}\npage:  {batch.page}", file=for_people)
    if batch.given.json == "-":
        print(json.dumps(json_of(outcomes, batch.folder), indent=2))
    if stopped_by is not None:
        complain("osteon: stopped on request; the same command goes on with what is left")
        return 130 if stopped_by == 2 else 75
    failed = [o for o in outcomes if o.status in (FAILED, NOT_CONVERGED)]
    if failed:
        return failed[0].code or MACHINE
    return 75 if count[STOPPED] or count[WAITING] else 0


def queue_parser(name: str, about: str | None) -> argparse.ArgumentParser:
    """With the options that programs of a queue share."""
    parser = argparse.ArgumentParser(prog=f"osteon {name}", description=about)
    parser.add_argument("--out", required=True)
    for option in ("--at-once", "--ranks", "--threads", "--only"):
        parser.add_argument(option, type=int)
    parser.add_argument("--json", default="")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--slurm-line", action="append", default=[])
    for option in ("--no-report", "--collect", "--slurm", "--submit"):
        parser.add_argument(option, action="store_true")
    return parser


def carry_out(batch: Batch) -> int:
    """What its options ask for: one item, the tables, a job array, or all. @return the exit code"""
    given = batch.given
    if given.slurm and given.only is None:
        return batch_slurm.write(batch)
    if given.only is not None:
        return run_one(batch, given.only)
    return finish(batch) if given.collect else run_all(batch)


def code_of(program: Callable[[], int]) -> int:
    """Of a program whose faults become a sentence and an exit code."""
    try:
        return program()
    except Error as e:
        complain(f"osteon: {e}")
        return e.exit_code
    except OSError as e:
        complain(f"osteon: cannot write '{e.filename}': {e.strerror}; choose another folder by --out")
        return MACHINE


def parsed(arguments: list[str]) -> argparse.Namespace:
    parser = queue_parser("batch", __doc__)
    parser.add_argument("jobs", nargs="+")
    parser.add_argument("--image", action="append", default=[])
    parser.add_argument("--csv", default="")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    given = parsed(arguments)
    return code_of(lambda: carry_out(Batch(given)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
