"""A Python interpreter that has imported the image readers. The interpreter forks for each image of a test run:
`warm_python.py SOCKET`.

Most tests of whole jobs read a small image. The start of Python takes most of the time of these tests. `warm_python.c`
replaces the interpreter. Tests of the start itself, of foreign modules, missing packages, limits and signals start
Python. The server compares limits, namespaces and variables. OSTEON_FRESH_PYTHON=1 makes all tests start Python.
"""

from __future__ import annotations

import array
import atexit
import contextlib
import fcntl
import gc
import os
import selectors
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

# Variables that Python, its C modules and numpy read at start. Only a fork loads HDF5.
AT_START = ("PYTHON", "LD_", "MALLOC_", "GLIBC_", "LANG", "LC_", "TZ")


@contextlib.contextmanager
def warm_python() -> Iterator[None]:
    """Set OSTEON_PYTHON to the replacement, unless there is no compiler or OSTEON_FRESH_PYTHON is 1."""
    python = os.environ.get("OSTEON_PYTHON", sys.executable)
    here = Path(__file__)
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="warm_python")))
        client, address = folder / "python", folder / "socket"
        is_wanted = os.environ.get("OSTEON_FRESH_PYTHON") != "1"
        built = ["cc", "-O1", "-o", client, here.with_suffix(".c")]
        try:
            if not is_wanted or subprocess.run(built, check=False, capture_output=True).returncode != 0:
                yield
                return
        except FileNotFoundError:
            yield
            return
        threads = {"OPENBLAS_NUM_THREADS": "1"}  # the setting with which the program starts its readers
        server = subprocess.Popen([python, "-P", here, address], stdin=subprocess.DEVNULL, env=os.environ | threads)
        stack.callback(server.wait)
        stack.callback(server.kill)
        mine = {"OSTEON_TEST_PYTHON": python, "OSTEON_TEST_WARM": str(address), "OSTEON_PYTHON": str(client)}
        before = {name: os.environ.get(name) for name in mine}
        os.environ.update(mine)
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value


def is_alike(pid: int, environment: dict[str, str]) -> bool:
    """Whether a Python interpreter that this process starts would have the settings of the current interpreter."""

    def read_at_start(variables: dict[str, str]) -> dict[str, str]:
        found = {name: value for name, value in variables.items() if name.startswith(AT_START)}
        # The package adds its own folder to the beginning of the path. The path may already contain this folder.
        return found | {"PYTHONPATH": ":".join(dict.fromkeys(found.get("PYTHONPATH", "").split(":")))}

    mine, other = Path("/proc/self"), Path(f"/proc/{pid}")
    return (
        read_at_start(environment) == read_at_start(dict(os.environ))
        and all((mine / name).read_bytes() == (other / name).read_bytes() for name in ("limits", "cgroup"))
        and all(
            (mine / name).readlink() == (other / name).readlink() for name in ("ns/mnt", "ns/net", "ns/user", "root")
        )
    )


def become(pid: int, files: dict[int, int], environment: dict[str, str]) -> None:
    """Adopt open files, folder, variables, mask, priority, cores and ignored signals of that process."""
    above = 1 + max(files)
    moved = {number: fcntl.fcntl(file, fcntl.F_DUPFD, above) for number, file in files.items()}
    for number in range(above):
        if number in moved:
            os.dup2(moved[number], number)
        else:
            os.closerange(number, number + 1)
    os.closerange(above, 4096)
    os.chdir(f"/proc/{pid}/cwd")
    os.environ.clear()
    os.environ.update(environment)
    status = dict(
        line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":\t" in line
    )
    os.umask(int(status["Umask"], 8))
    os.sched_setaffinity(0, os.sched_getaffinity(pid))
    os.setpriority(os.PRIO_PROCESS, 0, max(os.getpriority(os.PRIO_PROCESS, 0), os.getpriority(os.PRIO_PROCESS, pid)))
    ignored = int(status["SigIgn"], 16)
    for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGINT):
        usual = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
        signal.signal(number, signal.SIG_IGN if ignored >> (number - 1) & 1 else usual)
    tempfile.tempdir = None
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 (open until the end)
    sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", closefd=False, errors="backslashreplace")  # noqa: SIM115


