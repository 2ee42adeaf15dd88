"""Tracebacks of public functions. The tracebacks do not contain internal frames of osteon."""

import errno
import functools
import os
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from ..errors import Error, MachineError, UsageError, printable
from ..extras import missing_package
from .arguments import descriptor_limit_message, is_of_listener

P = ParamSpec("P")
R = TypeVar("R")
NO_DESCRIPTORS = (errno.EMFILE, errno.ENFILE)


def one_frame(call: Callable[P, R]) -> Callable[P, R]:
    """Remove internal frames of osteon from the tracebacks of a public function. The function raises only errors of
    osteon.

    Exceptions of the caller's progress function are not changed.
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
            raise _as_osteon_error(e) from None

    return wrapped


def _as_osteon_error(e: Exception) -> Error:
    if isinstance(e, RecursionError):
        return UsageError("the arguments are nested too deeply; pass plain numbers, strings, lists and dicts")
    if isinstance(e, MemoryError):
        return MachineError(f"out of memory ({e or 'no detail'}); crop or coarsen the image")
    if _has_no_descriptors(e):
        return MachineError(descriptor_limit_message())
    if isinstance(e, ImportError):
        return MachineError(missing_package(e))
    assert isinstance(e, OSError)
    where = f"'{printable(str(e.filename)[:300])}': " if e.filename else ""
    return MachineError(f"{where}{e.strerror or e}; check the path, its permissions and the free space")


def _has_no_descriptors(e: Exception) -> bool:
    """Detect a lack of file descriptors. Python may also report this fault as a module or temporary folder that cannot
    be opened."""
    if isinstance(e, OSError) and e.errno in NO_DESCRIPTORS:
        return True
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as fault:
        return fault.errno in NO_DESCRIPTORS
    return False
