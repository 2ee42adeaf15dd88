"""JSON written by commands conforms to the schemas of docs/schemas, which reject unknown keys.

Every test of a job also validates its summary (`Finished.summary` of whole_job.py).
"""

from __future__ import annotations

import copy
import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from whole_job import BINARY, ROOT, SCHEMAS, Job, follows_schema, job_text, osteon

NAMES = sorted(path.stem for path in SCHEMAS.glob("*.json"))
GRID = ["--grid", "4x2x2", "--cells", "64x32x32", "--hosts", "4", "--host", "pack:2 l3:1 core:2 pu:1"]
HXB = ["--network", "hxb:4x4x4"]


def schema(name: str) -> dict:
    return json.loads((SCHEMAS / f"{name}.json").read_text())


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_is_valid_closed_and_describes_each_key(name: str) -> None:
    it = schema(name)
    jsonschema.Draft202012Validator.check_schema(it)
    assert it["additionalProperties"] is False
    assert it["properties"]["schema"]["const"].startswith("osteon.")
    reported = [key for key, what in it["properties"].items() if "description" in what or key == "schema"]
    if name != "summary":  # many keys of the summary are answers (docs/reference/answers.md)
        assert reported == list(it["properties"])


def test_every_name_that_the_product_writes_has_a_schema_and_is_on_the_page() -> None:
    """Oracle: the names in the sources. A network file is read and never written."""
    text = "".join(path.read_text() for path in (ROOT / "src").rglob("*.[ch]pp"))
    written = set(re.findall(r'"(osteon\.[a-z.]+/\d+)\\?"', text)) - {"osteon.network/1"}
    written |= set(re.findall(r'\\"(osteon\.[a-z.]+/\d+)\\"', text))
    assert len(written) > 20
    assert {schema(name)["properties"]["schema"]["const"] for name in NAMES} >= written
    page = (ROOT / "docs" / "reference" / "json.md").read_text()
    assert [name for name in NAMES if f"(../schemas/{name}.json)" not in page] == []


def test_every_answer_has_a_place_in_the_schema_of_summaries() -> None:
    """Oracle: the table of answers."""
    known = set(schema("summary")["properties"])
    for physics in json.loads(osteon("schema", "--answers").stdout).values():
        assert {answer["key"].split(".")[0] for answer in physics["answers"]} <= known


COMMANDS: list[tuple[str, list[str]]] = [
    ("version", ["version"]),
    ("plan", ["plan", "-n", "12"]),
    ("net.cost", ["net", "cost", "-n", "16"]),
    ("net.cost", ["net", "cost", "-n", "12", "--method", "radix-k:3,4"]),
    ("net.cost.exchange", ["net", "cost", *HXB, "--plan", "ring", "--plan", "bruck"]),
    ("net.choose", ["net", "choose", *HXB, "--bytes", "640", "--barrier"]),
    ("net.conflicts", ["net", "conflicts", *HXB, "--plan", "transposition"]),
    ("net.conflicts", ["net", "conflicts", *HXB, "--plan", "transposition:x-first"]),
    ("net.deadlock", ["net", "deadlock", "--network", "torus:5x4"]),
    ("net.deadlock", ["net", "deadlock", "--network", "mesh:5x4"]),
    ("net.simulate", ["net", "simulate", *HXB, "--plan", "shift", "--barrier"]),
    ("place", ["place", *GRID]),
    ("place.verify", ["place", "--grid", "2x1x1", "--cells", "8x8x8", "--verify"]),
    ("probe", ["probe", "-n", "1"]),
    ("bench.render", ["bench", "render", "--edge", "16", "--pixels", "16", "--frames", "1"]),
    ("bench.exchange", ["bench", "exchange", "-n", "2", "--bytes", "64", "--seconds", "0.01"]),
    ("bench.io", ["bench", "io", "-n", "1", "--size", "8", "--repeat", "1", "--folder", "."]),
]


@pytest.mark.parametrize(("name", "words"), COMMANDS, ids=[" ".join(words[:3]) for _, words in COMMANDS])
def test_a_commands_answer_follows_its_schema_and_a_changed_one_does_not(
    name: str, words: list[str], tmp_path: Path
) -> None:
    done = run(tmp_path, *words, "--json", "answer.json")
    assert done.returncode == 0, done.stderr
    answer = json.loads((tmp_path / "answer.json").read_text())
    follows_schema(answer, name)
    refuses_changes(answer, name)


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    if not BINARY.exists():
        pytest.skip(f"{BINARY} is not built")
    may = {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
    }
    return subprocess.run(
        [str(BINARY), *words],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=folder,
        env={**os.environ, **may},
    )


def refuses_changes(answer: dict, name: str) -> None:
    """The schema is effective if it rejects an additional key, a missing key and a value of another type."""

    def with_one_more(a: dict) -> None:
        a["unheard_of"] = 1

    def with_one_less(a: dict) -> None:
        del a[schema(name)["required"][-1]]

    def with_another_type(a: dict) -> None:
        a[schema(name)["required"][-1]] = {"of": "another type"}

    changes: list[Callable[[dict], None]] = [with_one_more, with_one_less, with_another_type]
    for change in changes:
        changed = copy.deepcopy(answer)
        change(changed)
        with pytest.raises(jsonschema.ValidationError):
            follows_schema(changed, name)


def test_machine_files_follow_their_schema(tmp_path: Path) -> None:
    done = run(tmp_path, "probe", "-n", "1", "-o", "machine.json")
    assert done.returncode == 0, done.stderr
    machine = json.loads((tmp_path / "machine.json").read_text())
    follows_schema(machine, "machine")
    refuses_changes(machine, "machine")


def test_all_that_the_commands_of_a_job_write_follows_its_schema(job: Job, sponge: Path) -> None:
    job.write(job_text(sponge))
    for command in ("check", "import", "estimate"):
        done = job.run("--json", "-", command=command)
        assert done.code == 0, done.err
        answer = json.loads(done.out)
        follows_schema(answer, command)
        refuses_changes(answer, command)
    done = job.run("-n", "2", "--no-report")
    assert done.code == 0, done.err
    for name in ("summary", "manifest"):
        answer = json.loads((done.folder / f"{name}.json").read_text())
        follows_schema(answer, name)
        refuses_changes(answer, name)
    results = str(done.folder / "results.nc")
    for name, words in (
        ("verify", ["verify", results]),
        ("render", ["render", results, "--field", "sed", "--orbit", "2", "--width", "16", "--height", "16"]),
    ):
        reported = run(job.folder, *words, "--json", "answer.json")
        assert reported.returncode == 0, reported.stderr
        answer = json.loads((job.folder / "answer.json").read_text())
        follows_schema(answer, name)
        refuses_changes(answer, name)


def test_faults_follow_the_schemas_of_check_and_verify(job: Job, sponge: Path) -> None:
    job.write(job_text(sponge, more="[segment]\nthreshold = 250\n"))
    done = job.run("--json", "-", command="check")
    assert done.code == 2, done.err
    answer = json.loads(done.out)
    assert answer["problems"]
    follows_schema(answer, "check")
    np.save(job.folder / "damaged.npy", np.zeros(3))
    (job.folder / "damaged.nc").write_bytes((job.folder / "damaged.npy").read_bytes())
    reported = run(job.folder, "verify", "damaged.nc", "--json", "answer.json")
    assert reported.returncode == 3, reported.stderr
    answer = json.loads((job.folder / "answer.json").read_text())
    assert answer["files"][0]["faults"]
    follows_schema(answer, "verify")
