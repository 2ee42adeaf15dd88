"""What all Python tests share: they may run several at once, so those who wait leave the cores to those who work."""

import os

# Open MPI and OpenMP poll while they wait, which would take the time of the tests beside. Programs that measure set
# their own.
os.environ.setdefault("OMPI_MCA_mpi_yield_when_idle", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
