"""What the Python tests of the studies share with tests/conftest.py: who waits leaves the cores to those who work."""

import os

os.environ.setdefault("OMPI_MCA_mpi_yield_when_idle", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
