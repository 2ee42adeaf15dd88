"""Tests of the site of `./run docs`. The build has no warning, every page is in the page tree, and content generated
from the program is current."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SPHINX = ROOT / ".venv-docs" / "bin" / "python"
BINARY = Path(os.environ.get("OSTEON_BINARY", ROOT / "build/release/src/app/osteon"))
needs_sphinx = pytest.mark.skipif(
    not SPHINX.exists(), reason="the site's packages are not here (./run docs, ./run test)"
)


def pages_of_the_tree() -> dict[str, list[str]]:
    """Pages by the page whose toctree lists them. Pages are paths in the repository without their suffix."""
    listed: dict[str, list[str]] = {}
    for page in [*(ROOT / "docs").rglob("*.md")]:
        for tree in re.findall(r"^:::\{toctree\}\n(.*?)^:::", page.read_text(), re.M | re.S):
            for entry in (line.strip() for line in tree.splitlines() if line.strip() and not line.startswith(":")):
                pattern = os.path.normpath(str(page.parent.relative_to(ROOT) / entry))
                found = [p for ending in (".md", ".ipynb") for p in ROOT.glob(pattern + ending)]
                if not found and entry == "developers/oracles":  # this page is generated with the site
                    continue
                assert found, f"{page.name} lists {entry}, which is not there"
                names = [str(p.relative_to(ROOT).with_suffix("")) for p in found]
                listed.setdefault(str(page.relative_to(ROOT)), []).extend(names)
    return listed


def test_every_page_is_in_the_tree_once() -> None:
    """Oracle: the files. A toctree of docs/index.md lists every new page, so that readers find it."""
    listed = [name for names in pages_of_the_tree().values() for name in names if name != "docs/developers/oracles"]
    pages = [p for p in (ROOT / "docs").rglob("*.md") if p.name not in ("index.md", "oracles.md")]
    pages += [*(ROOT / "examples/notebooks").glob("*.ipynb"), *(ROOT / "bridge/docs").glob("*.md")]
    missing = {str(p.relative_to(ROOT).with_suffix("")) for p in pages} - set(listed)
    assert not missing, f"in no toctree of docs/index.md: {', '.join(sorted(missing))}"
    assert len(listed) == len(set(listed))


def test_the_index_is_the_only_page_at_the_top() -> None:
    """Oracle: the files. Tutorials, how-to guides, reference and theory have their own folders."""
    # earlier versions generated pages in this folder
    pages = {p.name for p in (ROOT / "docs").glob("*.md")} - {"oracles.md"}
    assert pages == {"index.md"}


def sphinx(source: Path, target: Path, builder: str) -> None:
    """Any warning fails. Notebooks are run by tests/python/docs_pages_test.py, not here."""
    done = subprocess.run(
        [SPHINX, "-m", "sphinx", "-q", "-W", "--keep-going", "-n", "-b", builder, "-c", ROOT / "docs", source, target],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={k: v for k, v in os.environ.items() if k not in ("OSTEON_BINARY", "PYTHONPATH")},
    )
    assert done.returncode == 0, done.stderr


@needs_sphinx
def test_the_site_has_no_dead_link_or_anchor(tmp_path: Path) -> None:
    """Oracle: Sphinx reports an error for a dead link, a dead anchor, a page outside the tree, or an unknown Python
    name. No output is written, which halves the time."""
    sphinx(ROOT, tmp_path, "dummy")


@needs_sphinx
def test_pages_need_nothing_from_the_net(tmp_path: Path) -> None:
    """Oracle: the HTML of two pages built with the settings of the site. A browser loads the search index as a script,
    which also works from file://."""
    pages, site = tmp_path / "pages" / "docs", tmp_path / "site"
    pages.mkdir(parents=True)
    (pages / "index.md").write_text("# One\n:::{toctree}\ntwo\n:::\n")
    (pages / "two.md").write_text("# Two\n`a` is *trabecular*: $1\n```toml\na = 1\n```\n")
    sphinx(pages.parent, site, "html")
    assert 'url=docs/index.html"' in (site / "index.html").read_text()
    assert (site / "searchindex.js").read_text().startswith("Search.setIndex(")
    assert "trabecular" in (site / "searchindex.js").read_text()
    for page in site.rglob("*.html"):
        loads = re.findall(r"<(?:script|img|link)\b[^>]*?(?:src|href)=\"(https?:[^\"]*)\"", page.read_text())
        assert not loads, f"{page.name} loads {loads[0]}"


@needs_sphinx
def test_notebooks_are_made_from_their_python_files() -> None:
    """Oracle: jupytext, run by tools/notebooks.py."""
    done = subprocess.run(
        [SPHINX, ROOT / "tools/notebooks.py", "--check"], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr


def test_notebooks_hold_no_outputs() -> None:
    """Oracle: the format of notebooks."""
    for path in (ROOT / "examples/notebooks").glob("*.ipynb"):
        cells = json.loads(path.read_text())["cells"]
        assert cells
        assert not any(cell.get("outputs") for cell in cells), path.name


def test_command_line_page_is_the_help_of_the_program() -> None:
    """Oracle: the help of the program."""
    if not BINARY.exists():
        pytest.skip(f"{BINARY} is not built")
    made = subprocess.run(
        [sys.executable, ROOT / "tools/command_reference.py", BINARY],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert made.stdout == (ROOT / "docs/reference/command_line.md").read_text(), (
        f"make docs/reference/command_line.md anew: python3 tools/command_reference.py {BINARY} > docs/reference/command_line.md"
    )


def test_performance_page_is_made_from_the_results() -> None:
    """Oracle: bench/results, read by tools/performance_page.py. Each measurement has its machine, command, date and
    revision."""
    made = subprocess.run(
        [sys.executable, ROOT / "tools/performance_page.py"], capture_output=True, text=True, timeout=60, check=True
    )
    assert made.stdout == (ROOT / "docs/reference/performance.md").read_text(), (
        "make the page anew: python3 tools/performance_page.py > docs/reference/performance.md"
    )
    for path in (ROOT / "bench/results").glob("*.json"):
        if path.stem in ("machines", "commands"):
            continue
        for entry in json.loads(path.read_text())["measurements"]:
            assert entry["command"]
            assert entry["machine"]
            assert re.fullmatch(r"\d{4}-\d\d-\d\d", entry["date"]), path.name
            assert re.fullmatch(r"[0-9a-f]{8,}", entry["revision"]), path.name
            assert all(len(row) == len(entry["columns"]) for row in entry["rows"]), path.name


def test_messages_of_the_page_are_messages_of_the_program() -> None:
    """Oracle: the texts in the sources. Literals that are split over several lines are joined."""
    paths = [p for ending in ("cpp", "hpp") for p in (ROOT / "src").rglob(f"*.{ending}")]
    paths += [*(ROOT / "common").rglob("*.?pp"), *(ROOT / "python").rglob("*.py")]
    sources = "\n".join(re.sub(r'"\s*\n\s*f?"', "", path.read_text(encoding="utf-8")) for path in paths)
    page = (ROOT / "docs/howto/messages.md").read_text()
    shown = []
    for table in re.findall(r"^\| message \|.*?\n\|---.*?\n(.*?)(?:\n\n|\Z)", page, re.M | re.S):
        shown += [row.split("|")[1].strip() for row in table.splitlines()]
    assert len(shown) > 15
    own_words = {"illegal instruction, SIGILL"}  # messages of the shell
    unknown = [words for words in shown if words not in sources and words not in own_words]
    assert not unknown, f"no message of osteon: {unknown}"
