"""A cluster on one machine. The hosts are network namespaces that a bridge connects, with shaped links.

Real MPI messages use TCP. Each host has a host name and a network card. The cluster needs root, iproute2 and Open MPI.
`why_not()` returns the missing requirement. All namespaces have their own names. The network of the machine itself is
therefore unchanged, and several clusters can run side by side.

    with FakeCluster(hosts=4, mbit=200, slow={2: 50}) as cluster:
        cluster.mpirun(4, [BINARY, "probe", "-o", "machine.json"])
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

_numbers = itertools.count()
_NETWORK = "10.77.0"
_FILES_OF_NAMESPACES = Path("/etc/netns")  # `ip netns exec` mounts the files of this folder over /etc


def why_not() -> str:
    """Reason for the absence of a fake cluster. The reason is empty if a cluster can be created."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    for program in ("ip", "tc", "unshare", "mpirun"):
        if shutil.which(program) is None:
            return f"there is no `{program}` here"
    version = subprocess.run(["mpirun", "--version"], capture_output=True, text=True, check=False)
    if "Open MPI" not in version.stdout:
        return "the fake cluster starts ranks in the way of Open MPI, and this mpirun is another"
    probe = f"osteon{os.getpid()}probe"
    made = subprocess.run(["ip", "netns", "add", probe], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        return f"no network namespace can be made: {made.stderr.strip()}"
    try:
        link = ["ip", "-n", probe, "link", "add"]
        for kind in (["name", "bridge0", "type", "bridge"], ["name", "end0", "type", "veth", "peer", "name", "end1"]):
            made = subprocess.run([*link, *kind], capture_output=True, text=True, check=False)
            if made.returncode != 0:
                return f"no {kind[3]} can be made: {made.stderr.strip()}"
        shape = [
            "tc",
            "-n",
            probe,
            "qdisc",
            "add",
            "dev",
            "end0",
            "root",
            "tbf",
            "rate",
            "1mbit",
            "burst",
            "16kb",
            "limit",
            "1mb",
        ]
        made = subprocess.run(shape, capture_output=True, text=True, check=False)
        return "" if made.returncode == 0 else f"no link can be shaped: {made.stderr.strip()}"
    finally:
        subprocess.run(["ip", "netns", "del", probe], check=False)


class FakeCluster:
    """Hosts n0, n1, ... with `mbit` megabit/s each, in both directions. The hosts in `slow` have their own rates."""

    def __init__(self, hosts: int, mbit: float, slow: dict[int, float] | None = None) -> None:
        self.names = [f"n{i}" for i in range(hosts)]
        self.mbit = [(slow or {}).get(i, mbit) for i in range(hosts)]
        self._prefix = f"osteon{os.getpid()}x{next(_numbers)}"
        self._head = f"{self._prefix}head"
        self._spaces = [f"{self._prefix}{name}" for name in self.names]
        self._folder = Path(tempfile.mkdtemp(prefix=self._prefix))

    def bytes_per_second(self, a: int, b: int) -> float:
        """Shaped rate of a message between two hosts, including headers."""
        return min(self.mbit[a], self.mbit[b]) * 1e6 / 8

    def __enter__(self) -> FakeCluster:
        try:
            self._build()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _build(self) -> None:
        addresses = "127.0.0.1 localhost\n" + "".join(
            f"{_NETWORK}.{i + 1} {name}\n" for i, name in enumerate([*self.names, "head"])
        )
        for space in [self._head, *self._spaces]:
            _run("ip", "netns", "add", space)
            folder = _FILES_OF_NAMESPACES / space
            folder.mkdir(parents=True)
            (folder / "hosts").write_text(addresses)
            _run("ip", "-n", space, "link", "set", "lo", "up")
        _run("ip", "-n", self._head, "link", "add", "bridge", "type", "bridge")
        _run("ip", "-n", self._head, "link", "set", "bridge", "mtu", "9000", "up")
        _run("ip", "-n", self._head, "addr", "add", f"{_NETWORK}.{len(self.names) + 1}/24", "dev", "bridge")
        for i, space in enumerate(self._spaces):
            port = f"port{i}"
            _run("ip", "-n", self._head, "link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", space)
            _run("ip", "-n", self._head, "link", "set", port, "master", "bridge", "mtu", "9000", "up")
            _run("ip", "-n", space, "addr", "add", f"{_NETWORK}.{i + 1}/24", "dev", "eth0")
            _run("ip", "-n", space, "link", "set", "eth0", "mtu", "9000", "up")
            # The bucket has the size of one packet. A larger bucket would fill while a rank computes, and the next
            # message would then take no time. The queue drops no packets.
            shape = ["root", "tbf", "rate", f"{self.mbit[i]}mbit", "burst", "10kb", "limit", "16mb"]
            _run("tc", "-n", space, "qdisc", "add", "dev", "eth0", *shape)
            _run("tc", "-n", self._head, "qdisc", "add", "dev", port, *shape)
        agent = self._folder / "agent.sh"
        agent.write_text(
            "#!/bin/sh\n# Stands in for ssh: agent.sh [options] host command...\n"
            'while case "$1" in -*) true;; *) false;; esac; do shift; done\n'
            "host=$1; shift\n"
            f'exec ip netns exec "{self._prefix}$host" unshare --uts sh -c "hostname $host; $*"\n'
        )
        agent.chmod(0o755)

    def command(self, ranks_of_hosts: list[int], program: list[str]) -> list[str]:
        """Command that starts `program` with the given number of ranks on each host, in the order of hosts."""
        slots = ",".join(f"{name}:{n}" for name, n in zip(self.names, ranks_of_hosts, strict=True) if n)
        subnet = f"{_NETWORK}.0/24"
        parameters = {
            "plm_rsh_agent": str(self._folder / "agent.sh"),
            "btl": "tcp,self",
            "btl_tcp_if_include": subnet,
            "oob_tcp_if_include": subnet,
            "mpi_yield_when_idle": "1",
        }
        settings = [word for name, value in parameters.items() for word in ("--mca", name, value)]
        inside = ["ip", "netns", "exec", self._head, "unshare", "--uts", "sh", "-c", 'hostname head; exec "$@"', "sh"]
        return [
            *inside, "mpirun", "--allow-run-as-root", "-q", *settings, "--bind-to", "none", "--map-by", "slot",
            "-np", str(sum(ranks_of_hosts)), "-H", slots, *program,
        ]  # fmt: skip

    def mpirun(
        self, ranks_of_hosts: list[int] | int, program: list[str | Path], timeout: float = 60, **more: object
    ) -> subprocess.CompletedProcess[str]:
        """Run a program. A plain number is a number of ranks, which are divided evenly in blocks."""
        if isinstance(ranks_of_hosts, int):
            each, over = divmod(ranks_of_hosts, len(self.names))
            ranks_of_hosts = [each + (i < over) for i in range(len(self.names))]
        command = self.command(ranks_of_hosts, [str(word) for word in program])
        return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False, **more)

    def received(self, host: int) -> int:
        """Bytes received so far by a host."""
        shown = subprocess.run(
            ["ip", "-n", self._head, "-s", "-j", "link", "show", "dev", f"port{host}"],
            capture_output=True,
            text=True,
            check=True,
        )
        return json.loads(shown.stdout)[0]["stats64"]["tx"]["bytes"]

    def cable(self, host: int, state: str) -> None:
        """`down` disconnects a host from the others, like a broken cable. `up` connects the host again."""
        _run("ip", "-n", self._head, "link", "set", f"port{host}", state)

    def close(self) -> None:
        """Remove everything, also after an incomplete start."""
        for space in [*self._spaces, self._head]:
            listed = subprocess.run(["ip", "netns", "pids", space], capture_output=True, text=True, check=False)
            for pid in listed.stdout.split():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)
            for _ in range(20):  # a killed process may use its namespace for a moment
                if subprocess.run(["ip", "netns", "del", space], capture_output=True, check=False).returncode == 0:
                    break
                if not (Path("/run/netns") / space).exists():
                    break
                time.sleep(0.05)
            shutil.rmtree(_FILES_OF_NAMESPACES / space, ignore_errors=True)
        with contextlib.suppress(OSError):
            _FILES_OF_NAMESPACES.rmdir()  # the folder is removed only if it is empty
        shutil.rmtree(self._folder, ignore_errors=True)


def _run(*words: str) -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip()}")
