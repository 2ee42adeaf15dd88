"""Progress of a job. The lines of the program on standard error are passed to a listener or to a progress bar."""

import re
import sys
from collections.abc import Callable
from contextlib import suppress

Listener = Callable[[str, float, str], None]

_STEP = re.compile(r"\s+(\d+) %  (.*)")


class ProgressLines:
    """Parse the lines of a run. Stage, completed fraction and details are passed to a listener."""

    def __init__(self, listener: Listener) -> None:
        self.listener = listener
        self.stage = ""

    def line(self, text: str) -> None:
        text = text.rstrip("\n")
        if step := _STEP.fullmatch(text):
            self.listener(self.stage, int(step[1]) / 100, step[2])
        elif text and not text.startswith((" ", "osteon:")):
            self.stage = text
            self.listener(self.stage, 0.0, "")


class Bar:
    """Display a bar of tqdm for each stage, also in notebooks. Without tqdm, a line is printed for each stage."""

    def __init__(self) -> None:
        self.bar = None
        self.make = None
        with suppress(ImportError):
            from tqdm.auto import tqdm

            self.make = tqdm

    def __call__(self, stage: str, fraction: float, detail: str) -> None:
        if self.make is None:
            if fraction == 0:
                print(stage, file=sys.stderr)
            return
        if fraction == 0 and not detail:
            self.close()
            form = "{desc}: {percentage:3.0f} %|{bar}| {elapsed}<{remaining} {postfix}"
            self.bar = self.make(total=100, desc=stage, bar_format=form)
        if self.bar is not None:
            self.bar.set_postfix_str(detail, refresh=False)
            self.bar.update(100 * fraction - self.bar.n)

    def close(self) -> None:
        """Complete the bar of the last stage."""
        if self.bar is not None:
            self.bar.update(100 - self.bar.n)
            self.bar.close()
            self.bar = None
