"""An output directory as `osteon run` writes it, with a synthetic but plausible specimen."""

import hashlib
import json
from pathlib import Path

import netCDF4
import nrrd
import numpy as np
import xxhash
from PIL import Image


def sponge(shape: tuple[int, int, int]) -> np.ndarray:
    """A gyroid with grey values from 0 to 255."""
    z, y, x = (np.linspace(0, 5 * np.pi, n) for n in shape)
    z, y, x = np.meshgrid(z, y, x, indexing="ij")
    wave = np.sin(x) * np.cos(y) + np.sin(y) * np.cos(z) + np.sin(z) * np.cos(x)
    return np.clip(128 + 80 * wave, 0, 255).astype("u1")


def add_digests(file: netCDF4.Dataset) -> None:
    """Add attributes and digests to a file with fields, so that the file is a result (docs/reference/format.md)."""
    file.setncatts({"product_schema": "osteon-result 1.0", "complete": np.int32(1)})
    file.createDimension("hex", 16)
    integrity = file.createGroup("integrity")
    for group in file["VTKHDF"].groups.values():
        for name, variable in group.variables.items():
            rows = [
                xxhash.xxh3_64(np.ascontiguousarray(variable[z : z + 3])).hexdigest()
                for z in range(0, len(variable), 3)
            ]
            file.createDimension(f"{name}_chunks", len(rows))
            digests = integrity.createVariable(name, "S1", (f"{name}_chunks", "hex"))
            digests[:] = np.array([list(row) for row in rows], "S1")
            digests.planes_per_digest, digests.digest = np.int32(3), "XXH3_64"


def seal(path: Path) -> None:
    """The seal at the end of a file, in two parts (docs/reference/format.md)."""
    data = path.read_bytes()
    parts = [data[:1000], data[1000:]]
    table = "".join(f"{len(part):016x}" for part in parts)
    digests = "".join(xxhash.xxh3_64(part).hexdigest() for part in parts)
    end = f"{table}\nosteon-seal-3\n{len(parts):016x}{xxhash.xxh3_64((table + digests).encode()).hexdigest()}"
    path.write_bytes(data + end.encode())


def answer(key: str, title: str, unit: str) -> dict[str, str]:
    return {"key": key, "title": title, "unit": unit, "meaning": f"What {title} is."}


