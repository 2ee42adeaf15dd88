"""`osteon place` on the command line."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from whole_job import BINARY, ROOT

HOST = ["--host", "pack:2 l3:1 core:4 pu:1"]
GRID = ["--grid", "z=8,y=8,x=8", "--cells", "z=256,y=256,x=1024"]
PROGRAM = BINARY.parents[2] / "tests" / "trace_program"
ROOT_MAY = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def place(*arguments: str, cwd: Path) -> subprocess.CompletedProcess:
    return subprocess.run(
        [str(BINARY), "place", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=cwd,
        env={**os.environ, **ROOT_MAY},
        check=False,
    )


def answer(*arguments: str, cwd: Path) -> dict:
    done = place(*arguments, "--json", "-", cwd=cwd)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_papers_case(tmp_path):
    # Oracle: docs/theory/placement.md, with 3758.1, 4168.5 (mean of 50) and 1543.5 MB.
    got = answer(*GRID, "--hosts", "64", *HOST, cwd=tmp_path)
    assert got["off_host_bytes"]["input"] == pytest.approx(3758.1e6, abs=0.051e6)
    assert got["off_host_bytes"]["random"] == pytest.approx(4168.5e6, rel=0.01)
    assert got["off_host_bytes"]["result"] == pytest.approx(1543.5e6, abs=0.051e6)
    assert len({tuple(p) for p in got["places"]}) == 512


def test_table_and_launcher_files(tmp_path):
    done = place(*GRID, "--hosts", "64", *HOST, "--emit", "ompi4-rankfile", "-o", "ranks", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "2.43 times less" in done.stdout
    assert "--rankfile ranks" in done.stdout
    lines = (tmp_path / "ranks").read_text().splitlines()
    # Oracle: 512 ranks in order, with 8 different slots on each of 64 hosts.
    assert [int(line.split("=")[0].split()[1]) for line in lines] == list(range(512))
    assert len({line.split("=", 1)[1] for line in lines}) == 512
    assert {line.split("slot=")[1] for line in lines} == {str(i) for i in range(8)}


def test_the_wrapper_binds_and_refuses_a_wrong_host(tmp_path):
    if not shutil.which("taskset"):
        pytest.skip("taskset is not installed")
    host = subprocess.run(["hostname"], capture_output=True, text=True, check=True).stdout.strip()
    first = min(os.sched_getaffinity(0))
    done = place("--grid", "z=1,y=1,x=1", "--emit", "wrap", "-o", "bind.sh", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    script = tmp_path / "bind.sh"
    environment = {**os.environ, "OMPI_COMM_WORLD_RANK": "0"}
    command = [str(script), "sh", "-c", "taskset -cp $$"]
    bound = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert bound.stdout.strip().endswith(f": {first}"), bound.stderr
    script.write_text(script.read_text().replace(f"host={host} ", "host=elsewhere "))
    wrong = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert wrong.returncode == 5
    assert "elsewhere" in wrong.stderr


def test_a_traced_program(tmp_path):
    # Oracle: the messages recorded by trace_program.cpp, determined by hand.
    traced = ["--trace", "--graph", "graph.json", "--hosts", "2", "--host", "core:2 pu:1", "--"]
    done = place(*traced, "mpirun", "-q", "--oversubscribe", "-n", "4", str(PROGRAM), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    graph = json.loads((tmp_path / "graph.json").read_text())
    sent = {(a, b): n for a, b, n in graph["sent"] if a != b}
    expected = {(a, b): 1 for a in range(4) for b in range(4) if a != b}
    for a in range(4):
        expected[a, 3 - a] += 800
        for b in ((a + 1) % 4, (a - 1) % 4):
            expected[a, b] += 1000
    for a in range(3):
        expected[a, a + 1] += 10
    expected[0, 1] += 21
    assert graph["subdomains"] == 4
    assert sent == expected
    # The same graph is read from its file.
    from_file = answer("--graph", "graph.json", "--hosts", "2", "--host", "core:2 pu:1", cwd=tmp_path)
    assert from_file["off_host_bytes"]["result"] <= from_file["off_host_bytes"]["input"]


def test_a_machine_file_of_another_allocation_is_refused_and_hosts_are_named(tmp_path):
    # Oracle: the host names in the file and on this machine.
    machine = [BINARY, "probe", "-n", "1", "-o", "machine.json"]
    subprocess.run(machine, capture_output=True, check=True, timeout=60, cwd=tmp_path, env={**os.environ, **ROOT_MAY})
    found = json.loads((tmp_path / "machine.json").read_text())
    here = found["hosts"][0]
    found["hosts"] = ["another"]
    (tmp_path / "machine.json").write_text(json.dumps(found))
    done = place("--grid", "z=1,y=1,x=2", "--verify", "--machine", "machine.json", cwd=tmp_path)
    assert done.returncode == 3, done.stdout + done.stderr
    assert f"hosts missing in this job: another; hosts missing in the file: {here}" in done.stderr


def test_a_traced_fortran_program(tmp_path):
    # Oracle: the messages recorded by trace_program.f90, determined by hand. Both directions are added.
    compiler = shutil.which("mpifort.openmpi") or shutil.which("mpifort")
    source = ROOT / "tests" / "placement" / "trace_program.f90"
    built = [compiler, str(source), "-J", str(tmp_path), "-o", str(tmp_path / "program")]
    if not compiler or subprocess.run(built, capture_output=True, timeout=60, check=False).returncode != 0:
        pytest.skip("there is no Fortran compiler for MPI here (Debian: gfortran)")
    traced = ["--trace", "--graph", "graph.json", "--hosts", "2", "--host", "core:2 pu:1", "--"]
    done = place(*traced, "mpirun", "-q", "--oversubscribe", "-n", "4", str(tmp_path / "program"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    both = dict.fromkeys(((a, b) for a in range(4) for b in range(a)), 0)
    for a, b, n in json.loads((tmp_path / "graph.json").read_text())["sent"]:
        if a != b:
            both[max(a, b), min(a, b)] += n
    assert both == {
        (a, b): 2 * 16
        + 8 * (a + 1 + b + 1)
        + (a == b + 1) * 80
        + (a - b in (1, 3)) * 2 * 800
        + (a == 1) * (12 + 40 + 14)
        for a, b in both
    }


def test_plain_lengths_are_along_x_y_z_with_a_hint(tmp_path):
    """Oracle: the placement for named axes, for which no hint is printed."""
    where = ["--hosts", "4", *HOST]
    named = place("--grid", "z=4,y=2,x=4", "--cells", "x=7,y=20,z=30", *where, cwd=tmp_path)
    plain = place("--grid", "4x2x4", "--cells", "7x20x30", *where, cwd=tmp_path)
    assert named.returncode == plain.returncode == 0, named.stderr + plain.stderr
    assert "grid of z=4,y=2,x=4 blocks of z=30,y=20,x=7 cells" in named.stdout
    assert named.stderr == ""
    assert "--grid 4x2x4: name the axes: --grid z=4,y=2,x=4" in plain.stderr
    assert "name the axes: --cells z=30,y=20,x=7" in plain.stderr
    timing = re.compile(r"\(\d+\.\d+ s\)")
    assert timing.sub("", plain.stdout) == timing.sub("", named.stdout)


@pytest.mark.parametrize(
    ("arguments", "words", "code"),
    [
        ([], "pass exactly one source", 2),
        (["--grid", "2x2"], "three lengths", 2),
        (["--grid", "2x2x0"], "three lengths", 2),
        (["--grid", "z=2,y=2"], "x is missing", 2),
        (["--grid", "z=2,y=2,x=1.5"], "'1.5' is not a whole number", 2),
        (["--grid", "9999x9999x9999"], "limit of 2^22", 2),
        (["--grid", "2x2x2", "--cells", "axbxc"], "three lengths", 2),
        (["--grid", "2x2x2", "--periodic", "w"], "letters of x, y and z", 2),
        (["--grid", "8x8x8", "--hosts", "3", *HOST], "512 subdomains exceed 24 cores", 2),
        (["--grid", "2x2x2", "--hosts", "1", "--host", "what:8"], "what:8", 2),
        (["--grid", "2x2x2", "--hosts", "1", "--host", "none.xml"], "none.xml", 3),
        (["--grid", "2x2x2", "--hosts", "1", "--host", "later.xml"], "up to version 2", 3),
        (["--grid", "2x2x2", "--hosts", "1", *HOST, "--method", "magic"], "best, paper", 2),
        (["--grid", "2x2x2", "--hosts", "1", *HOST, "--emit", "pbs"], "ompi4-rankfile", 2),
        (["--grid", "2x2x2", "--hosts", "9", *HOST, "--network", "torus:2x2x2"], "9 hosts", 2),
        (["--grid", "2x2x2", "--machine", "no.json"], "no.json", 3),
        (["--graph", "bad.graph", "--hosts", "1", *HOST], "not symmetric", 3),
        (["--graph", "negative.graph", "--hosts", "1", *HOST], "negative", 3),
        (["--job", "model.nc", "--hosts", "1", *HOST], "--ranks", 2),
        (["--trace", "--hosts", "1", *HOST, "--", "true"], "wrote no trace", 5),
        (["--trace", "--hosts", "1", *HOST, "--", "false"], "failed", 5),
        (["--trace", "--hosts", "1", *HOST, "--", "/no/such/program"], "cannot start", 5),
    ],
)
def test_bad_input(tmp_path, arguments, words, code):
    (tmp_path / "bad.graph").write_text("2 1 1\n2 5\n1 6\n")
    (tmp_path / "negative.graph").write_text("2 1 1\n2 -5\n1 -5\n")
    (tmp_path / "later.xml").write_text('<?xml version="1.0"?>\n<topology version="9.0">\n</topology>\n')
    done = place(*arguments, cwd=tmp_path)
    assert done.returncode == code, done.stdout + done.stderr
    assert words in done.stderr


FAKE_SRUN = """#!/bin/bash
# As srun with --distribution=arbitrary: rank r on line r of the file of hosts, here all on this machine.
ranks=; while [ "${1#--}" != "$1" ]; do case "$1" in --ntasks=*) ranks=${1#*=};; esac; shift; done
for ((r = 0; r < ranks; r++)); do SLURMD_NODENAME=$(sed -n "$((r + 1))p" "$SLURM_HOSTFILE") SLURM_PROCID=$r "$@"; done
"""
FAKE_MPIRUN = """#!/bin/bash
if [ "$1" = --version ]; then echo "mpirun (Open MPI) 4.1.4"; exit; fi
ranks=; file=; while :; do case "$1" in
  -n) ranks=$2; shift 2;; --hostfile) file=$2; shift 2;; --map-by|--bind-to) shift 2;; *) break;; esac; done
