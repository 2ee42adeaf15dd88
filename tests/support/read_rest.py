"""Remaining output of a process whose first messages were read line by line."""

from __future__ import annotations

import subprocess
import threading


def read_rest(process: subprocess.Popen[str], seconds: float = 60) -> str:
    """Return the output of a process on its standard error from now until its end.

    `communicate` reads from the pipe itself. It loses the lines that `readline` buffered together with the returned
    line. On a busy machine, several lines arrive in one piece."""
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
