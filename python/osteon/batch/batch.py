"""A batch of jobs with items, commands, outcomes, table and page. Cohorts and cubes are subclasses of a batch."""

import argparse
import json
from pathlib import Path

from ..calls.api import binary
from ..files.replace_file import write_whole
from .items import Item, items_of
from .page import page_of
from .table import Outcome, csv_of, json_of, outcome_of


class Batch:
    kind = "batch"  # name of this kind in the table and on the page

    def __init__(self, given: argparse.Namespace) -> None:
        self.given = given
        self.folder = Path(given.out)
        self.items = items_of(given.jobs, given.image)
        self.csv = Path(given.csv) if given.csv else self.folder / f"{self.kind}.csv"

    @property
    def page(self) -> Path:
        return self.folder / f"{self.kind}.html"

    def warnings(self, outcomes: list[Outcome]) -> list[str]:
        """Return warnings for readers of the table."""
        return []

    def table_text(self, outcomes: list[Outcome]) -> str:
        return csv_of(outcomes)

    def page_text(self, outcomes: list[Outcome]) -> str:
        return page_of(outcomes, self.folder, self.csv, self.kind, self.warnings(outcomes))

    def to_json(self, outcomes: list[Outcome]) -> dict:
        """Return the content of the option --json."""
        return json_of(outcomes, self.folder)

    def own_options(self) -> list[str]:
        """Return the options of the command line that only this kind of batch has. A job array needs these options."""
        given = self.given
        return [*(["--csv", given.csv] if given.csv else []), *(["--no-report"] if given.no_report else [])]

    def input_arguments(self) -> list[str]:
        """Return the last arguments of the command line, which are the inputs."""
        return [*self.given.jobs, *(["--images", *self.given.image] if self.given.image else [])]

    def results(self, item: Item) -> Path:
        return self.folder / f"{item.name}.out"

    def log(self, item: Item) -> Path:
        return self.folder / "logs" / f"{item.name}.log"

    def command(self, item: Item) -> list[str]:
        """Return the command of an item. If results exist, the command skips the item. If a checkpoint exists, the
        command resumes from the checkpoint."""
        resume = ["--resume"] if any((self.results(item) / "checkpoint").glob("*.checkpoint")) else []
        return self._command(item, resume)

    def _command(self, item: Item, more: list[str]) -> list[str]:
        given, out = self.given, self.results(item)
        command = [binary(), "run", item.job, "--unless-done", *more, "--output", str(out)]
        command += ["--checkpoint", str(out / "checkpoint")]
        for name, value in (("--ranks", given.ranks), ("--threads", given.threads)):
            command += [name, str(value)] if value else []
        if (given.at_once or 1) > 1:
            command += ["--bind", "none"]  # the queue has already bound the process to cores
        if given.no_report:
            command.append("--no-report")
        if given.requeue and given.only is not None:
            command.append("--requeue")
        for change in given.set:
            command += ["--set", change]
        return [*command, *item.arguments]

    def retry_command(self, item: Item, log_text: str) -> list[str] | None:
        """Return a second command after a failure. If a job was changed after it had been stopped, its checkpoint
        cannot be used."""
        return self._command(item, []) if "--resume" in log_text and "start without --resume" in log_text else None

    def outcomes(self) -> list[Outcome]:
        return [outcome_of(item, self.results(item), self.log(item)) for item in self.items]

    def write_tables(self, outcomes: list[Outcome]) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        write_whole(self.csv, self.table_text(outcomes))
        write_whole(self.page, self.page_text(outcomes))
        if self.given.json and self.given.json != "-":
            write_whole(Path(self.given.json), json.dumps(self.to_json(outcomes), indent=2) + "\n")