def run(module: str, arguments: list[str]) -> None:
    """End this process as `python -m MODULE` would end."""
    code, is_interrupted = 0, False
    try:
        main = sys.modules[module]
        sys.argv = [str(main.__file__), *arguments]
        code = main.main(arguments)
    except SystemExit as e:
        code = e.code if isinstance(e.code, int) else 0 if e.code is None else 1
        if code == 1 and not isinstance(e.code, int):
            print(e.code, file=sys.stderr)
    except BaseException as e:
        sys.excepthook(type(e), e, e.__traceback__)
        code, is_interrupted = 1, isinstance(e, KeyboardInterrupt)
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):
            stream.flush()
    if is_interrupted:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    os._exit(code)


def read_request(connection: socket.socket) -> tuple[list[str], dict[str, str], dict[int, int]]:
    """Return the arguments, the variables, and the open files by number."""
    head, control, _, _ = connection.recvmsg(12, socket.CMSG_SPACE(4 * 128))
    files = array.array("i")
    for level, kind, data in control:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            files.frombytes(data)
    size, count, open_files = struct.unpack("=III", head)
    text = b""
    while len(text) < size:
        if not (more := connection.recv(size - len(text))):
            raise ConnectionError
        text += more
    numbers = struct.unpack_from(f"={open_files}i", text)
    texts = [os.fsdecode(part) for part in text[4 * open_files :].split(b"\0")[:-1]]
    variables = dict(pair.split("=", 1) for pair in texts[count:] if "=" in pair)
    return texts[:count], variables, dict(zip(numbers, files, strict=True))


def serve(address: str) -> None:
    from osteon.images import look_at_image, read_image  # noqa: F401 (for the forks)

    gc.collect()
    gc.freeze()
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(address)
    listener.listen(64)
    wake, woken = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(woken)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    parent = os.getppid()
    forks: dict[int, socket.socket] = {}
    with selectors.DefaultSelector() as waiting:
        waiting.register(listener, selectors.EVENT_READ)
        waiting.register(wake, selectors.EVENT_READ)

        def answer() -> None:
            connection, _ = listener.accept()
            files: dict[int, int] = {}
            try:
                pid, _, _ = struct.unpack("=iii", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
                words, environment, files = read_request(connection)
                child = os.fork() if is_alike(pid, environment) else -1
                if child == 0:
                    try:
                        signal.set_wakeup_fd(-1)
                        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                        become(pid, files, environment)
                        run(words[0], words[1:])
                    finally:
                        os._exit(71)
                connection.sendall(struct.pack("=i", child))
                if child > 0:
                    forks[child] = connection
                    waiting.register(connection, selectors.EVENT_READ, child)
                else:
                    connection.close()
            except (OSError, ValueError, struct.error):
                connection.close()
            finally:
                for file in files.values():
                    os.close(file)

        def reap() -> None:
            with contextlib.suppress(BlockingIOError):
                os.read(wake, 4096)
            with contextlib.suppress(ChildProcessError):
                while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                    connection = forks.pop(ended[0])
                    waiting.unregister(connection)
                    with contextlib.suppress(OSError):
                        connection.sendall(struct.pack("=i", ended[1]))
                    connection.close()

        while os.getppid() == parent:
            for key, _ in waiting.select(timeout=5):
                if key.fileobj is listener:
                    answer()
                elif key.fileobj == wake:
                    reap()
                elif key.data in forks:  # the client has disconnected
                    os.kill(key.data, signal.SIGKILL)


if __name__ == "__main__":
    serve(sys.argv[1])
