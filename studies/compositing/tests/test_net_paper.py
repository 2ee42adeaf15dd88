"""`osteon net paper compositing` prints predictions of the models, and the frame rates of [Ono]."""

from __future__ import annotations

import json

from whole_job import ROOT, osteon


def test_help_has_an_example() -> None:
    done = osteon("net", "paper", "--help")
    assert done.returncode == 0
    assert "Example" in done.stdout


def test_the_frame_rates_of_the_paper() -> None:
    """Oracle: the eight measured frame rates. The model predicts the same order."""
    answer = json.loads(osteon("net", "paper", "compositing", "--json", "-").stdout)
    frames = [frame for machine in answer["machines"] for frame in machine["frames"]]
    assert [frame["measured"] for frame in frames] == [16, 19, 8, 14, 12, 12, 27, 41]
    for a in frames:
        for b in frames:
            assert a["measured"] <= b["measured"] or a["extended"] > b["extended"]


def test_the_page_shows_what_is_printed() -> None:
    """Oracle: the output of the command."""
    page = (ROOT / "docs" / "theory" / "compositing.md").read_text()
    assert osteon("net", "paper", "compositing").stdout in page
