"""HDF5 without file locks.

File systems without locks (NFS without lockd, some Lustre) refuse them, and HDF5 then refuses a sound file. Files of
osteon are replaced as a whole and held against their seal, so they need none.
"""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

VARIABLE = "HDF5_USE_FILE_LOCKING"
NO_LOCKS = "the file system has no locks"
ENOTSUPP_OF_KERNEL = 524  # which some network file systems return, and no library names


@contextmanager
def no_hdf5_locks() -> Iterator[None]:
    """HDF5 takes no locks where it first opens a file in here, unless the user has set $HDF5_USE_FILE_LOCKING.

    The variable is not left to programs that start later."""
    if VARIABLE in os.environ:
        yield
        return
    os.environ[VARIABLE] = "FALSE"
    try:
        yield
    finally:
        os.environ.pop(VARIABLE, None)


def hint_on_locks(path: str | Path) -> str:
    """A remark for a file that HDF5 does not open, if the file system refuses locks and HDF5 takes them; else empty."""
    value = os.environ.get(VARIABLE)
    if value in ("FALSE", "0") or _has_locks(path):
        return ""
    if value is not None:
        return f" ({NO_LOCKS}, and {VARIABLE} is set to {value}: unset it)"
    # Another package has loaded HDF5 before osteon did.
    return f" ({NO_LOCKS}: set {VARIABLE}=FALSE before Python starts)"


def _has_locks(path: str | Path) -> bool:
    try:
        with Path(path).open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as e:
        return e.errno not in (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, ENOTSUPP_OF_KERNEL)
    return True
