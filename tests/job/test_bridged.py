"""osteon itself as one job under two MPIs: the program of preset abi, which `osteon join` starts in two clusters."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from two_mpis import join
from whole_job import BINARY, Job, job_text

BRIDGED = BINARY.parents[3] / "abi" / "src" / "app" / "osteon"


def run(folder: Path, *words: str) -> str:
    if not BRIDGED.exists():
        pytest.skip("cmake --preset abi && cmake --build --preset abi --target osteon: too long for every test run")
    done = join(folder, BRIDGED, *words)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# Oracle: the benchmarks' own verification, and the digest of temperatures without the bridge.
def test_benchmarks_verify_over_two_clusters(tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    run(tmp_path, "bench", "is", "--class", "S", "--json", str(file))
    result = json.loads(file.read_text())
    assert result["ranks"] == 4
    assert result["verified"]
    run(tmp_path, "bench", "ft", "--class", "S", "--method", "transposition", "--json", str(file))
    (row,) = json.loads(file.read_text())["rows"]
    assert row["ranks"] == 4
    assert row["verified"]
    words = ["bench", "poisson", "--seconds", "0", "--cells", "12,10,40", "--order", "original", "--json"]
    run(tmp_path, *words, str(file))
    alone = subprocess.run([BINARY, *words, "-", "-n", "1"], capture_output=True, text=True, timeout=60, check=True)
    assert json.loads(file.read_text())["digest"] == json.loads(alone.stdout)["digest"]


# Oracle: the same job without the bridge; the parts of the clusters, one upon the other, are its results.
@pytest.mark.parametrize(
    ("physics", "field", "answer"),
    [("heat", "temperature", "effective_conductivity_W_per_mK"), ("elasticity", "sed", "apparent_modulus_MPa")],
)
def test_a_job_over_two_clusters_has_the_same_results(
    job: Job, tmp_path: Path, physics: str, field: str, answer: str
) -> None:
    image = np.zeros((24, 6, 5), np.uint8)
    image[:, 1:5, 1:4] = 9
    image[5:9, 2, 2] = 0
    np.save(tmp_path / "bar.npy", image)
    planes = "[run]\ndecomposition = 'planes'\n[solve]\ntolerance = 1e-10\n"
    job.write(
        job_text("bar.npy", physics, "[segment]\nthreshold = 1\n" + planes).replace("width = 64", "enabled = false")
    )
    alone = job.run("--no-report", "-n", "2", "--output", "alone")
    assert alone.code == 0, alone.err
    run(tmp_path, "run", "job.toml", "--no-report", "--output", "both")
    summaries = [json.loads((tmp_path / name / "summary.json").read_text()) for name in ("alone", "both")]
    assert summaries[1]["ranks"] == 4
    assert summaries[1][answer] == pytest.approx(summaries[0][answer], rel=1e-8)

    def values(name: str) -> np.ndarray:
        with netCDF4.Dataset(tmp_path / name) as file:
            return np.ma.filled(file["VTKHDF/CellData"][field][:], np.nan)

    whole = values("alone/results.nc")
    parts = [values(f"both/results.{k}.nc") for k in (0, 1)]
    assert not (tmp_path / "both/results.nc").exists()
    assert all(len(part) > 0 for part in parts)
    np.testing.assert_allclose(np.concatenate(parts), whole, rtol=1e-5)
    with netCDF4.Dataset(tmp_path / "both/results.1.nc") as file:
        assert file["VTKHDF"].Origin[2] == pytest.approx(0.02 * len(parts[0]))
