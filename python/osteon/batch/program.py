"""Run many jobs, or one job on many images: `python -m osteon.batch --out FOLDER JOB...`; docs/howto/batch.md.

`osteon batch` starts this program. The state of each item is stored in its files, so that the same command continues
a batch that was stopped.
"""

import argparse
import fcntl
import json
import os
import sys
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path

from ..calls.api import binary, environment_of
from ..errors import MACHINE, Error, UsageError, complain, printable
from .batch import Batch
from .progress import Progress
from .slurm import write_job_array
from .table import DONE, FAILED, NOT_CONVERGED, STOPPED, WAITING, outcome_of
from .task_queue import Queue, Task


@contextmanager
def held(folder: Path):
    """Lock a folder for one batch. When the process ends, the system releases the lock. @throws UsageError, OSError"""
    folder.mkdir(parents=True, exist_ok=True)
    file = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(
                f"another batch is running in '{folder}'; wait for it, or choose another folder by --out"
            ) from None
        except OSError:
            pass  # the file system has no locks; in this case, each output folder has a lock of its own
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
                lambda log_text, item=item: batch.retry_command(item, log_text),
            )
            for item in batch.items
        ]
        queue = Queue(at_once, environment_of(binary()))
        queue.run(tasks, ended=progress.ended, meanwhile=progress.meanwhile)
        progress.close()
        return finish(batch, progress.were_done, stopped_by=queue.stopped)


def run_one(batch: Batch, number: int) -> int:
    """Execute a task of a job array. @return exit code of the task"""
    if not 1 <= number <= len(batch.items):
        raise UsageError(f"--only {number}: must be from 1 to {len(batch.items)}, the number of items")
    item = batch.items[number - 1]
    task = Task(
        item.name, batch.log(item), lambda: batch.command(item), lambda log_text: batch.retry_command(item, log_text)
    )
    codes = Queue(1, environment_of(binary())).run([task])
    outcome = outcome_of(item, batch.results(item), batch.log(item))
    print(printable(f"{item.name}: {outcome.status}" + (f": {outcome.reason}" if outcome.reason else "")))
    return codes[item.name]


def finish(batch: Batch, were_done: int = 0, stopped_by: int | None = None) -> int:
    """Write the table and the page, and print a summary. @return exit code"""
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
        print(json.dumps(batch.to_json(outcomes), indent=2))
    if stopped_by is not None:
        complain("osteon: stopped on request; run the same command again to continue")
        return 130 if stopped_by == 2 else 75
    failed = [o for o in outcomes if o.status in (FAILED, NOT_CONVERGED)]
    if failed:
        return failed[0].code or MACHINE
    return 75 if count[STOPPED] or count[WAITING] else 0


def queue_parser(name: str, about: str | None) -> argparse.ArgumentParser:
    """Return a parser with the options that all programs with a queue have."""
    parser = argparse.ArgumentParser(prog=f"osteon {name}", description=about)
    parser.add_argument("--out", required=True)
    for option in ("--at-once", "--ranks", "--threads", "--only"):
        parser.add_argument(option, type=int)
    parser.add_argument("--json", default="")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--slurm-line", action="append", default=[])
    for option in ("--no-report", "--collect", "--slurm", "--submit", "--requeue"):
        parser.add_argument(option, action="store_true")
    return parser


def run_batch(batch: Batch) -> int:
    """Execute one item, the tables, a job array or all items, according to the options. @return exit code"""
    given = batch.given
    if given.slurm and given.only is None:
        return write_job_array(batch)
    if given.only is not None:
        return run_one(batch, given.only)
    return finish(batch) if given.collect else run_all(batch)


def code_of(program: Callable[[], int]) -> int:
    """Run a program, and convert its errors to a message and an exit code."""
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
    return code_of(lambda: run_batch(Batch(given)))
