"""A scene: an institution with two companies, the lanes of a worker, and a network that does as a test says."""

import asyncio
import os
import random
import secrets
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import aiohttp
import asyncpg
import pytest
import uvicorn
from aiohttp import web
from tests import databases
from tests.conftest import lent
from tests.event_contract import hold_over
from tests.rooms.conftest import Alone

from lastro.app.banks import Banks
from lastro.core.clock import BusinessClock
from lastro.core.commit import commit
from lastro.core.db import Database
from lastro.core.ids import Chance
from lastro.core.money import Money
from lastro.core.notify import Signals
from lastro.core.runner import Act, Done, RequestContext, Runner
from lastro.core.secrets import Secret
from lastro.core.write import Message, Write
from lastro.orders import WAITING
from lastro.rails import port
from lastro.rails.collecting import PARTNERS, Collecting
from lastro.rails.handling import Handler
from lastro.rails.inbox import Inbox
from lastro.rails.network_client import NetworkClient
from lastro.rails.sending import Sender
from lastro.rails.spi import Spi, SpiEndpoint
from lastro.rails.status_poller import StatusPoller
from lastro.standards.account_numbers import with_check_digit
from lastro.standards.pix_ids import return_id
from lastro_sim import network as sim
from lastro_sim.__main__ import Server
from lastro_sim.application import build
from lastro_sim.bells import Bells
from lastro_sim.chance import Dice
from lastro_sim.clock import Clock
from lastro_sim.settings import Settings
from lastro_sim.store import Store

from .network import ISPB, TOKEN, Network

DEADLINE_SECONDS = 20.0
NOW = datetime(2026, 11, 23, 13, 0, tzinfo=UTC)  # of a town
AT = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


async def until(found: Callable[[], Awaitable[Any]]) -> Any:
    """Looks again until there is something, with a deadline."""
    async with asyncio.timeout(DEADLINE_SECONDS):
        while not (value := await found()):
            await asyncio.sleep(0.005)
        return value


@dataclass
class Handled:
    company_id: UUID
    row: port.InboxRow


class Note(Act[None]):
    """A verb that notes what it was called for, and does as told."""

    def __init__(self, scene: "Scene", row: port.InboxRow) -> None:
        self.scene, self.row = scene, row

    async def read(self, _session: Any, _door: RequestContext) -> None:
        await self.scene.before(self.row)

    def decide(self, _known: None, context: RequestContext) -> Any:
        self.scene.handled.append(Handled(context.company_id, self.row))
        return self.scene.outcome(self.row, context)


def handled(row: port.InboxRow, context: RequestContext) -> Any:
    return Done(Write(context.company_id, finished=(row.claimed.finished("handled", context.now),)), b"")


