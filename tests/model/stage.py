"""Where the models are held against the product: the API in this process behind its real gate, a worker's lanes, PostgreSQL."""

from __future__ import annotations

import asyncio
import os
import time
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
import uvloop
from tests.cast import ANA, INSTITUTION, Cast, Seller
from tests.house.strangers import Answer
from tests.http_contract import contract
from tests.laws import broken, connected
from tests.model.network import Network
from tests.rooms.rails.test_locations import key as location_key

from lastro.app import inbox_handlers, outbox_lines, wiring
from lastro.app.scheduled_jobs import dues_of
from lastro.banks import Banks
from lastro.companies import PERMISSIONS, SCOPE, AddClient, FoundCompany, OwnKeys, SigningKeys, issue
from lastro.companies.tokens import SigningKey, new_signing_key
from lastro.core.db import Database
from lastro.orders import Installation
from lastro.payouts import Ways
from lastro.rails import port
from lastro.rails.catch_up import CatchUp
from lastro.rails.handling import Handler
from lastro.rails.inbox import Inbox
from lastro.rails.port import RAILS
from lastro.rails.sending import Sender
from lastro.rails.status_poller import StatusPoller
from lastro.web.application import application
from lastro.worker.sweeper import Sweep

if TYPE_CHECKING:
    from collections.abc import Awaitable, Collection

    import asyncpg
    from tests import databases

    from lastro.accounts import Holder

_HOST = "lastro.test"
_PLACE = Installation(INSTITUTION, f"https://{_HOST}", sandbox=True)
_JUMP = "UPDATE clock SET offset_us = offset_us + $1, version = version + 1"
_ENOUGH = 50  # rounds in which a moment has to come to rest


