"""Tests of pictures that are written during a solve."""

from __future__ import annotations

import io
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from PIL import Image
from test_checkpoint import stop_and_resume
from whole_job import Finished, Job, job_text

TRANSIENT = (
    '[[boundary]]\nface = "z_low"\ntemperature_K = 310.0\n[transient]\ninitial_K = 290.0\nend_s = 3.0\nstep_s = 0.5\n'
)
WARM = "[[material]]\nconductivity_W_per_mK = 0.5\nheat_capacity_J_per_m3K = 2e6\n"


def text_of(physics: str, image: Path) -> str:
    if physics == "transient":
        return f'physics = "heat"\n[image]\npath = "{image}"\nspacing_mm = 0.5\n{WARM}{TRANSIENT}[picture]\nwidth = 64\nheight = 64\n'
    return job_text(image, physics)


def fields(done: Finished) -> dict[str, bytes]:
    with netCDF4.Dataset(done.folder / "results.nc") as file:
        file.set_auto_mask(False)
        groups = file["VTKHDF"].groups
        return {name: v[:].tobytes() for g in ("CellData", "PointData") for name, v in groups[g].variables.items()}


def frames(done: Finished) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in done.folder.glob("frame_*.png")}


@pytest.mark.parametrize("physics", ["elasticity", "heat", "transient"])
def test_frames_leave_the_answer_alone(job: Job, sponge: Path, physics: str) -> None:
    """Oracle: the same job without frames, which must be equal bit for bit, and the number of iterations or steps."""
    text = text_of(physics, sponge)
    answers = []
    for more in ("every = 2\n", ""):
        job.write(text + more)
        done = job.run("-n", "2", "--no-report")
        assert done.code == 0, done.err
        answers.append(fields(done))
        made = frames(done)
        last = 6 if physics == "transient" else done.summary["iterations"]
        wanted = (
            {f"frame_{n:06}.png" for n in (*range(2, last, 2), last)} if more else set()
        )  # earlier frames are removed
        assert set(made) == wanted
        made.pop(f"frame_{last:06}.png", None)  # the final picture may equal that of the previous iteration
        assert len(set(made.values())) == len(made) >= (2 if more else 0)
    assert answers[0] == answers[1]


def test_an_iteration_at_which_the_solver_starts_again_has_its_frame(job: Job, sponge: Path) -> None:
    """Oracle: one frame for each iteration. The residual falls below single precision. Every few digits, the solver
    restarts from the true residual."""
    job.write(text_of("elasticity", sponge) + "every = 1\n[solve]\ntolerance = 1e-12\n")
    done = job.run("-n", "2", "--no-report")
    assert done.code == 0, done.err
    assert done.summary["residual_history"][-1] < 1e-10
    assert set(frames(done)) == {f"frame_{n:06}.png" for n in range(1, done.summary["iterations"] + 1)}


def test_frames_are_the_same_on_any_number_of_ranks(job: Job, sponge: Path) -> None:
    """Oracle: the frames of one rank. Temperatures of the steps differ by less than one colour level, which may be
    rounded up or down."""
    job.write(text_of("transient", sponge) + "every = 3\nmethod = 'surface'\n[solve]\ntolerance = 1e-12\n")
    made = []
    for ranks in ("1", "3"):
        done = job.run("-n", ranks, "--no-report")
        assert done.code == 0, done.err
        made.append(frames(done))
    assert set(made[0]) == set(made[1]) == {"frame_000003.png", "frame_000006.png"}
    for name in made[0]:
        one, three = (np.asarray(Image.open(io.BytesIO(m[name])), dtype=int) for m in made)
        assert np.ptp(one) > 100
        assert np.abs(one - three).max() <= 2


