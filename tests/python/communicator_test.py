"""Jobs on arrays over an mpi4py communicator. Oracle: the same job on one process, and the program on two ranks."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from osteon.processes.native_module import native_module

import osteon

ROOT = Path(__file__).parents[2]
pytest.importorskip("mpi4py")
pytestmark = pytest.mark.skipif(native_module() is None, reason="the module osteon._native was not built")

PROGRAM = """
import json, sys
import numpy as np
import osteon
from mpi4py import MPI

comm, folder = MPI.COMM_WORLD, sys.argv[1]
first = comm.rank == 0
image = np.load(folder + "/image.npy") if first else None
elastic = dict(spacing_mm=0.05, youngs_modulus_MPa=1000, poisson_ratio=0.3, threshold=100)

reported = []
bone = osteon.stiffness(
    image, **elastic, comm=comm, output={"fields": ["sed", "displacement"]},
    progress=lambda stage, share, text: reported.append(stage),
)
assert bool(reported) == first
assert bone.stiffness_N_per_mm == comm.bcast(bone.stiffness_N_per_mm) and bone.summary["ranks"] == comm.size
if first:
    np.savez(folder + "/fields.npz", **{name: bone[name] for name in bone.fields})
else:
    assert not list(bone.fields)
    try:
        bone["sed"]
    except KeyError as fault:
        assert "on rank 0" in str(fault)
    else:
        raise AssertionError("rank 1 has a field")

# Files, and a communicator that is not the world, in another order.
turned = comm.Split(0, comm.size - comm.rank)
image = comm.bcast(image)
heat = osteon.conductivity(image, 0.05, conductivity_W_per_mK=2.0, threshold=100, comm=turned,
                           output={"directory": folder + "/heat"})
assert heat["material"].shape == image.shape and np.nanmax(heat["temperature"]) > np.nanmin(heat["temperature"])
assert (heat.output_directory / "manifest.json").exists()
pores = osteon.permeability(image, 0.05, threshold=100, comm=MPI.COMM_SELF)
assert pores.summary["ranks"] == 1 and "velocity" in pores.fields

for refused, words in (
    (lambda: osteon.stiffness(None, **elastic, comm=comm), "image: missing"),
    (lambda: osteon.tortuosity(pores=image if first else None, spacing_mm=0.05, comm=comm), "boolean"),
    (lambda: osteon.stiffness(image, **(elastic | {"poisson_ratio": 0.7}), comm=comm), "poisson_ratio"),
    (lambda: osteon.stiffness(image, **elastic, comm=comm, picture={"enabled": True}), "a picture is requested"),
    (lambda: osteon.stiffness(np.zeros_like(image), **elastic, comm=comm), "solid"),
    (lambda: osteon.stiffness(image[:1], **elastic, comm=comm), "plane" if comm.size > 1 else ""),
):
    try:
        refused()
    except osteon.Error as fault:
        assert words in str(fault), fault
    else:
        assert not words, words
if first:
    answers = [bone.stiffness_N_per_mm, heat.effective_conductivity_W_per_mK, pores.permeability_m2]
    print(json.dumps(answers))
"""


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create a smooth random image in a folder."""
    folder = tmp_path_factory.mktemp("together")
    noise = np.random.default_rng(3).standard_normal((14, 10, 12))
    for axis in range(3):
        noise = noise + np.roll(noise, 1, axis) + np.roll(noise, -1, axis)
    np.save(folder / "image.npy", (noise > -0.5 * noise.std()).astype("u1") * 200)
    return folder


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_processes_solve_together(image: Path, ranks: int) -> None:
    (image / "program.py").write_text(PROGRAM, encoding="utf-8")
    command = ["sh", str(ROOT / "tools/mpirun.sh"), str(ranks), sys.executable, str(image / "program.py"), str(image)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=dict(os.environ), check=False)
    assert done.returncode == 0, done.stderr
    stiffness, conductivity, permeability = json.loads(done.stdout.strip().splitlines()[-1])

    values = np.load(image / "image.npy")
    alone = osteon.stiffness(
        values,
        spacing_mm=0.05,
        youngs_modulus_MPa=1000,
        poisson_ratio=0.3,
        threshold=100,
        output={"fields": ["sed", "displacement"]},
    )
    assert stiffness == pytest.approx(alone.stiffness_N_per_mm, rel=1e-6)
    with np.load(image / "fields.npz") as fields:
        assert set(fields) == set(alone.fields)
        np.testing.assert_array_equal(fields["material"], alone["material"])
        for name in ("sed", "displacement"):
            peak = np.nanmax(np.abs(alone[name]))
            np.testing.assert_allclose(fields[name], alone[name], atol=1e-4 * peak, rtol=0, equal_nan=True)
    heat = osteon.conductivity(values, 0.05, conductivity_W_per_mK=2.0, threshold=100)
    assert conductivity == pytest.approx(heat.effective_conductivity_W_per_mK, rel=1e-6)
    assert permeability == pytest.approx(osteon.permeability(values, 0.05, threshold=100).permeability_m2, rel=1e-6)


LATE = """
import numpy as np
import osteon

solid, bone = np.full((4, 4, 4), True), dict(spacing_mm=0.1, youngs_modulus_MPa=1000, poisson_ratio=0.3)
osteon.stiffness(solid, **bone)  # begins MPI in this process
from mpi4py import MPI

try:
    osteon.stiffness(solid, **bone, comm=MPI.COMM_SELF)
except osteon.UsageError as fault:
    assert "import mpi4py.MPI before" in str(fault), fault
else:
    raise AssertionError("was taken")
print(osteon.stiffness(solid, **bone).stiffness_N_per_mm > 0)
"""


def test_mpi4py_has_to_come_first() -> None:
    """Oracle: the contract. One sentence contains the remedy. A call without a communicator does not change."""
    done = subprocess.run([sys.executable, "-c", LATE], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "True"
