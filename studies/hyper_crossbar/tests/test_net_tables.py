"""`osteon net paper` prints the tables of [Itakura]."""

from __future__ import annotations

import json
from pathlib import Path

from whole_job import ROOT, osteon


def test_the_tables_of_the_paper() -> None:
    """Oracle: the tables of [Itakura]. Every recomputed total agrees within one per cent. The page contains the printed
    tables."""
    done = osteon("net", "paper", "--json", "-")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    for cell in answer["cells"]:
        assert cell["fitted"] == (cell["table"] == 4 and not cell["quantity"].startswith("exec"))
        if cell["as_printed"] is not None and not cell["rounded"]:
            assert abs(cell["relative_error"]) < 0.01, cell
    page = (ROOT / "docs" / "theory" / "network.md").read_text()
    assert osteon("net", "paper").stdout in page


def test_figure_2_is_drawn(tmp_path: Path) -> None:
    """Oracle: Figure 2 of [Itakura] at 1024 PUs, with the speed-ups 13.0 for IS and 22.5 for FT. The ideal speed-up is
    16. Each curve is one polyline, in both panels."""
    picture = tmp_path / "figure2.svg"
    done = osteon("net", "paper", "--plot", str(picture), "--json", "-")
    assert done.returncode == 0, done.stderr
    last = {p["program"]: p for p in json.loads(done.stdout)["speed_ups"] if p["pus"] == 1024}
    assert abs(last["IS"]["paper"] - 13.0) < 0.05 and abs(last["FT"]["paper"] - 22.5) < 0.05
    assert abs(last["IS"]["as_printed"] - 13.0) < 0.3 and abs(last["FT"]["as_printed"] - 22.5) < 0.3
    assert picture.read_text().count("<polyline") == 4


def test_a_broadcast_by_crossbars_is_one_step() -> None:
    """Oracle: computed by hand. A round with messages requires 5 us + 4096 B / (200 MB/s). There are ten such
    rounds."""
    found = json.loads(osteon("net", "broadcast", "--network", "hxb:8x8x16", "--json", "-").stdout)
    assert abs(found["one_step_s"] - (5e-6 + 4096 / 200e6)) < 1e-12
    assert abs(found["tree_s"] - 10 * (5e-6 + 4096 / 200e6)) < 1e-12 and found["tree_rounds"] == 10
    # copies for the other 15 PUs of a line along z; the PU of the switch already has the data
    assert found["most_copies"] == 15
    assert len(found["wait_for_each_other"]) == 2


def test_adaptive_routing_frees_the_printed_transposition() -> None:
    """Oracle: docs/theory/network.md. On 64 PUs, the load of the printed order is 4. With the permitted route along z
    first, the load is 1."""
    found = json.loads(
        osteon("net", "adaptive", "--network", "hxb:4x4x4", "--plan", "transposition", "--json", "-").stdout
    )
    fixed, adaptive = found["routings"]
    assert found["orders"] == 6 and fixed["largest"] == 4
    assert adaptive["largest"] < fixed["largest"] and adaptive["seconds"] < fixed["seconds"]
