"""One scan of a cohort. This program writes the job of the scan according to a protocol. The program that runs the job
then replaces this program."""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import NamedTuple

from ..errors import DATA, MACHINE, DataError, Error, UsageError, complain
from ..files.replace_file import write_whole
from ..images.read_image import silence
from ..new_job import write_job
from .items import TWO_ENDINGS

KINDS = ("trabecular", "cortical", "total")
BEFORE_IT_RUNS = "# Before the first run:"
DOUBT = "# doubt: "


class Part(NamedTuple):
    """A compartment in the form of the command line."""

    kind: str
    pattern: str  # path of the label image; the path of the scan without the extension replaces {}
    label: int


def compartment(text: str) -> Part:
    """Parse `KIND=PATH:LABEL`. @throws UsageError"""
    kind, _, rest = text.partition("=")
    path, _, label = rest.rpartition(":")
    if kind not in KINDS or not path or not label.isdecimal():
        raise UsageError(
            f"--compartment '{text}': must be KIND=PATH:LABEL, for example cortical={{}}_CORT_MASK.nrrd:127; KIND is "
            f"one of {', '.join(KINDS)}; {{}} in PATH is the scan without its file extension"
        )
    return Part(kind, path, int(label))


def mask_of(part: Part, image: str) -> Path:
    """Return the path of the label image for a compartment of a scan."""
    return Path(part.pattern.replace("{}", _without_ending(image)))


def tables_of(compartments: list[str], image: str, job: Path) -> str:
    """Return the tables [[compartment]] of the job of a scan."""
    text = ""
    for part in map(compartment, compartments):
        mask = mask_of(part, image)
        if not mask.exists():
            raise DataError(f"'{mask}', the compartment {part.kind} of '{image}', does not exist")
        quoted = json.dumps(os.path.relpath(mask, job.parent.resolve()), ensure_ascii=False)
        text += f'\n[[compartment]]\nname = "{part.kind}"\nimage = {quoted}\nlabels = [{part.label}]\n'
    return text


def _without_ending(image: str) -> str:
    for ending in TWO_ENDINGS:
        if image.lower().endswith(ending):
            return image[: -len(ending)]
    return str(Path(image).with_suffix(""))


def doubts_in(job: Path) -> list[str]:
    """Return the doubts that a generated job contains at its end."""
    try:
        _, found, last = job.read_text(encoding="utf-8").rpartition(BEFORE_IT_RUNS)
    except (OSError, UnicodeDecodeError):
        return []
    doubts: list[str] = []
    in_doubt = False  # True if the previous line belongs to a doubt
    for line in last.splitlines() if found else []:
        if line.startswith("#   ") and in_doubt:
            doubts[-1] += " " + line.removeprefix("#   ")
            continue
        in_doubt = line.startswith(DOUBT)
        if in_doubt:
            doubts.append(line.removeprefix(DOUBT))
    return doubts


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="osteon cohort")
    for name in ("--image", "--protocol", "--job"):
        parser.add_argument(name, required=True)
    parser.add_argument("--compartment", action="append", default=[])
    parser.add_argument("command", nargs="+")
    given = parser.parse_args(arguments)
    job = Path(given.job)
    try:
        job.parent.mkdir(parents=True, exist_ok=True)
        with silence():
            text, _ = write_job(given.image, job, given.protocol)
        head, found, end = text.partition(BEFORE_IT_RUNS)
        text = head.rstrip("\n") + "\n" + tables_of(given.compartment, given.image, job)
        text += f"\n{found}{end}" if found else ""
        if not job.exists() or job.read_text(encoding="utf-8") != text:
            write_whole(job, text)
    except Error as e:
        complain(f"osteon: {e}")
        return e.exit_code
    except UnicodeError:
        complain(f"osteon: the name {given.image!r} is not valid UTF-8, which a job requires; rename the image")
        return DATA
    except OSError as e:
        complain(f"osteon: cannot write '{job}': {e.strerror}; choose another folder by --out")
        return MACHINE
    os.execv(given.command[0], given.command)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
