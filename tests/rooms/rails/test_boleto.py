"""The rail of slips against the collecting bank itself: what is sent to it, asked of it, and told by it exactly once."""

import asyncio
import random
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
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
from lastro.rails.boleto import Boleto
from lastro.rails.inbox import Inbox
from lastro.rails.network_client import NetworkClient
from lastro.rails.port import Pending, Permanent, ReturnFinal, Transient, Unknown
from lastro.rails.sending import Sender
from lastro.standards import boleto, boleto_numbers
from lastro_sim.__main__ import Server
from lastro_sim.application import build
from lastro_sim.bells import Bells
from lastro_sim.chance import Dice
from lastro_sim.clock import Clock
from lastro_sim.network import Network
from lastro_sim.settings import Settings
from lastro_sim.store import Store

from .conftest import DEADLINE_SECONDS, House, Scene, until
from .network import ISPB, TOKEN

DUE, LAST_DAY = date(2049, 3, 1), date(2049, 3, 2)
NOW = datetime(2026, 11, 23, 13, 0, tzinfo=UTC)
RETURN = "D99999010202611271300" + 11 * "a"
PAYER = port.Person("Bento", "CPF", "12345678909", "Rua A, 1")
ANA = port.Person("Ana Comercio Ltda", "CNPJ", "11222333000181")
NOBODY = UUID(int=0)


def order(sequence: int = 1, cents: int = 10_000) -> port.CollectionOrder:
    number = boleto_numbers.our_number(7, sequence)
    free_field = boleto_numbers.free_field("0001", number)
    code = boleto.barcode(boleto.Boleto(bank="990", free_field=free_field, amount_minor=cents, due_date=DUE))
    return port.CollectionOrder(number, Money(cents, "BRL"), PAYER, ANA, "Pedido 1", "pedido-1", None, DUE, LAST_DAY, code)


