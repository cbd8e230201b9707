"""The operations behind a bearer token: who calls, whether the request is whole, one verb, one answer."""

from __future__ import annotations

import hmac
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl
from uuid import UUID

import msgspec

from lastro.base import forms
from lastro.base.api import Incoming
from lastro.base.errors import Kind, Problem, Refused
from lastro.base.run import Call, Reply
from lastro.companies import TokenRefused
from lastro.doors.http import Response, not_allowed, refusal, seen_of, unauthorized

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from litestar.types import HTTPScope

    from lastro.base.api import Route
    from lastro.base.run import Runner, Verb
    from lastro.companies import Claims, Verifier
    from lastro.doors.limits import Limits

_MOST_PROBLEMS = 20  # of one query string: it is the client's to fill
_KEY = re.compile(r"[\x21-\x7e]+\Z")
_CHARSET = re.compile(r";\s*charset\s*=\s*\"?([^\s;\"]+)", re.IGNORECASE)
_canonical = msgspec.json.Encoder(order="sorted")


@dataclass(frozen=True)
class Operations:
    """fingerprint_key: what stored requests are recognised by. limits: how many requests a client has."""

    runner: Runner
    verifier: Callable[[], Verifier]
    machine_now: Callable[[], float]
    fingerprint_key: bytes
    limits: Limits

    async def answer(
        self, routes: Mapping[str, Route], scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]
    ) -> Response:
        """One request on a path. routes: by method."""
        claims = self.claims(headers)
        if claims is None:
            return unauthorized()
        company_id = UUID(claims.company_id)
        seen = seen_of(scope)
        seen.company_id, seen.client_id = company_id, claims.client_id
        taken = self.limits.take(claims.client_id, self.runner.requests_per_minute(company_id, claims.client_id))
        route = routes.get(scope["method"])
        if taken.retry_after_seconds is not None:
            response = refusal(Refused(Kind.TOO_MANY, retry_after_seconds=taken.retry_after_seconds))
        elif route is None:
            response = not_allowed(routes)
        else:
            seen.operation = route.operation
            response = await self._served(route, claims, company_id, scope, raw, headers)
        return replace(response, headers=(*response.headers, *taken.headers()))

    async def _served(
        self, route: Route, claims: Claims, company_id: UUID, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]
    ) -> Response:
        problems: list[Problem] = []
        query = _query(scope["query_string"], route, problems)
        key = _idempotency_key(headers, route, problems)
        body: dict[str, Any] | None = {}
        wrong_type = None
        if raw or route.method == "PUT":
            wrong_type = _wrong_type(headers)
            try:
                body = forms.parsed(raw)
            except forms.NotJson as error:
                problems.append(Problem("body", "INVALID", str(error)))
                body = None
        path = {k: str(v) for k, v in scope["path_params"].items()}
        call = Call(
            company_id, claims.client_id, claims.issued_at, route.permission, route.operation, key,
            self._fingerprint(scope["path"], query, body or {}), route.success, scope["state"]["source"],
            seen_of(scope).request_id,
        )  # fmt: skip
        verb: Verb[Any] | Refused
        if wrong_type is not None:
            verb = Refused(Kind.UNSUPPORTED_TYPE, (Problem("content-type", "NOT_SUPPORTED", wrong_type),))
        elif body is None:
            verb = Refused(Kind.INVALID, tuple(problems))
        else:
            verb = _together(problems, route.parse(Incoming(company_id, path, query, raw, body, key)))
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


def _together(problems: list[Problem], parsed: Verb[Any] | Refused) -> Verb[Any] | Refused:
    """All that is wrong with a request at once: what its line and headers have, and what its body has."""
    if not problems:
        return parsed
    if isinstance(parsed, Refused) and parsed.kind is Kind.INVALID:
        known = {problem.field for problem in problems}
        problems += [problem for problem in parsed.problems if problem.field not in known]
    return Refused(Kind.INVALID, tuple(problems))


def _wrong_type(headers: Mapping[bytes, bytes]) -> str | None:
    """Why a body of this content-type is not taken, or None."""
    given = headers.get(b"content-type", b"").decode("latin-1")
    if given.split(";")[0].strip().lower() != "application/json":
        return "must be application/json"
    charset = _CHARSET.search(given)
    return None if charset is None or charset[1].lower() in ("utf-8", "utf8") else "the charset must be UTF-8"


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
        if not route.knows(name) and name not in found:
            problems.append(Problem(name[:64], "NOT_ALLOWED", "is not a parameter of this operation"))
        elif name in found and route.knows(name):
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
