"""Run a page of the documentation as a reader would: write the displayed files, and run the commands in order. The
output of the commands must contain the output that the page shows.

    ```toml   after a line that ends in "`NAME`:"    is the file NAME; python and sh likewise
    ```sh                                            is run by bash, which stops at the first command that fails
    ```python                                        is run by Python
    ```                                              lines printed by the blocks before; "..." stands for others

A block after `<!-- not run: WHY -->` is omitted. A toml block without a name is a part of a file, and is only
displayed. A printed number may differ in the fourth digit. A line that ends in "..." may continue.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple


class Block(NamedTuple):
    kind: str
    text: str
    name: str  # name of the file whose content the block is
    left_out: bool


def blocks_of(page: str) -> list[Block]:
    found = []
    fence = re.compile(r"^( *)```(\w*)\n(.*?)^\1```", re.M | re.S)
    for match in fence.finditer(page):
        before = page[: match.start()].rstrip().splitlines()[-1:] or [""]
        above = "\n".join(page[: match.start()].rstrip().splitlines()[-3:])
        name = re.search(r"`([\w.]+)`:$", before[0]) or re.search(r"`([\w.]+)`:\s+<!-- not run[^>]*-->$", above)
        text = "\n".join(line.removeprefix(match[1]) for line in match[3].splitlines()) + "\n"
        found.append(Block(match[2], text, name[1] if name else "", "<!-- not run" in before[0]))
    return found


def same(shown: str, printed: str) -> bool:
    """Compare words for equality, and numbers to three digits. The text "..." at the end represents any words."""
    a, b = shown.split(), printed.split()
    if a[-1:] == ["..."]:
        a.pop()
        b = b[: len(a)]
    return len(a) == len(b) and all(map(same_word, a, b))


def same_word(a: str, b: str) -> bool:
    if a == b:
        return True
    try:
        x, y = float(a.strip(",:[]()%")), float(b.strip(",:[]()%"))
    except ValueError:
        return False
    return abs(x - y) <= 1e-3 * abs(x)


def run_page(path: Path, folder: Path, binary: Path, timeout: float) -> None:
    """Run the whole page in the folder. @throws AssertionError with the output of a command, or with the line that was
    not printed"""
    (folder / "bin").mkdir()
    (folder / "bin" / "osteon").symlink_to(binary)
    (folder / "bin" / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (folder / "bin" / "python").chmod(0o755)
    root = Path(__file__).resolve().parents[2]
    environment = {
        **os.environ,
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "OSTEON_BINARY": str(binary),
        "OSTEON_PYTHON": sys.executable,
        "PYTHONPATH": str(root / "python"),
        "OSTEON_CACHE": str(folder / "cache"),
        "PYTHONUTF8": "1",
        "OMPI_ALLOW_RUN_AS_ROOT": "1",  # for a container, which may have fewer cores than the ranks of a page
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
    }
    printed: list[str] = []
    for block in blocks_of(path.read_text(encoding="utf-8")):
        if block.kind == "" and not block.left_out:
            for line in (line for line in block.text.splitlines() if line.strip() and line.strip() != "..."):
                assert any(same(line, other) for other in printed), (
                    f"{path.name} says that this is printed: {line}\nprinted was:\n" + "\n".join(printed)
                )
        if block.name:
            (folder / block.name).write_text(block.text, encoding="utf-8")
        if block.left_out or block.kind not in ("sh", "python") or (block.kind == "sh" and block.name):
            continue
        command = ["bash", "-e", "-c", block.text] if block.kind == "sh" else [sys.executable, "-c", block.text]
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=timeout, check=False
        )
        assert done.returncode == 0, (
            f"{path.name}: exit code {done.returncode} of\n{block.text}\n{done.stderr}{done.stdout}"
        )
        printed += (done.stdout + done.stderr).splitlines()
