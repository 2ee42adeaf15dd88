"""The only reader of results and models. The reader checks name, seal, completeness and digests
(docs/reference/format.md).

On damaged bytes, HDF5 may crash or may never return. Before the file is opened, its bytes are therefore compared with
its seal. A copy by another program has no seal. Such a copy is read with a warning. Its values are compared with their
digests.
"""

import hashlib
import re
import struct
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import xxhash

from ..errors import DataError, FileWarning
from ..files.hdf5_locks import hint_on_locks, no_hdf5_locks

UNFINISHED = re.compile(r"(.+)\.tmp\.[^/]+\.\d+")
SEAL, OLDER_SEAL = b"\nosteon-seal-3\n", b"\nosteon-seal-2\n"
HEX = 16  # number of digits of a number and of a digest
KINDS = {"S1": 2, "i4": 4, "f4": 5, "f8": 6, "u1": 7, "u2": 8, "i8": 10}  # numbers of types in netCDF
MOST_PARTS = 1 << 24
OLDER_BLOCK = 4 << 20
GROUPS = (("CellData", False), ("PointData", True))
# Attributes that programs for copying files change.
OF_COPIES = ("complete", "history", "_NCProperties", "NCO")


class ResultFile:
    """An open file of osteon. The object verifies all values.

    @throws DataError if the file is not from osteon, or is damaged, truncated or unfinished
    """

    def __init__(self, path: Path) -> None:
        with no_hdf5_locks():  # HDF5 reads this variable when HDF5 is loaded
            import netCDF4

        self.path = path
        if "\\" in str(path):
            raise DataError(
                f"the path '{path}' contains a backslash, which the netCDF library replaces by a slash; rename that "
                "folder or file"
            )
        is_copy = _check_bytes(path)
        try:
            with no_hdf5_locks():
                self.file = netCDF4.Dataset(path)
        except OSError as e:
            raise DataError(f"'{path}' cannot be read as netCDF-4: {e.strerror or e}{hint_on_locks(path)}") from None
        try:
            self.file.set_auto_maskandscale(False)
            if (
                not str(getattr(self.file, "product_schema", "")).startswith("osteon-")
                or "VTKHDF" not in self.file.groups
            ):
                raise DataError(f"'{path}' is not a result of osteon")
            if int(getattr(self.file, "complete", 0)) != 1:
                raise DataError(f"'{path}' is incomplete: its run was terminated; run the job again")
            if is_copy:
                self._check_metadata()
                warnings.warn(
                    f"'{path}' has no seal: another program copied or wrote it; its values are verified by "
                    "their digests (`osteon verify --seal` verifies all and seals it)",
                    FileWarning,
                    stacklevel=3,
                )
            self.variables = {
                name: (variable, on_nodes)
                for group, on_nodes in GROUPS
                if group in self.file["VTKHDF"].groups
                for name, variable in self.file["VTKHDF"][group].variables.items()
            }
        except BaseException:
            self.file.close()
            raise

    def __enter__(self) -> "ResultFile":
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def __contains__(self, name: str) -> bool:
        return name in self.variables

    def __iter__(self) -> Iterator[str]:
        return iter(self.variables)

    def __getitem__(self, name: str) -> np.ndarray:
        """Return a field with shape (z, y, x) or (z, y, x, components). @throws DataError if the field is missing or
        damaged"""
        parts = list(self.planes(name, whole=True))
        return parts[0][1]

    def planes(self, name: str, whole: bool = False) -> Iterator[tuple[int, np.ndarray]]:
        """Yield the number of the first plane, and verified values, a few planes at a time.

        If a reader stops early, only the planes that the reader has received are verified.
        @param whole True: yield all planes at once @throws DataError if the field is missing or damaged
        """
        if name not in self.variables:
            raise DataError(f"'{self.path}' has no field '{name}'; available: {', '.join(sorted(self.variables))}")
        variable = self.variables[name][0]
        damaged = f"'{self.path}' is damaged: '{name}' or its digests cannot be read"
        try:
            count = int(variable.shape[0])
            stored = self.file["integrity"][name]
            group = int(stored.planes_per_digest)
            expected = [row.tobytes().decode("ascii", errors="replace") for row in stored[:]]
        except (OSError, LookupError, AttributeError, RuntimeError, ValueError) as e:
            raise DataError(f"{damaged} ({e})") from None
        if group < 1 or len(expected) != -(-count // group):
            raise DataError(f"'{self.path}' is damaged: the digests of '{name}' do not cover its planes")
        # older files have another digest
        digest = xxhash.xxh3_64 if getattr(stored, "digest", "") == "XXH3_64" else xxhash.xxh64
        step = max(count, 1) if whole else group
        for first in range(0, count, step) if count else [0]:
            try:
                values = np.ascontiguousarray(variable[first : first + step])
            except (OSError, LookupError, AttributeError, RuntimeError, ValueError) as e:
                raise DataError(f"{damaged} ({e})") from None
            for row in range(first // group, -(-min(first + step, count) // group)):
                part = values[row * group - first : (row + 1) * group - first]
                if digest(part.astype(part.dtype.newbyteorder("<"), copy=False)).hexdigest() != expected[row]:
                    raise DataError(
                        f"'{self.path}' is damaged: plane {row * group} of '{name}' does not match its digest; "
                        "`osteon verify` lists all damage, then run the job again"
                    )
            yield first, values

    def _check_metadata(self) -> None:
        stored = getattr(self.file["integrity"], "metadata_sha256", None) if "integrity" in self.file.groups else None
        if stored is not None and stored != _metadata_digest(self.file):
            raise DataError(
                f"'{self.path}' is damaged: its metadata (spacing, materials, names) do not match their digest; "
                "`osteon verify` lists all damage, then run the job again"
            )


def _check_bytes(path: Path) -> bool:
    """Return True for an intact copy without a seal. @throws DataError if the file is damaged"""
    if not path.is_file():
        raise DataError(f"no file '{path}'; pass the results.nc of a job")
    if unfinished := UNFINISHED.fullmatch(path.name):
        raise DataError(
            f"'{path}' is the unfinished file of a running or terminated run; when it is complete its name is "
            f"'{unfinished.group(1)}'"
        )
    seal = _seal_is_right(path)
    if seal is False:
        raise DataError(
            f"'{path}' is damaged: its bytes do not match its seal; "
            "`osteon verify` locates the damage, then run the job again"
        )
    if seal is None and not _has_stated_length(path):
        raise DataError(
            f"'{path}' is not a complete file of osteon: it does not end with a seal (truncated, or of another "
            "type); copy it again, or run the job again"
        )
    return seal is None


def _seal_is_right(path: Path) -> bool | None:
    """Compare the file with its seal. If the file has no seal, the result is None. @throws OSError"""
    size = path.stat().st_size
    tail = len(SEAL) + 2 * HEX
    with path.open("rb") as file:
        file.seek(max(0, size - tail))
        last = file.read()
        if last.startswith(SEAL) and len(last) == tail:
            count, digest = last[len(SEAL) : -HEX], last[-HEX:]
            parts = _number(count)
            sealed = size - tail - parts * HEX
            if not 0 <= parts <= MOST_PARTS or sealed < parts:
                return False
            file.seek(sealed)
            table = file.read(parts * HEX)
            lengths = [_number(table[i : i + HEX]) for i in range(0, len(table), HEX)]
            if min(lengths, default=1) < 1 or sum(lengths) != sealed:
                return False
            make = xxhash.xxh3_64
        elif (older := last[-len(OLDER_SEAL) - HEX :]).startswith(OLDER_SEAL):
            sealed = size - len(older)
            lengths = [min(OLDER_BLOCK, sealed - at) for at in range(0, sealed, OLDER_BLOCK)]
            table, digest, make = b"", older[-HEX:], xxhash.xxh64
        else:
            return None
        file.seek(0)
        whole = make(table)
        for length in lengths:
            part = make()
            while length > 0:
                block = file.read(min(length, OLDER_BLOCK))
                if not block:
                    return False
                part.update(block)
                length -= len(block)
            whole.update(part.hexdigest().encode())
    return whole.hexdigest().encode() == digest


def _number(digits: bytes) -> int:
    """Parse hexadecimal digits. If the digits are invalid, the result is -1."""
    return int(digits, 16) if re.fullmatch(rb"[0-9a-f]{16}", digits) else -1


def _has_stated_length(path: Path) -> bool:
    """Return True if an HDF5 file has the length that its first bytes contain. A truncated file, or a sealed file, has
    another length."""
    with path.open("rb") as file:
        head = file.read(48)
    if len(head) < 48 or head[:8] != b"\x89HDF\r\n\x1a\n" or head[8] > 3:
        return False
    old = head[8] < 2
    return head[13 if old else 9] == 8 and struct.unpack_from("<Q", head, 40 if old else 28)[0] == path.stat().st_size


def _metadata_digest(file) -> str:
    """SHA-256 of all attributes and variables, as defined in docs/reference/format.md."""
    lines: set[str] = set()

    def attributes(owner, place: str) -> None:
        for name in owner.ncattrs():
            if place == "/" and name in OF_COPIES:
                continue
            value = owner.getncattr(name)
            if isinstance(value, str):
                kind, raw = 2, value.encode()
            else:
                value = np.asarray(value)
                kind, raw = KINDS[value.dtype.str[1:]], value.tobytes()
            lines.add(f"attribute {place}@{name} {kind} {raw.hex()}\n")

    def walk(group, place: str) -> None:
        attributes(group, place)
        for name, variable in group.variables.items():
            if place == "/" and variable.ndim > 2:  # this is a second name of a field in /VTKHDF
                continue
            kind = KINDS[variable.dtype.str[1:]]
            line = f"variable {place}{name} {kind}"
            line += "".join(f" {d}={n}" for d, n in zip(variable.dimensions, variable.shape, strict=True))
            if not place.startswith("/VTKHDF/"):
                variable.set_auto_chartostring(False)
                line += " " + hashlib.sha256(np.ascontiguousarray(variable[:]).tobytes()).hexdigest()
            lines.add(line + "\n")
            attributes(variable, place + name)
        for name, inner in group.groups.items():
            if (place, name) != ("/", "integrity"):
                walk(inner, f"{place}{name}/")

    try:
        walk(file, "/")
    except (LookupError, RuntimeError, OSError) as e:
        return f"unreadable: {e}"
    return hashlib.sha256("".join(sorted(lines)).encode()).hexdigest()
