"""The items of a batch: job files, or one job on many images; their names, and the command that does each."""

import json
import tomllib
from dataclasses import dataclass
from pathlib import Path

from ..errors import UsageError

TWO_ENDINGS = (".nii.gz", ".ome.tif", ".ome.tiff", ".ome.zarr")


@dataclass(frozen=True)
class Item:
    """One job of a batch. Paths are as they were given."""

    name: str
    job: str
    image: str  # that the job file names, or that takes its place; empty: not known
    words: tuple[str, ...]  # for `osteon run`, after the job


def items_of(jobs: list[str], images: list[str]) -> list[Item]:
    """In the order in which they were given. @throws UsageError, for all that is wrong at once"""
    if images and len(jobs) != 1:
        raise UsageError(f"{len(jobs)} jobs are given; --images go with one job, which is run on each of them")
    faults = [f"there is no job file '{job}'" for job in jobs if not Path(job).is_file()]
    faults += [f"there is no image '{image}'" for image in images if not (is_pattern(image) or Path(image).exists())]
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
    """A stack of slices by a pattern, as image.path takes it."""
    return any(sign in path for sign in "*?[") and not Path(path).exists()


def _same(source: str, others: list[str]) -> bool:
    return any(Path(source).absolute() == Path(other).absolute() for other in others)


def _set(key: str, value: str) -> tuple[str, str]:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise UsageError(f"the name {value!r} is no UTF-8, which a job is; rename the image") from None
    # JSON's texts are TOML's but for one character that JSON does not escape.
    return "--set", f"{key}={json.dumps(value, ensure_ascii=False)}".replace("\x7f", "\\u007f")


def _image_in(job: str) -> str:
    """What the job file names. A file that is no TOML is refused when it is run, not here."""
    try:
        image = tomllib.loads(Path(job).read_text(encoding="utf-8")).get("image", {})
    except (OSError, ValueError):
        return ""
    return str(image.get("path", "")) if isinstance(image, dict) else ""


def names_of(sources: list[str]) -> list[str]:
    """File names without ending; where these are not different, with it, and then with the folders above."""
    paths = [Path(s).parent if is_pattern(s) else Path(s) for s in sources]
    stems = [_stem(p) for p in paths]
    if len(set(stems)) == len(stems):
        return stems
    parts = [(*p.absolute().parts[1:-1], p.name) for p in paths]
    for depth in range(1, max(map(len, parts)) + 1):
        names = ["_".join(p[-depth:]) for p in parts]
        if len(set(names)) == len(names):
            return names
    return [f"{n:04d}_{name}" for n, name in enumerate(stems, start=1)]  # a_b/c and a/b_c, for example


def _stem(path: Path) -> str:
    for ending in TWO_ENDINGS:
        if path.name.lower().endswith(ending) and len(path.name) > len(ending):
            return path.name[: -len(ending)]
    return path.name if path.is_dir() and not path.suffix else path.stem
