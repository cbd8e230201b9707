"""The operations behind a bearer token: who calls, whether the request is whole, one verb, one answer."""

from __future__ import annotations

import asyncio
import hmac
import re
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qsl
from uuid import UUID

import msgspec

from lastro.api_kit import forms, multipart
from lastro.api_kit.aliases import Renamed, in_main_names
from lastro.api_kit.http import Response, Revoked, not_allowed, refusal, seen_of, unauthorized
from lastro.api_kit.paging import LARGE
from lastro.api_kit.proxies import counted_as
from lastro.api_kit.routes import Incoming, as_id
from lastro.companies import TokenRefused
from lastro.core.concurrency_slot import without_slot
from lastro.core.errors import Kind, Problem, Refused
from lastro.core.media import JSON
from lastro.core.runner import Call, Refusing, Reply
from lastro.core.tenant_session import refusal_now
from lastro.web.concurrency_limit import ConcurrencyLimit
from lastro.web.content_negotiation import chosen

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Mapping, Sequence

    from litestar.types import HTTPScope

    from lastro.api_kit.proxies import Proxies
    from lastro.api_kit.rate_limits import Limits, Taken
    from lastro.api_kit.routes import Route
    from lastro.companies import Callers, Claims
    from lastro.core.runner import Runner, Verb
    from lastro.web.fair_queue import Who

T = TypeVar("T")
_SLOWEST_PAGE_SECONDS = 15.0  # so long a large page waits for others of its company
_LONGEST_LIMIT = 9  # digits; a longer one is refused
_MOST_PROBLEMS = 20  # of one query string: it is the client's to fill
_KEY = re.compile(r"[\x21-\x7e]+\Z")
_CHARSET = re.compile(r";\s*charset\s*=\s*\"?([^\s;\"]*)", re.IGNORECASE)
_HALF = re.compile("[\ud800-\udfff]")
_EMPTY = b"{}"  # stands for a body that is left out, if it may be
_canonical = msgspec.json.Encoder(order="sorted")
_VARY = ((b"vary", b"accept"),)  # RFC 9110 §12.5.5


@dataclass(frozen=True, slots=True)
class _Admitted:
    route: Route
    claims: Claims
    taken: Taken


