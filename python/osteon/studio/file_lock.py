"""Locks between processes, because two studios may open the same job."""

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
PATIENCE = 10.0  # seconds; an edit takes milliseconds


def held(path: Path) -> BinaryIO | None:
    """Lock a file until it is closed or the process ends; return None if another process has the lock.

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
    """Exclude other processes. @throws MachineError if another process keeps the lock, OSError"""
    end = time.monotonic() + PATIENCE
    while (file := held(path)) is None:
        if time.monotonic() > end:
            raise MachineError(
                f"another studio has locked '{path.name}' for more than {PATIENCE:g} s; end it, then save again"
            )
        time.sleep(0.005)
    with file:
        yield
