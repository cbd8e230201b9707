"""The one way a request, or a worker's task, becomes a commit: door, read, decide, write; again if the world moved."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from lastro.core.commit import Caller, Taken, commit
from lastro.core.concurrency_slot import rest
from lastro.core.errors import InsufficientFunds, KeyBusy, KeyTaken, Kind, NotYet, Problem, Refused, Stale, Wait
from lastro.core.failpoints import failpoint
from lastro.core.idempotency import REFUSED, refusal, with_answer
from lastro.core.media import JSON
from lastro.core.retry import ALWAYS_CONFLICTED, TRIES, back_off, decided
from lastro.core.rights import NOBODY, Peer, Rights, rights_of
from lastro.core.tenant_session import entered, looked_up, opened

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from datetime import datetime
    from uuid import UUID

    from asyncpg import Record

    from lastro.core.clock import BusinessClock
    from lastro.core.db import Database, Session
    from lastro.core.ids import Chance
    from lastro.core.media import More
    from lastro.core.write import Write

    _Decided = tuple["Done | Refused", "RequestContext"]

_WAITS = 3
_OURS = Caller()
_STILL = Problem("idempotency-key", "CONFLICT", "another request under this key is still being worked on")
_BUSY = Refused(Kind.CONFLICT, (_STILL,), retry_after_seconds=1)
_LONGEST_LOOK_UP_SECONDS = 30.0  # business time is carried on by the monotonic clock so long
K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class RequestContext:
    """What a verb may know of the outside: whose request, business time, and a source of ids."""

    company_id: UUID
    now: datetime
    chance: Chance
    caller: Caller = field(default_factory=Caller)


@dataclass(frozen=True, slots=True)
class Done:
    """A verb's yes: what it writes, and the answer's bytes, rendered before the write.

    object_id: the object made or touched, kept beside the answer. keep: how long the answer is kept under its key.
    sealed: what is kept in place of a body that shows a secret. status: where it is not the operation's own. headers: told,
    not kept. media: of the body, JSON under a key. more: what follows. again: no answer yet; what is written is read anew.
    """

    write: Write | None
    body: bytes
    object_id: UUID | None = None
    keep: str = "week"
    sealed: bytes | None = None
    status: int | None = None
    headers: tuple[tuple[str, str], ...] = ()
    media: str = JSON
    more: More | None = None
    again: bool = False


@dataclass(frozen=True, slots=True)
class Query(Generic[K]):
    """One SELECT that reads all a verb needs. sql: its $1 is the company, the rest are `arguments`; known: of its rows."""

    sql: str
    arguments: tuple[Any, ...]
    known: Callable[[list[Record]], K]

    def shown(self, rows: list[Record]) -> K:
        """What is known by the rows that came together with the door's."""
        return self.known([row for row in rows if row["door_showed"]])


class Verb(Protocol[K]):
    """One act: read what is known, without locks; decide, purely. The other methods have defaults in Act."""

    def query(self) -> Query[K] | None:
        """What it reads in one statement, sent together with the door's; None: it reads in `read`."""

    async def read(self, session: Session, context: RequestContext) -> K:
        """Everything the decision needs, from the database."""

    async def read_more(self, session: Session, context: RequestContext, known: K) -> K:
        """Reads what else is needed, as what the query showed says."""

    async def call_out(self, known: K, context: RequestContext) -> K | Refused:
        """What must be asked outside, with no connection held."""

    def read_after(self, known: K, context: RequestContext) -> Callable[[Session], Awaitable[K]] | None:
        """Reads what only the answers from outside say where to look for; None: nothing is left to read."""

    def decide(self, known: K, context: RequestContext) -> Done | Refused:
        """Pure: from what is known to a Write and an answer."""

    def from_cache(self) -> K | None:
        """What is known without reading; the Write relies on its versions."""

    def on_unique_violation(self, constraint: str) -> Refused | None:
        """What it means that a unique constraint was hit; None: decide again."""

    def on_insufficient_funds(self, short: InsufficientFunds) -> Refused | Verb[Any]:
        """What it means that a draw would go below a floor, or a use above a limit; another verb, or itself again."""

    def unsealed(self, kept: bytes) -> bytes:
        """The answer's body, of what was kept of it under the request's key."""


class Act(Generic[K]):
    """The defaults of a Verb."""

    def unsealed(self, kept: bytes) -> bytes:
        """Bodies are kept as they are."""
        return kept

    def query(self) -> Query[K] | None:
        """It reads in more than one statement, or by what the door says."""
        return None

    async def read(self, session: Session, context: RequestContext) -> K:
        """The one SELECT by which it reads."""
        query = self.query()
        assert query is not None, "a verb without a query says how it reads"
        known = query.known(await session.fetch(query.sql, context.company_id, *query.arguments))
        return await self.read_more(session, context, known)

    async def read_more(self, session: Session, context: RequestContext, known: K) -> K:
        """Nothing more: the query shows all there is to know."""
        return known

    async def call_out(self, known: K, context: RequestContext) -> K | Refused:
        """Nothing outside is asked."""
        return known

    def read_after(self, known: K, context: RequestContext) -> Callable[[Session], Awaitable[K]] | None:
        """Nothing is left to read."""
        return None

    def from_cache(self) -> K | None:
        """Nothing is remembered: everything is read."""
        return None

    def on_unique_violation(self, constraint: str) -> Refused | None:
        """No constraint says anything about the world: decide again."""
        return None

    def on_insufficient_funds(self, short: InsufficientFunds) -> Refused | Verb[Any]:
        """The account has too little, or owes."""
        return Refused(Kind.INVALID, (short.problem,))


