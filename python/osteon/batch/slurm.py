"""A batch, a cohort or cubes as a job array of Slurm. The job array consists of two scripts for sbatch. Slurm schedules
the tasks of the array."""

import os
import shlex
import subprocess
from pathlib import Path

from ..calls.api import binary
from ..errors import MachineError
from .batch import Batch

KEPT = (
    "OSTEON_PYTHON",
    "OSTEON_MPI",
    "OSTEON_MPIRUN",
    "OSTEON_CACHE",
    "PYTHONPATH",
)  # variables for sites that do not export the environment to jobs


def write_job_array(batch: Batch) -> int:
    """Write both scripts. If requested, submit the scripts. @throws MachineError, OSError"""
    given, folder, count = batch.given, batch.folder, len(batch.items)
    (folder / "logs").mkdir(parents=True, exist_ok=True)
    array, collect = folder / f"{batch.kind}.sbatch", folder / "collect.sbatch"
    limit = f"%{given.at_once}" if given.at_once else ""
    of_ranks = [f"--ntasks={given.ranks}"] if given.ranks else []
    of_threads = [f"--cpus-per-task={given.threads}"] if given.threads else []
    own = [
        f"--job-name={shlex.quote(folder.name)}", f"--array=1-{count}{limit}", *of_ranks, *of_threads,
        f"--output={_logs(folder)}/slurm_%A_%a.log", "--signal=B:TERM@120",
    ]  # fmt: skip
    command, items = _own_command(batch), [shlex.quote(word) for word in batch.input_arguments()]
    again = ["--requeue"] if given.requeue else []
    task = [*command, *again, "--only", '"$SLURM_ARRAY_TASK_ID"', *items]
    # A task that is queued again continues its log.
    array.write_text(_script([*own, *(["--requeue", "--open-mode=append"] if again else []), *given.slurm_line], task))
    last = [f"--job-name={shlex.quote(folder.name)}-collect", f"--output={_logs(folder)}/slurm_collect_%j.log"]
    one = ["--ntasks=1", "--cpus-per-task=1"]
    collect.write_text(_script([*last, *given.slurm_line, *one], [*command, "--collect", *items]))
    print(f"{array}: {count} tasks\n{collect}: table and page, after the tasks")
    if given.submit:
        number = _sbatch([str(array)], folder)
        later = _sbatch([f"--dependency=afterany:{number}", str(collect)], folder)
        print(f"submitted as {number}, then {later}")
    else:
        print(f"submit by: osteon {batch.kind} ... --slurm --submit, or sbatch {shlex.quote(str(array))}")
    return 0


def _logs(folder: Path) -> str:
    return str(folder.absolute() / "logs").replace("%", "%%")


def _script(options: list[str], command: list[str]) -> str:
    lines = ["#!/bin/bash", *(f"#SBATCH {o}" for o in options)]
    lines += [f"export {name}={shlex.quote(os.environ[name])}" for name in KEPT if os.environ.get(name)]
    # At the time limit, Slurm sends SIGTERM. The item then writes a checkpoint. The next submission continues the item.
    return "\n".join([*lines, f"cd {shlex.quote(str(Path.cwd()))} || exit 5", "exec " + " ".join(command), ""])


def _own_command(batch: Batch) -> list[str]:
    """Return the command without its inputs, in shell syntax."""
    given = batch.given
    command = [binary(), batch.kind, "--out", given.out]
    for name, value in (("-n", given.ranks), ("-t", given.threads)):
        command += [name, str(value)] if value else []
    command += ["--json", given.json] if given.json not in ("", "-") else []
    for change in given.set:
        command += ["--set", change]
    return [shlex.quote(word) for word in [*command, *batch.own_options()]]


def _sbatch(command: list[str], folder: Path) -> str:
    """Submit a script. @return number of the Slurm job"""
    written = f"the scripts are written to '{folder}'"
    try:
        done = subprocess.run(["sbatch", "--parsable", *command], capture_output=True, text=True, check=False)
    except OSError as e:
        raise MachineError(f"cannot start sbatch: {e.strerror}; {written}, submit them on a host with Slurm") from None
    number = done.stdout.strip().split("\n")[-1].partition(";")[0]
    if done.returncode != 0 or not number:
        raise MachineError(f"sbatch rejected {command[-1]}: {' '.join(done.stderr.split()) or 'no message'}; {written}")
    return number