for ((r = 0; r < ranks; r++)); do SLURMD_NODENAME=$(sed -n "$((r + 1))p" "$file") OMPI_COMM_WORLD_RANK=$r "$@"; done
"""


def put(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


@pytest.mark.parametrize("system", ["slurm", "pbs"])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_batch_script_starts_each_rank_on_its_host_and_cores(tmp_path: Path, system: str, threads: int) -> None:
    """Oracle: the places of --json, compared with the places that the ranks observe. Launchers are simulated, and
    binding is real."""
    if not shutil.which("taskset") or len(os.sched_getaffinity(0)) < 2:
        pytest.skip("it takes taskset and two cores")
    ranks = 4 // threads
    shape = [
        "--grid",
        f"z={ranks},y=1,x=1",
        "--hosts",
        "2",
        "--host",
        "pack:1 l3:1 core:2 pu:1",
        "--threads",
        str(threads),
    ]
    program = r"sh -c 'echo $SLURMD_NODENAME $(taskset -cp $$ | sed s/.*:.//) $OMP_NUM_THREADS'"
    got = answer(*shape, "--batch", system, "-o", "job", "--program", program, cwd=tmp_path)
    text = (tmp_path / "job").read_text()
    assert (f"#SBATCH --cpus-per-task={threads}" in text) == (system == "slurm")
    assert (f"select=2:ncpus=2:mpiprocs={2 // threads}:ompthreads={threads}" in text) == (system == "pbs")
    assert ("hybrid" if threads > 1 else "flat") in text
    fake = tmp_path / "bin"
    fake.mkdir()
    put(fake / "scontrol", "#!/bin/sh\nprintf 'cn07\\ncn12\\n'\n")
    put(fake / "srun", FAKE_SRUN)
    put(fake / "mpirun", FAKE_MPIRUN)
    (tmp_path / "nodes").write_text("cn07\ncn07\ncn12\ncn12\n")
    env = {**os.environ, "PATH": f"{fake}:{os.environ['PATH']}", "SLURM_JOB_NODELIST": "cn[07,12]"}
    env.update({"PBS_NODEFILE": str(tmp_path / "nodes"), "PBS_O_WORKDIR": str(tmp_path)})
    for name in [n for n in env if n.startswith(("OMPI_COMM", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"))]:
        del env[name]
    done = subprocess.run(
        ["bash", "job"], capture_output=True, text=True, cwd=tmp_path, env=env, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    host = {"host0": "cn07", "host1": "cn12"}
    cores = {(1, 0): "0", (1, 1): "1", (2, 0): "0,1"}
    expected = [f"{host[h]} {cores[threads, core]} {threads}" for h, core in got["places"]]
    assert done.stdout.splitlines() == expected
    assert not list(tmp_path.glob("placement.*"))  # the folder of the wrapper is removed

    put(fake / "scontrol", "#!/bin/sh\necho cn07\n")
    (tmp_path / "nodes").write_text("cn07\n")
    done = subprocess.run(
        ["bash", "job"], capture_output=True, text=True, cwd=tmp_path, env=env, timeout=60, check=False
    )
    assert done.returncode == 5 and "this job has 1 hosts, but the placement requires 2" in done.stderr


def test_batch_options_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    shape = ["--grid", "z=2,y=1,x=1", "--hosts", "2", "--host", "pack:1 l3:1 core:2 pu:1"]
    for words, printed in {
        ("--threads", "3"): "exceeds the number of cores",
        ("--batch", "slurm", "--emit", "wrap"): "leave out --emit",
        ("--batch", "slurm", "--walltime", "1h; rm"): "to be valid in a batch script",
    }.items():
        done = place(*shape, *words, cwd=tmp_path)
        assert done.returncode == 2 and printed in done.stderr, done.stderr
