"""CalculiX (package calculix-ccx of Debian), run on a file that osteon wrote."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path


def forces(path: Path, driven: str = "N_Z_HIGH") -> list[float]:
    """Run the unchanged file. @return the force along z on the driven set after each increment [N], with seven
    digits"""
    done = subprocess.run(
        ["ccx", path.stem],
        cwd=path.parent,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={"PATH": "/usr/bin:/bin", "OMP_NUM_THREADS": "1"},
    )
    assert "Job finished" in done.stdout, done.stdout[-2000:]
    reported = path.with_suffix(".dat").read_text()
    found = re.finditer(rf"total force[^\n]*for set {driven} [^\n]*\n\s*\n\s*(\S+)\s+(\S+)\s+(\S+)", reported)
    return [float(m.group(3)) for m in found]
