"""Runs a request or a worker's task: tenant check, read, decide, write. A conflict starts it again."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar

from msgspec import structs

from lastro.core.errors import InsufficientFunds, KeyBusy, KeyTaken, Kind, Problem, Refused, Stale, Taken
from lastro.core.failpoints import failpoint
from lastro.core.group_commit import GroupCommit
from lastro.core.group_read import GroupRead
from lastro.core.idempotency import REFUSED, refusal, with_answer
from lastro.core.media import JSON
from lastro.core.retry import ALWAYS_CONFLICTED, TRIES, back_off, decided, patiently
from lastro.core.rights import NOBODY, Peer, Rights, rights_of
from lastro.core.tenant_session import looked_up, open_session
from lastro.core.write import OURS, Caller, Decided

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

    _Settled: TypeAlias = "Done | Refused | Reply"

_STILL = Problem("idempotency-key", "CONFLICT", "another request under this key is still being worked on")
_BUSY = Refused(Kind.CONFLICT, (_STILL,), retry_after_seconds=1)
_LONGEST_LOOK_UP_SECONDS = 30.0  # business time is carried on by the monotonic clock so long
K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class RequestContext:
    """The context of a verb: company, business time, source of ids and caller."""

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
        """Returns the verb's context from the rows that the first statement showed."""
        return self.known([row for row in rows if row["door_showed"]])


class Verb(Protocol[K]):
    """One act: read what is known, without locks; decide, purely. The other methods have defaults in Act."""

    def query(self) -> Query[K] | None:
        """Returns the query sent together with the tenant check; None: it reads in `read`."""

    async def read(self, session: Session, context: RequestContext) -> K:
        """Reads everything the decision needs from the database."""

    async def read_more(self, session: Session, context: RequestContext, known: K) -> K:
        """Reads what else is needed, as what the query showed says."""

    async def call_out(self, known: K, context: RequestContext) -> K | Refused:
        """Calls other systems, with no connection held."""

    def read_after(self, known: K, context: RequestContext) -> Callable[[Session], Awaitable[K]] | None:
        """Reads what only the answers from outside say where to look for; None: nothing is left to read."""

    def decide(self, known: K, context: RequestContext) -> Done | Refused:
        """Decides: makes a Write and an answer of the context. Pure."""

    def from_cache(self) -> K | None:
        """Returns the context from a cache; the Write relies on its versions."""

    def on_unique_violation(self, constraint: str) -> Refused | None:
        """Maps a violated unique constraint to a refusal; None: decide again."""

    def on_insufficient_funds(self, short: InsufficientFunds) -> Refused | Verb[Any]:
        """Maps insufficient funds to a refusal or another verb. A draw went below a floor, or a use above a limit."""

    def unsealed(self, kept: bytes) -> bytes:
        """Returns the answer's body from what is stored under the idempotency key."""


class Act(Generic[K]):
    """The defaults of a Verb."""

    def unsealed(self, kept: bytes) -> bytes:
        """Bodies are kept as they are."""
        return kept

    def query(self) -> Query[K] | None:
        """Returns None: it reads in `read`, with several statements or by the RequestContext."""
        return None

    async def read(self, session: Session, context: RequestContext) -> K:
        """Reads by the one SELECT of its query."""
        query = self.query()
        assert query is not None, "a verb without a query says how it reads"
        known = query.known(await session.fetch(query.sql, context.company_id, *query.arguments))
        return await self.read_more(session, context, known)

    async def read_more(self, session: Session, context: RequestContext, known: K) -> K:
        """Returns the context unchanged: the query shows all."""
        return known

    async def call_out(self, known: K, context: RequestContext) -> K | Refused:
        """Returns the context unchanged: no other system is called."""
        return known

    def read_after(self, known: K, context: RequestContext) -> Callable[[Session], Awaitable[K]] | None:
        """Returns None: nothing is left to read."""
        return None

    def from_cache(self) -> K | None:
        """Returns None: nothing is cached."""
        return None

    def on_unique_violation(self, constraint: str) -> Refused | None:
        """Returns None: decide again."""
        return None

    def on_insufficient_funds(self, short: InsufficientFunds) -> Refused | Verb[Any]:
        """Refuses: the account has too little, or owes."""
        return Refused(Kind.INVALID, (short.problem,))