@dataclass
class Stage:
    """One database for all examples of a test; each example is played by a company of its own."""

    cast: Cast
    work: Database
    network: Network
    house: wiring.AppContext
    signer: SigningKey
    books: asyncpg.Connection[asyncpg.Record]
    loop: asyncio.Runner
    dues: frozenset[str]
    ana: Seller = field(init=False)
    is_sending: bool = True  # whether the worker sends what is to be sent
    names: dict[str, str] = field(default_factory=dict)  # what our model calls an object, by its id
    _token: str = ""
    _digest_sql: str = ""
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _looking: asyncio.Lock = field(default_factory=asyncio.Lock)

    @classmethod
    def open(cls, database: databases.Database, dues: Collection[str] = ()) -> Stage:
        """dues: the sweeps that matter to what is played, by name."""
        loop = asyncio.Runner(loop_factory=uvloop.new_event_loop)
        return loop.run(cls._open(database, loop, frozenset(dues)))

    @classmethod
    async def _open(cls, database: databases.Database, loop: asyncio.Runner, dues: frozenset[str]) -> Stage:
        cast, network, signer = Cast.of(database.app), Network(INSTITUTION.ispb), new_signing_key(os.urandom)
        keys = SigningKeys((signer,), (location_key("model", f"https://{_HOST}/jwks"),), os.urandom(32))
        own = OwnKeys(keys, partial(_unchanged, keys), f"https://{_HOST}", time.monotonic)
        rail: Any = network
        house = wiring.AppContext(
            cast.database, cast.runner, cast.chance, cast.key_ring, own, _PLACE, rail, frozenset({_HOST}), registry=rail
        )
        work = Database(database.work, size=2)
        books = await connected(database.audit)
        stage = cls(cast, work, network, house, signer, books, loop, dues)
        stage._assemble()
        await cast.act(cast.id(), FoundCompany("Instituicao", cast.key_ring, RAILS, 0))
        return stage

    def _assemble(self) -> None:
        """The application, and the lanes of a worker that concern Pix."""
        house, cast, work = self.house, self.cast, self.work
        routes = wiring.routes(house)
        self._asgi: Any = application(wiring.gate(house), wiring.operations(house), routes, wiring.public(house))
        self._runner = runner = cast.another_process()
        ways = Ways(INSTITUTION, house.directory, house.charges, Banks(sandbox=True))
        self._inbox = Inbox(cast.database, work, cast.chance, INSTITUTION.ispb)
        self._sender = Sender(cast.database, work, runner, cast.chance, port.PIX, self.network)
        self._handler = Handler(cast.database, work, runner, cast.chance, inbox_handlers.inbox_verbs(_PLACE))
        self._asker = StatusPoller(cast.database, work, self._inbox, port.PIX, self.network, outbox_lines.WAITING[port.PIX])
        rail: Any = self.network
        self._due = [due for due in dues_of(_PLACE, rail, ways, CatchUp({})) if due.name in self.dues]
        assert len(self._due) == len(self.dues)

    def close(self) -> None:
        """Lets go of the database."""
        self.loop.run(self._close())
        self.loop.close()

    async def _close(self) -> None:
        await self.books.close()
        await self.work.close()
        await self.cast.close()

    # ── one example ──

    async def begin(self, holder: Holder = ANA) -> Seller:
        """A new company of Ana's plays from here on. holder: of its account."""
        self.ana = await self.cast.found("Ana", holder)
        self.names, self.network.sent, self.network.is_silent = {}, {}, False
        # Tokens tell whole seconds: one of the second in which its client was made might be older than it.
        client = await self.cast.act(self.ana.company_id, AddClient("model", PERMISSIONS))
        self._token = issue(
            self.signer, issuer=f"https://{_HOST}", client_id=client["clientId"],
            company_id=str(self.ana.company_id), now_machine=time.time(), jti=os.urandom(8).hex(), audience=SCOPE,
        )  # fmt: skip
        return self.ana

    async def lawful(self) -> None:
        """AssertionError: a law is broken in what this example has made."""
        found = await broken(self.books.fetch, at_rest=False, companies=[self.ana.company_id])
        assert found == {}, found

    # ── clients ──

    async def ask(self, method: str, target: str, body: Any = None, key: str | None = None) -> Answer:
        """A request of Ana's client, and its answer, which must be as the document says. target: path and query."""
        path, _, query = target.partition("?")
        raw = b"" if body is None else msgspec.json.encode(body)
        headers = [(b"host", _HOST.encode()), (b"authorization", b"Bearer " + self._token.encode())]
        headers += [(b"content-type", b"application/json")] if raw else []
        headers += [] if key is None else [(b"idempotency-key", key.encode())]
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http", "path": path,
            "raw_path": path.encode(), "query_string": query.encode(), "root_path": "", "headers": headers,
            "client": ("127.0.0.1", 50_000), "server": ("127.0.0.1", 80), "state": {},
        }  # fmt: skip
        sent: list[Any] = []

        async def receive() -> Any:
            return {"type": "http.request", "body": raw, "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        await self._asgi(scope, receive, send)
        start, *parts = sent
        told = {name.decode(): value.decode("latin-1") for name, value in start["headers"]}
        answer = Answer(start["status"], told, b"".join(part.get("body", b"") for part in parts))
        contract().holds(method, target, answer.status, answer.headers, answer.body)
        return answer

    def id_of(self, name: str) -> str:
        """The id of what the model calls so; one that nothing has where it was never made."""
        return next((found for found, known in self.names.items() if known == name), "00000000-0000-4000-8000-000000000000")

    # ── the network, time, the worker ──

    async def tell(self, message: port.NetworkMessage) -> str:
        """The network says something, and everything that follows is done; what the message was settled with."""
        await self._inbox.keep([message])
        await self.rest()
        ((outcome,),) = await self.look(
            "SELECT outcome FROM inbox WHERE company_id = $1 AND network_id = $2", self.ana.company_id, message.network_id
        )
        return str(outcome)

    async def now(self) -> datetime:
        """Business time."""
        async with self.cast.database.session() as session:
            now: datetime = await session.value("SELECT business_now()")
        return now

    async def advance(self, ahead: timedelta) -> None:
        """It is suddenly later, and everything that fell due meanwhile is done."""
        async with self.cast.database.session() as session:
            await session.fetch(_JUMP, ahead // timedelta(microseconds=1))
        await self._asker.round()
        await self.rest()

    async def rest(self) -> None:
        """The lanes run until nothing is due. One worker: two who ask for it take turns."""
        async with self._turn:
            # New ones, which remember nothing that they have looked at in vain, and so leave nothing alone for a while.
            sweeps = [Sweep(due, self.work, self._runner) for due in self._due]
            for _ in range(_ENOUGH):
                worked = []
                for lane in (self._sender.queue, self._handler.queue)[not self.is_sending :]:
                    worked.append(await lane.round())
                    await lane.rest()
                worked += [await sweep.round() for sweep in sweeps]
                if not any(worked):
                    return
        raise AssertionError("this moment never comes to rest")

    # ── what is so ──

    async def digest(self) -> list[tuple[Any, ...]]:
        """How many rows each table has of Ana's company, and which transaction wrote the newest: equal, where nothing was written."""
        if not self._digest_sql:
            tables = await self.look(
                "SELECT c.relname::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'company_id'"
                " WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' ORDER BY 1"
            )
            self._digest_sql = " UNION ALL ".join(
                f"SELECT '{name}', count(*), max(xmin::text::bigint) FROM {name} WHERE company_id = $1" for (name,) in tables
            )
        return [tuple(row) for row in await self.look(self._digest_sql, self.ana.company_id)]

    async def look(self, sql: str, *arguments: Any) -> list[Any]:
        """What the auditor sees, who sees everything; one look after the other."""
        async with self._looking:
            return list(await self.books.fetch(sql, *arguments))

    async def events(self) -> dict[str, tuple[str, ...]]:
        """What was told of each object, in order, by its id."""
        rows = await self.look(
            "SELECT reference_id::text AS id, array_agg(type ORDER BY created_at, id) AS types FROM events"
            " WHERE company_id = $1 GROUP BY 1", self.ana.company_id,
        )  # fmt: skip
        return {row["id"]: tuple(row["types"]) for row in rows}

    def run(self, act: Awaitable[Any]) -> Any:
        """What is awaited, in the loop of this stage."""
        return self.loop.run(act)  # type: ignore[arg-type]


async def _unchanged(keys: SigningKeys) -> SigningKeys:
    return keys
