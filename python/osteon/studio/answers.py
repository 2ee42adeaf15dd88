"""Conversion of requests to function calls, and of results to answers."""

import asyncio
import datetime
import errno
import functools
import json
import math
from collections.abc import Callable
from typing import Any

import anyio
import anyio.to_thread
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from ..errors import DATA, INTERRUPTED, USAGE, Error
from .foreign_file import loads

MOST_BODY = 8 << 20
SECONDS_FOR_A_BODY = 60.0
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class TooLarge(Exception):  # noqa: N818 (has its own answer)
    pass


class Crew:
    """A limited number of threads. Further calls wait without a thread, and do not block other requests."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.limiter: anyio.CapacityLimiter | None = None

    async def call(self, act: Callable[..., Any], *given: Any) -> Any:
        if self.limiter is None:
            self.limiter = anyio.CapacityLimiter(self.most)
        return await anyio.to_thread.run_sync(functools.partial(act, *given), limiter=self.limiter)


def answered(act: Callable[[Request, Any], Any], crew: Crew) -> Callable[[Request], Any]:
    """Return a handler. The handler reads the body as JSON, works in a thread, and reports errors with their status."""

    async def handler(request: Request) -> Response:
        try:
            body = await body_of(request) if request.method not in ("GET", "HEAD") else {}
        except TooLarge:
            return refused(f"the body of the request exceeds {MOST_BODY >> 20} MiB", 413)
        except ClientDisconnect:
            return refused("the request ended before its body", 400)
        except TimeoutError:
            return refused(f"the body of the request took more than {SECONDS_FOR_A_BODY:g} s", 408)
        except ValueError as e:
            return refused(f"the body of the request is not a JSON object: {e}", 400)
        return await crew.call(answer_of_call, act, request, body)

    return handler


async def body_of(request: Request) -> dict[str, Any]:
    """@throws TooLarge, TimeoutError, ClientDisconnect, ValueError"""
    parts: list[bytes] = []
    stated = request.headers.get("content-length", "0")
    if not stated.isdecimal() or int(stated[:20]) > MOST_BODY:
        raise TooLarge
    async with asyncio.timeout(SECONDS_FOR_A_BODY):
        size = 0
        async for part in request.stream():
            size += len(part)
            if size > MOST_BODY:  # chunked bodies do not contain their length
                raise TooLarge
            parts.append(part)
    body = loads(b"".join(parts) or b"{}")
    if not isinstance(body, dict):
        raise ValueError(f"type {type(body).__name__}")
    return body


def answer_of_call(act: Callable[[Request, Any], Any], request: Request, body: Any) -> Response:
    try:
        result = act(request, body)
        return result if isinstance(result, Response) else of_json(result)
    except Error as e:
        return refused(str(e), {USAGE: 400, DATA: 422, INTERRUPTED: 409}.get(e.exit_code, 500))
    except ImportError as e:
        from ..extras import missing_package

        return refused(missing_package(e), 500)
    except RecursionError:
        return refused("the request is nested too deeply", 400)
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as e:
        return refused(f"the request is invalid: {e or type(e).__name__}", 400)
    except OSError as e:
        where = f": '{e.filename}'" if e.filename else ""
        return refused(f"{e.strerror or e}{where}", 507 if e.errno in NO_ROOM else 422)
    except MemoryError:
        return refused("the request needs more memory than this machine has", 507)


def refused(text: str, status: int) -> Response:
    return of_json({"error": text}, status)


def of_json(value: Any, status: int = 200) -> Response:
    return Response(as_json(value), status, media_type="application/json")


def of_bytes(data: bytes, headers: dict[str, str] | None = None) -> Response:
    return Response(data, media_type="application/octet-stream", headers=headers)


def as_json(value: Any) -> str:
    """Return valid JSON. Halves of surrogate pairs are escaped; dates, NaN and infinity become strings."""
    return json.dumps(_plain(value), allow_nan=False, separators=(",", ":"))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    return value
