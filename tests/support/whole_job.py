"""The program, run as a user would run it: a command, or a whole job with one process, one folder and one exit code."""

from __future__ import annotations

import json
import os
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

import jsonschema
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "docs" / "schemas"
SCAN = ROOT / ".cache" / "scans" / "bone_128x128x128.tif"
BINARY = Path(os.environ.get("OSTEON_BINARY", ROOT / "build" / "release" / "src" / "app" / "osteon"))

MATERIAL = {
    "elasticity": "[[material]]\nyoungs_modulus_MPa = 6829.0\npoisson_ratio = 0.3\n",
    "heat": "[[material]]\nconductivity_W_per_mK = 0.5\n",
    "flow": "",
    "thermo_elasticity": "[[material]]\nyoungs_modulus_MPa = 6829.0\npoisson_ratio = 0.3\n"
    "conductivity_W_per_mK = 0.5\nthermal_expansion_per_K = 2e-5\n",
}


EVERY_ITERATION = "[checkpoint]\nevery_minutes = 1e-9\n"
TIGHT = "[solve]\ntolerance = 1e-11\n"


def osteon(*words: str, folder: Path | None = None, timeout: float = 180) -> subprocess.CompletedProcess[str]:
    """Run a command of the program in a folder. Skip the test if the program is not built."""
    if not BINARY.exists():
        pytest.skip(f"{BINARY} is not built")
    return subprocess.run(
        [str(BINARY), *words], capture_output=True, text=True, timeout=timeout, check=False, cwd=folder
    )


def follows_schema(answer: dict, name: str) -> None:
    """Raise a jsonschema.ValidationError if the answer does not follow docs/schemas/NAME.json."""
    schema = json.loads((SCHEMAS / f"{name}.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(answer)


@dataclass
class Finished:
    code: int
    out: str
    err: str
    seconds: float
    folder: Path

    @property
    def summary(self) -> dict:
        answer = json.loads((self.folder / "summary.json").read_text())
        follows_schema(answer, "summary")
        return answer


@dataclass
class Job:
    """A job in its own folder. `run` starts the program on the job."""

    folder: Path
    text: str = ""
    environment: dict[str, str] = field(default_factory=dict)

    def write(self, text: str) -> Path:
        path = self.folder / "job.toml"
        path.write_text(text)
        return path

    def run(self, *arguments: str, command: str = "run", timeout: float = 240) -> Finished:
        start = time.monotonic()
        done = subprocess.run(
            [str(BINARY), command, str(self.folder / "job.toml"), *arguments],
            capture_output=True,
            text=True,
            timeout=timeout,
            cwd=self.folder,
            env={**os.environ, **self.environment},
            check=False,
        )
        return Finished(done.returncode, done.stdout, done.stderr, time.monotonic() - start, self.folder / "job.out")


def sponge_in(folder: Path) -> Path:
    """A small two-phase image whose solid connects all faces. The shape is (18, 15, 14), and the greys are 10 and
    200."""
    solid = np.random.default_rng(5).random((18, 15, 14)) < 0.75
    path = folder / "sponge.npy"
    np.save(path, np.where(solid, 200, 10).astype(np.uint8))
    return path


def make_struts(path: Path, n: int) -> Path:
    """Smooth random struts, n^3."""
    rng = np.random.default_rng(3)
    f = np.fft.fftfreq(n)
    low = np.exp(-60 * (f[:, None, None] ** 2 + f[None, :, None] ** 2 + f[None, None, :] ** 2))
    field = np.fft.ifftn(np.fft.fftn(rng.random((n, n, n))) * low).real
    np.save(path, np.where(field > np.quantile(field, 0.45), 200, 10).astype(np.uint8))
    return path


def job_text(
    image: Path | str,
    physics: str = "elasticity",
    more: str = "",
    image_more: str = "",
    spacing: str = "spacing_mm = 0.02",
) -> str:
    """A job whose tables [segment] and [load] have default values. `more` may add tables."""
    return f'physics = "{physics}"\n[image]\npath = "{image}"\n{spacing}\n{image_more}\n{MATERIAL[physics]}{more}\n[picture]\nwidth = 64\nheight = 64\n'
