"""The gate every request passes: whose name it calls, how it is framed, how long it may take, and what is noted of it."""

from __future__ import annotations

import asyncio
import secrets
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import count
from typing import TYPE_CHECKING, Any

import asyncpg
import structlog

from lastro.api_kit.http import (
    METHODS,
    UNKNOWN,
    RequestNotes,
    Response,
    Revoked,
    headers_of,
    refusal,
    request_id,
    seen_of,
    unexpected,
)
from lastro.api_kit.proxies import Proxies, counted_as
from lastro.config.load import Bounds
from lastro.core import trace
from lastro.core.errors import DatabaseAway, Kind, Problem, Refused, Stale
from lastro.web.admission import WATCHED, Admission, TurnedAway
from lastro.web.concurrency_limit import ConcurrencyLimit, NoSlot

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Mapping

    from litestar.types import ASGIApp, HTTPScope, Receive, Send

    from lastro.api_kit.http import Admit, Answer

log = structlog.get_logger()

LARGEST_BODY = 1024 * 1024  # of most operations, in bytes
SLOWEST_BODY_SECONDS = 15
SLOWEST_RATE = 100 * 1024  # bytes a second: what has come at that rate or faster gives as much time again
SLOWEST_TURN_SECONDS = 15  # so long a large body, and an answer in parts, waits for others to end
SLOWEST_ANSWER_SECONDS = 900  # and so long for all of it: others wait for its turn
GONE_SECONDS = 0.1  # so soon the server tells of a caller that it could not write to
SLOWEST_PART_SECONDS = 60  # a caller may take so long to take a part of a long answer
_CLOSES = (b"connection", b"close")
# Given twice, one reader takes the first and another the last: who may pass must not depend on who reads.
_ONCE = frozenset({
    b"host", b"origin", b"authorization", b"content-type", b"content-length", b"content-encoding", b"idempotency-key",
    b"x-request-id",
})  # fmt: skip


