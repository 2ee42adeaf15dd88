"""Items of a batch, with names and commands. The items are several job files, or one job for many images."""

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path

from ..errors import UsageError

TWO_ENDINGS = (".nii.gz", ".ome.tif", ".ome.tiff", ".ome.zarr")


@dataclass(frozen=True)
class Item:
    """One job of a batch. Paths have the form in which the user has written the paths."""

    name: str
    job: str
    image: str  # image of the job file, or another image that replaces this image; empty if unknown
    arguments: tuple[str, ...]  # arguments of `osteon run` after the job


def items_of(jobs: list[str], images: list[str]) -> list[Item]:
    """Return the items in the given order. @throws UsageError that lists all faults"""
    if images and len(jobs) != 1:
        raise UsageError(f"{len(jobs)} jobs are given; --images requires exactly one job, which is run on each image")
    faults = [f"no job file '{job}'" for job in jobs if not Path(job).is_file()]
    faults += [f"no image '{image}'" for image in images if not (is_pattern(image) or Path(image).exists())]
    sources = images or jobs
    faults += [f"'{source}' is given twice" for n, source in enumerate(sources) if _same(source, sources[:n])]
    if faults:
        raise UsageError("\n".join(faults))
    names = names_of(sources)
    if not images:
        return [Item(name, job, _image_in(job), ()) for name, job in zip(names, jobs, strict=True)]
    return [
        Item(name, jobs[0], image, (*_set("image.path", str(Path(image).absolute())), *_set("name", name)))
        for name, image in zip(names, images, strict=True)
    ]


def is_pattern(path: str) -> bool:
    """Return True for a pattern of numbered slices in the syntax of image.path."""
    return any(sign in path for sign in "*?[") and not Path(path).exists()


def _same(source: str, others: list[str]) -> bool:
    return any(Path(source).absolute() == Path(other).absolute() for other in others)


def _set(key: str, value: str) -> tuple[str, str]:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise UsageError(f"the name {value!r} is not valid UTF-8, which a job requires; rename the image") from None
    # Strings of JSON are also strings of TOML, except for one character that JSON does not escape.
    return "--set", f"{key}={json.dumps(value, ensure_ascii=False)}".replace("\x7f", "\\u007f")


def _image_in(job: str) -> str:
    """Return the image of a job file. If a file contains invalid TOML, this function does not report the fault. The run
    of the job reports the fault."""
    try:
        image = tomllib.loads(Path(job).read_text(encoding="utf-8")).get("image", {})
    except (OSError, ValueError):
        return ""
    return str(image.get("path", "")) if isinstance(image, dict) else ""


def names_of(sources: list[str]) -> list[str]:
    """Return file names without extensions. If names are ambiguous, the names also contain the extension and, if
    necessary, the parent folders."""
    paths = [Path(s).parent if is_pattern(s) else Path(s) for s in sources]
    stems = [_stem(p) for p in paths]
    if len(set(stems)) == len(stems):
        return stems
    parts = [(*p.absolute().parts[1:-1], p.name) for p in paths]
    for depth in range(1, max(map(len, parts)) + 1):
        names = ["_".join(p[-depth:]) for p in parts]
        if len(set(names)) == len(names):
            return names
    # for example, a_b/c and a/b_c have the same name
    return [f"{n:04d}_{name}" for n, name in enumerate(stems, start=1)]


def _stem(path: Path) -> str:
    for ending in TWO_ENDINGS:
        if path.name.lower().endswith(ending) and len(path.name) > len(ending):
            return path.name[: -len(ending)]
    return path.name if path.is_dir() and not path.suffix else path.stem
