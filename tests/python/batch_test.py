"""`osteon batch` with a substitute program for osteon: names, queue, table, page, stops, Slurm. tests/app/test_batch.py
tests osteon itself."""

import csv
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from fake_output import write_output
from osteon.batch import program as batch
from osteon.batch.batch import Batch
from osteon.batch.items import items_of, names_of
from osteon.batch.page import distributions
from osteon.batch.table import outcome_of
from osteon.batch.task_queue import Queue, Task, last_attempt
from osteon.errors import UsageError

ROOT = Path(__file__).resolve().parents[2]

# The result of osteon for an image is a folder of results with the stiffness that the image states, or the error that
# the image states.
PROGRAM = """#!/bin/sh
for word; do
  case $before in --output) out=$word;; esac
  case $word in image.path=*) image=$(echo "${word#image.path=}" | tr -d '"');; name=*) name=$word;; esac
  before=$word
done
read -r kind value < "$image"
case $kind in
  stiffness) mkdir -p "$out"
    [ -e "$out/results.nc" ] || : > "$out/results.nc"
    sed "s/1347.6/$value/" "$TEMPLATE/summary.json" > "$out/summary.json"; cp "$TEMPLATE/manifest.json" "$out";;
  exit) echo "reading"; echo "osteon: '$name' cannot be used:" >&2; echo "  a second line" >&2; exit "$value";;
  sleep) trap 'echo "osteon: stopped on request" >&2; exit 130' INT; sleep "$value" & wait $!;;
esac
"""


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A folder with the substitute program and its input."""
    template = write_output(tmp_path / "template", shape=(6, 6, 6))
    path = tmp_path / "bin" / "osteon"
    path.parent.mkdir()
    path.write_text(PROGRAM)
    path.chmod(0o755)
    monkeypatch.setenv("OSTEON_BINARY", str(path))
    monkeypatch.setenv("TEMPLATE", str(template))
    monkeypatch.setenv("PATH", f"{path.parent}:{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "job.toml").write_text("")
    (tmp_path / "scans").mkdir()
    return tmp_path


def scans(folder, kinds):
    names = []
    for n, kind in enumerate(kinds):
        path = folder / "scans" / f"s{n:03d}.nrrd"
        path.write_text(kind + "\n")
        names.append(f"scans/{path.name}")
    return [f"--image={name}" for name in names]


def rows(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_hundred_with_three_broken(program, capfd):
    """Oracle: the contract, with 97 answers, 3 failures listed with reasons, and the exit code of the first failure."""
    kinds = [f"stiffness {1000 + n}" for n in range(100)]
    for n, code in ((7, 3), (50, 2), (93, 3)):
        kinds[n] = f"exit {code}"
    images = scans(program, kinds)
    assert batch.main(["--out=cohort", "--at-once=4", "--json=b.json", *images, "job.toml"]) == 3
    printed = capfd.readouterr()
    assert "97 of 100 done, 3 failed" in printed.out
    for n in (7, 50, 93):
        assert f"  s{n:03d}: failed: 'name=\"s{n:03d}\"' cannot be used: a second line" in printed.out.replace("\\", "")
    assert "left" in printed.err  # the remaining time
    table = rows(program / "cohort/batch.csv")
    assert [row["item"] for row in table] == [f"s{n:03d}" for n in range(100)]
    done = [row for row in table if row["status"] == "done"]
    assert len(done) == 97 and [row["item"] for row in table if row["status"] == "failed"] == ["s007", "s050", "s093"]
    column = "stiffness_N_per_mm [N/mm]"
    assert all(float(row[column]) == 1000 + int(row["item"][1:]) for row in done)
    assert all(row[column] == "" and row["reason"] for row in table if row["status"] == "failed")
    answer = json.loads((program / "b.json").read_text())
    jsonschema.validate(answer, json.loads((ROOT / "docs/schemas/batch.json").read_text()))
    assert answer["counts"] == {"done": 97, "not_converged": 0, "failed": 3, "stopped": 0, "waiting": 0}

    # A second run executes one job at a time. The table and the page have equal bytes.
    before = [(program / "cohort" / name).read_bytes() for name in ("batch.csv", "batch.html")]
    assert batch.main(["--out=cohort", "--collect", *images, "job.toml"]) == 3
    assert before == [(program / "cohort" / name).read_bytes() for name in ("batch.csv", "batch.html")]
    capfd.readouterr()


def test_the_page_names_failures_and_outliers(program, capfd):
    """Oracle: determined by hand. In 20 values from 1000 to 1019 and one value of 3000, the last value is more than 1.5
    quartile distances beyond the others."""
    images = scans(program, [f"stiffness {1000 + n}" for n in range(20)] + ["stiffness 3000", "exit 3"])
    assert batch.main(["--out=c <b>", *images, "job.toml"]) == 3
    page = (program / "c <b>/batch.html").read_text()
    assert "c &lt;b&gt;" in page and "<b>/" not in page
    outliers = page.partition("<h2>Outliers</h2>")[2].partition("</section>")[0]
    assert "s020" in outliers and outliers.count("<tr>") == 2
    failures = page.partition("<h2>Incomplete items</h2>")[2].partition("</section>")[0]
    assert "s021" in failures and "logs/s021.log" in failures
    assert page.count("<circle") == 21  # the only answer that differs between jobs
    for link in ("s000.out/summary.json", "batch.csv"):
        assert f'href="{link}"' in page
    capfd.readouterr()


def test_quartiles_are_numpys_and_few_values_have_no_outliers(program, capfd):
    """Oracle: the quartiles of numpy."""
    values = [3.0, 1.0, 10.0, 2.0]
    images = scans(program, [f"stiffness {v}" for v in values])
    assert batch.main(["--out=c", *images, "job.toml"]) == 0
    made = Batch(batch.parsed(["--out=c", *images, "job.toml"])).outcomes()
    found = next(d for d in distributions(made) if d.value.key == "stiffness_N_per_mm")
    assert found.quartiles == tuple(np.percentile(values, (25, 50, 75))) and found.odd() == []
    capfd.readouterr()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_reaches_what_runs_and_leaves_the_rest(program, number):
    """Oracle: the contract, with exit code 130 or 75. The running item is stopped, and the others wait. The same
    command then continues."""
    images = scans(program, ["stiffness 1", "sleep 60", "stiffness 3"])
    command = [sys.executable, "-m", "osteon.batch", "--out=c", *images, "job.toml"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    until = time.monotonic() + 60
    while not (program / "c/logs/s001.log").exists() and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(0.3)
    process.send_signal(number)
    printed = process.communicate(timeout=60)[0]
    assert process.returncode == (130 if number == signal.SIGINT else 75), printed
    assert "run the same command again to continue" in printed
    assert [row["status"] for row in rows(program / "c/batch.csv")] == ["done", "stopped", "waiting"]
    (program / "scans/s001.nrrd").write_text("stiffness 2\n")
    again = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert again.returncode == 0, again.stderr
    assert "3 of 3 done (1 before)" in again.stdout
    assert [row["status"] for row in rows(program / "c/batch.csv")] == ["done"] * 3


def test_what_runs_ends_with_a_batch_that_is_killed(program):
    """Invariant: the lock of the folder is released when the process ends, and the next batch starts."""
    images = scans(program, ["sleep 60"])
    command = [sys.executable, "-m", "osteon.batch", "--out=c", *images, "job.toml"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60
    while not (program / "c/logs/s000.log").exists() and time.monotonic() < until:
        time.sleep(0.05)
    second = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert second.returncode == 2 and "another batch is running in 'c'" in second.stderr
    process.kill()
    process.wait(timeout=120)
    (program / "scans/s000.nrrd").write_text("stiffness 1\n")
    assert subprocess.run(command, capture_output=True, timeout=60, check=False).returncode == 0


def test_an_item_without_an_end_was_stopped(tmp_path):
    """Oracle: a log that a crash of the machine has left."""
    item = items_of([__file__], [])[0]
    log = tmp_path / "a.log"
    log.write_text("$ osteon run a.toml\nsolving\nexit code 0\n$ osteon run a.toml\nsolv")
    assert last_attempt(log) == (None, ["solv"])
    assert outcome_of(item, tmp_path, log).status == "stopped"
    assert outcome_of(item, tmp_path, tmp_path / "no.log").status == "waiting"
    log.write_text("$ osteon run a.toml\nexit code 0\n")
    gone = outcome_of(item, tmp_path, log)
    assert gone.status == "failed" and "summary.json" in gone.reason


def test_tasks_run_at_once_on_cores_of_their_own(tmp_path):
    """Oracle: taskset. The tasks have disjoint parts of all cores, and as many tasks run at a time as requested."""
    cores = len(os.sched_getaffinity(0))
    if cores < 2:
        pytest.skip("one core")
    logs = [tmp_path / f"{n}.log" for n in range(4)]
    script = "import os, time; print(sorted(os.sched_getaffinity(0))); time.sleep(0.3)"
    tasks = [Task(log.stem, log, lambda: [sys.executable, "-c", script]) for log in logs]
    most = []
    before = os.sched_getaffinity(0)
    codes = Queue(2, dict(os.environ)).run(tasks, meanwhile=lambda running: most.append(len(running)))
    assert codes == {"0": 0, "1": 0, "2": 0, "3": 0} and max(most) == 2
    assert os.sched_getaffinity(0) == before
    used = {tuple(json.loads(last_attempt(log)[1][0])) for log in logs}
    assert len(used) == 2 and not set.intersection(*map(set, used))


@pytest.mark.parametrize(
    ("sources", "names"),
    [
        (["a/x.nrrd", "a/y.nii.gz"], ["x", "y"]),
        (["a/x.nrrd", "a/x.tif"], ["x.nrrd", "x.tif"]),
        (["a/x.nrrd", "b/x.nrrd"], ["a_x.nrrd", "b_x.nrrd"]),
        (["a/one/*.tif", "a/two/*.tif"], ["one", "two"]),
    ],
)
def test_names_are_short_and_different(sources, names):
    """Oracle: determined by hand."""
    assert names_of(sources) == names


def test_all_that_is_wrong_is_said_at_once(tmp_path, monkeypatch):
    """Oracle: the contract."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.toml").write_text("[image")
    with pytest.raises(UsageError, match=r"(?s)no job file 'b[.]toml'.*'./a[.]toml' is given twice"):
        items_of(["a.toml", "b.toml", "./a.toml"], [])
    with pytest.raises(UsageError, match="2 jobs are given; --images requires exactly one"):
        items_of(["a.toml", "a.toml"], ["x.nrrd"])
    with pytest.raises(UsageError, match=r"no image 'x[.]nrrd'"):
        items_of(["a.toml"], ["x.nrrd"])
    assert items_of(["a.toml"], [])[0].image == ""  # the file is not TOML, which the run reports


