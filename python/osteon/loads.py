"""Estimate amplitudes of load cases: `python -m osteon.loads RESULTS`; docs/howto/load_history.md."""

import argparse
import json
import sys
from pathlib import Path

from .errors import DATA, MACHINE, Error, complain, printable
from .load_history import TARGET_MPA, load_history


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="osteon loads", description=__doc__)
    parser.add_argument("results")
    parser.add_argument("--target", type=float, default=TARGET_MPA)
    parser.add_argument("--json", default="")
    given = parser.parse_args(arguments)
    try:
        history = load_history(given.results, given.target)
        text = json.dumps(history.to_json(), indent=2) + "\n"
        if given.json and given.json != "-":
            Path(given.json).write_text(text, encoding="utf-8")
        print(text if given.json == "-" else printable(str(history)), end="" if given.json == "-" else "\n")
    except Error as e:
        complain(str(e))
        return e.exit_code
    except (TypeError, ValueError, LookupError) as e:
        complain(f"'{given.results}' does not contain the output of a job ({e!r:.120})")
        return DATA
    except OSError as e:
        complain(f"cannot write '{e.filename}': {e.strerror}")
        return MACHINE
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
