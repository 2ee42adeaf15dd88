"""FreeSurfer volumes, `.mgh` and `.mgz`, by nibabel. Spacing is in mm; axes are RAS if the header states so."""

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ..errors import DataError
from .nifti_reader import LPS_FROM_RAS, first_bytes_of_gzip
from .packed import check_claim, unpacked_length
from .pieces import Pieces, in_values, stored
from .placement import placed, split
from .volume import Volume, check_shape

ENDINGS = (".mgz", ".mgh")


def is_placed(path: Path) -> bool:
    """Return True if spacing and axes of the header are valid (goodRASFlag); otherwise nibabel returns its defaults."""
    with gzip.open(path) if path.name.lower().endswith("z") else path.open("rb") as file:
        return int.from_bytes(file.read(30)[28:], "big") == 1


def read_mgh(path: Path) -> Volume:
    import nibabel

    packed = path.name.lower().endswith("z")
    try:
        # Data after the voxels are optional, so that the length is not a sufficient check. The checksum is at the end
        # of the file.
        held = unpacked_length(path) if packed else path.stat().st_size
    except (OSError, EOFError, zlib.error) as e:
        raise DataError(f"'{path}' is truncated or damaged: {e}; copy it again") from None
    image = nibabel.load(path)
    check_shape(image.shape[::-1], str(path))
    kind, first = image.get_data_dtype(), int(image.dataobj.offset)
    count = int(np.prod(image.shape, dtype=np.int64))
    check_claim(count * kind.itemsize, path, held - first)
    lengths, axes = split(LPS_FROM_RAS @ image.affine[:3, :3], str(path))
    oriented = is_placed(path)
    placement = placed(LPS_FROM_RAS @ image.affine[:3, 3], axes, lengths, str(path), oriented)
    kind = np.dtype(image.dataobj.dtype)

    def values() -> Iterator[np.ndarray]:
        if packed:
            yield from in_values(first_bytes_of_gzip(path, first + count * kind.itemsize), kind, first)
        else:
            yield from stored(path, first, kind, count)

    x, y, z = (float(h) for h in lengths)
    stated = (z, y, x) if oriented else None  # FreeSurfer assumes 1 mm without the flag
    return Volume(Pieces(image.shape[::-1], kind, values), "mgh", stated, placement if oriented else None)
