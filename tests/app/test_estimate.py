"""`osteon estimate`: time per stage from compute constants and the plans of the job. Sizes are tested in
test_commands.py."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from whole_job import Job, follows_schema, job_text, osteon

STAGES = ["import", "start", "reading", "set up", "load", "iterations", "writing", "picture", "report"]


def waves(folder: Path, edge: int) -> str:
    """A connected solid that fills half of a cube."""
    z, y, x = np.meshgrid(*(np.arange(edge),) * 3, indexing="ij")
    field = np.sin(z / 2.3) * np.cos(y / 2.9) + np.sin(y / 3.1) * np.cos(x / 2.2) + np.sin(x / 2.7) * np.cos(z / 3.3)
    np.save(folder / "waves.npy", ((field > -0.1) | (z % 9 == 0)).astype(np.uint8))
    return "waves.npy"


def estimated(job: Job, *words: str) -> dict:
    done = job.run(*words, "--json", "-", command="estimate")
    assert done.code == 0, done.err
    answer = json.loads(done.out)
    follows_schema(answer, "estimate")
    return answer


@pytest.fixture
def solid(job: Job, tmp_path: Path) -> Job:
    job.environment["OSTEON_CACHE"] = str(tmp_path / "cache")
    job.write(job_text(waves(tmp_path, 24), more="[segment]\nthreshold = 0.5\n"))
    return job


def test_stages_add_up_and_their_parts_too(solid: Job) -> None:
    """Oracle: sums, and the stages of the requirement."""
    time = estimated(solid, "-n", "4", "--quick")["time"]
    assert [s["stage"] for s in time["stages"]] == STAGES
    assert time["seconds"] == pytest.approx(sum(s["seconds"] for s in time["stages"]))
    parts = ("compute_seconds", "memory_seconds", "latency_seconds", "bandwidth_seconds")
    for stage in [*time["stages"], time["iteration"]]:
        assert stage["seconds"] == pytest.approx(sum(stage[p] for p in parts))
    by_name = {s["stage"]: s for s in time["stages"]}
    assert by_name["iterations"]["seconds"] == pytest.approx(time["iterations"] * time["iteration"]["seconds"])
    messages = sum(p["seconds"] for p in time["iteration"]["plans"])
    assert messages == pytest.approx(time["iteration"]["latency_seconds"] + time["iteration"]["bandwidth_seconds"])
    assert [p["ranks"] for p in time["scaling"]] == [1, 2, 4, 8, 16]
    assert any("another machine" in sentence for sentence in time["assumed"])


def test_its_messages_are_those_of_the_plans(solid: Job, tmp_path: Path) -> None:
    """Oracle: the output of `osteon plan job`."""
    time = estimated(solid, "-n", "5", "--quick")["time"]
    plans = json.loads(osteon("plan", "job", str(tmp_path / "job.toml"), "-n", "5", "--json", "-").stdout)
    part = next(p for p in plans["parts"] if p["part"] == "iteration")
    reported = {p["plan"]: (p["runs"], p["messages"], p["bytes"]) for p in time["iteration"]["plans"]}
    assert reported == {p["plan"]: (p["runs"], p["messages"], p["bytes"]) for p in part["plans"]}


def test_levels_of_a_large_image_are_visited_as_in_its_plans(job: Job, tmp_path: Path) -> None:
    """Oracle: the output of `osteon plan job` for the whole image."""
    job.environment["OSTEON_CACHE"] = str(tmp_path / "cache")
    edge = 130  # the image has more than 2^21 voxels
    job.write(job_text(waves(tmp_path, edge), more="[segment]\nthreshold = 0.5\n"))
    time = estimated(job, "-n", "3", "--quick")["time"]
    plans = json.loads(osteon("plan", "job", str(tmp_path / "job.toml"), "-n", "3", "--json", "-").stdout)
    part = next(p for p in plans["parts"] if p["part"] == "iteration")
    reported = {p["plan"]: (p["runs"], p["messages"], p["bytes"]) for p in time["iteration"]["plans"]}
    assert reported == {p["plan"]: (p["runs"], p["messages"], p["bytes"]) for p in part["plans"]}
    assert not any("cubes" in sentence for sentence in time["assumed"])


def test_beyond_the_ranks_that_are_planned_messages_go_on(solid: Job, tmp_path: Path) -> None:
    """Oracle: the output of `osteon plan job` on 288 ranks. The estimate approximates bytes and messages of an
    iteration by blocks."""
    solid.write(job_text(waves(tmp_path, 36), more="[segment]\nthreshold = 0.5\n"))
    time = estimated(solid, "-n", "288", "--quick", "--ranks-per-host", "16")["time"]
    assert any("messages are planned on 256 ranks" in sentence for sentence in time["assumed"])
    plans = json.loads(osteon("plan", "job", str(tmp_path / "job.toml"), "-n", "288", "--json", "-").stdout)
    part = next(p for p in plans["parts"] if p["part"] == "iteration")
    for key, error in (("bytes", 0.5), ("messages", 0.1)):
        exact = sum(p[key] for p in part["plans"])
        assert sum(p[key] for p in time["iteration"]["plans"]) == pytest.approx(exact, rel=error)


def test_the_limit_is_the_slowest_part_of_the_network(solid: Job) -> None:
    """Oracle: networks with one slow component. A message of zero bytes takes the latency of this component."""
    slow = {
        "network bandwidth": "crossbar:4,rate=0.01MB/s,startup=1us",
        "latency": "crossbar:4,rate=10GB/s,startup=100ms",
        "compute": "crossbar:4,rate=1000GB/s,startup=0us",
    }
    for limit, network in slow.items():
        time = estimated(solid, "-n", "4", "--quick", "--network", network)["time"]
        assert time["limit"] == limit
        assert time["hosts"] == 4
    # A single rank sends no messages and is therefore the most efficient choice on this network.
    costly = estimated(solid, "-n", "2", "--quick", "--network", slow["latency"], "--ranks-per-host", "1")["time"]
    assert costly["stops_paying_at"] == 1
    assert costly["scaling"][0]["seconds"] < costly["scaling"][1]["seconds"]


def test_a_small_job_is_its_own_pilot(solid: Job, tmp_path: Path) -> None:
    """Oracle: the run itself, with its exact number of iterations. The constants are stored, and --costs reads them."""
    time = estimated(solid, "-n", "1", "--keep-costs", "costs.json")["time"]
    assert time["iterations"] == solid.run("-n", "1", "--no-report").summary["iterations"]
    assert "pilot" in time["costs"]
    follows_schema(json.loads((tmp_path / "costs.json").read_text()), "costs")
    kept = list((tmp_path / "cache").glob("costs-*.json"))
    assert len(kept) == 1
    again = estimated(solid, "-n", "1")["time"]
    assert again["iteration"] == time["iteration"]
    other = estimated(solid, "-n", "1", "--costs", "costs.json")["time"]
    assert other["iteration"] == time["iteration"]


def test_an_earlier_result_predicts_a_similar_job(solid: Job, tmp_path: Path) -> None:
    """Oracle: the CPU seconds of the stages of the run from which this estimate is computed."""
    done = solid.run("-n", "1", "--no-report", "-t", "1", "-o", "earlier")
    assert done.code == 0, done.err
    summary = json.loads((tmp_path / "earlier" / "summary.json").read_text())
    reported = estimated(solid, "-n", "1", "--like", "earlier")
    time = reported["time"]
    assert time["iterations"] == summary["iterations"]
    solving = next(s["cpu_seconds"] for s in summary["stages"] if s["name"] == "solving")
    assert reported["cpu_seconds"] == pytest.approx(solving, rel=0.02)
    writing = next(s["cpu_seconds"] for s in summary["stages"] if s["name"] == "writing results")
    assert time["stages"][STAGES.index("writing")]["seconds"] == pytest.approx(writing, rel=0.02)


def test_invalid_inputs_are_reported(solid: Job, tmp_path: Path) -> None:
    """Oracle: the message of each error."""
    (tmp_path / "wrong.json").write_text('{"schema": "osteon.costs/1"}')
    for words, text in (
        (["--costs", "wrong.json"], "does not contain stage costs"),
        (["--costs", "."], "cannot read '.'"),
        (["--like", "nowhere"], "cannot read 'nowhere/summary.json'"),
        (["--machine", "wrong.json"], "wrong.json"),
        (["--network", "crossbar:2", "--ranks-per-host", "1", "-n", "4"], "raise --ranks-per-host"),
        (["--network", "nonsense:2"], "nonsense"),
    ):
        done = solid.run("--quick", *words, command="estimate")
        assert done.code in (2, 3), words
        assert text in done.err, done.err


def test_a_physics_without_plans_reports_omitted_messages(job: Job, sponge: Path) -> None:
    """Oracle: the text of `osteon plan job`."""
    job.write(job_text(sponge, "heat", more='[load]\ntest = "conductivity_tensor"\n'))
    time = estimated(job, "-n", "2", "--quick")["time"]
    printed = [sentence for sentence in time["assumed"] if "messages are not included" in sentence]
    assert len(printed) == 1
    assert "only the test conduction is supported" in printed[0]
    assert time["seconds"] > 0


def test_flow_has_the_messages_of_its_parts(job: Job, tmp_path: Path) -> None:
    """Oracle: the plans of the flow. Each exchange of an iteration has two messages between two ranks. If the costs
    state a new residual of 8 B per value in half of the iterations, the exchanges of the residual count half."""
    image = np.full((16, 14, 12), 9, np.uint8)
    image[:, 3:9, 2:8] = 0  # a duct
    np.save(tmp_path / "duct.npy", image)
    load = '[segment]\nthreshold = 1\n[load]\ntest = "permeability"\nboundary_condition = "closed"\n'
    job.write(job_text("duct.npy", "flow", more=load))
    time = estimated(job, "-n", "2", "--quick", "--keep-costs", str(tmp_path / "costs.json"))["time"]
    assert not any("left out" in sentence for sentence in time["assumed"])
    assert any("only in its iterations" in sentence for sentence in time["assumed"])
    plans = {plan["plan"]: plan for plan in time["iteration"]["plans"]}
    fine = plans["cells, 4 B"]
    assert fine["messages"] == 2 * fine["runs"] > 80
    assert "cells, 8 B" not in plans
    costs = json.loads((tmp_path / "costs.json").read_text())
    costs["parts"] = {"iteration": 1, "restart": 0.5}
    (tmp_path / "costs.json").write_text(json.dumps(costs))
    time = estimated(job, "-n", "2", "--costs", str(tmp_path / "costs.json"))["time"]
    assert not any("only in its iterations" in sentence for sentence in time["assumed"])
    plans = {plan["plan"]: plan for plan in time["iteration"]["plans"]}
    assert plans["cells, 8 B"]["runs"] == 2  # exchanges of four unknowns in half of the iterations
    assert plans["cells, 4 B"]["runs"] > fine["runs"]


def flow_in_time(tmp_path: Path, more: str = "", **keys: object) -> str:
    """Transient flow between two openings in a box of fluid with a block of solid."""
    image = np.zeros((16, 12, 10), np.uint8)
    image[6:9, :6, :] = 9
    np.save(tmp_path / "channel.npy", image)
    openings = '[[boundary]]\nface = "z_low"\nkind = "velocity"\nvelocity_mm_per_s = 2\n[[boundary]]\nface = "z_high"\nkind = "outlet"\n'
    heat = "heat = true\n" if "initial_K" in keys else ""
    if heat:
        openings = openings.replace("velocity_mm_per_s = 2\n", "velocity_mm_per_s = 2\ntemperature_K = 300\n")
    time = "[transient]\n" + "".join(f"{key} = {value}\n" for key, value in keys.items())
    flow = f"[segment]\nthreshold = 1\n[flow]\ninertia = true\n{heat}{more}"
    return job_text("channel.npy", "flow", more=flow + openings + time, spacing="spacing_mm = 0.1")


def test_steps_of_a_flow_in_time_are_counted_with_their_temperatures(job: Job, tmp_path: Path) -> None:
    """Oracle: the time is linear in the number of steps. A temperature adds time to each step. An unknown number of
    steps is reported."""

    def seconds(**keys: object) -> float:
        job.write(flow_in_time(tmp_path, **keys))
        return estimated(job, "-n", "1", "--quick")["cpu_seconds"]

    slopes = []
    for warm in ({}, {"initial_K": 300.0}):
        few, more, most = (seconds(end_s=n * 1e-3, step_s=1e-3, **warm) for n in (100, 1100, 2100))
        assert most - more == pytest.approx(more - few, rel=1e-3)
        assert most > 10 * few
        slopes.append(more - few)
    assert 1.5 * slopes[0] < slopes[1] < 4 * slopes[0]
    # The speed is 2 mm/s, the voxels have 0.1 mm, and the Courant number is 0.5, which yields 40 steps per second.
    job.write(flow_in_time(tmp_path, initial_K=300.0, end_s=25.0))
    answer = estimated(job, "-n", "1", "--quick")
    assert any(
        "1000 time steps, estimated from the prescribed velocities" in printed for printed in answer["time"]["assumed"]
    )
    assert answer["cpu_seconds"] == pytest.approx(seconds(initial_K=300.0, end_s=1.0, step_s=1e-3), rel=1e-6)
    driven = (
        flow_in_time(tmp_path, initial_K=300.0, end_s=25.0).replace("velocity", "pressure").replace("_mm_per_s", "_Pa")
    )
    job.write(driven)
    answer = estimated(job, "-n", "1", "--quick")
    assert any("the number of adaptive time steps is unknown" in printed for printed in answer["time"]["assumed"])


def test_a_temperature_in_time_is_not_planned_and_the_reason_is_reported(job: Job, tmp_path: Path) -> None:
    """Oracle: the sentence in the output of plan job and of estimate. The estimate omits the messages."""
    job.write(flow_in_time(tmp_path, initial_K=300.0, end_s=0.1, step_s=1e-3))
    done = osteon("plan", "job", str(tmp_path / "job.toml"), "-n", "2")
    assert done.returncode == 2, done.stderr
    why = "the transient temperature depends on the computed flow"
    assert why in done.stderr
    assumed = estimated(job, "-n", "2", "--quick")["time"]["assumed"]
    assert any(why in printed and "messages are not included" in printed for printed in assumed)


def test_thermo_elasticity_has_the_messages_of_both_problems(job: Job, sponge: Path) -> None:
    """Oracle: the plans of the job. An iteration has the plans of the heat cells and of the elasticity levels.
    Assumptions are reported."""
    job.write(job_text(sponge, "thermo_elasticity", more="[load]\nreference_K = 293.0\n"))
    time = estimated(job, "-n", "2", "--quick")["time"]
    assert any("the same number of iterations as the elasticity problem" in sentence for sentence in time["assumed"])
    names = [plan["plan"] for plan in time["iteration"]["plans"]]
    assert any(name.startswith("nodes of level") for name in names)
    assert any(name == "cells, 4 B" for name in names)
