"""The rails of tills against their networks: what is sent, what is told, and whose it is though no reference says so."""

import asyncio
import random
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import aiohttp
import pytest
import uvicorn

from lastro.core.money import Money
from lastro.core.secrets import Secret
from lastro.rails import port
from lastro.rails.cash import Cash
from lastro.rails.cash.statements import statements
from lastro.rails.catch_up import CatchUp
from lastro.rails.inbox import Inbox
from lastro.rails.network_client import NetworkClient
from lastro.rails.port import Pending, Permanent, Transient, Unknown
from lastro.rails.sending import Sender
from lastro.standards import cash_references
from lastro_sim.__main__ import Server
from lastro_sim.application import build
from lastro_sim.bells import Bells
from lastro_sim.cash.api import NAMED as PARTNERS_BY_NAME
from lastro_sim.chance import Dice
from lastro_sim.clock import Clock
from lastro_sim.collecting import movements
from lastro_sim.network import Network
from lastro_sim.settings import Settings
from lastro_sim.store import Store

from .conftest import DEADLINE_SECONDS, House, Scene, until
from .network import ISPB, TOKEN

NOW = datetime(2026, 11, 23, 13, 0, tzinfo=UTC)
PAYER = port.Person("Lucía Ñuñez", "CURP", "NUXL900101MDFXXC09")
ANA = port.Person("Ana Comercio Ltda", "CNPJ", "11222333000181")
NOBODY = UUID(int=0)
# By rail: how references look, and what is told of a payment.
FORMS = {
    port.OXXO: (cash_references.OXXO, ["collection.announced", "collection.settled"]),
    port.OXXOPAY: (cash_references.OXXO_PAY, ["collection.settled"]),
    port.PAYNET: (cash_references.PAYNET, ["collection.settled"]),
}


def order(rail: str, sequence: int = 1, cents: int = 10_000) -> port.CollectionOrder:
    reference = cash_references.reference(FORMS[rail][0], sequence)
    until_when = NOW + timedelta(days=3)
    return port.CollectionOrder(reference, Money(cents, "MXN"), PAYER, ANA, "Pedido 1", "pedido-1", until_when)


