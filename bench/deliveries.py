"""How fast events are delivered: by the worker process, to receivers in a process of their own, every attempt kept.

Events are written as a commit of many orders would leave them, without a number; from there on all is the worker's work:
numbers, claims, signatures, requests and attempts.
"""

from __future__ import annotations

import asyncio
import os
import socket
import statistics
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import asyncpg
import msgspec
from bench.figures import Figure, Rounds
from bench.house import cpu_seconds
from bench.reads import resident
from bench.receiver import Receiver, receiver

from lastro.core.ids import Chance
from lastro.orders.docs import EVENT_TYPES

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from uuid import UUID

    from bench.house import House

EVENT = next(n for n in EVENT_TYPES if n.name == "ORDER-PAYIN.PAID")
BODY = msgspec.json.encode(EVENT.example)
ENDPOINTS = 8
PATIENCE_SECONDS = 120.0
_STUCK = 10_000
_WARM = 600
_MEMORY_STEP = 20_000  # deliveries, and what a worker does before it is first looked at
_LOOK_SECONDS = 0.01  # from one look at whether all is done to the next
_EVENTS = ("company_id", "id", "type", "reference_id", "url", "body", "created_at")


@dataclass
class Post:
    """A house with its worker, a receiver, and the hand that writes events."""

    house: House
    receiver: Receiver
    worker: int
    admin: asyncpg.Connection
    chance: Chance = field(default_factory=lambda: Chance(os.urandom))

    @property
    def companies(self) -> list[UUID]:
        """All that may have something told."""
        return list(dict.fromkeys(p.company_id for p in self.house.payees))

    async def tell(self, count: int, urls: Sequence[str], companies: Sequence[UUID] | None = None) -> float:
        """Commits so many events, each of an object of its own, and says so; when they were committed (monotonic)."""
        some = companies or self.companies
        now = await self.admin.fetchval("SELECT business_now()")
        ids, objects = ([self.chance.uuid(now) for _ in range(count)] for _ in range(2))
        rows = [(some[n % len(some)], ids[n], EVENT.name, objects[n], urls[n % len(urls)], BODY, now) for n in range(count)]
        await self.admin.copy_records_to_table("events", records=rows, columns=_EVENTS)
        committed = time.monotonic()
        await self.admin.execute("SELECT pg_notify('lastro_work', 'events')")
        return committed

    async def numbered(self) -> None:
        """Waits until every event has its number."""
        await self._until(
            "SELECT NOT EXISTS (SELECT 1 FROM events e WHERE NOT EXISTS (SELECT 1 FROM event_numbers n"
            " WHERE n.company_id = e.company_id AND n.event_id = e.id))"
        )

    async def delivered(self, urls: Sequence[str], count: int) -> float:
        """Waits until these endpoints have answered so many and none of theirs is open any more; when it was (monotonic)."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while await self.receiver.answered(urls) < count:
            if time.monotonic() > deadline:
                raise RuntimeError("deliveries did not come")
            await asyncio.sleep(_LOOK_SECONDS)
        await self._until("SELECT NOT EXISTS (SELECT 1 FROM deliveries WHERE due_at IS NOT NULL AND url = ANY($1))", urls)
        return time.monotonic()

    async def _until(self, sql: str, *arguments: Any) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not await self.admin.fetchval(sql, *arguments):
            if time.monotonic() > deadline:
                raise RuntimeError(f"not in time: {sql}")
            await asyncio.sleep(_LOOK_SECONDS)

    async def rate(self, count: int, urls: Sequence[str], companies: Sequence[UUID] | None = None) -> float:
        """Deliveries per second, from the commit of so many to the last attempt's row."""
        before = await self.receiver.answered(urls)
        committed = await self.tell(count, urls, companies)
        return count / (await self.delivered(urls, before + count) - committed)

    async def drop(self) -> None:
        """Gives up everything that is still open, so that the next round begins alone."""
        await self.admin.execute(
            "UPDATE deliveries SET status = 'FAILED', due_at = NULL, lease_token = NULL, leased_until = NULL,"
            " version = version + 1 WHERE due_at IS NOT NULL"
        )


@asynccontextmanager
async def post(house: House) -> AsyncIterator[Post]:
    """The worker as `lastro worker` runs it, warm."""
    async with receiver() as there, house.process("worker", "lastro.cli.main", "worker") as worker:
        admin = await asyncpg.connect(house.dsn("postgres"))
        try:
            made = Post(house, there, worker.pid, admin)
            await made.rate(_WARM, await there.listen(ENDPOINTS))
            await admin.execute("CHECKPOINT")
            yield made
        finally:
            await admin.close()


