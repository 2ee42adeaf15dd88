#!/usr/bin/env python3
"""Write docs/reference/command_line.md from the help of the program, command by command.

    python3 tools/command_reference.py build/release/src/app/osteon > docs/reference/command_line.md

A test compares the page with the program.
"""

import re
import subprocess
import sys
import textwrap
from pathlib import Path

WIDTH, COLUMN = 88, 30  # width of a page of the site, and column of the descriptions
HEAD = """# Command line

`tools/command_reference.py` generates this page from `osteon --help` and the help of each command.
[Analyses and commands](analyses.md#commands) lists the commands by task. Exit codes: 0 done, 2 usage, 3 bad data, 4 not
converged, 5 machine, 75 stopped with a checkpoint, 130 after Ctrl-C.
"""


def help_of(binary: str, words: tuple[str, ...]) -> str:
    """Help text of a command. The text does not depend on the path of the program."""
    done = subprocess.run([binary, *words, "--help"], capture_output=True, text=True, timeout=60, check=True)
    text = done.stdout.replace(str(Path(binary)), "osteon")
    return "\n".join(folded(line.rstrip()) for line in text.strip().splitlines())


def folded(line: str) -> str:
    """Break a long line. Descriptions continue in their column, and examples remain unchanged."""
    if len(line) <= WIDTH or line.startswith("  osteon"):
        return line
    found = re.match(r"  \S.*?\s{2,}| {10,}", line)
    return textwrap.fill(
        line, WIDTH, subsequent_indent=" " * COLUMN if found else "", break_on_hyphens=False, break_long_words=False
    )


def commands_in(text: str) -> list[str]:
    """Names of the commands that a help text lists."""
    names = []
    for heading, lines in re.findall(r"^([A-Z][\w -]*):\n((?: .*\n?)+)", text, re.M):
        if heading in ("Positionals", "Formats") or heading.startswith("Example"):
            continue
        names += re.findall(r"^  ([a-z]\S*)", lines, re.M)
    return names


def tree(binary: str, words: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], str]]:
    text = help_of(binary, words)
    rows = [(words, text)]
    for name in commands_in(text):
        rows += tree(binary, (*words, name))
    return rows


def reference(binary: str) -> str:
    parts = [HEAD]
    for words, text in tree(binary):
        parts.append(f"\n## {' '.join(('osteon', *words))}\n```text\n{text}\n```\n")
    return "".join(parts)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: command_reference.py OSTEON")
    sys.stdout.write(reference(sys.argv[1]))
