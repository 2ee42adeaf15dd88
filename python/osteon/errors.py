"""Errors of osteon, and display of external text. Each exit code of the command line has one type of error."""

import re
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

USAGE, DATA, SOLVE, MACHINE, INTERRUPTED = 2, 3, 4, 5, 75


class Error(RuntimeError):
    """An error of osteon. The message contains the key or file, the value, its limits and the remedy.

    `exit_code` is the exit code of the command line.
    """

    exit_code = MACHINE


class UsageError(Error):
    """The request is invalid, for example because of a wrong key or an impossible combination of keys."""

    exit_code = USAGE


class DataError(Error):
    """The input cannot be used. The message has one line."""

    exit_code = DATA

    def __init__(self, text: str) -> None:
        super().__init__(" ".join(text.split()))


class SolveError(Error):
    """The solver has not reached its tolerance."""

    exit_code = SOLVE


class MachineError(Error):
    """MPI, the file system or the machine has failed, or osteon has been terminated."""

    exit_code = MACHINE


class Interrupted(Error):  # noqa: N818 (not a fault)
    """The job has been stopped. If the message contains `osteon resume`, this command continues the job."""

    exit_code = INTERRUPTED


class ProgramNotFound(MachineError, FileNotFoundError):  # noqa: N818 (an error by its bases)
    """The program osteon was not found."""


class FileWarning(UserWarning):
    """Warning about an unusual property of a file that osteon reads. The message contains the name of the file."""


class JobWarning(UserWarning):
    """Warning about an unusual property of a job that osteon computes. The message contains the argument or the key."""


def warn_of_job(text: str) -> None:
    """Issue a `JobWarning` for the line outside of this package that has started the job."""
    package, depth, frame = str(Path(__file__).parent), 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(package):
        frame, depth = frame.f_back, depth + 1
    warnings.warn(printable(in_arguments(text)), JobWarning, stacklevel=depth)


# Job keys for which the running function has arguments. None: messages contain the line in the job file.
_arguments: ContextVar[Mapping[str, str] | None] = ContextVar("arguments", default=None)
_PLACE = re.compile(
    r"^(?:(?:job|/\S*/job\.toml)(?::\d+)?: )?(?P<key>[a-z_0-9]+(?:\[\d+\])?(?:\.\w+(?:\[\d+\])?)*)(?=: )", re.ASCII
)


@contextmanager
def arguments_for(keys: Mapping[str, str]) -> Iterator[None]:
    """In errors and warnings, replace these job keys by the arguments of a function. Remove the line numbers of all
    other keys."""
    before = _arguments.set(keys)
    try:
        yield
    except Error as e:
        e.args = ("\n".join(map(in_arguments, str(e).splitlines())), *e.args[1:])
        raise
    finally:
        _arguments.reset(before)


@contextmanager
def without_places() -> Iterator[None]:
    """Remove line numbers from messages if the caller does not know the file. Functions that set names of arguments are
    not affected."""
    with arguments_for(_arguments.get() or {}):
        yield


def in_arguments(line: str) -> str:
    """Replace the file position at the start of a message by the key, or by the argument that sets the key."""
    keys = _arguments.get()
    return line if keys is None else _PLACE.sub(lambda found: keys.get(found["key"], found["key"]), line)


def error_of(exit_code: int, text: str) -> Error:
    """Return the error for an exit code of the program."""
    kinds = {kind.exit_code: kind for kind in (UsageError, DataError, SolveError, MachineError, Interrupted)}
    error = {130: Interrupted, 143: Interrupted}.get(exit_code) or kinds.get(exit_code, MachineError)
    found = error(text)
    found.exit_code = exit_code if exit_code > 0 else MACHINE
    return found


# Control characters, direction marks, other line ends, and characters without width.
_HARMFUL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)


def printable(text: str) -> str:
    """In external text, escape all characters that control a terminal or hide other text."""
    return _HARMFUL.sub(lambda found: found.group().encode("unicode_escape").decode("ascii"), text)


def complain(text: object) -> None:
    """Print a line on standard error."""
    print(printable(str(text)), file=sys.stderr)


def report_file_warnings() -> None:
    """Print each file warning of osteon once on standard error. Do not print any other warnings. Programs for the
    command line use this function."""
    warnings.simplefilter("ignore")
    warnings.simplefilter("once", FileWarning)
    warnings.showwarning = lambda message, *_: complain(f"warning: {message}")
