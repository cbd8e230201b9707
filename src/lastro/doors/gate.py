"""The gate every request passes: whose name it calls, how it is framed, how long it may take, and what is noted of it."""

from __future__ import annotations

import asyncio
import re
import time
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TYPE_CHECKING, Any

import structlog

from lastro.base import trace
from lastro.base.errors import DatabaseAway, Kind, Problem, Refused, Stale
from lastro.doors.http import METHODS, UNKNOWN, Response, Seen, headers_of, refusal, request_id, unexpected

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Mapping
    from ipaddress import IPv4Network, IPv6Network

    from litestar.types import ASGIApp, HTTPScope, Receive, Send

    from lastro.doors.http import Answer

log = structlog.get_logger()

LARGEST_BODY = 1024 * 1024  # of most operations, in bytes
SLOWEST_BODY_SECONDS = 15
SLOWEST_PART_SECONDS = 60  # a caller may take so long to take a part of a long answer
# Given twice, one reader takes the first and another the last: who may pass must not depend on who reads.
_ONCE = frozenset({
    b"host", b"origin", b"authorization", b"content-type", b"content-length", b"content-encoding", b"idempotency-key",
    b"x-request-id",
})  # fmt: skip


# Some proxies add the port that the caller had: 203.0.113.7:5123, [2001:db8::7]:5123.
_PORT = re.compile(r"^(?:\[([^\]]*)\](?::\d+)?|([^:]*):\d+)$")


@dataclass
class Gate:
    """What every request passes. hosts: Host values that are ours. random: for request ids.

    proxies: the networks of our own proxies, whose x-forwarded-for is believed. note: hears of every request that was
    answered, its status and how many seconds it took. schemes: of our own pages. in_flight: how many are being answered.
    """

    hosts: frozenset[str]
    random: Callable[[int], bytes]
    proxies: tuple[IPv4Network | IPv6Network, ...] = ()
    note: Callable[[Seen, int, float], None] = lambda *_: None
    patience_seconds: float = SLOWEST_BODY_SECONDS
    schemes: tuple[str, ...] = ("http", "https")
    origins: frozenset[str] = field(init=False)
    in_flight: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.origins = frozenset(f"{scheme}://{host}" for host in self.hosts for scheme in self.schemes)

    async def guard(self, app: ASGIApp, scope: Any, receive: Receive, send: Send) -> None:
        """In front of everything: host, origin, and paths that are another's spelling; what it refuses goes no further."""
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        begun = time.perf_counter()
        if scope["method"] == "HEAD":
            send = _without_body(send)
        headers = dict(scope["headers"])
        refused = _repeated(scope["headers"]) or self._stranger(headers) or _misspelt(scope)
        if refused is None:
            await app(scope, receive, send)
        else:
            request_id = self.request_id(headers)
            await _send(send, refused, request_id)
            self.unrouted(str(scope["method"]), request_id, refused, time.perf_counter() - begun)

    async def serve(
        self,
        scope: HTTPScope,
        receive: Receive,
        send: Send,
        answer: Answer,
        path: str,
        largest_body: int = LARGEST_BODY,
    ) -> None:
        """Reads the body and sends what `answer` says; an exception is a 500 without a word. path: the route's."""
        begun = time.perf_counter()
        headers = dict(scope["headers"])
        request_id = self.request_id(headers)
        seen = Seen(str(scope["method"]), path, request_id.decode())
        trace.carry(trace.Trace(seen.request_id))
        scope["state"] = {"seen": seen, "source": self.source(scope), "gone": partial(_gone, receive)}
        self.in_flight += 1
        try:
            has_body = scope["method"] not in ("GET", "HEAD")
            body = await _body(receive, headers, self.patience_seconds, largest_body) if has_body else b""
            response = await _begun(await answer(scope, body, headers))
        except _Refuse as refused:
            response = refusal(refused.refused)
        except (DatabaseAway, Stale) as away:
            log.warning(
                "unavailable",
                request_id=request_id.decode(),
                company_id=seen.company_id,
                path=path,
                cause=type(away).__name__,
                reason=str(away)[:200],
            )
            response = unexpected(503)
        except asyncio.CancelledError:
            await _send(send, unexpected(503), request_id)  # this process ends
            raise
        except Exception:
            log.exception("failed", request_id=request_id.decode(), company_id=seen.company_id, path=path)
            response = unexpected()
        finally:
            self.in_flight -= 1
        more = None if seen.method == "HEAD" else response.more
        await _send(send, response, request_id, goes_on=more is not None)
        if more is not None:
            await _follow(send, receive, more, seen)
        seen.issues = response.issues
        self.note(seen, response.status, time.perf_counter() - begun)

    def unrouted(self, method: str, request_id: bytes, response: Response, seconds: float) -> None:
        """Notes a request that no route was asked for: its path may hold anything and is not told."""
        seen = Seen(method if method in METHODS else UNKNOWN, UNKNOWN, request_id.decode(), issues=response.issues)
        self.note(seen, response.status, seconds)

    def source(self, scope: HTTPScope) -> IPv4Address | IPv6Address | None:
        """Where the request came from: the last address that a proxy of ours did not add itself. None: that is no address.

        Each proxy adds to the header's line or adds a line (RFC 9110 §5.3: lines of one name are one list).
        """
        client = scope.get("client")
        source = _address(client[0]) if client else None
        if not self.proxies:
            return source
        lines = b",".join(value for name, value in scope["headers"] if name == b"x-forwarded-for").decode("latin-1")
        told = [text.strip() for text in lines.split(",") if text.strip()]
        while told and source is not None and any(source in network for network in self.proxies):
            source = _address(_PORT.sub(r"\1\2", told.pop()))
        return source

    def request_id(self, headers: Mapping[bytes, bytes]) -> bytes:
        """The caller's, where it gave one that can be printed, else one of ours."""
        return request_id(headers.get(b"x-request-id", b""), self.random)

    def _stranger(self, headers: Mapping[bytes, bytes]) -> Response | None:
        """Any web page can reach this machine's own address: only our names are served, and only our own pages may ask."""
        if headers.get(b"host", b"").decode("latin-1").lower() not in self.hosts:
            return refusal(Refused(Kind.INVALID, (Problem("host", "NOT_ALLOWED", "this name is not served here"),)))
        origin = headers.get(b"origin")
        if origin is not None and origin.decode("latin-1").lower() not in self.origins:
            return refusal(Refused(Kind.FORBIDDEN))
        return None


