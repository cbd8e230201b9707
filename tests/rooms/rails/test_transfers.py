"""The rails of banks of account numbers against the simulated ones: what is sent, what is told, and what is asked."""

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
from lastro.rails.network_client import NetworkClient
from lastro.rails.port import NetworkMessage, Pending, Permanent, Transient, Unknown
from lastro.rails.transfers import Deposit, Spei, deposit_statements, spei_statements
from lastro.standards import clabe, receiving_accounts
from lastro_sim.__main__ import Server
from lastro_sim.application import build
from lastro_sim.bells import Bells
from lastro_sim.chance import Dice
from lastro_sim.clock import Clock
from lastro_sim.network import Network
from lastro_sim.settings import Settings
from lastro_sim.store import Store

from .conftest import DEADLINE_SECONDS, until
from .network import TOKEN

NOW = datetime(2026, 11, 23, 13, 0, tzinfo=UTC)
PAYER = port.Person("Lucía Ñuñez", "CURP", "NUXL900101MDFXXC09")
ANA = port.Person("Ana Comercio Ltda", "CNPJ", "11222333000181")
NOBODY = UUID(int=0)
CLABE = str(clabe.Clabe("990", "180", clabe.own_account(7)))
ACCOUNT = str(receiving_accounts.own("991", "0001", 7))
# By rail: its adapter, its statements, a number there and its currency.
BANKS = {port.SPEI: (Spei, spei_statements, CLABE, "MXN"), port.DEPOSIT: (Deposit, deposit_statements, ACCOUNT, "BRL")}


@dataclass
class Branch:
    """A bank of account numbers and our adapter of it."""

    network: Network
    url: str
    rail: str
    adapter: Any

    @property
    def number(self) -> str:
        return BANKS[self.rail][2]

    async def act(self, path: str, **body: Any) -> Any:
        async with aiohttp.ClientSession(self.url) as client, client.post(path, json=body) as answered:
            assert answered.status == 200, await answered.text()
            return await answered.json()

    async def opened(self, cents: int = 10_000) -> None:
        amount = Money(cents, BANKS[self.rail][3])
        wanted = port.CollectionOrder(self.number, amount, PAYER, ANA, "Pedido 1", "pedido-1", NOW + timedelta(days=3))
        await self.adapter.send(port.COLLECTION_SEND, self.number, port.encode(wanted), NOBODY)

    async def paid(self, value: str) -> str:
        return str((await self.act("/phone/pay", qrcodeData=self.number, amount=value))["paymentId"])

    async def back(self, payment_id: str, cents: int, return_id: str) -> None:
        asked = port.ReturnOrder(return_id, payment_id, Money(cents, BANKS[self.rail][3]), "MD06")
        await self.adapter.send(port.RETURN_SEND, return_id, port.encode(asked), NOBODY)

    async def told(self, many: int) -> list[NetworkMessage]:
        """So many messages of its stream."""
        stop, found = asyncio.Event(), list[NetworkMessage]()

        async def keep(messages: Any) -> None:
            found.extend(messages)

        task = asyncio.ensure_future(self.adapter.listen(keep, stop))

        async def there() -> bool:
            return len(found) >= many

        try:
            await until(there)
        finally:
            stop.set()
            await asyncio.wait_for(task, DEADLINE_SECONDS)
        return found


@pytest.fixture(params=BANKS)
async def branch(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Branch]:
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
    adapter = BANKS[rail][0](NetworkClient(url, Secret(TOKEN)))
    try:
        yield Branch(network, url, rail, adapter)
    finally:
        await adapter.close()
        server.should_exit = True
        await serving
        store.close()
        listener.close()


async def test_what_comes_is_told_and_what_goes_back_too(branch: Branch) -> None:
    await branch.opened()
    names = [await branch.paid(value) for value in ("40.00", "60.01")]
    await branch.back(names[1], 1, "D1")
    one, other, back = await branch.told(3)
    assert {message.instrument for message in (one, other, back)} == {branch.number}
    heard = [port.collected(message.body) for message in (one, other)]
    assert [(one.payment_id, one.reference, one.amount.minor) for one in heard] == [
        (names[0], branch.number, 4000), (names[1], branch.number, 6001),
    ]  # fmt: skip
    assert heard[0].settled_at == heard[0].paid_at
    assert port.return_final(back.body).settled
    branch.network.move_clock(branch.network.clock.offset + timedelta(days=1) // timedelta(microseconds=1))
    line = NetworkClient(branch.url, Secret(TOKEN))
    page = await BANKS[branch.rail][1](line).statement(date(2026, 11, 23), None)
    await line.close()
    assert page is not None
    assert [(entry.kind, entry.amount.minor) for entry in page.lines] == [
        (port.IN, 4000), (port.IN, 6001), (port.RETURN_OUT, 1),
    ]  # fmt: skip
    assert {(entry.told.rail, entry.told.instrument) for entry in page.lines} == {(branch.rail, branch.number)}


async def test_silence_is_asked_about(branch: Branch) -> None:
    for behaviour, error, known in (
        ("reject", Permanent, Unknown), ("timeout", Transient, Unknown), ("down", Transient, Unknown),
        ("lost-answer", Transient, Pending),
    ):  # fmt: skip
        await branch.act("/faults", operation=branch.rail, behaviour=behaviour)
        with pytest.raises(error):
            await branch.opened()
        assert isinstance(await branch.adapter.became(port.COLLECTION_SEND, branch.number), known), behaviour
    await branch.opened()
    name = await branch.paid("100.00")
    assert isinstance(await branch.adapter.became(port.RETURN_SEND, "D1"), Unknown)
    await branch.act("/faults", operation="return", behaviour="timeout")
    await branch.back(name, 100, "D1")
    ended = await branch.adapter.became(port.RETURN_SEND, "D1")
    assert isinstance(ended, NetworkMessage)
    assert port.return_final(ended.body).settled
    await branch.act("/faults", operation="return", behaviour="slow", delay=60)
    await branch.back(name, 100, "D2")
    assert isinstance(await branch.adapter.became(port.RETURN_SEND, "D2"), Pending)
    with pytest.raises(Permanent):
        await branch.back(name, 9_801, "D3")
    close = port.encode(port.CollectionClose(branch.number))
    for _ in range(2):
        await branch.adapter.send(port.COLLECTION_CLOSE, f"close:{branch.number}", close, NOBODY)
    assert (await branch.act("/phone/pay", qrcodeData=branch.number))["code"] == "CHARGE_REMOVED"
    with pytest.raises(ValueError, match="has no message"):
        await branch.adapter.send("pix.answer", "x", b"{}", NOBODY)
