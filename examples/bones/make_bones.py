#!/usr/bin/env python3
"""Make the two bones of the examples jaw_bite.toml and femur_axial.toml: synthetic shapes, so that no scan is needed.

    python3 examples/bones/make_bones.py [FOLDER] [--jaw-voxel-mm 1] [--femur-voxel-mm 2]

Writes jaw.npy and femur.npy, images of labels in the order z, y, x, into FOLDER (default: .cache/bones of the source
tree). The shapes are ellipsoids, cylinders and an elliptic arch with the usual sizes of an adult's bones; they are
of no person. Labels: 1 compact bone, 2 spongy bone, 3 teeth. Lengths are in mm, whatever the voxels.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import numpy as np

COMPACT, SPONGY, TOOTH = 1, 2, 3
FOLDER = Path(__file__).resolve().parents[2] / ".cache" / "bones"


def centres(size_mm: tuple[float, float, float], voxel_mm: float) -> list[np.ndarray]:
    """Coordinates of the voxels' centres along z, y, x, ready to be broadcast."""
    axes = [(np.arange(round(s / voxel_mm)) + 0.5) * voxel_mm for s in size_mm]
    return [axes[0][:, None, None], axes[1][None, :, None], axes[2][None, None, :]]


def in_ellipsoid(
    at: list[np.ndarray], middle: tuple[float, ...], half: tuple[float, ...], shrink: float = 0
) -> np.ndarray:
    """Whether points are in an ellipsoid the half axes of which are `shrink` shorter."""
    return sum(((a - m) / max(h - shrink, 1e-3)) ** 2 for a, m, h in zip(at, middle, half, strict=True)) <= 1


def in_cylinder(at: list[np.ndarray], begin: tuple[float, ...], end: tuple[float, ...], radius: float) -> np.ndarray:
    """Whether points are in a cylinder with round ends."""
    axis = np.subtract(end, begin)
    along = sum((a - b) * d for a, b, d in zip(at, begin, axis, strict=True)) / np.dot(axis, axis)
    along = np.clip(along, 0, 1)
    return sum((a - b - along * d) ** 2 for a, b, d in zip(at, begin, axis, strict=True)) <= radius**2


def jaw(voxel_mm: float) -> np.ndarray:
    """A lower jaw, 66 x 86 x 116 mm: an elliptic arch open to the back (low y), two rami, incisors in front."""
    z, y, x = centres((66, 86, 116), voxel_mm)
    x = x - 58

    def arch(shrink: float) -> np.ndarray:
        # Distance to the half ellipse through both angles of the jaw and the chin, to first order.
        value, slope = (y / 74) ** 2 + (x / 46) ** 2, 2 * np.sqrt((y / 74**2) ** 2 + (x / 46**2) ** 2)
        off = (value - 1) / np.maximum(slope, 1e-9)
        body = (np.abs(off) <= 6.5 - shrink) & (z >= 2 + shrink) & (z <= 31 - shrink)
        ramus = (
            (np.abs(off) <= 5 - shrink / 2)
            & (y >= 4 + shrink)
            & (y <= 36 - shrink)
            & (z >= 8 + shrink)
            & (z <= 54 - shrink)
        )
        condyle = np.zeros(1, bool)
        for side in (-1, 1):
            condyle = condyle | in_ellipsoid([z, y, x], (54, 10, side * 45.5), (10, 6, 9), shrink)
        return body | ramus | condyle

    labels = np.where(arch(2.5), SPONGY, np.where(arch(0), COMPACT, 0)).astype(np.uint8)
    incisors = (np.abs(x) <= 11) & (np.abs(y - 73.5) <= 3) & (z > 24) & (z <= 40)
    labels[np.broadcast_to(incisors, labels.shape)] = TOOTH
    return labels


def femur(voxel_mm: float) -> np.ndarray:
    """A thigh bone, 440 x 84 x 110 mm: a tube with a marrow canal, a neck and head to the side, two condyles below."""
    at = centres((440, 84, 110), voxel_mm)
    knee, hip = (30, 42, 34), (382, 42, 34)

    def outside(shrink: float) -> np.ndarray:
        shaft = in_cylinder(at, knee, hip, 14 - shrink)
        neck = in_cylinder(at, (380, 42, 36), (416, 42, 80), 15 - shrink)
        head = in_ellipsoid(at, (415, 42, 80), (23, 23, 23), shrink)
        trochanter = in_ellipsoid(at, (385, 40, 26), (24, 18, 18), shrink)
        ends = in_ellipsoid(at, (32, 42, 16), (30, 30, 14), shrink) | in_ellipsoid(
            at, (32, 42, 54), (30, 30, 16), shrink
        )
        flare = in_ellipsoid(at, (48, 42, 35), (44, 24, 28), shrink)
        return shaft | neck | head | trochanter | ends | flare

    # Compact bone is thick in the shaft and thin at the ends; the canal is empty.
    middle = np.clip(np.minimum(at[0] - 70, 370 - at[0]) / 40, 0, 1)
    solid, spongy = outside(0), outside(2.2)
    shaft_core = in_cylinder(at, knee, hip, 7.5)
    labels = np.where(spongy, SPONGY, COMPACT) * solid
    labels = np.where((middle > 0.5) & solid & ~shaft_core, COMPACT, labels)
    labels = np.where((middle > 0.5) & shaft_core, 0, labels)
    return labels.astype(np.uint8)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", default=FOLDER, help="where to write (default: .cache/bones)")
    parser.add_argument("--jaw-voxel-mm", type=float, default=1.0, help="edge of a voxel (default 1)")
    parser.add_argument("--femur-voxel-mm", type=float, default=2.0, help="edge of a voxel (default 2)")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, make, voxel_mm in (("jaw", jaw, options.jaw_voxel_mm), ("femur", femur, options.femur_voxel_mm)):
        labels = make(voxel_mm)
        np.save(options.folder / f"{name}.npy", labels)
        said = {"image": str(options.folder / f"{name}.npy"), "shape": labels.shape, "voxel_mm": voxel_mm}
        print(json.dumps({**said, "voxels": int(np.count_nonzero(labels))}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
