"""Tests of the server of the studio under many and unusual requests: connections, bodies, paths, load, and two studios
on one job."""

import contextlib
import json
import resource
import socket
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import studio

pytestmark = pytest.mark.skipif(bool(studio.why_not()), reason=studio.why_not())


@pytest.fixture
def folder(tmp_path):
    np.save(tmp_path / "bone.npy", studio.small_bone(12))
    return tmp_path


def raw(port: int, data: bytes, ends: bool = False, seconds: float = 60) -> bytes:
    """The answer of the server to these bytes."""
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as link:
        # the server may answer and close the connection before it has read all bytes
        with contextlib.suppress(OSError):
            link.sendall(data)
            if ends:
                link.shutdown(socket.SHUT_WR)
        answer = b""
        with contextlib.suppress(OSError):
            while part := link.recv(65536):
                answer += part
        return answer


def head(method: str, path: str, *lines: str) -> bytes:
    fixed = (f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", f"X-Osteon-Token: {studio.TOKEN}", "Connection: close")
    return "\r\n".join([*fixed, *lines, "", ""]).encode()


def descriptors(made: studio.Studio) -> int:
    return sum(1 for _ in Path(f"/proc/{made.process.pid}/fd").iterdir())


def said_by(made: studio.Studio) -> str:
    """End a studio. Return everything that the studio has printed."""
    made.process.terminate()
    return made.process.communicate(timeout=60)[0]


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"])
def test_idle_connections_leave_room_for_others(folder, sent):
    """Oracle: answers during four times as many connections as are permitted. These connections send no request, or an
    incomplete request."""
    from osteon.studio.connections import MOST_CONNECTIONS, SECONDS_FOR_A_REQUEST

    wanted = 4 * MOST_CONNECTIONS + 50
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4 * wanted)), hard))
    links = []
    try:
        with studio.studio(folder, "bone.npy") as made:
            for _ in range(wanted):
                link = socket.create_connection(("127.0.0.1", made.port), timeout=60)
                link.sendall(sent)
                links.append(link)
            assert made.get("session")["job"] == "bone.toml"
            assert descriptors(made) < MOST_CONNECTIONS + 50
            time.sleep(SECONDS_FOR_A_REQUEST + 1)
            assert made.get("session")["job"] == "bone.toml"
            assert descriptors(made) < 50
    finally:
        for link in links:
            link.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_request_under_way_is_not_ended_by_others(folder):
    """Oracle: the stream of events, which continues while many other requests arrive."""
    from osteon.studio.connections import MOST_CONNECTIONS

    with studio.studio(folder, "bone.npy") as made, contextlib.ExitStack() as links:
        link = links.enter_context(socket.create_connection(("127.0.0.1", made.port), timeout=60))
        link.sendall(head("GET", "/api/events"))
        answer = b""
        while b"bone.toml" not in answer:
            answer += link.recv(65536)
        for _ in range(MOST_CONNECTIONS + 20):
            links.enter_context(socket.create_connection(("127.0.0.1", made.port), timeout=60))
        made.edit({"op": "set", "path": ["segment", "threshold"], "value": 99})
        answer = b""
        while b"threshold = 99" not in answer:
            part = link.recv(65536)
            assert part, "the stream was ended"
            answer += part


def test_bodies_are_bounded_whatever_states_their_length(folder):
    """Oracle: the limit of 8 MiB, for bodies with a length and in chunks."""
    from osteon.studio.answers import MOST_BODY

    with studio.studio(folder, "bone.npy") as made:
        stated = raw(made.port, head("PUT", "/api/job", f"Content-Length: {MOST_BODY + 1}") + b"x" * 1000, ends=True)
        assert b" 413 " in stated.split(b"\r\n")[0]
        chunk = b"100000\r\n" + b" " * (1 << 20) + b"\r\n"
        large = raw(made.port, head("PUT", "/api/job", "Transfer-Encoding: chunked") + chunk * 40 + b"0\r\n\r\n")
        assert b" 413 " in large.split(b"\r\n")[0]
        body = json.dumps({"base": made.get("job")["digest"], "text": made.get("job")["text"]}).encode()
        small = b"%x\r\n" % len(body) + body + b"\r\n0\r\n\r\n"
        assert (
            b" 200 " in raw(made.port, head("PUT", "/api/job", "Transfer-Encoding: chunked") + small).split(b"\r\n")[0]
        )


