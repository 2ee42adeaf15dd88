"""Tests of `osteon plan job` and `osteon run --trace-messages`. The messages of a job are predicted before the run, and
are counted during the run."""

from __future__ import annotations

import functools
import json
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from whole_job import Job, follows_schema, job_text, osteon

RANKS = [1, 2, 3, 5, 7]
ROUNDS_MAY_BE_LEFT_OUT = {"planes to writers"}  # plans without messages
# The loads, the shape of the solid and the clock determine these plans.
NOT_ASKED = ("nodes of sets and parts", "points to planes")


def sponge(folder: Path, shape: tuple[int, int, int]) -> str:
    """A connected solid whose planes differ, so that no two ranks have an equal amount of work."""
    z, y, x = np.meshgrid(*(np.arange(n) for n in shape), indexing="ij")
    waves = np.sin(z / 2.3) * np.cos(y / 2.9) + np.sin(y / 3.1) * np.cos(x / 2.2) + np.sin(x / 2.7) * np.cos(z / 3.3)
    image = np.where((waves > -0.25) | (z == 0) | (z == shape[0] - 1), 200, 0).astype(np.uint8)
    np.save(folder / "sponge.npy", image)
    return "sponge.npy"


def expected(answer: dict, iterations: int, restarts: int) -> dict[str, list[int]]:
    """Runs, messages and bytes by plan."""
    times = {"iteration": iterations, "restart": restarts}
    sums: dict[str, list[int]] = {}
    for part in answer["parts"]:
        n = times.get(part["part"], 1)
        for plan in part["plans"]:
            assert plan["verified"], plan["problems"]
            total = sums.setdefault(plan["plan"], [0, 0, 0])
            for i, key in enumerate(("runs", "messages", "bytes")):
                total[i] += n * plan[key]
    return sums


def counted(summary: dict) -> dict[str, list[int]]:
    sums = {}
    for plan in summary["messages"]["plans"]:
        assert plan["verified"], plan["problems"]
        sums[plan["plan"]] = [plan["runs"], plan["messages"], plan["bytes"]]
    return sums


@pytest.mark.parametrize("decomposition", ["planes", "bricks"])
@pytest.mark.parametrize("physics", ["elasticity", "heat"])
def test_a_run_sends_the_planned_messages(job: Job, tmp_path: Path, physics: str, decomposition: str) -> None:
    """Oracle: the plans of virtual ranks, compared exactly with the messages of real ranks, for every predicted
    plan."""
    text = job_text(
        sponge(tmp_path, (26, 22, 24)), physics, '[load]\ntest = "TEST"\n[checkpoint]\nevery_minutes = 1e-9\n'
    )
    text = text.replace("TEST", "axial_bonded" if physics == "elasticity" else "conduction")
    text += f'\n[run]\ndecomposition = "{decomposition}"\n'
    job.write(text)
    for ranks in RANKS:
        done = job.run("-n", str(ranks), "--trace-messages", "--no-report", "--force")
        assert done.code == 0, done.err
        summary = done.summary
        assert ranks < 5 or summary["decomposition"] == decomposition  # if there are few bricks, they may be planes
        plan = osteon("plan", "job", str(tmp_path / "job.toml"), "-n", str(ranks), "--json", "-")
        assert plan.returncode == 0, plan.stderr
        answer = json.loads(plan.stdout)
        follows_schema(answer, "plan.job")
        assert answer["decomposition"] == summary["decomposition"]
        assert answer["assumed"] == []
        before = expected(answer, summary["iterations"], summary["messages"]["restarts"])
        after = counted(summary)
        for name, sums in before.items():
            first = 1 if name.split(",")[0] in ROUNDS_MAY_BE_LEFT_OUT else 0
            assert after.get(name, [0, 0, 0])[first:] == sums[first:], f"{name} on {ranks} ranks"
        assert summary["iterations"] > 3
        sent = sum(sums[1] for sums in after.values())
        not_asked = {name: sums for name, sums in after.items() if name not in before and sums[1] > 0}
        assert all(name.startswith(NOT_ASKED) for name in not_asked), not_asked
        assert (sent > 0) == (ranks > 1)
        assert all("waiting_seconds" in stage for stage in summary["stages"])


