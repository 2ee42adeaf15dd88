"""Tests of data that the program passes to the studio: findings with their position in the job, loads on the solid, and
progress as JSON lines."""

from __future__ import annotations

import fcntl
import json
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
from whole_job import BINARY, Job, follows_schema, job_text

SIDE, HIGH = 6, 8
LOADS = """
[[set]]
name = "top"
select = "plane"
axis = "z"
at_mm = 0.16
[[set]]
name = "corner"
select = "box"
low_mm = [0.0, 0.0, 0.0]
high_mm = [0.021, 0.021, 0.021]
[[set]]
name = "far"
select = "box"
low_mm = [5, 5, 5]
high_mm = [6, 6, 6]
[[support]]
on = "z_low"
fix = "zyx"
[[force]]
on = "top"
force_N = [-3, 0, 4]
"""


def block(folder: Path) -> str:
    np.save(folder / "scan.npy", np.full((HIGH, SIDE, SIDE), 200, np.uint8))
    return "scan.npy"


def checked(job: Job, code: int, *words: str) -> dict:
    done = job.run("--json", "-", *words, command="check")
    assert done.code == code, (done.out, done.err)
    answer = json.loads(done.out)
    follows_schema(answer, "check")
    return answer


def test_loads_are_reported_as_they_act_on_the_solid(job: Job, tmp_path: Path) -> None:
    """Oracle: determined by hand for a full block. Planes have 7 x 7 nodes, and a corner has 2^3 nodes."""
    job.write(job_text(block(tmp_path), more="[segment]\nthreshold = 100\n" + LOADS))
    reported = checked(job, 0, "--deep", "--set-volume", str(tmp_path / "sets.nrrd"))["loads"]
    assert reported["shape"] == [HIGH, SIDE, SIDE] and reported["origin_mm"] == [0, 0, 0]
    sets = {s["name"]: s for s in reported["sets"]}
    assert sets["top"]["nodes"] == 49 and sets["top"]["entries"] == [0]
    assert sets["top"]["centroid_mm"] == pytest.approx([0.16, 0.06, 0.06])
    assert sets["corner"]["nodes"] == 8 and sets["corner"]["entries"] == [1]
    assert sets["z_low"]["nodes"] == 49 and sets["z_low"]["entries"] == []
    assert "contains no node" in sets["far"]["fault"] and sets["far"]["entries"] == [2] and "nodes" not in sets["far"]
    (only,) = reported["cases"]
    assert only["test"] == "custom"
    assert [(s["on"], s["held"], s["displacement_mm"]) for s in only["supports"]] == [("z_low", "zyx", [0, 0, 0])]
    (force,) = only["forces"]
    assert force["on"] == "top" and force["kind"] == "force" and force["nodes"] == 49
    assert force["force_N"] == pytest.approx([-3, 0, 4])
    assert force["point_mm"] == pytest.approx([0.16, 0.06, 0.06])
    assert reported["necks"] == {"voxels": 0, "first": None}
    from osteon.images.read_image import read_image

    volume = read_image(str(tmp_path / "sets.nrrd")).values
    assert volume.shape == (HIGH, SIDE, SIDE)
    assert (volume[-1] == sets["top"]["number"]).all()
    assert volume[0, 0, 0] == volume[1, 1, 1] == sets["corner"]["number"]
    assert volume[0, 5, 5] == sets["z_low"]["number"] and (volume[3:-1] == 0).all()


def test_necks_are_counted(job: Job, tmp_path: Path) -> None:
    """Oracle: determined by hand. A rod of three voxels joins two blocks. The necks are these voxels, and the voxel of
    each block that is connected to the rod."""
    image = np.zeros((9, SIDE, SIDE), np.uint8)
    image[:3] = image[6:] = 200
    image[3:6, 2, 4] = 200
    np.save(tmp_path / "scan.npy", image)
    job.write(job_text("scan.npy", more="[segment]\nthreshold = 100\n"))
    assert checked(job, 0, "--deep")["loads"]["necks"] == {"voxels": 5, "first": [2, 2, 4]}


def test_a_kept_model_is_taken_again(job: Job, tmp_path: Path) -> None:
    """Oracle: the file. The model is kept for other loads, and another model is made for another threshold."""
    block(tmp_path)
    kept = tmp_path / "kept"
    text = job_text("scan.npy", more="[segment]\nthreshold = 100\n" + LOADS)
    job.write(text)
    first = checked(job, 0, "--deep", "--keep-model", str(kept))["loads"]
    made = (kept / "model.nc").stat().st_mtime_ns
    job.write(text.replace("force_N = [-3, 0, 4]", "force_N = [-6, 0, 8]"))
    second = checked(job, 0, "--deep", "--keep-model", str(kept))["loads"]
    assert (kept / "model.nc").stat().st_mtime_ns == made
    assert second["sets"] == first["sets"]
    assert second["cases"][0]["forces"][0]["force_N"] == pytest.approx([-6, 0, 8])
    job.write(text.replace("threshold = 100", "threshold = 101"))
    checked(job, 0, "--deep", "--keep-model", str(kept))
    assert (kept / "model.nc").stat().st_mtime_ns != made
    assert not (tmp_path / "job.out").exists()


