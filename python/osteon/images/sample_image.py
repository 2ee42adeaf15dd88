"""Estimate the solid of a large image from its header and some planes: `python -m osteon.images.sample_image SRC
RULES`.

RULES is a JSON object: `threshold` (null: from `greys`, or Otsu's of the planes) and `upper`, or `void_labels` for
an image of labels; and `accept_fill_value` of the job.
Prints one JSON object: `shape` (z, y, x), `looked_at` (voxels whose values were read; 0 if the format requires reading
the whole image), `solid`, the solid fraction of these voxels, and `corners`, the number of corners per solid pixel of a
plane. For bad data, the program prints one line on stderr and exits with code 3.
"""

import json
import sys

import numpy as np

from ..errors import USAGE, DataError
from .answer_program import print_answer
from .look_at_image import header


def otsu(planes: list[np.ndarray]) -> float:
    """Return the threshold with the largest variance between the two classes, with a resolution of a 256th of the
    range."""
    low, high = min(p.min() for p in planes), max(p.max() for p in planes)
    counts, edges = np.zeros(256), np.linspace(float(low), float(high), 257)
    for plane in planes:
        counts += np.histogram(plane, edges)[0]
    middle = (edges[1:] + edges[:-1]) / 2
    below, above = np.cumsum(counts), np.sum(counts) - np.cumsum(counts)
    sums = np.cumsum(counts * middle)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = below * above * (sums / below - (sums[-1] - sums) / above) ** 2
    return float(edges[1 + int(np.nanargmax(variance))]) if high > low else float(low)


def volume_threshold(planes: list[np.ndarray], empty: float, solid: float) -> float:
    """Return the threshold above which the volume equals the volume that the grey values of the two phases imply. The
    import uses the same rule."""
    values = np.concatenate([p.ravel() for p in planes])
    share = float(np.clip((values.astype("f8") - empty) / (solid - empty), -1, 2).mean())
    return float(np.quantile(values, 1 - min(max(share, 0.0), 1.0)))


def corners(solid: np.ndarray) -> int:
    """Count corners of the solid pixels of a plane."""
    around = np.zeros((solid.shape[0] + 1, solid.shape[1] + 1), bool)
    for y in (0, 1):
        for x in (0, 1):
            around[y : y + solid.shape[0], x : x + solid.shape[1]] |= solid
    return int(np.count_nonzero(around))


def sample(source: str, rules: dict) -> dict[str, object]:
    """Return the estimate as a dictionary. @throws DataError"""
    try:
        found = header(source, bool(rules.get("accept_fill_value")))
        planes = [np.squeeze(p) for p in found.planes]
    except (DataError, ImportError):
        raise
    except Exception as e:  # Readers of foreign formats raise any exception for damaged files.
        raise DataError(f"'{source}' cannot be read: {' '.join(str(e).split())[-200:]}") from None
    answer: dict[str, object] = {"shape": found.shape and [int(n) for n in found.shape], "looked_at": 0}
    planes = [p for p in planes if p.ndim == 2]
    if not planes:
        return answer
    if "void_labels" in rules:
        solid = [~np.isin(p, rules["void_labels"]) for p in planes]
    else:
        threshold = rules.get("threshold")
        if threshold is None:
            threshold = volume_threshold(planes, *rules["greys"]) if "greys" in rules else otsu(planes)
        above = float(threshold)
        upper = rules.get("upper")
        solid = [(p > above) if upper is None else (p > above) & (p <= upper) for p in planes]
    count = sum(int(np.count_nonzero(s)) for s in solid)
    answer["looked_at"] = sum(p.size for p in planes)
    answer["solid"] = count / answer["looked_at"]
    answer["corners"] = sum(corners(s) for s in solid) / max(count, 1)
    return answer


def main(arguments: list[str]) -> int:
    if len(arguments) != 2 or arguments[0] in ("-h", "--help"):
        print("usage: python -m osteon.images.sample_image SRC RULES", file=sys.stderr)
        return USAGE
    return print_answer(lambda: sample(arguments[0], json.loads(arguments[1])))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
