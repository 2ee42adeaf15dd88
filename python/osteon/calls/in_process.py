"""Jobs on arrays, solved in this process, or in those of an mpi4py communicator: no program is started.

The module `osteon._native` does it. Where it was not built, or for what lies in files or goes to files, one process
starts the program, which gives the same answers.
"""

import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from ..processes.container_limits import usable_cores
from ..processes.native_module import native_module
from .progress import Bar, Listener
from .result import Result, StoredFields

if TYPE_CHECKING:
    import numpy as np
    from mpi4py import MPI

    from ..results.result_fields import Field

# Below so many voxels for each a further thread costs more than it does.
VOXELS_A_THREAD = 50_000


def solve_here(job: Mapping[str, Any], image: "np.ndarray", progress: bool | Listener) -> Result | None:
    """Solve a job on an array in this process.

    Parameters
    ----------
    job
        Its tables; the path of the image counts for nothing.
    image
        Grey values or labels of shape (z, y, x).

    Returns
    -------
    Result or None
        None: this job has to be run by the program.
    """
    from .api import to_toml

    native = native_module()
    run, output = job.get("run", {}), job.get("output", {})
    if native is None or output.get("directory") or run.get("ranks", 1) != 1 or not _mpi_begins_here():
        return None
    if native.is_forked():  # MPI and the threads of the parent do not survive a fork; a program has its own
        return None
    values = _as_native(image)
    if values is None:
        return None
    toml = to_toml({**job, "image": {**job.get("image", {}), "path": "array"}, "run": {**run, "ranks": 1}})
    if native.why_not(toml):
        return None
    threads = run.get("threads") or max(1, min(usable_cores(), values.size // VOXELS_A_THREAD))
    bar = Bar() if progress is True else None
    try:
        solution = native.solve(toml, values, int(threads), bar or progress or None)
    finally:
        if bar:
            bar.close()
    return SolvedHere(json.loads(solution.summary), solution)


def solve_together(
    job: Mapping[str, Any], image: "np.ndarray | None", progress: bool | Listener, comm: "MPI.Intracomm"
) -> Result:
    """Solve a job on an array in the processes of a communicator, all of which call this.

    Parameters
    ----------
    job
        Its tables; those of rank 0 count.
    image
        Grey values or labels of shape (z, y, x), on rank 0.
    progress
        Of rank 0.
    comm
        Of mpi4py.

    Returns
    -------
    Result
        Where the job names a folder (output.directory), its files lie there. Else rank 0 has the fields.
    """
    from mpi4py import MPI

    native = native_module()
    prepared, values, fault = ("", 0, ""), None, None
    if comm.Get_rank() == 0:
        try:
            prepared, values = _prepare_together(job, image, native)
        except Exception as e:
            fault = e
    raise_together(comm, fault)
    toml, threads, directory = comm.bcast(prepared)
    missing = comm.allreduce(int(native is None))
    if missing:
        raise UsageError(f"{missing} of {comm.Get_size()} processes have no module osteon._native for this Python")
    ranks = comm.Get_group().Translate_ranks(None, MPI.COMM_WORLD.Get_group())
    first = comm.Get_rank() == 0
    bar = Bar() if progress is True and first else None
    try:
        solution = native.solve(toml, values, threads, (bar or progress or None) if first else None, list(ranks))
    finally:
        if bar:
            bar.close()
    summary = json.loads(solution.summary)
    if directory:
        solution.write(directory, "osteon from Python")
        summary = json.loads((Path(directory) / "summary.json").read_text(encoding="utf-8"))
        return Result(summary, StoredFields(Path(directory) / "results.nc"), Path(directory))
    fields = FieldsInMemory(solution, at_once=True)
    return Result(summary, fields if first else FieldsElsewhere())


def raise_together(comm: "MPI.Intracomm | None", fault: Exception | None) -> None:
    """Raise what rank 0 has found, on all ranks."""
    fault = comm.bcast(fault) if comm is not None else fault
    if fault is not None:
        raise fault


def _prepare_together(
    job: Mapping[str, Any], image: "np.ndarray | None", native: ModuleType | None
) -> tuple[tuple[str, int, str], "np.ndarray"]:
    """The job as text, threads of a rank and folder of the results, for all ranks; the image. @throws UsageError"""
    from .api import to_toml

    values = None if image is None else _as_native(image)
    if values is None:
        raise UsageError("rank 0 has no image of numbers in three dimensions; give it one of shape (z, y, x)")
    run, output = job.get("run", {}), dict(job.get("output", {}))
    directory = output.pop("directory", None)
    toml = to_toml(
        {
            **job,
            "image": {**job.get("image", {}), "path": "array"},
            "output": output,
            "run": {**run, "ranks": 1},  # how many there are says the communicator
        }
    )
    if native and (why := native.why_not(toml)):
        raise UsageError(f"the job cannot be solved on a communicator: {why}; leave out comm, or what it asks for")
    return (toml, int(run.get("threads") or 1), str(Path(directory).absolute()) if directory else ""), values


class FieldsInMemory(Mapping[str, "np.ndarray"]):
    """Fields of a job that was solved in this process, made when they are asked for and then kept.

    Shapes and units are those of a results file.

    Of several processes, which make them together, the first one has them: then they are made at once.
    """

    def __init__(self, solution: Any, at_once: bool = False) -> None:
        self._solution = solution
        self._listed = {
            name: (number, units, on_nodes) for number, (name, _, units, on_nodes) in enumerate(solution.fields)
        }
        self._made: dict[str, Field] = {}
        if at_once:
            for name in self:
                self.field(name)

    def field(self, name: str) -> "Field":
        """The field with its unit and its place."""
        import numpy as np

        from ..images.placement import Placement
        from ..results.result_fields import Field

        if name != "material" and name not in self._listed:
            raise KeyError(f"there is no field '{name}'; there are {', '.join(self)}")
        if name not in self._made:
            if name == "material":
                values, units, on_nodes = self._solution.material(), "1", False
            else:
                number, units, on_nodes = self._listed[name]
                values = self._solution.values(number)
            spacing, corner = np.array(self._solution.spacing_mm[::-1]), np.array(self._solution.origin_mm[::-1])
            self._made[name] = Field(name, values, units, on_nodes, spacing, Placement(corner))
        return self._made[name]

    def __getitem__(self, name: str) -> "np.ndarray":
        return self.field(name).values

    def __iter__(self) -> Iterator[str]:
        return iter(["material", *self._listed])

    def __len__(self) -> int:
        return 1 + len(self._listed)

    def __repr__(self) -> str:
        return f"<fields {', '.join(self)} in memory>"


class FieldsElsewhere(Mapping[str, "np.ndarray"]):
    """What the other ranks have of the fields that rank 0 has."""

    def __getitem__(self, name: str) -> "np.ndarray":
        raise KeyError(f"the field '{name}' is on rank 0; name a folder (output.directory) to read it everywhere")

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


class SolvedHere(Result):
    """A result whose files are written when something asks for them."""

    def __init__(self, summary: dict[str, Any], solution: Any) -> None:
        super().__init__(summary, FieldsInMemory(solution))
        self._solution = solution

    @property
    def output_directory(self) -> Path:
        """A folder with results.nc, summary.json and manifest.json, which goes with the result."""
        if self._keeps is None:
            self._keeps = tempfile.TemporaryDirectory(prefix="osteon-")
            self._solution.write(self._keeps.name, "osteon from Python")
        return Path(self._keeps.name)

    def _has_own_folder(self) -> bool:
        return False

    def _picture(self) -> None:
        """A job in memory makes none; to look for it would write its files."""

    @output_directory.setter
    def output_directory(self, folder: Path | None) -> None:
        assert folder is None


def _mpi_begins_here() -> bool:
    """Whether MPI can begin in this process. In an allocation of a batch system some MPIs look for its step, and do not
    begin without."""
    if "SLURM_JOB_ID" not in os.environ:
        return True
    mpi4py = sys.modules.get("mpi4py.MPI")
    return mpi4py is not None and mpi4py.Is_initialized()


def _as_native(image: "np.ndarray") -> "np.ndarray | None":
    """The array in C order and a type that osteon has, without loss; None if there is none."""
    import numpy as np

    values = np.asarray(image)
    if values.ndim != 3 or values.size == 0:
        return None  # the program says what is wrong with it
    if values.dtype.kind in "iu" and values.dtype.itemsize == 8:
        low, high = int(values.min()), int(values.max())
        kind = next((k for k in (np.int32, np.uint32) if np.iinfo(k).min <= low and high <= np.iinfo(k).max), None)
        if kind is None:
            return None
        values = values.astype(kind)
    if values.dtype == np.float16:
        values = values.astype(np.float32)
    if values.dtype.kind not in "iuf" or values.dtype.itemsize > 8:
        return None
    return np.ascontiguousarray(values, values.dtype.newbyteorder("="))
