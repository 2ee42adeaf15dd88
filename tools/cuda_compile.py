#!/usr/bin/env python3
"""Compile a CUDA program for sm_90 and run it if there is a GPU.

    tools/cuda_compile.py SOURCE.cu [ARGUMENT ...] --output PROGRAM --link LIBRARY ...

The tool uses the nvcc in PATH. Otherwise, the tool uses the nvcc of the packages in tools/requirements-cuda.txt, which
are installed in .venv-cuda once. The exit code is the exit code of the program. The exit code is 1 if the program does
not compile. The exit code is 0, with a message, if the program compiles but there is no GPU. The exit code is 77, with
a message, if there is no nvcc.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv-cuda"
REQUIREMENTS = ROOT / "tools" / "requirements-cuda.txt"
SKIP = 77


def nvcc_command() -> list[str] | None:
    """Return nvcc with the options for its libraries, or None."""
    if found := shutil.which("nvcc"):
        return [found]
    stamp = VENV / "complete"
    if not stamp.exists() or stamp.read_text() != REQUIREMENTS.read_text():
        python = VENV / "bin" / "python"
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]
        for command in (
            [sys.executable, "-m", "venv", "--clear", VENV],
            [*pip, "--only-binary", ":all:", "-r", REQUIREMENTS],
        ):
            if subprocess.run(command, check=False, stdout=sys.stderr).returncode != 0:
                return None
        stamp.write_text(REQUIREMENTS.read_text())
    home = next(VENV.glob("lib/python*/site-packages/nvidia/cu*/bin/nvcc")).parent.parent
    return [str(home / "bin" / "nvcc"), f"-L{home / 'lib'}"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--link", nargs="*", default=[], help="libraries of the host, files or names")
    parser.add_argument("source", type=Path)
    parser.add_argument("arguments", nargs="*", help="arguments of the program")
    options = parser.parse_args()
    nvcc = nvcc_command()
    if nvcc is None:
        print("cuda: no nvcc in PATH, and its packages cannot be installed; the GPU kernels are not compiled")
        return SKIP
    options.output.parent.mkdir(parents=True, exist_ok=True)
    flags = [
        "-std=c++20",
        "-O3",
        "-arch=sm_90",
        "-Xcompiler=-fopenmp,-Wall,-Wextra",
        f"-I{ROOT / 'src'}",
        f"-I{ROOT / 'common/src'}",
    ]
    libraries = [f"-Xlinker={one}" if "/" in one else f"-l{one}" for one in options.link]
    command = [*nvcc, *flags, "-o", options.output, options.source, *libraries]
    if subprocess.run(command, check=False).returncode != 0:
        return 1
    code = subprocess.run([options.output, *options.arguments], check=False).returncode
    if code == SKIP:
        print(f"cuda: {options.source.name} compiles for sm_90; it was not run")
    return 0 if code == SKIP else code


if __name__ == "__main__":
    sys.exit(main())
