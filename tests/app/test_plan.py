"""Tests of `osteon plan`, which counts, verifies and draws plans."""

from __future__ import annotations

import json
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from whole_job import BINARY


def osteon(*arguments: str) -> subprocess.CompletedProcess[str]:
    if not BINARY.exists():
        pytest.skip(f"{BINARY} is not built")
    return subprocess.run([str(BINARY), "plan", *arguments], capture_output=True, text=True, timeout=60, check=False)


def test_every_known_method_is_verified() -> None:
    """Oracle: any method has to send n - 1 images. The tree sends exactly n - 1 images."""
    done = osteon("-n", "12", "--order", "shuffle", "--pixels", "120x100", "--root", "none", "--json", "-")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["schema"] == "osteon.plan/1"
    plans = {plan["method"]: plan for plan in answer["plans"]}
    assert len(plans) >= 15
    image = 120 * 100 * 4
    for plan in plans.values():
        assert plan["verified"], plan["problems"]
        assert plan["sent_bytes"] >= 11 * image
    assert plans["tree"]["sent_bytes"] == plans["binary-swap"]["sent_bytes"] == 11 * image
    assert plans["tree"]["most_sent_bytes"] == image


def test_table_for_people() -> None:
    done = osteon("multi-step:4", "binary-swap+fan-in:2", "-n", "6", "--order", "3,1,5,0,2,4")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 4
    assert lines[2].startswith("multi-step:4") and lines[2].endswith("yes")


def test_what_is_not_drawn_is_not_sent() -> None:
    """Oracle: 8 ranks with 15 % each cannot send more than these pixels."""
    arguments = ("slic", "direct-send:overlap", "-n", "8", "--active", "0.15", "--root", "none", "--json", "-")
    for plan in json.loads(osteon(*arguments).stdout)["plans"]:
        assert plan["verified"], plan["problems"]
        assert 0 < plan["sent_bytes"] < 8 * 0.15 * 512 * 512 * 4


def test_exchanges_are_plans_too(tmp_path: Path) -> None:
    """Oracle: determined by hand. Each rank has 7 parcels of 100 bytes. Bruck's algorithm moves each parcel once per
    set bit of its distance. Sums are sent up and down."""
    listed = tmp_path / "two.txt"
    listed.write_text("0 0 1 30\n1 1 0 12\n")
    names = ["ring", "bruck", "prefix", "broadcast:3", "halo:2x2x2", str(listed)]
    answer = json.loads(osteon(*names, "-n", "8", "--bytes", "100", "--json", "-").stdout)
    plans = [(plan["verified"], plan["rounds"], plan["messages"], plan["sent_bytes"]) for plan in answer["plans"]]
    assert plans == [
        (True, 7, 56, 5600),
        (True, 3, 24, 8 * 12 * 100),
        (True, 5, 11, 1100),
        (True, 3, 7, 700),
        (True, 1, 24, 2400),
        (True, 2, 2, 42),
    ]
    square = json.loads(osteon("transposition", "transposition:x-first", "-n", "9", "--json", "-").stdout)["plans"]
    assert [plan["verified"] for plan in square] == [True, True]


def test_an_unsound_list_of_messages_is_refused(tmp_path: Path) -> None:
    listed = tmp_path / "one.txt"
    listed.write_text("0 0 0 30\n")
    assert osteon(str(listed)).returncode == 3


def test_a_drawing_of_an_exchange_has_no_picture_to_collect(tmp_path: Path) -> None:
    """Oracle: determined by hand. There are 8 messages in each of 3 rounds, with one line each."""
    picture = tmp_path / "bruck.svg"
    done = osteon("draw", "bruck", "-n", "8", "-o", str(picture))
    assert done.returncode == 0, done.stderr
    tree = ET.parse(picture)
    words = [node.text for node in tree.iter("{http://www.w3.org/2000/svg}text")]
    assert [word for word in words if word.startswith("round")] == ["round 1", "round 2", "round 3"]
    assert len(list(tree.iter("{http://www.w3.org/2000/svg}line"))) == 24


def test_a_drawing_of_many_ranks_is_a_map(tmp_path: Path) -> None:
    """Oracle: determined by hand. Each rank sends to the next two ranks. 128 ranks are drawn as 64 squares per side."""
    listed = tmp_path / "next.txt"
    listed.write_text("".join(f"0 {rank} {rank + step} 8\n" for rank in range(126) for step in (1, 2)))
    picture = tmp_path / "map.svg"
    done = osteon("draw", str(listed), "-o", str(picture))
    assert done.returncode == 0, done.stderr
    squares = list(ET.parse(picture).iter("{http://www.w3.org/2000/svg}rect"))
    # Even ranks send to their own square and to the next square, and odd ranks send to the next square. The frame, and
    # possibly the background, are further squares.
    assert 63 + 63 <= len(squares) <= 63 + 63 + 2


def test_drawing_shows_every_rank_and_round(tmp_path: Path) -> None:
    picture = tmp_path / "plan.svg"
    done = osteon("draw", "radix-k:3", "-n", "9", "-o", str(picture))
    assert done.returncode == 0, done.stderr
    words = [node.text for node in ET.parse(picture).iter("{http://www.w3.org/2000/svg}text")]
    assert [f"rank {rank}" for rank in range(9)] == [word for word in words if word.startswith("rank")]
    assert [word for word in words if word.startswith("round")] == ["round 1", "round 2", "round 3 (collect)"]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["binry-swap"], "did you mean 'binary-swap'?"),
        (["tree", "--order", "0,1"], "visibility order of 2 entries for 8 ranks"),
        (["tree", "-n", "3", "--order", "0,0,1"], "must contain each of the ranks 0 to 2 once"),
        (["tree", "--order", "back"], "--order: 'back'"),
        (["tree", "--root", "8"], "a root from 0 to 7"),
        (["tree", "--root", "last"], "--root: 'last'"),
        (["tree", "--pixels", "5x"], "--pixels"),
        (["hybrid"], "hybrid:8"),
        (["draw", "ring", "-n", "20000"], "ranks x rounds must be at most 100000000"),
        (["tree", "-n", "0"], "--ranks"),
    ],
)
def test_wrong_usage_is_named(arguments: list[str], text: str) -> None:
    done = osteon(*arguments)
    assert done.returncode == 2
    assert text in done.stderr
