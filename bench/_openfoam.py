"""Compute the flow through an image by simpleFoam of OpenFOAM. The mesh consists of the fluid voxels, with one cell per
voxel.

The flow is steady and laminar, and its fluid has viscosity and density one. A uniform force drives the flow. The force
is so small that inertia is negligible. The image is periodic in all directions.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
from _program import Cost, measured

FORCE = 1e-3
HEAD = 'FoamFile {{ version 2.0; format ascii; class {kind}; location "{place}"; object {name}; }}\n'
ENVIRONMENT = {"WM_PROJECT_DIR": "/usr/share/openfoam", "WM_PROJECT": "OpenFOAM"}

CONTROL = """
application simpleFoam; startFrom startTime; startTime 0; stopAt endTime; endTime 2000; deltaT 1;
writeControl timeStep; writeInterval 2000; purgeWrite 1; writeFormat ascii; writePrecision 10; runTimeModifiable false;
"""
SCHEMES = """
ddtSchemes { default steadyState; } gradSchemes { default Gauss linear; }
divSchemes { default none; div(phi,U) bounded Gauss linear; div((nuEff*dev2(T(grad(U))))) Gauss linear; }
laplacianSchemes { default Gauss linear orthogonal; } interpolationSchemes { default linear; }
snGradSchemes { default orthogonal; }
"""
SOLUTION = """
solvers {
 p { solver GAMG; smoother GaussSeidel; tolerance 1e-12; relTol 0.05; }
 U { solver GAMG; smoother GaussSeidel; tolerance 1e-12; relTol 0.05; }
}
SIMPLE { consistent yes; nNonOrthogonalCorrectors 0; pRefCell 0; pRefValue 0;
 residualControl { p 1e-6; U 1e-6; } }
relaxationFactors { equations { U 0.9; } }
"""
FORCING = """
drive { type vectorSemiImplicitSource; active yes; selectionMode all; volumeMode specific;
 injectionRateSuSp { U ((%s) 0); } sources { U ((%s) 0); } }