ONCE = {"reading", "set_up", "load", "heat_set_up", "heat_load", "writing", "picture"}


def compared(job: Job, folder: Path, ranks: int, times: dict[str, str | int]) -> dict[str, int]:
    """Compare predicted with counted messages. @param times repetitions of parts, as numbers or as keys of the summary
    @return repetitions of the parts that the solver has marked"""
    done = job.run("-n", str(ranks), "--trace-messages", "--no-report", "--force")
    assert done.code == 0, done.err
    summary = done.summary
    plan = osteon("plan", "job", str(folder / "job.toml"), "-n", str(ranks), "--json", "-")
    assert plan.returncode == 0, plan.stderr
    answer = json.loads(plan.stdout)
    follows_schema(answer, "plan.job")
    before: dict[str, list[int]] = {}
    marked = summary["messages"]["parts"]
    assert set(marked) <= {part["part"] for part in answer["parts"]}
    for part in answer["parts"]:
        n = times.get(part["part"], 1 if part["part"] in ONCE else marked.get(part["part"], 0))
        if isinstance(n, str):
            n = functools.reduce(lambda found, key: found[key], n.split("."), summary)
        for plan in part["plans"]:
            assert plan["verified"], plan["problems"]
            total = before.setdefault(plan["plan"], [0, 0, 0])
            for i, key in enumerate(("runs", "messages", "bytes")):
                total[i] += n * plan[key]
    after = counted(summary)
    for name, sums in before.items():
        first = 1 if name.split(",")[0] in ROUNDS_MAY_BE_LEFT_OUT else 0
        assert after.get(name, [0, 0, 0])[first:] == sums[first:], f"{name} on {ranks} ranks"
    not_asked = [name for name, sums in after.items() if name not in before and sums[1] > 0]
    assert all(name.startswith(NOT_ASKED) for name in not_asked), not_asked
    assert (sum(sums[1] for sums in before.values()) > 0) == (ranks > 1)
    return marked


OF_ITERATIONS = {"iteration": "iterations", "restart": "messages.restarts"}
OF_HEAT = {"heat_iteration": "heat_certificate.iterations", "heat_restart": "heat_certificate.restarts"}


@pytest.mark.parametrize("low", [273.0, 333.0])
def test_thermo_elasticity_sends_the_planned_messages(job: Job, tmp_path: Path, low: float) -> None:
    """Oracle: the plans of virtual ranks. The certificate of the heat problem states the repetitions of its parts.
    Without heat flow, there are none."""
    load = f"[load]\nlow_K = {low}\nhigh_K = 333.0\nreference_K = 293.0\n"
    job.write(job_text(sponge(tmp_path, (16, 14, 15)), "thermo_elasticity", load))
    for ranks in (1, 2, 3):
        compared(job, tmp_path, ranks, OF_ITERATIONS | OF_HEAT)


@pytest.mark.parametrize("condition", ["kubc", "periodic"])
def test_a_homogenisation_sends_the_planned_messages(job: Job, tmp_path: Path, condition: str) -> None:
    """Oracle: the plans of virtual ranks, with six load cases."""
    load = f'[load]\ntest = "homogenise"\nboundary_condition = "{condition}"\n'
    job.write(job_text(sponge(tmp_path, (12, 11, 10)), "elasticity", load))
    for ranks in (1, 2, 3):
        compared(job, tmp_path, ranks, OF_ITERATIONS | {"load": 6})


