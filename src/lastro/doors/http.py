"""The HTTP door: who calls, whether the bytes are good, one verb, one answer. Nothing is decided here but the status."""

from __future__ import annotations

import asyncio
import hmac
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl
from uuid import UUID

import msgspec
import structlog

from lastro.base import forms
from lastro.base.api import Incoming
from lastro.base.errors import DatabaseAway, Kind, Problem, Refused, Stale
from lastro.base.run import Call, Reply
from lastro.companies import TokenRefused

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping

    from litestar.types import ASGIApp, HTTPScope, Receive, Send

    from lastro.base.api import Route
    from lastro.base.run import Runner, Verb
    from lastro.companies import Claims, Verifier

log = structlog.get_logger()

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
LONGEST_BODY = 1024 * 1024
SLOWEST_BODY_SECONDS = 15
_STATUS = {
    Kind.INVALID: 400, Kind.UNAUTHORIZED: 401, Kind.FORBIDDEN: 403, Kind.NOT_FOUND: 404, Kind.METHOD_NOT_ALLOWED: 405,
    Kind.CONFLICT: 409, Kind.TOO_LARGE: 413, Kind.UNSUPPORTED_TYPE: 415, Kind.TOO_MANY: 429,
    Kind.UNAVAILABLE: 503,
}  # fmt: skip
_WORDS = {
    Kind.UNAUTHORIZED: ("UNAUTHORIZED", "Unauthorized Request"),
    Kind.FORBIDDEN: ("FORBIDDEN_ERROR", "Access denied"),
    Kind.NOT_FOUND: ("NOT_FOUND", "Resource not found"),
    Kind.UNAVAILABLE: ("INTERNAL_ERROR", "Unexpected error"),
}
_INVALID = ("INVALID_REQUEST", "Request is not valid")
_MOST_PROBLEMS = 20  # of one query string: it is the client's to fill
_UNEXPECTED = ("INTERNAL_ERROR", "Unexpected error")
_REQUEST_ID = re.compile(rb"[\x21-\x7e]{1,128}\Z")
_KEY = re.compile(r"[\x21-\x7e]+\Z")
_canonical = msgspec.json.Encoder(order="sorted")


@dataclass(frozen=True, slots=True)
class Response:
    """What goes over the wire."""

    status: int
    body: bytes
    content_type: bytes = b"application/json"
    headers: tuple[tuple[bytes, bytes], ...] = ()


def refusal(refused: Refused) -> Response:
    """The Error body and status of a refusal."""
    error, message = _WORDS.get(refused.kind, _INVALID)
    details = [{"field": p.field, "issue": p.issue, "description": p.description} for p in refused.problems]
    body = msgspec.json.encode({"error": error, "message": message, "details": details})
    headers: tuple[tuple[bytes, bytes], ...] = ()
    if refused.retry_after_seconds is not None:
        headers = ((b"retry-after", str(refused.retry_after_seconds).encode()),)
    return Response(_STATUS[refused.kind], body, headers=headers)


def unauthorized() -> Response:
    """No token, or none that is good (RFC 6750 §3)."""
    refused = refusal(Refused(Kind.UNAUTHORIZED))
    return Response(refused.status, refused.body, headers=((b"www-authenticate", b"Bearer"),))


def not_allowed(methods: Iterable[str]) -> Response:
    """A path that is served, by other methods."""
    allowed = ", ".join(methods)
    refused = refusal(Refused(Kind.METHOD_NOT_ALLOWED, (Problem("method", "NOT_ALLOWED", f"this path takes {allowed}"),)))
    return Response(refused.status, refused.body, headers=((b"allow", allowed.encode()),))


def unexpected(status: int = 500) -> Response:
    """Something of ours failed, or (503) is away for the moment; nothing of it is told."""
    error, message = _UNEXPECTED
    body = msgspec.json.encode({"error": error, "message": message, "details": []})
    return Response(status, body, headers=((b"retry-after", b"1"),) if status == 503 else ())


@dataclass
class Gate:
    """What every request passes. hosts: Host values that are ours. random: for request ids."""

    hosts: frozenset[str]
    random: Callable[[int], bytes]
    origins: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self.origins = frozenset(f"{scheme}://{host}" for host in self.hosts for scheme in ("http", "https"))

    async def guard(self, app: ASGIApp, scope: Any, receive: Receive, send: Send) -> None:
        """In front of everything: host and origin, methods nobody serves; what it refuses goes no further."""
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        refused = self._stranger(headers)
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
        answer: Callable[[HTTPScope, bytes, Mapping[bytes, bytes]], Awaitable[Response]],
    ) -> None:
        """Reads the body and sends what `answer` says; an exception is a 500 without a word."""
        headers = dict(scope["headers"])
        request_id = self.request_id(headers)
        try:
            body = b"" if scope["method"] in ("GET", "HEAD") else await _body(receive, headers)
            response = await answer(scope, body, headers)
        except _Refuse as refused:
            response = refusal(refused.refused)
        except (DatabaseAway, Stale) as away:
            log.warning(
                "unavailable",
                request_id=request_id.decode(),
                path=scope["path"],
                cause=type(away).__name__,
                reason=str(away)[:200],
            )
            response = unexpected(503)
        except Exception:
            log.exception("failed", request_id=request_id.decode(), path=scope["path"])
            response = unexpected()
        await _send(send, response, request_id, head=scope["method"] == "HEAD")

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


