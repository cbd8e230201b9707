"""A scene: companies, what they are told, receivers that do as a test says, and a clock to step."""

import asyncio
import os
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Self
from uuid import UUID

import asyncpg
import msgspec
import pytest
from aiohttp import web
from tests.conftest import lent

from lastro.api_kit.routes import Incoming
from lastro.core.clock import BusinessClock
from lastro.core.commit import commit
from lastro.core.db import PLANNED_ONCE, Database
from lastro.core.errors import Refused
from lastro.core.ids import Chance
from lastro.core.runner import Call, Reply, RequestContext, Runner
from lastro.core.secrets import KeyRing
from lastro.core.write import Write
from lastro.http_client import OutgoingClient
from lastro.ops import eras
from lastro.webhooks import Arrivals, Deliverer, DeliverySettings, EventType, WebhookPlace, event_of, latest, number, routes
from lastro.webhooks.signatures import new_webhook_secret

ACKNOWLEDGED = b'{"returnCode":"SUCCESS"}'
DEADLINE_SECONDS = 20.0
_TABLES = (
    "delivery_attempts", "deliveries", "forgotten_bodies", "event_numbers", "events", "event_cursors", "event_eras",
    "webhook_settings", "webhook_circuits", "answers", "clients", "companies", "company_numbers",
)  # fmt: skip
# To truncate tables of a few rows takes longer, and has all plans made anew.
_FORGET = f"""
{"".join(f"DELETE FROM {table};" for table in _TABLES)}
UPDATE clock SET offset_us = 0, version = version + 1 WHERE offset_us <> 0;
UPDATE beats SET era = (SELECT min(began_at) FROM eras);
DELETE FROM eras WHERE began_at > (SELECT min(began_at) FROM eras);
"""
OWN_PORTS = frozenset({8080})  # of the service itself, in these scenes


@dataclass(frozen=True)
class Received:
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def event_id(self) -> str:
        return self.headers["x-event-id"]


Behaviour = Callable[[Received], Awaitable[web.Response]]


async def acknowledge(_: Received) -> web.Response:
    return web.Response(body=ACKNOWLEDGED, content_type="application/json")


async def refuse(_: Received) -> web.Response:
    return web.Response(status=500, body=b"no")


@dataclass
class Receiver:
    """A client's server. behaviour may be changed at any time."""

    behaviour: Behaviour = acknowledge
    seen: list[Received] = field(default_factory=list)
    url: str = ""

    async def handle(self, request: web.Request) -> web.Response:
        headers = {name.lower(): value for name, value in request.headers.items()}
        received = Received(request.path, headers, await request.read())
        self.seen.append(received)
        return await self.behaviour(received)


@dataclass
class Company:
    id: UUID
    client_id: str
    secret: str


class Admin:
    """The hand behind the scene: one connection of the role that sees everything, for one statement at a time."""

    def __init__(self, connection: "asyncpg.Connection[asyncpg.Record]") -> None:
        self._connection = connection
        self._turn = asyncio.Lock()

    async def fetch(self, sql: str, *arguments: Any) -> list[asyncpg.Record]:
        async with self._turn:
            return list(await self._connection.fetch(sql, *arguments))

    async def fetchrow(self, sql: str, *arguments: Any) -> asyncpg.Record | None:
        rows = await self.fetch(sql, *arguments)
        return rows[0] if rows else None

    async def fetchval(self, sql: str, *arguments: Any) -> Any:
        rows = await self.fetch(sql, *arguments)
        return rows[0][0] if rows else None

    async def execute(self, sql: str, *arguments: Any) -> None:
        await self.fetch(sql, *arguments)

    async def forget_all(self) -> None:
        """As if no company had been founded, no clock been set and no era been begun."""
        if await self.fetchval("SELECT count(*) > 1000 FROM events"):
            await self.execute("TRUNCATE events CASCADE")
        await self._connection.execute(_FORGET)

    async def begin_era(self) -> eras.Begun:
        """As a restore does."""
        async with self._turn:
            return await eras.begin(self._connection)


@dataclass(frozen=True)
class Roles:
    """The room's database, as the roles that work on it."""

    app: Database
    work: Database
    admin: Admin