@dataclass(frozen=True)
class Refusing(Act[None]):
    """A verb refused by its request alone. The tenant check runs first: callers without rights hear only that."""

    refused: Refused

    async def read(self, session: Session, context: RequestContext) -> None:
        """Reads nothing."""

    def decide(self, known: None, context: RequestContext) -> Refused:
        """Returns the refusal."""
        return replace(self.refused, write=None)


@dataclass(frozen=True, slots=True)
class Call:
    """A request as the web app parsed it.

    token_issued_at: machine seconds. fingerprint: of the parsed request. peer: its sender; if unknown, a client bound to
    networks or certificates is refused.
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
        self._reading = GroupRead(database)
        self._committing = GroupCommit(database)

    async def run(self, call: Call, verb: Verb[Any]) -> Reply | Refused:
        """Returns the answer to a client's call. Stale: too many conflicts. DatabaseAway: the web app answers 503."""
        remembered = await self._from_memory(call, verb)
        if remembered is not None:
            self.remembered[call.operation] += 1
            return remembered
        reply = await patiently(lambda: self._settle(call.company_id, verb, call))
        assert not isinstance(reply, Done)
        return reply

    async def act(self, company_id: UUID, verb: Verb[Any], by: Caller = OURS) -> Done | Refused:
        """Runs a verb for a task of ours, without client or key. by: a person who is authenticated elsewhere."""
        outcome = await self._settle(company_id, verb, by)
        assert not isinstance(outcome, Reply)
        return outcome

    def now(self) -> datetime | None:
        """Business time, where this process has read it within the last second."""
        return self._clock.now()

    def requests_per_minute(self, company_id: UUID, client_id: str) -> int | None:
        """Returns the client's own rate limit, if cached; None: the default applies."""
        rights = self._rights.get((company_id, client_id))
        return None if rights is None else rights.requests_per_minute

    async def _settle(self, company_id: UUID, verb: Verb[Any], by: Call | Caller) -> _Settled:
        """Reads, decides and writes, again where the world moved meanwhile. by: a client's call, or whose task of ours."""
        for tries in range(TRIES):
            await back_off(tries, self._chance)
            settled: _Settled | None = None
            try:
                seen = await self._read(company_id, verb, by)
                if not isinstance(seen, tuple):
                    return seen
                looked, context = seen
                settled = await self._write(by, decided(verb, looked, context, tries), context)
            except (Stale, KeyTaken):
                continue
            except KeyBusy:
                settled = _BUSY
            except Taken as clash:
                settled = verb.on_unique_violation(clash.constraint)
            except InsufficientFunds as short:
                instead = verb.on_insufficient_funds(short)
                if isinstance(instead, Refused):
                    settled = instead
                else:
                    verb = instead
            if settled is not None:
                return await self._unless_answered(by, verb, settled)
        raise Stale(ALWAYS_CONFLICTED)

    async def _read(
        self, company_id: UUID, verb: Verb[Any], by: Call | Caller
    ) -> tuple[Any, RequestContext] | Reply | Refused:
        """Reads the verb's context in the tenant's session. Otherwise returns the caller's refusal or the stored answer."""
        query = verb.query()
        if query is None:
            async with self.database.session_for(company_id) as session:
                rows = await open_session(session, company_id, by, None)
                context = self._seen(company_id, by, rows[0], verb)
                if not isinstance(context, RequestContext):
                    return context
                known = await verb.read(session, context)
        else:
            rows = await self._reading.read(company_id, by, query)
            context = self._seen(company_id, by, rows[0], verb)
            if not isinstance(context, RequestContext):
                return context
            known = query.shown(rows)
            if getattr(type(verb), "read_more", None) is not Act.read_more:
                async with self.database.session(company_id) as session:
                    known = await verb.read_more(session, context, known)
        looked = await looked_up(self.database, verb, known, context)
        return looked, self._later(context)

    def _seen(self, company_id: UUID, by: Call | Caller, row: Record, verb: Verb[Any]) -> RequestContext | Reply | Refused:
        """Returns the context of a verb. Otherwise returns why its caller was refused."""
        self._clock.learn(row["door_at"], row["clock_version"])
        caller = self._caller(by, row, verb)
        return RequestContext(company_id, row["door_at"], self._chance, caller) if isinstance(caller, Caller) else caller

    def _caller(self, by: Call | Caller, row: Record, verb: Verb[Any]) -> Caller | Reply | Refused:
        if isinstance(by, Caller):
            return structs.replace(by, clock_version=row["clock_version"])
        rights = self._learn_rights(by, row, row["door_permissions"])
        if rights is None:
            return Refused(Kind.UNAUTHORIZED)
        if (refused := rights.refusal(by)) is not None:
            return refused
        if row["fingerprint"] is not None:
            return _replay(row, by, verb)
        return Caller(by.client_id, rights.version, row["clock_version"], by.request_id)

    async def _write(self, by: Call | Caller, outcome: Done | Refused, context: RequestContext) -> _Settled | None:
        """Commits what was decided. None: written, and to be decided anew."""
        write = outcome.write
        if write is not None and isinstance(by, Call):
            write = with_answer(outcome, by, context.now)
        if write is not None and not (isinstance(by, Caller) and write.is_empty):
            failpoint("run.decided")
            await self._committing.commit(Decided(write, context.caller, context.now))
            self._on_commit(write)
            if isinstance(outcome, Done) and outcome.again:
                return None
        return outcome if isinstance(by, Caller) or isinstance(outcome, Refused) else _reply(by, outcome, write)

    async def _from_memory(self, call: Call, verb: Verb[Any]) -> Reply | Refused | None:
        """Answers in one round trip from a cache, if possible.

        It only succeeds; a refusal is decided again on fresh rows.
        """
        if self._clock.is_to_be_read_again():
            return None
        known, now = verb.from_cache(), self._clock.now()
        rights = self._rights.get((call.company_id, call.client_id))
        if known is None or now is None or rights is None or rights.refusal(call) is not None:
            return None
        caller = Caller(call.client_id, rights.version, self._clock.version, call.request_id)
        context = RequestContext(call.company_id, now, self._chance, caller)
        outcome = verb.decide(known, context)
        if isinstance(outcome, Refused) or outcome.write is None:
            return None
        try:
            settled = await self._write(call, outcome, context)
        except Stale:
            self._rights.pop((call.company_id, call.client_id), None)
            self._clock.forget()
            return None
        except (KeyTaken, Taken, InsufficientFunds):
            return None
        except KeyBusy:
            return _BUSY
        assert not isinstance(settled, Done)
        return settled

    async def _unless_answered(self, by: Call | Caller, verb: Verb[Any], settled: _Settled) -> _Settled:
        """Returns the answer of an equal request that has committed meanwhile. An obstacle may be its doing."""
        if isinstance(by, Caller) or by.key is None or settled.write is not None:
            return settled
        async with self.database.session_for(by.company_id) as session:
            row = (await open_session(session, by.company_id, by, None))[0]
        return settled if row["fingerprint"] is None else _replay(row, by, verb)

    def _later(self, context: RequestContext) -> RequestContext:
        """Returns the context with the present time. Time has passed, and a decision must be young when it is written."""
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
    """Returns the stored answer, byte for byte. Another request under its key is a conflict."""
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
