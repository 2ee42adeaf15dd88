"""The Slurm cluster of the tests: hosts, both process management interfaces, and its end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from slurm_cluster import SlurmCluster, why_not
from whole_job import ROOT

REASON = why_not()
pytestmark = pytest.mark.skipif(bool(REASON), reason=REASON)


def test_hosts_have_own_names_and_memory(slurm: SlurmCluster) -> None:
    """Oracle: three names for three tasks; a file in /dev/shm of one host is absent on the others."""
    script = "hostname; [ $SLURM_PROCID = 0 ] && touch /dev/shm/mark; sleep 0.3; [ -e /dev/shm/mark ] && echo marked; :"
    out = slurm.good("srun", "-N3", "-n3", "sh", "-c", script)
    assert sorted(out.split()) == ["marked", "n1", "n2", "n3"]
    slurm.good("srun", "-N3", "-n3", "rm", "-f", "/dev/shm/mark")


def test_user_is_ordinary(slurm: SlurmCluster) -> None:
    assert slurm.good("srun", "-n1", "id", "-u").strip() == "1000"


def test_memory_limit_kills(slurm: SlurmCluster) -> None:
    """Oracle: the job is killed, as on a real cluster."""
    program = "x = b'1' * 300_000_000\nimport time; time.sleep(20)"
    done = slurm.run("srun", "-n1", "--mem=100", sys.executable, "-c", program)
    assert done.returncode == 137
    assert "memory limit" in done.stderr


KILLED = """
import sys, time
from slurm_cluster import SlurmCluster
with SlurmCluster(hosts=2) as cluster:
    process = cluster.popen("srun", "-N2", "-n2", "sleep", "600")
    time.sleep(1)
    print(cluster._pid, cluster.seconds_to_start, flush=True)
    if sys.argv[1] == "fail":
        raise RuntimeError
    time.sleep(600 if sys.argv[1] == "kill" else 0)
"""


def of_cluster(namespace: str) -> list[str]:
    """Processes of a process namespace."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if str((entry / "ns/pid").readlink()) == namespace:
                found.append((entry / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue
    return found


@pytest.mark.parametrize("end", ["leave", "fail", "kill"])
def test_nothing_is_left(end: str, tmp_path: Path) -> None:
    """Oracle: the processes of the namespace of the cluster, its mounts, and the folder for temporary files."""
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, end],
        env={**os.environ, "PYTHONPATH": str(ROOT / "tests/support"), "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout
    pid, seconds = process.stdout.readline().split()
    assert float(seconds) < 3
    if end == "kill":
        namespace = str(Path(f"/proc/{pid}/ns/pid").readlink())
        assert len(of_cluster(namespace)) > 5
        process.send_signal(signal.SIGKILL)
    process.communicate(timeout=30)
    deadline = time.monotonic() + 10
    while Path(f"/proc/{pid}").exists():
        assert time.monotonic() < deadline, "the cluster continues without the tests"
        time.sleep(0.02)
    if end == "kill":
        while left := of_cluster(namespace):
            assert time.monotonic() < deadline, left
            time.sleep(0.02)
    assert "slurm" not in Path("/proc/self/mountinfo").read_text()
    assert not list(tmp_path.iterdir())
