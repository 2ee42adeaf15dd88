"""Write files that receive their final names only when the files are complete."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def write_whole(target: Path, text: str | bytes) -> None:
    """Write a text or bytes in one step. Other processes read the old file or the new file.

    @throws OSError
    """
    part = target.with_name(f"{target.name}.tmp.{os.getpid()}")
    # a terminated process with the same process number has left this file, or an attacker has placed this file
    with suppress(FileNotFoundError):
        part.unlink()
    # The file is created exclusively and not through a link. In a shared folder, the name could be a link to another
    # file of the user.
    file = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    try:
        with os.fdopen(file, "wb") as stream:
            stream.write(text.encode("utf-8") if isinstance(text, str) else text)
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


@contextmanager
def folder_beside(target: Path) -> Iterator[Path]:
    """Create a private folder on the file system of the target. At the end, the folder is removed.

    @throws OSError
    """
    folder = Path(tempfile.mkdtemp(prefix=f".{target.name[:100]}.", dir=target.parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def replace_whole(part: Path, target: Path) -> None:
    """Rename a file or folder. An old file or folder with the new name is replaced.

    A folder cannot be replaced in one step. Until the new folder has its name, the old folder has another name.

    @throws OSError; the old file or folder then has its original name, or the name in the message
    """
    if not target.is_dir():
        part.replace(target)
        return
    older = Path(tempfile.mkdtemp(prefix=f".{target.name[:100]}.older.", dir=target.parent)) / target.name
    try:
        target.replace(older)
        _replace_or_undo(part, target, older)
    except OSError as e:
        kept = f"; the older folder is '{older}'" if older.exists() else ""
        with suppress(OSError):
            older.parent.rmdir()
        raise OSError(e.errno, f"{e.strerror}{kept}", str(target)) from None
    shutil.rmtree(older.parent, ignore_errors=True)


def _replace_or_undo(part: Path, target: Path, older: Path) -> None:
    try:
        part.replace(target)
    except OSError:
        older.replace(target)
        raise
