"""Output of `osteon net` for the models of compositing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from whole_job import osteon

MACHINE = {
    "schema": "osteon.compositing-machine/1",
    "name": "two cores",
    "bytes_per_second": 1e9,
    "latency_s": 1e-6,
    "blend_bytes_per_second": 2e9,
    "arrival_overhead_s": 1e-6,
}


def cost(*arguments: str) -> dict:
    done = osteon("net", "cost", "--json", "-", *arguments)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("command", [[], ["cost"]])
def test_help_has_an_example(command: list[str]) -> None:
    done = osteon("net", *command, "--help")
    assert done.returncode == 0
    assert "Example" in done.stdout


def test_the_plan_and_the_equation_agree() -> None:
    """Oracle: equation 4. The part of the root is not sent."""
    answer = cost("-n", "64", "--machine", "bgl")
    equation = answer["equations"]["printed"]
    assert equation["frames_per_second"] == pytest.approx(56.23, abs=0.005)
    extended = answer["equations"]["extended"]
    plan = answer["plan"]
    assert plan["exchange_s"] + plan["blend_s"] == pytest.approx(extended["compose_s"], rel=1e-12)
    assert plan["collect_s"] < extended["collect_s"] < plan["collect_s"] * 1.1


def test_the_picture_is_written_or_displayed() -> None:
    """Oracle: equation 2. Each frame additionally takes the time of 1 MiB at 125 MB/s, and a latency of 1 ms."""
    without = cost("-n", "64")["equations"]["printed"]
    written = cost("-n", "64", "--write-rate", "125MB/s", "--write-latency", "1ms")["equations"]["printed"]
    assert without["write_s"] == 0
    assert written["write_s"] == pytest.approx(1e-3 + 512 * 512 * 4 / 125e6, rel=1e-12)
    assert 1 / written["frames_per_second"] - 1 / without["frames_per_second"] == pytest.approx(
        written["write_s"], rel=1e-9
    )
    for words in (["--write-rate", "fast"], ["--write-latency", "1ms"]):
        assert osteon("net", "cost", "-n", "64", *words).returncode == 2


def test_a_machine_of_ones_own_and_any_number_of_ranks(tmp_path: Path) -> None:
    """Oracle: determined by hand. Four ranks have two stages of a swap, and three messages to the root."""
    path = tmp_path / "machine.json"
    path.write_text(json.dumps(MACHINE))
    answer = cost("-n", "4", "--machine", str(path), "--pixels", "1000x1000")
    compose = 2e-6 + 0.75 * 4e6 * (1e-9 + 0.5e-9)
    assert answer["equations"]["extended"]["compose_s"] == pytest.approx(compose, rel=1e-12)
    assert answer["equations"]["extended"]["collect_s"] == pytest.approx(1e-6 + 4e-3 + 2e-6, rel=1e-12)
    assert answer["equations"]["printed"]["collect_s"] == pytest.approx(1e-6 + 4e-3, rel=1e-12)
    uneven = cost("-n", "6", "--machine", str(path))
    assert uneven["equations"] == {}
    assert uneven["plan"]["messages"] > 0


@pytest.mark.parametrize(
    "method", ["direct-send", "radix-k:4,2", "2-3-swap", "tree", "pipeline", "multi-step:3", "hybrid:4"]
)
def test_every_method_has_a_cost(method: str) -> None:
    """Oracle: `osteon plan`, which counts the messages of this plan."""
    answer = cost("-n", "12", "--method", method, "--pixels", "120x100")
    counted = json.loads(osteon("plan", method, "-n", "12", "--pixels", "120x100", "--json", "-").stdout)["plans"][0]
    assert answer["equations"] == {}
    assert answer["plan"]["messages"] == counted["messages"]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["-n", "1"], 2, "1"),
        (["-n", "100001"], 2, "up to 65536"),
        (["-n", "5000", "--method", "direct-send"], 2, "up to 1024"),
        (["-n", "4", "--method", "swap"], 2, "binary-swap"),
        (["-n", "4", "--method", "multi-step:0"], 2, "multi-step:0"),
        (["-n", "4", "--pixels", "0x5"], 2, "at least one pixel"),
        (["-n", "4", "--pixels", "5x5x5"], 2, "--pixels"),
        (["-n", "4", "--machine", "/no/such"], 3, "bgl or ha8000"),
    ],
)
def test_bad_input(arguments: list[str], code: int, words: str) -> None:
    done = osteon("net", "cost", *arguments)
    assert done.returncode == code
    assert words in done.stderr


def test_a_bad_machine_shows_all_its_faults(tmp_path: Path) -> None:
    path = tmp_path / "machine.json"
    path.write_text(json.dumps(MACHINE | {"latency_s": -1, "speed": 3}))
    done = osteon("net", "cost", "-n", "4", "--machine", str(path))
    assert done.returncode == 3
    assert "latency_s is -1" in done.stderr
    assert "speed is an unknown key" in done.stderr
