"""Connections of the server. Their number and their duration are limited.

Every user of the machine can connect to a port of the loopback interface without a token. A connection is closed after
some seconds if there is no request, if the request is slow, or if the client does not read the answer. At the maximum
number of connections, the oldest idle connection is closed for a new connection. Requests with a token, such as the
stream of events, have no time limit.
"""

import resource
from asyncio import TimerHandle
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

SECONDS_FOR_A_REQUEST = 10.0  # time in s between the connection (or the last answer) and the end of a request's head
SECONDS_WITHOUT_READING = 30.0  # time limit in s for an answer that exceeds the buffers
MOST_CONNECTIONS = 256
BACKLOG = 64  # number of connections that are accepted before the protocol handles the first connection


def most_connections() -> int:
    """Return at most a quarter of the file descriptors of this process, because files and programs need the other
    descriptors."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST_CONNECTIONS if soft == resource.RLIM_INFINITY else max(8, min(MOST_CONNECTIONS, soft // 4))


class BoundedProtocol(H11Protocol):
    """HTTP/1.1 of uvicorn with limits for the number of connections and for their idle time."""

    waiting: TimerHandle | None = None  # timer for the head of a request
    stalled: TimerHandle | None = None  # timer for a client that does not read

    def connection_made(self, transport: Any) -> None:
        others = [c for c in self.connections if isinstance(c, BoundedProtocol) and not c.transport.is_closing()]
        if len(others) >= most_connections():
            oldest = min(others, key=lambda c: (c.has_data_request(), c.is_answering(), c.began))
            (transport if oldest.has_data_request() else oldest.transport).abort()
        self.began = self.loop.time()
        super().connection_made(transport)
        self._settle()

    def connection_lost(self, exc: Exception | None) -> None:
        for timer in (self.waiting, self.stalled):
            if timer is not None:
                timer.cancel()
        self.waiting = self.stalled = None
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._settle()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._settle()

    def pause_writing(self) -> None:
        super().pause_writing()
        if self.stalled is None:
            self.stalled = self.loop.call_later(SECONDS_WITHOUT_READING, self.transport.abort)

    def resume_writing(self) -> None:
        if self.stalled is not None:
            self.stalled.cancel()
            self.stalled = None
        super().resume_writing()

    def is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def has_data_request(self) -> bool:
        """Return True while a request with a valid token is being answered. guard.py rejects other requests
        immediately."""
        return self.is_answering() and self.scope["path"].startswith("/api/")

    def _settle(self) -> None:
        if self.is_answering():
            if self.waiting is not None:
                self.waiting.cancel()
                self.waiting = None
        elif self.waiting is None and not self.transport.is_closing():
            self.waiting = self.loop.call_later(SECONDS_FOR_A_REQUEST, self.transport.abort)
