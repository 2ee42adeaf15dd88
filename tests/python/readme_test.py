"""The blocks of README.md as printed: a job file, its commands, and Python."""

import os
import subprocess
import sys
from pathlib import Path

import nrrd
import numpy as np
import pytest
from page_runner import blocks_of
from whole_job import BINARY

ROOT = Path(__file__).resolve().parents[2]
BLOCKS = blocks_of((ROOT / "README.md").read_text())
INTERACTIVE, SCANCO = "osteon studio", "osteon cohort"  # a server that does not end; files of a scanner

pytestmark = pytest.mark.skipif(not BINARY.exists(), reason=f"{BINARY} is not built")


def block(kind: str, word: str) -> str:
    (found,) = (b.text for b in BLOCKS if b.kind == kind and word in b.text)
    return found


def foam(n: int) -> np.ndarray:
    """A connected foam: beams along the axes between pores, in two grey values with noise."""
    beams = np.zeros((n, n, n), bool)
    beams[::4, ::4, :] = beams[::4, :, ::4] = beams[:, ::4, ::4] = True
    return (np.where(beams, 200, 40) + np.random.default_rng(1).integers(0, 20, beams.shape)).astype("u1")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the README takes as given."""
    place = tmp_path_factory.mktemp("readme")
    np.save(place / "scan.npy", foam(13))
    nrrd.write(str(place / "scan.nrrd"), foam(13))
    (place / "scans").mkdir()
    for name, n in (("a", 9), ("b", 13)):
        nrrd.write(str(place / "scans" / f"{name}.nrrd"), foam(n))
    (place / "femur.toml").write_text(block("toml", 'name = "femur"'))
    (place / "bin").mkdir()
    (place / "bin" / "osteon").symlink_to(BINARY)
    return place


def environment(folder: Path) -> dict[str, str]:
    return {
        **os.environ,
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "python"),
        "OSTEON_PYTHON": sys.executable,
        "OSTEON_BINARY": str(BINARY),
    }


def run(folder: Path, *words: str) -> str:
    done = subprocess.run(
        words, cwd=folder, env=environment(folder), capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, f"{words[-1]}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
    return done.stdout


def test_the_commands_of_a_job(folder: Path) -> None:
    """Oracle: exit code 0 of each line, and the files that the README names."""
    for line in block("sh", "osteon check femur.toml").splitlines():
        if line.startswith((INTERACTIVE, SCANCO)):
            continue
        if line.startswith("osteon compare"):  # with a second job
            run(folder, "bash", "-c", "osteon run femur.toml -o femur_300.out --set image.coarsen=2 --no-report")
        run(folder, "bash", "-c", line)
    for name in ("results.nc", "summary.json", "manifest.json", "scene.json", "picture.png", "report.html"):
        assert (folder / "femur.out" / name).stat().st_size > 0


def test_the_blocks_of_python(folder: Path) -> None:
    """Oracle: the blocks end; the first one prints the stiffness and the path of a report that exists."""
    first, second = (b.text for b in BLOCKS if b.kind == "python")
    text = run(folder, sys.executable, "-c", f"{first}\nmask = image < 120\n{second}")
    assert float(text.split()[0]) > 0
    assert Path(text.strip().split()[-1]).is_file()
