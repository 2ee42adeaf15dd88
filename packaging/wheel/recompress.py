"""Pack a wheel again with Zopfli, whose deflate streams any pip unpacks and are some 4 % smaller.

usage: recompress.py WHEEL TARGET

The files, their order, times and modes are those of WHEEL; RECORD holds digests of what is packed, so it stays true.
"""

import sys
import zipfile

import zopfli.zlib

ROUNDS = 5  # as Zopfli advises for files of megabytes


class Deflate:
    """A compressor as zipfile takes one, of all that it got."""

    def __init__(self) -> None:
        self.data: list[bytes] = []

    def compress(self, data: bytes) -> bytes:
        self.data.append(bytes(data))
        return b""

    def flush(self) -> bytes:
        # Of a zlib container what lies between its head and its checksum.
        return zopfli.zlib.compress(b"".join(self.data), numiterations=ROUNDS)[2:-4]


def main(source: str, target: str) -> None:
    zipfile._get_compressor = lambda kind, level=None: Deflate()  # zipfile has no way to be told of another one
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
