"""Start osteon from Python: numpy in, numpy out."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import MachineError, ProgramNotFound, error_of, printable

if TYPE_CHECKING:
    import numpy as np


@dataclass
class Result:
    """Answers and fields of a job, of shape (z, y, x) or (z, y, x, components), NaN where there is no solid."""

    summary: dict[str, Any]
    fields: dict[str, "np.ndarray"]
    output_directory: Path | None = None

    def __getitem__(self, name: str) -> "np.ndarray":
        return self.fields[name]


def binary() -> str:
    """Path of the osteon program: $OSTEON_BINARY, or the one in PATH."""
    found = os.environ.get("OSTEON_BINARY") or shutil.which("osteon")
    if not found or not Path(found).exists():
        raise ProgramNotFound(
            "the osteon program was not found; build it (./run setup) and set OSTEON_BINARY to its path"
        )
    return found


def run(job: Mapping[str, Any] | str | Path) -> Result:
    """Run a job: the path of a TOML file, or the same keys as a nested mapping.

    A mapping's results are read and its files removed, unless it has [output] directory.

    @throws UsageError, DataError, SolveError, MachineError, Interrupted (all of them Error, and RuntimeError) with the
    message of the program
    """
    if not isinstance(job, Mapping):
        return _run_file(Path(job), None)
    job = {**job}
    if "path" in job.get("image", {}):
        job["image"] = {**job["image"], "path": str(Path(job["image"]["path"]).absolute())}
    directory = job.get("output", {}).get("directory")
    with tempfile.TemporaryDirectory(prefix="osteon-") as folder:
        path = Path(folder) / "job.toml"
        path.write_text(to_toml(job), encoding="utf-8")
        result = _run_file(path, Path(directory).absolute() if directory else Path(folder) / "out")
        if not directory:
            result.output_directory = None
        return result


def solve(
    image: "np.ndarray",
    spacing_mm: float | tuple[float, float, float],
    threshold: float | None = None,
    physics: str = "elasticity",
    youngs_modulus_MPa: float = 10000.0,  # noqa: N803 (keys carry their unit)
    poisson_ratio: float = 0.3,
    conductivity_W_per_mK: float = 0.5,  # noqa: N803
    axis: str = "z",
    strain: float | None = None,
    tolerance: float = 1e-6,
    **tables: Mapping[str, Any],
) -> Result:
    """Physics of one image.

    @param image grey values, shape (z, y, x); solid above `threshold`, by Otsu's method if it is None
    @param physics as the key `physics` of a job. `elasticity`: bonded axial compression; `heat`: conduction between the
    two faces. A physics takes of the material what it needs
    @param strain of the driven face; None: that of the test, for compression -0.01
    @param tables further tables of a job, for example `run={"ranks": 2}`
    """
    import numpy as np

    material = {
        "name": "solid",
        "youngs_modulus_MPa": youngs_modulus_MPa,
        "poisson_ratio": poisson_ratio,
        "conductivity_W_per_mK": conductivity_W_per_mK,
    }
    spacing = [float(s) for s in np.broadcast_to(spacing_mm, 3)]
    with tempfile.TemporaryDirectory(prefix="osteon-") as folder:
        path = Path(folder) / "image.npy"
        np.save(path, image)
        job: dict[str, Any] = {
            "name": "solve",
            "physics": physics,
            "image": {"path": str(path), "spacing_mm": spacing},
            "segment": {} if threshold is None else {"threshold": threshold},
            "material": [material],
            "load": {"axis": axis} if strain is None else {"axis": axis, "strain": strain},
            "solve": {"tolerance": tolerance},
            "picture": {"enabled": False},
        }
        for name, table in tables.items():
            job[name] = {**job.get(name, {}), **table}
        return run(job)


def permeability(
    image: "np.ndarray",
    spacing_mm: float | tuple[float, float, float],
    threshold: float | None = None,
    axis: str | None = "z",
    boundary_condition: str = "periodic",
    tolerance: float = 1e-4,
    **tables: Mapping[str, Any],
) -> Result:
    """Permeability of the pores of an image, by steady Stokes flow.

    The answer is `result.summary["permeability_m2"]` or `["permeability_tensor_m2"]`; fields are `velocity` (mm/s),
    `speed` and `pressure`.

    @param image grey values, shape (z, y, x), or a mask. The solid lies above `threshold`, by Otsu's method if it is
    None; of a mask it is True. The fluid fills the rest
    @param spacing_mm edge lengths of a voxel, (z, y, x) or one number
    @param axis direction of the flow; None: all three, for the tensor
    @param boundary_condition `periodic`, `mirrored` or `closed`, as the key of a job
    @param tolerance largest relative distance of the bounds of the permeability
    @param tables further tables of a job, for example `flow={"viscosity_Pa_s": 0.4}` or `run={"ranks": 2}`
    """
    import numpy as np

    values = np.asarray(image)
    if values.dtype == bool:
        values, threshold = values.astype(np.uint8), 0.5
    load = {"boundary_condition": boundary_condition, "test": "permeability" if axis else "permeability_tensor"}
    with tempfile.TemporaryDirectory(prefix="osteon-") as folder:
        path = Path(folder) / "image.npy"
        np.save(path, values)
        job: dict[str, Any] = {
            "name": "permeability",
            "physics": "flow",
            "image": {"path": str(path), "spacing_mm": [float(s) for s in np.broadcast_to(spacing_mm, 3)]},
            "segment": {} if threshold is None else {"threshold": threshold},
            "load": {**load, "axis": axis} if axis else load,
            "solve": {"tolerance": tolerance},
            "picture": {"enabled": False},
        }
        for name, table in tables.items():
            job[name] = {**job.get(name, {}), **table}
        return run(job)


def load_fields(path: str | Path) -> dict[str, "np.ndarray"]:
    """Every field of a results file by name, checked against its seal and its digests.

    @throws DataError if it is damaged, cut or unfinished; a copy by another program is read with a FileWarning
    """
    from .result_file import ResultFile

    with ResultFile(Path(path)) as file:
        return {name: file[name] for name in file}


def to_toml(job: Mapping[str, Any]) -> str:
    """A job as TOML. Keys whose value is None are left out; numpy's numbers and arrays become Python's."""
    import tomli_w

    return tomli_w.dumps(_plain(job))


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    if isinstance(value, Path):
        return str(value)
    return value.tolist() if hasattr(value, "tolist") else value


def _run_file(path: Path, output: Path | None) -> Result:
    command = [binary(), "run", str(path), "--json", "-", "--no-report"]
    if output is not None:
        command += ["--output", str(output)]
    # The program starts Python for images: this one, which has the packages and this copy of osteon.
    environment = {"OSTEON_PYTHON": sys.executable, **os.environ}
    environment["PYTHONPATH"] = os.pathsep.join(
        filter(None, [str(Path(__file__).parents[1]), environment.get("PYTHONPATH")])
    )
    code, out, err = _watch(command, environment)
    if code != 0:
        raise error_of(code, err.strip() or f"osteon failed with exit code {code}")
    try:
        summary = json.loads(out)
    except ValueError:
        raise MachineError(f"osteon did not answer in JSON, but by '{printable(out[:200])}'") from None
    results = Path(summary["files"]["results"])
    return Result(summary, load_fields(results), results.parent)


def _watch(command: list[str], environment: dict[str, str]) -> tuple[int, str, str]:
    """Run the program to its end, which is that of Python too: an interrupt asks it to stop in order, a second one
    ends it, and it stops if Python is killed. @return exit code, standard output, standard error"""
    alive, ours = os.pipe()  # closed with this process, whatever ends it
    try:
        with subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**environment, "OSTEON_LIFELINE": str(alive)},
            pass_fds=(alive,),
            start_new_session=True,  # an interrupt from a terminal comes to Python alone
        ) as process:
            # Read aside: communicate() itself would hold an interrupt back for a quarter of a second.
            with ThreadPoolExecutor(1) as aside:
                texts = aside.submit(process.communicate)
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
