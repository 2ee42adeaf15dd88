#!/usr/bin/env python3
"""Count excluded phrases per 1,000 words of pages, comments and strings, and fail above the limits.

    tools/prose.py [FOLDER]   report the rates above their limits; the exit code is 1 if there are any
    tools/prose.py --table    print all rates
    tools/prose.py --list AREA [PATTERN]   print each match with file and line
    tools/prose.py --lower    set the ratchet to the present rates where they are lower

A limit in FINAL is three times the highest rate of xarray, nanobind, preCICE and DOLFINx, but at least 0.3. RATCHET
contains the rates of the areas that still exceed it; `--lower` only decreases them.
"""

import io
import math
import re
import sys
import tokenize
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PATTERNS = {
    "tell": r"\b(tell|tells|told|telling)\b",
    "says": r"\b(says|speaks|spoken)\b",
    "what": r"\b[Ww]hat (is|are|it|they|a|the|no|another|was|has|one|goes|comes|stands|lies)\b",
    "of": r"(?:^|[.:;] |\n\s*)Of (?:a|an|the|each|all|what|its|one|two)\b",
    "nothing": r"\b(nobody|nothing)\b",
    "stands": r"\b(stands|lies|hangs)\b",
    "beside": r"\bbeside\b",
    "too": r", too\b",
}
FINAL = dict(zip(PATTERNS, (0.33, 0.3, 0.51, 0.3, 1.77, 0.39, 0.3, 0.3), strict=True))
RATCHET = """
docs
python
src
bridge
studies
tests
tools beside 0.32
"""
AREAS = {"python": "python", "src": "src common", "bridge": "bridge", "studies": "studies", "tests": "tests"}
AREAS["tools"] = "tools bench packaging examples cmake run"
PLACES = {folder: area for area, folders in AREAS.items() for folder in folders.split()}
SKIPPED = {"build", "corpus", "node_modules", "__pycache__", "prose.py", "prose_test.py", "oracles.md"}
# In this order of alternatives: a comment may contain quotation marks, and a string slashes.
C_LIKE = re.compile(
    r'//[/!]?<?([^\n]*)|/\*+(.*?)\*/|R"(\w*)\((.*?)\)\3"|"((?:[^"\\\n]|\\.)*)"|`([^`]*)`|\'((?:[^\'\\\n]|\\.)*)\'',
    re.S,
)


def of_page(text: str) -> str:
    """The text without blocks of code; the number of lines stays."""
    text = re.sub(r"```.*?```", lambda block: "\n" * block[0].count("\n"), text, flags=re.S)
    return re.sub(r"`[^`\n]*`", " x ", text)


def sparse(pieces: list[tuple[int, str, bool]]) -> str:
    """Pieces (line, text, is a string) as lines of one text; of the strings only those of several words."""
    lines = [""] * (max((line + text.count("\n") for line, text, _ in pieces), default=0) + 1)
    for first, text, is_string in pieces:
        if not is_string or re.search(r"[a-z,;:]{2,} +[a-z(]", text):
            for offset, part in enumerate(text.split("\n")):
                lines[first + offset] += (
                    " " * bool(lines[first + offset]) + re.sub(r"\{[^{}]*\}|`[^`]*`", " x ", part).strip()
                )
    return "\n".join(lines[1:])


def of_c_like(text: str) -> str:
    pieces = []
    for found in C_LIKE.finditer(text):
        comment = found[1] if found[1] is not None else found[2]
        words = comment if comment is not None else next((w for w in found.groups()[3:] if w), "")
        pieces.append((text.count("\n", 0, found.start()) + 1, words.strip(" *"), comment is None))
    return sparse(pieces)


def of_python(text: str) -> str:
    pieces = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            pieces.append((token.start[0], token.string.lstrip("#! "), False))
        if tokenize.tok_name[token.type] in ("STRING", "FSTRING_MIDDLE"):
            pieces.append(
                (token.start[0], re.sub(r"^\w{0,2}(\"{3}|'{3}|\"|')|(\"{3}|'{3}|\"|')$", "", token.string), True)
            )
    return sparse(pieces)


def of_script(text: str) -> str:
    return "\n".join(line.partition("# ")[2] for line in text.splitlines())


READERS = {".md": of_page, ".py": of_python, ".sh": of_script, ".cmake": of_script, "": of_script, ".txt": of_script}
READERS |= dict.fromkeys((".cpp", ".hpp", ".h", ".c", ".cu", ".cuh", ".js"), of_c_like)


def texts(root: Path) -> dict[str, dict[str, str]]:
    """The prose of each file, by area."""
    found: dict[str, dict[str, str]] = {}
    for place in ["docs", *PLACES, *(path.name for path in root.glob("*.md"))]:
        for path in sorted([root / place, *(root / place).rglob("*")]):
            name = path.relative_to(root)
            if path.is_file() and path.suffix in READERS and not SKIPPED & set(name.parts):
                area = "docs" if path.suffix == ".md" else PLACES.get(name.parts[0], "docs")
                found.setdefault(area, {})[str(name)] = READERS[path.suffix](path.read_text(encoding="utf-8"))
    return found


def rates(of_area: dict[str, str]) -> dict[str, float]:
    text = "\n".join(of_area.values())
    words = max(1, len(text.split()))
    return {name: 1000 * len(re.findall(pattern, text)) / words for name, pattern in PATTERNS.items()}


def ratchet(area: str) -> dict[str, float]:
    _, *row = next((line.split() for line in RATCHET.splitlines() if line.startswith(area + " ")), [""])
    return dict(zip(row[::2], map(float, row[1::2]), strict=True))


def limit(area: str, pattern: str) -> float:
    return max(FINAL[pattern], ratchet(area).get(pattern, 0))


def faults(root: Path) -> list[str]:
    return [
        f"{area}: '{name}' {rate:.2f} times per 1,000 words; at most {limit(area, name):.2f}"
        for area, of_area in texts(root).items()
        for name, rate in rates(of_area).items()
        if rate > limit(area, name)
    ]


def lowered() -> str:
    """The lines of RATCHET after the rates fell. A line without values keeps an area at the final limits."""
    lines = []
    for area, of_area in texts(ROOT).items():
        today = {name: math.ceil(100 * rate) / 100 for name, rate in rates(of_area).items()}
        if f"\n{area}" in RATCHET:
            today = {name: min(rate, limit(area, name)) for name, rate in today.items()}
        values = [f" {name} {rate:.2f}" for name, rate in today.items() if rate > FINAL[name]]
        lines.append(area + "".join(values) + "\n")
    return "".join(lines)


def listed(area: str, patterns: list[str]) -> list[str]:
    return [
        f"{name}:{text.count(chr(10), 0, match.end()) + 1}: {pattern}: {match[0].strip()}"
        for name, text in texts(ROOT)[area].items()
        for pattern in patterns or PATTERNS
        for match in re.finditer(PATTERNS[pattern], text)
    ]


def main() -> int:
    match sys.argv[1:]:
        case ["--lower"]:
            own = Path(__file__)
            table = re.compile(r'(?<=^RATCHET = """\n).*?(?=^""")', re.S | re.M)
            own.write_text(table.sub(lambda _: lowered(), own.read_text(), count=1))
        case ["--table"]:
            for area, of_area in texts(ROOT).items():
                print(f"{area:8}", *(f"{name} {rate:.2f}" for name, rate in rates(of_area).items()))
        case ["--list", area, *patterns]:
            print(*listed(area, patterns), sep="\n")
        case folder:
            found = faults(Path(*folder).resolve() if folder else ROOT)
            print(*found, sep="\n", file=sys.stderr)
            return bool(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
