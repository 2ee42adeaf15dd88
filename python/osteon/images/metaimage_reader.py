"""MetaImage (.mha, .mhd), the header by SimpleITK; ITK does not look at the checksum of packed voxels, this does."""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ..errors import DataError
from .packed import check_claim, unpacked
from .pieces import Pieces, in_values, stored
from .placement import placed
from .volume import Volume, check_shape

ENDINGS = (".mha", ".mhd")
TYPES = {
    "MET_CHAR": "i1",
    "MET_UCHAR": "u1",
    "MET_SHORT": "i2",
    "MET_USHORT": "u2",
    "MET_INT": "i4",
    "MET_UINT": "u4",
    "MET_LONG": "i4",
    "MET_ULONG": "u4",
    "MET_LONG_LONG": "i8",
    "MET_ULONG_LONG": "u8",
    "MET_FLOAT": "f4",
    "MET_DOUBLE": "f8",
}
# What ITK makes of them; of the others (those of 8 bytes, whose length differs by program) it reads the voxels itself.
ITK_TYPES = {
    "i1": "sitkInt8",
    "u1": "sitkUInt8",
    "i2": "sitkInt16",
    "u2": "sitkUInt16",
    "i4": "sitkInt32",
    "u4": "sitkUInt32",
    "f4": "sitkFloat32",
    "f8": "sitkFloat64",
}
LONGEST_HEADER = 1 << 16


def read_metaimage(path: Path) -> Volume:
    import SimpleITK as sitk  # noqa: N813 (its usual name; it takes a second to load)

    keys, end = _header(path)
    reader = sitk.ImageFileReader()
    reader.SetFileName(str(path))
    reader.ReadImageInformation()
    if reader.GetNumberOfComponents() != 1:
        raise DataError(f"'{path}' has {reader.GetNumberOfComponents()} values a voxel; needed is one grey value")
    shape = tuple(int(n) for n in reader.GetSize()[::-1])
    check_shape(shape, str(path))
    values = _values(reader, keys, end, shape, path)
    # ITK puts 1 where a file says nothing; that is a guess, and a guess is not passed on.
    stated = "elementspacing" in keys or "elementsize" in keys
    if reader.GetDimension() != 3:
        spacing = reader.GetSpacing()[:3]
        return Volume(values, "metaimage", spacing[::-1] if stated else None)
    oriented = any(key in keys for key in ("transformmatrix", "rotation", "orientation"))
    spacing = np.array(reader.GetSpacing())
    axes = np.array(reader.GetDirection()).reshape(3, 3)
    placement = placed(np.array(reader.GetOrigin()), axes, spacing * stated, str(path), oriented)
    x, y, z = (float(h) for h in spacing)
    return Volume(values, "metaimage", (z, y, x) if stated else None, placement)


def _header(path: Path) -> tuple[dict[str, str], int]:
    """The keys in small letters, and where the header ends."""
    keys: dict[str, str] = {}
    with path.open("rb") as file:
        while file.tell() < LONGEST_HEADER:
            line = file.readline(LONGEST_HEADER).decode("latin-1")
            key, _, value = re.sub("[=:]", "=", line, count=1).partition("=")
            keys[key.strip().lower()] = value.strip()
            if key.strip().lower() == "elementdatafile":
                return keys, file.tell()
            if not line:
                break
    raise DataError(f"'{path}' is truncated or no MetaImage: its header has no line ElementDataFile; copy it again")


def _values(reader, keys: dict[str, str], end: int, shape: tuple[int, ...], path: Path) -> np.ndarray | Pieces:
    import SimpleITK as sitk  # noqa: N813

    def is_true(key: str) -> bool:
        return keys.get(key, "").lower() in ("true", "t", "1", "yes")

    kind = TYPES.get(keys.get("elementtype", "").upper())
    if kind is None:
        raise DataError(f"'{path}' has ElementType '{keys.get('elementtype', '')}'; known are {', '.join(TYPES)}")
    claimed = int(np.prod(shape, dtype=np.int64)) * int(kind[1])
    name = keys["elementdatafile"]
    here = name.upper() == "LOCAL"
    several = name.upper().startswith("LIST") or "%" in name or " " in name
    if not is_true("compresseddata"):
        held = sum(p.stat().st_size for p in path.parent.iterdir() if p.is_file()) if several else None
        text = "binarydata" in keys and not is_true("binarydata")
        data = path if here else path.parent / name
        # As text, a value has at least a digit and what parts it from the next.
        check_claim(claimed // int(kind[1]) * 2 - 1 if text else claimed, data, held)
        length = data.stat().st_size - (end if here else 0)
        if not several and not text and "headersize" not in keys and length != claimed:
            raise DataError(f"'{data}' has {length} bytes of voxels, its header asks for {claimed}; copy it again")
        little = np.dtype(kind).newbyteorder("<")
        plain = not several and not text and "headersize" not in keys
        if plain and reader.GetPixelID() == getattr(sitk, ITK_TYPES.get(kind, ""), None):
            stated = keys.get("binarydatabyteordermsb") or keys.get("elementbyteordermsb") or ""
            ordered = little.newbyteorder(">") if stated[:1] in ("T", "t", "1") else little  # as ITK reads them
            first, count = (end if here else 0), claimed // little.itemsize
            return Pieces(shape, ordered, lambda: stored(data, first, ordered, count))
        return sitk.GetArrayFromImage(reader.Execute())
    if several or keys.get("headersize", "0") not in ("0", ""):
        raise DataError(f"'{path}' keeps packed voxels in several files or behind a header; save it as one .mha")
    data = path if here else path.parent / name
    big = is_true("binarydatabyteordermsb") or is_true("elementbyteordermsb")
    ordered = np.dtype(kind).newbyteorder(">" if big else "<")
    check_claim(claimed, data, packed=True)

    def read() -> Iterator[np.ndarray]:
        with data.open("rb") as file:
            file.seek(end if here else 0)
            yield from in_values(unpacked(file, data, claimed, "zlib"), ordered)

    return Pieces(shape, ordered, read)
