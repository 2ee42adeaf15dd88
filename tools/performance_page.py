#!/usr/bin/env python3
"""Write docs/reference/performance.md from bench/results/*.json. The page contains the measurements.

    python3 tools/performance_page.py > docs/reference/performance.md

Each file is one subject with the members `title`, `text` and `measurements`. Each measurement has the members
`command`, `machine`, `date`, `revision` (the commit that recorded the figures), `conditions`, `columns`, `rows` and
`note`. A new measurement replaces the old rows. The history is in git. A test compares the page with the files.
"""

import json
import sys
from pathlib import Path

RESULTS = Path(__file__).resolve().parents[1] / "bench" / "results"
SUBJECTS = {
    "Jobs": ["main_job", "whole_command", "python_calls", "sponges", "mandible", "heat", "flow", "shape", "newcomer"],
    "Comparison with other programs": ["parosol", "compositing", "ray_caster", "fourier", "integer_sort", "exchanges"],
    "Accuracy": ["uncertainty", "thin_struts", "estimate"],
    "Images, files and pictures": [
        "import",
        "files",
        "digests",
        "exports",
        "files_512",
        "blending",
        "pictures",
        "studio",
    ],
    "Cores, ranks and GPU": ["modes", "decomposition", "neighbour_exchange", "brick_kernel", "jacobi", "gpu"],
    "Clusters and networks": ["weak_scaling", "placement", "links", "networks", "bridge", "wire"],
}
KEYS = ["Ito", "Itakura", "Johnson2012", "Ono", "Wang2004"]
HEAD = """# Performance

This page shows the current measurements in one section per subject. The line above a table states the command, the
machine, the date, and the revision that recorded the figures. `tools/performance_page.py` generates this page from
`bench/results/*.json`. Most tables show CPU seconds, because wall times on shared machines are not reproducible. The
pages [solvers](../developers/tried_solvers.md), [files](../developers/tried_files.md),
[pictures](../developers/tried_pictures.md) and [messages](../developers/tried_messages.md) describe and analyse
experiments without success. [Estimate](estimate.md#accuracy) lists the errors of predicted times and memory.

- **Target**: the required value, with a further goal in brackets. Values in bold do not reach their target.
- **Memory**: resident memory of all processes of a job, summed during the run, unless the table names the process.
- **Per further unknown** (or cell): difference of the memory for two problem sizes, divided by the difference of their
  numbers of unknowns. This quotient excludes the fixed part of the memory.
- `./run bench --help` lists the measurements. `./run bench` runs all measurements, including the full-size jaw. All
  measurements print JSON.
"""
TAIL = """
## Not yet measured
The following cases were not measured: jobs on more than 16 ranks, jobs on several hosts (except fake clusters), a
parallel file system, and the solver on a GPU. On a GPU, only [kernels](#kernels-on-a-gpu) were measured.
"""


def line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def table(columns: list[str], rows: list[list[str]]) -> str:
    return "\n".join([line(columns), "|---" * len(columns) + "|", *(line(row) for row in rows)])


def measurement(entry: dict) -> str:
    machine = entry["machine"] if " " in entry["machine"] else f"machine {entry['machine']}"
    source = f"Command: `{entry['command']}`; {machine}, {entry['date']}, revision {entry['revision']}"
    if "conditions" in entry:
        source += f". Conditions: {entry['conditions']}"
    parts = [f"{source}.", table(entry["columns"], entry["rows"])]
    if "note" in entry:
        parts.append(entry["note"])
    return "\n\n".join(parts)


def page() -> str:
    def read(name: str) -> dict | list:
        return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))

    known = {path.stem for path in RESULTS.glob("*.json")} - {"machines", "commands"}
    listed = [name for names in SUBJECTS.values() for name in names]
    if known != set(listed):
        sys.exit(f"performance_page: SUBJECTS and bench/results differ: {sorted(known ^ set(listed))}")
    parts = [HEAD, table(["Machine", "Hardware and software"], [[f"**{k}**", v] for k, v in read("machines").items()])]
    overview = []
    for group, names in SUBJECTS.items():
        titles = [read(name)["title"] for name in names]
        overview.append([group, ", ".join(f"[{title}](#{anchor(title)})" for title in titles)])
    parts += ["", table(["Subject", "Tables"], overview)]
    parts += ["\n## Commands\n", table(["Command", "Measurement"], read("commands"))]
    for name in listed:
        subject = read(name)
        parts.append(f"\n## {subject['title']}\n{subject['text']}\n")
        parts.append("\n\n".join(map(measurement, subject["measurements"])))
    parts.append(TAIL)
    return "\n".join(parts) + "\n".join(f"[{key}]: references.md" for key in KEYS) + "\n"


def anchor(title: str) -> str:
    """The target of a link to a heading, as GitHub and MyST form it."""
    kept = "".join(c for c in title.lower() if c.isalnum() or c in "_- ")
    return kept.replace(" ", "-")


if __name__ == "__main__":
    sys.stdout.write(page())
