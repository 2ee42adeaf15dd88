"""Tests of automatic binding and placement. `osteon run` reports the placement of its ranks in one line, and the
placement does not change the answers."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from fake_cluster import FakeCluster, why_not
from whole_job import BINARY, Job, job_text, osteon


def sponge_job(folder: Path, more: str = "") -> Job:
    image = np.zeros((24, 12, 12), np.uint8)
    image[:, 2:10, 2:10] = 200
    image[::5, 4:6, 3:7] = 0
    np.save(folder / "image.npy", image)
    job = Job(folder)
    job.write(job_text("image.npy", "heat", more=more))
    return job


def answers(summary: dict) -> dict:
    """Return the values that must not depend on the distribution of the work."""
    return {key: summary[key] for key in ("elements", "dofs", "iterations", "effective_conductivity_W_per_mK")}


# Oracle: the same job without placement. Two ranks fill two cores and are bound. One rank leaves a core for other
# programs.
def test_one_host_keeps_its_order_and_binds_if_it_is_full(tmp_path: Path) -> None:
    cores = len(os.sched_getaffinity(0))
    job = sponge_job(tmp_path)
    full = job.run("-n", str(cores), "--no-report")
    assert full.code == 0, full.err
    printed = full.out + full.err
    if cores > 1:
        assert f"{cores} ranks x 1 thread on one host, not reordered, bound to core" in printed
        alone = job.run("-n", "1", "--no-report")
        assert (
            "1 rank x 1 thread on one host, not reordered, not bound, because the job does not use all cores"
            in alone.out + alone.err
        )
        free = job.run("-n", str(cores), "--no-report", "--bind", "none")
        assert "not reordered, not bound" in free.out + free.err
        assert answers(free.summary) == answers(full.summary)


# Oracle: the output of the launcher. The key of the job is rejected by its name.
def test_unknown_bindings_are_refused(tmp_path: Path) -> None:
    job = sponge_job(tmp_path, more='[run]\nbind = "chip"\n')
    done = job.run()
    assert done.code == 2
    assert "run.bind" in done.err and "socket" in done.err


# Oracle: the messages of an iteration according to `osteon plan job`. With one core per host, all messages leave the
# host.
@pytest.mark.parametrize("ranks", [2, 5])
def test_place_uses_the_messages_of_an_iteration(tmp_path: Path, ranks: int) -> None:
    sponge_job(tmp_path)
    job = str(tmp_path / "job.toml")
    planned = json.loads(osteon("plan", "job", job, "-n", str(ranks), "--json", "-").stdout)
    (iteration,) = (p for p in planned["parts"] if p["part"] == "iteration")
    sent = sum(p["bytes"] for p in iteration["plans"] if not p["plan"].startswith("reductions"))
    there = ["--hosts", str(ranks), "--host", "core:1 pu:1"]
    placed = osteon("place", "--job", job, "--ranks", str(ranks), *there, "--json", "-")
    assert placed.returncode == 0, placed.stderr
    assert sent > 1000
    # A weight is an integer number of bytes, which is the mean of both directions.
    assert json.loads(placed.stdout)["off_host_bytes"]["input"] == pytest.approx(sent, abs=ranks**2)


# Oracle: the text. A job whose plans are unknown before the run is placed by its fine level.
def test_place_reports_why_an_iteration_is_not_planned(tmp_path: Path) -> None:
    sponge_job(tmp_path, more='[load]\ntest = "conductivity_tensor"\n')
    there = ["--hosts", "3", "--host", "core:1 pu:1"]
    placed = osteon("place", "--job", str(tmp_path / "job.toml"), "--ranks", "3", *there)
    assert placed.returncode == 0, placed.stderr
    assert "on the fine level, because the plans of this job require a run" in placed.stdout


# Oracle: the same job in the order of the launcher.
def test_several_hosts_are_measured_once_and_ranks_renumbered(tmp_path: Path) -> None:
    if missing := why_not():
        pytest.skip(missing)
    job = sponge_job(tmp_path)
    cache = tmp_path / "cache"
    printed, found = [], []
    with FakeCluster(hosts=3, mbit=200, slow={1: 50}) as cluster:
        for words in (["--no-place"], [], []):
            done = cluster.mpirun(
                6,
                [BINARY, "run", job.folder / "job.toml", "--no-report", "-o", tmp_path / "job.out", *words],
                env={**os.environ, "OSTEON_CACHE": str(cache)},
                cwd=tmp_path,
            )
            assert done.returncode == 0, done.stderr
            printed.append(done.stdout + done.stderr)
            found.append(answers(json.loads((tmp_path / "job.out" / "summary.json").read_text())))
    assert "6 ranks x 1 thread on several hosts, not reordered" in printed[0]
    assert "6 ranks x 1 thread on 3 hosts, links measured in" in printed[1]
    assert "weights: bytes of an iteration on all levels, planned in" in printed[1]
    assert "6 ranks x 1 thread on 3 hosts, links measured earlier" in printed[2]
    assert len(list(cache.glob("machine-*.json"))) == 1
    for other in found[1:]:
        assert other == pytest.approx(found[0], rel=1e-8)