@dataclass(frozen=True)
class Operations:
    """Handles the API's operations.

    callers: checks tokens. fingerprint_key: of stored requests. limits: of each client. apart: how many large bodies are
    read at a time; large_pages: how many pages of many rows are made, one of each company. looks_again_seconds: how often
    the client's rights are checked again while a long answer is sent.
    """

    runner: Runner
    callers: Callers
    machine_now: Callable[[], float]
    fingerprint_key: bytes
    limits: Limits
    apart: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(2))
    large_pages: ConcurrencyLimit = field(
        default_factory=lambda: ConcurrencyLimit(2, 1, _SLOWEST_PAGE_SECONDS, of_company=1)
    )
    looks_again_seconds: float = 1.0

    async def admit(self, routes: Mapping[str, Route], scope: HTTPScope, headers: Mapping[bytes, bytes]) -> Response | None:
        """Authenticates, rate-limits and routes a request before its body is read. routes: by method."""
        seen, route = seen_of(scope), routes.get("GET" if scope["method"] == "HEAD" else scope["method"])
        seen.operation = None if route is None else route.operation
        claims = await self.claims(scope, headers)
        if claims is None:
            return unauthorized()
        company_id = UUID(claims.company_id)
        seen.company_id, seen.client_id = company_id, claims.client_id
        own_limit = self.runner.requests_per_minute(company_id, claims.client_id)
        taken = self.limits.take(f"{claims.company_id} {claims.client_id}", own_limit, within=claims.company_id)
        if taken.retry_after_seconds is not None:
            refused = Refused(Kind.TOO_MANY, retry_after_seconds=taken.retry_after_seconds)
            return refusal(refused).with_headers(taken.headers())
        if route is None:
            return not_allowed(routes).with_headers(taken.headers())
        scope["state"]["admitted"] = _Admitted(route, claims, taken)
        return None

    async def answer(self, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]) -> Response:
        """Answers a request that was admitted."""
        admitted: _Admitted = scope["state"]["admitted"]
        response = await self._served(admitted.route, admitted.claims, scope, raw, headers)
        return response.with_headers(admitted.taken.headers())

    async def _served(
        self, route: Route, claims: Claims, scope: HTTPScope, raw: bytes, headers: Mapping[bytes, bytes]
    ) -> Response:
        company_id, is_large = UUID(claims.company_id), route.largest_body is not None
        of_query: list[Problem] = []
        of_headers: list[Problem] = []
        query = _query(scope["query_string"], route, of_query)
        if not raw and route.may_be_empty:
            raw, headers = _EMPTY, {**headers, b"content-type": JSON.encode()}
        key = _idempotency_key(headers, route, of_headers)
        renamed = Renamed(raw, {})
        body_media, boundary = _type_of(headers) if raw else JSON, _boundary(headers) if is_large else None
        path = {k: str(v) for k, v in scope["path_params"].items()}
        recognised = partial(self._fingerprint, key, route.path.format_map(path), query)
        if is_large:
            body, wrong_type, of_body = _unread(raw, route, headers)
            fingerprint = await self._apart(lambda: recognised(lambda: _compared(raw, body_media, boundary)))
        else:
            body, wrong_type, of_body = _body(raw, route, headers)
            renamed = in_main_names(raw, body or {}, route.doc.form)
            raw, body = renamed.raw, None if body is None else renamed.body
            fingerprint = recognised(lambda: _canonical.encode(compared_fields(body or {}, route.not_compared)))
        media = _media(scope, route)
        call = Call(
            company_id, claims.client_id, claims.issued_at, route.permission, route.operation, key,
            fingerprint, route.success, scope["state"]["peer"],
            seen_of(scope).request_id,
        )  # fmt: skip
        verb: Verb[Any] | Refused
        if wrong_type is not None:
            verb = Refused(Kind.UNSUPPORTED_TYPE, (Problem("content-type", "NOT_SUPPORTED", wrong_type),))
        elif media is None:
            had_as = " or ".join(route.offered)
            verb = Refused(Kind.NOT_ACCEPTABLE, (Problem("accept", "NOT_SUPPORTED", f"the answer is had as {had_as}"),))
        else:
            parsed: Verb[Any] | Refused = Refused(Kind.INVALID, of_body)
            if body is not None:
                gone = scope["state"].get("gone")
                incoming = Incoming(company_id, path, query, raw, body, key, gone, media, body_media, boundary)
                parsed = await self._apart(lambda: route.parse(incoming)) if is_large else route.parse(incoming)
            verb = _together(route, of_query, of_headers, parsed, renamed.problems)
        async with self._page_turn(query, company_id):
            outcome = await self.runner.run(call, Refusing(verb) if isinstance(verb, Refused) else verb)
        if outcome.write is not None:
            seen_of(scope).objects += outcome.write.objects
        if isinstance(outcome, Refused):
            in_order = outcome.problems if isinstance(verb, Refused) else forms.in_order(outcome.problems, route.doc.form)
            response = refusal(replace(outcome, problems=renamed.as_sent(in_order)))
        else:
            response = self._replied(outcome, call)
        return response.with_headers(_VARY) if route.offered else response

    def _replied(self, reply: Reply, call: Call) -> Response:
        more = tuple((name.encode(), value.encode()) for name, value in reply.headers)
        headers = ((b"idempotent-replayed", b"true"),) if reply.replayed else more
        parts = None if reply.more is None else self._while_admitted(reply.more(self.runner.database), call)
        return Response(reply.status, reply.body, reply.media.encode(), headers, more=parts)

    async def _while_admitted(self, parts: AsyncGenerator[bytes, None], call: Call) -> AsyncGenerator[bytes, None]:
        """Yields an answer's parts while its client has the right. Revoked: between two parts the client lost it."""
        async with aclosing(parts):
            looked = self.machine_now()
            async for part in parts:
                yield part
                if self.machine_now() - looked >= self.looks_again_seconds:
                    if await refusal_now(self.runner.database, call) is not None:
                        raise Revoked
                    looked = self.machine_now()

    async def claims(self, scope: HTTPScope, headers: Mapping[bytes, bytes]) -> Claims | None:
        """Returns the claims of a valid bearer token, else None. A token bound to a certificate needs that certificate."""
        scheme, _, token = headers.get(b"authorization", b"").partition(b" ")
        if scheme.lower() != b"bearer":
            return None
        try:
            found = await self.callers.claims(token.decode("latin-1").strip(), self.machine_now())
        except TokenRefused:
            return None
        return found if found.certificate in (None, scope["state"]["peer"].certificate) else None

    def whose(self, scope: HTTPScope, proxies: Proxies) -> Who:
        """Returns the company of a known token, else the address. It reads the request's head alone."""
        for name, value in scope["headers"]:
            if name == b"authorization" and value[:7].lower() == b"bearer ":
                found = self.callers.company_of(value[7:].decode("latin-1").strip())
                if found is not None:
                    return found
        return counted_as(proxies.address(scope))

    def _fingerprint(self, key: str | None, path: str, query: Mapping[str, str], body: Callable[[], bytes]) -> bytes:
        """Returns the HMAC of a request; nothing without a key, since nothing is then compared. body: gives its bytes."""
        if key is None:
            return b""
        seen = hmac.new(self.fingerprint_key, b"\0".join((path.encode(), _canonical.encode(query), b"")), "sha256")
        seen.update(body())  # by itself: of a large one that lets other threads go on, and copies nothing
        return seen.digest()

    @asynccontextmanager
    async def _page_turn(self, query: Mapping[str, str], company_id: UUID) -> AsyncGenerator[None, None]:
        """Holds the company's slot for a page of many rows. Its other large pages wait meanwhile. NoSlot: too long."""
        if not is_large(query):
            yield
            return
        async with AsyncExitStack() as held:
            async with without_slot():
                await held.enter_async_context(self.large_pages.turn(str(company_id)))
            yield

    async def _apart(self, act: Callable[[], T]) -> T:
        """Runs the work on a large body in a thread. Few run at a time, since they share one interpreter with the loop."""
        async with without_slot(), self.apart:
            return await asyncio.to_thread(act)


