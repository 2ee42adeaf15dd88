"""Compare finished jobs: `python -m osteon.compare [--csv F] [--page F] A.out B.out [...]`; docs/howto/compare.md.

The first folder is the reference.
"""

import argparse
import json
from pathlib import Path

from ..errors import USAGE, DataError, Error, complain, report_file_warnings
from ..extras import end_without
from ..files.replace_file import write_whole
from .comparison import MARK, compare
from .tables import csv_of, json_of, text_of


def _write(target: Path, text: str) -> None:
    """@throws DataError if a page with this name exists, and if another program has written the page"""
    if target.suffix == ".html" and target.exists():
        with target.open("rb") as file:
            if f'content="{MARK}"'.encode() not in file.read(1000):
                raise DataError(f"'{target}' exists and is not a page of `{MARK}`; choose another name by --output")
    write_whole(target, text)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="osteon compare", description=__doc__)
    parser.add_argument("--json", default="")
    parser.add_argument("--csv", default="")
    parser.add_argument("--page", default="")
    parser.add_argument("folders", nargs="+")
    given = parser.parse_args(arguments)
    if len(given.folders) < 2:
        complain("only one folder is given; pass two or more output folders of finished jobs")
        return USAGE
    report_file_warnings()
    if given.page:
        end_without("matplotlib", "PIL")
    target = ""
    try:
        it = compare([Path(folder) for folder in given.folders])
        page = None
        if given.page or given.json:
            from .fields import load_fields, statistics

            shown = load_fields(it)
            it.fields = statistics(shown)
            if given.page:
                from .page import page_of

                page = page_of(it, shown)
        for target, text in (
            (given.page, page),
            (given.csv, csv_of(it) if given.csv else None),
            (given.json if given.json != "-" else "", json.dumps(json_of(it), indent=2) + "\n" if given.json else None),
        ):
            if target and text is not None:
                _write(Path(target), text)
    except Error as e:
        complain(e)
        return e.exit_code
    except OSError as e:
        complain(f"cannot write '{target}': {e.strerror}; choose another place, or --no-page")
        return 5
    if given.json == "-":
        print(json.dumps(json_of(it), indent=2))
    else:
        print(text_of(it), end="")
        if given.page:
            print(f"page: {given.page}")
    return 0
