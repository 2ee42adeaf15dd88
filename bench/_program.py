"""Run osteon and other programs, and measure their resources."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache" / "bench"
BINARY = os.environ.get("OSTEON_BINARY", str(ROOT / "build/release/src/app/osteon"))
PAGE = os.sysconf("SC_PAGE_SIZE")
SAMPLE_SECONDS = 0.1


@dataclass
class Cost:
    """CPU seconds and wall seconds, and the largest sum of the resident bytes of all processes. Shared pages count
    twice."""

    cpu: float
    wall: float
    peak: int
    out: str


def _resident_bytes(root: int) -> int:
    """Resident memory of a process and of all its descendants."""
    children: dict[int, list[int]] = {}
    pages: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        try:
            # The name of a program may contain spaces. After the closing bracket of the name, there are only numbers.
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # the process has ended
            continue
        children.setdefault(int(fields[1]), []).append(int(entry.name))
        pages[int(entry.name)] = int(fields[21])
    total, left = 0, [root]
    while left:
        process = left.pop()
        total += pages.get(process, 0) * PAGE
        left += children.get(process, [])
    return total


def measured(command: list[str], timeout: float = 7200, **options) -> Cost:
    """Run a program to its end as a user would, with the stored byte code of Python.

    @throws subprocess.CalledProcessError if the program fails
    """
    before, start, peak = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic(), 0
    given = options.pop("env", os.environ)
    options["env"] = {name: value for name, value in given.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        process = subprocess.Popen(command, stdout=out, stderr=err, **options)
        try:
            while process.poll() is None:
                peak = max(peak, _resident_bytes(process.pid))
                if time.monotonic() - start > timeout:
                    raise subprocess.TimeoutExpired(command, timeout)
                time.sleep(SAMPLE_SECONDS)
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait()
        wall = time.monotonic() - start
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        out.seek(0)
        err.seek(0)
        if process.returncode:
            failure = subprocess.CalledProcessError(process.returncode, command, out.read(), err.read())
            failure.add_note(failure.stderr[-2000:])
            raise failure
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return Cost(cpu, wall, peak, out.read())


def osteon(job_text: str, folder: Path, ranks: int, threads: int = 1) -> tuple[Cost, Cost | None, dict]:
    """Import and run a job in folder/job.out. Return the costs of import and run, and the summary.

    With 0 ranks, the job is only imported, and the summary is the summary of `osteon import`.
    """
    job, out = folder / "job.toml", folder / "job.out"
    job.write_text(job_text)
    shutil.rmtree(out, ignore_errors=True)
    importing = measured([BINARY, "import", str(job), "-o", str(out / "model.nc"), "--json", "-"])
    if ranks == 0:
        return importing, None, json.loads(importing.out)
    running = measured([BINARY, "run", str(job), "-n", str(ranks), "-t", str(threads), "-o", str(out), "--no-report"])
    return importing, running, json.loads((out / "summary.json").read_text())
