"""Tests of `osteon bench ft` and `osteon bench predict`, started as by a user."""

from __future__ import annotations

import json
import subprocess
from xml.etree import ElementTree

import pytest
from whole_job import BINARY


def osteon(*words: str) -> subprocess.CompletedProcess:
    return subprocess.run([str(BINARY), "bench", *words], capture_output=True, text=True, timeout=120, check=False)


# Oracle: the checksums of NPB. There are 7 transforms, and each transform has one exchange with the other rank.
def test_several_numbers_of_ranks_are_compared(tmp_path):
    file = tmp_path / "ft.json"
    done = osteon("ft", "--class", "S", "-n", "1,2", "--method", "transposition", "--json", str(file))
    assert done.returncode == 0, done.stderr
    assert "speed-up" in done.stdout
    rows = json.loads(file.read_text())["rows"]
    assert [row["ranks"] for row in rows] == [1, 2]
    assert all(row["verified"] and row["error"] < 1e-12 for row in rows)
    assert [row["exchanges"] for row in rows] == [0, 7]
    assert rows[1]["messages"] == 7
    assert rows[0]["checksums"][0] == pytest.approx([554.6087004964, 484.5363331978], rel=1e-12)


# Oracle: values computed by hand.
@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--class", "Q"], "use S, W, A, B or C"),
        (["-n", "3", "--method", "butterfly"], "use 2 or 4"),
        (["-n", "2", "--method", "transposition", "--fold", "2x2"], "their product must be 2"),
        (["--fold", "two"], "such as 2x2"),
        (["-n", "2", "--method", "transposition", "--schedule", "rong"], "rong"),
    ],
)
def test_what_cannot_be_is_refused(words, text):
    done = osteon("ft", *words)
    assert done.returncode == 2
    assert text in done.stderr


# Oracle: exec equals the time in the files, which includes the number of ranks, divided evenly. The first speed-up of a
# network is 1.
def test_predictions_from_results(tmp_path):
    (tmp_path / "is.json").write_text(json.dumps({"exec_s": 0.5, "ranks": 2}))
    (tmp_path / "ft.json").write_text(json.dumps({"rows": [{"exec_s": 0.32, "ranks": 4}]}))
    plot = tmp_path / "plot.svg"
    done = osteon("predict", "--class", "S", "--network", "hxb", "--network", "torus,rate=1GB/s", "--pus", "64,128")
    assert done.returncode == 0, done.stderr
    assert "torus:4x4x8,rate=1GB/s" in done.stdout
    words = ["--exec", f"{tmp_path}/is.json,{tmp_path}/ft.json", "--plot", str(plot), "--json", "-"]
    done = osteon("predict", "--class", "S", "--network", "hxb", "--pus", "64,128", *words)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    assert [(row["program"], row["pus"]) for row in rows] == [("IS", 64), ("FT", 64), ("IS", 128), ("FT", 128)]
    assert [row["exec_s"] for row in rows] == pytest.approx([1 / 64, 1.28 / 64, 1 / 128, 1.28 / 128])
    assert rows[0]["speed_up"] == rows[1]["speed_up"] == 1
    assert rows[1]["trans_s"] == pytest.approx(7 * 14 * (5e-6 + 64**3 * 16 / 64 / 8 / 200e6))
    assert ElementTree.parse(plot).getroot().tag.endswith("svg")


def test_unknown_networks_are_refused():
    done = osteon("predict", "--network", "hyperx")
    assert done.returncode == 2
    assert "use hxb, torus, mesh, fattree or dragonfly" in done.stderr