@dataclass(frozen=True, slots=True)
class Spent:
    """CPU seconds until now, of the program that delivers, the database and the receiver."""

    worker: float
    database: float
    receiver: float

    def since(self, before: Spent, count: int) -> tuple[float, ...]:
        """Microseconds for each of so many deliveries, in the order of the fields."""
        pairs = ((self.worker, before.worker), (self.database, before.database), (self.receiver, before.receiver))
        return tuple((now - then) / count * 1e6 for now, then in pairs)


def spent(house: House, worker: float, receiver_pid: int) -> Spent:
    """worker: its CPU seconds."""
    assert house.server.pid is not None
    return Spent(worker, cpu_seconds(house.server.pid, family=True), cpu_seconds(receiver_pid))


@dataclass
class Rates:
    """One way to deliver, in several rounds. cpu_us: of worker, database and receiver, for each delivery."""

    wall: list[float] = field(default_factory=list)
    cpu_us: list[tuple[float, ...]] = field(default_factory=list)

    @property
    def per_core(self) -> Rounds:
        """Deliveries for each CPU second of the program that delivers."""
        return Rounds(tuple(1e6 / worker for worker, _, _ in self.cpu_us))

    @property
    def cost(self) -> str:
        """What each delivery took of the machine."""
        parts = zip(("worker", "PostgreSQL", "receiver"), zip(*self.cpu_us, strict=True), strict=True)
        return "CPU us each: " + ", ".join(f"{name} {statistics.median(us):.0f}" for name, us in parts)


async def ours(house: House, rates: Rates, count: int) -> None:
    """One round: every company, several endpoints."""
    async with post(house) as at:
        urls = await at.receiver.listen(ENDPOINTS)
        before = spent(house, cpu_seconds(at.worker), at.receiver.pid)
        rates.wall.append(await at.rate(count, urls))
        after = spent(house, cpu_seconds(at.worker), at.receiver.pid)
        rates.cpu_us.append(after.since(before, count))


async def beside_the_dead(house: House, rounds: int, count: int) -> list[Figure]:
    """A live endpoint's rate alone, and beside events of its own company for one that hangs and one that refuses."""
    alone: list[float] = []
    beside: dict[str, list[float]] = {"hangs": [], "refuses connections": []}
    async with post(house) as at:
        mine = at.companies[:1]
        for number in range(rounds):
            names = list(beside)
            for name in (None, *names[number % 2 :], *names[: number % 2]):
                live = await at.receiver.listen()
                with socket.socket() as closed:
                    closed.bind(("127.0.0.1", 0))  # taken and not listening: whoever connects is refused
                    if name is not None:
                        hanging = await at.receiver.listen(hangs=True)
                        refusing = [f"http://127.0.0.1:{closed.getsockname()[1]}/webhooks"]
                        await at.tell(_STUCK, hanging if name == "hangs" else refusing, mine)
                        await at.numbered()
                    (alone if name is None else beside[name]).append(await at.rate(count, live, mine))
                await at.drop()
                await at.admin.execute("CHECKPOINT")
    note = f"of {count:,} to a live endpoint beside {_STUCK:,} to a dead one, of one company"
    base = Rounds(tuple(alone))
    return [
        Figure(f"deliveries while another endpoint {name}", "/s", Rounds(tuple(rates)), base, 0.90, note=note)
        for name, rates in beside.items()
    ]


async def memory(house: House, deliveries: int) -> list[Figure]:
    """What the worker holds while it delivers so many, beside what it held after the first few thousand."""
    held: list[int] = []
    async with post(house) as at:
        urls = await at.receiver.listen(ENDPOINTS)
        for _ in range(deliveries // _MEMORY_STEP):
            await at.rate(_MEMORY_STEP, urls)
            held.append(resident(at.worker))
    first, last = held[0], held[-1]
    most = max(held, key=lambda one: abs(one - first)) / first
    note = f"{deliveries:,} deliveries, {first / 1e6:.0f} MB after {_MEMORY_STEP:,}, {last / 1e6:.0f} MB at last"
    return [
        Figure("memory of the worker, most by first", "x", Rounds((most,)), None, 1.1, at_most=True, digits=3, note=note)
    ]