@pytest.mark.parametrize(
    ("change", "path"),
    [
        (('fix = "zyx"', 'fix = "w"'), ["support", 0, "fix"]),
        (('on = "top"', 'on = "tap"'), ["force", 0, "on"]),
        (("high_mm = [6, 6, 6]", "high_mm = [4, 4, 4]"), ["set", 2, "high_mm"]),
        (("threshold = 100", 'threshold = 100\nkeep = "most"'), ["segment", "keep"]),
        (("poisson_ratio = 0.3", "poisson_ratio = 0.7"), ["material", 0, "poisson_ratio"]),
    ],
)
def test_a_finding_has_its_place_in_the_job(job: Job, tmp_path: Path, change: tuple[str, str], path: list) -> None:
    """Oracle: the invalid key."""
    text = job_text(block(tmp_path), more="[segment]\nthreshold = 100\n" + LOADS)
    assert change[0] in text
    job.write(text.replace(*change))
    answer = checked(job, 2, "--deep")
    assert answer["problems"][0]["path"] == path
    assert answer["loads"] is None


def test_other_physics_have_no_such_loads(job: Job, tmp_path: Path) -> None:
    job.write(job_text(block(tmp_path), "heat", "[segment]\nthreshold = 100\n"))
    assert checked(job, 0, "--deep")["loads"] is None


def test_options_of_deep_need_it(job: Job, tmp_path: Path) -> None:
    job.write(job_text(block(tmp_path)))
    done = job.run("--keep-model", "x", command="check")
    assert done.code == 2 and "--deep" in done.err


def lines_of(path: Path) -> list[dict]:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    for line in lines:
        follows_schema(line, "progress")
    return lines


def test_progress_is_reported_line_by_line(job: Job, sponge: Path) -> None:
    """Oracle: the contract, which defines begin, stages and end. Times ascend. The answers equal those of a run without
    progress."""
    job.write(job_text(sponge))
    reported = job.folder / "told.jsonl"
    done = job.run("--no-report", "-n", "2", "--progress", str(reported))
    assert done.code == 0, done.err
    lines = lines_of(reported)
    assert lines[0]["kind"] == "begin" and lines[0]["schema"] == "osteon.progress/1"
    assert (lines[-1]["kind"], lines[-1]["exit_code"]) == ("end", 0)
    stages = [line["stage"] for line in lines if line["kind"] == "stage"]
    assert len(stages) == len(set(stages)) > 3
    assert any("import" in s for s in stages) and any("solv" in s for s in stages)
    assert [line["time"] for line in lines] == sorted(line["time"] for line in lines)
    assert abs(lines[-1]["time"] - time.time()) < 300
    for line in lines:
        if "residual" in line:
            assert line["iteration"] >= 0 and line["residual"] > 0 and 0 <= line["fraction"] <= 1


def test_a_fault_is_the_last_line(job: Job, sponge: Path) -> None:
    job.write(job_text(sponge, more="[segment]\nthreshold = 250\n"))
    reported = job.folder / "told.jsonl"
    done = job.run("--no-report", "--progress", str(reported))
    assert done.code == 3
    last = lines_of(reported)[-1]
    assert last["kind"] == "end" and last["exit_code"] == 3 and "no solid voxel" in last["text"]
    done = job.run("--no-report", "--progress", str(job.folder / "no" / "told.jsonl"))
    assert done.code == 5 and "--progress file" in done.err
    before = reported.read_bytes()
    (job.folder / "job.out").mkdir(exist_ok=True)
    with (job.folder / "job.out" / ".lock").open("w") as lock:
        fcntl.lockf(lock, fcntl.LOCK_EX)
        assert job.run("--no-report", "--progress", str(reported)).code == 2
    assert reported.read_bytes() == before  # the file belongs to the run that uses the directory


def test_a_stopped_run_reports_it_and_continues_in_the_same_file(job: Job, tmp_path: Path) -> None:
    """Oracle: exit codes of the contract. The residuals of the second part end below the tolerance."""
    values = (np.random.default_rng(2).random((72, 72, 72)) < 0.62) * np.uint8(200)
    np.save(tmp_path / "scan.npy", values)
    job.write(job_text("scan.npy", more="[segment]\nthreshold = 100\n[solve]\ntolerance = 1e-12\n"))
    reported = tmp_path / "told.jsonl"
    words = [str(BINARY), "run", "job.toml", "-n", "1", "--no-report", "--progress", str(reported)]
    child = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 100
    while not (reported.exists() and '"iteration"' in reported.read_text()) and child.poll() is None:
        assert time.monotonic() < end
        time.sleep(0.01)
    child.send_signal(signal.SIGTERM)
    code = child.wait(100)
    lines = lines_of(reported)
    assert lines[-1]["kind"] == "end" and lines[-1]["exit_code"] == code
    if code == 0:
        pytest.skip("the machine was faster than the signal")
    assert code == 75
    done = subprocess.run(
        [str(BINARY), "resume", "job.out", "--no-report", "--progress", str(reported)],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = lines_of(reported)
    kinds = [line["kind"] for line in lines]
    assert kinds[0] == "begin" and kinds.count("resume") == 1 and kinds.count("end") == 2
    assert lines[-1]["exit_code"] == 0