def test_names_in_a_job_are_toml(tmp_path, monkeypatch):
    """Oracle: tomllib reads the values that were set."""
    import tomllib

    monkeypatch.chdir(tmp_path)
    odd = 'a "b" \\ \x7f é.npy'
    (tmp_path / "a.toml").write_text("")
    (tmp_path / odd).write_text("")
    words = items_of(["a.toml"], [odd])[0].arguments
    assert tomllib.loads(words[1].partition("=")[2].join(["x = ", ""])) == {"x": str(tmp_path / odd)}


SBATCH = """#!/bin/sh
echo "$@" >> {folder}/calls
[ -e {folder}/refuses ] && {{ echo "sbatch: error: invalid partition" >&2; exit 1; }}
for script; do :; done
case $* in
  *afterany:41*) bash "$script" > {folder}/collected 2>&1; echo "42";;
  *) for n in 1 2 3; do SLURM_ARRAY_TASK_ID=$n bash "$script" >> {folder}/tasks 2>&1; done; echo "41;cluster";;
esac
"""


def test_a_job_array_of_slurm(program, capfd, monkeypatch):
    """Oracle: a substitute for sbatch that runs all tasks and then their dependents, as Slurm would, and the table."""
    sbatch = program / "bin/sbatch"
    sbatch.write_text(SBATCH.format(folder=shlex.quote(str(program))))
    sbatch.chmod(0o755)
    # In the scripts, `osteon batch` is the module, and `osteon run` is the program above.
    (program / "bin/osteon").rename(program / "bin/osteon-run")
    (program / "bin/osteon").write_text(
        f'#!/bin/sh\ncase $1 in run) exec osteon-run "$@";; esac\nshift\nexec {sys.executable} {program}/front.py "$@"\n'
    )
    (program / "bin/osteon").chmod(0o755)
    (program / "front.py").write_text(FRONT)
    images = scans(program, ["stiffness 1", "exit 3", "stiffness 3"])
    words = [
        "--out=c",
        "--slurm",
        "--ranks=2",
        "--threads=1",
        "--at-once=10",
        "--slurm-line=--time=01:00:00",
        *images,
        "job.toml",
    ]
    assert batch.main(words) == 0
    array = (program / "c/batch.sbatch").read_text()
    for line in ("--array=1-3%10", "--ntasks=2", "--cpus-per-task=1", "--time=01:00:00"):
        assert f"#SBATCH {line}\n" in array
    assert not (program / "calls").exists()
    assert batch.main(["--submit", *words]) == 0
    assert "submitted as 41, then 42" in capfd.readouterr().out
    calls = (program / "calls").read_text().splitlines()
    assert calls == ["--parsable c/batch.sbatch", "--parsable --dependency=afterany:41 c/collect.sbatch"]
    assert [row["status"] for row in rows(program / "c/batch.csv")] == ["done", "failed", "done"]
    assert "s001: failed" in (program / "tasks").read_text()
    (program / "refuses").write_text("")
    assert batch.main(["--submit", *words]) == 5
    assert "sbatch rejected c/batch.sbatch: sbatch: error: invalid partition" in capfd.readouterr().err
    sbatch.unlink()
    monkeypatch.setenv("PATH", str(program / "bin"))
    assert batch.main(["--submit", *words]) == 5
    assert "cannot start sbatch" in capfd.readouterr().err


# The command line of `osteon batch` as the program passes it on.
FRONT = """
import sys
from osteon.batch import program as batch
words, made, images = sys.argv[1:], [], False
short = {"-n": "--ranks", "-t": "--threads"}
jobs = []
while words:
    word = words.pop(0)
    if word == "--images": images = True
    elif word in ("--collect", "--no-report"): made.append(word)
    elif word.startswith("-"): made.append(f"{short.get(word, word)}={words.pop(0)}")
    elif images: made.append(f"--image={word}")
    else: jobs.append(word)
sys.exit(batch.main([*made, *jobs]))
"""
