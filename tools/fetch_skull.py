#!/usr/bin/env python3
"""Fetch the head CT of `./run demo skull`. The scan is one file from the Debian package invesalius-examples, which is
under the GPL-2.

The package is downloaded and unpacked without installation, so that root rights are unnecessary. An intact scan is not
fetched again.
"""

import hashlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PACKAGE = "invesalius-examples"
MEMBER = "usr/share/doc/invesalius-examples/examples/Cranium.inv3"
SHA256 = "3b34f11f7c4f557f4c65cd6543c412a2f6ceb0cfecfd9c41184420e02d9b7e2a"
TARGET = Path(__file__).resolve().parent.parent / ".cache" / "scans" / "Cranium.inv3"


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main() -> int:
    if TARGET.exists() and digest(TARGET) == SHA256:
        return 0
    print(f"run: fetching the head CT out of the Debian package {PACKAGE} (18.7 MB, GPL-2)", file=sys.stderr)
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=TARGET.parent) as folder:
        scan = Path("/") / MEMBER  # path of the scan if the package is installed
        if not scan.is_file():
            scan = Path(folder) / MEMBER
            try:
                subprocess.run(["apt-get", "download", "-qq", PACKAGE], cwd=folder, check=True, stderr=subprocess.PIPE)
                package = next(Path(folder).glob("*.deb"))
                subprocess.run(["dpkg-deb", "-x", package, folder], check=True)
            except (OSError, subprocess.CalledProcessError, StopIteration) as e:
                reason = (getattr(e, "stderr", None) or str(e).encode()).decode().strip()
                print(f"run: apt-get could not download {PACKAGE} ({reason}); try `apt-get update`", file=sys.stderr)
                return 5
        found = digest(scan)
        if found != SHA256:
            print(f"run: the scan in {PACKAGE} has SHA-256 {found}, expected {SHA256}", file=sys.stderr)
            return 3
        part = Path(folder) / TARGET.name
        shutil.copyfile(scan, part)
        part.replace(TARGET)
    return 0


if __name__ == "__main__":
    sys.exit(main())
