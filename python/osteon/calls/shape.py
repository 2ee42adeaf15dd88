"""Morphometry of a solid from Python."""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import UsageError, arguments_for
from .api import answer_of
from .arguments import array_of, require_disk
from .of_image import ARGUMENTS, GivenImage, raise_all, read_image
from .one_frame import one_frame

if TYPE_CHECKING:
    from .of_image import Image, Spacing


@one_frame
def morphometry(
    image: "Image",
    spacing_mm: "Spacing | None" = None,
    threshold: float | None = None,
    keep: str = "all",
    compartments: "Mapping[str, Image] | None" = None,
    throats: bool = False,
) -> dict[str, Any]:
    """BV/TV, surface, thickness, separation, connectivity and anisotropy of a solid.

    Parameters
    ----------
    image
        Grey values with the shape (z, y, x), or a mask. Voxels above `threshold` are solid. None selects the method of
        Otsu. A mask is True in the solid. Masked arrays and images of other packages are accepted, as in `stiffness`.
    spacing_mm
        Edge lengths of a voxel in mm: (z, y, x) or one number. The argument is optional if the image contains a
        spacing.
    threshold
        Grey value. Voxels with larger values are solid.
    keep
        ``all`` keeps the whole solid. ``largest`` keeps only the largest part that is connected by faces.
    compartments
        Masks with the shape of the image. Their names are ``trabecular``, ``cortical`` or ``total``. Each compartment
        is measured separately.
    throats
        True: also measure the pores. The results are the largest ball that can enter from outside, and the largest ball
        that can pass from face to face.

    Returns
    -------
    dict
        ``docs/schemas/morphometry.json`` defines the keys, which end with the units. ``docs/reference/morphometry.md``
        defines their meaning.

    Raises
    ------
    UsageError, DataError, MachineError, Interrupted
    """
    import numpy as np

    read, faults = read_image(GivenImage(image, spacing_mm, threshold))
    raise_all(faults)
    assert read is not None
    if compartments is not None and not isinstance(compartments, Mapping):
        raise UsageError("compartments must be a mapping from names to masks, as in {'trabecular': mask}")
    masks = {
        str(kind): array_of(mask, f"compartment '{kind}'").astype(bool) for kind, mask in (compartments or {}).items()
    }
    with arguments_for(ARGUMENTS), tempfile.TemporaryDirectory(prefix="osteon-") as name:
        folder = Path(name)
        require_disk(folder, read.values)
        np.save(folder / "image.npy", read.values)
        job: dict[str, Any] = {
            "name": "shape",
            "image": {"path": "image.npy", "spacing_mm": read.spacing_mm},
            "segment": {"threshold": read.threshold, "keep": keep},
            # every job needs these values, but the shape does not depend on these values
            "material": [{"youngs_modulus_MPa": 1.0, "poisson_ratio": 0.3}],
        }
        for number, (kind, mask) in enumerate(masks.items()):
            file = f"{kind if kind.isidentifier() and kind != 'image' else number}.npy"
            np.save(folder / file, mask.view(np.uint8))
            job.setdefault("compartment", []).append({"name": kind, "image": file, "labels": [1]})
        return answer_of("morphometry", job, folder, *(["--throats"] if throats else []))
