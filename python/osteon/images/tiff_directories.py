"""Follow the chain of a TIFF file's directories to its end.

Readers stop at a broken link and return the pages before the link. If a file was cut in its last directory, a reader
would return too few slices.
"""

import struct
from pathlib import Path

from ..errors import DataError

# Formats by byte order and version: the offset of the first directory, and the count and entries of a directory.
HEADS = {
    b"II*\0": ("<", 4, "I", "H", 12),
    b"MM\0*": (">", 4, "I", "H", 12),
    b"II+\0": ("<", 8, "Q", "Q", 20),
    b"MM\0+": (">", 8, "Q", "Q", 20),
}
SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8}


def count_directories(path: Path) -> int:
    """Return the number of pages in the chain.

    @throws DataError if the chain leaves the file, ends within a directory or is cyclic
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(4)
        if head not in HEADS:
            raise DataError(
                f"'{path}' cannot be read: it starts with {head!r}, unlike any TIFF file; it may be damaged or of "
                "another type"
            )
        order, first, offset_type, count_type, entry_size = HEADS[head]
        offset_size = struct.calcsize(offset_type)
        count_size = struct.calcsize(count_type)

        def read(at: int, length: int, part: str) -> bytes:
            file.seek(at)
            data = file.read(length) if at + length <= size else b""
            if len(data) != length:
                raise DataError(
                    f"'{path}' is truncated or damaged: {part} is at byte {at}, but the file has {size} bytes; copy it "
                    "again"
                )
            return data

        def number(kind: str, data: bytes) -> int:
            return struct.unpack(order + kind, data)[0]

        at = number(offset_type, read(first, offset_size, "the offset of its first page"))
        seen: set[int] = set()
        while at != 0:
            page = f"the directory of page {len(seen) + 1}"
            if at in seen:
                raise DataError(f"'{path}' is damaged: {page} occurs twice; copy it again")
            seen.add(at)
            count = number(count_type, read(at, count_size, page))
            entries = read(at + count_size, count * entry_size + offset_size, page)
            for i in range(count):
                entry = entries[i * entry_size :][:entry_size]
                kind, values = struct.unpack_from(order + "H" + offset_type, entry, 2)
                length = SIZES.get(kind, 0) * values
                if length > offset_size:
                    place = number(offset_type, entry[-offset_size:])
                    if place + length > size:
                        read(place, length, f"a value of {length} bytes in {page}")
            at = number(offset_type, entries[-offset_size:])
    return len(seen)
