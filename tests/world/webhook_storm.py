"""Weather for events: many who write, receivers of every kind, workers and a database that are killed, a clock that jumps.

Every choice comes from the seed; how they meet in time does not.
"""

import asyncio
import itertools
import os
import random
import signal
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import aiohttp
import asyncpg
import msgspec
from tests.journeys.play import Answer, Play
from tests.journeys.servers import Server, put_out
from tests.journeys.stage import until
from tests.laws import connected
from tests.world.street import BY_NAME, KINDS, Street

from lastro.core import notify
from lastro.core.ids import Chance
from lastro_sandbox.clock import BUSY

# The gaps that a worker passes on the way of an event. The others are on the way of money; the other storm is there.
GAPS = ("events.numbered", "lane.claimed", "delivery.sent")
WORKERS = ("worker-1", "worker-2", "worker-3")  # one for each gap: each is died in once a round
# Of the company's own URLs: a type of interface.md, and one beyond it.
TYPES = ("ORDER-PAYOUT.PAID", "PAYOUT-PLAN.READY")
FEED, HOOK = "/order/v1/events", "/order/v1/webhook"
WRITERS, TRANSACTIONS = 4, 8  # each so many transactions a round, or more until everybody has died
SLOW_EVENTS, BAD_EVENTS = 2, 5  # so many a kind in each round: each costs five attempts, and slow ones five time-outs
# Longer than a pause of a plan and what a circuit may add to it: what was open before is attempted after each step.
STEP_OF_REST = timedelta(hours=13)
MOST_STEPS_OF_REST = 80
_TELL = (
    "INSERT INTO events (company_id, id, type, reference_id, url, body, created_at)"
    " VALUES ($1, $2, $3, $4, $5, $6, business_now())"
)
_AWAY = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError)


@dataclass(frozen=True)
class Told:
    """An event that a writer was told is committed. url None: the company's. place: among what its writer told."""

    id: UUID
    company_id: UUID
    type: str
    reference_id: UUID
    url: str | None
    body: bytes
    place: int


@dataclass
class Object:
    """What events are of. kind: of its receiver; None where it names no URL. left: how many events it still has."""

    id: UUID
    url: str | None
    type: str
    kind: str | None
    left: int


@dataclass
class Company:
    """secrets: that may have signed. older: events from before the storm. seen: what its reader of the feed has seen."""

    id: UUID
    is_dora: bool
    secrets: list[str]
    older: frozenset[str]
    seen: list[dict[str, Any]] = field(default_factory=list)


