#!/usr/bin/env python3
"""The integer sort of the NAS benchmarks: osteon and NPB's own is.c, both digit splits, and speed-up.

    ./run bench is [--classes A B] [--ranks 1 2 4] [--turns 5] [--npb FOLDER] [--json FILE]

Runs alternate, so that both have the same conditions; the medians are compared. FOLDER contains NPB's programs
is.A.x ..., built by its own make with the MPI of osteon: `make IS CLASS=A` in NPB3.4-MPI, -O3 -march=native in
config/make.def. Without it only osteon is measured.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

from _program import BINARY, ROOT

PAPER_SPLIT = {"S": "6,5", "W": "8,8", "A": "10,9", "B": "11,10", "C": "12,11"}
# Both programs have these settings: waiting ranks yield their core, and mpirun may run as root in a container.
ENVIRONMENT = os.environ | {
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
}


def started(ranks: int, command: list[str]) -> str:
    """Return the output of an MPI program."""
    launcher = ["mpirun", "-q", "--oversubscribe", "--bind-to", "none", "-np", str(ranks)]
    return subprocess.run(
        launcher + command, stdout=subprocess.PIPE, text=True, check=True, timeout=600, env=ENVIRONMENT
    ).stdout


def osteon_run(letter: str, ranks: int, digits: str | None) -> dict:
    """Return the document of `osteon bench is`."""
    split = ["--digits", digits] if digits else []
    return json.loads(started(ranks, [BINARY, "bench", "is", "--class", letter, "--json", "-", *split]))


def npb_seconds(folder: Path, letter: str, ranks: int) -> float:
    """Return the time printed by is.c. @throws RuntimeError if is.c does not verify its result"""
    text = started(ranks, [str(folder / f"is.{letter}.x")])
    if "SUCCESSFUL" not in text:
        raise RuntimeError(f"NPB's is.{letter}.x on {ranks} ranks does not verify:\n{text}")
    return float(re.search(r"Time in seconds\s*=\s*([\d.]+)", text)[1])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--classes", nargs="+", default=["A", "B"], choices=list("SWABC"), help="default: A B")
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 4], help="numbers of ranks (default: 1 2 4)")
    parser.add_argument("--turns", type=int, default=5, help="runs of each (default: 5)")
    parser.add_argument("--npb", type=Path, default=ROOT / ".cache/npb/bin", help="folder of NPB's programs")
    parser.add_argument(
        "--no-radix", action="store_true", help="omit the split of keys into two digits by Itakura et al."
    )
    parser.add_argument("--json", help="write the rows to this file")
    options = parser.parse_args()
    rows = []
    print("class ranks  way        total s    exec s   trans s  Mkeys/s  speed-up    skew  NPB s   times as fast")
    for letter in options.classes:
        npb = (options.npb / f"is.{letter}.x").exists()
        if not npb:
            print(f"no {options.npb}/is.{letter}.x: NPB is left out", file=sys.stderr)
        ways = {"one digit": None} | ({} if options.no_radix else {PAPER_SPLIT[letter]: PAPER_SPLIT[letter]})
        alone: dict[str, float] = {}
        for ranks in options.ranks:
            runs: dict[str, list[dict]] = {way: [] for way in ways}
            peer = []
            for _ in range(options.turns):
                for way, digits in ways.items():
                    runs[way].append(osteon_run(letter, ranks, digits))
                if npb:
                    peer.append(npb_seconds(options.npb, letter, ranks))
            for way, results in runs.items():
                result = sorted(results, key=lambda r: r["total_s"])[len(results) // 2]
                alone.setdefault(way, result["total_s"] * ranks if ranks == options.ranks[0] else result["total_s"])
                times = statistics.median(peer) / result["total_s"] if peer else None
                skew = max((e["skew"] for e in result["exchanges"]), default=None)
                print(
                    f"{letter:5} {ranks:5}  {way:10} {result['total_s']:8.4f}  {result['exec_s']:8.4f}  "
                    f"{result['trans_s']:8.4f} {result['Mkeys_per_s']:8.0f}  {alone[way] / result['total_s']:8.2f}"
                    + (f"  {skew:6.3f}" if skew else "       -")
                    + (f"  {statistics.median(peer):6.3f}  {times:6.2f}" if peer else "")
                )
                rows.append(
                    {"name": f"IS {letter}, {ranks} ranks, {way}", "value": result["total_s"], "unit": "s"}
                    | {"peer": statistics.median(peer) if peer else None, "ratio": times, "must": 1.5, "aim": 3.0}
                    | {"all": [r["total_s"] for r in results], "all_peer": peer}
                )
    if options.json:
        Path(options.json).write_text(json.dumps({"schema": "osteon.bench/1", "rows": rows}, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
