"""`osteon batch` with real jobs. tests/python/batch_test.py tests its queue with a substitute for the program."""

from __future__ import annotations

import csv
import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
from whole_job import BINARY, ROOT, Job, follows_schema, job_text

SNAKEFILE = ROOT / "examples" / "snakemake" / "Snakefile"


def batch(folder: Path, *words: str, timeout: float = 300) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(BINARY), "batch", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        env=os.environ,
    )


def table(folder: Path) -> list[dict[str, str]]:
    with (folder / "batch.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def scans(job: Job) -> Path:
    """A job and five images of 8^3 voxels. The images a, b and d are blocks without a plate of n planes, c is
    truncated, and e has no solid."""
    folder = job.folder
    job.write(
        job_text("none.npy", more="[segment]\nthreshold = 100\n").replace("[picture]", "[picture]\nenabled = false")
    )
    (folder / "scans").mkdir()
    for name, planes in (("a", 0), ("b", 2), ("d", 4), ("e", 8)):
        image = np.full((8, 8, 8), 200, np.uint8)
        image[:, :planes] = 0
        np.save(folder / "scans" / f"{name}.npy", image)
    (folder / "scans/c.npy").write_bytes((folder / "scans/a.npy").read_bytes()[:200])
    return folder


IMAGES = [f"scans/{name}.npy" for name in "abcde"]
WORDS = ["job.toml", "--out", "cohort", "--no-report", "--at-once", "2", "--images", *IMAGES]
STIFFNESS = "stiffness_N_per_mm [N/mm]"


def test_one_job_on_many_images_of_which_some_are_broken(scans: Path) -> None:
    """Oracle: the stiffness is proportional to the fraction of solid planes. The other images report a reason. A second
    run computes no job."""
    done = batch(scans, *WORDS, "--json", "cohort.json")
    assert done.returncode == 3, done.stderr
    assert "3 of 5 done, 2 failed" in done.stdout and "  c: failed: " in done.stdout and "  e: failed: " in done.stdout
    rows = {row["item"]: row for row in table(scans / "cohort")}
    assert list(rows) == list("abcde")
    assert [row["status"] for row in rows.values()] == ["done", "done", "failed", "done", "failed"]
    assert rows["a"]["image"] == "scans/a.npy" and rows["c"]["reason"] and not rows["c"][STIFFNESS]
    whole = float(rows["a"][STIFFNESS])
    for name, share in (("b", 6 / 8), ("d", 4 / 8)):
        assert float(rows[name][STIFFNESS]) == pytest.approx(share * whole, rel=0.08)
        assert float(rows[name]["segmentation.volume_fraction [1]"]) == share
    follows_schema(json.loads((scans / "cohort.json").read_text()), "batch")
    names = [p.name for p in (scans / "cohort").iterdir()]
    assert sorted(names) == [".lock", "a.out", "b.out", "batch.csv", "batch.html", "d.out", "logs"]

    # In the second run, finished items are not computed again, and the tables are identical byte for byte.
    before = {p: p.read_bytes() for p in (scans / "cohort").glob("batch.*")}
    times = {n: (scans / f"cohort/{n}.out/results.nc").stat().st_mtime_ns for n in "abd"}
    again = batch(scans, *WORDS)
    assert again.returncode == 3 and "3 of 5 done (3 before), 2 failed" in again.stdout
    assert before == {p: p.read_bytes() for p in before}
    assert times == {n: (scans / f"cohort/{n}.out/results.nc").stat().st_mtime_ns for n in "abd"}

    # A changed image with the same name and a repaired image are computed. Unchanged images are not computed.
    shutil.copy(scans / "scans/a.npy", scans / "scans/b.npy")
    shutil.copy(scans / "scans/a.npy", scans / "scans/c.npy")
    third = batch(scans, *WORDS)
    assert third.returncode == 3 and "4 of 5 done (2 before), 1 failed" in third.stdout
    assert {float(row[STIFFNESS]) for row in table(scans / "cohort")[:3]} == {whole}


def test_many_jobs(job: Job) -> None:
    """Oracle: the exit code of the first failed job. A job that is not valid TOML is a row of the table."""
    np.save(job.folder / "block.npy", np.full((8, 8, 8), 200, np.uint8))
    good = job_text("block.npy", more="[segment]\nthreshold = 100\n").replace("[picture]", "[picture]\nenabled = false")
    for name, text in (("one", good), ("two", "physics = "), ("three", good.replace("6829.0", "-1"))):
        (job.folder / f"{name}.toml").write_text(text)
    done = batch(job.folder, "one.toml", "two.toml", "three.toml", "--no-report", "-n", "1")
    assert done.returncode == 2, done.stderr
    rows = table(job.folder / "batch.out")
    assert [row["status"] for row in rows] == ["done", "failed", "failed"]
    assert [row["image"] for row in rows] == ["block.npy", "", "block.npy"]
    assert "two.toml:1" in rows[1]["reason"] and "youngs_modulus_MPa" in rows[2]["reason"]


def test_unless_done_sees_what_results_depend_on(scans: Path) -> None:
    """Oracle: the contract. A job with another number of ranks or another checkpoint folder is the same job. A job with
    other keys, images or results is another job."""

    def run(*words: str) -> bool:
        """Return whether the job was computed."""
        done = subprocess.run(
            [str(BINARY), "run", "job.toml", "-o", "x.out", "--unless-done", "--no-report", "-n", "1", "--force", *words],
            cwd=scans, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert "apparent modulus" in done.stdout  # the answers are printed in both cases
        return "skipping the computation" not in done.stderr

    image = ["--set", "image.path=scans/a.npy"]
    assert run(*image)
    assert not run(*image)
    assert not run(*image, "--checkpoint", "elsewhere", "-t", "2")
    for key in ("material[1].poisson_ratio=0.31", "pistoia.critical_strain=0.006", "name=other"):
        assert run(*image, "--set", key), key
    assert run(*image)
    np.save(scans / "scans/a.npy", np.full((8, 8, 8), 210, np.uint8))
    assert run(*image)
    (scans / "x.out/results.nc").unlink()
    assert run(*image)
    summary = json.loads((scans / "x.out/summary.json").read_text())
    (scans / "x.out/summary.json").write_text(json.dumps({**summary, "status": "not converged"}))
    assert run(*image)


def test_a_batch_that_is_stopped_goes_on(job: Job) -> None:
    """Oracle: exit code 130 and a checkpoint. The same command completes the remaining jobs."""
    rng = np.random.default_rng(3)
    for name in ("a", "b"):
        np.save(job.folder / f"{name}.npy", np.where(rng.random((26, 26, 26)) < 0.55, 200, 10).astype(np.uint8))
    job.write(
        job_text("none.npy", more="[segment]\nthreshold = 100\n[solve]\ntolerance = 1e-11\n").replace(
            "[picture]", "[picture]\nenabled = false"
        )
    )
    words = [str(BINARY), "batch", "job.toml", "--out", "c", "--no-report", "-n", "1", "--images", "a.npy", "b.npy"]
    process = subprocess.Popen(words, cwd=job.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    log = job.folder / "c/logs/a.log"
    until = time.monotonic() + 60
    while time.monotonic() < until and not (log.exists() and "solving" in log.read_text()):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130, out + err
    first, second = (row["status"] for row in table(job.folder / "c"))
    assert first in ("stopped", "done") and second == "waiting"
    again = subprocess.run(words, cwd=job.folder, capture_output=True, text=True, timeout=240, check=False)
    assert again.returncode == 0, again.stderr + log.read_text()
    assert [row["status"] for row in table(job.folder / "c")] == ["done", "done"]


def test_only_under_a_launcher_it_is_refused(job: Job) -> None:
    """Oracle: the usage of the command."""
    job.write("")
    done = subprocess.run(
        [str(BINARY), "batch", "job.toml"], cwd=job.folder, capture_output=True, text=True, timeout=60, check=False,
        env={**os.environ, "OMPI_COMM_WORLD_SIZE": "2"},
    )  # fmt: skip
    assert done.returncode == 2 and "start it without a launcher" in done.stderr


def test_the_workflow_for_snakemake(scans: Path) -> None:
    """Oracle: the table of the batch. Without snakemake, the test executes the commands of the rules in order."""
    (scans / "bin").mkdir()
    (scans / "bin/osteon").symlink_to(BINARY)
    environment = {**os.environ, "PATH": f"{scans / 'bin'}:{os.environ['PATH']}"}
    for name in "de":
        (scans / f"scans/{name}.npy").unlink()
    program = os.environ.get("OSTEON_SNAKEMAKE") or shutil.which("snakemake")
    if program:
        config = ["job=job.toml", "images=scans/*.npy", "out=cohort"]
        words = [program, "--snakefile", str(SNAKEFILE), "--cores", "1", "--keep-going", "--config", *config]
        done = subprocess.run(
            words, cwd=scans, env=environment, capture_output=True, text=True, timeout=300, check=False
        )
        assert done.returncode == 1, done.stderr  # the image c is truncated
    else:
        text = SNAKEFILE.read_text()
        commands = [line.strip().strip('"') for line in text.splitlines() if line.strip().startswith('"{BATCH}')]
        commands += [line.strip()[7:-2] for line in text.splitlines() if "--collect" in line]
        assert len(commands) == 3
        ends = "job.toml --images scans/a.npy scans/b.npy scans/c.npy"
        values = {"{BATCH}": "osteon batch --out cohort", "{ENDS}": ends, "{threads}": "1", "{EACH}": "1"}
        for command, n in [*((commands[0], n) for n in (1, 2, 3)), (commands[1], 0)]:
            for name, value in {**values, "{wildcards.n}": str(n)}.items():
                command = command.replace(name, value)
            assert "{" not in command
            done = subprocess.run(
                command,
                shell=True,
                cwd=scans,
                env=environment,
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
            assert done.returncode == (3 if n in (0, 3) else 0), done.stderr
    assert [row["status"] for row in table(scans / "cohort")] == ["done", "done", "failed"]
