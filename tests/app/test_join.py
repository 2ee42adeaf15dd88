"""Tests of `osteon join`. The clusters start concurrently on this machine, with a program without MPI
(bridge/tests/wire/peer.cpp)."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from whole_job import BINARY, ROOT

PEER = BINARY.parents[2] / "bridge" / "tests" / "wire_peer"
FAN = ROOT / "bridge" / "tests" / "wire" / "fan.sh"
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
        timeout=120,
        check=False,
        env=os.environ | {"PATH": f"{path}:{os.environ['PATH']}"} if path else None,
    )


def free_ports(how_many: int) -> list[int]:
    """Return free ports. The kernel does not assign these ports again soon."""
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


def test_requirements_of_srun_are_reported(tmp_path: Path) -> None:
    """Without --exact, two steps of one allocation wait for each other. Without --mpi=, processes may not find each
    other."""
    srun = tmp_path / "srun"
    srun.write_text(f'#!/bin/sh\ncase $1 in --*) shift 2 ;; esac\nexec "{FAN}" "$@"\n')
    srun.chmod(0o755)

    def two(words: str) -> str:
        launcher = f'launcher = ["{srun}", {words}"-n", "{{ranks}}"]\n'
        return WIRE + "".join(f'[[cluster]]\nname = "{name}"\nranks = 1\n{launcher}' for name in "ab")

    told = join(tmp_path, two(""))
    assert told.returncode == 0, told.stderr
    assert told.stderr.count("srun without --mpi= uses Slurm's default") == 2
    assert told.stderr.count("srun without --exact uses the whole allocation") == 2
    quiet = join(tmp_path, two('"--exact", "--mpi=pmix", '))
    assert quiet.returncode == 0, quiet.stderr
    assert "srun" not in quiet.stderr


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
        ("keyless", ["another job key", "has ended", "a connection was rejected: 127.0.0.1"]),
    ],
)
def test_all_end_and_say_who_where_and_why(tmp_path: Path, what: str, parts: list[str]) -> None:
    began = time.monotonic()
    done = join(tmp_path, WIRE + cluster("a", 2) + cluster("b", 1), str(PEER), what)
    assert done.returncode not in (0, 2)
    assert time.monotonic() - began < 12
    for part in parts:
        assert part in done.stderr, done.stderr
    if what in ("leave", "abort"):  # the ranks of the other cluster detect the failure, unless their launcher is faster
        assert "[a] peer: " in done.stderr, done.stderr


def test_another_number_of_processes_is_reported(tmp_path: Path) -> None:
    done = join(tmp_path, WIRE + cluster("a", 3, expected=2) + cluster("b", 1))
    assert done.returncode != 0
    assert "reports 3 processes in its cluster instead of 2" in done.stderr, done.stderr


def test_a_program_that_never_joins_is_reported(tmp_path: Path) -> None:
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
        "sever: unknown key; did you mean 'server'?",
        "wire.stream: unknown key; did you mean 'streams'?",
        "bridge.mod: unknown key; did you mean 'mode'?",
        "cluster[0].ranks: is missing",
        "cluster[0].adapter: 'mpi' is not ompi4",
        "'a' occurs twice",
    ):
        assert part in done.stderr, done.stderr


# Oracle: the tables of the documentation. No program is started, because otherwise the missing launcher would be
# reported.
def test_values_are_checked_before_a_cluster_starts(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("k" * 32 + "\n")
    key.chmod(0o644)
    clusters = '[[cluster]]\nname = "a"\nranks = 1\nlauncher = "/nowhere"\nwire = { ackmark = 0, tls = "off" }\n'
    text = '[wire]\nstreams = 40\ncut_s = "soon"\n[bridge]\nmode = "byte"\nyield = true\n' + clusters
    done = join(tmp_path, text)
    assert done.returncode == 2
    for part in (
        "  wire.streams: 40 must be in 1 .. 16",
        "  wire.cut_s: 'soon' is not a number",
        "  bridge.mode: 'byte' is not one of: direct, bytes",
        "  bridge.yield: 'on' is not one of: 0, 1",
        "  cluster[0].wire.ackmark: 0 must be in 1 .. 1048576",
        "  cluster[0].wire.tls: must be the same for all clusters",
    ):
        assert done.stderr.count(part) == 1, done.stderr
    for mode, words in ((0o644, "is readable by others (mode 644)"), (0o600, "")):
        key.chmod(mode)
        done = join(tmp_path, f'key_file = "{key}"\n' + WIRE + cluster("a", 1) + cluster("b", 1))
        assert done.returncode == (2 if words else 0), done.stderr
        assert words in done.stderr


# Oracle: the behaviour of the real launchers. ssh passes its arguments to a remote shell, which has none of the
# variables of this process. srun accepts -n.
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
    # A shell that ends at once, like ssh after a rejected login.
    (tmp_path / "ssh").write_text("#!/bin/sh\necho 'Permission denied' >&2\nexit 255\n")
    done = join(tmp_path, text, path=str(tmp_path))
    assert done.returncode != 0
    assert "[far] Permission denied" in done.stderr
    assert "cluster 'far' has ended: its launcher (ssh far.example.org srun) exited with code 255" in done.stderr


# Oracle: the behaviour of the real launchers. The launcher of Open MPI exports to other hosts only the variables given
# by -x. The launcher of MPICH exports all variables and has no option -x. Both launchers are called mpirun.
@pytest.mark.parametrize("version", ["mpirun (Open MPI) 4.1.4", "mpirun (OpenRTE) 4.1.4", "HYDRA build details:"])
def test_an_mpirun_of_any_vendor_hands_the_variables_on(tmp_path: Path, version: str) -> None:
    is_open = "HYDRA" not in version
    (tmp_path / "mpirun").write_text(f"""#!/bin/sh
