"""HDF5 without file locks.

File systems without locks (NFS without lockd, some Lustre) do not support the locks of HDF5. HDF5 then cannot open an
intact file. Files of osteon are replaced atomically, and the seal of a file is verified. Locks are therefore
unnecessary.
"""

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

VARIABLE = "HDF5_USE_FILE_LOCKING"
NO_LOCKS = "the file system does not support locks"
ENOTSUPP_OF_KERNEL = 524  # some network file systems return this value; errno has no name for this value


@contextmanager
def no_hdf5_locks() -> Iterator[None]:
    """Disable the locks of HDF5 for the first file that this context opens, unless $HDF5_USE_FILE_LOCKING is set.

    Programs that start later do not inherit the variable."""
    if VARIABLE in os.environ:
        yield
        return
    os.environ[VARIABLE] = "FALSE"
    try:
        yield
    finally:
        os.environ.pop(VARIABLE, None)


def hint_on_locks(path: str | Path) -> str:
    """Return a hint if HDF5 cannot open a file because the file system has no locks. Otherwise, the text is empty."""
    value = os.environ.get(VARIABLE)
    if value in ("FALSE", "0") or _has_locks(path):
        return ""
    if value is not None:
        return f" ({NO_LOCKS}, and {VARIABLE} is set to {value}: unset it)"
    # Another package has loaded HDF5 before osteon.
    return f" ({NO_LOCKS}: set {VARIABLE}=FALSE before Python starts)"


def _has_locks(path: str | Path) -> bool:
    try:
        with Path(path).open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as e:
        return e.errno not in (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, ENOTSUPP_OF_KERNEL)
    return True
