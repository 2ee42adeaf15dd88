"""Solve jobs on arrays in this process, or in the processes of an mpi4py communicator. The program osteon is not
started.

The module `osteon._native` solves the jobs. If this module was not built, or if a job reads or writes files, one
process starts the program. The program returns the same answers.
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

# With fewer voxels per thread, an additional thread would increase the time.
VOXELS_A_THREAD = 50_000


def solve_in_process(job: Mapping[str, Any], image: "np.ndarray", progress: bool | Listener) -> Result | None:
    """Solve a job on an array in this process.

    Parameters
    ----------
    job
        Tables of the job. The path of the image is ignored.
    image
        Grey values or labels of shape (z, y, x).

    Returns
    -------
    Result or None
        The result is None if the program must run this job.
    """
    from .api import to_toml

    native = native_module()
    run, output = job.get("run", {}), job.get("output", {})
    if native is None or output.get("directory") or run.get("ranks", 1) != 1 or not _can_start_mpi():
        return None
    # after a fork, MPI and the threads of the parent cannot be used; the program has its own MPI and threads
    if native.is_forked():
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
    """Solve a job on an array in the processes of a communicator. The function is collective on the communicator.

    Parameters
    ----------
    job
        Tables of the job. Only the tables of rank 0 are used.
    image
        Grey values or labels of shape (z, y, x). Only the image of rank 0 is used.
    progress
        Listener for the progress, on rank 0.
    comm
        Communicator of mpi4py.

    Returns
    -------
    Result
        If the job has a folder (output.directory), all ranks read the files of this folder. Otherwise, only rank 0 has
        the fields.
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
        raise UsageError(
            f"{missing} of {comm.Get_size()} processes do not have the module osteon._native for this Python"
        )
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
    """Raise an exception of rank 0 on all ranks."""
    fault = comm.bcast(fault) if comm is not None else fault
    if fault is not None:
        raise fault


def _prepare_together(
    job: Mapping[str, Any], image: "np.ndarray | None", native: ModuleType | None
) -> tuple[tuple[str, int, str], "np.ndarray"]:
    """Return the text of the job, the threads per rank, the folder of the results (on all ranks), and the image.
    @throws UsageError"""
    from .api import to_toml

    values = None if image is None else _as_native(image)
    if values is None:
        raise UsageError(
            "the image of rank 0 is not a three-dimensional array of numbers; pass an array of shape (z, y, x)"
        )
    run, output = job.get("run", {}), dict(job.get("output", {}))
    directory = output.pop("directory", None)
    toml = to_toml(
        {
            **job,
            "image": {**job.get("image", {}), "path": "array"},
            "output": output,
            "run": {**run, "ranks": 1},  # the communicator defines the number of ranks
        }
    )
    if native and (why := native.why_not(toml)):
        raise UsageError(
            f"the job cannot be solved on a communicator: {why}; remove comm, or the table that requires files"
        )
    return (toml, int(run.get("threads") or 1), str(Path(directory).absolute()) if directory else ""), values


class FieldsInMemory(Mapping[str, "np.ndarray"]):
    """Fields of a job that was solved in this process. A field is computed on its first use.

    Shapes and units equal those in a results file. With several processes, all fields are gathered immediately, because
    gathering is a collective call. Only the first process then has the fields.
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
        """Return the field with its unit and location."""
        import numpy as np

        from ..images.placement import Placement
        from ..results.result_fields import Field

        if name != "material" and name not in self._listed:
            raise KeyError(f"no field '{name}'; available: {', '.join(self)}")
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
    """Fields on ranks other than rank 0. Only rank 0 has the values."""

    def __getitem__(self, name: str) -> "np.ndarray":
        raise KeyError(f"field '{name}' is available on rank 0 only; set output.directory to read it on all ranks")

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


class SolvedHere(Result):
    """A result that writes its files on their first use."""

    def __init__(self, summary: dict[str, Any], solution: Any) -> None:
        super().__init__(summary, FieldsInMemory(solution))
        self._solution = solution

    @property
    def output_directory(self) -> Path:
        """Return a folder with results.nc, summary.json and manifest.json. The folder is deleted with the result."""
        if self._temporary is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="osteon-")
            self._solution.write(self._temporary.name, "osteon from Python")
        return Path(self._temporary.name)

    def _has_own_folder(self) -> bool:
        return False

    def _picture(self) -> None:
        """Return None, because a job in memory draws no picture. A search for a picture would write the files of the
        job."""

    @output_directory.setter
    def output_directory(self, folder: Path | None) -> None:
        assert folder is None


def _can_start_mpi() -> bool:
    """Return True if MPI can start in this process. In a batch allocation, some MPI libraries require a job step."""
    if "SLURM_JOB_ID" not in os.environ:
        return True
    mpi4py = sys.modules.get("mpi4py.MPI")
    return mpi4py is not None and mpi4py.Is_initialized()


def _as_native(image: "np.ndarray") -> "np.ndarray | None":
    """Return the array in C order and in a type of osteon that preserves all values. If there is no such type, the
    result is None."""
    import numpy as np

    values = np.asarray(image)
    if values.ndim != 3 or values.size == 0:
        return None  # the program will report the fault
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
