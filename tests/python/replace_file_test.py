"""Tests of the replacement of files and folders. The older file exists until the new file exists."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from osteon.files.replace_file import folder_beside, replace_whole


@pytest.mark.parametrize("failing", [1, 2, None], ids=["the older one", "the new one", "none"])
def test_a_folder_is_replaced_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: int | None) -> None:
    """Oracle: if a rename fails, the text is the text of the older folder. Otherwise, the text is the text of the new
    folder. No other files remain."""
    target = tmp_path / "image.zarr"
    target.mkdir()
    (target / ".zattrs").write_text("older")
    rename, count = Path.replace, 0

    def replace(self: Path, to: Path) -> Path:
        nonlocal count
        count += 1
        if count == failing:
            raise OSError(errno.EIO, "Input/output error")
        return rename(self, to)

    with folder_beside(target) as folder:
        part = folder / target.name
        part.mkdir()
        (part / ".zattrs").write_text("new")
        monkeypatch.setattr(Path, "replace", replace)
        if failing:
            with pytest.raises(OSError, match="Input/output error"):
                replace_whole(part, target)
        else:
            replace_whole(part, target)
    monkeypatch.undo()
    assert (target / ".zattrs").read_text() == ("older" if failing else "new")
    assert list(tmp_path.iterdir()) == [target]


def test_a_folder_that_cannot_be_moved_back_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Oracle: the text of the older folder, under the name that the message states."""
    target = tmp_path / "image.zarr"
    target.mkdir()
    (target / ".zattrs").write_text("older")
    rename, count = Path.replace, 0

    def replace(self: Path, to: Path) -> Path:
        nonlocal count
        count += 1
        if count > 1:
            raise OSError(errno.EIO, "Input/output error")
        return rename(self, to)

    with folder_beside(target) as folder:
        (folder / target.name).mkdir()
        monkeypatch.setattr(Path, "replace", replace)
        with pytest.raises(OSError, match=r"the older folder is '(.*)'") as raised:
            replace_whole(folder / target.name, target)
    monkeypatch.undo()
    older = Path(raised.value.strerror.split("'")[1])
    assert (older / ".zattrs").read_text() == "older"