def is_large(query: Mapping[str, str]) -> bool:
    """Tells whether a page is so large that it would slow others."""
    limit = query.get("limit", "")
    return limit.isdecimal() and len(limit) <= _LONGEST_LIMIT and int(limit) > LARGE


def _together(
    route: Route,
    of_query: list[Problem],
    of_headers: list[Problem],
    parsed: Verb[Any] | Refused,
    of_names: Sequence[Problem] = (),
) -> Verb[Any] | Refused:
    """Returns the verb, or all problems of a request in order: its query, its headers, its body as the form goes.

    of_names: problems of fields that came under both of their names.
    """
    of_body = tuple(of_names)
    if isinstance(parsed, Refused) and parsed.kind is Kind.INVALID:
        of_body += parsed.problems
        if route.doc.form is None:
            of_query += [problem for problem in of_body if route.knows(problem.field)]
            of_body = tuple(problem for problem in of_body if not route.knows(problem.field))
    elif not of_query and not of_headers and not of_names:
        return parsed
    names = [query.name for query in route.queries]
    asked = forms.first_of_each(of_query, lambda p: names.index(p.field) if p.field in names else len(names))
    return Refused(Kind.INVALID, (*asked, *of_headers, *forms.in_order(of_body, route.doc.form)))


def _body(
    raw: bytes, route: Route, headers: Mapping[bytes, bytes]
) -> tuple[dict[str, Any] | None, str | None, tuple[Problem, ...]]:
    """Returns the body as plain JSON, else None, and its problems. The content-type's comes first, then its contents'."""
    if not raw:
        required = route.doc.form is not None or bool(route.doc.bodies)
        return (None, None, (Problem("body", "REQUIRED", "is required"),)) if required else ({}, None, ())
    wrong_type = _wrong_type(headers, route)
    try:
        return forms.parsed(raw), wrong_type, ()
    except forms.NotJson as error:
        return None, wrong_type, (Problem("body", "INVALID", str(error)),)


