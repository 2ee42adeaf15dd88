"""Remaining output of a process whose first messages were read line by line."""

from __future__ import annotations

import subprocess
import threading


def read_rest(process: subprocess.Popen[str], seconds: float = 60) -> str:
    """Output of a process on its standard error from now until it ends.

    `communicate` reads from the pipe itself, and loses the lines that `readline` buffered with the one that it
    returned: those that arrive in one piece, as on a busy machine."""
    too_late = threading.Event()

    def end() -> None:
        too_late.set()
        process.kill()

    timer = threading.Timer(seconds, end)
    timer.start()
    try:
        assert process.stderr is not None
        rest = process.stderr.read()
        process.wait()
    finally:
        timer.cancel()
    assert not too_late.is_set(), f"not at its end after {seconds} s: {rest}"
    return rest
