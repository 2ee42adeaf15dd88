"""Version of the package. The version is that of a checkout, of installed metadata, or of the program."""

import importlib.metadata
import json
import re
import subprocess
from pathlib import Path


def package_version() -> str:
    """Return the version that `osteon version` prints.

    Raises
    ------
    MachineError
        If neither metadata nor the program are found.
    """
    from .api import binary

    checkout = Path(__file__).parents[2] / "CMakeLists.txt"
    if checkout.is_file():
        found = re.search(r"project\(osteon VERSION ([\d.]+)", checkout.read_text(encoding="utf-8"))
        if found:
            return found[1]
    try:
        return importlib.metadata.version("osteon")
    except importlib.metadata.PackageNotFoundError:  # the package was installed by `cmake --install`
        program = subprocess.run([binary(), "version", "--json", "-"], capture_output=True, text=True, check=True)
        return str(json.loads(program.stdout)["version"])
