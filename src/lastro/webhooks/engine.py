"""The engine that numbers events and delivers them. Any number of processes may run it against one database."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from datetime import timedelta
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

import asyncpg
import structlog

from lastro.core import trace, work_queue
from lastro.core.concurrency import FirstOf
from lastro.core.errors import DatabaseAway, Stale
from lastro.core.failpoints import failpoint
from lastro.core.secrets import UNREADABLE, SecretUnreadable
from lastro.webhooks import store
from lastro.webhooks.breaker import Breaker, place_of
from lastro.webhooks.circuit import is_silent
from lastro.webhooks.model import Attempt, Attempted
from lastro.webhooks.rules import (
    Delivered,
    EventStatus,
    RetryAt,
    Trigger,
    after_failure,
    judge,
    retry_after_seconds,
)
from lastro.webhooks.signatures import sign
from lastro.webhooks.signing import SigningSecrets
from lastro.webhooks.slots import DeliverySettings, Slots
from lastro.webhooks.states import after

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping
    from datetime import datetime

    from lastro.core.db import Database
    from lastro.core.ids import Chance
    from lastro.core.secrets import KeyRing
    from lastro.http_client import Outcome, OutgoingClient
    from lastro.webhooks.model import Claimed, Destination, Probe

_log = structlog.get_logger()

_NUMBERED_AT_ONCE = 500
_COMPANIES_AT_ONCE = 4
_SWEEP_SECONDS = 1.0
_SHORTEST_PAUSE_SECONDS = 0.004  # until what waits for an older transaction is looked at again: about a flush of a disk
_FINISHED_AT_ONCE = 500
_FINISH_TRIES = 3


class Numbered(NamedTuple):
    """The number of events numbered. waits: more of the company's events wait for an older transaction."""

    events: int
    waits: bool

    @property
    def is_full(self) -> bool:
        """True where there may be more to number at once."""
        return self.events == _NUMBERED_AT_ONCE


async def _number(database: Database, company_id: UUID) -> Numbered:
    """Numbers a few hundred events of one company. So no company waits for one with a million."""
    async with database.session_for(company_id) as session:
        numbered = Numbered(*await store.number_events(session, company_id, _NUMBERED_AT_ONCE))
    if numbered.events:
        failpoint("events.numbered")
    return numbered


async def number_some(
    database: Database, work: Database, company_ids: Collection[UUID] | None = None
) -> dict[UUID, Numbered]:
    """Numbers a few hundred events of each company, and makes their deliveries.

    company_ids None: all that have some. database: as the app's role. work: as the role that sees ids across companies.
    Events that cannot be numbered yet, because an older transaction is open, are left for another call.
    """
    if company_ids is None:
        company_ids = await store.unnumbered(work)
    found: dict[UUID, Numbered] = {}
    rest = iter(company_ids)
    while some := list(islice(rest, _COMPANIES_AT_ONCE)):
        found |= zip(some, await asyncio.gather(*(_number(database, c) for c in some)), strict=True)
    return found


async def number(database: Database, work: Database, company_ids: Collection[UUID] | None = None) -> int:
    """Numbers events until no company has more, and returns their count."""
    found = await number_some(database, work, company_ids)
    total = sum(one.events for one in found.values())
    while left := [company_id for company_id, one in found.items() if one.is_full]:
        found = await number_some(database, work, left)
        total += sum(one.events for one in found.values())
    return total


