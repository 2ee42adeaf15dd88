#!/usr/bin/env python3
"""The kernels on a GPU: equality with those of the host, and nanoseconds per unknown. Without a GPU a message is
printed.

./run bench device [EDGE]      a cube of EDGE voxels (default 256)
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "release"


def main() -> int:
    command = [sys.executable, str(ROOT / "tools" / "cuda_compile.py")]
    command += ["--output", str(BUILD / "cuda" / "osteon_bench_device")]
    command += [str(ROOT / "src" / "osteon" / "bench" / "device.cu"), *(sys.argv[1:] or ["256"])]
    libraries = [str(BUILD / "src" / "osteon" / name / f"libosteon_{name}.a") for name in ("kernel", "voxel", "base")]
    code = subprocess.run([*command, "--link", *libraries, "fmt"], check=False).returncode
    return 0 if code == 77 else code


if __name__ == "__main__":
    sys.exit(main())
