"""Output of `osteon net` for exchanges on networks."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from whole_job import osteon


def net(*arguments: str) -> dict:
    done = osteon("net", *arguments, "--json", "-")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("command", ["conflicts", "deadlock", "simulate", "draw", "cost", "choose"])
def test_help_has_an_example(command: str) -> None:
    done = osteon("net", command, "--help")
    assert done.returncode == 0
    assert "Example" in done.stdout


@pytest.mark.parametrize(("shape", "load"), [("4x4x4", 4), ("4x8x8", 8), ("8x8x16", 16)])
def test_the_transposition_collides_as_printed_and_is_repaired(shape: str, load: int) -> None:
    """Oracle: determined by hand, as in tests/net/conflicts_test.cpp. Messages of 4, 8 and 16 rows meet at a PU."""
    printed = net("conflicts", "--network", f"hxb:{shape}", "--plan", "transposition")
    assert printed["counted"]["largest"] == load
    assert len(printed["counted"]["first_conflict"]["messages"]) == 2
    for network, plan in [
        (f"hxb:{shape}", "transposition:x-first"),
        (f"hxb:{shape},order=zyx", "transposition"),
    ]:
        repaired = net("conflicts", "--network", network, "--plan", plan, "--count")
        assert repaired["counted"]["largest"] == 1
        assert "no port is used twice" in repaired["proof"]


def test_table_5_is_simulated() -> None:
    """Oracle: A (5 us + bytes / 200 MB/s), computed by hand. Formula and simulation agree."""
    common = ["--network", "hxb:4x4x4", "--plan", "transposition:x-first", "--bytes", "256KiB"]
    expected = 8 * (5e-6 + 262144 / 200e6)
    assert net("simulate", *common, "--barrier")["total_s"] == pytest.approx(expected, rel=1e-12)
    assert net("cost", *common)["plans"][0]["startup_and_bytes_s"] == pytest.approx(expected, rel=1e-12)


def test_the_schedule_for_a_network(tmp_path: Path) -> None:
    """Oracle: computed by hand. 63 start-ups of 5 us and parcels at 200 MB/s are compared with six start-ups of Bruck's
    algorithm. A round of unequal parcels lasts as long as its largest parcel."""
    common = ["choose", "--network", "hxb:4x4x4", "--barrier"]
    assert net(*common, "--bytes", "8")["schedules"][0]["schedule"] == "bruck"
    best = net(*common, "--bytes", "1MiB")["schedules"][0]
    assert best["schedule"] == "shift:4x4x4"
    assert best["seconds"] == pytest.approx(63 * (5e-6 + (1 << 20) / 200e6), rel=1e-12)
    sizes = tmp_path / "sizes.txt"
    sizes.write_text("\n".join(" ".join(["3000000" if r == 0 else "1000000"] * 4) for r in range(4)))
    ring = net("choose", "--network", "crossbar:8", "-n", "4", "--sizes", str(sizes), "--barrier")["schedules"]
    assert min(s["seconds"] for s in ring) == pytest.approx(3 * (5e-6 + 3e6 / 200e6), rel=1e-12)
    assert next(s["skew"] for s in ring if s["schedule"] == "ring") == pytest.approx(3 / 1.5)
    assert "schedule" in osteon("net", *common).stdout


def test_who_waits_for_whom() -> None:
    """Oracle: Dally and Seitz. A ring of more than four PUs needs two virtual channels."""
    stuck = net("deadlock", "--network", "torus:5x4")
    assert not stuck["free"]
    assert stuck["sufficient_channels"] == 2
    holds = [step["holds"] for step in stuck["circle"]]
    assert [step["waits_for"] for step in stuck["circle"]] == holds[1:] + holds[:1]
    assert len(holds) == 5
    assert net("deadlock", "--network", "torus:5x4,channels=2")["free"]
    words = osteon("net", "deadlock", "--network", "torus:5x4").stdout
    assert "PU(0,0)" in words
    assert "free of deadlock with 2 virtual channels per link" in words
    assert "free of deadlock" in osteon("net", "deadlock", "--network", "mesh:5x4").stdout


def test_files_of_messages_placements_and_sizes(tmp_path: Path) -> None:
    """Oracle: computed by hand. Two messages of 200 bytes share an ejection rate of 200 bytes per microsecond."""
    (tmp_path / "halo.txt").write_text("# round from to bytes\n0 0 2 200\n0 1 2 200\n")
    (tmp_path / "places.txt").write_text("3 1\n0 # rank 2\n")
    (tmp_path / "sizes.txt").write_text("0 10 20\n30 0 40\n50 60 0\n")
    machine = {
        "schema": "osteon.network/1",
        "startup_s": 0,
        "routers": [{"name": "core"}, {"name": "a", "parent": "core"}],
        "pus": [{"router": "a", "count": 2}, {"router": "core", "count": 2}],
    }
    (tmp_path / "machine.json").write_text(json.dumps(machine))
    common = ["--network", str(tmp_path / "machine.json"), "--placement", str(tmp_path / "places.txt")]
    total = net("simulate", *common, "--plan", str(tmp_path / "halo.txt"))["total_s"]
    assert total == pytest.approx(2e-6, rel=1e-12)
    cost = net("cost", *common, "--plan", "ring", "--sizes", str(tmp_path / "sizes.txt"))["plans"][0]
    assert cost["bytes"] == 210
    assert cost["skew"] == pytest.approx((50 + 60) / (2 * 210 / 6))


def test_a_picture_is_drawn(tmp_path: Path) -> None:
    """Oracle: valid XML with a square of two halves for each PU. Networks that cannot be drawn are rejected."""
    target = tmp_path / "network.svg"
    for network in ["hxb:2x3x4", "torus:4x6", "fattree:4x3,over=2", "dragonfly:p=2,a=2,h=1"]:
        done = osteon("net", "draw", "--network", network, "--plan", "ring", "--round", "1", "-o", str(target))
        assert done.returncode == 0, done.stderr
        tree = ET.parse(target)
        assert len(tree.findall("{http://www.w3.org/2000/svg}rect")) > 2 * 12
    assert osteon("net", "draw", "--network", "hxb:32x32x32", "--plan", "ring").returncode == 2
    assert osteon("net", "draw", "--network", "hxb:4x4", "--plan", "ring", "--round", "15").returncode == 2


def test_a_picture_holds_any_name(tmp_path: Path) -> None:
    """Oracle: an XML parser returns the name. U+FFFD replaces characters that are invalid in XML."""
    name = 'A & B <"torus">'
    machine = {
        "schema": "osteon.network/1",
        "name": name + "\x01",
        "routers": [{"name": "r&1"}, {"name": "<r2>", "parent": "r&1"}],
        "pus": [{"router": "r&1", "count": 2}, {"router": "<r2>", "count": 2}],
    }
    file, target = tmp_path / "machine.json", tmp_path / "network.svg"
    file.write_text(json.dumps(machine))
    done = osteon("net", "draw", "--network", str(file), "--plan", "ring", "--round", "1", "-o", str(target))
    assert done.returncode == 0, done.stderr
    words = [node.text or "" for node in ET.parse(target).iter("{http://www.w3.org/2000/svg}text")]
    assert any(name + "\ufffd" in text for text in words), words


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["conflicts", "--network", "hxb:4x4", "--plan", "transposition", "-n", "15"], 2, "9 or 16"),
        (["conflicts", "--network", "hxb:4x4", "--plan", "ring", "-n", "17"], 2, "16 PUs"),
        (["conflicts", "--network", "hxb:4x4,rate=0MB/s", "--plan", "ring"], 2, "positive rate"),
        (["conflicts", "--network", "nothing.json", "--plan", "ring"], 3, "nothing.json"),
        (["conflicts", "--network", "hxb:4x4", "--plan", "rnig"], 2, "did you mean 'ring'"),
        (["simulate", "--network", "hxb:4x4", "--plan", "ring", "--startup", "5"], 2, "--startup"),
        (["simulate", "--network", "hxb:4x4", "--plan", "ring", "--bytes", "many"], 2, "--bytes"),
        (["simulate", "--network", "hxb:4x4", "--plan", "ring", "--background", "1"], 2, "background"),
        (["simulate", "--network", "hxb:4x4", "--plan", "ring", "--stream", "3"], 2, "3-17"),
        (["cost", "--network", "hxb:4x4"], 2, "--plan"),
        (["choose", "--network", "hxb:4x4", "-n", "17"], 2, "16 PUs"),
        (["choose", "--network", "hypercube:14"], 2, "limit of 200000000 messages"),
        (["deadlock", "--network", "hypercube:13"], 2, "at most 4096"),
        (["cost"], 2, "-n"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments: list[str], code: int, words: str) -> None:
    done = osteon("net", *arguments)
    assert done.returncode == code
    assert words in done.stderr


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (
            {"routers": [{"name": "a", "parent": "b"}, {"name": "b", "parent": "a"}]},
            "routers have cyclic parents: a -> b -> a",
        ),
        ({"routers": [{"name": "a"}, {"name": "b"}]}, "no route from router 'a' to 'b'"),
        ({"links": [{"from": "a", "to": "b", "bytes_per_second": 0}]}, "bytes_per_second is 0"),
        ({"links": [{"from": "a", "to": "b", "one_way": True}]}, "no route from router 'b' to 'a'"),
    ],
)
def test_machines_that_carry_no_message_are_refused(changed: dict, words: str, tmp_path: Path) -> None:
    """Oracle: the rules of the documentation page."""
    machine = {
        "schema": "osteon.network/1",
        "routers": [{"name": "a"}, {"name": "b"}],
        "pus": [{"router": "a"}, {"router": "b"}],
        "links": [],
    }
    path = tmp_path / "machine.json"
    path.write_text(json.dumps(machine | changed))
    done = osteon("net", "deadlock", "--network", str(path))
    assert done.returncode == 3
    assert words in done.stderr
