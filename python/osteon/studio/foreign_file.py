"""Files in a folder from an untrusted source.

Such a folder may contain links to other folders, pipes that block, and JSON that exhausts the stack. Files of a job are
therefore opened without following links. The files must be regular files, and are read only up to a limit.
"""

import errno
import json
import os
import stat
from pathlib import Path
from typing import Any, BinaryIO

MOST_BYTES = 64 << 20  # maximum size of a file that is read completely
MOST_DEPTH = 64  # maximum number of levels of arrays and objects in JSON


def opened(path: Path, flags: int = os.O_RDONLY) -> BinaryIO:
    """Open a regular file. The function does not follow links, and does not block. @throws OSError"""
    file = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o666)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    mode = "rb" if flags & os.O_ACCMODE == os.O_RDONLY else "ab" if flags & os.O_APPEND else "wb"
    return os.fdopen(file, mode)


def to_append(path: Path) -> BinaryIO:
    """@throws OSError"""
    return opened(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)


def to_write(path: Path) -> BinaryIO:
    """Open an empty file for writing. @throws OSError"""
    # the file is truncated only after the check that the file is a regular file
    file = opened(path, os.O_WRONLY | os.O_CREAT)
    file.truncate(0)
    return file


def json_of(path: Path) -> Any:
    """Return the value in a JSON file. @throws OSError; ValueError if the file is too large, damaged or nested too
    deeply"""
    with opened(path) as file:
        if os.fstat(file.fileno()).st_size > MOST_BYTES:
            raise ValueError(f"'{path.name}' exceeds {MOST_BYTES >> 20} MiB")
        return loads(file.read())


def loads(text: str | bytes) -> Any:
    """Parse JSON without NaN and infinity, up to a maximum depth. @throws ValueError"""
    try:
        value = json.loads(text, parse_constant=_no_number)
    except RecursionError:
        raise ValueError(f"the JSON is nested more than {MOST_DEPTH} levels deep") from None
    require_depth(value)
    return value


def require_depth(value: Any) -> None:
    """@throws ValueError if arrays and objects are nested too deeply"""
    level, depth = [value], 0
    while level := [inner for v in level if isinstance(v, (dict, list)) for inner in _inner(v)]:
        depth += 1
        if depth > MOST_DEPTH:
            raise ValueError(f"nested more than {MOST_DEPTH} levels deep")


def _inner(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else value


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is not a number of JSON")
