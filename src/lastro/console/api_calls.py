"""The API's operations in process: the same verbs, for a person's company, each change recorded with the person."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, replace
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import msgspec

from lastro.api_kit import forms
from lastro.api_kit.http import STATUS, refusal
from lastro.api_kit.multipart import FORM_DATA, one_file
from lastro.api_kit.routes import Incoming
from lastro.core.errors import InsufficientFunds, Kind, Problem, Refused
from lastro.core.media import JSON
from lastro.core.retry import patiently
from lastro.core.runner import Act, Done, Refusing, RequestContext
from lastro.core.write import Caller, Row, Write

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from uuid import UUID

    from lastro.api_kit.routes import Route
    from lastro.console.shell import User
    from lastro.core.db import Session
    from lastro.core.runner import Query, Runner, Verb

_decoder: Final = msgspec.json.Decoder(float_hook=Decimal)
_READS: Final = frozenset({"GET", "HEAD"})
_TWICE: Final = "console_acts_pkey"
_FEWEST_FAILED: Final = 300
_FIRST: Final = "SELECT status FROM console_acts WHERE company_id = $1 AND id = $2"


@dataclass(frozen=True, slots=True)
class RawBody:
    """A body that is no JSON. media: one that its operation reads itself."""

    content: bytes
    media: str


@dataclass(frozen=True, slots=True)
class _Told:
    """The details of an action that the audit records beside its answer."""

    id: UUID
    person_id: UUID
    operation: str
    path: str
    request_id: str
    said: Mapping[str, Any]

    def row(self, context: RequestContext, status: int, issues: Sequence[str] = ()) -> Row:
        """Returns the call's row."""
        values = {
            "id": self.id, "person_id": self.person_id, "operation": self.operation, "path": self.path, "status": status,
            "issues": list(issues), "request_id": self.request_id, "created_at": context.now,
            "detail": msgspec.json.encode(self.said).decode() if self.said else None,
        }  # fmt: skip
        return Row("console_acts", values)


@dataclass(frozen=True)
class Recorded(Act[Any]):
    """A verb whose Write also records who did it: both happen, or neither. success: its status where it says none."""

    verb: Verb[Any]
    told: _Told
    success: int

    def query(self) -> Query[Any] | None:
        """Queries as the verb does."""
        return self.verb.query()

    async def read(self, session: Session, context: RequestContext) -> Any:
        """Reads as the verb does."""
        return await self.verb.read(session, context)

    async def call_out(self, known: Any, context: RequestContext) -> Any:
        """Calls out as the verb does."""
        looked = await self.verb.call_out(known, context)
        return self._noted(looked, context) if isinstance(looked, Refused) else looked

    def decide(self, known: Any, context: RequestContext) -> Done | Refused:
        """Returns the verb's answer with its row; an answer still to come has none."""
        outcome = self.verb.decide(known, context)
        if isinstance(outcome, Refused):
            return self._noted(outcome, context)
        if outcome.again:
            return outcome
        line = Write(context.company_id, rows=(self.told.row(context, outcome.status or self.success),))
        return replace(outcome, write=line if outcome.write is None else outcome.write + line)

    def on_unique_violation(self, constraint: str) -> Refused | None:
        """Refuses a form that was sent twice; else does as the verb."""
        return _done_already() if constraint == _TWICE else self.verb.on_unique_violation(constraint)

    def on_insufficient_funds(self, short: InsufficientFunds) -> Refused | Verb[Any]:
        """Does as the verb; another verb in its place is recorded, too."""
        instead = self.verb.on_insufficient_funds(short)
        return instead if isinstance(instead, Refused) else replace(self, verb=instead)

    def _noted(self, refused: Refused, context: RequestContext) -> Refused:
        line = Write(context.company_id, rows=(self.told.row(context, STATUS[refused.kind], _issues(refused)),))
        return replace(refused, write=line if refused.write is None else refused.write + line)