@pytest.mark.parametrize(
    ("steps", "every", "drawn"),
    [(6, 4, [4, 6]), (6, 3, [3, 6]), (6, 10, [6]), (1, 1, [1]), (1, 5, [1]), (7, 2, [2, 4, 6, 7])],
)
def test_a_film_ends_with_the_last_step(job: Job, sponge: Path, steps: int, every: int, drawn: list[int]) -> None:
    """Oracle: steps counted by hand. Another reader of animated PNG finds an equal number of pictures, each equal to
    its frame."""
    text = text_of("transient", sponge).replace("end_s = 3.0", f"end_s = {0.5 * steps}")
    job.write(text + f"every = {every}\nfilm = true\n")
    done = job.run("-n", "1", "--no-report")
    assert done.code == 0, done.err
    made = frames(done)
    assert sorted(made) == [f"frame_{n:06}.png" for n in drawn]
    assert "no film" not in done.err
    with Image.open(done.folder / "film.png") as film:
        assert getattr(film, "n_frames", 1) == len(drawn)
        for n, name in enumerate(sorted(made)):
            film.seek(n)
            frame = Image.open(io.BytesIO(made[name]))
            assert np.array_equal(np.asarray(film.convert("RGBA")), np.asarray(frame.convert("RGBA")))


def test_the_last_frame_shows_the_last_step(job: Job, sponge: Path) -> None:
    """Oracle: the frame of the same step of a longer job, byte for byte."""
    made = []
    for end_s in (2.0, 4.0):
        job.write(text_of("transient", sponge).replace("end_s = 3.0", f"end_s = {end_s}") + "every = 4\n")
        done = job.run("-n", "1", "--no-report")
        assert done.code == 0, done.err
        made.append(frames(done))
    assert [sorted(m) for m in made] == [["frame_000004.png"], ["frame_000004.png", "frame_000008.png"]]
    assert made[0]["frame_000004.png"] == made[1]["frame_000004.png"] != made[1]["frame_000008.png"]


def test_a_solve_without_states_to_draw_has_one_clear_sentence(job: Job, sponge: Path) -> None:
    """Oracle: a uniform temperature has no range of colours. The log names the step and the field."""
    still = text_of("transient", sponge).replace("temperature_K = 310.0", "temperature_K = 290.0")
    job.write(still + "every = 4\nfilm = true\n")
    done = job.run("-n", "1", "--no-report")
    assert done.code == 0, done.err
    assert frames(done) == {}
    assert "no film: the job has no frames" in done.err


def test_frames_of_a_resumed_job_have_the_range_of_those_before(job: Job, sponge: Path) -> None:
    """Oracle: the same job without interruption. Colours extend to the highest temperature so far, which occurred
    before the stop."""
    cooling = text_of("transient", sponge).replace("temperature_K = 310.0", "temperature_K = 250.0")
    hot = (
        cooling.replace("end_s = 3.0\nstep_s = 0.5", "end_s = 400.0\nstep_s = 40.0") + "every = 2\nmethod = 'surface'\n"
    )
    job.write(hot)
    whole = job.run("-n", "2", "--no-report")
    assert whole.code == 0, whole.err
    want = frames(whole)
    assert len(want) == 5
    done = stop_and_resume(job, hot, 5)
    assert frames(done) == want


@pytest.mark.parametrize(
    ("more", "says"), [("every = -1\n", "picture.every"), ("every = 2\nenabled = false\n", "enabled")]
)
def test_senseless_frames_are_refused(job: Job, sponge: Path, more: str, says: str) -> None:
    job.write(job_text(sponge) + more)
    done = job.run("-n", "1", "--no-report")
    assert done.code == 2
    assert says in done.err


def test_a_frame_that_cannot_be_written_does_not_end_the_job(job: Job, sponge: Path) -> None:
    """Oracle: the exit code. The obstructing folder is kept."""
    (job.folder / "job.out" / "frame_000002.png").mkdir(parents=True)
    (job.folder / "job.out" / "frame_000002.png" / "mine").write_text("")
    job.write(job_text(sponge) + "every = 2\n")
    done = job.run("-n", "1", "--no-report")
    assert done.code == 0, done.err
    assert "no frame" in done.err
    assert (job.folder / "job.out" / "frame_000002.png" / "mine").exists()