@dataclass
class Street:
    """A scene, the networks of tills beside it, and the lanes of one of them."""

    scene: Scene
    house: House
    network: Network
    url: str
    rail: str
    cash: Cash
    inbox: Inbox

    async def act(self, path: str, **body: Any) -> Any:
        async with aiohttp.ClientSession(self.url) as client, client.post(path, json=body) as answered:
            assert answered.status == 200, await answered.text()
            return await answered.json()

    async def registered(self, wanted: port.CollectionOrder) -> None:
        await self.cash.send(port.COLLECTION_SEND, wanted.reference, port.encode(wanted), NOBODY)

    async def known(self, reference: str) -> None:
        """There is an order of Ana's with this voucher."""
        admin, ana, order_id = self.scene.admin, self.house.ana, self.scene.chance.uuid(NOW)
        account_id = await admin.fetchval("SELECT account_id FROM account_numbers WHERE number = $1", self.house.account)
        await admin.execute(
            "INSERT INTO accounts (company_id, id, number, branch, status, holder_type, full_name, document_type, document_number,"
            " email, phone, created_at, updated_at) VALUES ($1, $2, $3, '0001', 'ACTIVE', 'ORGANIZATION', 'Ana', 'CNPJ',"
            " '11222333000181', 'a@example.com', '+5511987650001', $4, $4) ON CONFLICT DO NOTHING",
            ana, account_id, self.house.account, NOW,
        )  # fmt: skip
        await admin.execute(
            "INSERT INTO orders (company_id, id, account_id, external_id, origin, payment_method, status, currency, description,"
            " created_at, updated_at) VALUES ($1, $2, $3, $4, 'TRANSPARENT', 'OXXO', 'INITIAL', 'MXN', 'Pan', now(), now())",
            ana, order_id, account_id, reference,
        )  # fmt: skip
        await admin.execute(
            "INSERT INTO instruments (company_id, order_id, rail, reference) VALUES ($1, $2, $3, $4)",
            ana, order_id, self.rail, reference,
        )  # fmt: skip

    async def told(self, many: int) -> list[Any]:
        """So many messages, pulled by a process that then ends cleanly."""
        stop, task_rail = asyncio.Event(), Cash(self.rail, NetworkClient(self.url, Secret(TOKEN)))
        task = asyncio.ensure_future(task_rail.listen(self.inbox.keep, stop))

        async def there() -> Any:
            rows = await self.scene.inbox_rows()
            return rows if len(rows) == many else None

        try:
            return list(await until(there))
        finally:
            stop.set()
            await asyncio.wait_for(task, DEADLINE_SECONDS)
            await task_rail.close()

    def move_clock(self, by: timedelta) -> None:
        self.network.move_clock(self.network.clock.offset + by // timedelta(microseconds=1))


@pytest.fixture(params=FORMS)
async def street(request: pytest.FixtureRequest, scene: Scene, house: House, tmp_path: Path) -> AsyncIterator[Street]:
    rail, listener = str(request.param), socket.socket()
    listener.bind(("127.0.0.1", 0))
    settings = Settings(home=tmp_path, token=TOKEN, port=listener.getsockname()[1])
    store = Store(settings.store_path)
    network = Network(settings, store, Clock(lambda: datetime.now(UTC)), Dice(random.SystemRandom()), Bells())
    network.move_clock((NOW - datetime.now(UTC)) // timedelta(microseconds=1))
    server = Server(uvicorn.Config(build(network), log_level="warning", timeout_graceful_shutdown=0))
    serving = asyncio.create_task(server.serve(sockets=[listener]))

    async def started() -> bool:
        return bool(server.started)

    await until(started)
    url = f"http://127.0.0.1:{settings.port}"
    cash = Cash(rail, NetworkClient(url, Secret(TOKEN)))
    inbox = Inbox(scene.database, scene.work, scene.chance, ISPB, rail)
    try:
        yield Street(scene, house, network, url, rail, cash, inbox)
    finally:
        await cash.close()
        server.should_exit = True
        await serving
        store.close()
        listener.close()


async def test_what_is_paid_at_a_till_reaches_its_company(street: Street) -> None:
    ours, strange = order(street.rail, 1), order(street.rail, 2)
    await street.known(ours.reference)
    for wanted in (ours, strange):
        await street.registered(wanted)
    names = [(await street.act("/phone/pay", qrcodeData=wanted.reference))["paymentId"] for wanted in (ours, strange)]
    street.move_clock(timedelta(days=1))
    kinds = FORMS[street.rail][1]
    rows = await street.told(2 * len(kinds))
    for wanted, owner, name in ((ours, street.house.ana, names[0]), (strange, street.house.institution, names[1])):
        about = [row for row in rows if row["subject"] == wanted.reference]
        assert [(row["company_id"], row["rail"]) for row in about] == [(owner, street.rail)] * len(kinds)
        assert [row["kind"] for row in about] == kinds
        told = port.collected(about[-1]["body"])
        assert (told.payment_id, told.reference, told.amount) == (name, wanted.reference, Money(10_000, "MXN"))
        assert told.settled_at is not None
        assert told.payer is None, "nobody says his name at a till"


async def test_a_stream_is_read_to_its_end(street: Street) -> None:
    """More movements than one answer holds; read again, they are the same rows."""
    partner = PARTNERS_BY_NAME[street.rail]
    for _ in range(movements.LARGEST_BATCH + 20):
        movements.put(street.network, partner, "OF_ANOTHER_VERSION", {})
    for _ in range(2):
        await street.cash.catch_up(street.inbox.keep)
        assert len(await street.scene.inbox_rows()) == movements.LARGEST_BATCH + 20


async def test_a_stream_that_cannot_be_read_covers_nothing(street: Street) -> None:
    line = NetworkClient("http://127.0.0.1:1", Secret(TOKEN))
    away, there = Cash(street.rail, line), CatchUp({street.rail: (street.cash, street.inbox.keep)})
    assert not await CatchUp({street.rail: (away, street.inbox.keep)}).read(street.rail, NOW, NOW)
    assert not there.covers(street.rail, NOW)
    assert await there.read(street.rail, NOW, NOW)
    assert there.covers(street.rail, NOW)
    assert not there.covers(street.rail, NOW + timedelta(microseconds=1))
    await away.close()


async def test_a_line_of_its_statement_finds_its_company(street: Street) -> None:
    """Lines of all rails are asked about by one inbox; a reference of another rail is another voucher."""
    await street.known("93345678901234")
    pix = Inbox(street.scene.database, street.scene.work, street.scene.chance, ISPB)
    told = [
        port.NetworkMessage(port.COLLECTION_SETTLED, rail, "93345678901234", b"{}", rail=rail, instrument="93345678901234")
        for rail in (street.rail, port.BOLETO)
    ]
    _, owners = await pix.owners(told)
    assert owners == {street.rail: street.house.ana, port.BOLETO: street.house.institution}


async def test_its_statement_tells_the_same(street: Street) -> None:
    wanted = order(street.rail)
    await street.registered(wanted)
    name = (await street.act("/phone/pay", qrcodeData=wanted.reference))["paymentId"]
    street.move_clock(timedelta(days=2))
    await street.told(len(FORMS[street.rail][1]))
    line = NetworkClient(street.url, Secret(TOKEN))
    settled_on = date(2026, 11, 24 if street.rail == port.OXXO else 23)
    page = await statements(street.rail, line).statement(settled_on, None)
    await line.close()
    assert page is not None
    (one,) = page.lines
    assert (one.kind, one.network_id, one.reference) == (port.IN, name, wanted.reference)
    assert (one.amount, one.told.kind) == (Money(10_000, "MXN"), port.COLLECTION_SETTLED)
    assert (one.told.rail, one.told.instrument) == (street.rail, wanted.reference)


REGISTERING: list[tuple[str, type[Exception], type[object]]] = [
    ("reject", Permanent, Unknown), ("timeout", Transient, Unknown), ("down", Transient, Unknown),
    ("lost-answer", Transient, Pending),
]  # fmt: skip


async def test_registering_and_closing(street: Street) -> None:
    for sequence, (behaviour, error, known) in enumerate(REGISTERING):
        wanted = order(street.rail, sequence)
        await street.act("/faults", operation=street.rail, behaviour=behaviour)
        with pytest.raises(error):
            await street.registered(wanted)
        assert isinstance(await street.cash.became(port.COLLECTION_SEND, wanted.reference), known), behaviour
        await street.registered(wanted)
        await street.registered(wanted)
        close, name = port.encode(port.CollectionClose(wanted.reference)), f"close:{wanted.reference}"
        for _ in range(2):
            await street.cash.send(port.COLLECTION_CLOSE, name, close, NOBODY)
        assert isinstance(await street.cash.became(port.COLLECTION_CLOSE, name), Pending)
        assert (await street.act("/phone/pay", qrcodeData=wanted.reference))["code"] == "CHARGE_REMOVED"
    with pytest.raises(ValueError, match="pix"):
        await street.cash.send("pix.answer", "x", b"{}", NOBODY)


async def test_a_return_is_refused_without_asking(street: Street) -> None:
    sender = Sender(
        street.scene.database, street.scene.work, street.scene.runner, street.scene.chance, street.rail, street.cash
    )
    now, chance = await street.scene.now(), street.scene.chance
    back = port.ReturnOrder("D1234", "P1", Money(100, "MXN"), "MD06")
    await street.scene.put(
        street.house.ana, port.return_message(back, chance.uuid(now), chance.uuid(now), now, rail=street.rail)
    )
    await sender.lane.drain()
    (row,) = await street.scene.inbox_rows()
    final = port.return_final(row["body"])
    assert (row["kind"], row["rail"]) == (port.RETURN_FINAL, street.rail)
    assert (final.settled, final.code, final.return_id) == (False, "NO_RETURNS", "D1234")