def test_odd_requests_are_no_faults_of_the_server(folder):
    """Oracle: a status of 4xx with one sentence, and no traceback in the terminal."""
    made = studio.start(folder, "bone.npy")
    try:
        deep = b'{"base": ' + b"[" * 100_000
        digest = made.get("job")["digest"]
        requests = [
            ("GET", "/page/%00", b""),
            ("GET", "/results/x/%00", b""),
            ("GET", "/page/" + "a" * 300, b""),
            ("GET", "/results/x/" + "a" * 3000, b""),
            ("GET", "/a" * 5000, b""),
            ("POST", "/api/runs/" + "9" * 6000 + "/stop", b"{}"),
            ("POST", "/api/runs/" + "9" * 30 + "/stop", b"{}"),
            ("GET", "/api/slice/0/" + "9" * 30, b""),
            ("GET", "/api/results?run=" + "9" * 5000, b""),
            ("POST", "/api/open", b'{"path": "a\\u0000b"}'),
            ("POST", "/api/open", json.dumps({"path": "a" * 5000}).encode()),
            ("POST", "/api/open", b'{"path": "\\ud800"}'),
            ("POST", "/api/open", b"[]"),
            ("POST", "/api/open", b"null"),
            ("POST", "/api/open", b'"x"'),
            ("POST", "/api/open", deep),
            ("PUT", "/api/job", deep),
            ("PUT", "/api/job", b'{"base": "%s", "text": "\\ud800"}' % digest.encode()),
            ("PUT", "/api/job", b"\xff\xfe"),
            ("PATCH", "/api/job", b'{"base": "%s", "operations": 3}' % digest.encode()),
            ("POST", "/api/runs", b'{"base": "%s", "ranks": 1e400}' % digest.encode()),
            ("POST", "/api/meet", b'{"begin": [1e400, 0, 0], "end": [0, 0, 0], "threshold": 1}'),
            ("POST", "/api/results/picture", b'{"run": 1e400, "view": []}'),
        ]
        for method, path, body in requests:
            lines = (f"Content-Length: {len(body)}",) if body else ()
            first = raw(made.port, head(method, path, *lines) + body).split(b"\r\n")[0]
            assert first.split(b" ")[1:2] and first.split(b" ")[1][:1] == b"4", (method, path[:60], body[:60], first)
        for n in range(5):  # these bodies end before their length
            raw(made.port, head("PUT", "/api/job", "Content-Length: 1000") + b'{"base"'[: n + 2], ends=True)
            with socket.create_connection(("127.0.0.1", made.port)) as link:
                link.sendall(head("PUT", "/api/job", "Transfer-Encoding: chunked") + b"5\r\nab")
        assert made.get("job")["digest"] == digest
    finally:
        printed = said_by(made)
    assert "Traceback" not in printed and "Exception" not in printed, printed


def test_values_of_toml_that_json_lacks_are_answered(folder):
    """Oracle: JSON that a browser accepts."""
    with studio.studio(folder, "bone.npy") as made:
        text = "a = nan\nb = inf\nc = 1979-05-27T07:32:00Z\nd = 07:32:00\n" + made.get("job")["text"]
        answer = made.ask("/api/job", "PUT", {"base": made.get("job")["digest"], "text": text})
        reported = json.loads(answer.body, parse_constant=lambda name: pytest.fail(name))["data"]
        assert answer.status == 200 and (reported["a"], reported["b"], reported["d"]) == ("nan", "inf", "07:32:00")
        deep = "a = " + "[" * 200 + "]" * 200
        state = made.ask("/api/job", "PUT", {"base": made.get("job")["digest"], "text": deep}).json
        assert state["data"] is None and "nested" in state["fault"]


def test_two_studios_save_one_job_one_after_the_other(folder):
    """Oracle: each round names one text. One studio therefore saves, and the other studio receives 409."""
    with studio.studio(folder, "bone.npy") as first, studio.studio(folder, "bone.toml") as second:
        with ThreadPoolExecutor(2) as both:
            for n in range(40):
                base = first.get("job")["digest"]
                barrier = threading.Barrier(2)

                def save(made, value, base=base, barrier=barrier):
                    edit = {
                        "base": base,
                        "operations": [{"op": "set", "path": ["segment", "threshold"], "value": value}],
                    }
                    barrier.wait()
                    return made.ask("/api/job", "PATCH", edit).status

                found = [both.submit(save, made, 300 + 2 * n + k) for k, made in enumerate((first, second))]
                assert sorted(f.result() for f in found) == [200, 409]
        # Undo includes the steps of both studios.
        assert first.get("job")["undo"] + second.get("job")["undo"] > 0
        for made in (first, second):
            value = made.get("job")["data"]["segment"]["threshold"]
            made.edit({"op": "set", "path": ["segment", "threshold"], "value": value + 1000})
            other = second if made is first else first
            back = other.post("undo", {"base": other.get("job")["digest"]})
            assert back["data"]["segment"]["threshold"] == value


def test_many_checks_leave_other_requests_alone(folder, tmp_path, monkeypatch):
    """Oracle: a program that runs for 0.2 s. 60 checks take 12 s, and other requests do not wait for these checks."""
    path = tmp_path / "slow_osteon"
    path.write_text(f"#!{sys.executable}\nimport time\ntime.sleep(0.2)\nprint('{{\"problems\": []}}')\n")
    path.chmod(0o755)
    monkeypatch.setenv("OSTEON_BINARY", str(path))
    with studio.studio(folder, "bone.npy") as made:
        made.get("scan")
        with ThreadPoolExecutor(60) as many:
            checks = [many.submit(made.ask, "/api/check", "POST", {}) for _ in range(60)]
            time.sleep(0.5)
            for _ in range(5):
                begin = time.monotonic()
                made.get("session")
                made.get("runs")
                assert made.ask("/api/slice/0/3").status == 200
                assert time.monotonic() - begin < 5
                assert not all(c.done() for c in checks)
            assert all(c.result().status == 200 for c in checks)
