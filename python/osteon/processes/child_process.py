"""Processes that this package starts. Python is started such that files of the working directory are not imported.
osteon is started without a launcher."""

import os
import sys
from pathlib import Path

PACKAGE = Path(__file__).parents[2]

# mpirun, mpiexec and srun set these variables in the processes that they start. With these variables, MPI_Init joins
# the world of these processes. Settings of a user (other OMPI_MCA_*, the allocation of Slurm) are not included. The
# program contains the same list (src/app/process/launcher_variables.cpp).
LAUNCHER_PREFIXES = (
    "OMPI_COMM_WORLD_", "OMPI_APP_CTX_", "OMPI_NUM_APP_CTX", "OMPI_UNIVERSE_SIZE", "OMPI_COMMAND", "OMPI_ARGV",
    "OMPI_FILE_LOCATION", "OMPI_FIRST_RANKS", "OMPI_MCA_ess", "OMPI_MCA_pmix", "OMPI_MCA_initial_wdir",
    "OMPI_MCA_mpi_oversubscribe", "OMPI_MCA_shmem_RUNTIME", "OMPI_MCA_orte_app_num", "OMPI_MCA_orte_bound_at_launch",
    "OMPI_MCA_orte_ess_", "OMPI_MCA_orte_hnp_uri", "OMPI_MCA_orte_jobfam_", "OMPI_MCA_orte_launch",
    "OMPI_MCA_orte_local_daemon", "OMPI_MCA_orte_num_nodes", "OMPI_MCA_orte_precondition_", "OMPI_MCA_orte_top_session",
    "PMIX_", "PMI_", "PMI2_", "PRTE_LAUNCHED", "HYDI_", "MPI_LOCAL", "MV2_COMM_WORLD_", "PALS_",
    "SLURM_PROCID", "SLURM_LOCALID", "SLURM_NODEID", "SLURM_STEP", "SLURM_TASK_PID", "SLURM_GTIDS",
    "SLURM_LAUNCH_NODE_IPADDR", "SLURM_SRUN_COMM_", "SLURM_PMI",
)  # fmt: skip


def without_launcher(environment: dict[str, str]) -> dict[str, str]:
    """Return the environment of an independent job. If a launcher started this process, the variables of the launcher
    are removed.

    Otherwise, a program that is started from `mpirun -n 2 python sweep.py` would become a rank of that world. The jobs
    of both processes would become one job."""
    return {name: value for name, value in environment.items() if not name.startswith(LAUNCHER_PREFIXES)}


def python_command(module: str, *arguments: str) -> list[str]:
    """Return the command that runs a module of this package with this Python interpreter. The option -P excludes the
    working directory from the search path. A file in the folder of a job, for example struct.py, is therefore never
    executed."""
    return [sys.executable, "-P", "-m", module, *arguments]


def python_environment() -> dict[str, str]:
    """Return the environment for a Python command. With this environment, Python finds this copy of the package."""
    return {**os.environ, "PYTHONPATH": python_path(os.environ.get("PYTHONPATH", ""))}


def python_path(given: str) -> str:
    """Return the path of this copy of the package, followed by the given path. Empty elements, which mean the working
    directory, are removed."""
    return os.pathsep.join([str(PACKAGE), *filter(None, given.split(os.pathsep))])