class Scene:
    def __init__(self, roles: Roles, stack: AsyncExitStack) -> None:
        self.database, self.work, self.admin = roles.app, roles.work, roles.admin
        self.stack = stack
        self.chance = Chance(os.urandom)
        self.key_ring = KeyRing.generate("test", os.urandom)
        self.runner = Runner(self.database, BusinessClock(time.monotonic), self.chance)
        self.arrivals = Arrivals(self._latest)
        self.notices: tuple[EventType, ...] = ()

    async def _latest(self, company_ids: Collection[UUID]) -> dict[UUID, int]:
        return await latest(self.work, company_ids)

    async def company(self, permissions: tuple[str, ...] = ("webhooks:read", "webhooks:write")) -> Company:
        company_id = self.chance.uuid(datetime.now(UTC))
        secret = new_webhook_secret(os.urandom).reveal()
        sealed = self.key_ring.seal(
            secret.encode(), table="companies", column="webhook_secret", company_id=company_id, row_id=company_id
        )
        number = await self.admin.fetchval(
            "INSERT INTO company_numbers SELECT count(*) + 1, $1 FROM company_numbers RETURNING number", company_id
        )
        await self.admin.execute(
            "INSERT INTO companies (company_id, number, name, webhook_secret, created_at) VALUES ($1, $2, 'Ana', $3, now())",
            company_id, number, sealed,
        )  # fmt: skip
        await self.admin.execute(
            "INSERT INTO clients (company_id, client_id, name, secret_hash, permissions, tokens_valid_after, created_at)"
            " VALUES ($1, $2, 'shop', '\\x00', $3, 'epoch', now())",
            company_id, f"client{number}", list(permissions),
        )  # fmt: skip
        return Company(company_id, f"client{number}", secret)

    async def receiver(self, behaviour: Behaviour = acknowledge) -> Receiver:
        made = Receiver(behaviour)
        application = web.Application()
        application.router.add_post("/{path:.*}", made.handle)
        runner = web.AppRunner(application, shutdown_timeout=0.1)
        await runner.setup()
        self.stack.push_async_callback(runner.cleanup)
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        made.url = f"http://127.0.0.1:{runner.addresses[0][1]}/hook"
        return made

    async def now(self) -> datetime:
        at: datetime = await self.admin.fetchval("SELECT business_now()")
        return at

    async def set_clock(self, at: datetime) -> None:
        """Business time goes on from `at`."""
        await self.admin.execute(
            "UPDATE clock SET offset_us = (extract(epoch FROM $1::timestamptz - machine_now()) * 1000000)::bigint,"
            " version = version + 1", at
        )  # fmt: skip

    async def tell(
        self,
        company: Company,
        url: str | None,
        *,
        reference: UUID | None = None,
        event_type: str = "ORDER-PAYIN.PAID",
        **body: Any,
    ) -> UUID:
        """An event committed as the rooms above do it; its id."""
        context = RequestContext(company.id, await self.now(), self.chance)
        event = event_of(context, event_type, reference or self.chance.uuid(context.now), url, body or {"event": event_type})
        await commit(self.database, Write(company.id, events=(event,)))
        return event.id

    async def number_all(self) -> None:
        """Numbers until nothing is left; a transaction open elsewhere on the server may delay it."""

        async def done() -> bool:
            await number(self.database, self.work)
            left: bool = await self.admin.fetchval(
                "SELECT EXISTS (SELECT 1 FROM events e WHERE NOT EXISTS (SELECT 1 FROM event_numbers n WHERE n.event_id = e.id))"
            )
            return not left

        await until(done)

    async def step(self, deliverer: Deliverer) -> int:
        await self.number_all()
        return await deliverer.step()

    def deliverer(self, *, timeout_seconds: float = 10, **settings: Any) -> Deliverer:
        client = OutgoingClient(sandbox=True, timeout_seconds=timeout_seconds)
        self.stack.push_async_callback(client.close)
        chosen = replace(DeliverySettings(is_sandbox=True), **settings)
        return Deliverer(self.database, self.work, client, self.key_ring, self.chance, lambda: datetime.now(UTC), chosen)

    def running(self, deliverer: Deliverer) -> "Running":
        return Running(deliverer)

    async def delivery(self, event_id: UUID) -> asyncpg.Record:
        row = await self.admin.fetchrow("SELECT * FROM deliveries WHERE id = $1", event_id)
        assert row is not None
        return row

    async def attempts(self, event_id: UUID) -> list[asyncpg.Record]:
        return await self.admin.fetch("SELECT * FROM delivery_attempts WHERE event_id = $1 ORDER BY number", event_id)

    async def expire_leases(self) -> None:
        """As if 30 s had passed since a worker was killed."""
        await self.admin.execute(
            "UPDATE deliveries SET leased_until = machine_now() - interval '1 second' WHERE lease_token IS NOT NULL"
        )

    async def ask(
        self,
        company: Company,
        method: str,
        path: str,
        query: Mapping[str, str] | None = None,
        key: str | None = None,
        body: Mapping[str, Any] | None = None,
        gone: Callable[[], Awaitable[None]] | None = None,
        **ids: str,
    ) -> Reply | Refused:
        """A client's request as the HTTP door would make it of the room's route."""
        place = WebhookPlace(True, OWN_PORTS, self.key_ring, lambda: datetime.now(UTC), self.notices, self.arrivals)
        (route,) = (r for r in routes(place) if (r.method, r.path) == (method, path))
        raw = b"" if body is None else msgspec.json.encode(body)
        parsed = route.parse(Incoming(company.id, ids, query or {}, raw, body or {}, key, gone))
        if isinstance(parsed, Refused):
            return parsed
        call = Call(
            company.id, company.client_id, time.time(), route.permission, route.operation, key, b"same", route.success
        )
        return await self.runner.run(call, parsed)

    async def resend(self, company: Company, event_id: UUID | str, key: str | None = None) -> Reply | Refused:
        return await self.ask(company, "POST", "/order/v1/webhook/events/{id}/resend", key=key, id=str(event_id))

    async def answered(self, company: Company, method: str, path: str, status: int = 200, **asked: Any) -> dict[str, Any]:
        """The body of a yes, which has this status."""
        reply = await self.ask(company, method, path, **asked)
        assert isinstance(reply, Reply), reply
        assert reply.status == status
        answer: dict[str, Any] = msgspec.json.decode(reply.body)
        return answer

    async def listed(self, company: Company, **query: str) -> dict[str, Any]:
        return await self.answered(company, "GET", "/order/v1/webhook/events", query=query)

    async def read(self, company: Company, event_id: UUID) -> dict[str, Any]:
        return await self.answered(company, "GET", "/order/v1/webhook/events/{id}", id=str(event_id))

    async def fed(self, company: Company, **query: str) -> dict[str, Any]:
        return await self.answered(company, "GET", "/order/v1/events", query=query)

    async def set_webhook(self, company: Company, *events: Mapping[str, Any]) -> dict[str, Any]:
        """The answer, by event."""
        answer = await self.answered(company, "PUT", "/order/v1/webhook", body={"events": events})
        return {one["event"]: one for one in answer["events"]}

    async def breaches(self) -> dict[str, int]:
        """How many rows each law of events selects."""
        laws = (
            "law_feed_is_dense", "law_feed_is_in_order", "law_each_numbered_event_is_delivered_or_due",
            "law_a_delivery_is_of_its_event", "law_a_forgotten_body_leaves_its_hash",
        )  # fmt: skip
        return {law: await self.admin.fetchval(f"SELECT count(*) FROM {law}") for law in laws}