def write_output(
    folder: Path,
    physics: str = "elasticity",
    shape: tuple[int, int, int] = (20, 24, 28),
    cases: tuple[str, ...] = (),
    bends: bool = False,
) -> Path:
    """@param cases numbers of the load cases; each case has its own field, which is n times the displayed field
    @param bends whether the result has the displacements of a beam along z that bends towards x"""
    folder.mkdir(parents=True, exist_ok=True)
    grey = sponge(shape)
    np.save(folder / "scan.npy", grey)
    solid = grey > 120
    values = np.where(solid, np.random.default_rng(3).lognormal(-2, 1, shape) * (grey / 128.0), np.nan).astype("f4")
    name = "sed" if physics == "elasticity" else "heat_flux"
    with netCDF4.Dataset(folder / "results.nc", "w") as file:
        file.set_auto_mask(False)
        for axis, n in zip("zyx", shape, strict=True):
            file.createDimension(axis, n)
        cells = file.createGroup("VTKHDF/CellData")
        file["VTKHDF"].setncatts({"Origin": np.zeros(3), "Spacing": np.full(3, 0.02)})
        cells.createVariable("material", "u1", ("z", "y", "x"))[:] = solid
        cells.createVariable(name, "f4", ("z", "y", "x"), zlib=True)[:] = values
        for n, case in enumerate(cases, start=1):
            cells.createVariable(f"{name}_{case}", "f4", ("z", "y", "x"))[:] = values * n
        if bends:
            nodes = [n + 1 for n in shape]
            for axis, n in zip("zyx", nodes, strict=True):
                file.createDimension(f"{axis}_node", n)
            file.createDimension("xyz", 3)
            move = np.zeros((*nodes, 3), "f4")
            move[..., 0] = (np.linspace(0, 1, nodes[0]) ** 2 * 1e-3)[:, None, None]
            move[0, 0, 0] = np.nan
            points = file.createGroup("VTKHDF/PointData")
            points.createVariable("displacement", "f4", ("z_node", "y_node", "x_node", "xyz"))[:] = move
        add_digests(file)
    seal(folder / "results.nc")
    Image.fromarray((np.random.default_rng(1).random((300, 300, 3)) * 40 + 200).astype("u1")).save(
        folder / "picture.png"
    )
    summary = {
        "schema": "osteon.summary/1",
        "job": "bone <demo>",
        "physics": physics,
        "status": "done",
        "files": {"picture": str(folder / "picture.png")},
        "elements": int(solid.sum()),
        "dofs": 3 * int(solid.sum()),
        "ranks": 2,
        "threads": 1,
        "iterations": 14,
        "relative_residual": 7e-7,
        "setup_seconds": 2.5,
        "solve_seconds": 41.0,
        "cpu_seconds": 88.0,
        "peak_rss_bytes": 1900000000,
        "certificate": {
            "tolerance": 1e-6,
            "true_relative_residual": 7.1e-7,
            "reaction_imbalance": 3e-8,
            "energy_identity_error": 2e-9,
            "converged": True,
        },
        "residual_history": [10 ** (-0.45 * i) for i in range(15)],
        "image": {
            "path": str(folder / "scan.npy"),
            "format": "npy",
            "shape": list(shape),
            "dtype": "uint8",
            "spacing_mm": [0.02, 0.02, 0.02],
            "spacing_note": "Assumed: the source does not state it.",
        },
        "segmentation": {
            "threshold": 120.0,
            "method": "otsu",
            "solid_voxels": 5300,
            "kept_voxels": 5100,
            "dropped_voxels": 200,
            "dropped_islands": 12,
            "hanging_voxels": 90,
            "hanging_islands": 1,
            "largest_islands": [90, 40],
            "volume_fraction": 0.47,
            "percolates": {"z": True, "y": True, "x": False},
            "load_axis": "z",
        },
        "stages": [
            {"name": "reading", "seconds": 0.4},
            {"name": "solving", "seconds": 41.0},
            {"name": "drawing the picture", "seconds": 3.0},
        ],
    }
    if physics == "elasticity":
        summary |= {
            "reaction_N": [-34.5, 0.02, -0.01],
            "stiffness_N_per_mm": 1347.6,
            "apparent_modulus_MPa": 1523.4,
            "sed_MPa": {"mean": 0.21, "p95": 0.9, "p98": 1.3, "max": 12.0},
            "effective_strain": {"p98": 0.0123},
            "pistoia": {"factor": 0.61, "failure_load_N": -21.2},
            "load": {"test": "axial_bonded", "axis": "z", "strain": -0.01},
            "shown": {"field": name, "title": "strain energy density", "units": "MPa", "caption": "Under load"},
            "answers": [
                answer("stiffness_N_per_mm", "stiffness", "N/mm"),
                answer("apparent_modulus_MPa", "apparent modulus", "MPa"),
                answer("pistoia.failure_load_N", "failure load (Pistoia)", "N"),
                answer("reaction_N", "reaction (z, y, x)", "N"),
                answer("sed_MPa.mean", "strain energy density, mean", "MPa"),
            ],
        }
    else:
        summary |= {
            "flux_W": 1.2e-4,
            "effective_conductivity_W_per_mK": 0.146,
            "tortuosity": 1.74,
            "load": {"test": "conduction", "axis": "z", "low_K": 310.0, "high_K": 311.0},
            "shown": {"field": name, "title": "heat flux density", "units": "W mm-2", "caption": "Heat"},
            "answers": [
                answer("effective_conductivity_W_per_mK", "effective conductivity", "W/(m K)"),
                answer("tortuosity", "tortuosity", ""),
                answer("flux_W", "heat flow", "W"),
            ],
        }
    (folder / "summary.json").write_text(json.dumps(summary))
    manifest = {
        "schema": "osteon.manifest/1",
        "version": "0.1.0",
        "git": "abc1234",
        "compiler": "gcc 12.2.0",
        "flags": "-O3",
        "mpi": "Open MPI 4.1.4",
        "libraries": {"netCDF": "4.9.0"},
        "hosts": ["desk"],
        "cpu": "Example CPU",
        "cores": 2,
        "started": "2026-01-01T00:00:00Z",
        "finished": "2026-01-01T00:01:00Z",
        "command": "osteon run bone.toml",
        "job_text": '# <job>\nname = "bone"\n',
        "input_sha256": "00" * 32,
    }
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def write_scene(folder: Path) -> None:
    """Write the files of a run for a block between a fixed and a loaded face: scene.json, and sets.nrrd with both
    faces."""
    summary = json.loads((folder / "summary.json").read_text())
    with netCDF4.Dataset(folder / "results.nc") as file:
        solid = file["VTKHDF/CellData/material"][:].data != 0
    sets = np.zeros(solid.shape, "u1")
    sets[0][solid[0]], sets[-1][solid[-1]] = 1, 2
    fields = {
        "encoding": "gzip",
        "space directions": np.eye(3) * 0.02,
        "space origin": [0.01] * 3,
        "space dimension": 3,
    }
    nrrd.write(str(folder / "sets.nrrd"), sets.transpose(2, 1, 0), fields)
    origin = summary["image"].get("origin_mm", [0, 0, 0])
    top = {"number": 2, "name": "<top>", "nodes": 9}
    scene = {
        "schema": "osteon.scene/1",
        "job": "bone",
        "physics": summary["physics"],
        "shape": list(solid.shape),
        "spacing_mm": [0.02] * 3,
        "origin_mm": origin,
        "direction": [1, 0, 0, 0, -1, 0, 0, 0, 1],
        "camera": {"azimuth_deg": -50, "elevation_deg": 20, "zoom": 1},
        "sets": [{"number": 1, "name": "grip", "nodes": 8}, top],
        "cases": [
            {
                "supports": [{"kind": "held", "set": 1, "on": "grip", "held": "zyx"}],
                "forces": [
                    {"kind": "force", "set": 2, "on": "<top>", "point_mm": [0.4, 0.2, 0.2], "force_N": [-3, 0, 0]}
                ],
            }
        ],
        "boundaries": [],
        "set_volume": {
            "file": "sets.nrrd",
            "sha256": hashlib.sha256((folder / "sets.nrrd").read_bytes()).hexdigest(),
        },
    }
    (folder / "scene.json").write_text(json.dumps(scene))
