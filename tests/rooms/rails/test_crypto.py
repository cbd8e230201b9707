"""The rail of crypto against the partner itself: the rate that is asked, what is opened, closed and told, each once."""

import asyncio
import random
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import aiohttp
import pytest
import uvicorn

from lastro.core.money import Money
from lastro.core.secrets import Secret
from lastro.rails import port
from lastro.rails.crypto import Crypto, CryptoQuotes
from lastro.rails.inbox import Inbox
from lastro.rails.network_client import NetworkClient
from lastro.rails.port import Pending, Permanent, Transient, Unknown
from lastro.standards.own_numbers import own_digits
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

NOW = datetime(2026, 11, 23, 13, 0, tzinfo=UTC)
ENDS = NOW + timedelta(minutes=30)
RETURN = "D99999010202611271300" + 11 * "a"
BENTO = port.Person("Bento", "CPF", "12345678909")
ANA = port.Person("Ana Comercio Ltda", "CNPJ", "11222333000181")
NOBODY = UUID(int=0)


def wish(sequence: int = 1, cents: int = 10_000, brand: str = "BINANCE") -> port.QuoteWish:
    return port.QuoteWish(own_digits(7, sequence), brand, Money(cents, "BRL"), ENDS, ANA, "Pedido 1")


@dataclass
class Town:
    """A scene, and the crypto partner beside it."""

    scene: Scene
    house: House
    network: Network
    url: str
    rail: Crypto
    quotes: CryptoQuotes
    inbox: Inbox

    async def act(self, path: str, **body: Any) -> Any:
        async with aiohttp.ClientSession(self.url) as client, client.post(path, json=body) as answered:
            assert answered.status == 200, await answered.text()
            return await answered.json()

    async def fault(self, behaviour: str, operation: str = "crypto") -> None:
        await self.act("/faults", operation=operation, behaviour=behaviour)

    async def opened(self, asked: port.QuoteWish, amount: Money | None = None) -> None:
        order = port.CollectionOrder(
            asked.reference, amount or asked.amount, BENTO, ANA, "Pedido 1", "pedido-1", asked.valid_until
        )
        await self.rail.send(port.COLLECTION_SEND, asked.reference, port.encode(order), NOBODY)

    async def knows(self, asked: port.QuoteWish) -> object:
        return await self.rail.became(port.COLLECTION_SEND, asked.reference)

    async def closed(self, asked: port.QuoteWish) -> None:
        body = port.encode(port.CollectionClose(asked.reference))
        await self.rail.send(port.COLLECTION_CLOSE, f"close:{asked.reference}", body, NOBODY)

    async def listen_until(self, found: Callable[[], Awaitable[Any]]) -> Any:
        """Pulls with a process of its own until something is there, then stops it cleanly."""
        stop, rail = asyncio.Event(), Crypto(NetworkClient(self.url, Secret(TOKEN)))
        task = asyncio.ensure_future(rail.listen(self.inbox.keep, stop))
        try:
            return await until(found)
        finally:
            stop.set()
            await asyncio.wait_for(task, DEADLINE_SECONDS)
            await rail.close()

    async def told(self, kind: str) -> Any:
        async def found() -> Any:
            return [row for row in await self.scene.inbox_rows() if row["kind"] == kind]

        return await self.listen_until(found)

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
    rail, quotes = Crypto(NetworkClient(url, Secret(TOKEN))), CryptoQuotes(NetworkClient(url, Secret(TOKEN)))
    inbox = Inbox(scene.database, scene.work, scene.chance, ISPB, port.CRYPTO)
    try:
        yield Town(scene, house, network, url, rail, quotes, inbox)
    finally:
        await rail.close()
        await quotes.close()
        server.should_exit = True
        await serving
        store.close()
        listener.close()


async def test_a_rate_is_given_once_and_moves_for_others(town: Town) -> None:
    quote = await town.quotes.quote(wish())
    assert (quote.reference, quote.amount, quote.asset, quote.valid_until) == (wish().reference, wish().amount, "USDT", ENDS)
    worth = Decimal(quote.rate) * Decimal(quote.asset_amount)
    assert Decimal("100.00") <= worth < Decimal("100.01"), "what is given is worth what is asked"
    town.move_clock(timedelta(minutes=7))
    assert await town.quotes.quote(wish()) == quote, "the same under the same reference"
    assert (await town.quotes.quote(wish(2))).rate != quote.rate
    assert (await town.quotes.quote(wish(3, brand="BITSO"))).asset == "BTC"
    with pytest.raises(Transient, match="QUOTE_DIFFERS"):
        await town.quotes.quote(wish(cents=10_001))


@pytest.mark.parametrize(
    ("behaviour", "error", "kept"),
    [
        ("reject", Permanent, False),
        ("timeout", Transient, False),
        ("down", Transient, False),
        ("lost-answer", Transient, True),
    ],
)
async def test_no_rate(town: Town, behaviour: str, error: type[Exception], kept: bool) -> None:
    await town.fault(behaviour, "quote")
    with pytest.raises(error):
        await town.quotes.quote(wish())
    async with aiohttp.ClientSession(town.url, headers={"authorization": f"Bearer {TOKEN}"}) as client:
        answered = await client.get(f"/crypto/v1/quotes/{wish().reference}")
    assert (answered.status == 200) is kept
    assert (await town.quotes.quote(wish())).reference == wish().reference


