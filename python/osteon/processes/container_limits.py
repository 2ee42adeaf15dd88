"""Limits of the container or batch job of this process. The limits are those of the control groups of Linux, versions 1
and 2.

src/osteon/base/container_limits.cpp contains the same code for the program.
"""

import os
from contextlib import suppress
from pathlib import Path, PurePosixPath


def usable_cores() -> int:
    """Return the number of cores that this process may use. The number is the number of cores in the affinity of the
    process, but at most the quota of the container and at least 1."""
    cores = len(os.sched_getaffinity(0))
    quota = cpu_quota(_root())
    return cores if quota is None else max(1, min(cores, int(quota + 1e-9)))


def memory_bytes() -> int:
    """Return the memory of the host, or the limit of the container."""
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limit = memory_limit(_root())
    return physical if limit is None else min(physical, int(limit))


def cpu_quota(root: Path) -> float | None:
    """Return the smallest quota of CPU time in cores, over all control groups of this process.

    @param root root of the file system, or a folder of a test
    """
    found = []
    for folder in _folders(root, ""):
        fields = _fields(folder / "cpu.max")
        found.append(_ratio(*fields[:2]) if len(fields) == 2 else None)
    for folder in _folders(root, "cpu"):
        quota, period = _fields(folder / "cpu.cfs_quota_us"), _fields(folder / "cpu.cfs_period_us")
        found.append(_ratio(quota[0], period[0]) if quota and period else None)
    return min((f for f in found if f is not None), default=None)


def memory_limit(root: Path) -> float | None:
    """Return the smallest memory limit in bytes, over all control groups of this process."""
    files = [folder / "memory.max" for folder in _folders(root, "")]
    files += [folder / "memory.limit_in_bytes" for folder in _folders(root, "memory")]
    limits = [float(fields[0]) for file in files if (fields := _fields(file)) and fields[0].isdigit()]
    return min(limits, default=None)


def _root() -> Path:
    return Path(os.environ.get("OSTEON_SYSTEM_ROOT") or "/")


def _ratio(quota: str, period: str) -> float | None:
    return int(quota) / int(period) if quota.isdigit() and period.isdigit() and int(quota) and int(period) else None


def _text(path: Path) -> str:
    with suppress(OSError, ValueError):
        return path.read_text()
    return ""


def _fields(path: Path) -> list[str]:
    return _text(path).split()


def _folders(root: Path, controller: str) -> list[Path]:
    """Return the mounted control groups. Candidates are the group of this process and its ancestors.

    @param controller controller of version 1; empty: the single hierarchy of version 2
    """
    group = None
    for line in _text(root / "proc/self/cgroup").splitlines():
        parts = line.split(":", 2)
        if len(parts) == 3 and (controller in parts[1].split(",") if controller else not parts[1]):
            group = parts[2]
    if group is None:
        return []
    for line in _text(root / "proc/self/mountinfo").splitlines():
        before, _, after = line.partition(" - ")
        left, right = before.split(), after.split()
        if len(left) < 5 or not right or right[0] != ("cgroup" if controller else "cgroup2"):
            continue
        if controller and (len(right) < 3 or controller not in right[2].split(",")):
            continue
        mount = root / left[4].lstrip("/")
        return [mount, *_inside(mount, left[3], group)]
    return []


def _inside(mount: Path, mounted: str, group: str) -> list[Path]:
    """Return folders below the mount point. In a container, the mount point is the group of the container, and the path
    is not valid."""
    try:
        parts = PurePosixPath(group).relative_to(mounted).parts
    except ValueError:
        return []
    if ".." in parts or not mount.joinpath(*parts).is_dir():
        return []
    return [mount.joinpath(*parts[: n + 1]) for n in range(len(parts))]
