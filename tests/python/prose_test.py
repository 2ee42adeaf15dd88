"""The prose check of ./run lint, tools/prose.py: planted sentences of each kind of text are reported."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import prose  # noqa: E402

PLAIN = "The solver reports the residual of each iteration and stores the displacement of all nodes. " * 4
# Each sentence contains one excluded phrase. The last entry names the pattern of the phrase.
PLANTED = [
    ("docs/page.md", "{}", "This page tells the reader about loads.", "tell"),
    ("src/osteon/base/thing.hpp", "// {}", "A message says which key is missing.", "says"),
    ("src/osteon/base/thing.cpp", 'auto text = "{}";', "of what is sent to neighbours", "what"),
    ("bridge/src/bridge/thing.c", "/* {} */", "Of the velocities, of the pressure.", "of"),
    ("studies/thing.py", '"""{}"""', "Empty, as nobody and nothing is here.", "nothing"),
    ("tests/thing_test.py", "# {}", "The file lies in a folder.", "stands"),
    ("python/osteon/thing.py", 'text = f"{}"', "the limit stands beside the value", "beside"),
    ("python/osteon/page.js", "const text = `{}`;", "The other rank writes, too.", "too"),
    ("run", "# {}", "Sets up what is missing and prints the command.", "what"),
]


@pytest.mark.parametrize(("name", "form", "sentence", "pattern"), PLANTED)
def test_a_planted_sentence_fails(tmp_path: Path, name: str, form: str, sentence: str, pattern: str) -> None:
    """Oracle: the sentence that the test wrote. The file without the sentence passes."""
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    run = [sys.executable, ROOT / "tools/prose.py", tmp_path]
    path.write_text(form.format(PLAIN) + "\n")
    assert subprocess.run(run, capture_output=True, timeout=60).returncode == 0
    path.write_text(form.format(PLAIN) + "\n" + form.format(sentence) + "\n")
    answer = subprocess.run(run, capture_output=True, text=True, timeout=60)
    assert answer.returncode == 1
    assert f"'{pattern}'" in answer.stderr


def test_code_is_not_counted(tmp_path: Path) -> None:
    """Oracle: the words, which are names in code, in a code block, and in strings of one word."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/page.md").write_text(PLAIN + "\n```sh\ntold what is beside\n```\nof `told` too\n")
    (tmp_path / "python").mkdir()
    (tmp_path / "python/a.py").write_text(f'"""{PLAIN}"""\nbeside = told["says"]\n')
    assert prose.faults(tmp_path) == []


def test_rates_are_matches_per_thousand_words(tmp_path: Path) -> None:
    """Oracle: a count by hand. One match in 100 words is a rate of 10. The area is the folder."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/a.sh").write_text("# " + "word " * 96 + "It tells the time.\n")
    found = {(area, name): rate for area, name, rate in prose.rates(tmp_path)}
    assert found == {("tests", name): 10 * (name == "tell") for name in prose.PATTERNS}
    assert prose.faults(tmp_path) == ["tests: 'tell' 10.00 times per 1,000 words; at most 0.33"]
