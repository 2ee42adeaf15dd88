"""`osteon bench scaling`: strong and weak scaling of a job, with the prediction."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from osteon.batch.scaling import counts_of, predicted_stages, stages_of
from osteon.errors import UsageError
from whole_job import Job, follows_schema, job_text, make_struts, osteon


def write(job: Job, size: int = 24) -> None:
    text = job_text(make_struts(job.folder / "foam.npy", size))
    job.write(text.replace("[picture]", "[picture]\nenabled = false"))


def test_strong_and_weak_scaling(job: Job) -> None:
    """Oracle: the elements of the whole image, and of half of its planes; the efficiency by hand; the estimate of the same
    job."""
    write(job)
    done = osteon(
        "bench", "scaling", "job.toml", "-n", "1,2", "--repeat", "1", "--json", "answer.json", folder=job.folder
    )
    assert done.returncode == 0, done.stderr + done.stdout
    answer = json.loads((job.folder / "answer.json").read_text())
    follows_schema(answer, "bench.scaling")
    assert answer == json.loads((job.folder / "scaling.out/scaling.json").read_text())
    points = {(p["kind"], p["ranks"]): p for p in answer["points"]}
    assert set(points) == {(kind, ranks) for kind in ("strong", "weak") for ranks in (1, 2)}
    for kind in ("strong", "weak"):
        one, two = points[kind, 1], points[kind, 2]
        assert one["efficiency"] == 1
        rates = [p["elements"] / p["seconds"] / p["ranks"] for p in (one, two)]
        assert two["efficiency"] == pytest.approx(rates[1] / rates[0])
        assert two["seconds"] == pytest.approx(sum(two["stages"].values()))
        assert two["predicted_seconds"] == pytest.approx(sum(two["predicted_stages"].values()))
    assert points["strong", 1]["elements"] == points["strong", 2]["elements"] == points["weak", 2]["elements"]
    assert points["weak", 1]["elements"] == pytest.approx(points["weak", 2]["elements"] / 2, rel=0.3)
    like = str(job.folder / "scaling.out/strong_0001x001_1.out")
    alone = osteon("estimate", "job.toml", "-n", "2", "--like", like, "--json", "-", folder=job.folder)
    expected = predicted_stages(json.loads(alone.stdout))
    assert points["strong", 2]["predicted_stages"] == pytest.approx(expected)
    rows = list(csv.DictReader((job.folder / "scaling.out/scaling.csv").open()))
    assert [(row["kind"], int(row["ranks"])) for row in rows] == [(p["kind"], p["ranks"]) for p in answer["points"]]
    page = (job.folder / "scaling.out/scaling.html").read_text()
    assert page.count("<svg") == 2
    assert page.count("by stage: measured (estimate)") == 2
    again = osteon("bench", "scaling", "job.toml", "-n", "1,2", "--repeat", "1", folder=job.folder)
    assert "4 of 4 done (4 before)" in again.stdout


def test_stages_are_those_of_the_run(job: Job) -> None:
    write(job)
    done = job.run("-n", "1", "--no-report")
    assert done.code == 0, done.err
    stages = stages_of(done.summary)
    named = {s["name"]: s["seconds"] for s in done.summary["stages"]}
    assert stages["reading"] == named["reading the model"]
    assert 0 < stages["set-up"] + stages["iterations"] <= named["solving"]
    assert stages["writing"] == named["writing results"]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["-n", "0,2"], "--ranks 0,2: must be numbers from 1, for example 1,2,4"),
        (["-t", "many"], "--threads many: must be numbers from 1"),
        (["-n", "1,16", "--weak"], "has 2 planes for 1 of 16 cores; at least 4 are needed"),
        (["--set", "image.coarsen=2", "--weak"], "the job sets image.coarsen"),
    ],
)
def test_unsuitable_requests(job: Job, words: list[str], reason: str) -> None:
    write(job)
    done = osteon("bench", "scaling", "job.toml", *words, folder=job.folder)
    assert done.returncode == 2, done.stderr
    assert reason in done.stderr


def test_counts() -> None:
    assert counts_of("4,1,2,2", "--ranks") == [1, 2, 4]
    with pytest.raises(UsageError):
        counts_of("", "--ranks")


def test_a_missing_job(tmp_path: Path) -> None:
    done = osteon("bench", "scaling", "absent.toml", folder=tmp_path)
    assert done.returncode == 2
    assert "no job file 'absent.toml'" in done.stderr