[ "$1" = --version ] && echo "{version}" && exit
kept=PATH="$PATH" count=$2
shift 2
while [ "$1" = -x ]; do
  {"true" if is_open else "exit 9"}
  eval "value=\\$$2"
  kept="$kept $2=$value"
  shift 2
done
{"exec env -i $kept" if is_open else "exec"} "{FAN}" -n "$count" "$@"
""")
    (tmp_path / "mpirun").chmod(0o755)
    clusters = "".join(f'[[cluster]]\nname = "{name}"\nranks = 2\n' for name in "ab")
    done = join(tmp_path, WIRE + clusters, path=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("good") == 4


# Oracle: output and exit codes of the launchers of MPICH and Open MPI after signal 9 killed a process.
@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)", 9),
        ("mpirun noticed that process rank 1 with PID 0 on node vm exited on signal 9 (Killed).", 137),
        ("", 137),
    ],
)
def test_a_launcher_that_tells_of_a_signal(tmp_path: Path, line: str, code: int) -> None:
    (tmp_path / "launcher").write_text(f"#!/bin/sh\necho '{line}'\nexit {code}\n")
    (tmp_path / "launcher").chmod(0o755)
    done = join(
        tmp_path, WIRE + f'[[cluster]]\nname = "a"\nranks = 1\nlauncher = "{tmp_path}/launcher"\n' + cluster("b", 1)
    )
    assert done.returncode == 137, done.stderr
    assert f"exited with code {code}: one of its processes was killed by signal 9 (Killed)" in done.stderr


# Oracle: determined by hand. A process that has loaded another MPI library is reported immediately, and not only after
# the joining time-out.
def test_a_program_of_another_mpi_is_told(tmp_path: Path) -> None:
    library = tmp_path / "libmpi.so.40.30.4"
    library.write_bytes(bytes(4096))
    program = tmp_path / "program.py"
    program.write_text(
        f"import mmap, time\nf = open({str(library)!r}, 'rb')\nm = mmap.mmap(f.fileno(), 0, prot=mmap.PROT_READ)\ntime.sleep(100)\n"
    )
    text = WIRE.replace("join_s = 15", "join_s = 1000") + cluster("a", 1) + cluster("b", 2)
    done = join(tmp_path, text, sys.executable, str(program))
    assert done.returncode == 5, done.stderr
    assert f"runs alone on {library} instead of osteon's libmpi_abi.so.1" in done.stderr
    assert "--no-binary mpi4py" in done.stderr


# Oracle: the message of the mpi4py 4.1 wheel if the standard ABI is requested but is missing.
def test_the_wheel_of_mpi4py_is_told(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import os\nif os.environ['MPI4PY_MPIABI'] == 'mpiabi':\n"
        "    raise ImportError(\"cannot import name 'MPI' from 'mpi4py' (/usr/mpi4py/__init__.py)\")\n"
    )
    done = join(tmp_path, WIRE + cluster("a", 1) + cluster("b", 1), sys.executable, str(program))
    assert done.returncode == 1
    assert "mpi4py from PyPI's wheel supports other MPIs only; build it: MPICC=" in done.stderr


@pytest.mark.skipif(shutil.which("mpirun.openmpi") is None, reason="Open MPI's launcher is not installed")
def test_open_mpi_hands_the_variables_on(tmp_path: Path) -> None:
    launcher = 'adapter = "ompi4"\nlauncher = "mpirun.openmpi"\noptions = "--oversubscribe --bind-to none"\n'
    text = WIRE + cluster("b", 1)
    text += f'[[cluster]]\nname = "a"\nranks = 2\n{launcher}'
    done = join(tmp_path, text)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("good") == 3
