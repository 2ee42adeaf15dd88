"""Processes and threads around a job on an array. Oracle: the answer of the same job alone, and a process that exits
without help."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from osteon.processes.native_module import native_module
from whole_job import BINARY, ROOT

pytestmark = pytest.mark.skipif(
    native_module() is None, reason="osteon._native is not built (nanobind, Python's headers)"
)

HEAD = """
import json, multiprocessing, os, sys, threading, time
import numpy as np
import osteon
IMAGE = np.random.default_rng(0).integers(0, 255, (16,) * 3, dtype="u1")
def solve(progress=False, threads=2, image=IMAGE):
    return osteon.stiffness(image, 0.02, threshold=60, youngs_modulus_MPa=1000.0, poisson_ratio=0.3, progress=progress,
                            run={"threads": threads})
alone = solve().stiffness_N_per_mm
"""


def script(text: str) -> list[str]:
    return [sys.executable, "-c", HEAD + text]


def environment() -> dict[str, str]:
    return {**os.environ, "OSTEON_BINARY": str(BINARY), "PYTHONPATH": str(ROOT / "python")}


def run(text: str, folder: Path, timeout: float = 120) -> str:
    done = subprocess.run(
        script(text), cwd=folder, env=environment(), capture_output=True, text=True, timeout=timeout, check=False
    )
    assert done.returncode == 0, (done.returncode, done.stderr)
    assert done.stderr == ""
    return done.stdout


def test_a_forked_child_solves_by_the_program(tmp_path: Path) -> None:
    out = run(
        """
def child(_):
    return solve().stiffness_N_per_mm
with multiprocessing.get_context("fork").Pool(2) as pool:
    print(all(abs(k / alone - 1) < 1e-6 for k in pool.map_async(child, range(2)).get(100)))
""",
        tmp_path,
    )
    assert out == "True\n"


def test_a_forked_child_has_the_fields_of_its_parent(tmp_path: Path) -> None:
    """The test also includes a thread of the parent process that is solving at the time of the fork."""
    out = run(
        """
result = solve()
busy = threading.Thread(target=lambda: [solve(image=np.tile(IMAGE, (2, 2, 2))) for _ in range(2)])
busy.start()
def child(to):
    to.send((float(np.nansum(np.abs(result.fields["displacement"]))), (result.output_directory / "results.nc").exists()))
there, here = multiprocessing.Pipe()
context = multiprocessing.get_context("fork")
process = context.Process(target=child, args=(here,))
process.start()
assert there.poll(60)
total, written = there.recv()
process.join(60)
busy.join()
print(process.exitcode, written, total == float(np.nansum(np.abs(result.fields["displacement"]))))
""",
        tmp_path,
    )
    assert out == "0 True True\n"


def test_a_forked_child_ends_as_python_does(tmp_path: Path) -> None:
    """The child uses os.fork and sys.exit, which calls the exit handlers. MPI belongs to the parent process."""
    out = run(
        """
sys.stdout.flush()
number = os.fork()
if number == 0:
    sys.exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(number, 0)[1]), solve().stiffness_N_per_mm == alone)
""",
        tmp_path,
    )
    assert out == "7 True\n"


def test_a_listener_may_call_osteon(tmp_path: Path) -> None:
    out = run(
        """
found = []
def listener(*_):
    if len(found) < 3:
        inner = solve()
        found.append(inner.stiffness_N_per_mm == alone and bool(np.isfinite(inner.fields["von_mises"]).any()))
print(solve(listener).stiffness_N_per_mm == alone, len(found) > 0 and all(found))
""",
        tmp_path,
    )
    assert out == "True True\n"


def test_a_listener_that_waits_for_another_thread_is_ended_by_an_interrupt(tmp_path: Path) -> None:
    """The thread waits for the solver, which calls the listener. Only Ctrl-C can end the thread."""
    process = subprocess.Popen(
        script(
            """
def listener(*_):
    other = threading.Thread(target=solve, daemon=True)
    other.start()
    print("waiting", flush=True)
    other.join()
try:
    solve(listener)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
        ),
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        assert process.stdout.readline() == "waiting\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 0, err
    assert "interrupted" in out


def test_threads_share_solutions(tmp_path: Path) -> None:
    """Several threads that solve, read fields and write files at once. Oracle: the values of each thread alone."""
    out = run(
        """
wanted = solve().fields["displacement"]
def work(found):
    for _ in range(3):
        result = solve()
        same = np.array_equal(result.fields["displacement"], wanted, equal_nan=True)
        found.append(same and (result.output_directory / "results.nc").exists() and result.fields["material"].any())
found = []
threads = [threading.Thread(target=work, args=(found,)) for _ in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
print(len(found), all(found))
""",
        tmp_path,
    )
    assert out == "12 True\n"


@pytest.mark.parametrize("delay", [0.0, 0.02, 0.1, 0.3, 0.6])
def test_python_ends_while_a_daemon_thread_solves(tmp_path: Path, delay: float) -> None:
    """Oracle: exit code 0 without a message, within a short time."""
    start = time.monotonic()
    run(
        f"""
large = np.tile(IMAGE, (3, 3, 3))
def work():
    for _ in range(99):
        solve(image=large).fields["von_mises"]
for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
time.sleep({delay})
""",
        tmp_path,
    )
    assert time.monotonic() - start < 100


def test_a_daemon_thread_owns_a_solution_at_the_end_of_python(tmp_path: Path) -> None:
    """Oracle: exit code 0, and no report of nanobind about the object, which the thread never releases."""
    run(
        """
has_it = threading.Event()
def work():
    result = solve()
    result.fields["von_mises"]
    has_it.set()
    time.sleep(1000)
threading.Thread(target=work, daemon=True).start()
has_it.wait(60)
""",
        tmp_path,
    )


def test_a_call_at_the_end_of_python_raises(tmp_path: Path) -> None:
    """A function called after MPI has been finalised. Oracle: an error of osteon. MPI does not abort the process."""
    out = run(
        """
import atexit
from osteon.processes import native_module
native = native_module.native_module()
def late():
    try:
        solve()
    except osteon.Error as e:
        print(type(e).__name__, e)
atexit.unregister(native_module.end)
atexit.register(late)
atexit.register(native_module.end, native)
""",
        tmp_path,
    )
    assert "Python is exiting" in out
