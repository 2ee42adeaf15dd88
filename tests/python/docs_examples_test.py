"""Tests of the examples on all pages that do not run as a whole. The keys, options and names of the examples exist.
docs_pages_test.py runs the tutorials."""

import ast
import functools
import json
import os
import re
import shlex
import subprocess
import tomllib
from pathlib import Path

import pytest
from page_runner import Block, blocks_of

import osteon

ROOT = Path(__file__).resolve().parents[2]
BINARY = Path(os.environ.get("OSTEON_BINARY", ROOT / "build/release/src/app/osteon"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
GENERATED = {"job.md", "answers.md", "command_line.md", "oracles.md"}
needs_program = pytest.mark.skipif(not BINARY.exists(), reason="the osteon program is not built (OSTEON_BINARY)")


def examples(kind: str) -> list:
    found: list[tuple[str, Block]] = []
    for page in (p for p in PAGES if p.name not in GENERATED):
        for number, block in enumerate(blocks_of(page.read_text(encoding="utf-8"))):
            if block.kind == kind:
                found.append((f"{page.relative_to(ROOT)}:{number}", block))
    return [pytest.param(block.text, id=name) for name, block in found]


@functools.cache
def printed(*words: str) -> str:
    return subprocess.run([BINARY, *words], capture_output=True, text=True, timeout=60, check=True).stdout


def unknown_keys(table: dict, schema: dict, place: str = "") -> list[str]:
    wrong = []
    for key, value in table.items():
        entry = schema.get("properties", {}).get(key)
        if entry is None:
            wrong.append(f"{place}{key}")
            continue
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, dict):
                wrong += unknown_keys(item, entry.get("items", entry), f"{place}{key}.")
    return wrong


@needs_program
@pytest.mark.parametrize("text", examples("toml"))
def test_keys_of_a_job_exist(text: str) -> None:
    """Oracle: the schema of the program."""
    assert unknown_keys(tomllib.loads(text), json.loads(printed("schema"))) == []


def test_a_key_that_does_not_exist_is_found() -> None:
    """Oracle: determined by hand."""
    schema = {"properties": {"load": {"properties": {"axis": {}}}, "set": {"items": {"properties": {"name": {}}}}}}
    assert unknown_keys({"load": {"axis": "z"}, "set": [{"name": "a"}]}, schema) == []
    assert unknown_keys({"load": {"axes": "z"}, "set": [{"title": "a"}]}, schema) == ["load.axes", "set.title"]


def commands_of(text: str) -> list[list[str]]:
    """Words of each call of osteon in the lines of a shell. Words after a pipe or `--` belong to another program."""
    calls = []
    for line in text.replace("\\\n", " ").splitlines():
        for part in re.split(r"&&|\|\||[|;&]", re.sub(r"(^|\s)#.*", "", line.removeprefix("$ "))):
            match = re.match(r"\s*(?:[A-Z_]+=\S+ )*(?:mpirun|srun)?(?:\s[^o]*?)?\s*(?:\./run )?osteon (.*)", part)
            if match and "(" not in part:
                try:
                    words = shlex.split(match[1])
                except ValueError:
                    continue  # a quoted string over several lines
                calls.append(words[: words.index("--")] if "--" in words else words)
    return calls


def check_options(words: list[str]) -> None:
    names = [w for w in words[:2] if re.fullmatch(r"[a-z]+", w)]
    known = printed(names[0], "--help") if names else printed("--help")
    if len(names) == 2 and re.search(rf"^  {names[1]}\s", known, re.M):
        known = printed(*names, "--help")
    for option in (w.split("=")[0] for w in words if re.match(r"--?[a-z]", w)):
        assert re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", known), f"{option} of: osteon {' '.join(words)}"


@needs_program
@pytest.mark.parametrize("text", examples("sh"))
def test_options_of_a_command_exist(text: str) -> None:
    """Oracle: the help of the program."""
    for words in commands_of(text):
        check_options(words)


@needs_program
def test_an_option_that_does_not_exist_is_found() -> None:
    """Oracle: determined by hand."""
    (first, second) = commands_of("mpirun -n 4 osteon run a.toml --no-report && ./run osteon check b.toml --no-such")
    assert first == ["run", "a.toml", "--no-report"]
    check_options(first)
    with pytest.raises(AssertionError, match="--no-such of: osteon check"):
        check_options(second)


@pytest.mark.parametrize("text", examples("python"))
def test_names_of_the_package_exist(text: str) -> None:
    """Oracle: the package. The example is valid Python."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "osteon":
            assert hasattr(osteon, node.attr), node.attr
