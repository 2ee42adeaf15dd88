#!/usr/bin/env python3
"""Write docs/command_line.md from the help of the program, command by command.

    python3 tools/command_reference.py build/release/src/app/osteon > docs/command_line.md

A test compares the page with the program, so the two cannot drift apart.
"""

import re
import subprocess
import sys
from pathlib import Path

HEAD = """# Command line

What `osteon --help` and the help of each command say: `tools/command_reference.py` makes this page of it. Which page
explains a command, the README says. Exit codes are the same everywhere: 0 done, 2 usage, 3 bad data, 4 not converged,
5 machine, 75 stopped with a checkpoint, 130 after Ctrl-C.
"""


def help_of(binary: str, words: tuple[str, ...]) -> str:
    """What a command says of itself, whatever the path of the program."""
    done = subprocess.run([binary, *words, "--help"], capture_output=True, text=True, timeout=60, check=True)
    text = done.stdout.replace(str(Path(binary)), "osteon")
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def commands_in(text: str) -> list[str]:
    """Names of the subcommands that a help lists."""
    found = re.search(r"^(?:Subcommands|SUBCOMMANDS|Commands):\n((?: .*\n?|\n)+)", text, re.M)
    return re.findall(r"^  (\S+)", found.group(1), re.M) if found else []


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
