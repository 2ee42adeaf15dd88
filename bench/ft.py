#!/usr/bin/env python3
"""FT of the NAS benchmarks and its transform: osteon, NPB's own program and FFTW-MPI, interleaved.

    ./run bench ft [--class A] [--ranks N [N ...]] [--rounds N] [--npb FOLDER] [--fftw measure] [--json FILE]

Peers are built outside of osteon; missing ones are skipped with a message: NPB 3.4's `ft.CLASS.x`
in --npb (or $OSTEON_NPB), built with the MPI that osteon uses; FFTW-MPI (Debian: libfftw3-mpi-dev) by bench/fftw_mpi.c.
All run in turn, round after round, and the best of each counts. Every run of osteon and NPB is verified.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from _program import BINARY, CACHE, ROOT

SHAPES = {"S": (64, 64, 64), "W": (32, 128, 128), "A": (128, 256, 256), "B": (256, 256, 512), "C": (512, 512, 512)}
QUIET = os.environ | {"OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive", "OMPI_MCA_mpi_yield_when_idle": "1"}


def run(command: list[str]) -> str:
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=600, env=QUIET).stdout


def on_ranks(ranks: int, *command: str) -> str:
    launcher = [os.environ.get("OSTEON_MPIRUN", "mpirun"), "-q", "--oversubscribe", "--bind-to", "none"]
    allowed = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    return run([*launcher, *allowed, "-np", str(ranks), *command])


def osteon(letter: str, ranks: int, method: str) -> dict[str, float]:
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        command = [BINARY, "bench", "ft", "--class", letter, "-n", str(ranks), "--method", method]
        run([*command, "--transforms", "5", "--json", file.name])
        row = json.loads(Path(file.name).read_text())["rows"][0]
    return {
        f"osteon {method}": row["seconds"],
        f"osteon {method}, exec": row["exec_s"],
        f"osteon {method}, CPU": row["cpu_s"],
        f"transform, osteon {method}": row["transform_s"],
    }


def npb(program: Path, ranks: int) -> dict[str, float]:
    text = on_ranks(ranks, str(program))
    if "SUCCESSFUL" not in text:
        raise SystemExit(f"{program} on {ranks} ranks does not verify:\n{text}")
    return {"NPB": float(re.search(r"Time in seconds\s*=\s*([\d.]+)", text)[1])}


def fftw_program() -> Path | None:
    """Compile the program at its first use."""
    program = CACHE / "fftw_mpi"
    if program.exists():
        return program
    CACHE.mkdir(parents=True, exist_ok=True)
    source = str(ROOT / "bench" / "fftw_mpi.c")
    compiler = shutil.which("mpicc.openmpi") or shutil.which("mpicc")
    libraries = ["-lfftw3_mpi", "-lfftw3", "-lm"]
    command = [compiler or "mpicc", "-O2", source, *libraries, "-o", str(program)]
    if compiler and subprocess.run(command, check=False, capture_output=True).returncode == 0:
        return program
    print("without FFTW-MPI: install libfftw3-mpi-dev to compare with it")
    return None


def fftw(program: Path, letter: str, ranks: int, plan: str, order: str) -> dict[str, float]:
    wisdom = CACHE / f"fftw_{letter}_{ranks}_{plan}_{order}"
    text = on_ranks(ranks, str(program), *map(str, SHAPES[letter]), plan, order, "6", str(wisdom))
    return {f"transform, FFTW {plan} {order}": json.loads(text)["seconds"]}


def rows_of(letter: str, ranks: int, best: dict[str, float]) -> list[dict]:
    """Return each time, together with the time of NPB or of the plans of FFTW."""
    rows = []
    for name, seconds in best.items():
        peers = [peer for peer in best if ("FFTW" in peer if name.startswith("transform, osteon") else peer == "NPB")]
        if name.endswith(("exec", "CPU")) or "osteon" not in name:
            peers = []
        rows.append({"name": f"FT {letter}, {ranks} ranks: {name}", "value": seconds, "unit": "s"})
        print(f"  {name:<38} {seconds:8.4f} s" + "".join(f"   {best[p] / seconds:5.2f} x {p}" for p in peers))
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--class", dest="letter", choices=SHAPES, default="A", help="problem (default: A)")
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 4], help="numbers of ranks (default: 1 2 4)")
    parser.add_argument("--methods", nargs="+", default=["auto"], help="of osteon bench ft (default: auto)")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each (default: 3)")
    parser.add_argument("--npb", default=os.environ.get("OSTEON_NPB"), help="folder with NPB's ft.CLASS.x")
    parser.add_argument(
        "--fftw", nargs="*", default=["estimate"], choices=["estimate", "measure"], help="kinds of plans"
    )
    parser.add_argument("--json", help="write the rows to this file")
    options = parser.parse_args()

    program = Path(options.npb) / f"ft.{options.letter}.x" if options.npb else None
    if program is None or not program.exists():
        print("without NPB: set the folder of its programs by --npb or OSTEON_NPB to compare with it")
        program = None
    transform = fftw_program() if options.fftw else None
    rows = []
    for ranks in options.ranks:
        best: dict[str, float] = {}
        for _ in range(options.rounds):
            times = {}
            for method in options.methods:
                times |= osteon(options.letter, ranks, method)
            if program:
                times |= npb(program, ranks)
            for plan in options.fftw if transform else []:
                for order in ["in-order"] if ranks == 1 else ["in-order", "transposed"]:
                    times |= fftw(transform, options.letter, ranks, plan, order)
            best = {name: min(seconds, best.get(name, seconds)) for name, seconds in times.items()}
        print(f"FT class {options.letter} on {ranks} ranks, best of {options.rounds}")
        rows += rows_of(options.letter, ranks, best)
    if options.json:
        Path(options.json).write_text(json.dumps({"schema": "osteon.bench/1", "rows": rows}, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