TUBE = """[[boundary]]
face = "z_low"
kind = "velocity"
velocity_mm_per_s = 40.0
[[boundary]]
face = "z_high"
kind = "outlet"
"""
EVERYWHERE = '[[probe]]\nname = "box"\nlow_mm = [0, 0, 0]\nhigh_mm = [99, 99, 99]\n'
FLOWS = {
    "permeability": '[load]\ntest = "permeability"\nboundary_condition = "closed"\n[run]\ndecomposition = "bricks"\n',
    "periodic tensor": '[load]\ntest = "permeability_tensor"\n',
    "closed tensor": '[load]\ntest = "permeability_tensor"\nboundary_condition = "closed"\n',
    "openings": '[load]\ntest = "flow"\n' + TUBE,
    "inertia": '[load]\ntest = "flow"\n[flow]\ninertia = true\nconvection = "limited"\nmultiples = [1, 2]\n' + TUBE,
    "in time": '[load]\ntest = "flow"\n[flow]\ninertia = true\nconvection = "limited"\n[transient]\nend_s = 1e-4\nstep_s = 2e-5\n'
    + TUBE
    + EVERYWHERE,
    "in time, a box": '[run]\ndecomposition = "planes"\n[load]\ntest = "flow"\n[flow]\ninertia = true\n[transient]\nend_s = 1e-4\nstep_s = 2e-5\n'
    + TUBE,
    "heat": '[load]\ntest = "flow"\n[flow]\nheat = true\n'
    + TUBE.replace("40.0\n", "40.0\ntemperature_K = 300.0\n")
    + '[[boundary]]\nface = "x_low"\nkind = "temperature"\ntemperature_K = 320.0\n'
    + EVERYWHERE,
}


@pytest.mark.parametrize("case", FLOWS)
def test_a_flow_sends_the_planned_messages(job: Job, tmp_path: Path, case: str) -> None:
    """Oracle: the plans of virtual ranks, compared with the messages of real ranks. Each part counts as often as the
    run counted it. The run has no part that was not predicted."""
    pores(tmp_path)
    if case.endswith("a box"):  # a box of fluid, whose pressure is solved by transforms
        np.save(tmp_path / "pores.npy", np.zeros((14, 13, 12), np.uint8))
    text = job_text("pores.npy", "flow", "[segment]\nthreshold = 100\n" + FLOWS[case])
    job.write(text.replace("[picture]\n", "[picture]\nstreamlines = 0\n"))
    for ranks in RANKS if case in ("permeability", "inertia") else (1, 2, 3):
        parts = compared(job, tmp_path, ranks, {})
        assert parts, "the run marked no parts"


def pores(folder: Path) -> None:
    """Pores that percolate along all axes. The planes of the image differ."""
    z, y, x = np.meshgrid(*(np.arange(n) for n in (14, 13, 12)), indexing="ij")
    waves = np.sin(z / 2.3) * np.cos(y / 2.9) + np.sin(y / 3.1) * np.cos(x / 2.2) + np.sin(x / 2.7) * np.cos(z / 3.3)
    np.save(folder / "pores.npy", np.where(waves > 0.3, 200, 0).astype(np.uint8))


def test_streamlines_are_counted(job: Job, tmp_path: Path) -> None:
    """Oracle: lines along z cross the planes of every rank, so that particles pass each border. Every message has its
    receiver."""
    open_ends = np.zeros((12, 8, 8), np.uint8)
    open_ends[:, :, :2] = 200
    np.save(tmp_path / "slit.npy", open_ends)
    job.write(
        job_text("slit.npy", "flow", "[segment]\nthreshold = 100\n").replace(
            "[picture]\n", "[picture]\nstreamlines = 5\n"
        )
    )
    done = job.run("-n", "3", "--trace-messages", "--no-report")
    assert done.code == 0, done.err
    name, (runs, messages, sent) = next(
        (name, sums) for name, sums in counted(done.summary).items() if name.startswith("particles of streamlines")
    )
    particle = int(name.split(", ")[1].split()[0])
    assert messages == 4 * runs  # two borders, in both directions
    assert sent > 0
    assert sent % particle == 0