class WebhookStorm:
    """play: whose stage has WORKERS. server: of its database."""

    def __init__(self, play: Play, server: Server, street: Street, seed: int) -> None:
        self.play, self.server, self.street = play, server, street
        self.random = random.Random(seed)
        self.chance = Chance(os.urandom)
        self.told: dict[UUID, Told] = {}
        self.companies: list[Company] = []
        self.deaths: Counter[str] = Counter()
        self.outages = 0
        self.resent: Counter[UUID] = Counter()
        self.resent_at = 0
        self._budget: Counter[str] = Counter()
        self._places = itertools.count(1)
        self._is_blowing = True
        self._has_raged = False  # whether everybody who shall die in this round has died

    # ── before ──

    async def open(self) -> None:
        """Both companies have URLs of their own and a secret that was just replaced."""
        books = self.play.books
        for is_dora in (False, True):
            known = [] if is_dora else [self.play.stage.sandbox["webhookSecret"]]
            client_id = self.play.stage.client(dora=is_dora)["clientId"]
            company_id = await books.fetchval("SELECT company_id FROM clients WHERE client_id = $1", client_id)
            older = await books.fetch("SELECT id::text FROM events WHERE company_id = $1", company_id)
            company = Company(company_id, is_dora, known, frozenset(row["id"] for row in older))
            self.companies.append(company)
            await self.settle_urls(company, "good")
            company.secrets.append((await self.ask(company, "POST", f"{HOOK}/rotate-secret")).json["secret"])

    async def ask(self, company: Company, method: str, path: str, body: Any = None) -> Answer:
        """Asks the API until it answers well."""

        async def attempt() -> Answer | None:
            with suppress(aiohttp.ClientError, OSError):
                answer = await self.play.call(method, path, body, dora=company.is_dora)
                assert answer.status < 300 or answer.status == 503, answer.body
                return answer if answer.status < 300 else None
            return None

        answer = await until(attempt, f"{method} {path}")
        assert answer is not None
        return answer

    async def settle_urls(self, company: Company, kind: str) -> None:
        """Where the company has events sent that name no URL."""
        name = "dora" if company.is_dora else "ana"
        events = [{"event": t, "url": f"{self.street.bases[kind]}/{name}/company", "active": True} for t in TYPES]
        await self.ask(company, "PUT", HOOK, {"events": events})

    # ── writing ──

    async def write(self, company: Company, chance: random.Random) -> None:
        """One who tells in transactions, some of them slow, some given up, some cut off by the end of the database."""
        objects: list[Object] = []
        connection: asyncpg.Connection[asyncpg.Record] | None = None
        done = 0
        while done < TRANSACTIONS or not self._has_raged:
            events = self._some_events(company, objects, chance)
            try:
                if connection is None:
                    connection = await self._connect(company)
                if await self._commit(connection, events, chance):
                    self.told |= {event.id: event for event in events}
                done += 1
                if done > TRANSACTIONS:  # only so that there is something for those who have not died yet
                    await asyncio.sleep(0.2)
            except _AWAY:
                if connection is not None:
                    connection.terminate()
                connection = None
                await self._ask_what_became(events)
        if connection is not None:
            await connection.close()

    async def _connect(self, company: Company) -> "asyncpg.Connection[asyncpg.Record]":
        async def attempt() -> "asyncpg.Connection[asyncpg.Record] | None":
            with suppress(*_AWAY):
                made: asyncpg.Connection[asyncpg.Record] = await connected(self.play.stage.dsn("lastro_app"))
                await made.execute("SELECT set_config('lastro.company', $1, false)", str(company.id))
                return made
            return None

        connection = await until(attempt, "the database")
        assert connection is not None
        return connection

    async def _commit(
        self, connection: "asyncpg.Connection[asyncpg.Record]", events: list[Told], chance: random.Random
    ) -> bool:
        transaction = connection.transaction()
        await transaction.start()
        for e in events:
            await connection.execute(_TELL, e.company_id, e.id, e.type, e.reference_id, e.url, e.body)
            await connection.execute("SELECT pg_sleep($1)", chance.choice((0, 0, 0.01, 0.15)))
        if chance.random() < 0.1:
            await transaction.rollback()
            return False
        await transaction.commit()
        return True

    async def _ask_what_became(self, events: list[Told]) -> None:
        """A transaction that was cut off was committed whole, or not at all."""
        connection = await self._connect(self.companies[0])
        await connection.execute("SELECT set_config('lastro.company', $1, false)", str(events[0].company_id))
        there = await connection.fetchval("SELECT count(*) FROM events WHERE id = ANY ($1)", [e.id for e in events])
        await connection.close()
        assert there in {0, len(events)}
        if there:
            self.told |= {event.id: event for event in events}

    def _some_events(self, company: Company, objects: list[Object], chance: random.Random) -> list[Told]:
        """What one transaction tells, of as many objects."""
        objects[:] = [one for one in objects if one.left > 0]
        while len(objects) < 4:
            objects.append(self._object(company, chance))
        events = []
        for one in chance.sample(objects, chance.randint(1, 3)):
            one.left -= 1
            place = next(self._places)
            body = {"event": one.type, "id": str(one.id), "n": place, "text": "não " * chance.randint(0, 40)}
            event_id = self.chance.uuid(datetime.now(UTC))
            events.append(Told(event_id, company.id, one.type, one.id, one.url, msgspec.json.encode(body), place))
        return events

    def _object(self, company: Company, chance: random.Random) -> Object:
        made, event_type = self.chance.uuid(datetime.now(UTC)), chance.choice(TYPES)
        kind = None if chance.random() < 0.3 else chance.choice(KINDS).name
        if kind is None:
            return Object(made, None, event_type, None, chance.randint(1, 6))
        if BY_NAME[kind].is_delivered:
            left = chance.randint(1, 6)
        else:
            left = min(self._budget[kind], 1 if BY_NAME[kind].is_slow else 2)
            self._budget[kind] -= left
        if not left:
            kind, left = "good", 3
        name = "dora" if company.is_dora else "ana"
        return Object(made, f"{self.street.bases[kind]}/{name}/{made}", event_type, kind, left)

    # ── reading the feed ──

    async def follow(self, company: Company, chance: random.Random) -> None:
        """One who asks for what follows, whatever dies meanwhile, until all that was told is seen."""
        seen = company.seen
        while self._is_blowing or len(seen) < len(company.older) + sum(
            told.company_id == company.id for told in self.told.values()
        ):
            after = seen[-1]["sequence"] if seen else 0
            page = await self.ask(company, "GET", f"{FEED}?after={after}&limit={chance.randint(1, 50)}&wait=1")
            for event in page.json["data"]:
                assert event["sequence"] == (seen[-1]["sequence"] if seen else 0) + 1, "a gap, or one twice"
                seen.append(event)

    # ── dying ──

    async def rage(self, name: str, gap: str, count: int) -> None:
        """A worker that dies in the gap; another takes its place."""
        await self._dead(name)
        child = self.play.stage.launch(name, LASTRO_CRASH_AT=f"{gap}:{count}")

        async def died() -> bool:
            return not child.is_running()

        await until(died, f"{name}'s death in {gap}", 90)
        assert "by signal 9" in child.why_it_ended(), child.why_it_ended()
        self.deaths[gap] += 1
        self.play.stage.launch(name)

    async def _dead(self, name: str) -> None:
        """kill -9, wherever it is."""
        self.play.stage.kill(name)
        self.deaths["at random"] += 1

    async def put_out(self, chance: random.Random) -> None:
        """The database ends, by kill -9 or as it is told to, and comes back."""
        number = chance.choice((signal.SIGKILL, signal.SIGINT, signal.SIGQUIT))
        await put_out(self.server, number, chance.random())
        self.outages += 1

    async def later(self, ahead: timedelta) -> None:
        """Business time is suddenly later, and whoever works hears that there may be something."""
        await self.play.jump(ahead)
        connection = await connected(self.play.stage.dsn("lastro_app"))
        await connection.execute("SELECT pg_notify($1, $2)", notify.CHANNEL, notify.EVENTS)
        await connection.close()

    # ── all of it ──

    async def blow(self, rounds: int) -> None:
        following = [
            asyncio.create_task(self.follow(company, random.Random(self.random.random()))) for company in self.companies
        ]
        try:
            for number in range(rounds):
                await self._round(number, random.Random(self.random.random()))
            self._is_blowing = False
            await self.rest()
            async with asyncio.timeout(60):
                await asyncio.gather(*following)
        finally:
            for task in following:
                task.cancel()

    async def _round(self, number: int, chance: random.Random) -> None:
        """Everybody dies once, the database may; at its end all are killed and what they held is free."""
        self._has_raged = False
        for kind in KINDS:
            self._budget[kind.name] += SLOW_EVENTS if kind.is_slow else BAD_EVENTS
        gaps = [GAPS[(number * len(WORKERS) + n) % len(GAPS)] for n in range(len(WORKERS))]
        for company in self.companies:
            await self.settle_urls(company, chance.choice(("good", "slow", "recovers")))
        writers = [
            asyncio.create_task(self.write(self.companies[n % 2], random.Random(chance.random()))) for n in range(WRITERS)
        ]
        raging = [
            asyncio.create_task(self.rage(name, gap, chance.randint(1, 6))) for name, gap in zip(WORKERS, gaps, strict=True)
        ]
        try:
            await self._move_the_clock(chance)
            if number % 2 == 0:
                await self.put_out(chance)
            await self._move_the_clock(chance)
            await asyncio.gather(*raging)
            self._has_raged = True
            await asyncio.gather(*writers)
        finally:
            for task in (*raging, *writers):
                task.cancel()
        await self.start_afresh()

    async def _move_the_clock(self, chance: random.Random) -> None:
        """A month at once, or some of it in steps."""
        steps = chance.choice(
            ([timedelta(days=30)], [timedelta(minutes=m) for m in (1, 10, 60, 360)], [timedelta(hours=7)] * 3)
        )
        for step in steps:
            await asyncio.sleep(chance.random() * 0.4)
            await self.later(step)

    async def start_afresh(self) -> None:
        """Every worker is killed; half a minute goes by; they start again."""
        for name in WORKERS:
            await self._dead(name)
        await self.play.stage.end_leases()
        for name in WORKERS:
            self.play.stage.launch(name)

    async def rest(self) -> int:
        """The clock goes on until nothing is due; in how many steps."""
        books = await connected(self.play.stage.dsn("lastro_audit"))
        try:
            for steps in range(MOST_STEPS_OF_REST):
                await until(lambda: self._nothing_is_due(books), "an instant's end", 90)
                if not await books.fetchval("SELECT count(*) FROM deliveries WHERE due_at IS NOT NULL"):
                    return steps
                await self.later(STEP_OF_REST)
        finally:
            await books.close()
        raise AssertionError("deliveries have no end")

    @staticmethod
    async def _nothing_is_due(books: "asyncpg.Connection[asyncpg.Record]") -> bool:
        return not any(row[0] for row in await books.fetch(BUSY))

    async def send_again(self, most: int) -> None:
        """Some of what was delivered and of what was given up is asked for again, and comes to its end again."""
        books = await connected(self.play.stage.dsn("lastro_audit"))
        self.resent_at = self.street.tick()
        slow = tuple(self.street.bases[kind.name] for kind in KINDS if kind.is_slow)  # five more time-outs say nothing new
        for status in ("DELIVERED", "FAILED"):
            rows = await books.fetch("SELECT company_id, id, url FROM deliveries WHERE status = $1 ORDER BY id", status)
            rows = [row for row in rows if not row["url"].startswith(slow)]
            for row in self.random.sample(rows, min(most, len(rows))):
                company = next(c for c in self.companies if c.id == row["company_id"])
                await self.ask(company, "POST", f"{HOOK}/events/{row['id']}/resend")
                self.resent[row["id"]] += 1
        await books.close()
        await self.rest()
