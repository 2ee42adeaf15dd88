"""What the share of reading and writing in a run would be on more ranks than are here: worked out, not measured.

The solver scales as PARA-BMU's did (180 times on 512 processes). Text is read by one process and written by one after
the other, so its time does not shrink. netCDF shares its CPU time among the ranks; its bytes go through a file system
of a bandwidth that is assumed.
"""

from __future__ import annotations

from dataclasses import dataclass

RANKS = 512
SOLVER_SPEEDUP = 180.0  # of PARA-BMU at 512 processes
GB_PER_S = 1.0

# The synthetic jaw of [Johnson2012]'s size, and what it takes on 2 ranks: docs/performance.md.
JAW_SHAPE = (884, 500, 600)
JAW_ELEMENTS, JAW_NODES = 29_267_100, 112_353_087 // 3
JAW_SOLVER_CORE_SECONDS = 452.0

# [Johnson2012]: 148 s of serial I/O, 7.4 s of parallel, both at 128 processes; speed-up 22 at 512 with the first.
PAPER_SERIAL, PAPER_PARALLEL, PAPER_SPEEDUP = 148.0, 7.4, 22.0


@dataclass
class Run:
    """Seconds at RANKS ranks, and those of one process with text."""

    name: str
    solving: float
    io: float
    alone: float

    @property
    def share(self) -> float:
        return self.io / (self.io + self.solving)

    @property
    def speedup(self) -> float:
        return self.alone / (self.io + self.solving)


def paper_runs() -> list[Run]:
    """From the two speed-ups and the 148 s: t1 / 22 = 148 + (t1 - 148) / 180."""
    alone = PAPER_SERIAL * (1 - 1 / SOLVER_SPEEDUP) / (1 / PAPER_SPEEDUP - 1 / SOLVER_SPEEDUP)
    solving = (alone - PAPER_SERIAL) / SOLVER_SPEEDUP
    return [
        Run("PARA-BMU, serial text", solving, PAPER_SERIAL, alone),
        Run("PARA-BMU, parallel netCDF", solving, PAPER_PARALLEL, alone),
    ]


def jaw_runs(result: dict) -> list[Run]:
    """From the rows of bench/io.py: its model is scaled to the jaw by elements (text) and by voxels (netCDF)."""
    rows = {(row["operation"], row["way"]): row for row in result["rows"]}
    voxels = JAW_SHAPE[0] * JAW_SHAPE[1] * JAW_SHAPE[2]
    dense = voxels / (result["shape"][0] * result["shape"][1] * result["shape"][2])
    text = (
        rows["read model", "text, scanf, root scatters"]["cpu_seconds"] * JAW_ELEMENTS / result["elements"]
        + rows["write result", "text, printf, one after the other"]["cpu_seconds"] * JAW_NODES / result["nodes"]
    )
    alone = JAW_SOLVER_CORE_SECONDS + text
    solving = JAW_SOLVER_CORE_SECONDS / SOLVER_SPEEDUP
    runs = [Run("osteon, serial text", solving, text, alone)]
    for how in ("deflate", "zstd", "none"):
        write = rows.get(("write result", f"netCDF, {how}"))
        read = rows.get(("read model", f"netCDF, {how}")) or rows["read model", "netCDF, deflate"]
        if not write:
            continue
        seconds = sum(dense * (row["cpu_seconds"] / RANKS + row["bytes"] / (GB_PER_S * 1e9)) for row in (read, write))
        runs.append(Run(f"osteon, netCDF, {how}", solving, seconds, alone))
    return runs


def print_study(result: dict) -> None:
    print(f"\nWorked out, not measured: 29 million elements on {RANKS} ranks, files at {GB_PER_S:g} GB/s")
    for run in [*paper_runs(), *jaw_runs(result)]:
        print(
            f"{run.name:<28} solving {run.solving:7.2f} s  files {run.io:7.2f} s = {100 * run.share:3.0f} % of the run,"
            f" {run.speedup:5.0f} times one process"
        )