class Scene:
    def __init__(self, database: Any, admin: "asyncpg.Connection[asyncpg.Record]", network: Network) -> None:
        self.admin = admin
        self.network = network
        self._looking = asyncio.Lock()  # several tasks of a test look through one connection
        self.database, self.work = Database(database.app), Database(database.work, size=4)
        self.chance = Chance(os.urandom)
        self.signals = Signals()
        self.runner = Runner(self.database, BusinessClock(time.monotonic), self.chance, self.signals.on_commit)
        self.rail = Spi(SpiEndpoint(network.url, ISPB, Secret(TOKEN)))
        self.inbox = Inbox(self.database, self.work, self.chance, ISPB)
        self.at_banks = Banks({}, self.runner, self.work, self.chance.uuid(AT), self.inbox)
        self.sender = Sender(self.database, self.work, self.runner, self.chance, "pix", self.rail)
        self.status_poller = StatusPoller(self.database, self.work, self.inbox, "pix", self.rail, WAITING["pix"])
        self.handled: list[Handled] = []
        self.stubborn: UUID | None = None  # a row whose verb refuses
        self.outcome: Callable[[port.InboxRow, RequestContext], Any] = handled
        self.handler = self.handler_for(port.PIX_ASK, port.PIX_FINAL, port.PIX_SETTLED, port.RETURN_FINAL)
        self.before: Callable[[port.InboxRow], Awaitable[None]] = _nothing

    def handler_for(self, *kinds: str) -> Handler:
        verbs: dict[str, port.InboxVerb] = dict.fromkeys(kinds, lambda row: Note(self, row))
        return Handler(self.database, self.work, self.runner, self.chance, verbs)

    async def company(self, number: int) -> UUID:
        company_id = self.chance.uuid(AT)
        await self.admin.execute("INSERT INTO company_numbers VALUES ($1, $2)", number, company_id)
        await self.admin.execute(
            "INSERT INTO companies (company_id, number, name, webhook_secret, created_at) VALUES ($1, $2, 'Ana', '\\x00', now())",
            company_id, number,
        )  # fmt: skip
        return company_id

    async def account(self, company_id: UUID, eight_digits: str) -> str:
        number = with_check_digit(eight_digits)
        await self.admin.execute("INSERT INTO account_numbers VALUES ($1, $2, $3)", number, company_id, self.chance.uuid(AT))
        return number

    async def rows(self, sql: str, *arguments: Any) -> list[asyncpg.Record]:
        async with self._looking:
            return list(await self.admin.fetch(sql, *arguments))

    async def inbox_rows(self) -> list[asyncpg.Record]:
        return await self.rows("SELECT * FROM inbox ORDER BY received_at, id")

    async def listening(self, stop: asyncio.Event, keep: port.Keep | None = None) -> None:
        await self.rail.listen(keep or self.inbox.keep, stop)

    async def listen_until(self, found: Callable[[], Awaitable[Any]], keep: port.Keep | None = None) -> Any:
        """Pulls until something is there, then stops cleanly."""
        stop = asyncio.Event()
        task = asyncio.ensure_future(self.listening(stop, keep))
        try:
            return await until(found)
        finally:
            stop.set()
            await asyncio.wait_for(task, DEADLINE_SECONDS)

    async def put(self, company_id: UUID, message: Message) -> None:
        await commit(self.database, Write(company_id, messages=(message,)))

    async def to_return(self, company_id: UUID, number: int = 7, sequence: int = 1) -> str:
        """A return that is to be sent; its id."""
        name = return_id(ISPB, AT, number, sequence)
        order = port.ReturnOrder(name, "E9999902020261120120000000000001", Money(1000, "BRL"), "MD06")
        now = await self.now()
        await self.put(company_id, port.return_message(order, self.chance.uuid(AT), self.chance.uuid(AT), now))
        return name

    async def accepted(self, company_id: UUID, end_to_end_id: str) -> UUID:
        """A payment that we accepted and about which the network is silent."""
        payment_id = self.chance.uuid(AT)
        await self.admin.execute(
            "INSERT INTO pix_payments (company_id, id, end_to_end_id, state, amount_minor, accepted_at, ask_at, created_at, updated_at)"
            " VALUES ($1, $2, $3, 'ACCEPTED', 1000, now(), business_now(), now(), now())",
            company_id, payment_id, end_to_end_id,
        )  # fmt: skip
        return payment_id

    async def returning(self, company_id: UUID, return_id: str) -> UUID:
        """A return that was ordered and about which the network is silent."""
        payment_id = await self.accepted(company_id, "E" + return_id[1:])
        await self.admin.execute("UPDATE pix_payments SET ask_at = NULL, state = 'RETURNING' WHERE id = $1", payment_id)
        refund_id = self.chance.uuid(AT)
        await self.admin.execute(
            "INSERT INTO refunds (company_id, id, origin, payment_id, return_id, reason_code, state, amount_minor, hold_id, ask_at,"
            " created_at, updated_at) VALUES ($1, $2, 'AUTOMATIC', $3, $4, 'MD06', 'PENDING', 1000, $2, business_now(), now(), now())",
            company_id, refund_id, payment_id, return_id,
        )  # fmt: skip
        return refund_id

    async def now(self) -> datetime:
        at: datetime = await self.admin.fetchval("SELECT business_now()")
        return at

    async def pass_time(self, seconds: float) -> None:
        """Business time is so much later, and no lease of a killed worker holds any more."""
        await self.admin.execute(
            "UPDATE clock SET offset_us = offset_us + ($1 * 1000000)::bigint, version = version + 1", seconds
        )
        await self.end_leases()

    async def end_leases(self) -> None:
        for table in ("inbox", "outbox"):
            await self.admin.execute(f"UPDATE {table} SET leased_until = 'epoch' WHERE leased_until IS NOT NULL")

    async def close(self) -> None:
        await self.rail.close()
        await self.database.close()
        await self.work.close()


