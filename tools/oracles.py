#!/usr/bin/env python3
"""Print a page with the oracle of every test. In C++, the oracle is a comment `// Oracle: ...` above a TEST. In Python,
the oracle is a docstring `Oracle: ...`.

    tools/oracles.py > docs/developers/oracles.md

docs/conf.py writes the page when the site is built. The page is not stored in the repository.
"""

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ["tests", "studies", "bridge/tests"]
HEAD = """# All oracles

This page lists the reference of each test. `tools/oracles.py` generates it from the tests when the site is built. Run
C++ tests with `ctest --preset release -R MODULE/`, Python tests with `pytest FILE`, and all tests with `./run test`.
"""


def of_cpp(text: str) -> list[tuple[str, str]]:
    rows = []
    comment = r"((?:^[ \t]*//[^\n]*\n)+)"
    for block, suite, name in re.findall(comment + r"^(?:TYPED_)?TEST(?:_[FP])?\((\w+),\s*(\w+)\)", text, re.M):
        words = " ".join(line.strip().lstrip("/").strip() for line in block.splitlines())
        if found := re.search(r"Oracles?: *(.*)", words):
            rows.append((f"{suite}.{name}", found.group(1)))
    return rows


def of_python(text: str) -> list[tuple[str, str]]:
    rows = []
    tree = ast.parse(text)
    whole = re.search(r"Oracles?: *(.*)", " ".join((ast.get_docstring(tree) or "").split()))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            words = " ".join((ast.get_docstring(node) or "").split())
            if found := re.search(r"Oracles?: *(.*)", words) or whole:
                rows.append((node.name, found.group(1)))
    return rows


def cell(words: str) -> str:
    """Return a table cell with escaped Markdown characters."""
    return re.sub(r"([\\`*_\[\]<>|$])", r"\\\1", words)


def page() -> str:
    groups: dict[str, list[str]] = {}
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*_test.cpp")) + sorted((ROOT / folder).rglob("*.py")):
            rows = (of_cpp if path.suffix == ".cpp" else of_python)(path.read_text(encoding="utf-8"))
            name = str(path.relative_to(ROOT))
            for test, oracle in rows:
                group = str(path.parent.relative_to(ROOT))
                groups.setdefault(group, []).append(f"| `{test}` | {cell(oracle)} | `{name.rpartition('/')[2]}` |")
    parts = [HEAD, f"{sum(map(len, groups.values()))} tests state an oracle.\n"]
    for group, rows in sorted(groups.items()):
        parts += [f"\n## {group}\n", "| test | oracle | file |\n|---|---|---|\n", "\n".join(rows), "\n"]
    return "".join(parts)


if __name__ == "__main__":
    sys.stdout.write(page())
