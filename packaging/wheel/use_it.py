"""Use of osteon from Python by a new user. The program runs in the system that packaging/wheel/check.sh creates."""

import json
import re
import sys
import time
from pathlib import Path

import numpy as np

import osteon

NAMES = {"mpich": "MPICH", "impi-rt": "Intel(R) MPI"}  # names that MPI libraries report

# Stiffness of a bar of 16 x 8 x 8 voxels of 0.1 mm with a load along z. The stiffness is E A / L, because Poisson's
# ratio is 0.
STIFFNESS_N_PER_MM = 1000.0 * 0.8 * 0.8 / 1.6


def write() -> None:
    np.save("bar.npy", np.full((16, 8, 8), 200, np.uint8))
    Path("bar.toml").write_text(
        'name = "bar"\nphysics = "elasticity"\n[image]\npath = "bar.npy"\nspacing_mm = [0.1, 0.1, 0.1]\n'
        "[segment]\nthreshold = 100\n[[material]]\nname = 'm'\nyoungs_modulus_MPa = 1000.0\npoisson_ratio = 0.0\n"
        '[load]\ntest = "axial_bonded"\naxis = "z"\nstrain = -0.01\n'
    )


def compare(mpi: str, *folders: str) -> None:
    """Compare the results of the command line: on one rank, on two ranks, on two ranks started by a launcher, and with
    this MPI library."""
    for folder, ranks in zip(folders, (1, 2, 2), strict=True):
        stiffness = float(osteon.load(folder).stiffness_N_per_mm)
        started = json.loads((Path(folder) / "summary.json").read_text())["ranks"]
        over = json.loads((Path(folder) / "manifest.json").read_text())["mpi"]
        print(f"{folder}: {stiffness} N/mm, by hand {STIFFNESS_N_PER_MM}; {started} ranks over {over}")
        assert abs(stiffness / STIFFNESS_N_PER_MM - 1) < 1e-5
        assert started == ranks
        assert NAMES.get(mpi, mpi) in over


def in_process() -> None:
    """A call from Python is solved in the Python process, in about a tenth of a second."""
    from osteon.calls.in_process import SolvedHere

    solid = np.full((16, 8, 8), True)
    for _ in range(2):
        begun = time.perf_counter()
        result = osteon.stiffness(solid, spacing_mm=0.1, youngs_modulus_MPa=1000.0, poisson_ratio=0.0)
        print(f"in process: {float(result.stiffness_N_per_mm)} N/mm, {time.perf_counter() - begun:.3f} s")
        assert isinstance(result, SolvedHere)
        assert abs(float(result.stiffness_N_per_mm) / STIFFNESS_N_PER_MM - 1) < 1e-5


def together() -> None:
    """Solve in the processes of an mpi4py communicator. The launcher of the MPI library has started these processes."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    solid = np.full((16, 8, 8), True) if comm.rank == 0 else None
    bar = osteon.stiffness(solid, spacing_mm=0.1, youngs_modulus_MPa=1000.0, poisson_ratio=0.0, comm=comm)
    print(f"rank {comm.rank} of {comm.size}: {float(bar.stiffness_N_per_mm)} N/mm")
    assert comm.size == 2 and bar.summary["ranks"] == 2
    assert abs(float(bar.stiffness_N_per_mm) / STIFFNESS_N_PER_MM - 1) < 1e-5


def front_page(page: str) -> None:
    """Execute the Python lines of the front page, and the job of the front page, on a block of a sponge."""
    blocks = dict(
        re.findall(r"^```(python|toml)\n(.*?)^```", Path(page).read_text(encoding="utf-8"), re.M | re.S)[::-1]
    )
    assert len(blocks["python"].strip().splitlines()) <= 6
    waves = np.sin(np.indices((24, 24, 24)) * (2 * np.pi / 12)).sum(axis=0)
    np.save("scan.npy", np.clip(120 + 60 * (waves + 1), 0, 255).astype(np.uint8))
    exec(blocks["python"], {})
    Path("femur.toml").write_text(blocks["toml"].replace("scan.nrrd", "scan.npy"), encoding="utf-8")


def results(folder: str) -> None:
    import pyvista
    import xarray

    result = osteon.load(folder)
    dataset, grid = result.to_xarray(), result.to_pyvista()
    field = next(iter(dataset.data_vars))
    assert isinstance(grid, pyvista.ImageData) and grid.n_cells == 16 * 8 * 8
    with xarray.open_dataset(Path(folder) / "results.nc") as opened:
        print("xarray:", sorted(opened.data_vars), "PyVista:", sorted(grid.array_names), "first field:", field)
    page = (Path(folder) / "report.html").read_text(encoding="utf-8")
    assert "<html" in page and "bar" in page


if __name__ == "__main__":
    task, *arguments = sys.argv[1:]
    tasks = {f.__name__: f for f in (write, compare, in_process, together, results, front_page)}
    tasks[task](*arguments)