class Running:
    """A deliverer that runs as in a worker, for the length of a block."""

    def __init__(self, deliverer: Deliverer) -> None:
        self._deliverer = deliverer
        self.stop, self.wake = asyncio.Event(), asyncio.Event()

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._deliverer.run(self.stop, self.wake))
        return self

    async def __aexit__(self, *_: object) -> None:
        self.stop.set()
        await asyncio.wait_for(self._task, DEADLINE_SECONDS)


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    """Waits for something that other tasks bring about."""
    async with asyncio.timeout(DEADLINE_SECONDS):
        while not await holds():
            await asyncio.sleep(0.005)


@pytest.fixture(scope="session")
def room_database(request: pytest.FixtureRequest) -> Iterator[Any]:
    """One for all tests of the room. Events say anything in it: it is no matter to their numbers and deliveries."""
    yield from lent(request, "clone", secrets.token_hex(4), real_events=False)


@pytest.fixture(scope="session")
async def roles(room_database: Any) -> AsyncIterator[Roles]:
    """As an installation's processes are connected, for all tests of the room: each of its own would plan everything anew."""
    connection = await room_database.connect()
    await connection.execute("SET lock_timeout = '10s'")
    made = Roles(
        Database(room_database.app, settings=PLANNED_ONCE),
        Database(room_database.work, size=4, settings=PLANNED_ONCE),
        Admin(connection),
    )
    yield made
    await made.app.close()
    await made.work.close()
    await connection.close()


@pytest.fixture
async def scene(roles: Roles) -> AsyncIterator[Scene]:
    """Without an event or a setting, in today's time and the first era."""
    await roles.admin.forget_all()
    async with AsyncExitStack() as stack:
        yield Scene(roles, stack)
