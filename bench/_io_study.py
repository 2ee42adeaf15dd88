"""Estimate of the seconds for reading and writing on more ranks than are available. The seconds are not measured.

One process reads text, and the processes write text one after another, so that the time for text does not decrease. The
ranks divide the CPU time of netCDF. The bytes of netCDF are written to a file system of an assumed bandwidth. The
solver is not included, because its speed-up on so many ranks is not measured.
"""

from __future__ import annotations

RANKS = 512
GB_PER_S = 1.0

# the synthetic jaw with the size in [Johnson2012] (docs/reference/performance.md)
JAW_SHAPE = (884, 500, 600)
JAW_ELEMENTS, JAW_NODES = 29_267_100, 112_353_087 // 3


def jaw_files(result: dict) -> dict[str, float]:
    """Seconds by method for the jaw. The rows of bench/io.py are scaled by elements (text) and by voxels (netCDF)."""
    rows = {(row["operation"], row["way"]): row for row in result["rows"]}
    voxels = JAW_SHAPE[0] * JAW_SHAPE[1] * JAW_SHAPE[2]
    dense = voxels / (result["shape"][0] * result["shape"][1] * result["shape"][2])
    text = (
        rows["read model", "text, scanf, root scatters"]["cpu_seconds"] * JAW_ELEMENTS / result["elements"]
        + rows["write result", "text, printf, one after the other"]["cpu_seconds"] * JAW_NODES / result["nodes"]
    )
    seconds = {"serial text": text}
    for how in ("deflate", "zstd", "none"):
        write = rows.get(("write result", f"netCDF, {how}"))
        read = rows.get(("read model", f"netCDF, {how}")) or rows["read model", "netCDF, deflate"]
        if write:
            seconds[f"netCDF, {how}"] = sum(
                dense * (row["cpu_seconds"] / RANKS + row["bytes"] / (GB_PER_S * 1e9)) for row in (read, write)
            )
    return seconds


def print_study(result: dict) -> None:
    print(f"\nEstimated, not measured: files of 29 million elements on {RANKS} ranks, at {GB_PER_S:g} GB/s")
    for way, seconds in jaw_files(result).items():
        print(f"{way:<18} {seconds:7.2f} s")
