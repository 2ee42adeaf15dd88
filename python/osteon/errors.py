"""The errors of osteon, one type for each exit code of the command line, and how text of others is shown."""

import re
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

USAGE, DATA, SOLVE, MACHINE, INTERRUPTED = 2, 3, 4, 5, 75


class Error(RuntimeError):
    """What osteon refuses or fails at. The message says what, which value, what is allowed and what to do.

    `exit_code` is that of the command line.
    """

    exit_code = MACHINE


class UsageError(Error):
    """The request makes no sense: a wrong key, an impossible combination."""

    exit_code = USAGE


class DataError(Error):
    """The input cannot be used. The message is one line."""

    exit_code = DATA

    def __init__(self, text: str) -> None:
        super().__init__(" ".join(text.split()))


class SolveError(Error):
    """The solver did not reach its tolerance."""

    exit_code = SOLVE


class MachineError(Error):
    """MPI, the file system or the machine failed, or osteon was ended."""

    exit_code = MACHINE


class Interrupted(Error):  # noqa: N818 (it is no fault)
    """The job was stopped; it can be continued by `osteon resume` if the message says so."""

    exit_code = INTERRUPTED


class ProgramNotFound(MachineError, FileNotFoundError):  # noqa: N818 (an error by its bases)
    """The osteon program is not there."""


class FileWarning(UserWarning):
    """A file that is read although something about it is unusual. The message names it."""


class JobWarning(UserWarning):
    """A job that is computed although something about it is unusual. The message names the argument or key."""


def warn_of_job(text: str) -> None:
    """Raise a `JobWarning` at the line outside of this package that started the job."""
    package, depth, frame = str(Path(__file__).parent), 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(package):
        frame, depth = frame.f_back, depth + 1
    warnings.warn(printable(in_arguments(text)), JobWarning, stacklevel=depth)


# Keys of a job that the running function has as arguments; None: messages keep the places in the job's file.
_arguments: ContextVar[Mapping[str, str] | None] = ContextVar("arguments", default=None)
_PLACE = re.compile(
    r"^(?:(?:job|/\S*/job\.toml)(?::\d+)?: )?(?P<key>[a-z_0-9]+(?:\[\d+\])?(?:\.\w+(?:\[\d+\])?)*)(?=: )", re.ASCII
)


@contextmanager
def arguments_for(keys: Mapping[str, str]) -> Iterator[None]:
    """Name these keys of a job by the arguments of a function, in errors and warnings, the others without lines."""
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
    """Name keys without the lines of a file that the caller does not know, if no function has named them."""
    with arguments_for(_arguments.get() or {}):
        yield


def in_arguments(line: str) -> str:
    """A line that begins with the place of a key in a job: with the key alone, or the argument that sets it."""
    keys = _arguments.get()
    return line if keys is None else _PLACE.sub(lambda found: keys.get(found["key"], found["key"]), line)


def error_of(exit_code: int, text: str) -> Error:
    """The error that a run of the program with this exit code is."""
    kinds = {kind.exit_code: kind for kind in (UsageError, DataError, SolveError, MachineError, Interrupted)}
    error = {130: Interrupted, 143: Interrupted}.get(exit_code) or kinds.get(exit_code, MachineError)
    found = error(text)
    found.exit_code = exit_code if exit_code > 0 else MACHINE
    return found


# Controls, marks of direction, line ends of other kinds, and what has no width.
_HARMFUL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)


def printable(text: str) -> str:
    """Text of others with everything escaped that does something to a terminal or hides what is written."""
    return _HARMFUL.sub(lambda found: found.group().encode("unicode_escape").decode("ascii"), text)


def complain(text: object) -> None:
    """A line on standard error."""
    print(printable(str(text)), file=sys.stderr)


def tell_file_warnings() -> None:
    """Show our warnings of files as lines on standard error, once each, and no others: for command lines."""
    warnings.simplefilter("ignore")
    warnings.simplefilter("once", FileWarning)
    warnings.showwarning = lambda message, *_: complain(f"warning: {message}")