def _unread(
    raw: bytes, route: Route, headers: Mapping[bytes, bytes]
) -> tuple[dict[str, Any] | None, str | None, tuple[Problem, ...]]:
    """Checks a body that its operation reads by itself. Returns as _body does."""
    return ({}, _wrong_type(headers, route), ()) if raw else _body(raw, route, headers)


def compared_fields(body: dict[str, Any], never: tuple[str, frozenset[str]] | None) -> dict[str, Any]:
    """Returns the fields of a body that its fingerprint covers. Fields in `never` are left out."""
    if never is None:
        return body
    within, names = never
    if not within:
        return {name: value for name, value in body.items() if name not in names}
    return {**body, within: _without(body[within], names)} if within in body else body


def _without(value: Any, names: frozenset[str]) -> Any:
    """Returns the value without these names, at any depth."""
    if isinstance(value, dict):
        return {name: _without(inner, names) for name, inner in value.items() if name not in names}
    return [_without(inner, names) for inner in value] if isinstance(value, list) else value


def _compared(raw: bytes, media: str, boundary: str | None) -> bytes:
    """Returns the bytes that a large body's fingerprint covers.

    They are its JSON in canonical form, the parts of a form, else its bytes. Not for the event loop.
    """
    try:
        return _canonical.encode(forms.parsed(raw)) if media == JSON else multipart.compared(raw, boundary)
    except forms.NotJson:
        return raw


def _boundary(headers: Mapping[bytes, bytes]) -> str | None:
    """Returns the boundary of a multipart form; None if there is none."""
    given = headers.get(b"content-type", b"").decode("latin-1")
    return multipart.boundary_of(given) if given.lower().startswith(multipart.FORM_DATA) else None


def _type_of(headers: Mapping[bytes, bytes]) -> str:
    """Returns the content-type without its parameters."""
    return headers.get(b"content-type", b"").decode("latin-1").split(";")[0].strip().lower()


def _wrong_type(headers: Mapping[bytes, bytes], route: Route) -> str | None:
    """Returns the problem of a body's content-type, or None."""
    others = tuple(body.name for body in route.doc.bodies)
    taken = others if others and route.doc.form is None else (JSON, *others)
    if _type_of(headers) not in taken:
        return f"must be {' or '.join(taken)}"
    charset = _CHARSET.search(headers.get(b"content-type", b"").decode("latin-1"))
    return None if charset is None or charset[1].lower() in ("utf-8", "utf8") else "the charset must be UTF-8"


def _media(scope: HTTPScope, route: Route) -> str | None:
    """Returns the media type of the answer; None: none is acceptable.

    An operation with a single type ignores Accept, as RFC 9110 §12.5.1 allows.
    """
    if not route.offered:
        return JSON
    # Lines of one name are one list (RFC 9110 §5.3).
    accepted = b",".join(value for name, value in scope["headers"] if name == b"accept").decode("latin-1")
    return chosen(accepted, route.offered)


def _query(text: bytes, route: Route, problems: list[Problem]) -> dict[str, str]:
    if not text:
        return {}
    found: dict[str, str] = {}
    wrong: dict[str, Problem] = {}
    # A byte that is no UTF-8 becomes half a character, which no text has.
    given = parse_qsl(text.decode("ascii", "surrogateescape"), keep_blank_values=True, errors="surrogateescape")
    for name, value in given:
        if len(wrong) == _MOST_PROBLEMS:
            break
        if not route.knows(name):
            field = name[:64] if name.isprintable() and name else "query"
            wrong[field] = Problem(field, "NOT_ALLOWED", "is not a parameter of this operation")
        elif name in found:
            wrong[name] = Problem(name, "DUPLICATE", "is given twice")
        else:
            found[name] = value
            if _HALF.search(value):
                found[name] = ""
                wrong[name] = Problem(name, "INVALID", "must be UTF-8")
    problems += wrong.values()
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
    if route.key_is_uuid and as_id(key.lower()) is None:
        problems.append(Problem("idempotency-key", "INVALID", "must be a UUID"))
        return None
    return key
