"""Crypto partners beside what every partner does: the rate that is asked, its order, and the app that pays it."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal

import aiohttp
import pytest

from lastro.core.money import Money
from lastro.rails import port
from lastro.rails.collecting import Collecting, PartnerQuotes
from lastro.rails.port import Pending, Permanent, Transient, Unknown
from lastro.standards.own_numbers import own_digits

from .conftest import NOW, Town
from .network import TOKEN
from .test_collecting import ANA, ENDS, NOBODY, PAYER


def wish(sequence: int = 1, cents: int = 10_000, brand: str = "BINANCE") -> port.QuoteWish:
    return port.QuoteWish(own_digits(7, sequence), brand, Money(cents, "BRL"), ENDS, ANA, "Pedido 1")


@dataclass
class App:
    """A town, and what speaks to one of its crypto partners."""

    town: Town
    rail: Collecting
    quotes: PartnerQuotes

    async def fault(self, behaviour: str, operation: str = "crypto") -> None:
        await self.town.act("/faults", operation=operation, behaviour=behaviour)

    async def opened(self, asked: port.QuoteWish, amount: Money | None = None) -> None:
        order = port.CollectionOrder(
            asked.reference, amount or asked.amount, PAYER, ANA, "Pedido 1", "pedido-1", asked.valid_until
        )
        await self.rail.send(port.COLLECTION_SEND, asked.reference, port.encode(order), NOBODY)

    async def knows(self, asked: port.QuoteWish) -> object:
        return await self.rail.status_of(port.COLLECTION_SEND, asked.reference)


@pytest.fixture
async def app(town: Town) -> AsyncIterator[App]:
    quotes = PartnerQuotes(port.CRYPTO, town.line())
    yield App(town, town.rail(port.CRYPTO), quotes)
    await quotes.close()


async def test_a_rate_is_given_once_and_moves_for_others(app: App) -> None:
    quote = await app.quotes.quote(wish())
    assert (quote.reference, quote.amount, quote.asset, quote.valid_until) == (wish().reference, wish().amount, "USDT", ENDS)
    worth = Decimal(quote.rate) * Decimal(quote.asset_amount)
    assert Decimal("100.00") <= worth < Decimal("100.01"), "what is given is worth what is asked"
    app.town.move_clock(minutes=7)
    assert await app.quotes.quote(wish()) == quote, "the same under the same reference"
    assert (await app.quotes.quote(wish(2))).rate != quote.rate
    assert (await app.quotes.quote(wish(3, brand="BITSO"))).asset == "BTC"
    with pytest.raises(Transient, match="QUOTE_DIFFERS"):
        await app.quotes.quote(wish(cents=10_001))


NO_RATE: list[tuple[str, type[Exception], int]] = [
    ("reject", Permanent, 404), ("timeout", Transient, 404), ("down", Transient, 404), ("lost-answer", Transient, 200),
]  # fmt: skip


async def test_no_rate(app: App) -> None:
    for sequence, (behaviour, error, status) in enumerate(NO_RATE):
        asked = wish(sequence)
        await app.fault(behaviour, "quote")
        with pytest.raises(error):
            await app.quotes.quote(asked)
        async with aiohttp.ClientSession(app.town.url, headers={"authorization": f"Bearer {TOKEN}"}) as client:
            answered = await client.get(f"/crypto/v1/quotes/{asked.reference}")
        assert answered.status == status, behaviour
        assert (await app.quotes.quote(asked)).reference == asked.reference


async def test_two_partners_of_one_protocol_know_nothing_of_each_other(app: App) -> None:
    beside = App(app.town, app.town.rail(port.CRYPTO2), PartnerQuotes(port.CRYPTO2, app.town.line()))
    try:
        await app.town.act("/faults", operation="quote", behaviour="down", match={"partner": "crypto"})
        with pytest.raises(Transient):
            await app.quotes.quote(wish())
        quote = await beside.quotes.quote(wish())
        assert f"/crypto2/app/{wish().reference}" in quote.universal_url
        await beside.opened(wish())
        with pytest.raises(Permanent, match="UNKNOWN_QUOTE"):
            await app.opened(wish())
        async with aiohttp.ClientSession() as client:
            assert "<form" in await (await client.get(quote.universal_url)).text()
        assert (await app.town.act("/phone/pay", qrcodeData=quote.qr_text))["status"] == "PENDING"
        assert isinstance(await beside.knows(wish()), Pending)
    finally:
        await beside.quotes.close()


async def test_nobody_pays_a_quote_before_it_has_its_order(app: App) -> None:
    asked = wish()
    assert isinstance(await app.knows(asked), Unknown)
    quote = await app.quotes.quote(asked)
    assert isinstance(await app.knows(asked), Unknown), "a quote alone"
    async with aiohttp.ClientSession(app.town.url) as client:
        assert "<form" not in await (await client.get(f"/crypto/app/{asked.reference}")).text()
        with pytest.raises(Permanent, match="AMOUNT_DIFFERS"):
            await app.opened(asked, Money(1, "BRL"))
        for _ in range(2):
            await app.opened(asked)
        assert isinstance(await app.knows(asked), Pending)
        assert quote.asset_amount in await (await client.get(f"/crypto/app/{asked.reference}")).text()
        read = await app.town.act("/phone/read", qrcodeData=quote.qr_text)
        assert (read["kind"], read["amount"], read["reference"]) == ("CRYPTO", "100.00", asked.reference)
        refused = await app.town.act("/phone/pay", qrcodeData=quote.qr_text, amount="99.99")
        assert refused["code"] == "AMOUNT_NOT_ALLOWED"
        paid = await client.post(f"/crypto/app/{asked.reference}", data={"act": "pay", "payer": "12345678909"})
        assert (paid.status, "/phone/slip/" in str(paid.url)) == (200, True)
    assert (await app.town.act("/phone/pay", qrcodeData=quote.qr_text))["code"] == "ALREADY_PAID"
    with pytest.raises(Permanent, match="UNKNOWN_QUOTE"):
        await app.opened(wish(9))


async def test_a_payment_that_is_seen_and_dropped(app: App) -> None:
    asked = wish(cents=700_905)
    quote = await app.quotes.quote(asked)
    await app.opened(asked)
    await app.town.act("/phone/pay", qrcodeData=quote.qr_text)
    app.town.move_clock(minutes=2)
    (dropped,) = await app.town.told(port.CRYPTO, 1, port.COLLECTION_VOID)
    assert port.collection_void(dropped["body"]).reference == asked.reference


async def test_declining_and_what_is_over(app: App) -> None:
    over, declined = wish(1), wish(2)
    for one in (over, declined):
        await app.quotes.quote(one)
        await app.opened(one)
    async with aiohttp.ClientSession(app.town.url) as client:
        await client.post(f"/crypto/app/{declined.reference}", data={"act": "decline"})
    assert (await app.town.act("/phone/pay", qrcodeData=declined.reference))["code"] == "CHARGE_REMOVED"
    app.town.move_clock(minutes=31)
    assert (await app.town.act("/phone/pay", qrcodeData=over.reference))["code"] == "EXPIRED"
    with pytest.raises(Permanent, match="TERM_OVER"):
        await app.quotes.quote(replace(wish(9), valid_until=NOW + timedelta(minutes=30)))
