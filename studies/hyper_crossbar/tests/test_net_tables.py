"""What `osteon net paper` prints of [Itakura]."""

from __future__ import annotations

import json

from test_commands import osteon
from whole_job import ROOT


def test_the_tables_of_the_paper() -> None:
    """Oracle: [Itakura]; every total within one per cent. The page shows what is printed."""
    done = osteon("net", "paper", "--json", "-")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    for cell in answer["cells"]:
        assert cell["fitted"] == (cell["table"] == 4)
        if cell["quantity"] != "bytes per transfer":
            assert abs(cell["relative_error"]) < 0.01, cell
    page = (ROOT / "docs" / "theory" / "network.md").read_text()
    assert osteon("net", "paper").stdout in page
