"""Output and exit codes of the other commands."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from whole_job import ROOT, Job, job_text, osteon

sys.path.insert(0, str(ROOT / "tools"))
import command_reference


def test_every_command_has_help_with_an_example() -> None:
    """Oracle: the command list in the help of the program, which consists of the declarations in
    src/app/commands.hpp."""
    listed = command_reference.commands_in(osteon("--help").stdout)
    declared = re.findall(r"void add_(\w+)\(registry&", (ROOT / "src" / "app" / "commands.hpp").read_text())
    assert {name.partition("_")[0] for name in declared} - {"linked"} == set(listed)
    for command in listed:
        done = osteon(command, "--help")
        assert done.returncode == 0
        assert "Example" in done.stdout, command


@pytest.mark.parametrize(
    "arguments", [[], ["nonsense"], ["run"], ["run", "a.toml", "-n", "0"], ["run", "a.toml", "--oops"]]
)
def test_wrong_usage_is_code_2(arguments: list[str]) -> None:
    assert osteon(*arguments).returncode == 2


def test_a_word_that_is_no_command_is_named() -> None:
    for words, name, group in ((("rum", "job.toml"), "rum", "osteon"), (("net", "cots"), "cots", "osteon net")):
        done = osteon(*words)
        assert done.returncode == 2
        assert f"there is no command `{name}`; `{group} --help` lists them" in done.stderr


def test_examples_follow_the_schema() -> None:
    schema = json.loads(osteon("schema").stdout)
    for path in (ROOT / "examples").glob("*.toml"):
        jsonschema.validate(tomllib.loads(path.read_text()), schema)


def test_job_reference_is_up_to_date() -> None:
    """Oracle: the page is generated from the schema."""
    page = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "job_reference.py")],
        input=osteon("schema").stdout,
        capture_output=True,
        text=True,
        check=True,
    )
    assert page.stdout == (ROOT / "docs" / "reference" / "job.md").read_text(), (
        "make docs/reference/job.md anew: ./run osteon schema | python3 tools/job_reference.py"
    )


def test_page_of_the_answers_is_up_to_date() -> None:
    """Oracle: the page is generated from the table by which the pipeline prints answers."""
    page = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "answers_reference.py")],
        input=osteon("schema", "--answers").stdout,
        capture_output=True,
        text=True,
        check=True,
    )
    assert page.stdout == (ROOT / "docs" / "reference" / "answers.md").read_text(), (
        "make docs/reference/answers.md anew: ./run osteon schema --answers | python3 tools/answers_reference.py"
    )


def test_version_as_json() -> None:
    answer = json.loads(osteon("version", "--json", "-").stdout)
    assert answer["schema"] == "osteon.version/1"
    assert "Open MPI" in answer["mpi"]


def test_import_and_estimate_count_the_same_voxels(job: Job, sponge: Path) -> None:
    """Oracle: the size of the largest part by NumPy."""
    job.write(job_text(sponge))
    imported = job.run("--json", "-", command="import")
    assert imported.code == 0, imported.err
    kept = json.loads(imported.out)["segmentation"]["kept_voxels"]
    estimate = json.loads(job.run("--quick", "--ranks", "3", "--json", "-", command="estimate").out)
    assert estimate["elements"] == kept
    assert estimate["voxels"] == np.load(sponge).size
    assert estimate["ranks"] == 3
    assert estimate["largest_elements_per_rank"] >= kept / 3
    again = json.loads(job.run("--json", "-", command="import").out)
    assert again["reused"]


def test_estimate_counts_the_unknowns(job: Job, sponge: Path) -> None:
    """Oracle: the counts of the run itself. The test includes struts of one voxel, which have four nodes per voxel."""
    struts = np.zeros((9, 12, 12), np.uint8)
    struts[:, ::4, ::4] = struts[4, ::4, :] = struts[4, :, ::4] = 1
    np.save(job.folder / "struts.npy", struts)
    for image, threshold in (("struts.npy", 0.5), (str(sponge), 100)):
        for test in ("axial_bonded", "confined", "shear"):
            more = f'[segment]\nthreshold = {threshold}\n[load]\ntest = "{test}"\n'
            job.write(job_text(image, more=more).replace("[picture]", "[picture]\nenabled = false"))
            reported = json.loads(job.run("--quick", "--json", "-", command="estimate").out)
            # this estimate uses the existing model
            again = json.loads(job.run("--quick", "--json", "-", command="estimate").out)
            assert again["dofs"] == reported["dofs"]
            assert reported["counted"]
            assert reported["dofs"] == job.run("-n", "1", "--no-report").summary["dofs"], test


def test_estimate_counts_the_job_with_the_other_connectivity(job: Job, sponge: Path) -> None:
    """Oracle: the same job without the other connectivity, which takes half the time and the same memory."""
    reported = []
    for compares in ("false", "true"):
        more = f'[segment]\nkeep = "largest"\ncompare_connectivity = {compares}\n'
        job.write(job_text(sponge, more=more).replace("[picture]", "[picture]\nenabled = false"))
        reported.append(json.loads(job.run("--quick", "--json", "-", command="estimate").out))
    assert [e["computed"] for e in reported] == [1, 2]
    for key in ("cpu_seconds", "wall_seconds"):
        assert reported[1][key] == pytest.approx(2 * reported[0][key])
    assert reported[1]["memory_bytes_per_rank"] == reported[0]["memory_bytes_per_rank"]
    assert ", 2 times" in job.run("--quick", command="estimate").out


@pytest.mark.parametrize("ranks", [8, 512])
def test_estimate_answers_from_the_header_of_a_large_image(job: Job, ranks: int) -> None:
    """Oracle: determined by hand. Five planes of a sparse file of 2 GiB are sampled. The planes contain bars of 2 x 2
    voxels in cells of 4 x 4."""
    shape = (2048, 1024, 1024)
    image = np.lib.format.open_memmap(job.folder / "large.npy", mode="w+", dtype=np.uint8, shape=shape)
    plane = np.zeros(shape[1:], np.uint8)
    for y in (1, 2):
        for x in (1, 2):
            plane[y::4, x::4] = 200
    for z in np.linspace(0, shape[0] - 1, 7)[1:-1].round():
        image[int(z)] = plane
    image.flush()
    del image
    job.write(job_text("large.npy", more="[segment]\nthreshold = 100\n"))
    done = job.run("--json", "-", "-n", str(ranks), command="estimate", timeout=60)
    assert done.code == 0, done.err
    reported = json.loads(done.out)
    assert reported["voxels"] == np.prod(shape)
    assert reported["sampled_voxels"] == 5 * shape[1] * shape[2]
    assert not reported["counted"]
    assert reported["elements"] == pytest.approx(reported["voxels"] / 4, rel=1e-6)
    assert reported["dofs"] == pytest.approx(3 * reported["elements"] * (9 / 4) ** 1.5, rel=1e-6)
    assert "--count reads the whole image" in done.err
    assert any("not imported" in sentence for sentence in reported["time"]["assumed"])
    assert not (job.folder / "job.out").exists()


def sponge_of(edge: int) -> np.ndarray:
    """An image with a quarter of solid voxels in struts that are several voxels thick."""
    wave = np.fft.fftfreq(edge)
    squares = np.add.outer(np.add.outer(wave**2, wave**2), wave[: edge // 2 + 1] ** 2)
    noise = np.fft.rfftn(np.random.default_rng(1).standard_normal((edge, edge, edge)))
    field = np.fft.irfftn(noise * np.exp(-2 * (4 * np.pi) ** 2 * squares), s=(edge, edge, edge), axes=(0, 1, 2))
    return (field > np.quantile(field, 0.75)).astype(np.uint8)


@pytest.mark.parametrize(("physics", "edge"), [("elasticity", 96), ("heat", 128)])
def test_estimate_knows_what_memory_a_run_takes(job: Job, physics: str, edge: int) -> None:
    """Oracle: the peak resident memory of the run, minus the memory of a run on a minimal image."""
    taken, predicted = [], []
    for image in (np.ones((4, 4, 4), np.uint8), sponge_of(edge)):
        np.save(job.folder / "image.npy", image)
        text = job_text("image.npy", physics, more="[segment]\nthreshold = 0.5\n[run]\nranks = 1\n")
        job.write(text.replace("[picture]", "[picture]\nenabled = false"))
        predicted.append(json.loads(job.run("--quick", "--json", "-", command="estimate").out)["memory_bytes_per_rank"])
        done = job.run("-t", "1", "--no-report")
        assert done.code == 0, done.err
        taken.append(done.summary["peak_rss_bytes"])
    assert predicted[1] - predicted[0] == pytest.approx(taken[1] - taken[0], rel=0.25)


BETWEEN = "".join(
    f'[[boundary]]\nface = "{face}"\nkind = "pressure"\npressure_Pa = {p}\n'
    for face, p in (("z_low", 10), ("z_high", 0))
)
FLOWS = {
    "creeping": "",
    "ages": "residence_time = true\ndiffusivity_m2_per_s = 1e-8\n",
    "paths": "[transient]\nend_s = 2e-3\nstep_s = 1e-3\n",
}


@pytest.mark.parametrize("case", FLOWS)
def test_estimate_knows_what_memory_a_flow_takes(job: Job, case: str) -> None:
    """Oracle: the peak resident memory of the run, minus the memory of a run on a minimal image."""
    taken, predicted = [], []
    for edge in (6, 56):
        waves = np.sin(np.arange(edge) * 2 * np.pi / 24)
        turned = np.roll(waves, -6)
        gyroid = np.outer(waves, turned)[:, :, None] + np.outer(waves, turned)[None] + np.outer(turned, waves)[:, None]
        np.save(job.folder / "image.npy", (gyroid > (0 if edge > 6 else 9)).astype(np.uint8))
        text = job_text("image.npy", "flow", "[segment]\nthreshold = 0.5\n[flow]\n" + FLOWS[case] + BETWEEN)
        job.write(text + ("pathlines = 4\n" if case == "paths" else "streamlines = 0\n"))
        predicted.append(
            json.loads(job.run("--quick", "-n", "1", "--json", "-", command="estimate").out)["memory_bytes_per_rank"]
        )
        done = job.run("-n", "1", "-t", "1", "--no-report")
        assert done.code == 0, done.err
        taken.append(done.summary["peak_rss_bytes"])
    assert predicted[1] - predicted[0] == pytest.approx(taken[1] - taken[0], rel=0.25)


def test_run_writes_the_same_summary_to_standard_output(job: Job, sponge: Path) -> None:
    job.write(job_text(sponge))
    done = job.run("-n", "1", "--no-report", "--json", "-")
    assert done.code == 0, done.err
    assert json.loads(done.out) == done.summary


def test_the_manifest_has_the_whole_command(job: Job, sponge: Path) -> None:
    """Oracle: the given arguments, quoted for a shell."""
    job.write(job_text(sponge, more="[solve]\ntolerance = 1e-3\n"))
    words = ["-n", "2", "--no-report", "--checkpoint", "my states", "--io-hint", "cb_nodes=1", "--bind", "none"]
    done = job.run(*words, "--no-place")
    assert done.code == 0, done.err
    command = shlex.split(json.loads((done.folder / "manifest.json").read_text())["command"])
    assert command[:2] == ["osteon", "run"]
    for word, value in (
        ("--ranks", "2"),
        ("--checkpoint", "my states"),
        ("--io-hint", "cb_nodes=1"),
        ("--bind", "none"),
    ):
        assert command[command.index(word) + 1] == value, command
    assert "--no-place" in command
