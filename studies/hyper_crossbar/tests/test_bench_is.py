"""Tests of the benchmarks of the integer sort and of exchanges. The tests check the runs, the verification and the
rejected requests."""

from __future__ import annotations

import json
import subprocess

import pytest
from whole_job import BINARY


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([BINARY, "bench", *words], capture_output=True, text=True, timeout=120, check=False)


# Oracle: counted by hand. Class S has 2^16 keys. Each of two ranks keeps about half of its keys.
@pytest.mark.parametrize(("digits", "exchanges"), [((), 0), (("--digits", "6,5"), 1)])
def test_class_s_on_two_ranks_verifies(digits: tuple[str, ...], exchanges: int) -> None:
    done = run("is", "--class", "S", "-n", "2", *digits, "--json", "-")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert (result["class"], result["ranks"], result["test_keys_found"], result["verified"]) == ("S", 2, 50, True)
    assert result["exec_s"] + result["trans_s"] <= result["total_s"]
    assert len(result["exchanges"]) == exchanges
    for exchange in result["exchanges"]:
        assert (exchange["rounds"], exchange["messages"]) == (1, 2)
        assert exchange["largest_bytes"] == pytest.approx(12 * 2**16 / 4, rel=0.05)
        assert exchange["skew"] == pytest.approx(1, rel=0.05)


def test_a_line_for_people() -> None:
    done = run("is", "--class", "S")
    assert done.returncode == 0, done.stderr
    assert "50 of 50 test keys, all keys sorted" in done.stdout


def in_little_shared_memory(*words: str) -> subprocess.CompletedProcess[str]:
    """Run a command with 16 kB in /dev/shm. Tables of class S would require 28 kB. Boxes of parcels would require 130
    kB."""
    mounted = 'mount -t tmpfs -o size=16k none /dev/shm && exec "$@"'
    isolated = ["unshare", "--map-root-user", "--mount", "sh", "-c"]
    if subprocess.run([*isolated, mounted, "sh", "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("this user cannot mount file systems here")
    return subprocess.run(
        [*isolated, mounted, "sh", BINARY, "bench", *words], capture_output=True, text=True, timeout=120, check=False
    )


# Oracle: the available memory, which the test limits. Explicit requests for shared memory are rejected. All other
# requests use messages.
def test_messages_are_sent_where_shared_memory_is_too_small() -> None:
    done = in_little_shared_memory("is", "--class", "S", "--digits", "6,5")
    assert done.returncode == 0, done.stderr
    for words in ("tables in messages", "keys exchanged (shift:1)", "all keys sorted"):
        assert words in done.stdout
    refused = in_little_shared_memory("is", "--class", "S", "--tables", "shared")
    assert refused.returncode == 5
    assert "/dev/shm has 0 MB" in refused.stderr


# Oracle: the rules for the input.
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("is", "--class", "Q"), "use S, W, A, B, C or D"),
        (("is", "--class", "S", "--digits", "6,6"), "keys of class S have 11"),
        (("is", "--class", "S", "--digits", "6,5", "--schedule", "rings"), "ring"),
        (("exchange", "--bytes", "64", "--skew", "3", "--seconds", "0"), "must be in [1, 2]"),
        (("exchange", "--bytes", "64", "--schedule", "broadcast", "--seconds", "0"), "is not an all-to-all exchange"),
    ],
)
def test_what_cannot_be_is_refused(words: tuple[str, ...], message: str) -> None:
    done = run(*words)
    assert done.returncode == 2
    assert message in done.stderr


# Oracle: the ratio of equal quantities. The reference is the function of MPI itself.
def test_exchanges_are_compared_with_mpi() -> None:
    done = run("exchange", "-n", "2", "--bytes", "0,100", "--skew", "1,2", "--seconds", "0", "--json", "-")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    assert len(rows) == 2 * 2 * 3
    for row in rows:
        assert row["value"] > 0
        if row["name"].endswith("MPI_Alltoallv"):
            assert row["ratio"] == 1
