"""A voxel image as a CalculiX job (Debian's calculix-ccx): eight-node bricks C3D8, bonded plates, and its forces."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np

CORNERS = ((0, 0, 0), (0, 0, 1), (0, 1, 1), (0, 1, 0), (1, 0, 0), (1, 0, 1), (1, 1, 1), (1, 1, 0))  # z, y, x


def write(
    path: Path,
    mask: np.ndarray,
    spacing_mm: tuple[float, float, float],
    modulus: float,
    ratio: float,
    displacement_mm: float,
    steps: int,
    plastic: tuple[float, float] | None = None,
) -> None:
    """Bonded compression along z in equal increments. `plastic` is yield stress and hardening in MPa."""
    shape = np.array(mask.shape) + 1

    def number(z: int, y: int, x: int) -> int:
        return int((z * shape[1] + y) * shape[2] + x + 1)

    cells = np.argwhere(mask)
    corners = [[number(*(cell + np.array(c))) for c in CORNERS] for cell in cells]
    used = sorted({n for brick in corners for n in brick})
    lines = ["*NODE, NSET=NALL"]
    low, high = [], []
    for n in used:
        z, rest = divmod(n - 1, int(shape[1] * shape[2]))
        y, x = divmod(rest, int(shape[2]))
        lines.append(f"{n}, {x * spacing_mm[2]:.12g}, {y * spacing_mm[1]:.12g}, {z * spacing_mm[0]:.12g}")
        if z == 0:
            low.append(n)
        if z == shape[0] - 1:
            high.append(n)
    lines.append("*ELEMENT, TYPE=C3D8, ELSET=EALL")
    lines += [f"{e + 1}, " + ", ".join(map(str, brick)) for e, brick in enumerate(corners)]
    for name, nodes in (("LOW", low), ("HIGH", high)):
        lines.append(f"*NSET, NSET={name}")
        lines += [f"{n}," for n in nodes]
    lines += ["*MATERIAL, NAME=M", "*ELASTIC", f"{modulus}, {ratio}"]
    if plastic:
        lines += ["*PLASTIC", f"{plastic[0]}, 0.", f"{plastic[0] + plastic[1]}, 1."]
    lines += ["*SOLID SECTION, ELSET=EALL, MATERIAL=M", "*STEP, INC=1000", "*STATIC, DIRECT", f"{1 / steps:.12g}, 1."]
    lines += ["*CONTROLS, PARAMETERS=FIELD", "1.e-9, 1.e-3, 0., 0., 1.e-9, 1.e-5, 1.e-3, 1.e-8"]
    lines += ["*BOUNDARY", "LOW, 1, 3, 0.", "HIGH, 1, 2, 0.", f"HIGH, 3, 3, {displacement_mm:.12g}"]
    lines += ["*NODE PRINT, NSET=HIGH, TOTALS=ONLY", "RF", "*END STEP"]
    path.write_text("\n".join(lines) + "\n")


def forces(path: Path) -> list[float]:
    """Run a job. The force along z on the driven face after each increment [N], seven digits."""
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
    told = path.with_suffix(".dat").read_text()
    return [float(m.group(3)) for m in re.finditer(r"total force[^\n]*\n\s*\n\s*(\S+)\s+(\S+)\s+(\S+)", told)]
