"""Two clusters on this machine, each with its own MPI, as `osteon join` starts them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from whole_job import BINARY

# osteon over the ABI of the bridge. The program is the whole program if it was built, and otherwise the build of `./run
# test`.
BUILDS = BINARY.parents[3]
BRIDGED = next(
    (BUILDS / name / "src" / "app" / "osteon" for name in ("abi", "abi-test") if (BUILDS / name).is_dir()), BINARY
)

CLUSTERS = """
server = "127.0.0.1"
[[cluster]]
name = "open"
ranks = 2
launcher = "mpirun.openmpi"
adapter = "ompi4"
options = "--oversubscribe"
[[cluster]]
name = "mpich"
ranks = 2
launcher = "mpiexec.mpich"
adapter = "mpich4"
"""


def join(folder: Path, program: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a program as one job of 2 + 2 ranks in a folder, with these variables in both clusters."""
    for needed in ("mpirun.openmpi", "mpiexec.mpich"):
        if shutil.which(needed) is None:
            pytest.skip(f"{needed} is not installed")
    given = ", ".join(f'{name} = "{value}"' for name, value in variables.items())
    (folder / "clusters.toml").write_text(CLUSTERS.replace("ranks = 2", f"ranks = 2\nenvironment = {{ {given} }}"))
    return subprocess.run(
        [BINARY, "join", folder / "clusters.toml", "--", program, *words],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=folder,
    )
