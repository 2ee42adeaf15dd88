"""Recompress a wheel with Zopfli. Any pip can read the deflate streams of Zopfli, and the wheel becomes about 4 %
smaller.

usage: recompress.py WHEEL TARGET

The files, their order, times and modes equal those of WHEEL. RECORD contains digests of the uncompressed files.
"""

import sys
import zipfile

import zopfli.zlib

ROUNDS = 5  # Zopfli recommends this number for files of several megabytes


class Deflate:
    """A compressor for zipfile. At the end, the compressor compresses all data at once."""

    def __init__(self) -> None:
        self.data: list[bytes] = []

    def compress(self, data: bytes) -> bytes:
        self.data.append(bytes(data))
        return b""

    def flush(self) -> bytes:
        # The result is the part of a zlib container between header and checksum.
        return zopfli.zlib.compress(b"".join(self.data), numiterations=ROUNDS)[2:-4]


def main(source: str, target: str) -> None:
    # zipfile has no public interface for another compressor
    zipfile._get_compressor = lambda kind, level=None: Deflate()
    with zipfile.ZipFile(source) as wheel, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as smaller:
        for entry in wheel.infolist():
            smaller.writestr(entry, wheel.read(entry))
    with zipfile.ZipFile(source) as wheel, zipfile.ZipFile(target) as smaller:
        if [e.filename for e in wheel.infolist()] != [e.filename for e in smaller.infolist()]:
            raise SystemExit("recompress: files are missing")
        for entry in wheel.infolist():
            if wheel.read(entry) != smaller.read(entry.filename):
                raise SystemExit(f"recompress: {entry.filename} has changed")


if __name__ == "__main__":
    main(*sys.argv[1:])
