#!/usr/bin/env python3
"""The ray caster: samples per second, and VTK's on the same scene with the same step, both on one thread.

    ./run bench render [--json FILE] [--edge N] [--frames N]

VTK is the VTK of the PyPI wheel (vtkFixedPointVolumeRayCastMapper). Without VTK, only osteon is measured. The program
also prints the similarity of the two pictures (mean structural similarity, Wang et al. 2004).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
from _program import BINARY, ROOT

PEER = ROOT / ".venv-peers" / "bin" / "python"


def similarity(a: np.ndarray, b: np.ndarray, window: int = 8) -> float:
    """Mean structural similarity of two grey pictures with values from 0 to 255, over square windows. @cite
    [Wang2004]"""

    def mean(x: np.ndarray) -> np.ndarray:
        s = np.pad(np.cumsum(np.cumsum(x, 0), 1), ((1, 0), (1, 0)))
        return (s[window:, window:] - s[:-window, window:] - s[window:, :-window] + s[:-window, :-window]) / window**2

    a, b = a.astype(float), b.astype(float)
    ma, mb = mean(a), mean(b)
    va, vb, cov = mean(a * a) - ma * ma, mean(b * b) - mb * mb, mean(a * b) - ma * mb
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    return float(np.mean((2 * ma * mb + c1) * (2 * cov + c2) / ((ma**2 + mb**2 + c1) * (va + vb + c2))))


def vtk_frame(
    folder: Path, pixels: int, step: float, opacity: float, shaded: bool, frames: int
) -> tuple[float, np.ndarray]:
    """CPU seconds of the VTK frame of the scene in `folder`, and the picture (RGB bytes)."""
    out = folder / "vtk.npy"
    arguments = [folder / "volume.npy", pixels, step, 1.2, opacity, int(shaded), frames, out]
    done = subprocess.run(
        [str(PEER), str(Path(__file__).with_name("_vtk_frame.py")), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    return float(done.stdout.split()[-1]), np.load(out)


def has_vtk() -> bool:
    """Return True if VTK can draw. Without a display, VTK requires OSMesa or EGL, and crashes if neither is
    available."""
    draws = "import vtk; w = vtk.vtkRenderWindow(); w.SetOffScreenRendering(1); w.SetSize(8, 8); w.Render()"
    return PEER.exists() and subprocess.run([str(PEER), "-c", draws], capture_output=True, check=False).returncode == 0


def measure(folder: Path, edge: int, pixels: int, frames: int, peer: bool, step: float = 1) -> dict:
    """Return the document of `osteon bench render`. Each row also contains the milliseconds of VTK and the similarity
    of the pictures."""
    done = subprocess.run(
        [BINARY, "bench", "render", "--edge", str(edge), "--pixels", str(pixels), "--frames", str(frames),
         "--step", str(step), "--pictures", str(folder), "--json", "-"],
        stdout=subprocess.PIPE,
        check=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    result = json.loads(done.stdout)
    for row in result["rows"] if peer else []:
        opaque, shaded = row["name"].startswith("opaque"), row["name"].endswith("lit")
        seconds, theirs = vtk_frame(folder, pixels, result["step_voxels"], 0.2 if opaque else 0.004, shaded, frames)
        row["vtk_cpu_milliseconds_per_frame"] = 1e3 * seconds
        row["times_vtk"] = 1e3 * seconds / row["cpu_milliseconds_per_frame"]
        if not shaded:  # the two programs have different lights
            ours = np.load(folder / f"{'opaque' if opaque else 'translucent'}.npy")[..., :3]
            row["similarity"] = similarity(np.clip(255 * ours, 0, 255).mean(-1), theirs.mean(-1))
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", help="write the rows to this file")
    parser.add_argument("--edge", type=int, default=256, help="voxels along the cube (default 256)")
    parser.add_argument("--frames", type=int, default=3, help="frames of each scene; the fastest counts (default 3)")
    options = parser.parse_args()
    peer = has_vtk()
    if not peer:
        print("VTK is not installed (./run test installs it into .venv-peers if possible)", file=sys.stderr)
    with tempfile.TemporaryDirectory() as name:
        result = measure(Path(name), options.edge, 512, options.frames, peer)
    print(f"interpolation alone, voxels in the first cache: {result['limit_Msamples_per_s']:.0f} M samples/s")
    for row in result["rows"]:
        line = (
            f"{row['name']:<17} {row['Msamples_per_s']:5.0f} M samples/s, {row['cpu_milliseconds_per_frame']:6.0f} ms"
        )
        if "times_vtk" in row:
            line += f"; VTK {row['vtk_cpu_milliseconds_per_frame']:6.0f} ms, {row['times_vtk']:.1f} times"
        if "similarity" in row:
            line += f", similarity {row['similarity']:.3f}"
        print(line)
    if options.json:
        Path(options.json).write_text(json.dumps(result, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
