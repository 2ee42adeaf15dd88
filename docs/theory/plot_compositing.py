#!/usr/bin/env python3
"""Draw compositing.svg of compositing.md from the JSON output of `osteon net`.

./run setup && .venv/bin/python docs/theory/plot_compositing.py build/release/src/app/osteon
"""

import json
import subprocess
import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("svg")
import matplotlib.pyplot as plt

MACHINES = {"bgl": "IBM Blue Gene/L", "ha8000": "Hitachi HA8000 (T2K Tokyo)"}
GROUPS = {512: "#0072b2", 1024: "#d55e00"}
RANKS = [2**k for k in range(1, 13)]


def ask(binary: str, *arguments: str) -> dict:
    done = subprocess.run([binary, "net", *arguments, "--json", "-"], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def main(binary: str) -> None:
    # Text remains text in the SVG, and every run writes an identical file.
    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "osteon", "font.size": 9, "axes.grid": True})
    paper = {machine["name"]: machine["frames"] for machine in ask(binary, "paper", "compositing")["machines"]}
    figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    for axis, (key, name) in zip(axes, MACHINES.items(), strict=True):

        def curve(method: str, model: str, ranks: list[int], key: str = key) -> list[float]:
            answers = [ask(binary, "cost", "--machine", key, "--method", method, "-n", str(n)) for n in ranks]
            return [answer["equations"][model]["frames_per_second"] for answer in answers]

        axis.plot(RANKS, curve("binary-swap", "printed", RANKS), ":", color="#888888", label="binary swap, printed")
        axis.plot(RANKS, curve("binary-swap", "extended", RANKS), "-", color="black", label="binary swap, extended")
        axis.plot(
            RANKS,
            curve("binary-swap", "extended_leaders_collect", RANKS),
            "--",
            color="#009e73",
            label="the same, collected by leaders",
        )
        for group, colour in GROUPS.items():
            ranks = [n for n in RANKS if n >= group]
            axis.plot(
                ranks,
                curve(f"multi-step:{group}", "extended", ranks),
                "-",
                color=colour,
                label=f"groups of {group}, extended",
            )
        for frame in paper[name]:
            colour = "black" if frame["group"] == frame["ranks"] else GROUPS[frame["group"]]
            axis.plot(frame["ranks"], frame["measured"], "o", color=colour, markersize=6)
        axis.plot([], [], "o", color="white", markeredgecolor="black", label="measured (same colours)")
        axis.set_xscale("log", base=2)
        axis.set_xticks(RANKS[::2], [str(n) for n in RANKS[::2]])
        axis.set_yscale("log")
        axis.set_ylim(5, 400)
        axis.set_yticks([5, 10, 20, 50, 100, 200, 400], ["5", "10", "20", "50", "100", "200", "400"])
        axis.minorticks_off()
        axis.set_xlabel("ranks")
        axis.set_title(name, fontsize=10)
    axes[0].set_ylabel("frames per second, 512 x 512 RGBA8")
    axes[0].legend(fontsize=7, loc="lower left")
    here = Path(__file__).resolve().parent
    figure.savefig(here / "compositing.svg", metadata={"Date": None})


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