@dataclass
class Gate:
    """Checks and limits every request before its handler.

    hosts: Host values that are ours. random: for request ids. proxies: our own, which give the caller's address. note:
    called with every answered request, its status and its seconds. schemes: of our own pages. large_bodies, long_answers:
    how many there are at a time, since each takes memory for as long as its caller likes. admission: limits concurrency.
    in_flight: how many are being answered.
    """

    hosts: frozenset[str]
    random: Callable[[int], bytes]
    proxies: Proxies = field(default_factory=Proxies)
    note: Callable[[RequestNotes, int, float], None] = lambda *_: None
    patience_seconds: float = SLOWEST_BODY_SECONDS
    schemes: tuple[str, ...] = ("http", "https")
    large_bodies: ConcurrencyLimit = field(default_factory=lambda: ConcurrencyLimit(8, 2, SLOWEST_TURN_SECONDS))
    long_answers: ConcurrencyLimit = field(default_factory=lambda: ConcurrencyLimit(16, 4, SLOWEST_TURN_SECONDS))
    admission: Admission = field(default_factory=lambda: Admission(Bounds(), time.monotonic))
    origins: frozenset[str] = field(init=False)
    in_flight: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.origins = frozenset(f"{scheme}://{host}" for host in self.hosts for scheme in self.schemes)

    async def guard(self, app: ASGIApp, scope: Any, receive: Receive, send: Send) -> None:
        """Checks host, origin and spelling of the path before routing. A rejected request goes no further."""
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        begun = time.perf_counter()
        headers = dict(scope["headers"])
        send = _until_gone(receive, _without_body(send) if scope["method"] == "HEAD" else send)
        refused = self._bodiless(headers)
        if refused is None and scope["path"] not in WATCHED and (away := self.admission.admit(scope)) is not None:
            await _send(send, _answer_of(away), request_id(headers.get(b"x-request-id", b""), _next_number))
            return
        refused = refused or _repeated(scope["headers"]) or self._stranger(headers) or _misspelt(scope)
        if refused is None:
            await app(scope, receive, send)
        else:
            given_id = self.request_id(headers)
            await _send(send, refused, given_id)
            self.unrouted(str(scope["method"]), given_id, refused, time.perf_counter() - begun)

    async def serve(
        self, scope: HTTPScope, receive: Receive, send: Send, answer: Answer, path: str,
        largest_body: int = LARGEST_BODY, admit: Admit | None = None,
    ) -> None:  # fmt: skip
        """Sends what `answer` says of the request. path: the route's. admit: may refuse it before its body is read.

        admit may also leave a function in the request's state, `refusal`: it makes a page of what the gate refuses.
        """
        begun = time.perf_counter()
        headers = dict(scope["headers"])
        request_id = self.request_id(headers)
        seen = RequestNotes(str(scope["method"]), path, request_id.decode())
        trace.take_up(seen.request_id, caller=headers.get(b"traceparent", b"").decode("latin-1"))
        scope["state"] = {"seen": seen, "peer": self.proxies.peer(scope, time.time), "gone": partial(_gone, receive)}
        async with AsyncExitStack() as held:
            self.in_flight += 1
            try:
                response = await self._answered(scope, receive, answer, headers, largest_body, admit, held)
            except asyncio.CancelledError:
                await _send(send, unexpected(503), request_id)  # this process ends
                raise
            finally:
                self.in_flight -= 1
            more = None if seen.method == "HEAD" else response.more
            await _send(send, response, request_id, goes_on=more is not None)
            if more is not None:
                await _follow(send, receive, more, seen)
        seen.issues = response.issues
        self.note(seen, response.status, time.perf_counter() - begun)

    async def _answered(
        self, scope: HTTPScope, receive: Receive, answer: Answer, headers: Mapping[bytes, bytes], largest_body: int,
        admit: Admit | None, held: AsyncExitStack,
    ) -> Response:  # fmt: skip
        """Returns the answer to a request; an exception becomes a bare 500. held: resources to release once it is sent."""
        seen = seen_of(scope)
        try:
            refused = None if admit is None else await admit(scope, headers)
            if refused is not None:
                return refused
            body = b""
            if seen.method not in ("GET", "HEAD"):
                if largest_body > LARGEST_BODY:
                    await held.enter_async_context(self.large_bodies.turn(str(seen.company_id), str(seen.client_id)))
                body = await _body(receive, headers, self.patience_seconds, largest_body)
            response = await self._worked_on(scope, answer, body, headers, seen)
            if response.more is None:
                return response
            held.push_async_callback(response.more.aclose)
            if seen.method == "HEAD":
                return response
            await held.enter_async_context(self.long_answers.turn(str(seen.company_id), str(seen.client_id)))
            return await _begun(response)
        except (_Refuse, NoSlot, TurnedAway) as no:
            told: Callable[[Refused], Response] = scope["state"].get("refusal", refusal)
            response = told(no.refused)
            # Of a caller that sends a byte now and then nothing more is taken.
            return replace(response, headers=(*response.headers, _CLOSES)) if isinstance(no, _TooSlow) else response
        except (DatabaseAway, Stale, asyncpg.LockNotAvailableError) as away:
            log.warning(
                "unavailable", request_id=seen.request_id, company_id=seen.company_id, path=seen.path,
                cause=type(away).__name__, reason=str(away)[:200],
            )  # fmt: skip
            return unexpected(503)
        except Exception:
            log.exception("failed", request_id=seen.request_id, company_id=seen.company_id, path=seen.path)
            return unexpected()

    async def _worked_on(
        self, scope: HTTPScope, answer: Answer, body: bytes, headers: Mapping[bytes, bytes], seen: RequestNotes
    ) -> Response:
        """Answers a whole request, in a slot of its company or address."""
        if seen.path in WATCHED:
            return await answer(scope, body, headers)
        async with self.admission.place(seen.company_id or counted_as(scope["state"]["peer"].address)):
            return await answer(scope, body, headers)

    def unrouted(self, method: str, request_id: bytes, response: Response, seconds: float) -> None:
        """Notes a request without a route. Its path may hold anything and is not logged."""
        seen = RequestNotes(method if method in METHODS else UNKNOWN, UNKNOWN, request_id.decode(), issues=response.issues)
        self.note(seen, response.status, seconds)

    def request_id(self, headers: Mapping[bytes, bytes]) -> bytes:
        """Returns the caller's request id if printable, else a new one."""
        return request_id(headers.get(b"x-request-id", b""), self.random)

    def _bodiless(self, headers: Mapping[bytes, bytes]) -> Response | None:
        """Refuses an upgrade with a body: behind a proxy the parser would read that body as the next request."""
        has_body = b"transfer-encoding" in headers or headers.get(b"content-length", b"0") != b"0"
        if b"upgrade" not in headers or not has_body or not self.proxies.networks:
            return None
        refused = refusal(Refused(Kind.INVALID, (Problem("request", "INVALID", "asks for an upgrade, and has a body"),)))
        return replace(refused, headers=(_CLOSES,))

    def _stranger(self, headers: Mapping[bytes, bytes]) -> Response | None:
        """Rejects foreign hosts and origins: any web page can reach this machine, and only our own pages may ask."""
        if headers.get(b"host", b"").decode("latin-1").lower() not in self.hosts:
            return refusal(Refused(Kind.INVALID, (Problem("host", "NOT_ALLOWED", "this name is not served here"),)))
        origin = headers.get(b"origin")
        if origin is not None and origin.decode("latin-1").lower() not in self.origins:
            return refusal(Refused(Kind.FORBIDDEN))
        return None


def _repeated(headers: list[tuple[bytes, bytes]]) -> Response | None:
    names = [name for name, _ in headers if name in _ONCE]
    if len(set(names)) == len(names):
        return None
    twice = sorted({name.decode() for name in names if names.count(name) > 1})
    return refusal(Refused(Kind.INVALID, tuple(Problem(name, "DUPLICATE", "is given twice") for name in twice)))


