"""Settings of the Python tests of the studies. As in tests/conftest.py, waiting ranks yield their cores."""

import os

os.environ.setdefault("OMPI_MCA_mpi_yield_when_idle", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
