"""Limits of containers, from files of simulated systems. Oracle: the numbers written to these files."""

from __future__ import annotations

from pathlib import Path

import pytest
from osteon.processes import container_limits


def put(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


MOUNT = "30 23 0:27 {} /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw\n"
UNIFIED = {"proc/self/cgroup": "0::/\n", "proc/self/mountinfo": MOUNT.format("/")}


def test_version_2(tmp_path: Path) -> None:
    files = {"sys/fs/cgroup/cpu.max": "150000 100000\n", "sys/fs/cgroup/memory.max": "1048576\n"}
    put(tmp_path, {**UNIFIED, **files})
    assert container_limits.cpu_quota(tmp_path) == 1.5
    assert container_limits.memory_limit(tmp_path) == 1048576


def test_version_2_of_nested_groups(tmp_path: Path) -> None:
    put(
        tmp_path,
        {
            **UNIFIED,
            "proc/self/cgroup": "0::/job/step\n",
            "sys/fs/cgroup/job/cpu.max": "400000 100000\n",
            "sys/fs/cgroup/job/step/cpu.max": "max 100000\n",
            "sys/fs/cgroup/job/memory.max": "max\n",
            "sys/fs/cgroup/job/step/memory.max": "5000\n",
        },
    )
    assert container_limits.cpu_quota(tmp_path) == 4
    assert container_limits.memory_limit(tmp_path) == 5000


@pytest.mark.parametrize("mounted", ["/", "/docker/abc"])
def test_version_2_with_the_path_of_the_host(tmp_path: Path, mounted: str) -> None:
    put(
        tmp_path,
        {
            "proc/self/cgroup": "0::/docker/abc\n",
            "proc/self/mountinfo": MOUNT.format(mounted),
            "sys/fs/cgroup/cpu.max": "200000 100000\n",
        },
    )
    assert container_limits.cpu_quota(tmp_path) == 2


def test_version_1(tmp_path: Path) -> None:
    put(
        tmp_path,
        {
            "proc/self/cgroup": "12:memory:/docker/a\n4:cpu,cpuacct:/docker/a\n0::/system\n",
            "proc/self/mountinfo": "33 32 0:28 /docker/a /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n"
            "34 32 0:29 /docker/a /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
            "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "50000\n",
            "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": "4194304\n",
        },
    )
    assert container_limits.cpu_quota(tmp_path) == 0.5
    assert container_limits.memory_limit(tmp_path) == 4194304
    put(tmp_path, {"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "-1\n"})
    assert container_limits.cpu_quota(tmp_path) is None


def test_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert container_limits.cpu_quota(tmp_path) is None
    files = {"sys/fs/cgroup/cpu.max": "max 100000\n", "sys/fs/cgroup/memory.max": "max\n"}
    put(tmp_path, {**UNIFIED, **files})
    assert container_limits.cpu_quota(tmp_path) is None
    assert container_limits.memory_limit(tmp_path) is None
    put(tmp_path, {"sys/fs/cgroup/cpu.max": "10000 100000", "sys/fs/cgroup/memory.max": "12345"})
    monkeypatch.setenv("OSTEON_SYSTEM_ROOT", str(tmp_path))
    assert container_limits.usable_cores() == 1
    assert container_limits.memory_bytes() == 12345