async def _nothing(_: port.InboxRow) -> None:
    return


@pytest.fixture
async def own_database(_alone: Alone, request: pytest.FixtureRequest) -> AsyncIterator[databases.Database]:
    """A database for one test at a time, emptied behind each: to copy one for each takes longer than most of them do.

    Where every connection to it is cut, it is a copy that no other test has.
    """
    if request.path.name == "test_worker.py":
        for made in lent(request, "clone", secrets.token_hex(4)):
            yield made
        return
    yield _alone.database
    try:
        await _alone.auditor.ask(hold_over)
    finally:
        await _alone.empty()


@pytest.fixture
async def scene(own_database: Any) -> AsyncIterator[Scene]:
    network = Network()
    runner = web.AppRunner(network.application(), shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    network.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    admin = await own_database.connect()
    made = Scene(own_database, admin, network)
    try:
        yield made
    finally:
        await made.close()
        await admin.close()
        await runner.cleanup()


@dataclass
class House:
    """The institution (number 0) and one company with an account."""

    institution: UUID
    ana: UUID
    account: str


@pytest.fixture
async def house(scene: Scene) -> House:
    institution, ana = await scene.company(0), await scene.company(7)
    return House(institution, ana, await scene.account(ana, "00000001"))


@dataclass
class Town:
    """A scene and the simulated networks beside it, at NOW; every partner that collects, over connections of their own."""

    scene: Scene
    house: House
    network: sim.Network
    url: str
    made: list[Collecting] = field(default_factory=list)

    def line(self) -> NetworkClient:
        return NetworkClient(self.url, Secret(TOKEN))

    def rail(self, name: str) -> Collecting:
        rail = Collecting(PARTNERS[name], self.line())
        self.made.append(rail)
        return rail

    def inbox(self, name: str) -> Inbox:
        return Inbox(self.scene.database, self.scene.work, self.scene.chance, ISPB, name)

    async def act(self, path: str, **body: Any) -> Any:
        async with aiohttp.ClientSession(self.url) as client, client.post(path, json=body) as answered:
            assert answered.status == 200, await answered.text()
            return await answered.json()

    async def rows(self, name: str, kind: str | None = None) -> list[Any]:
        return [row for row in await self.scene.inbox_rows() if row["rail"] == name and kind in (None, row["kind"])]

    async def listen_until(self, name: str, found: Callable[[], Awaitable[Any]], keep: port.Keep | None = None) -> Any:
        """Pulls with a process of its own until something is there, then stops it cleanly."""
        stop = asyncio.Event()
        task = asyncio.ensure_future(self.rail(name).listen(keep or self.inbox(name).keep, stop))
        try:
            return await until(found)
        finally:
            stop.set()
            await asyncio.wait_for(task, DEADLINE_SECONDS)

    async def told(self, name: str, many: int = 1, kind: str | None = None) -> list[Any]:
        """So many messages of a partner."""

        async def there() -> Any:
            rows = await self.rows(name, kind)
            return rows if len(rows) >= many else None

        rows: list[Any] = await self.listen_until(name, there)
        assert len(rows) == many
        return rows

    def move_clock(self, **by: float) -> None:
        self.network.move_clock(self.network.clock.offset + timedelta(**by) // timedelta(microseconds=1))


@pytest.fixture
async def town(scene: Scene, house: House, tmp_path: Path) -> AsyncIterator[Town]:
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    settings = Settings(home=tmp_path, token=TOKEN, port=listener.getsockname()[1])
    store = Store(settings.store_path)
    network = sim.Network(settings, store, Clock(lambda: time.time_ns() // 1000), Dice(random.SystemRandom()), Bells())
    network.move_clock((NOW - datetime.now(UTC)) // timedelta(microseconds=1))
    server = Server(uvicorn.Config(build(network), log_level="warning", timeout_graceful_shutdown=0))
    serving = asyncio.create_task(server.serve(sockets=[listener]))

    async def started() -> bool:
        return bool(server.started)

    await until(started)
    made = Town(scene, house, network, f"http://127.0.0.1:{settings.port}")
    try:
        yield made
    finally:
        for rail in made.made:
            await rail.close()
        server.should_exit = True
        await serving
        store.close()
        listener.close()