@pytest.mark.parametrize("ranks", [1, 3])
def test_predicted_and_measured_times_are_reported_together(job: Job, tmp_path: Path, ranks: int) -> None:
    """Oracle: sums. Waiting times of stages and of plans, and their predictions by the model, add up to the total. A
    single rank does not wait."""
    job.write(job_text(sponge(tmp_path, (16, 14, 15)), "heat", '[load]\ntest = "conduction"\n'))
    done = job.run("-n", str(ranks), "--trace-messages")
    assert done.code == 0, done.err
    messages, stages = done.summary["messages"], done.summary["stages"]
    for key, by_plan, by_stage in (
        ("waited_seconds", sum(p["waited_seconds"] for p in messages["plans"]) / ranks, "waiting_seconds"),
        ("model_seconds", sum(p["model_seconds"] for p in messages["plans"]), "model_seconds"),
    ):
        assert messages[key] == pytest.approx(by_plan, rel=1e-9, abs=1e-12)
        assert messages[key] == pytest.approx(sum(s[by_stage] for s in stages), rel=1e-9, abs=1e-9)
    for plan in messages["plans"]:
        assert (plan["model_seconds"] > 0) == (plan["messages"] > 0), plan
        assert 0 <= plan["model_latency_seconds"] <= plan["model_seconds"]
    assert messages["network"].startswith(f"1 host with {ranks} rank")
    solver = done.summary["solver"]
    solving = next(s for s in stages if s["name"] == "solving")
    assert solver["parallel_efficiency"] == pytest.approx(1 - solving["waiting_seconds"] / solving["seconds"])
    page = (tmp_path / "job.out" / "report.html").read_text()
    assert all(
        words in page for words in ("CPU time of the solver", "% of the peak of the cores", "Parallel efficiency")
    )
    assert all(words in done.out for words in ("solver, CPU", "of bandwidth; of peak", "parallel efficiency"))
    assert page.count("waiting for messages (the network's model: ") == len(stages)
    assert ("model [s]" in done.out) == (ranks > 1)


@pytest.mark.parametrize("physics", ["elasticity", "heat", "flow"])
def test_the_solvers_share_of_the_machine(job: Job, tmp_path: Path, physics: str) -> None:
    """Oracle: definitions and counts. Two ranks have the work of one rank, except for shared nodes. The fractions are
    work divided by time and by the limit. The CPU seconds of the solver do not exceed the CPU seconds of its stage."""
    image = sponge(tmp_path, (16, 14, 15))
    test = {"elasticity": "axial_bonded", "heat": "conduction", "flow": "permeability"}[physics]
    if physics == "flow":  # also through the ends of the box
        solid = np.load(tmp_path / image)
        solid[:, :5, :5] = 0
        np.save(tmp_path / image, solid)
    text = job_text(image, physics, f'[segment]\nthreshold = 100\n[load]\ntest = "{test}"\n')
    job.write(text.replace("[picture]\n", "[picture]\nenabled = false\n"))
    work = {}
    for ranks in (1, 2):
        done = job.run("-n", str(ranks), "--trace-messages", "--no-report", "--force")
        assert done.code == 0, done.err
        solver = done.summary["solver"]
        stage = next(s for s in done.summary["stages"] if s["name"] == "solving")
        assert 0 < solver["setup_cpu_seconds"] + solver["solve_cpu_seconds"] <= stage["cpu_seconds"]
        for work_of, limit, share in (
            ("kernel_bytes", "triad_bytes_per_second", "share_of_bandwidth"),
            ("kernel_operations", "peak_operations_per_second", "share_of_peak"),
        ):
            time = solver[work_of] / solver[limit] / solver[share]
            assert time > 0
            if ranks == 1:  # for several ranks, the value is that of the slowest rank
                assert time == pytest.approx(done.summary["solve_seconds"], rel=1e-9)
        work[ranks] = [solver[key] / done.summary["iterations"] for key in ("kernel_bytes", "kernel_operations")]
    assert work[2] == pytest.approx(work[1], rel=0.35)
    dofs = done.summary["dofs"]
    assert 100 < work[1][0] / dofs < 3000  # number of bytes per iteration and unknown
    assert 50 < work[1][1] / dofs < 3000


