"""Tracebacks of public functions without the internal frames of osteon."""

import errno
import functools
import os
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from ..errors import Error, MachineError, UsageError, printable
from ..extras import missing_package
from .arguments import is_of_listener, no_descriptors_left

P = ParamSpec("P")
R = TypeVar("R")
NO_DESCRIPTORS = (errno.EMFILE, errno.ENFILE)


def one_frame(call: Callable[P, R]) -> Callable[P, R]:
    """A function that raises errors of osteon only, and shows one frame of this package: the frames within help nobody.

    Exceptions of the caller's own progress function stay as they are.
    """

    @functools.wraps(call)
    def wrapped(*arguments: P.args, **options: P.kwargs) -> R:
        try:
            return call(*arguments, **options)
        except Error as e:
            raise e.with_traceback(None) from None
        except (ImportError, OSError, MemoryError, RecursionError) as e:
            if is_of_listener(e):
                raise
            raise _in_words(e) from None

    return wrapped


def _in_words(e: Exception) -> Error:
    if isinstance(e, RecursionError):
        return UsageError("the arguments are nested too deeply; give plain numbers, texts, lists and dicts")
    if isinstance(e, MemoryError):
        return MachineError(
            f"the memory of this machine does not suffice ({e or 'no detail'}); crop or coarsen the image"
        )
    if _has_no_descriptors(e):
        return MachineError(no_descriptors_left())
    if isinstance(e, ImportError):
        return MachineError(missing_package(e))
    assert isinstance(e, OSError)
    where = f"'{printable(str(e.filename)[:300])}': " if e.filename else ""
    return MachineError(f"{where}{e.strerror or e}; check the path, its permissions and the space there")


def _has_no_descriptors(e: Exception) -> bool:
    """Also where Python reports another cause: a module that it cannot open, or no folder for temporary files."""
    if isinstance(e, OSError) and e.errno in NO_DESCRIPTORS:
        return True
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as fault:
        return fault.errno in NO_DESCRIPTORS
    return False
