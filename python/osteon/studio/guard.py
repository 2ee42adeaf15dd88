"""Authentication. For every request, the Host, the Origin and the token are checked first.

The token is in a header of each request, and in the fragment of the printed address. Neither logs nor Referer headers
contain the fragment. The studio uses no cookie. Browsers send cookies of 127.0.0.1 to every port, and therefore also to
servers of other users.
"""

import re
import secrets

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..errors import complain

# any port is allowed, because ssh -L selects its own port
LOOPBACK = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?")
TOKEN = "x-osteon-token"
LONGEST_PATH = 4096
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
    "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}


class Guard:
    """Middleware of ASGI. The class uses plain ASGI. Wrappers of responses would delay streams."""

    def __init__(self, app: ASGIApp, token: str, allowed_host: str = "") -> None:
        self.app, self.token, self.allowed_host = app, token, allowed_host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self.app(scope, receive, send)
        if scope["type"] != "http":  # WebSocket is not supported
            return await send({"type": "websocket.close", "code": 1008})
        headers = {k.decode("latin1").lower(): v.decode("latin1") for k, v in scope["headers"]}
        has_data = scope["path"].startswith("/api/")
        if reason := self.reason_for_rejection(headers, has_data):
            return await PlainTextResponse(reason, 403, {**HEADERS, "cache-control": "no-store"})(scope, receive, send)
        if "\0" in scope["path"] or len(scope["path"]) > LONGEST_PATH:
            return await PlainTextResponse("file not found", 404, HEADERS)(scope, receive, send)
        has_begun = False

        async def with_headers(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            if message["type"] == "http.response.start":
                own = {k.lower() for k, _ in message.get("headers", [])}
                more = {
                    **HEADERS,
                    "content-security-policy": POLICY,
                    "cache-control": "no-store" if has_data else "no-cache",
                }
                added = [(k.encode(), v.encode()) for k, v in more.items() if k.encode() not in own]
                message["headers"] = [*message.get("headers", []), *added]
            await send(message)

        try:
            await self.app(scope, receive, with_headers)
        except Exception as e:
            complain(f"osteon studio: {scope['method']} {scope['path'][:200]}: {type(e).__name__}: {str(e)[:500]}")
            if not has_begun:  # otherwise, uvicorn closes the connection, because the answer is incomplete
                text = "internal error of the studio; see its terminal"
                await PlainTextResponse(text, 500, HEADERS)(scope, receive, send)

    def reason_for_rejection(self, headers: dict[str, str], has_data: bool) -> str:
        """Return the reason why a request is rejected. If the request is accepted, the text is empty."""
        host, origin = headers.get("host", ""), headers.get("origin")
        if not (LOOPBACK.fullmatch(host) or (self.allowed_host and host.split(":")[0] == self.allowed_host)):
            return f"Host {host[:80]!r} is not this machine; open the address that osteon printed"
        if origin is not None and origin.split("://", 1)[-1] != host:
            return "requests from other sites are rejected"
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return "requests from other sites are rejected"
        if has_data and not secrets.compare_digest(headers.get(TOKEN, "").encode(), self.token.encode()):
            return "the token is missing or wrong; open the address that osteon printed again"
        return ""
