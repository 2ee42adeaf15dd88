"""HDF5 without file locks.

File systems without locks (NFS without lockd, some Lustre) reject the locks of HDF5, and HDF5 then rejects an intact
file. Files of osteon are replaced atomically and verified by their seal, so that locks are unnecessary.
"""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

VARIABLE = "HDF5_USE_FILE_LOCKING"
NO_LOCKS = "the file system does not support locks"
ENOTSUPP_OF_KERNEL = 524  # returned by some network file systems; errno has no name for it


@contextmanager
def no_hdf5_locks() -> Iterator[None]:
    """Disable the locks of HDF5 for the first file opened in this context, unless $HDF5_USE_FILE_LOCKING is set.

    Programs started later do not inherit the variable."""
    if VARIABLE in os.environ:
        yield
        return
    os.environ[VARIABLE] = "FALSE"
    try:
        yield
    finally:
        os.environ.pop(VARIABLE, None)


def hint_on_locks(path: str | Path) -> str:
    """Return a hint for a file that HDF5 cannot open because the file system rejects locks; otherwise an empty
    string."""
    value = os.environ.get(VARIABLE)
    if value in ("FALSE", "0") or _has_locks(path):
        return ""
    if value is not None:
        return f" ({NO_LOCKS}, and {VARIABLE} is set to {value}: unset it)"
    # Another package loaded HDF5 before osteon.
    return f" ({NO_LOCKS}: set {VARIABLE}=FALSE before Python starts)"


def _has_locks(path: str | Path) -> bool:
    try:
        with Path(path).open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as e:
        return e.errno not in (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, ENOTSUPP_OF_KERNEL)
    return True