@pytest.mark.parametrize("compositing", ["auto", "binary-swap", "shared"])
def test_deviations_of_a_picture_from_its_plan_are_reported(job: Job, tmp_path: Path, compositing: str) -> None:
    """Oracle: the messages of a run. They are at most as many and as long as predicted."""
    text = job_text(sponge(tmp_path, (26, 22, 24)), "heat", '[load]\ntest = "conduction"\n')
    job.write(text.replace("[picture]\n", f'[picture]\ncompositing = "{compositing}"\n'))
    done = job.run("-n", "3", "--trace-messages", "--no-report")
    assert done.code == 0, done.err
    answer = json.loads(osteon("plan", "job", str(tmp_path / "job.toml"), "-n", "3", "--json", "-").stdout)
    follows_schema(answer, "plan.job")
    assert [compositing in s for s in answer["assumed"]] == ([True] if compositing == "binary-swap" else [])
    planned = {name: sums for name, sums in expected(answer, 0, 0).items() if name.endswith("64 B")}
    sent = {name: sums for name, sums in counted(done.summary).items() if " 64 B" in name}
    assert len(planned) == (compositing != "shared")
    if compositing == "auto":
        assert sent == planned
    if compositing == "binary-swap":
        assert list(sent) == ["binary-swap, 64 B, run lengths"]
        assert sent.popitem()[1][1] == planned["binary-swap, 64 B"][1]
    if compositing == "shared":
        assert not sent


def test_plans_are_drawn_and_listed(job: Job, tmp_path: Path) -> None:
    """Oracle: the drawing is XML with a map for each plan. The table names the levels of the solver."""
    job.write(job_text(sponge(tmp_path, (30, 20, 20)), "elasticity"))
    done = osteon(
        "plan",
        "job",
        str(tmp_path / "job.toml"),
        "-n",
        "40",
        "--set",
        "run.decomposition=bricks",
        "--draw",
        str(tmp_path / "p.svg"),
    )
    assert done.returncode == 0, done.stderr
    assert "nodes of level 0, 12 B" in done.stdout
    assert "NO" not in done.stdout
    words = [t.text or "" for t in ET.parse(tmp_path / "p.svg").iter() if t.tag.endswith("text")]
    assert any(w.startswith("boxes to other ranks") for w in words)


@pytest.mark.parametrize(
    ("physics", "more", "ranks", "words"),
    [
        ("elasticity", '[run]\ndecomposition = "planes"\n', "9", "9 ranks for an image of 8 z planes"),
        ("elasticity", '[run]\ndecomposition = "bricks"\n', "400", "400 ranks for an image of 8 x 6 x 7"),
        (
            "flow",
            '[load]\ntest = "flow"\n[transient]\nend_s = 1e-3\nstep_s = 1e-3\nwrite_steps = true\n' + TUBE,
            "2",
            "writes fields during the run",
        ),
        ("heat", '[load]\ntest = "conductivity_tensor"\n', "2", "only the test conduction is supported"),
        ("elasticity", "[segment]\nthreshold = 1\ndrop_unsupported = true\n", "2", "segment.drop_unsupported"),
    ],
)
def test_plans_that_cannot_be_made_are_refused(
    job: Job, tmp_path: Path, physics: str, more: str, ranks: str, words: str
) -> None:
    """Oracle: the message."""
    np.save(tmp_path / "block.npy", np.pad(np.full((8, 6, 7), 9, np.uint8), 0))
    job.write(job_text("block.npy", physics, more if "[segment]" in more else "[segment]\nthreshold = 1\n" + more))
    done = osteon("plan", "job", str(tmp_path / "job.toml"), "-n", ranks)
    assert done.returncode == 2, done.stderr
    assert words in done.stderr
