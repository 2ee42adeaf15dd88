"""MetaImage (.mha, .mhd), by SimpleITK."""

import re
from pathlib import Path

import numpy as np

from .errors import DataError
from .placement import placed
from .volume import Volume, check_shape

ENDINGS = (".mha", ".mhd")


def read_metaimage(path: Path) -> Volume:
    import SimpleITK as sitk  # noqa: N813 (its usual name; it takes a second to load)

    reader = sitk.ImageFileReader()
    reader.SetFileName(str(path))
    reader.ReadImageInformation()
    if reader.GetNumberOfComponents() != 1:
        raise DataError(f"'{path}' has {reader.GetNumberOfComponents()} values a voxel; needed is one grey value")
    check_shape(reader.GetSize(), str(path))
    with path.open("rb") as file:
        head = file.read(65536).split(b"ElementDataFile")[0]
    image = reader.Execute()
    values = sitk.GetArrayFromImage(image)
    # ITK puts 1 where a file says nothing; that is a guess, and a guess is not passed on.
    stated = re.search(rb"^\s*(ElementSpacing|ElementSize)\s*=", head, re.M) is not None
    if image.GetDimension() != 3:
        spacing = image.GetSpacing()[:3]
        return Volume(values, "metaimage", spacing[::-1] if stated else None)
    oriented = re.search(rb"^\s*(TransformMatrix|Rotation|Orientation)\s*=", head, re.M) is not None
    spacing = np.array(image.GetSpacing())
    axes = np.array(image.GetDirection()).reshape(3, 3)
    placement = placed(np.array(image.GetOrigin()), axes, spacing * stated, str(path), oriented)
    x, y, z = (float(h) for h in spacing)
    return Volume(values, "metaimage", (z, y, x) if stated else None, placement)