class Deliverer:
    """Delivers the events of all companies.

    It numbers them, claims due deliveries, posts them and writes the results. machine: machine time, aware, for
    signatures. chance: for the jitter of retries and lease tokens. on_worked: gets the result of each attempt.
    """

    def __init__(
        self,
        database: Database,
        work: Database,
        client: OutgoingClient,
        key_ring: KeyRing,
        chance: Chance,
        machine: Callable[[], datetime],
        settings: DeliverySettings,
        on_worked: work_queue.OnWorked = work_queue.ignore_worked,
        signs: Callable[[UUID, str], object] | None = None,
    ) -> None:
        self._on_worked = on_worked
        self._database = database
        self._work = work
        self._client = client
        self._chance = chance
        self._machine = machine
        self._settings = settings
        self._secrets = SigningSecrets(key_ring, signs)
        self._slots = Slots(settings)
        self._breaker = Breaker(database)
        self._hinted: set[UUID] = set()
        self._pauses: dict[UUID, float] = {}  # of companies whose events wait for an older transaction: the next one
        self._timed: set[UUID] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._ended: defaultdict[UUID, list[Attempted]] = defaultdict(list)
        self._finishing: set[UUID] = set()
        self._moved = asyncio.Event()  # a request ended, an attempt was written, or a company was hinted at
        self._near: set[UUID] = set()  # whose these were since the last look
        self._left = False  # the last look left some for want of room

    def hint(self, company_ids: Iterable[UUID]) -> None:
        """Hints that these companies have just committed events: `run` numbers them at once."""
        self._hinted.update(company_ids)
        self._moved.set()

    async def step(self) -> int:
        """Does all work that is due, and returns the number of attempts.

        It does not wait for deliveries under other processes' leases.
        """
        await number(self._database, self._work)
        total = 0
        while True:
            self._moved.clear()
            was_idle = not self._tasks  # else something may have ended, and freed what waits, while we were looking
            launched = await self._launch()
            total += launched
            if not launched and was_idle:
                return total
            if not launched:
                await self._moved.wait()

    async def run(self, stop: asyncio.Event, wake: asyncio.Event) -> None:
        """Delivers until `stop` is set.

        Then it waits for the requests on their way (10 s at most). wake: set from outside when something was committed;
        it is cleared here. Without it, the sweep finds the commit in a second.
        """
        clock = asyncio.get_running_loop().time
        sweep_at = 0.0
        with FirstOf(stop, wake, self._moved) as first:
            while not stop.is_set():
                self._moved.clear()
                launched, is_swept = 0, False
                try:
                    if wake.is_set() or clock() >= sweep_at:
                        wake.clear()
                        self._hinted.clear()
                        sweep_at, is_swept = clock() + _SWEEP_SECONDS, True
                        await self._number_some()
                    elif self._hinted:
                        hinted, self._hinted = self._hinted, set()
                        self._near |= hinted
                        await self._number_some(hinted)
                    launched = await self._launch(everywhere=is_swept or self._left)
                except (DatabaseAway, asyncpg.PostgresError):
                    _log.exception("webhooks.round_failed")
                    self._moved.clear()  # the next try comes with the sweep, not at once
                if not launched:
                    await first.wait(max(0.0, sweep_at - clock()))
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def _number_some(self, company_ids: Collection[UUID] | None = None) -> None:
        """Numbers a few hundred events of each company.

        A company with more comes again after due deliveries were looked at: no backlog is waited for. Events behind an
        older transaction can be numbered once that has ended, which for most of them is a flush of the disk away: they
        are tried again soon, and ever later while they wait. At the next sweep an event would be a second old.
        """
        found = await number_some(self._database, self._work, company_ids)
        if full := [company_id for company_id, one in found.items() if one.is_full]:
            self.hint(full)
        for company_id, one in found.items():
            if not one.waits:
                self._pauses.pop(company_id, None)
            elif company_id not in self._timed:
                pause = self._pauses.get(company_id, _SHORTEST_PAUSE_SECONDS)
                self._pauses[company_id] = min(2 * pause, _SWEEP_SECONDS)
                self._timed.add(company_id)
                asyncio.get_running_loop().call_later(pause, self._look_again, company_id)

    def _look_again(self, company_id: UUID) -> None:
        self._timed.discard(company_id)
        self.hint((company_id,))

    async def _launch(self, *, everywhere: bool = True) -> int:
        """Claims due deliveries while there is room, and returns the requests started.

        Free slots are divided by companies first, then by the endpoints of each: one with hundreds takes nobody else's
        part. everywhere: else companies are looked at that something has happened to since the last look.
        """
        near, self._near = self._near, set()
        if not everywhere and not near:
            return 0
        self._breaker.look()
        found = await store.destinations(self._work, None if everywhere else near)
        self._left = len(found) >= store.MOST_OF_A_COMPANY
        free = self._settings.at_once - self._slots.total
        named = Counter(to.company_id for to in found)
        launched = 0
        rest = iter(found)
        while some := list(islice(rest, self._settings.claims_at_once)):
            shares = (max(1, min(self._settings.claim, free // (len(named) * named[to.company_id]))) for to in some)
            launched += sum(await asyncio.gather(*map(self._claim, some, shares)))
        return launched

    async def _claim(self, to: Destination, share: int) -> int:
        if self._breaker.holds(to):
            return 0
        taken = self._slots.take(to.key, 1 if to.is_probe else share)
        if not taken:
            self._left = True
            return 0
        claimed: list[Claimed] = []
        probe: Probe | None = None
        try:
            if to.is_probe:
                probe = await self._breaker.take_probe(to)
            if probe is not None or not to.is_probe:
                claimed = await self._take_due(to, taken)
            if probe is not None and not claimed:
                await self._breaker.let_be(to, probe, timedelta(0))
        finally:
            self._left = self._left or len(claimed) == taken
            if len(claimed) < taken:
                self._slots.give_back(to.key, taken - len(claimed))
        if claimed:
            failpoint("lane.claimed")
        for one in claimed:
            self._start(self._deliver(one, to, probe))
        return len(claimed)

    async def _take_due(self, to: Destination, most: int) -> list[Claimed]:
        async with self._database.session(to.company_id) as session:
            claimed = await store.claim(session, to, UUID(bytes=self._chance.bytes(16)), most)
            if not claimed:
                await store.postpone(session, to)
        return claimed

    def _start(self, coroutine: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._end)

    def _end(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        self._moved.set()
        if task.cancelled() or (error := task.exception()) is None:
            return
        # Its lease runs out and it is tried again.
        if isinstance(error, SecretUnreadable):
            _log.error("keys.unreadable", reason=UNREADABLE)
        else:
            _log.error("webhooks.delivery_broke", exc_info=error)

    async def _deliver(self, one: Claimed, to: Destination, probe: Probe | None) -> None:
        """Makes one attempt: sign, post, judge. Its result is written together with others of the company."""
        trace.take_up(str(one.id), one.company_id)
        trace.about(one.reference_id)
        try:
            answer = await self._post(one, self._headers(one))
        finally:
            self._slots.give_back(to.key)
        failpoint("delivery.sent")
        ended = self._attempted(one, answer)
        self._ended[one.company_id].append(ended)
        self._on_worked(
            Attempt(
                "deliveries", one.type, ended.status.value.lower(), answer.duration_ms / 1000, one.company_id, (one.id,),
                sends=one.attempts + 1, endpoint=one.endpoint, place=place_of(one.url), failure=ended.failure,
            )
        )  # fmt: skip
        if one.company_id not in self._finishing:
            self._finishing.add(one.company_id)
            self._start(self._finish(one.company_id))
        is_answered = not is_silent(ended.failure, ended.status_code)
        self._slots.learn(to.key, answered=is_answered)
        if is_answered:
            await self._breaker.answered(to, one)
        elif ended.failure is not None:
            await self._breaker.unanswered(to, one, ended.failure.value, probe)
        self._near.add(one.company_id)  # also for what its circuit held back

    async def _post(self, one: Claimed, headers: Mapping[str, str]) -> Outcome:
        """Sends the request, with the trace where there is one."""
        if (trail := trace.trail()) is None:
            return await self._client.post(one.url, one.body, headers)
        with trail.step("POST webhook", "client", {"http.request.method": "POST"}) as step:
            answer = await self._client.post(one.url, one.body, {**headers, trace.TRACEPARENT: step.traceparent})
            step.add("http.response.status_code", answer.status)
            return answer

    def _headers(self, one: Claimed) -> dict[str, str]:
        event_id = str(one.id)
        now = self._machine()
        secrets = self._secrets.of(one.company_id, one.secrets, now)
        headers = {
            "content-type": "application/json",
            "x-event-id": event_id,
            "x-event-type": one.type,
            "x-event-sequence": str(one.sequence),
            "x-delivery-attempt": str(one.attempts + 1),
            **sign(secrets, event_id, int(now.timestamp()), one.body),
        }
        if self._settings.is_sandbox:
            headers["x-lastro-environment"] = "sandbox"
        return headers

    def _attempted(self, one: Claimed, answer: Outcome) -> Attempted:
        verdict = judge(answer)
        if isinstance(verdict, Delivered):
            status, wait, failure = after(one.status, Trigger.DELIVER), None, None
        else:
            asked = retry_after_seconds(answer.retry_after, self._machine())
            jitter = int.from_bytes(self._chance.bytes(4), "big") / 0xFFFFFFFF
            follows = after_failure(one.plan_attempts + 1, one.claimed_at, asked, jitter, self._settings.plan)
            goes_on = isinstance(follows, RetryAt)
            status = after(one.status, Trigger.RETRY if goes_on else Trigger.GIVE_UP)
            wait = follows.due - one.claimed_at if isinstance(follows, RetryAt) else None
            failure = verdict.kind
        return Attempted(one, status, verdict.status_code, verdict.message, answer.duration_ms, wait, failure)

    async def _finish(self, company_id: UUID) -> None:
        """Writes ended attempts in batches. A batch is all that gathered while the statement before ran."""
        try:
            while self._ended[company_id]:
                ended = self._ended[company_id][:_FINISHED_AT_ONCE]
                del self._ended[company_id][:_FINISHED_AT_ONCE]
                await self._write(company_id, ended)
                self._near.add(company_id)
                self._moved.set()
        finally:
            self._finishing.discard(company_id)
            if not self._ended[company_id]:
                del self._ended[company_id]

    async def _write(self, company_id: UUID, ended: list[Attempted]) -> None:
        """Writes ended attempts in one statement, which may be sent twice.

        The first clears the lease that the second would need. It is repeated, too, where another worker, who has taken
        one of them over, writes that attempt in the same moment: the others are to be written.

        An unwritten delivery is sent again to its receiver when its lease is over: receivers know it by its id.
        """
        for left in reversed(range(_FINISH_TRIES)):
            try:
                async with self._database.session(company_id) as session:
                    stand = await store.finish(session, company_id, ended)
            except (DatabaseAway, Stale, asyncpg.SerializationError, asyncpg.UniqueViolationError):
                if not left:
                    raise
            else:
                failed = (one for one in ended if one.status is EventStatus.FAILED)
                for one in (one for one in failed if stand.get(one.claimed.id) is EventStatus.FAILED):
                    _say_given_up(one)
                return


def _say_given_up(one: Attempted) -> None:
    event = one.claimed
    _log.warning(
        "webhooks.given_up", id=event.id, kind=event.type, company_id=event.company_id, endpoint=place_of(event.url),
        attempt=event.attempts + 1, failure=one.failure, status=one.status_code,
    )  # fmt: skip
