"""The feed while many write in transactions that overtake each other, and while those who number are killed between.

Whoever reads it sees 1, 2, 3 and so on: never a gap, never a number twice, never something that turns up behind what was seen.
"""

import asyncio
import random
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from uuid import UUID

import asyncpg
import pytest
from tests.rooms.webhooks.conftest import Company, Scene

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


WRITERS, TRANSACTIONS, NUMBERERS, CONSUMERS = 6, 25, 3, 4
_KILLED = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError)
TELL = (
    "INSERT INTO events (company_id, id, type, reference_id, url, body, created_at)"
    " VALUES ($1, $2, 'T', $3, $4, $5, business_now())"
)


@dataclass
class Transaction:
    """What one told. begun, ended: marks of a clock that counts; nothing began before it was given, nothing ended after."""

    events: list[UUID]
    objects: list[UUID]
    begun: int
    ended: int


@dataclass
class Storm:
    scene: Scene
    chance: random.Random
    companies: list[Company]
    committed: dict[UUID, list[Transaction]] = field(default_factory=dict)
    seen: dict[tuple[UUID, int], list[dict[str, Any]]] = field(default_factory=dict)
    kills: int = 0
    writing: int = WRITERS
    _ticks: int = 0

    def tick(self) -> int:
        self._ticks += 1
        return self._ticks

    @asynccontextmanager
    async def connection(self, company: Company) -> "AsyncIterator[asyncpg.Connection[asyncpg.Record]]":
        session = await self.scene.database._connect()
        await session.set_company(company.id)
        try:
            yield session._connection
        finally:
            session._connection.terminate()

    async def write(self, company: Company) -> None:
        """Transactions of one after the other, some slow between their statements, some given up."""
        objects = [self.scene.chance.uuid(await self.scene.now()) for _ in range(3)]
        async with self.connection(company) as connection:
            for _ in range(TRANSACTIONS):
                one = Transaction([], [], self.tick(), 0)
                transaction = connection.transaction()
                await transaction.start()
                for reference in self.chance.sample(objects, self.chance.randint(1, 3)):
                    event_id = self.scene.chance.uuid(await self.scene.now())
                    url = self.chance.choice((None, "https://a.example/"))
                    await connection.execute(TELL, company.id, event_id, reference, url, b'"%d"' % self.tick())
                    await self.dawdle(connection)
                    one.events.append(event_id)
                    one.objects.append(reference)
                if self.chance.random() < 0.15:
                    await transaction.rollback()
                    continue
                await transaction.commit()
                one.ended = self.tick()
                self.committed.setdefault(company.id, []).append(one)
        self.writing -= 1

    async def dawdle(self, connection: "asyncpg.Connection[asyncpg.Record]") -> None:
        if self.chance.random() < 0.3:
            await connection.execute("SELECT pg_sleep($1)", self.chance.random() * 0.03)

    async def number(self) -> None:
        """Numbers a few at a time; now and then it is killed within the statement, or with its transaction open."""
        while self.writing or await self.left():
            company = self.chance.choice(self.companies)
            with suppress(*_KILLED):
                async with self.connection(company) as connection:
                    for _ in range(self.chance.randint(1, 6)):
                        await self.number_once(connection, company)

    async def number_once(self, connection: "asyncpg.Connection[asyncpg.Record]", company: Company) -> None:
        reach, how = self.chance.randint(1, 9), self.chance.random()
        if how < 0.7:
            await connection.fetchval("SELECT number_events($1, $2)", company.id, reach)
            return
        transaction = connection.transaction()
        await transaction.start()
        statement = asyncio.ensure_future(connection.fetchval("SELECT number_events($1, $2)", company.id, reach))
        if how < 0.85:
            await asyncio.wait((statement,), timeout=self.chance.random() * 0.004)
            await self.scene.admin.execute("SELECT pg_terminate_backend($1)", connection.get_server_pid())
            self.kills += 1
            await statement
        await statement
        await self.dawdle(connection)
        if how < 0.92:
            connection.terminate()
            self.kills += 1
            return
        await transaction.commit()

    async def left(self) -> bool:
        sql = (
            "SELECT EXISTS (SELECT 1 FROM events e WHERE NOT EXISTS (SELECT 1 FROM event_numbers n WHERE n.event_id = e.id))"
        )
        found: bool = await self.scene.admin.fetchval(sql)
        return found

    async def consume(self, company: Company, number: int) -> None:
        """Asks for what follows, whatever page it is, until everything that was told has been seen."""
        seen = self.seen.setdefault((company.id, number), [])
        while self.writing or await self.left() or len(seen) < self.told(company):
            wait = self.chance.choice(("0", "1"))
            answer = await self.scene.fed(
                company, after=str(seen[-1]["sequence"] if seen else 0), limit=str(self.chance.randint(1, 9)), wait=wait
            )
            for event in answer["data"]:
                assert event["sequence"] == (seen[-1]["sequence"] if seen else 0) + 1, "a gap, or one twice"
                seen.append(event)

    def told(self, company: Company) -> int:
        return sum(len(t.events) for t in self.committed.get(company.id, ()))


@pytest.mark.parametrize("seed", range(2))
async def test_no_gap_no_number_twice_nothing_late(scene: Scene, seed: int) -> None:
    companies = [await scene.company() for _ in range(2)]
    storm = Storm(scene, random.Random(seed), companies)
    async with asyncio.timeout(100), asyncio.TaskGroup() as group:
        for n in range(WRITERS):
            group.create_task(storm.write(companies[n % 2]))
        for _ in range(NUMBERERS):
            group.create_task(storm.number())
        for n in range(CONSUMERS):
            group.create_task(storm.consume(companies[n % 2], n))

    assert storm.kills > 5
    same: dict[UUID, list[dict[str, Any]]] = {}
    for (company_id, _), seen in storm.seen.items():
        assert same.setdefault(company_id, seen) == seen, "all who read it have read the same"
    for company_id, seen in same.items():
        assert_in_order(seen, storm.committed[company_id])
    assert not any((await scene.breaches()).values())


def assert_in_order(seen: list[dict[str, Any]], transactions: list[Transaction]) -> None:
    """Everything that was committed and nothing else, whatever ended before another began in front of it."""
    assert [e["sequence"] for e in seen] == list(range(1, len(seen) + 1))
    assert [e["createdAt"] for e in seen] == sorted({e["createdAt"] for e in seen})
    place = {UUID(e["id"]): e["sequence"] for e in seen}
    assert place.keys() == {event for t in transactions for event in t.events}
    pairs = [(a, b) for a in transactions for b in transactions if a.ended < b.begun]
    assert pairs
    for one, other in pairs:
        assert max(map(place.__getitem__, one.events)) < min(map(place.__getitem__, other.events))
    places: dict[UUID, list[int]] = {}
    for t in sorted(transactions, key=lambda t: t.ended):
        for reference, event in zip(t.objects, t.events, strict=True):
            places.setdefault(reference, []).append(place[event])
    assert all(a < b for order in places.values() for a, b in pairwise(order)), "an object's events in their order"