def _misspelt(scope: Any) -> Response | None:
    """Rejects paths in another spelling. //, a last / and an encoded / lead nowhere."""
    path, raw = str(scope["path"]), bytes(scope.get("raw_path") or b"").lower()
    if "//" in path or (path.endswith("/") and path != "/") or b"%2f" in raw:
        return refusal(Refused(Kind.NOT_FOUND))
    return None


class _Refuse(Exception):  # noqa: N818
    def __init__(self, kind: Kind, issue: str, description: str, field: str = "body") -> None:
        super().__init__(kind)
        self.refused = Refused(kind, (Problem(field, issue, description),))


class _TooSlow(_Refuse):
    pass


async def _body(receive: Receive, headers: Mapping[bytes, bytes], patience_seconds: float, largest: int) -> bytes:
    if headers.get(b"content-encoding", b"identity").lower() != b"identity":
        raise _Refuse(Kind.UNSUPPORTED_TYPE, "NOT_SUPPORTED", "bodies are taken as they are", "content-encoding")
    length = headers.get(b"content-length")
    if length is not None and (not length.isdigit() or len(length) > 15 or int(length) > largest):
        raise _Refuse(Kind.TOO_LARGE, "TOO_LONG", f"must have at most {largest} bytes")
    parts, size, deadline = [], 0, asyncio.get_running_loop().time() + patience_seconds
    while True:
        try:
            async with asyncio.timeout_at(deadline + size / SLOWEST_RATE):
                message = await receive()
        except TimeoutError:
            text = f"must arrive within {patience_seconds:g} s, and 100 KiB a second"
            raise _TooSlow(Kind.INVALID, "EXPIRED", text) from None
        if message["type"] != "http.request":
            raise _Refuse(Kind.INVALID, "INVALID", "ended before it was whole")
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > largest:
            raise _Refuse(Kind.TOO_LARGE, "TOO_LONG", f"must have at most {largest} bytes")
        if not message.get("more_body"):
            return b"".join(parts)


async def _gone(receive: Receive) -> None:
    """Returns once the caller of a body-less request hangs up. It may also end its side: no more comes behind the body."""
    for _ in range(2):
        if (await receive())["type"] == "http.disconnect":
            return


def _until_gone(receive: Receive, send: Send) -> Send:
    """Drops messages to a caller that is gone, without an error. The server may refuse to write before it tells so."""

    async def sent(message: Any) -> None:
        try:
            await send(message)
        except RuntimeError:
            try:
                await asyncio.wait_for(_gone(receive), GONE_SECONDS)
            except TimeoutError:
                pass
            else:
                return
            raise

    return sent


@lru_cache(maxsize=16)
def _answer_of(away: Refused) -> Response:
    """Returns one of a few cached answers. A rejection must cost little."""
    return refusal(away)


# Ids of requests that are turned away must be unique, and no more: random bytes of the system would cost as much as parsing.
_OF_THIS_PROCESS, _NUMBERS = secrets.token_bytes(8), count()


def _next_number(length: int) -> bytes:
    return _OF_THIS_PROCESS + next(_NUMBERS).to_bytes(length - len(_OF_THIS_PROCESS), "big")


def _without_body(send: Send) -> Send:
    """Drops the body from the answer to a HEAD request."""

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
    """Moves the first part of the answer into its body. So an early failure can still change the status."""
    return response if response.more is None else replace(response, body=response.body + await anext(response.more, b""))


async def _follow(send: Send, receive: Receive, parts: AsyncGenerator[bytes, None], seen: RequestNotes) -> None:
    """Sends the parts. A failure on the way cuts the connection, so that nobody takes a part for the whole."""
    gone = asyncio.ensure_future(_gone(receive))
    over = asyncio.get_running_loop().time() + SLOWEST_ANSWER_SECONDS
    try:
        while (part := await _unless(gone, parts)) is not None:
            left = over - asyncio.get_running_loop().time()
            async with asyncio.timeout(min(SLOWEST_PART_SECONDS, left)):
                await send({"type": "http.response.body", "body": part, "more_body": True})
    except (DatabaseAway, Revoked, TimeoutError) as away:
        log.warning("answer.cut", request_id=seen.request_id, company_id=seen.company_id, cause=type(away).__name__)
    except Exception:
        log.exception("failed", request_id=seen.request_id, company_id=seen.company_id, path=seen.path)
    else:
        if not gone.done():
            await send({"type": "http.response.body", "body": b"", "more_body": False})
    finally:
        gone.cancel()


async def _unless(gone: asyncio.Future[None], parts: AsyncGenerator[bytes, None]) -> bytes | None:
    """Returns the next part; None after the last one or once the caller is gone, even if the part still waits."""
    coming = asyncio.ensure_future(anext(parts, None))
    try:
        await asyncio.wait((coming, gone), return_when=asyncio.FIRST_COMPLETED)
        return coming.result() if coming.done() and not gone.done() else None
    finally:
        coming.cancel()
        await asyncio.gather(coming, return_exceptions=True)
