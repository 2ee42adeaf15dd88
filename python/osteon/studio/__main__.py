"""`python -m osteon.studio [PATH]` serves the page on the loopback interface, and opens the page in the browser."""

import argparse
import contextlib
import os
import secrets
import socket
import sys
import threading
import webbrowser
from pathlib import Path

from ..errors import MACHINE, USAGE, Error, complain
from ..extras import end_without

LOOPBACK = "127.0.0.1"


def bound(port: int) -> socket.socket:
    """Return a socket that only this machine can reach. @throws OSError if the port is in use"""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((LOOPBACK, port))
        # this call precedes the printing of the address; an early client then waits for the server
        listener.listen(128)
    except OSError:
        listener.close()
        raise
    return listener


def first_free(port: int) -> socket.socket:
    """Bind the requested port. If the port is in use, bind a free port, and print a message."""
    try:
        return bound(port)
    except OSError as e:
        complain(f"port {port} is not available ({e.strerror}); using a free one")
        return bound(0)


def banner(address: str, port: int) -> str:
    """Return the printed text. The text contains the address, and instructions for access from another machine."""
    host, user = socket.gethostname(), os.environ.get("USER") or os.environ.get("LOGNAME") or "USER"
    return (
        f"osteon studio runs at\n  {address}\n"
        f"From another machine: ssh -L {port}:{LOOPBACK}:{port} {user}@{host}, then open the same address there.\n"
        "The address contains the key: keep it secret. Ctrl-C ends the studio; runs continue."
    )


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="osteon studio", description="Build, run and view a job in the browser.")
    parser.add_argument("what", nargs="?")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--no-browser", action="store_true")
    parser.add_argument("--allow-host", default="")
    try:
        given = parser.parse_args(arguments)
    except SystemExit as e:
        return USAGE if e.code else 0
    end_without("starlette", "uvicorn", "tomlkit")
    import uvicorn

    from .connections import BACKLOG, BoundedProtocol
    from .server import application
    from .session import Session

    try:
        what = Path(given.what).resolve() if given.what else None
        folder = what.parent if what is not None else Path.cwd()
        session = Session(folder)
        if what is not None:
            session.open(str(what))
    except Error as e:
        complain(f"osteon: {e}")
        return e.exit_code
    except OSError as e:
        complain(f"osteon: {e}")
        return MACHINE
    token = os.environ.get("OSTEON_STUDIO_TOKEN") or secrets.token_urlsafe(24)
    link = first_free(given.port)
    port = link.getsockname()[1]
    address = f"http://{LOOPBACK}:{port}/#token={token}"
    print(banner(address, port), flush=True)
    if session.note:
        print(session.note, flush=True)
    if not given.no_browser:
        threading.Timer(0.3, lambda: webbrowser.open(address)).start()
    server = uvicorn.Server(
        uvicorn.Config(
            application(session, token, given.allow_host),
            log_level="error",
            timeout_graceful_shutdown=1,
            http=BoundedProtocol,
            ws="none",
            backlog=BACKLOG,
        )
    )
    with contextlib.suppress(KeyboardInterrupt):
        server.run(sockets=[link])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
