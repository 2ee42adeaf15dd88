"""A Slurm cluster on one machine, for an ordinary user: hosts are namespaces (slurm_cluster.sh).

Slurm, its PMIx and PMI-2, and the ranks on several hosts are real; the hosts share the files and the cores of this
machine. The cluster is process 1 of its own namespaces, so that all daemons and jobs end with it, also if the tests are
killed. `why_not()` returns the missing requirement.

    with SlurmCluster(hosts=2) as cluster:
        done = cluster.run("srun", "-N2", "hostname")
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_suffix(".sh")
PROGRAMS = ("slurmctld", "slurmd", "munged", "srun", "ip", "unshare", "nsenter", "setpriv", "bash")
NEW_NAMESPACES = ["setpriv", "--pdeathsig", "KILL", "unshare", "-Urpnm", "--uts", "--fork", "--kill-child=KILL",
                  "--mount-proc"]  # fmt: skip
INSIDE = ["unshare", "-U", "--map-user=1000", "--map-group=1000", "--"]
# UCX takes hosts with the boot id of one machine for one host.
SETTINGS = {"SLURM_CONF": "/run/slurm/slurm.conf", "UCX_TLS": "tcp,self", "HOME": "/run/slurm/home", "USER": "slurm"}


def why_not() -> str:
    """Reason for the absence of the cluster; empty if the cluster can be created."""
    environment = {**os.environ, "PATH": path()}
    for program in PROGRAMS:
        if shutil.which(program, path=environment["PATH"]) is None:
            return f"`{program}` is not installed (Debian packages slurm-wlm, munge, iproute2, util-linux)"
    made = subprocess.run([*NEW_NAMESPACES, *INSIDE, "true"], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        return f"user namespaces are not available: {made.stderr.strip()}"
    return ""


def path() -> str:
    """PATH with the folders of daemons, which the PATH of an ordinary user may omit."""
    return os.environ.get("PATH", "") + ":/usr/sbin:/sbin"


class SlurmCluster:
    """Hosts n1, n2, ... of two cores and 4000 MB each, and the host `head`, on which `run` starts commands."""

    def __init__(self, hosts: int, configuration: str = "") -> None:
        """@param configuration further lines of slurm.conf"""
        self.hosts = hosts
        self.configuration = configuration
        self._pid = 0

    def __enter__(self) -> SlurmCluster:
        begun = time.monotonic()
        read_end, write_end = os.pipe()
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM_", "PMI"))}
        self._process = subprocess.Popen(
            [*NEW_NAMESPACES, "bash", str(SCRIPT), str(self.hosts), str(write_end), self.configuration],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=[write_end],
            env={**clean, "PATH": path()},
        )
        os.close(write_end)
        try:
            is_readable, _, _ = select.select([read_end], [], [], 60)
            if not is_readable or os.read(read_end, 1) != b".":
                self._process.kill()
                raise RuntimeError(f"the Slurm cluster did not start: {self._process.communicate()[1].decode()}")
        finally:
            os.close(read_end)
        self.seconds_to_start = time.monotonic() - begun
        self._pid = self._process_1()
        return self

    def _process_1(self) -> int:
        """Process 1 of the cluster: the child of unshare."""
        return int(Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split()[0])

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)  # the end of process 1 ends all processes of its namespace
        assert self._process.stderr
        self._process.stderr.close()
        self._process.wait(timeout=30)

    def command(self, *words: str | Path, host: str = "", as_root: bool = False) -> list[str]:
        """Command that runs `words` in the cluster, on the host `head` or on another host. Root may mount file systems
        there."""
        pid = self._pid
        if host:
            pid = int(self._read(f"/run/slurm/log/{host}.here"))
        inside = [
            "nsenter",
            "-t",
            str(self._pid),
            "-U",
            "-m",
            "-n",
            "-p",
            "--uts",
            "--preserve-credentials",
            "--wdns=/",
        ]
        if host:
            inside += ["nsenter", "-t", str(pid), "-m", "-n", "--uts"]
        return [*inside, *([] if as_root else INSIDE), *(str(word) for word in words)]

    def _read(self, file: str) -> str:
        return Path(f"/proc/{self._pid}/root{file}").read_text().strip()

    def popen(
        self, *words: str | Path | int, cwd: Path | str = "/", host: str = "", **variables: str
    ) -> subprocess.Popen[str]:
        """Start a command in the cluster. The standard input is empty, because srun reads an open one."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM_", "PMI"))}
        environment |= {"PATH": path(), **SETTINGS, **variables}
        shell = ["sh", "-c", 'cd "$0" && exec "$@"', str(cwd)]
        return subprocess.Popen(
            self.command(*shell, *words, host=host),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def run(
        self, *words: str | Path | int, cwd: Path | str = "/", timeout: float = 90, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in the cluster."""
        with self.popen(*words, cwd=cwd, **variables) as process:
            try:
                out, err = process.communicate(timeout=timeout)
            except subprocess.TimeoutExpired as e:
                process.kill()
                out, err = process.communicate()
                pytest.fail(f"{e}\n{out}\n{err}\n{self.logs()}")
        return subprocess.CompletedProcess([str(word) for word in words], process.returncode, out, err)

    def good(self, *words: str | Path | int, **more: str) -> str:
        """Run a command that must succeed. @return its standard output"""
        done = self.run(*words, **more)
        assert done.returncode == 0, f"{words}: {done.stderr}{done.stdout}"
        return done.stdout

    def good_as_root(self, *words: str | Path, host: str) -> None:
        """Run a command on a host that must succeed, for instance mount."""
        done = subprocess.run(
            self.command(*words, host=host, as_root=True), capture_output=True, text=True, check=False, timeout=30
        )
        assert done.returncode == 0, f"{words}: {done.stderr}"

    def kill_host(self, host: str) -> None:
        """End all processes of a host at once, as a power failure does."""
        network = Path(f"/proc/{self._outer(int(self._read(f'/run/slurm/log/{host}.here')))}/ns/net").readlink()
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if (entry / "ns/net").readlink() == network:
                    os.kill(int(entry.name), signal.SIGKILL)

    def _outer(self, pid: int) -> int:
        """Number outside of the cluster of a process that has the number `pid` in the cluster."""
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                numbers = next(s for s in (entry / "status").read_text().splitlines() if s.startswith("NSpid:")).split()
                if (
                    numbers[-1] == str(pid)
                    and (entry / "ns/pid").readlink() == Path(f"/proc/{self._pid}/ns/pid").readlink()
                ):
                    return int(entry.name)
        raise ProcessLookupError(pid)

    def submit(self, script: Path, *options: str, **variables: str) -> int:
        """Submit a batch script from its folder. @return the number of the job"""
        out = self.good("sbatch", "--parsable", *options, script.name, cwd=script.parent, **variables)
        return int(out.strip().partition(";")[0])

    def facts(self, job: int) -> dict[str, str]:
        """Facts of `scontrol show job`; empty after the controller has removed the job."""
        shown = self.run("scontrol", "-o", "show", "job", str(job))
        return dict(word.split("=", 1) for word in shown.stdout.split() if "=" in word)

    def wait_for(self, job: int, states: tuple[str, ...] = (), timeout: float = 60) -> dict[str, str]:
        """Wait until a job is in one of these states, or has ended."""
        ended = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "OUT_OF_MEMORY", "NODE_FAIL")
        deadline = time.monotonic() + timeout
        while (facts := self.facts(job)).get("JobState") not in (states or ended):
            if time.monotonic() > deadline:
                pytest.fail(f"job {job} is {facts}\n{self.logs()}")
            time.sleep(0.1)
        return facts

    def logs(self) -> str:
        """Ends of the logs of the daemons, for messages."""
        folder = Path(f"/proc/{self._pid}/root/run/slurm/log")
        with contextlib.suppress(OSError):
            return "\n".join(f"{file.name}: {file.read_text()[-1500:]}" for file in sorted(folder.glob("*.log")))
        return ""
