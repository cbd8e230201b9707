"""The gate every request passes: whose name it calls, how it is framed, how long it may take, and what is noted of it."""

from __future__ import annotations

import asyncio
import re
import time
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TYPE_CHECKING, Any

import structlog

from lastro.base.errors import DatabaseAway, Kind, Problem, Refused, Stale
from lastro.doors.http import METHODS, Response, Seen, not_allowed, refusal, unexpected

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from ipaddress import IPv4Network, IPv6Network

    from litestar.types import ASGIApp, HTTPScope, Receive, Send

    from lastro.doors.http import Answer

log = structlog.get_logger()

LONGEST_BODY = 1024 * 1024
SLOWEST_BODY_SECONDS = 15
_REQUEST_ID = re.compile(rb"[\x21-\x7e]{1,128}\Z")
# Given twice, one reader takes the first and another the last: who may pass must not depend on who reads.
_ONCE = frozenset({
    b"host", b"origin", b"authorization", b"content-type", b"content-length", b"content-encoding", b"idempotency-key",
    b"x-request-id",
})  # fmt: skip


@dataclass
class Gate:
    """What every request passes. hosts: Host values that are ours. random: for request ids.

    proxies: the networks of our own proxies, whose x-forwarded-for is believed. note: hears of every request that was
    answered, its status and how many seconds it took.
    """

    hosts: frozenset[str]
    random: Callable[[int], bytes]
    proxies: tuple[IPv4Network | IPv6Network, ...] = ()
    note: Callable[[Seen, int, float], None] = lambda *_: None
    origins: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self.origins = frozenset(f"{scheme}://{host}" for host in self.hosts for scheme in ("http", "https"))

    async def guard(self, app: ASGIApp, scope: Any, receive: Receive, send: Send) -> None:
        """In front of everything: host and origin, methods nobody serves; what it refuses goes no further."""
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        refused = _repeated(scope["headers"]) or self._stranger(headers)
        if refused is None and str(scope["method"]) not in METHODS:
            refused = not_allowed(METHODS)
        if refused is None:
            await app(scope, receive, send)
        else:
            await _send(send, refused, self.request_id(headers), head=scope["method"] == "HEAD")

    async def serve(
        self,
        scope: HTTPScope,
        receive: Receive,
        send: Send,
        answer: Answer,
        path: str,
    ) -> None:
        """Reads the body and sends what `answer` says; an exception is a 500 without a word. path: the route's."""
        begun = time.perf_counter()
        headers = dict(scope["headers"])
        request_id = self.request_id(headers)
        seen = Seen(str(scope["method"]), path, request_id.decode())
        scope["state"] = {"seen": seen, "source": self._source(scope, headers)}
        try:
            body = b"" if scope["method"] in ("GET", "HEAD") else await _body(receive, headers)
            response = await answer(scope, body, headers)
        except _Refuse as refused:
            response = refusal(refused.refused)
        except (DatabaseAway, Stale) as away:
            log.warning(
                "unavailable",
                request_id=request_id.decode(),
                path=path,
                cause=type(away).__name__,
                reason=str(away)[:200],
            )
            response = unexpected(503)
        except Exception:
            log.exception("failed", request_id=request_id.decode(), path=path)
            response = unexpected()
        await _send(send, response, request_id, head=scope["method"] == "HEAD")
        self.note(seen, response.status, time.perf_counter() - begun)

    def _source(self, scope: HTTPScope, headers: Mapping[bytes, bytes]) -> IPv4Address | IPv6Address | None:
        """Where the request came from: the last address that a proxy of ours did not add itself."""
        client = scope.get("client")
        source = _address(client[0]) if client else None
        told = headers.get(b"x-forwarded-for", b"").decode("latin-1").split(",") if self.proxies else []
        while told and source is not None and any(source in network for network in self.proxies):
            source = _address(told.pop().strip())
        return source

    def request_id(self, headers: Mapping[bytes, bytes]) -> bytes:
        """The caller's, where it gave one that can be printed, else one of ours."""
        given = headers.get(b"x-request-id", b"")
        return given if _REQUEST_ID.match(given) else self.random(16).hex().encode()

    def _stranger(self, headers: Mapping[bytes, bytes]) -> Response | None:
        """Any web page can reach this machine's own address: only our names are served, and only our own pages may ask."""
        if headers.get(b"host", b"").decode("latin-1").lower() not in self.hosts:
            return refusal(Refused(Kind.INVALID, (Problem("host", "NOT_ALLOWED", "this name is not served here"),)))
        origin = headers.get(b"origin")
        if origin is not None and origin.decode("latin-1").lower() not in self.origins:
            return refusal(Refused(Kind.FORBIDDEN))
        return None


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


class _Refuse(Exception):  # noqa: N818
    def __init__(self, kind: Kind, issue: str, description: str, field: str = "body") -> None:
        super().__init__(kind)
        self.refused = Refused(kind, (Problem(field, issue, description),))


async def _body(receive: Receive, headers: Mapping[bytes, bytes]) -> bytes:
    if headers.get(b"content-encoding", b"identity").lower() != b"identity":
        raise _Refuse(Kind.UNSUPPORTED_TYPE, "NOT_SUPPORTED", "bodies are taken as they are", "content-encoding")
    length = headers.get(b"content-length")
    if length is not None and (not length.isdigit() or int(length) > LONGEST_BODY):
        raise _Refuse(Kind.TOO_LARGE, "TOO_LONG", f"must have at most {LONGEST_BODY} bytes")
    parts, size, deadline = [], 0, asyncio.get_running_loop().time() + SLOWEST_BODY_SECONDS
    while True:
        try:
            async with asyncio.timeout_at(deadline):
                message = await receive()
        except TimeoutError:
            raise _Refuse(Kind.INVALID, "EXPIRED", f"must arrive within {SLOWEST_BODY_SECONDS} s") from None
        if message["type"] != "http.request":
            raise _Refuse(Kind.INVALID, "INVALID", "ended before it was whole")
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > LONGEST_BODY:
            raise _Refuse(Kind.TOO_LARGE, "TOO_LONG", f"must have at most {LONGEST_BODY} bytes")
        if not message.get("more_body"):
            return b"".join(parts)


async def _send(send: Send, response: Response, request_id: bytes, *, head: bool) -> None:
    headers = [
        (b"content-type", response.content_type),
        (b"content-length", str(len(response.body)).encode()),
        (b"x-request-id", request_id),
        (b"x-content-type-options", b"nosniff"),
        *response.headers,
    ]
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if head else response.body, "more_body": False})
