"""`osteon join`: clusters started side by side on this machine, with a program that needs no MPI (bridge_wire/peer.cpp)."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest
from whole_job import BINARY, ROOT

PEER = BINARY.parents[2] / "tests" / "wire_peer"
FAN = ROOT / "tests" / "bridge_wire" / "fan.sh"
WIRE = "[wire]\njoin_s = 15\ncut_s = 5\nheartbeat_s = 0.3\n"


def cluster(name: str, ranks: int, *, expected: int | None = None, extra: str = "") -> str:
    launcher = f'["env", "ASKED={{ranks}}", "{FAN}", "-n", "{ranks}"]' if expected else f'["{FAN}", "-n", "{{ranks}}"]'
    return f'[[cluster]]\nname = "{name}"\nranks = {expected or ranks}\nlauncher = {launcher}\n{extra}'


def join(folder: Path, text: str, *program: str, grace: float = 2, path: str = "") -> subprocess.CompletedProcess[str]:
    if not BINARY.exists() or not PEER.exists():
        pytest.skip(f"{BINARY} or {PEER} is not built")
    file = folder / "clusters.toml"
    file.write_text(text)
    return subprocess.run(
        [str(BINARY), "join", str(file), "--grace", str(grace), "--", *(program or (str(PEER),))],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
        env=os.environ | {"PATH": f"{path}:{os.environ['PATH']}"} if path else None,
    )


def free_ports(how_many: int) -> list[int]:
    """Ports that nobody has now; the kernel does not give them to others soon."""
    with contextlib.ExitStack() as all_at_once:
        sockets = [all_at_once.enter_context(socket.socket()) for _ in range(how_many)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def test_ranks_of_all_clusters_meet_and_their_lines_are_prefixed(tmp_path: Path) -> None:
    done = join(tmp_path, WIRE + cluster("a", 2) + cluster("b", 1))
    assert done.returncode == 0, done.stderr
    lines = sorted(done.stdout.splitlines())
    assert lines == ["[a] rank 0 of 3: good", "[a] rank 1 of 3: good", "[b] rank 2 of 3: good"]


def test_a_relay_per_cluster_and_the_hub_between_them(tmp_path: Path) -> None:
    relays = [f'relay = "127.0.0.1:{port}"\n' for port in free_ports(2)]
    done = join(tmp_path, WIRE + cluster("a", 2, extra=relays[0]) + cluster("b", 2, extra=relays[1]))
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("good") == 4


@pytest.mark.parametrize(
    ("what", "parts"),
    [
        ("leave", ["cluster 'b' has ended", "fan.sh", "exited with code 7"]),
        ("abort", ["rank 2 (cluster 'b', local rank 0", "this test says so"]),
        ("alone", ["cluster 'a': 2 processes registered of 2 expected", "singletons"]),
        ("keyless", ["another job key", "has ended", "a connection was refused: 127.0.0.1"]),
    ],
)
def test_all_end_and_say_who_where_and_why(tmp_path: Path, what: str, parts: list[str]) -> None:
    began = time.monotonic()
    done = join(tmp_path, WIRE + cluster("a", 2) + cluster("b", 1), str(PEER), what)
    assert done.returncode not in (0, 2)
    assert time.monotonic() - began < 12
    for part in parts:
        assert part in done.stderr, done.stderr
    if what in ("leave", "abort"):  # the other cluster's ranks heard it themselves, unless their launcher was faster
        assert "[a] peer: " in done.stderr, done.stderr


def test_another_number_of_processes_is_told(tmp_path: Path) -> None:
    done = join(tmp_path, WIRE + cluster("a", 3, expected=2) + cluster("b", 1))
    assert done.returncode != 0
    assert "has 3 processes; expected are 2" in done.stderr, done.stderr


def test_a_program_that_never_joins_is_told(tmp_path: Path) -> None:
    done = join(tmp_path, WIRE + cluster("a", 1) + cluster("b", 1), shutil.which("true") or "/bin/true")
    assert done.returncode == 5
    assert "none of its processes joined" in done.stderr, done.stderr


def test_signals_are_passed_on(tmp_path: Path) -> None:
    if not PEER.exists():
        pytest.skip(f"{PEER} is not built")
    file = tmp_path / "clusters.toml"
    file.write_text(WIRE + cluster("a", 1) + cluster("b", 1))
    with subprocess.Popen(
        [str(BINARY), "join", str(file), "--grace", "1", "--", str(PEER), "hang"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as job:
        assert job.stdout is not None
        assert "good" in job.stdout.readline() + job.stdout.readline()
        job.send_signal(signal.SIGINT)
        _, err = job.communicate(timeout=15)
        assert job.returncode != 0
        assert "ended by signal 2" in err


def test_all_faults_of_the_file_are_told_at_once(tmp_path: Path) -> None:
    done = join(
        tmp_path,
        'sever = "x"\n[wire]\nstream = 2\n[bridge]\nmod = "bytes"\n[[cluster]]\nname = "a"\nadapter = "mpi"\n[[cluster]]\nname = "a"\nranks = 1\n',
    )
    assert done.returncode == 2
    for part in (
        "sever: is not known; did you mean 'server'?",
        "wire.stream: is not known; did you mean 'streams'?",
        "bridge.mod: is not known; did you mean 'mode'?",
        "cluster[0].ranks: is missing",
        "cluster[0].adapter: 'mpi' is none of",
        "'a' stands twice",
    ):
        assert part in done.stderr, done.stderr


# Oracle: what the real ones do. ssh hands its words to a shell elsewhere, which has none of our variables; srun takes -n.
def test_clusters_behind_ssh_and_under_srun(tmp_path: Path) -> None:
    commands = {
        "ssh": 'echo "ssh to $1" >&2; shift; exec env -i PATH="$PATH" sh -c "$*"',
        "srun": f'echo "srun $1 $2" >&2; exec "{FAN}" "$@"',
    }
    for name, body in commands.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{body}\n")
        (tmp_path / name).chmod(0o755)
    far = f'[[cluster]]\nname = "far"\nranks = 2\nprefix = ["ssh", "far.example.org"]\ndirectory = "{tmp_path}"\n'
    text = 'server = "127.0.0.1"\n' + WIRE + cluster("near", 1) + far + 'launcher = "srun"\naddress = "127.0.0.1"\n'
    done = join(tmp_path, text, path=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == [
        "[far] rank 1 of 3: good",
        "[far] rank 2 of 3: good",
        "[near] rank 0 of 3: good",
    ]
    assert "[far] ssh to far.example.org" in done.stderr
    assert "[far] srun -n 2" in done.stderr
    # A shell that ends at once, as ssh does when it is refused.
    (tmp_path / "ssh").write_text("#!/bin/sh\necho 'Permission denied' >&2\nexit 255\n")
    done = join(tmp_path, text, path=str(tmp_path))
    assert done.returncode != 0
    assert "[far] Permission denied" in done.stderr
    assert "cluster 'far' has ended: its launcher (ssh far.example.org srun) exited with code 255" in done.stderr


@pytest.mark.skipif(shutil.which("mpirun.openmpi") is None, reason="Open MPI's launcher is not installed")
def test_open_mpi_hands_the_variables_on(tmp_path: Path) -> None:
    launcher = 'adapter = "ompi4"\nlauncher = "mpirun.openmpi"\noptions = "--oversubscribe --bind-to none"\n'
    text = WIRE + cluster("b", 1)
    text += f'[[cluster]]\nname = "a"\nranks = 2\n{launcher}'
    done = join(tmp_path, text)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("good") == 3