class _Refuse(Exception):  # noqa: N818
    def __init__(self, kind: Kind, issue: str, description: str) -> None:
        super().__init__(kind)
        self.refused = Refused(kind, (Problem("body", issue, description),))


async def _body(receive: Receive, headers: Mapping[bytes, bytes]) -> bytes:
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


@dataclass(frozen=True)
class Operations:
    """The operations behind a bearer token. fingerprint_key: what stored requests are recognised by."""

    runner: Runner
    verifier: Callable[[], Verifier]
    machine_now: Callable[[], float]
    fingerprint_key: bytes

    async def answer(
        self, routes: Mapping[str, Route], scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]
    ) -> Response:
        """One request on a path. routes: by method."""
        claims = self.claims(headers)
        if claims is None:
            return unauthorized()
        route = routes.get(scope["method"])
        if route is None:
            return not_allowed(routes)
        problems: list[Problem] = []
        query = _query(scope["query_string"], route, problems)
        key = _idempotency_key(headers, route, problems)
        body: dict[str, Any] = {}
        wrong_type = False
        if raw or route.method == "PUT":
            wrong_type = headers.get(b"content-type", b"").split(b";")[0].strip().lower() != b"application/json"
            try:
                body = forms.parsed(raw)
            except forms.NotJson as error:
                problems.append(Problem("body", "INVALID", str(error)))
        company_id = UUID(claims.company_id)
        path = {k: str(v) for k, v in scope["path_params"].items()}
        incoming = Incoming(company_id, path, query, raw, body, key)
        call = Call(
            company_id, claims.client_id, claims.issued_at, route.permission, route.operation, key,
            self._fingerprint(scope["path"], query, body), route.success,
        )  # fmt: skip
        verb: Verb[Any] | Refused
        if wrong_type:
            text = "must be application/json"
            verb = Refused(Kind.UNSUPPORTED_TYPE, (Problem("content-type", "NOT_SUPPORTED", text),))
        else:
            verb = Refused(Kind.INVALID, tuple(problems)) if problems else route.parse(incoming)
        outcome = await self.runner.run(call, _Refusing(verb) if isinstance(verb, Refused) else verb)
        return _replied(outcome)

    def claims(self, headers: Mapping[bytes, bytes]) -> Claims | None:
        """Whose token it is, or None for none, a bad or an old one."""
        scheme, _, token = headers.get(b"authorization", b"").partition(b" ")
        if scheme.lower() != b"bearer":
            return None
        try:
            return self.verifier().verify(token.decode("latin-1").strip(), self.machine_now())
        except TokenRefused:
            return None

    def _fingerprint(self, path: str, query: Mapping[str, str], body: Mapping[str, Any]) -> bytes:
        seen = b"\0".join((path.encode(), _canonical.encode(query), _canonical.encode(body)))
        return hmac.digest(self.fingerprint_key, seen, "sha256")


@dataclass(frozen=True)
class _Refusing:
    """A request that is wrong as it stands: the door is opened all the same, since who may not ask is told only that."""

    refused: Refused

    async def read(self, *_: object) -> None:
        return None

    async def look_up(self, *_: object) -> None:
        return None

    def decide(self, *_: object) -> Refused:
        return self.refused

    def recall(self) -> None:
        return None

    def taken(self, _: str) -> None:
        return None

    def insufficient(self) -> Refused:
        return self.refused


def _replied(outcome: Reply | Refused) -> Response:
    if isinstance(outcome, Refused):
        return refusal(outcome)
    headers = ((b"idempotent-replayed", b"true"),) if outcome.replayed else ()
    return Response(outcome.status, outcome.body, headers=headers)


def _query(text: bytes, route: Route, problems: list[Problem]) -> dict[str, str]:
    if not text:
        return {}
    found: dict[str, str] = {}
    for name, value in parse_qsl(text.decode("latin-1"), keep_blank_values=True):
        if len(problems) == _MOST_PROBLEMS:
            break
        if name not in route.queries and name not in found:
            problems.append(Problem(name[:64], "NOT_ALLOWED", "is not a parameter of this operation"))
        elif name in found and name in route.queries:
            problems.append(Problem(name, "DUPLICATE", "is given twice"))
        found[name] = value
    return found


def _idempotency_key(headers: Mapping[bytes, bytes], route: Route, problems: list[Problem]) -> str | None:
    given = headers.get(b"idempotency-key")
    if route.key == "none":
        return None
    if given is None:
        if route.key == "required":
            problems.append(Problem("idempotency-key", "REQUIRED", "is required"))
        return None
    key = given.decode("latin-1")
    if len(key) > route.key_longest:
        problems.append(Problem("idempotency-key", "TOO_LONG", f"must have at most {route.key_longest} characters"))
        return None
    if not _KEY.match(key):
        problems.append(Problem("idempotency-key", "INVALID", "must be printable ASCII without blanks"))
        return None
    return key
