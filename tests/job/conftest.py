"""Fixtures of the whole-job tests."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from whole_job import BINARY, SCAN, Job


@pytest.fixture
def job(tmp_path: Path) -> Job:
    if not BINARY.exists():
        pytest.skip(f"{BINARY} is not built")
    return Job(tmp_path)


@pytest.fixture
def sponge(tmp_path: Path) -> Path:
    """A small two-phase image whose solid joins all faces, shape (18, 15, 14), grey 10 and 200."""
    rng = np.random.default_rng(5)
    solid = rng.random((18, 15, 14)) < 0.75
    path = tmp_path / "sponge.npy"
    np.save(path, np.where(solid, 200, 10).astype(np.uint8))
    return path


@pytest.fixture(scope="session")
def scan() -> Path:
    """The bone scan of the demo, which `./run test` fetches."""
    if not SCAN.exists():
        pytest.skip("the bone scan is not here (the package that holds it could not be had)")
    return SCAN


@pytest.fixture(scope="session")
def failing_disk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    library = tmp_path_factory.mktemp("disk") / "failing_disk.so"
    source = Path(__file__).with_name("failing_disk.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    return library
