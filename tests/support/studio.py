"""A studio for tests, which is the server as a user starts it, and requests to this server."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
TOKEN = "a-token-of-the-tests"


def why_not() -> str:
    """Reason why no studio can be started. The reason is empty if a studio can be started."""
    for name in ("starlette", "uvicorn", "tomlkit"):
        try:
            __import__(name)
        except ImportError:
            return f"the package {name} is not installed (tools/requirements.txt)"
    return ""


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Studio:
    port: int
    process: subprocess.Popen
    folder: Path
    printed: str

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/#token={TOKEN}"

    def ask(self, path: str, method: str = "GET", body: Any = None, **headers: str) -> Answer:
        """Send a request with the token, unless `headers` contain another token."""
        sent = {"X-Osteon-Token": TOKEN} | {k.replace("_", "-"): v for k, v in headers.items()}
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        link.putrequest(method, path, skip_host="Host" in sent)
        data = json.dumps(body).encode() if body is not None else b""
        for key, value in sent.items():
            if value:
                link.putheader(key, value)
        link.putheader("Content-Length", str(len(data)))
        link.endheaders(data)
        answer = link.getresponse()
        found = Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        link.close()
        return found

    def get(self, path: str) -> Any:
        answer = self.ask(f"/api/{path}")
        assert answer.status == 200, answer.body
        return answer.json

    def post(self, path: str, body: Any = None) -> Any:
        answer = self.ask(f"/api/{path}", "POST", body or {})
        assert answer.status == 200, answer.body
        return answer.json

    def edit(self, *operations: dict) -> Any:
        base = self.get("job")["digest"]
        answer = self.ask("/api/job", "PATCH", {"base": base, "operations": list(operations)})
        assert answer.status == 200, answer.body
        return answer.json


def start(folder: Path, *words: str, binary: Path | None = None, port: int = 0) -> Studio:
    """Start the studio by the program if `binary` is given. Otherwise, start only the Python part of the studio. `stop`
    ends the studio."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT / "python"), os.environ.get("PYTHONPATH")])),
        "OSTEON_STUDIO_TOKEN": TOKEN,
        "OSTEON_PYTHON": sys.executable,
    }
    command = [str(binary), "studio"] if binary else [sys.executable, "-m", "osteon.studio"]
    process = subprocess.Popen(
        [*command, "--no-browser", f"--port={port}", *words],
        cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    printed = ""
    for line in process.stdout:
        printed += line
        if "Ctrl-C ends the studio" in line:
            break
    found = re.search(r"http://127\.0\.0\.1:(\d+)/", printed)
    if not found:
        process.wait(30)
        raise RuntimeError(f"no studio, exit code {process.returncode}: {printed}")
    return Studio(int(found[1]), process, folder, printed)


def stop(studio: Studio) -> None:
    studio.process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        studio.process.wait(20)
    if studio.process.poll() is None:
        studio.process.kill()
        studio.process.wait()
    studio.process.stdout.close()


@contextlib.contextmanager
def studio(folder: Path, *words: str, binary: Path | None = None, port: int = 0) -> Iterator[Studio]:
    made = start(folder, *words, binary=binary, port=port)
    try:
        yield made
    finally:
        stop(made)


def small_bone(edge: int = 40) -> np.ndarray:
    """A tube with plates and pillars inside. The greys have a little noise, and are identical in each call."""
    z, y, x = np.mgrid[:edge, :edge, :edge].astype(float)
    noise = np.random.default_rng(1).normal(0, 6, z.shape)
    radius = np.hypot(y - edge / 2 + 0.5, x - edge / 2 + 0.5) / (edge / 2)
    a, b, c = (v * 5 * np.pi / edge for v in (z, y, x))
    inner = np.where(np.abs(np.sin(c) * np.cos(b) + np.sin(b) * np.cos(a) + np.sin(a) * np.cos(c)) < 0.45, 170.0, 60.0)
    grey = np.where(radius > 0.93, 30.0, np.where(radius > 0.78, 190.0, inner)) + noise
    return np.clip(grey, 0, 255).astype("u1")