@dataclass(frozen=True)
class Calls:
    """The API's operations as console calls. runner: of this process. routes: every operation behind a bearer token."""

    runner: Runner
    routes: Sequence[Route]

    async def call(
        self, user: User, method: str, path: str, query: Mapping[str, str], body: Mapping[str, Any] | RawBody | None,
        file: bytes | None = None,
    ) -> tuple[int, Any]:  # fmt: skip
        """Calls an operation, and returns its status and answer.

        LookupError: there is no such one; ValueError: nothing may be done here.
        """
        route, values = self._route(method, path)
        assert user.company_id is not None, "a page that calls says that it needs a company"
        key = None if user.act_id is None or route.key == "none" else str(user.act_id)
        incoming = Incoming(user.company_id, values, query, *_as_sent(body), key, media=JSON)
        verb: Verb[Any] | Refused
        if unknown := [name for name in query if not route.knows(name)]:
            verb = Refused(Kind.INVALID, tuple(Problem(n, "NOT_ALLOWED", "is not a parameter of this") for n in unknown))
        elif isinstance(body, RawBody):
            verb = await asyncio.to_thread(route.parse, replace(incoming, body_media=body.media))
        elif file is None:
            verb = route.parse(incoming)
        else:
            boundary = f"lastro-{user.console_context.entrance.chance.uuid(user.console_context.entrance.machine_now())}"
            verb = await asyncio.to_thread(_parsed_file, route, incoming, file, boundary)
        by = _caller(user)
        if method in _READS:
            outcome = verb if isinstance(verb, Refused) else await self._act(user.company_id, verb, by)
        elif user.act_id is None:
            raise ValueError("what changes something is called by an act alone")
        else:
            told = _Told(user.act_id, user.person_id, route.operation, path, user.request_id, user.told)
            outcome = await self._recorded(user.company_id, route, verb, told, by)
        return _answer(route, outcome)

    def problems(self, user: User, method: str, path: str, body: Mapping[str, Any]) -> tuple[int, Any] | None:
        """Returns the refusal of a body by itself; None: there is none. Nothing is read or done."""
        route, values = self._route(method, path)
        assert user.company_id is not None, "a page that calls says that it needs a company"
        raw = msgspec.json.encode(body)
        verb = route.parse(Incoming(user.company_id, values, {}, raw, forms.parsed(raw), str(user.act_id), media=JSON))
        return _answer(route, verb) if isinstance(verb, Refused) else None

    async def download(
        self, user: User, path: str, query: Mapping[str, str] = MappingProxyType({}), media: str | None = None
    ) -> Done | Refused:
        """Returns the answer of an operation that reads a file. media: of those that it offers; None: the first."""
        route, values = self._route("GET", path)
        assert user.company_id is not None, "a page that calls says that it needs a company"
        verb = route.parse(Incoming(user.company_id, values, query, b"{}", {}, None, media=media or route.offered[0]))
        return verb if isinstance(verb, Refused) else await self._act(user.company_id, verb, _caller(user))

    async def _recorded(
        self, company_id: UUID, route: Route, verb: Verb[Any] | Refused, told: _Told, by: Caller
    ) -> Done | Refused:
        request = Refusing(verb) if isinstance(verb, Refused) else verb
        outcome = await self._act(company_id, Recorded(request, told, route.success), by)
        if outcome == _done_already():
            return await self._first(company_id, told.id)
        if isinstance(outcome, Refused) and outcome.write is None:
            # A floor or a unique value stood in the way of the Write itself, and nothing of it was written.
            await self._act(company_id, Recorded(Refusing(outcome), told, route.success), by)
        return outcome

    async def _act(self, company_id: UUID, verb: Verb[Any], by: Caller) -> Done | Refused:
        """Runs a verb, and retries what is not there yet. The runner leaves such retries to a worker's tasks."""
        return await patiently(lambda: self.runner.act(company_id, verb, by))

    async def _first(self, company_id: UUID, act_id: UUID) -> Refused:
        """Returns the outcome of a form that was sent before.

        A person whose form was refused, and who went back and corrected it, sends the same form.
        """
        async with self.runner.database.session(company_id) as session:
            status = await session.value(_FIRST, company_id, act_id)
        return _done_already() if status is None or status < _FEWEST_FAILED else _refused_already()

    def _route(self, method: str, path: str) -> tuple[Route, dict[str, str]]:
        for route in self.routes:
            for pattern in route.paths:
                found = _matcher(pattern).fullmatch(path) if route.method == method else None
                if found is not None:
                    return route, found.groupdict()
        raise LookupError(f"the API has no {method} {path}")


_MATCHERS: dict[str, re.Pattern[str]] = {}


def _matcher(pattern: str) -> re.Pattern[str]:
    made = _MATCHERS.get(pattern)
    if made is None:
        text = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+)", re.escape(pattern))
        made = _MATCHERS[pattern] = re.compile(text)
    return made


def _as_sent(body: Mapping[str, Any] | RawBody | None) -> tuple[bytes, Mapping[str, Any]]:
    """Returns a body's bytes, and what they are as JSON."""
    if isinstance(body, RawBody):
        return body.content, {}
    raw = b"{}" if body is None else msgspec.json.encode(body)
    return raw, forms.parsed(raw)


def _parsed_file(route: Route, incoming: Incoming, file: bytes, boundary: str) -> Verb[Any] | Refused:
    """Parses a browser's upload into the verb of a one-file operation. For a thread."""
    raw = one_file(file, "file", "application/octet-stream", boundary)
    return route.parse(replace(incoming, raw=raw, body={}, body_media=FORM_DATA, boundary=boundary))


def _caller(user: User) -> Caller:
    return Caller(client_id=f"person:{user.person_id}", request_id=user.request_id)


def _issues(refused: Refused) -> tuple[str, ...]:
    return tuple(dict.fromkeys(problem.issue for problem in refused.problems))


def _done_already() -> Refused:
    return Refused(Kind.CONFLICT, (Problem("form", "DUPLICATE", "was sent twice: it was done the first time"),))


def _refused_already() -> Refused:
    said = "was sent before, and it was refused; as it stands here it can be sent"
    return Refused(Kind.CONFLICT, (Problem("form", "DUPLICATE", said),))


def _answer(route: Route, outcome: Done | Refused) -> tuple[int, Any]:
    if isinstance(outcome, Refused):
        shown = refusal(replace(outcome, problems=forms.in_order(outcome.problems, route.doc.form)))
        return shown.status, msgspec.json.decode(shown.body)
    return outcome.status or route.success, _decoder.decode(outcome.body) if outcome.body else None
