"""Check of the files that an image reader opens. A header may refer to data files in any folder, and a folder may
contain links."""

import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ..errors import DataError
from ..images.read_image import files_of

HEADERS = (".mhd", ".mha", ".nhdr", ".nrrd")
MOST_HEADER = 1 << 20
DATA_FILE = re.compile(rb"^\s*(?:Element\s*Data\s*File\s*[=:]|data\s*file\s*:=?)(.*)$", re.I)
OTHER_FILE = re.compile(r"<(?:\w+:)?UUID\b[^>]*\bFileName\s*=\s*[\"']([^\"']*)[\"']")


def require_inside(source: Path, below: Callable[[Path], Path]) -> None:
    """Check every file that the reader of an image opens.

    @param below function that throws for a path outside of the opened folders after resolving links
    @throws DataError
    """
    below(source)
    if not source.exists():  # the path is a pattern of slices
        for path in files_of(str(source)):
            below(path)
        return
    if source.is_dir():
        for path in _links_in(source):
            below(path)
        return
    for path in _links_in(source.parent, source.name.split(".")[0]):
        below(path)
    name = source.name.lower()
    if name.endswith(HEADERS):
        for path in _named_by_header(source):
            below(path)
    elif name.endswith(".json"):
        below(source.parent / _named_by_json(source))
    elif name.endswith((".tif", ".tiff")):
        for other in _named_by_ome(source):
            below(source.parent / other)


def images_in(job: dict[str, Any]) -> Iterator[str]:
    """Yield the paths of the images in a job: the image of the specimen, and the images of its material."""
    image = job.get("image")
    materials = job.get("material", [])
    for table in (image, *(materials if isinstance(materials, list) else [materials])):
        yield from _paths_in(table)


def _paths_in(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for inner in value:
            yield from _paths_in(inner)
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key == "path" and isinstance(inner, str):
                yield inner
            else:
                yield from _paths_in(inner)


def _links_in(folder: Path, stem: str = "") -> Iterator[Path]:
    """Yield links below a folder. For the two files of one image, yield links with names that begin with a stem."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if not entry.name.startswith(stem):
                continue
            if entry.is_symlink():
                yield Path(entry.path)
            elif not stem and entry.is_dir(follow_symlinks=False):
                yield from _links_in(Path(entry.path))


def _named_by_header(header: Path) -> Iterator[Path]:
    """Yield the data files of MetaImage and NRRD. A header contains one name, a list of names, or a pattern of names.

    @throws DataError for a header without an end
    """
    with header.open("rb") as file:
        head = file.read(MOST_HEADER)
        is_whole = not file.read(1)
    is_list = has_end = False
    for line in re.split(rb"\r\n|\n|\r", head):
        named = DATA_FILE.match(line)
        if named is None and not is_list:
            has_end = has_end or not line.strip()
            continue
        text = (named[1] if named else line).strip().decode("utf-8", errors="surrogateescape")
        if not text or b"\0" in line:
            continue
        is_list = is_list or text.upper().startswith("LIST")
        has_end = True
        if text.upper() in ("LOCAL", "LIST"):
            continue
        for name in {text, text.split()[0]}:
            path = header.parent / name
            yield path
            if "%" in name and path.parent.is_dir():  # numbered files may be links
                yield from _links_in(path.parent, path.name.split("%")[0])
    if not has_end and not is_whole:
        raise DataError(f"'{header.name}' has a header of more than {MOST_HEADER >> 20} MiB; save the image again")


def _named_by_json(header: Path) -> str:
    try:
        layout = json.loads(header.read_bytes()[:MOST_HEADER])
    except (ValueError, RecursionError):
        return ""
    return str(layout.get("file", "")) if isinstance(layout, dict) else ""


def _named_by_ome(path: Path) -> list[str]:
    """Return the names of other files that the OME-XML of a TIFF file contains."""
    import tifffile

    try:
        with tifffile.TiffFile(path) as file:
            return OTHER_FILE.findall(file.ome_metadata or "")
    except Exception:  # the file is damaged, and the reader will reject the file
        return []
