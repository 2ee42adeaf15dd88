#!/usr/bin/env python3
"""CPU seconds of the complete command `osteon run`: solution, picture and report, of a small job and the demo's bone.

    ./run bench whole [--json FILE] [--repeat N] [--small-only]

One rank and one thread; child processes are included. The small job is a sponge of 20^3 voxels. A second call of
`osteon.stiffness` on 14^3 voxels in a running interpreter is measured as well. Medians of N runs.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from _program import BINARY
from calls import sponge

import osteon

ROOT = Path(__file__).resolve().parents[1]
JOB = """name = "small"
[image]
path = "small.npy"
spacing_mm = 0.05
[segment]
threshold = 0.0
[[material]]
youngs_modulus_MPa = 1000
poisson_ratio = 0.3
[load]
test = "axial_bonded"
axis = "z"
strain = -0.01
"""
PLAIN = ("--no-report", "--set", "picture.enabled=false")


def children_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(job: Path, folder: Path, *options: str) -> float:
    """Return the CPU seconds of the command and of all its child processes."""
    before = children_cpu_s()
    subprocess.run(
        [BINARY, "run", job, "-n", "1", "-t", "1", "--quiet", "--force", "-o", folder / "out", *options],
        check=True,
        cwd=job.parent,
    )
    return children_cpu_s() - before


def picture_and_report(job: Path, folder: Path) -> float:
    """Return the CPU seconds of the stage that draws the picture, and of the command that writes the report.

    The difference of two whole runs would contain the variation between two solutions.
    """
    run(job, folder, "--no-report")
    stages = json.loads((folder / "out" / "summary.json").read_text())["stages"]
    before = children_cpu_s()
    subprocess.run([BINARY, "report", folder / "out"], check=True, stdout=subprocess.DEVNULL)
    return children_cpu_s() - before + sum(s["cpu_seconds"] for s in stages if s["name"] == "drawing the picture")


def second_call(image: np.ndarray) -> float:
    def call() -> float:
        before = time.process_time()
        osteon.stiffness(image, 0.05, threshold=0.0, youngs_modulus_MPa=1000.0, poisson_ratio=0.3, run={"threads": 1})
        return time.process_time() - before

    call()
    return call()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--small-only", action="store_true")
    options = parser.parse_args()
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        np.save(folder / "small.npy", sponge(20).astype("f4"))
        (folder / "small.toml").write_text(JOB)
        jobs = {"small": folder / "small.toml"}
        if not options.small_only:
            jobs["demo"] = ROOT / "examples" / "bone.toml"
        for title, job in jobs.items():
            both = [(run(job, folder), run(job, folder, *PLAIN)) for _ in range(options.repeat)]
            found[f"{title}, whole"] = statistics.median(whole for whole, _ in both)
            found[f"{title}, without picture and report"] = statistics.median(plain for _, plain in both)
            found[f"{title}, picture and report"] = statistics.median(
                picture_and_report(job, folder) for _ in range(options.repeat)
            )
    found["second call of osteon.stiffness, 14^3"] = statistics.median(
        second_call(sponge(14)) for _ in range(options.repeat)
    )
    for title, seconds in found.items():
        print(f"{title}: {seconds:.3f} CPU s")
    if options.json:
        options.json.write_text(json.dumps({"cpu_s": found}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
