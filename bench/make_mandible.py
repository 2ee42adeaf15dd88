#!/usr/bin/env python3
"""Generate a synthetic lower jaw of [Johnson2012]'s model size: .npy of labels, 884 planes, 29 million solid voxels.

    python3 bench/make_mandible.py OUT.npy [--scale 0.125] [--seed 1]

A horseshoe-shaped body is at low z. Two rami on this body extend to the last plane. The outer shell of the jaw is
cortical bone (label 2). The core of the jaw is a network of trabeculae (label 1) that fills 30 % of the space. Planes
are generated and written one at a time, so that memory does not grow with the number of planes.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import numpy as np

SHAPE = (884, 500, 600)
SPACING_MM = 0.075
TRABECULA, CORTEX = 1, 2
QUANTILE_OF_3_TENTHS = 0.5244  # a standard normal variable exceeds this value with probability 0.3
SHELL = 16.0
WAVES, WAVELENGTH = 64, 9.0  # wavelength in voxels of any size, because trabeculae must not vanish in a small model


def shape_of(scale: float) -> tuple[int, int, int]:
    return tuple(max(8, round(n * scale)) for n in SHAPE)


def inside_ellipse(a: np.ndarray | float, half_a: float, b: np.ndarray | float, half_b: float) -> np.ndarray:
    """Distance to the ellipse (a / half_a)^2 + (b / half_b)^2 = 1 to first order. The distance is positive inside."""
    slope = 2 * np.sqrt((a / half_a**2) ** 2 + (b / half_b**2) ** 2)
    return (1 - (a / half_a) ** 2 - (b / half_b) ** 2) / np.maximum(slope, 1e-9)


class Jaw:
    """Depth below the surface of the bone. Depths and lengths are in voxels of the full-size model."""

    def __init__(self, shape: tuple[int, int, int]):
        self.height = shape[0]
        step = [full / n for full, n in zip(SHAPE, shape, strict=True)]
        self.step = step[0]
        self.y = ((np.arange(shape[1]) + 0.5) * step[1])[:, None]
        x = ((np.arange(shape[2]) + 0.5) * step[2])[None, :] - SHAPE[2] / 2
        # The centre line of body and rami is half an ellipse that is open towards low y.
        self.off_arch = -inside_ellipse(self.y, 425.0, x, 226.0)

    def depth(self, plane: int) -> np.ndarray:
        z = (plane + 0.5) * self.step
        body = np.minimum(inside_ellipse(self.off_arch, 69.0, z - 145, 190.0), self.y - 20)
        rise = z / SHAPE[0]
        ramus = inside_ellipse(self.off_arch, 52.0 - 6 * rise, self.y - 120 + 25 * rise, 116.0 - 30 * rise)
        return np.maximum(body, ramus)


class Trabeculae:
    """Plane waves of one length in random directions. The sum of the waves is nearly normal, and its upper level set is
    a network.

    The sum of the waves over a plane is one matrix product, because exp(i (a + b)) = exp(i a) exp(i b).
    """

    def __init__(self, shape: tuple[int, int, int], seed: int):
        rng = np.random.default_rng(seed)
        direction = rng.standard_normal((WAVES, 3))
        direction *= 2 * np.pi / WAVELENGTH / np.linalg.norm(direction, axis=1, keepdims=True)
        self.along_z, along_y, along_x = direction.T
        self.phase = rng.uniform(0, 2 * np.pi, WAVES)
        self.y = np.arange(shape[1])[:, None] * along_y
        angle = along_x[:, None] * np.arange(shape[2])
        self.x = np.concatenate([np.cos(angle), -np.sin(angle)])

    def plane(self, z: int) -> np.ndarray:
        """Return a mask of the trabeculae, shape (y, x)."""
        angle = self.y + (self.along_z * z + self.phase)
        field = np.concatenate([np.cos(angle), np.sin(angle)], axis=1) @ self.x
        return field > QUANTILE_OF_3_TENTHS * np.sqrt(WAVES / 2)


def make(path: Path, scale: float = 1.0, seed: int = 1) -> dict:
    """Write the image. Return the shape of the image and the number of voxels of each label."""
    shape = shape_of(scale)
    jaw = Jaw(shape)
    network = Trabeculae(shape, seed)
    shell = max(SHELL, 2 * jaw.step)  # at least two voxels, because otherwise a small model has holes in its cortex
    count = np.zeros(3, np.int64)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".part")
    with temporary.open("wb") as file:
        header = {"descr": "|u1", "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(file, header)
        for z in range(shape[0]):
            depth = jaw.depth(z)
            labels = np.where(depth > shell, network.plane(z) * np.uint8(TRABECULA), np.uint8(CORTEX))
            labels[depth <= 0] = 0
            count += np.bincount(labels.ravel(), minlength=3)
            file.write(labels.tobytes())
    temporary.rename(path)
    return {"shape": list(shape), "trabecular": int(count[TRABECULA]), "cortical": int(count[CORTEX])}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, help="the .npy file to write")
    parser.add_argument("--scale", type=float, default=1.0, help="scale of edge lengths (default 1)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the trabeculae (default 1)")
    options = parser.parse_args()
    print(json.dumps(make(options.out, options.scale, options.seed)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
