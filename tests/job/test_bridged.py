"""Tests of osteon as one job under two MPIs. The program is that of preset abi with its studies, or that of preset
abi-test, which `./run test` builds. `osteon join` starts the program in two clusters."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from two_mpis import BRIDGED, join
from whole_job import BINARY, Job, job_text


def run(folder: Path, *words: str) -> str:
    if not BRIDGED.exists():
        pytest.skip(f"{BRIDGED} is not built; ./run test builds it")
    done = join(folder, BRIDGED, *words)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# Oracle: the verification of the benchmarks, and the digest of temperatures without the bridge.
def test_benchmarks_verify_over_two_clusters(tmp_path: Path) -> None:
    if BRIDGED.parents[2].name != "abi":
        pytest.skip(
            "cmake --preset abi && cmake --build --preset abi --target osteon: the studies take too long for every test run"
        )
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


# Oracle: results and picture of the same job without the bridge. For planes, the parts of the clusters are
# concatenated.
@pytest.mark.parametrize(
    ("physics", "decomposition", "field", "answer"),
    [
        ("heat", "planes", "temperature", "effective_conductivity_W_per_mK"),
        ("heat", "bricks", "temperature", "effective_conductivity_W_per_mK"),
        ("elasticity", "planes", "sed", "apparent_modulus_MPa"),
    ],
)
def test_a_job_over_two_clusters_has_the_same_results(
    job: Job, tmp_path: Path, physics: str, decomposition: str, field: str, answer: str
) -> None:
    image = np.zeros((16, 16, 5), np.uint8)  # bricks of 4 ranks also divide planes
    image[:, 1:15, 1:4] = 9
    image[5:9, 4:6, 2] = 0
    np.save(tmp_path / "bar.npy", image)
    more = f"[segment]\nthreshold = 1\n[run]\ndecomposition = '{decomposition}'\n[solve]\ntolerance = 1e-10\n"
    job.write(job_text("bar.npy", physics, more))
    alone = job.run("--no-report", "-n", "2", "--output", "alone")
    assert alone.code == 0, alone.err
    run(tmp_path, "run", "job.toml", "--no-report", "--output", "both")
    summaries = [json.loads((tmp_path / name / "summary.json").read_text()) for name in ("alone", "both")]
    assert summaries[1]["ranks"] == 4
    assert summaries[1][answer] == pytest.approx(summaries[0][answer], rel=1e-8)

    def values(name: str) -> np.ndarray:
        with netCDF4.Dataset(tmp_path / name) as file:
            return np.ma.filled(file["VTKHDF/CellData"][field][:], np.nan)

    parts = ["results.nc"] if decomposition == "bricks" else ["results.0.nc", "results.1.nc"]
    assert sorted(path.name for path in (tmp_path / "both").glob("results*.nc")) == parts
    both = [values(f"both/{part}") for part in parts]
    np.testing.assert_allclose(np.concatenate(both), values("alone/results.nc"), rtol=1e-5)
    with netCDF4.Dataset(tmp_path / "both" / parts[-1]) as file:
        assert file["VTKHDF"].Origin[2] == pytest.approx(0.02 * sum(len(part) for part in both[:-1]))
    assert (tmp_path / "both/picture.png").read_bytes() == (tmp_path / "alone/picture.png").read_bytes()
