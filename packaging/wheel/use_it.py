"""What a stranger does with osteon from Python, in the system of packaging/wheel/check.sh."""

import json
import sys
from pathlib import Path

import numpy as np

import osteon

# A bar of 16 x 8 x 8 voxels of 0.1 mm, loaded along z: E A / L, as Poisson's ratio is 0.
STIFFNESS_N_PER_MM = 1000.0 * 0.8 * 0.8 / 1.6


def write() -> None:
    np.save("bar.npy", np.full((16, 8, 8), 200, np.uint8))
    Path("bar.toml").write_text(
        'name = "bar"\nphysics = "elasticity"\n[image]\npath = "bar.npy"\nspacing_mm = [0.1, 0.1, 0.1]\n'
        "[segment]\nthreshold = 100\n[[material]]\nname = 'm'\nyoungs_modulus_MPa = 1000.0\npoisson_ratio = 0.0\n"
        '[load]\ntest = "axial_bonded"\naxis = "z"\nstrain = -0.01\n'
    )


def compare(folders: list[str]) -> None:
    for folder in folders:
        stiffness = float(osteon.load(folder).stiffness_N_per_mm)
        print(f"{folder}: stiffness {stiffness} N/mm, by hand {STIFFNESS_N_PER_MM}")
        assert abs(stiffness / STIFFNESS_N_PER_MM - 1) < 1e-5
    manifest = json.loads((Path(folders[0]) / "manifest.json").read_text())
    print({key: manifest[key] for key in manifest if key in ("ranks", "mpi", "build")})


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
    # Five lines of Python: the same answer, of an array.
    solid = np.full((16, 8, 8), True)
    again = osteon.stiffness(solid, spacing_mm=0.1, youngs_modulus_MPa=1000.0, poisson_ratio=0.0)
    assert abs(float(again.stiffness_N_per_mm) / STIFFNESS_N_PER_MM - 1) < 1e-5


if __name__ == "__main__":
    task, *folders = sys.argv[1:]
    if task == "write":
        write()
    elif task == "compare":
        compare(folders)
    else:
        results(folders[0])