async def test_two_partners_of_one_protocol_know_nothing_of_each_other(town: Town) -> None:
    beside = NetworkClient(f"{town.url}/second", Secret(TOKEN))
    quotes, rail = CryptoQuotes(beside), Crypto(beside)
    try:
        await town.act("/faults", operation="quote", behaviour="down", match={"partner": "crypto"})
        with pytest.raises(Transient):
            await town.quotes.quote(wish())
        quote = await quotes.quote(wish())
        assert f"/second/crypto/app/{wish().reference}" in quote.universal_url
        body = port.encode(port.CollectionOrder(wish().reference, wish().amount, BENTO, ANA, "Pedido 1", "pedido-1", ENDS))
        await rail.send(port.COLLECTION_SEND, wish().reference, body, NOBODY)
        with pytest.raises(Permanent, match="UNKNOWN_QUOTE"):
            await town.opened(wish())
        async with aiohttp.ClientSession() as client:
            assert "<form" in await (await client.get(quote.universal_url)).text()
        assert (await town.act("/phone/pay", qrcodeData=quote.qr_text))["status"] == "PENDING"
        assert isinstance(await rail.became(port.COLLECTION_SEND, wish().reference), Pending)
    finally:
        await quotes.close()


async def test_nobody_pays_a_quote_before_it_has_its_order(town: Town) -> None:
    asked = wish()
    assert isinstance(await town.knows(asked), Unknown)
    quote = await town.quotes.quote(asked)
    assert isinstance(await town.knows(asked), Unknown), "a quote alone"
    async with aiohttp.ClientSession(town.url) as client:
        assert "<form" not in await (await client.get(f"/crypto/app/{asked.reference}")).text()
        with pytest.raises(Permanent, match="AMOUNT_DIFFERS"):
            await town.opened(asked, Money(1, "BRL"))
        for _ in range(2):
            await town.opened(asked)
        assert isinstance(await town.knows(asked), Pending)
        assert quote.asset_amount in await (await client.get(f"/crypto/app/{asked.reference}")).text()
        paid = await client.post(f"/crypto/app/{asked.reference}", data={"act": "pay", "payer": "12345678909"})
        assert (paid.status, "/phone/slip/" in str(paid.url)) == (200, True)
    assert (await town.act("/phone/pay", qrcodeData=quote.qr_text))["code"] == "ALREADY_PAID"
    with pytest.raises(Permanent, match="UNKNOWN_QUOTE"):
        await town.opened(wish(9))


async def test_what_a_payer_does_reaches_its_company(town: Town) -> None:
    asked = wish()
    quote = await town.quotes.quote(asked)
    await town.opened(asked)
    read = await town.act("/phone/read", qrcodeData=quote.qr_text)
    assert (read["kind"], read["amount"], read["reference"]) == ("CRYPTO", "100.00", asked.reference)
    refused = await town.act("/phone/pay", qrcodeData=quote.qr_text, amount="99.99")
    assert refused["code"] == "AMOUNT_NOT_ALLOWED"
    payment = (await town.act("/phone/pay", qrcodeData=quote.qr_text))["paymentId"]
    (seen,) = await town.told(port.COLLECTION_ANNOUNCED)
    assert (seen["company_id"], seen["rail"], seen["subject"]) == (town.house.ana, "crypto", asked.reference)
    back = port.ReturnOrder(RETURN, payment, asked.amount, "MD06", created_at=NOW)
    with pytest.raises(Permanent, match="PAYMENT_NOT_SETTLED"):
        await town.rail.send(port.RETURN_SEND, RETURN, port.encode(back), NOBODY)
    town.move_clock(timedelta(minutes=2))
    (settled,) = await town.told(port.COLLECTION_SETTLED)
    told = port.collected(settled["body"])
    assert (told.payment_id, told.amount, told.payer and told.payer.name) == (payment, asked.amount, "Pessoa Pagadora")
    await town.rail.send(port.RETURN_SEND, RETURN, port.encode(back), NOBODY)
    (ended,) = await town.told(port.RETURN_FINAL)
    became = await town.rail.became(port.RETURN_SEND, RETURN)
    assert isinstance(became, port.NetworkMessage)
    assert port.return_final(became.body) == port.return_final(ended["body"])
    assert (ended["company_id"], port.return_final(ended["body"]).settled) == (town.house.ana, True)


async def test_a_payment_that_is_seen_and_dropped(town: Town) -> None:
    asked = wish(cents=700_905)
    quote = await town.quotes.quote(asked)
    await town.opened(asked)
    await town.act("/phone/pay", qrcodeData=quote.qr_text)
    town.move_clock(timedelta(minutes=2))
    (dropped,) = await town.told(port.COLLECTION_VOID)
    assert port.collection_void(dropped["body"]).reference == asked.reference


async def test_closing_and_declining(town: Town) -> None:
    ended, ahead, over, declined = (wish(n) for n in range(1, 5))
    for one in (ended, ahead, over, declined):
        await town.quotes.quote(one)
    await town.opened(ended)
    for one in (ended, ended, ahead):
        await town.closed(one)
    await town.opened(ahead)
    for one in (ended, ahead):
        assert (await town.act("/phone/pay", qrcodeData=one.reference))["code"] == "CHARGE_REMOVED"
    await town.opened(declined)
    async with aiohttp.ClientSession(town.url) as client:
        await client.post(f"/crypto/app/{declined.reference}", data={"act": "decline"})
    assert (await town.act("/phone/pay", qrcodeData=declined.reference))["code"] == "CHARGE_REMOVED"
    await town.opened(over)
    town.move_clock(timedelta(minutes=31))
    assert (await town.act("/phone/pay", qrcodeData=over.reference))["code"] == "EXPIRED"
    with pytest.raises(Permanent, match="TERM_OVER"):
        await town.quotes.quote(replace(wish(9), valid_until=ENDS))
    with pytest.raises(ValueError, match="pix"):
        await town.rail.send("pix.answer", "x", b"{}", NOBODY)
