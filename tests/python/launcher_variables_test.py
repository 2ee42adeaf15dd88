"""Tests of launcher variables. The program and the Python package remove equal variables."""

import re
from pathlib import Path

from osteon.processes.child_process import LAUNCHER_PREFIXES, without_launcher

PROGRAM = Path(__file__).parents[2] / "src/app/process/launcher_variables.cpp"


def test_both_lists_are_the_same() -> None:
    """Oracle: the list in the source of the program."""
    text = PROGRAM.read_text(encoding="utf-8")
    listed = re.search(r"std::string_view prefixes\[\] = \{(.*?)\};", text, re.DOTALL)
    assert listed is not None
    names = re.findall(r'"([^"]*)"', listed.group(1))
    assert len(names) > 30
    assert sorted(names) == sorted(set(names)) == sorted(LAUNCHER_PREFIXES)


def test_settings_of_a_user_and_the_allocation_stay() -> None:
    """Oracle: the contract. Variables of an mpirun process are removed. Settings of Open MPI and of the Slurm
    allocation remain."""
    kept = {"OMPI_MCA_btl": "self", "SLURM_JOB_ID": "7", "SLURM_NTASKS": "4", "PATH": "/bin"}
    gone = {"OMPI_COMM_WORLD_RANK": "1", "PMIX_RANK": "1", "PMI_RANK": "1", "SLURM_PROCID": "1"}
    assert without_launcher(kept | gone) == kept
