"""Locks between processes. The locks are necessary, because two studios may open the same job."""

import errno
import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ..errors import MachineError
from .foreign_file import to_append

NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL)
PATIENCE = 10.0  # time limit in s; an edit takes only milliseconds


def held(path: Path) -> BinaryIO | None:
    """Lock a file until the file is closed or the process ends. If another process has the lock, the result is None.

    A file system without locks grants every lock.

    @throws OSError if the file cannot be opened
    """
    file = to_append(path)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as e:
        if e.errno not in NO_LOCKS:
            file.close()
            return None
    return file


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Exclude other processes. @throws OSError; MachineError if another process keeps the lock"""
    end = time.monotonic() + PATIENCE
    while (file := held(path)) is None:
        if time.monotonic() > end:
            raise MachineError(
                f"another studio has locked '{path.name}' for more than {PATIENCE:g} s; end it, then save again"
            )
        time.sleep(0.005)
    with file:
        yield
