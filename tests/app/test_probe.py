"""Tests of `osteon probe` on one machine, on a simulated cluster with one slow host, and with hosts that disappear."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from pathlib import Path

import pytest
from fake_cluster import FakeCluster, why_not
from whole_job import BINARY

SLOW = 6  # exit code for a slow host


def probe(folder: Path, *arguments: str, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    if not BINARY.exists():
        pytest.skip(f"{BINARY} is not built")
    return subprocess.run(
        [str(BINARY), "probe", *arguments], capture_output=True, text=True, timeout=timeout, cwd=folder, check=False
    )


# Oracle: the information available to a single rank.
def test_one_rank_tells_the_tree_and_that_links_take_two(tmp_path: Path) -> None:
    done = probe(tmp_path, "-n", "1", "-o", "machine.json", "--json", "probe.json", "--picture", "links.svg")
    assert done.returncode == 0, done.stderr
    assert "1 host, 1 rank" in done.stdout
    assert "osteon probe -n 2" in done.stdout
    machine = json.loads((tmp_path / "machine.json").read_text())
    assert machine["schema"] == "osteon.machine/1"
    cores = machine["trees"][0]["cores"]
    assert 1 <= len(cores) <= os.cpu_count()
    assert json.loads((tmp_path / "probe.json").read_text())["pairs"] == []
    assert (tmp_path / "links.svg").read_text().startswith("<svg")


# Oracle: plausible bounds for any memory, and the time budget.
@pytest.mark.alone
def test_two_ranks_of_a_laptop(tmp_path: Path) -> None:
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("two ranks take two cores")
    start = time.monotonic()
    done = probe(tmp_path, "-n", "2", "--budget", "1s", "-o", "machine.json", "--json", "-", "--picture", "links.png")
    assert done.returncode == 0, done.stderr
    assert time.monotonic() - start < 15
    answer = json.loads(done.stdout)
    assert answer["seconds"] < 2
    assert {c["loaded"] for c in answer["classes"]} == {False, True}
    for c in answer["classes"]:
        assert 1e7 < c["median"]["bandwidth_B_per_s"] < 1e12
        assert 0 <= c["median"]["latency_s"] < 0.1
    assert (tmp_path / "links.png").read_bytes().startswith(b"\x89PNG")
    again = probe(tmp_path, "-n", "2", "--budget", "1s", "--compare", "machine.json", "--slow-below", "0.05")
    assert again.returncode == 0, again.stdout + again.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["-n", "1", "--budget", "soon"], 2, "10s, 500ms or 2min"),
        (["-n", "1", "--compare", "absent.json"], 3, "absent.json: cannot read the file"),
        (["-n", "1", "--picture", "links.bmp"], 2, ".svg or .png"),
        (["-n", "1", "-o", "absent/machine.json"], 5, "absent/machine.json: cannot write the file"),
        (["-n", str(2 * (os.cpu_count() or 1) + 1)], 5, "--bind none"),
    ],
)
def test_bad_input_is_answered(tmp_path: Path, arguments: list[str], code: int, words: str) -> None:
    done = probe(tmp_path, *arguments)
    assert done.returncode == code, done.stderr
    assert words in done.stderr


def test_an_old_file_of_other_hosts_tells_which_are_gone(tmp_path: Path) -> None:
    assert probe(tmp_path, "-n", "1", "-o", "machine.json").returncode == 0
    machine = json.loads((tmp_path / "machine.json").read_text())
    machine["hosts"] = ["another"]
    (tmp_path / "machine.json").write_text(json.dumps(machine))
    done = probe(tmp_path, "-n", "1", "--compare", "machine.json")
    assert done.returncode == SLOW
    assert "GONE since machine.json: another" in done.stdout


@pytest.fixture
def cluster():
    if reason := why_not():
        print(f"no fake cluster: {reason}")
        pytest.skip(reason)
    if not BINARY.exists():
        pytest.skip(f"{BINARY} is not built")
    with FakeCluster(hosts=4, mbit=160, slow={2: 40}) as made:
        yield made


# Oracle: the rates to which the kernel shapes the links.
@pytest.mark.alone
def test_a_slow_uplink_is_named_and_every_pair_is_right(cluster: FakeCluster, tmp_path: Path) -> None:
    files = ["-o", "machine.json", "--json", "probe.json", "--picture", "links.svg"]
    done = cluster.mpirun(4, [BINARY, "probe", "--mode", "isolated", "--budget", "8s", *files], cwd=tmp_path)
    assert done.returncode == SLOW, done.stdout + done.stderr
    assert "SLOW host n2: " in done.stdout
    assert "share the cores" in done.stdout
    answer = json.loads((tmp_path / "probe.json").read_text())
    assert [s["host"] for s in answer["slow_hosts"]] == ["n2"]
    assert answer["slow_links"] == []
    assert answer["seconds"] < 10
    machine = json.loads((tmp_path / "machine.json").read_text())
    assert machine["hosts"] == cluster.names
    found = iter(machine["isolated"]["between"]["bandwidth_B_per_s"])
    errors = {f"{a}-{b}": next(found) / cluster.bytes_per_second(a, b) - 1 for b in range(1, 4) for a in range(b)}
    print(errors)
    assert max(abs(e) for e in errors.values()) < 0.15, errors

    # A host of normal rate in the old file is reported as slower.
    old = json.loads((tmp_path / "machine.json").read_text())
    old["isolated"]["between"]["bandwidth_B_per_s"] = [20e6] * 6
    (tmp_path / "old.json").write_text(json.dumps(old))
    again = ["--mode", "isolated", "--budget", "3s", "--compare", "old.json"]
    done = cluster.mpirun(4, [BINARY, "probe", *again], cwd=tmp_path)
    assert done.returncode == SLOW
    assert "SLOWER host n2: " in done.stdout, done.stdout


# Oracle: the rate to which the kernel shapes the link, for any pair of ranks.
@pytest.mark.alone
def test_every_core_to_every_core_of_two_hosts(cluster: FakeCluster, tmp_path: Path) -> None:
    program = [str(BINARY), "probe", "--mode", "isolated", "--budget", "4s", "--which-core", "--json", "-"]
    done = subprocess.run(
        cluster.command([2, 2, 0, 0], program), capture_output=True, text=True, cwd=tmp_path, timeout=120
    )
    found = json.loads(done.stdout)["which_core"]
    assert found["hosts"] == cluster.names[:2]
    assert (found["ranks_a"], found["ranks_b"]) == ([0, 1], [2, 3])
    rates = [rate / cluster.bytes_per_second(0, 1) for rate in found["bandwidth_B_per_s"]]
    assert len(rates) == 4 and abs(sorted(rates)[1] - 1) < 0.3, (
        rates
    )  # four ranks share the cores, so that one rank may be disturbed
    alone = subprocess.run([BINARY, "probe", "-n", "1", "--which-core"], capture_output=True, text=True)
    assert alone.returncode == 2 and "requires ranks on two hosts" in alone.stderr


# Oracle: the name of the disconnected host, after the measurement has started.
@pytest.mark.alone
def test_a_host_that_vanishes_is_named(cluster: FakeCluster, tmp_path: Path) -> None:
    command = cluster.command([1, 1, 1, 1], [str(BINARY), "probe", "--mode", "isolated", "--budget", "2s"])
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=tmp_path
    ) as running:
        guard = threading.Timer(45, running.kill)
        guard.start()
        while cluster.received(1) < 2_000_000 and running.poll() is None:
            time.sleep(0.05)
        cluster.cable(1, "down")
        printed = next((line for line in running.stderr if "no longer responds" in line), "nothing")
        cluster.cable(1, "up")  # otherwise mpirun would wait for its daemon on that host
        running.stderr.read()
        guard.cancel()
    assert "host n1 no longer responds" in printed
    assert running.returncode != 0
