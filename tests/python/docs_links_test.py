"""Links and references in the pages and comments of the repository resolve."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PARTS = ["bench", "bridge", "common", "docs", "examples", "python", "src", "studies", "tests", "tools"]
PAGES = [*ROOT.glob("*.md"), *(page for part in PARTS for page in (ROOT / part).rglob("*.md"))]
CODE = {".cpp", ".cu", ".h", ".hpp", ".py"}


def without_code(page: Path) -> str:
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors(page: Path) -> set[str]:
    """Anchors as GitHub generates them: lower case, no punctuation, hyphens for spaces, and a number for repeated
    headings."""
    found: dict[str, int] = {}
    names = set()
    for heading in re.findall(r"^#+ +(.+?) *$", re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S), re.M):
        shown = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", shown.lower()).replace(" ", "-")
        count = found.get(name, 0)
        found[name] = count + 1
        names.add(f"{name}-{count}" if count else name)
    return names


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = without_code(page)
    links = re.findall(r"\]\(([^)\s]+)[^)]*\)", text) + re.findall(r"^\[[^]]+\]: +(\S+)", text, re.MULTILINE)
    broken = []
    for link in links:
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if not target.exists():
            broken.append(f"{link}: no such file")
        elif anchor and anchor not in anchors(target):
            broken.append(f"{link}: no such heading")
    assert not broken


def test_citations_are_keys_of_the_references() -> None:
    keys = set(re.findall(r"^\| .*?\|", (ROOT / "docs/reference/references.md").read_text(), re.MULTILINE))
    keys = {key for row in keys for key in re.findall(r"\[(\w+)\]", row)}
    wrong, cited = [], set()
    for path in (path for part in PARTS for path in (ROOT / part).rglob("*") if path.suffix in CODE):
        if path == Path(__file__).resolve():
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for words in re.findall(r"@cite +(.*)", line):
                named = re.findall(r"\[(\w+)\]", words)
                cited.update(named)
                if not named or not set(named) <= keys:
                    wrong.append(f"{path.relative_to(ROOT)}:{number}: {words}")
    assert not wrong
    assert len(cited) > 40
