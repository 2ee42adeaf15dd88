"""Run jobs of osteon from Python. Inputs and outputs are numpy arrays."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import MachineError, ProgramNotFound, UsageError, error_of, printable, warn_of_job, without_places
from ..processes.child_process import python_path, without_launcher
from ..processes.installed_program import PROGRAM, settings
from .arguments import listener_of, path_of, plain, tables_of
from .one_frame import one_frame
from .progress import Bar, Listener, ProgressLines
from .result import Result, StoredFields

if TYPE_CHECKING:
    import numpy as np


def binary() -> str:
    """Return the path of the program osteon. The path is $OSTEON_BINARY, the program of the wheel, or the program in
    PATH."""
    installed = str(PROGRAM) if PROGRAM.exists() else None
    found = os.environ.get("OSTEON_BINARY") or installed or shutil.which("osteon")
    if not found or not Path(found).exists():
        raise ProgramNotFound(
            "the osteon program was not found; build it (./run setup) and set OSTEON_BINARY to its path"
        )
    return found


@one_frame
def run(job: Mapping[str, Any] | str | Path, *, progress: bool | Listener = False) -> Result:
    """Run a job. The job is the path of a TOML file, or a nested mapping with the same keys.

    Parameters
    ----------
    job
        A mapping without an [output] directory writes its files into a temporary folder. This folder is deleted with
        the result.
    progress
        True displays a bar. A function is called with stage, completed fraction and details.

    Returns
    -------
    Result

    Raises
    ------
    UsageError, DataError, SolveError, MachineError, Interrupted
        Subclasses of `Error` and RuntimeError, with the message of the program.

    Warns
    -----
    JobWarning
        The job issues one `JobWarning` for each of its warnings. `osteon check` prints these warnings before a run.
    """
    progress = listener_of(progress)
    if not isinstance(job, Mapping):
        path = path_of(job, "the job file")
        if not path.exists():
            raise UsageError(f"no job file '{path}'")
        return _run_file(path, None, progress)
    job = tables_of(job)
    if "path" in job.get("image", {}):
        job["image"] = {**job["image"], "path": str(path_of(job["image"]["path"], "image.path").absolute())}
    directory = job.get("output", {}).get("directory")
    directory = path_of(directory, "output.directory").absolute() if directory is not None else None
    folder = tempfile.TemporaryDirectory(prefix="osteon-")
    try:
        path = Path(folder.name) / "job.toml"
        path.write_text(to_toml(job), encoding="utf-8")
        output = directory or Path(folder.name) / "out"
        with without_places():
            result = _run_file(path, output, progress)
    except BaseException:
        folder.cleanup()
        raise
    if directory:
        folder.cleanup()
    else:
        result._temporary = folder
    return result


@one_frame
def load_fields(path: str | Path) -> dict[str, "np.ndarray"]:
    """Return all fields of a results file by name. The function first checks the seal and the digests of the file.

    @throws DataError if the file is damaged, truncated or unfinished. If another program has written a copy of the
    file, the copy is read with a FileWarning.
    """
    from ..results.result_file import ResultFile

    with ResultFile(path_of(path, "the results file")) as file:
        return {name: file[name] for name in file}


def to_toml(job: Mapping[str, Any]) -> str:
    """Write a job as TOML. Keys with the value None are omitted. Numbers and arrays of numpy are converted to numbers
    and lists of Python."""
    import tomli_w

    return tomli_w.dumps(plain(job))


def environment_of(program: str) -> dict[str, str]:
    """Return the environment variables for the program. To read images, the program starts this Python interpreter with
    its packages and with this copy of osteon. A launcher may have started this process. The variables of this launcher
    are removed."""
    environment = {"OSTEON_PYTHON": sys.executable, **without_launcher(dict(os.environ))}
    environment["PYTHONPATH"] = python_path(environment.get("PYTHONPATH", ""))
    return environment | settings(environment) if program == str(PROGRAM) else environment


def answer_of(command: str, job: Mapping[str, Any], folder: Path, *options: str) -> dict[str, Any]:
    """Return the document that a command prints for a job with `--json`. The command writes its files into the folder.
    @throws Error"""
    program, path, answer = binary(), folder / "job.toml", folder / "answer.json"
    path.write_text(to_toml(job), encoding="utf-8")
    call = [program, command, str(path), "--output", str(folder / "out"), "--json", str(answer), *options]
    code, _, err = _watch(call, environment_of(program), None)
    if code != 0:
        raise error_of(code, _fault(err) or f"osteon failed with exit code {code}")
    return json.loads(answer.read_text(encoding="utf-8"))


def _run_file(path: Path, output: Path | None, progress: bool | Listener) -> Result:
    command = [binary(), "run", str(path), "--no-report"]
    if output is not None:
        command += ["--output", str(output)]
    environment = environment_of(command[0])
    bar = Bar() if progress is True else None
    listener = bar or progress or None
    if listener:
        environment["OSTEON_PROGRESS_SECONDS"] = "0.2"
    # The document is written to a file of its own, because libraries also print on standard output.
    with tempfile.TemporaryDirectory(prefix="osteon-") as folder:
        answer = Path(folder) / "answer.json"
        on_line = ProgressLines(listener).line if listener else None
        code, out, err = _watch([*command, "--json", str(answer)], environment, on_line)
        text = answer.read_text(encoding="utf-8") if answer.exists() else out
    if bar:
        bar.close()
    if code != 0:
        raise error_of(code, _fault(err) or f"osteon failed with exit code {code}")
    try:
        summary = json.loads(text)
    except ValueError:
        raise MachineError(f"osteon printed '{printable(text[:200])}' instead of JSON") from None
    for warning in summary.get("warnings", []):
        warn_of_job(str(warning))
    results = Path(summary["files"]["results"])
    return Result(summary, StoredFields(results), results.parent)


def _fault(err: str) -> str:
    """Return the error message of the program without the lines of progress."""
    lines = err.strip().splitlines()
    first = next((n for n, line in enumerate(lines) if line.startswith("osteon: ")), max(0, len(lines) - 20))
    return "\n".join(lines[first:]).removeprefix("osteon: ")


def _watch(
    command: list[str], environment: dict[str, str], on_line: Callable[[str], None] | None = None
) -> tuple[int, str, str]:
    """Run the program until it ends. An interrupt of Python stops the program in an orderly way. A second interrupt
    terminates the program. If Python is killed, the program stops. @param on_line function that receives each line of
    standard error
    @return exit code, standard output and standard error"""
    alive, ours = os.pipe()  # when this process ends for any reason, the pipe is closed

    def read(process: subprocess.Popen[str]) -> tuple[str, str]:
        if on_line is None:
            return process.communicate()
        with ThreadPoolExecutor(1) as other:
            out = other.submit(process.stdout.read)
            lines = []
            for line in process.stderr:
                lines.append(line)
                on_line(line)
            process.wait()
            return out.result(), "".join(lines)

    try:
        with subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**environment, "OSTEON_LIFELINE": str(alive)},
            pass_fds=(alive,),
            start_new_session=True,  # only Python receives an interrupt from a terminal
        ) as process:
            # A thread reads the output, because communicate() would delay an interrupt by a quarter of a second.
            with ThreadPoolExecutor(1) as aside:
                texts = aside.submit(read, process)
                try:
                    out, err = texts.result()
                except KeyboardInterrupt:
                    process.send_signal(signal.SIGINT)
                    try:
                        texts.result()
                    except KeyboardInterrupt:
                        process.send_signal(signal.SIGINT)
                        texts.result()
                    raise
            return process.returncode, out, err
    finally:
        os.close(alive)
        os.close(ours)