@lru_cache(maxsize=1024)
def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        found = ip_address(text)
    except ValueError:
        return None
    # One caller has one address, however the socket or the proxy prints it.
    return (found.ipv4_mapped or found) if isinstance(found, IPv6Address) else found


def _repeated(headers: list[tuple[bytes, bytes]]) -> Response | None:
    names = [name for name, _ in headers if name in _ONCE]
    if len(set(names)) == len(names):
        return None
    twice = sorted({name.decode() for name in names if names.count(name) > 1})
    return refusal(Refused(Kind.INVALID, tuple(Problem(name, "DUPLICATE", "is given twice") for name in twice)))


def _misspelt(scope: Any) -> Response | None:
    """A path is served in one spelling: //, a last / and a / in disguise lead nowhere."""
    path, raw = str(scope["path"]), bytes(scope.get("raw_path") or b"").lower()
    if "//" in path or (path.endswith("/") and path != "/") or b"%2f" in raw:
        return refusal(Refused(Kind.NOT_FOUND))
    return None


class _Refuse(Exception):  # noqa: N818
    def __init__(self, kind: Kind, issue: str, description: str, field: str = "body") -> None:
        super().__init__(kind)
        self.refused = Refused(kind, (Problem(field, issue, description),))


async def _body(receive: Receive, headers: Mapping[bytes, bytes], patience_seconds: float, largest: int) -> bytes:
    if headers.get(b"content-encoding", b"identity").lower() != b"identity":
        raise _Refuse(Kind.UNSUPPORTED_TYPE, "NOT_SUPPORTED", "bodies are taken as they are", "content-encoding")
    length = headers.get(b"content-length")
    if length is not None and (not length.isdigit() or len(length) > 15 or int(length) > largest):
        raise _Refuse(Kind.TOO_LARGE, "TOO_LONG", f"must have at most {largest} bytes")
    parts, size, deadline = [], 0, asyncio.get_running_loop().time() + patience_seconds
    while True:
        try:
            async with asyncio.timeout_at(deadline):
                message = await receive()
        except TimeoutError:
            raise _Refuse(Kind.INVALID, "EXPIRED", f"must arrive within {patience_seconds:g} s") from None
        if message["type"] != "http.request":
            raise _Refuse(Kind.INVALID, "INVALID", "ended before it was whole")
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > largest:
            raise _Refuse(Kind.TOO_LARGE, "TOO_LONG", f"must have at most {largest} bytes")
        if not message.get("more_body"):
            return b"".join(parts)


async def _gone(receive: Receive) -> None:
    """Ends when the caller of a request without a body hangs up, or ends its side: behind the body nothing else is told."""
    for _ in range(2):
        if (await receive())["type"] == "http.disconnect":
            return


def _without_body(send: Send) -> Send:
    """What a HEAD is answered: all that a GET is, but for its body."""

    async def sent(message: Any) -> None:
        if message["type"] == "http.response.body":
            message["body"] = b""
        await send(message)

    return sent


async def _send(send: Send, response: Response, request_id: bytes, *, goes_on: bool = False) -> None:
    headers = headers_of(response, request_id)
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    await send({"type": "http.response.body", "body": response.body, "more_body": goes_on})


async def _begun(response: Response) -> Response:
    """The same with the first of its parts in its body, so that what fails before anything is sent can still be told."""
    return response if response.more is None else replace(response, body=response.body + await anext(response.more, b""))


async def _follow(send: Send, receive: Receive, parts: AsyncGenerator[bytes, None], seen: Seen) -> None:
    """Sends the parts. What fails on the way cuts the connection, so that nobody takes a part for the whole."""
    gone = asyncio.ensure_future(_gone(receive))
    try:
        async for part in parts:
            if gone.done():
                return
            async with asyncio.timeout(SLOWEST_PART_SECONDS):
                await send({"type": "http.response.body", "body": part, "more_body": True})
    except (DatabaseAway, TimeoutError) as away:
        log.warning("answer.cut", request_id=seen.request_id, company_id=seen.company_id, cause=type(away).__name__)
    except Exception:
        log.exception("failed", request_id=seen.request_id, company_id=seen.company_id, path=seen.path)
    else:
        await send({"type": "http.response.body", "body": b"", "more_body": False})
    finally:
        gone.cancel()
        await parts.aclose()
