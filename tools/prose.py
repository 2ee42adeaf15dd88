#!/usr/bin/env python3
"""Count excluded phrases per 1,000 words of pages, comments and strings, and fail above the limits.

tools/prose.py [FOLDER]                print the rates above their limits; the exit code is 1 if there are any
tools/prose.py --table                 print all rates
tools/prose.py --list AREA [PATTERN]   print each match with file and line
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Limit and expression. A limit is three times the highest rate of xarray, nanobind, preCICE and DOLFINx, and at least
# 0.3.
PATTERNS = {
    "tell": (0.33, r"\b(tell|tells|told|telling)\b"),
    "says": (0.3, r"\b(says|speaks|spoken)\b"),
    "what": (0.51, r"\b[Ww]hat (is|are|it|they|a|the|no|another|was|has|one|goes|comes|stands|lies)\b"),
    "of": (0.3, r"(?:^|[.:;] |\n\s*)Of (?:a|an|the|each|all|what|its|one|two)\b"),
    "nothing": (1.77, r"\b(nobody|nothing)\b"),
    "stands": (0.39, r"\b(stands|lies|hangs)\b"),
    "beside": (0.3, r"\bbeside\b"),
    "too": (0.3, r", too\b"),
}
# Folders of each area. Markdown files of all folders belong to the area docs.
AREAS = {area: area for area in ("docs", "python", "bridge", "studies", "tests")}
AREAS |= {"src": "src common", "tools": "tools bench packaging examples cmake run"}
# The page of oracles is generated from the comments of the tests, which are counted in the tests.
SKIPPED = {"build", "corpus", "node_modules", "__pycache__", "prose.py", "prose_test.py", "oracles.md"}
# Tokens of each kind of file. All other tokens are code. A comment may contain quotation marks, and a string may
# contain slashes.
QUOTED = r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'"
KINDS = {
    ".md": r"```.*?```|(?P<comment>(?:(?!```).)+)",
    ".py": rf"(?P<comment>\#[^\n]*)|(?P<string>\"{{3}}.*?\"{{3}}|'{{3}}.*?'{{3}}|{QUOTED})|[^\n#\"']+",
    ".sh .cmake .txt ": r"(?P<comment>\# [^\n]*)|[^\n#]+|\#",
    ".cpp .hpp .h .c .cu .cuh .js": r"(?P<comment>//[^\n]*|/\*.*?\*/)"
    rf'|(?P<string>R"(?P<mark>\w*)\(.*?\)(?P=mark)"|{QUOTED}|`[^`]*`)|[^\n/"\'`R]+|[/R"\'`]',
}
TOKENS = {suffix: re.compile(tokens, re.S) for kind, tokens in KINDS.items() for suffix in kind.split(" ")}


def words(token: re.Match) -> str:
    """The text of a comment, or of a string of several words. For other tokens, only the line ends are returned."""
    found = token.groupdict()
    if found["comment"]:
        return " " + found["comment"].strip("/*#!< ")
    text = (found.get("string") or "").strip("\"'`")
    return f" {text}" if re.search(r"[a-z,;:]{2,} +[a-z(]", text) else "\n" * token[0].count("\n")


def texts(root: Path) -> dict[str, dict[Path, str]]:
    """The prose of each file at its lines, by area. The letter x replaces code and placeholders."""
    found: dict[str, dict[Path, str]] = {}
    places = [(area, root / name) for area, names in AREAS.items() for name in names.split()]
    for area, place in [*places, *(("docs", path) for path in root.glob("*.md"))]:
        for path in sorted([place, *place.rglob("*")]):
            if path.is_file() and path.suffix in TOKENS and not SKIPPED & set(path.relative_to(root).parts):
                text = TOKENS[path.suffix].sub(words, path.read_text(encoding="utf-8"))
                text = re.sub(r"\{[^{}\n]*\}|`[^`\n]*`", " x ", text)
                found.setdefault("docs" if path.suffix == ".md" else area, {})[path.relative_to(root)] = text
    return found


def rates(root: Path) -> Iterator[tuple[str, str, float]]:
    """Area, pattern, and matches per 1,000 words."""
    for area, files in texts(root).items():
        text = "\n".join(files.values())
        for name, (_, pattern) in PATTERNS.items():
            yield area, name, 1000 * len(re.findall(pattern, text)) / max(1, len(text.split()))


def faults(root: Path) -> list[str]:
    """The rates above their limits."""
    above = [(area, name, rate, PATTERNS[name][0]) for area, name, rate in rates(root) if rate > PATTERNS[name][0]]
    return [
        f"{area}: '{name}' {rate:.2f} times per 1,000 words; at most {limit:.2f}" for area, name, rate, limit in above
    ]


def matches(area: str, names: list[str]) -> Iterator[str]:
    for path, text in texts(ROOT)[area].items():
        for name in names or PATTERNS:
            for match in re.finditer(PATTERNS[name][1], text):
                yield f"{path}:{text.count(chr(10), 0, match.end()) + 1}: {name}: {match[0].strip()}"


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--table"]:
            names = list(PATTERNS)
            for area, name, rate in rates(ROOT):
                print(f"{area:8}" * (name == names[0]), f"{name} {rate:.2f}", end="\n" if name == names[-1] else "")
        case ["--list", area, *names]:
            print(*matches(area, names), sep="\n")
        case folder:
            found = faults(Path(*folder).resolve() if folder else ROOT)
            print(*found, sep="\n", file=sys.stderr)
            sys.exit(bool(found))