"""


def _write(case: Path, place: str, name: str, kind: str, text: str) -> None:
    (case / place).mkdir(parents=True, exist_ok=True)
    (case / place / name).write_text(HEAD.format(kind=kind, place=place, name=name) + text)


def write_case(fluid: np.ndarray, case: Path, along: int = 0) -> None:
    """Write a case with one cell per voxel of `fluid` (z, y, x). Edges have the length one. Opposite ends of the box
    are cyclic."""
    n = fluid.shape
    number = np.full(n, -1, np.int64)
    number[fluid] = np.arange(int(fluid.sum()))  # in C order, an upper neighbour has a larger number
    points = [m + 1 for m in n]

    def corner(z, y, x):
        return (z * points[1] + y) * points[2] + x

    def face(axis: int, z, y, x, outward: bool):
        """Return the corners of the face at the low end of a cell along `axis`. The normal of the face points upwards,
        or downwards if outward is true."""
        u, v = [a for a in range(3) if a != axis]
        base = [z, y, x]

        def at(du: int, dv: int):
            place = list(base)
            place[u] = place[u] + du
            place[v] = place[v] + dv
            return corner(*place)

        # The first axis of space is x = 2. The orientation of (z, y) is opposite to x, (z, x) opposite to y, and (y, x)
        # opposite to z.
        ring = [at(0, 0), at(1, 0), at(1, 1), at(0, 1)]
        if (axis != 1) != outward:
            ring.reverse()
        return np.stack(ring, axis=1)

    faces, owner, neighbour = [], [], []
    for axis in range(3):  # inner faces
        step = np.zeros(3, int)
        step[axis] = 1
        low = fluid & np.roll(fluid, -1, axis)
        cut = [slice(None)] * 3
        cut[axis] = -1
        low[tuple(cut)] = False
        z, y, x = np.nonzero(low)
        above = (z + step[0], y + step[1], x + step[2])
        faces.append(face(axis, *above, outward=False))
        owner.append(number[z, y, x])
        neighbour.append(number[above])
    faces, owner, neighbour = np.concatenate(faces), np.concatenate(owner), np.concatenate(neighbour)
    order = np.lexsort((neighbour, owner))
    faces, owner, neighbour = faces[order], owner[order], neighbour[order]

    patches: list[tuple[str, str, np.ndarray, np.ndarray]] = []
    wall_faces, wall_owner = [], []
    for axis in range(3):
        for up in (False, True):
            beyond = np.roll(fluid, -1 if up else 1, axis)
            cut = [slice(None)] * 3
            cut[axis] = -1 if up else 0
            at_end = np.zeros(n, bool)
            at_end[tuple(cut)] = True
            shift = [0, 0, 0]
            shift[axis] = 1 if up else 0
            wall = fluid & ~beyond
            z, y, x = np.nonzero(wall)
            wall_faces.append(face(axis, z + shift[0], y + shift[1], x + shift[2], outward=not up))
            wall_owner.append(number[z, y, x])
            z, y, x = np.nonzero(fluid & beyond & at_end)
            name, other = ("zyx"[axis] + w for w in (("high", "low") if up else ("low", "high")))
            patches.append(
                (
                    name,
                    f"type cyclic; neighbourPatch {other};",
                    face(axis, z + shift[0], y + shift[1], x + shift[2], outward=not up),
                    number[z, y, x],
                )
            )
    patches.append(("walls", "type wall;", np.concatenate(wall_faces), np.concatenate(wall_owner)))

    used, renumbered = np.unique(np.concatenate([faces.ravel(), *(p[2].ravel() for p in patches)]), return_inverse=True)
    all_faces = renumbered.reshape(-1, 4)
    place = np.stack([used % points[2], used // points[2] % points[1], used // (points[1] * points[2])], axis=1)

    def rows(array: np.ndarray, form: str) -> str:
        return f"{len(array)}\n(\n" + "\n".join(form % tuple(row) for row in array.tolist()) + "\n)\n"

    mesh = "constant/polyMesh"
    _write(case, mesh, "points", "vectorField", rows(place, "(%d %d %d)"))
    _write(case, mesh, "faces", "faceList", rows(all_faces, "4(%d %d %d %d)"))
    all_owners = np.concatenate([owner, *(p[3] for p in patches)])
    _write(case, mesh, "owner", "labelList", rows(all_owners[:, None], "%d"))
    _write(case, mesh, "neighbour", "labelList", rows(neighbour[:, None], "%d"))
    text, start = f"{len(patches)}\n(\n", len(owner)
    for name, kind, ring, _ in patches:
        text += f"{name} {{ {kind} nFaces {len(ring)}; startFace {start}; }}\n"
        start += len(ring)
    _write(case, mesh, "boundary", "polyBoundaryMesh", text + ")\n")

    cyclic = " ".join(f"{name} {{ type cyclic; }}" for name, *_ in patches[:-1])
    _write(
        case,
        "0",
        "U",
        "volVectorField",
        "dimensions [0 1 -1 0 0 0 0]; internalField uniform (0 0 0);"
        f"boundaryField {{ {cyclic} walls {{ type noSlip; }} }}\n",
    )
    _write(
        case,
        "0",
        "p",
        "volScalarField",
        "dimensions [0 2 -2 0 0 0 0]; internalField uniform 0;"
        f"boundaryField {{ {cyclic} walls {{ type zeroGradient; }} }}\n",
    )
    _write(case, "constant", "transportProperties", "dictionary", "transportModel Newtonian; nu 1;\n")
    _write(case, "constant", "turbulenceProperties", "dictionary", "simulationType laminar;\n")
    force = ["0", "0", "0"]
    force[2 - along] = str(FORCE)
    force_text = " ".join(force)
    _write(case, "constant", "fvOptions", "dictionary", FORCING % (force_text, force_text))
    _write(case, "system", "controlDict", "dictionary", CONTROL)
    _write(case, "system", "fvSchemes", "dictionary", SCHEMES)
    _write(case, "system", "fvSolution", "dictionary", SOLUTION)


def mean_velocity(case: Path, along: int) -> tuple[float, int]:
    """Return the mean over the cells of the last velocity that was written, and the iteration of this velocity."""
    last = max((p for p in case.iterdir() if p.name.isdecimal()), key=lambda p: int(p.name))
    text = (last / "U").read_text()
    begin = re.search(r"internalField\s+nonuniform List<vector>\s*\d+\s*\(", text)
    end = text.index("\n)", begin.end())
    values = np.array(re.findall(r"\(([^()]+)\)", text[begin.end() : end]))
    return float(np.mean([float(v.split()[2 - along]) for v in values])), int(last.name)


def connected(fluid: np.ndarray) -> np.ndarray:
    """Return the largest part of the fluid that is connected by faces, if this part has more than half of the fluid.
    Opposite ends are neighbours.

    Other parts are removed, because the pressure of an isolated part is undetermined. simpleFoam cannot solve such a
    problem.
    """
    left = fluid.copy()
    while left.any():
        part = np.zeros_like(fluid)
        part[np.unravel_index(int(left.argmax()), left.shape)] = True
        before, size = 0, 1
        while before < size:
            before = size
            for axis in range(3):
                part |= np.roll(part, 1, axis) | np.roll(part, -1, axis)
                part &= fluid
            size = int(part.sum())
        if 2 * size > fluid.sum():
            return part
        left &= ~part
    raise ValueError("no connected part of the fluid contains more than half of the fluid")


def permeability(fluid: np.ndarray, case: Path, along: int = 0) -> tuple[Cost, float, int]:
    """Return cost, permeability in voxel^2, and iterations of simpleFoam. @throws subprocess.CalledProcessError"""
    fluid = connected(fluid)
    write_case(fluid, case, along)
    cost = measured(["simpleFoam", "-case", str(case)], env=os.environ | ENVIRONMENT)
    velocity, iterations = mean_velocity(case, along)
    return cost, velocity * fluid.mean() / FORCE, iterations