@dataclass(frozen=True, slots=True)
class Call:
    """A request as the HTTP door understood it. token_issued_at: machine seconds. fingerprint: of the parsed request.

    peer: who sent it; where that says nothing, a client bound to networks or certificates is refused.
    """

    company_id: UUID
    client_id: str
    token_issued_at: float
    permission: str
    operation: str
    key: str | None
    fingerprint: bytes
    success_status: int
    peer: Peer = NOBODY
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a caller. write: what was committed, so that app can notify whom it concerns."""

    status: int
    body: bytes
    replayed: bool = False
    write: Write | None = None
    headers: tuple[tuple[str, str], ...] = ()
    media: str = JSON
    more: More | None = None


class Runner:
    """Runs verbs for the clients of one process. on_commit hears of every Write that was committed.

    remembered: how many calls of each operation were answered from memory, in one round trip.
    """

    def __init__(
        self, database: Database, clock: BusinessClock, chance: Chance, on_commit: Callable[[Write], None] | None = None
    ) -> None:
        self.database = database
        self.remembered: Counter[str] = Counter()
        self._clock = clock
        self._chance = chance
        self._on_commit = on_commit or (lambda _: None)
        self._rights: dict[tuple[UUID, str], Rights] = {}

    async def run(self, call: Call, verb: Verb[Any]) -> Reply | Refused:
        """The answer to a client's call. Stale when it was overtaken too often, DatabaseAway: the door answers 503."""
        reply = await self._from_memory(call, verb)
        if reply is not None:
            self.remembered[call.operation] += 1
            return reply
        waits = 0
        for tries in range(TRIES):
            await back_off(tries, self._chance)
            try:
                reply = await self._patiently(call, verb, tries)
            except Stale:
                continue
            except NotYet as early:
                waits += 1
                if waits == _WAITS:
                    break
                await rest(early.seconds)  # no connection is held meanwhile
                continue
            if reply is not None:
                return reply
        raise Stale(ALWAYS_CONFLICTED)

    async def _patiently(self, call: Call, verb: Verb[Any], tries: int) -> Reply | Refused | None:
        """Once, and again after each pause of a verb that waits: what the client may do is looked at each time."""
        while True:
            try:
                return await self._once(call, verb, tries)
            except Wait as wait:
                await wait.pause()

    def now(self) -> datetime | None:
        """Business time, where this process has read it within the last second."""
        return self._clock.now()

    def requests_per_minute(self, company_id: UUID, client_id: str) -> int | None:
        """What this client is given, as far as it is remembered; None: what every client is."""
        rights = self._rights.get((company_id, client_id))
        return None if rights is None else rights.requests_per_minute

    async def act(self, company_id: UUID, verb: Verb[Any], by: Caller = _OURS) -> Done | Refused:
        """The same for a task of ours, with no client and no key. by: a person whom somebody else has let in."""
        for tries in range(TRIES):
            await back_off(tries, self._chance)
            try:
                outcome, context = await self._acted(company_id, verb, by, tries)
                if outcome.write is None or outcome.write.is_empty:
                    return outcome
                failpoint("run.decided")
                await commit(self.database, outcome.write, context.caller, decided_at=context.now)
            except Stale:
                continue
            except Taken as clash:
                if (refused := verb.on_unique_violation(clash.constraint)) is not None:
                    return refused
                continue
            except InsufficientFunds as short:
                if isinstance(instead := verb.on_insufficient_funds(short), Refused):
                    return instead
                verb = instead
                continue
            self._on_commit(outcome.write)
            if not (isinstance(outcome, Done) and outcome.again):
                return outcome
        raise Stale(ALWAYS_CONFLICTED)

    async def _acted(self, company_id: UUID, verb: Verb[Any], by: Caller, tries: int) -> _Decided:
        query = verb.query()
        async with self.database.session_for(company_id) as session:
            rows = await entered(session, company_id, query)
            row = rows[0]
            self._clock.learn(row["door_at"], row["clock_version"])
            by = replace(by, clock_version=row["clock_version"])
            context = RequestContext(company_id, row["door_at"], self._chance, by)
            if query is None:
                known = await verb.read(session, context)
            else:
                known = await verb.read_more(session, context, query.shown(rows))
        looked = await looked_up(self.database, verb, known, context)
        context = self._later(context)
        return decided(verb, looked, context, tries), context

    async def _from_memory(self, call: Call, verb: Verb[Any]) -> Reply | Refused | None:
        """One round trip, where everything needed is remembered. It may only say yes; any no is looked at afresh."""
        if self._clock.is_to_be_read_again():
            return None
        known, now = verb.from_cache(), self._clock.now()
        rights = self._rights.get((call.company_id, call.client_id))
        if known is None or now is None or rights is None or rights.refusal(call) is not None:
            return None
        caller = Caller(call.client_id, rights.version, self._clock.version, call.request_id)
        outcome = verb.decide(known, RequestContext(call.company_id, now, self._chance, caller))
        if isinstance(outcome, Refused) or outcome.write is None:
            return None
        write = with_answer(outcome, call, now)
        failpoint("run.decided")
        try:
            await commit(self.database, write, caller, decided_at=now)
        except Stale:
            self._rights.pop((call.company_id, call.client_id), None)
            self._clock.forget()
            return None
        except (KeyTaken, Taken, InsufficientFunds):
            return None
        except KeyBusy:
            return _BUSY
        self._on_commit(write)
        return _reply(call, outcome, write)

    async def _once(self, call: Call, verb: Verb[Any], tries: int) -> Reply | Refused | None:
        query = verb.query()
        async with self.database.session_for(call.company_id) as session:
            rows = await opened(session, call, query)
            row = rows[0]
            self._clock.learn(row["door_at"], row["clock_version"])
            rights = self._learn_rights(call, row, row["door_permissions"])
            refused = rights.refusal(call) if rights else Refused(Kind.UNAUTHORIZED)
            if refused is not None:
                return refused
            assert rights is not None
            if row["fingerprint"] is not None:
                return _replay(row, call, verb)
            caller = Caller(call.client_id, rights.version, row["clock_version"], call.request_id)
            context = RequestContext(call.company_id, row["door_at"], self._chance, caller)
            if query is None:
                known = await verb.read(session, context)
            else:
                known = await verb.read_more(session, context, query.shown(rows))
        looked = await looked_up(self.database, verb, known, context)
        context = self._later(context)
        reply = await self._finish(call, verb, (decided(verb, looked, context, tries), context))
        return reply if reply is None else await self._unwritten(call, verb, reply)

    async def _unwritten(self, call: Call, verb: Verb[Any], said: Reply | Refused) -> Reply | Refused:
        """Under a key, what is in the way, or done already, may be an equal request's doing: then its answer is ours."""
        if call.key is None or said.write is not None:
            return said
        async with self.database.session_for(call.company_id) as session:
            row = (await opened(session, call, None))[0]
        return said if row["fingerprint"] is None else _replay(row, call, verb)

    async def _finish(self, call: Call, verb: Verb[Any], decision: _Decided) -> Reply | Refused | None:
        outcome, context = decision
        if outcome.write is None:
            return outcome if isinstance(outcome, Refused) else _reply(call, outcome)
        write = with_answer(outcome, call, context.now)
        failpoint("run.decided")
        try:
            await commit(self.database, write, context.caller, decided_at=context.now)
        except (Stale, KeyTaken):
            return None
        except KeyBusy:
            return _BUSY
        except Taken as clash:
            return verb.on_unique_violation(clash.constraint)
        except InsufficientFunds as short:
            # The verb itself: decided again, since what was written meanwhile may say more.
            instead = verb.on_insufficient_funds(short)
            return instead if isinstance(instead, Refused) else None
        self._on_commit(write)
        return outcome if isinstance(outcome, Refused) else None if outcome.again else _reply(call, outcome, write)

    def _later(self, context: RequestContext) -> RequestContext:
        """The same context after a look-up: time has passed, and a decision must be young when it is written."""
        now = self._clock.now(_LONGEST_LOOK_UP_SECONDS)
        return context if now is None or now <= context.now else replace(context, now=now)

    def _learn_rights(self, call: Call, row: Record, permissions: list[str]) -> Rights | None:
        if row["client_version"] is None:
            self._rights.pop((call.company_id, call.client_id), None)
            return None
        rights = rights_of(row, permissions)
        self._rights[call.company_id, call.client_id] = rights
        return rights


def _replay(row: Record, call: Call, verb: Verb[Any]) -> Reply | Refused:
    """The first answer again, byte for byte; another request under its key is a conflict."""
    if row["fingerprint"] != call.fingerprint:
        return Refused(Kind.CONFLICT, (Problem("idempotency-key", "CONFLICT", "the key was used for another request"),))
    if row["answer_body"] is None:
        gone = Problem("idempotency-key", "DUPLICATE", f"the answer is no longer kept; it made {row['answer_object']}")
        return Refused(Kind.CONFLICT, (gone,))
    if row["answer_status"] == REFUSED:
        return refusal(bytes(row["answer_body"]))
    return Reply(row["answer_status"], verb.unsealed(bytes(row["answer_body"])), replayed=True)


def _reply(call: Call, done: Done, write: Write | None = None) -> Reply:
    return Reply(done.status or call.success_status, done.body, False, write, done.headers, done.media, done.more)