@dataclass
class Town:
    """A scene, the collecting bank beside it, and the lanes of its rail."""

    scene: Scene
    house: House
    network: Network
    url: str
    rail: Boleto
    inbox: Inbox
    sender: Sender

    async def act(self, path: str, **body: Any) -> Any:
        async with aiohttp.ClientSession(self.url) as client, client.post(path, json=body) as answered:
            assert answered.status == 200, await answered.text()
            return await answered.json()

    async def fault(self, behaviour: str, operation: str = "boleto") -> None:
        await self.act("/faults", operation=operation, behaviour=behaviour)

    async def registered(self, wanted: port.CollectionOrder) -> None:
        await self.rail.send(port.COLLECTION_SEND, wanted.reference, port.encode(wanted), NOBODY)

    async def paid(self, wanted: port.CollectionOrder) -> str:
        name: str = (await self.act("/phone/pay", qrcodeData=wanted.code))["paymentId"]
        return name

    async def listen_until(self, found: Callable[[], Awaitable[Any]], keep: port.Keep | None = None) -> Any:
        """Pulls with a process of its own until something is there, then stops it cleanly."""
        stop, rail = asyncio.Event(), Boleto(NetworkClient(self.url, Secret(TOKEN)))
        task = asyncio.ensure_future(rail.listen(keep or self.inbox.keep, stop))
        try:
            return await until(found)
        finally:
            stop.set()
            await asyncio.wait_for(task, DEADLINE_SECONDS)
            await rail.close()

    async def kinds(self) -> list[str]:
        return [row["kind"] for row in await self.scene.inbox_rows()]

    def move_clock(self, by: timedelta) -> None:
        self.network.move_clock(self.network.clock.offset + by // timedelta(microseconds=1))


@pytest.fixture
async def town(scene: Scene, house: House, tmp_path: Path) -> AsyncIterator[Town]:
    listener = socket.socket()
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
    rail = Boleto(NetworkClient(url, Secret(TOKEN)))
    inbox = Inbox(scene.database, scene.work, scene.chance, ISPB, port.BOLETO)
    sender = Sender(scene.database, scene.work, scene.runner, scene.chance, port.BOLETO, rail)
    try:
        yield Town(scene, house, network, url, rail, inbox, sender)
    finally:
        await rail.close()
        server.should_exit = True
        await serving
        store.close()
        listener.close()


async def test_what_a_payer_does_reaches_its_company(town: Town) -> None:
    wanted = order()
    await town.registered(wanted)
    payment = await town.paid(wanted)
    town.move_clock(timedelta(days=1))

    async def both() -> Any:
        rows = await town.scene.inbox_rows()
        return rows if len(rows) == 2 else None

    announced, settled = await town.listen_until(both)
    assert [(row["company_id"], row["rail"], row["kind"], row["subject"]) for row in (announced, settled)] == [
        (town.house.ana, "boleto", "collection.announced", wanted.reference),
        (town.house.ana, "boleto", "collection.settled", wanted.reference),
    ]  # fmt: skip
    told = port.collected(settled["body"])
    assert (told.payment_id, told.amount, told.settled_at) == (
        payment,
        wanted.amount,
        datetime(2026, 11, 24, 11, tzinfo=UTC),
    )
    assert told.payer == port.Person("Pessoa Pagadora", "CPF", "12345678909")


async def test_what_was_not_stored_is_told_again_and_what_was_is_not(town: Town) -> None:
    first, second = order(1), order(2)
    for wanted in (first, second):
        await town.registered(wanted)
    await town.paid(first)
    given: list[list[str]] = []

    async def keep(messages: list[port.NetworkMessage]) -> None:
        given.append([told.subject for told in messages])
        if len(given) == 1:
            raise OSError("the disk is full")
        await town.inbox.keep(messages)

    async def stored() -> bool:
        return len(await town.kinds()) == 1

    await town.listen_until(stored, keep)
    assert given == [[first.reference], [first.reference]]
    await town.paid(second)

    async def both() -> bool:
        return len(await town.kinds()) == 2

    await town.listen_until(both, keep)
    assert given[2:] == [[second.reference]], "a new process begins behind what the last one had confirmed"


async def test_what_is_told_twice_is_stored_once(town: Town) -> None:
    wanted = order()
    await town.registered(wanted)
    await town.paid(wanted)

    async def stored() -> bool:
        return bool(await town.kinds())

    await town.listen_until(stored)
    town.network.store.remember("slip-movements-confirmed", 0)  # as if the worker had been killed before it confirmed
    again: list[port.NetworkMessage] = []

    async def keep(messages: list[port.NetworkMessage]) -> None:
        again.extend(messages)
        await town.inbox.keep(messages)

    async def told() -> bool:
        return bool(again)

    await town.listen_until(told, keep)
    assert len(await town.kinds()) == 1


REGISTERING: list[tuple[str, type[Exception], type[object]]] = [
    ("reject", Permanent, Unknown), ("timeout", Transient, Unknown), ("down", Transient, Unknown),
    ("lost-answer", Transient, Pending),
]  # fmt: skip


async def test_registering(town: Town) -> None:
    for sequence, (behaviour, error, known) in enumerate(REGISTERING):
        wanted = order(sequence)
        await town.fault(behaviour)
        with pytest.raises(error):
            await town.registered(wanted)
        assert isinstance(await town.rail.became(port.COLLECTION_SEND, wanted.reference), known), behaviour
        await town.registered(wanted)
        await town.registered(wanted)
        assert isinstance(await town.rail.became(port.COLLECTION_SEND, wanted.reference), Pending)
    with pytest.raises(ValueError, match="pix"):
        await town.rail.send("pix.answer", "x", b"{}", NOBODY)


async def test_a_refusal_for_good_is_news_for_its_room(town: Town) -> None:
    wanted = order()
    await town.fault("reject")
    now, chance = await town.scene.now(), town.scene.chance
    message = port.collection_message(port.BOLETO, wanted, chance.uuid(now), chance.uuid(now), now)
    await town.scene.put(town.house.ana, message)
    await town.sender.lane.drain()
    (row,) = await town.scene.inbox_rows()
    assert (row["kind"], row["rail"]) == (port.COLLECTION_REFUSED, "boleto")
    assert port.collection_refused(row["body"]) == port.CollectionRefused(wanted.reference, "REGISTRATION_REFUSED")


async def test_closing(town: Town) -> None:
    wanted, paid, ahead = order(1), order(2), order(3)
    for one in (wanted, paid):
        await town.registered(one)
    await town.paid(paid)

    async def close(one: port.CollectionOrder) -> None:
        body = port.encode(port.CollectionClose(one.reference))
        await town.rail.send(port.COLLECTION_CLOSE, f"close:{one.reference}", body, NOBODY)

    for _ in range(2):
        await close(wanted)
    assert isinstance(await town.rail.became(port.COLLECTION_CLOSE, f"close:{wanted.reference}"), Pending)
    assert (await town.act("/phone/pay", qrcodeData=wanted.code))["code"] == "CHARGE_REMOVED"
    with pytest.raises(Permanent) as refused:
        await close(paid)
    assert refused.value.code == "SLIP_PAID"
    await close(ahead)
    assert isinstance(await town.rail.became(port.COLLECTION_CLOSE, f"close:{ahead.reference}"), Unknown)
    await town.registered(ahead)
    assert (await town.act("/phone/pay", qrcodeData=ahead.code))["code"] == "CHARGE_REMOVED"


async def test_giving_back(town: Town) -> None:
    wanted = order()
    await town.registered(wanted)
    payment = await town.paid(wanted)
    back = port.ReturnOrder(RETURN, payment, Money(4_000, "BRL"), "MD06", created_at=NOW)

    async def send(one: port.ReturnOrder = back) -> None:
        await town.rail.send(port.RETURN_SEND, one.return_id, port.encode(one), NOBODY)

    with pytest.raises(Permanent, match="PAYMENT_NOT_SETTLED"):
        await send()
    assert isinstance(await town.rail.became(port.RETURN_SEND, RETURN), Unknown)
    town.move_clock(timedelta(days=1))

    async def settled() -> bool:
        return "collection.settled" in await town.kinds()

    await town.listen_until(settled)
    await town.act("/faults", operation="return", behaviour="slow", delay=3600)
    await send()
    assert isinstance(await town.rail.became(port.RETURN_SEND, RETURN), Pending)
    town.move_clock(timedelta(hours=2))

    async def ended() -> Any:
        return [row for row in await town.scene.inbox_rows() if row["kind"] == port.RETURN_FINAL]

    (row,) = await town.listen_until(ended)
    assert (row["company_id"], row["subject"]) == (town.house.ana, RETURN)
    told = await town.rail.became(port.RETURN_SEND, RETURN)
    assert isinstance(told, port.NetworkMessage)
    final = port.return_final(told.body)
    assert isinstance(final, ReturnFinal)
    assert (final.settled, final.end_to_end_id, told.kind, told.subject) == (True, payment, port.RETURN_FINAL, RETURN)
    assert final == port.return_final(row["body"])
