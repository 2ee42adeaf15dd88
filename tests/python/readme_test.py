"""Tests of README.md, which run the page as a reader would."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
from page_runner import blocks_of, run_page
from whole_job import BINARY

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"


def test_the_page_is_short() -> None:
    """Oracle: the limit of 80 lines. There is one Python example with at most five statements."""
    text = README.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 80
    (python,) = (b.text for b in blocks_of(text) if b.kind == "python")
    assert len(ast.parse(python).body) <= 5


@pytest.mark.alone  # two solutions of the whole scan
@pytest.mark.skipif(not BINARY.exists(), reason=f"{BINARY} is not built")
def test_the_examples(tmp_path: Path, scan: Path) -> None:
    """Oracle: the output and the file names printed on the page."""
    subprocess.run(
        [sys.executable, "-m", "osteon.images", scan, tmp_path / "scan.npy"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
        check=True,
        timeout=60,
        capture_output=True,
    )
    run_page(README, tmp_path, BINARY, 240)
    assert (tmp_path / "bone.html").stat().st_size > 0
    for name in ("report.html", "results.nc", "picture.png", "summary.json"):
        assert (tmp_path / "femur.out" / name).stat().st_size > 0
