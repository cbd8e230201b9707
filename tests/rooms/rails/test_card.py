"""The rail of cards against the acquirer itself: tokens, authentication, one charge, what is told and what is asked."""

from base64 import b64decode
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import aiohttp
import msgspec
import pytest

from lastro.core.money import Money
from lastro.rails import port
from lastro.rails.collecting import PARTNERS, CardTokenizer, Collecting, statements
from lastro.rails.port import NetworkMessage, Pending, Permanent, Transient, Unknown
from lastro.standards.calendar import brasilia_day
from lastro.standards.cards import CardNumber, Expiry, SecurityCode
from lastro.standards.own_numbers import own_digits
from lastro_sim.card.numbers import BY_NUMBER

from .conftest import NOW, Town

PAYER = port.Person("Benito", "RFC", "GODE561231GR8", "Reforma, 10")
ANA = port.Person("Ana Comercio Ltda", "CNPJ", "11222333000181")
NOBODY, EXPIRY = UUID(int=0), Expiry(2049, 12)
RETURN = "D99999010202611271300" + 11 * "a"
NUMBERS = {plays: number for number, plays in BY_NUMBER.items()}


@dataclass
class Mall:
    """A town, and what speaks to its acquirer."""

    town: Town
    rail: Collecting
    tokenizer: CardTokenizer

    async def token(self, plays: str = "good") -> str:
        holder = {"name": "Benito", "document": "GOD*******"}
        made = await self.tokenizer.tokenize(CardNumber(NUMBERS[plays]), SecurityCode("123"), EXPIRY, holder)
        return made.token

    async def registered(self, plays: str, sequence: int = 1, **card: Any) -> port.CollectionOrder:
        told = port.CardOrder(await self.token(plays), 3, "http://lastro.test/checkout/x", **card)
        wanted = port.CollectionOrder(
            own_digits(7, sequence), Money(10_000, "MXN"), PAYER, ANA, "Pedido 1", "pedido-1", NOW, card=told
        )
        await self.rail.send(port.COLLECTION_SEND, wanted.reference, port.encode(wanted), NOBODY)
        return wanted

    async def charge(self, wanted: port.CollectionOrder, three_ds: port.ThreeDs | None = None) -> None:
        body = port.encode(port.CardAuthorize(wanted.reference, wanted.amount, three_ds))
        await self.rail.send(port.CARD_AUTHORIZE, port.charge_id(wanted.reference), body, NOBODY)

    async def status_of(self, wanted: port.CollectionOrder) -> Any:
        return await self.rail.status_of(port.CARD_AUTHORIZE, port.charge_id(wanted.reference))

    async def told(self, count: int) -> list[Any]:
        """What the stream has brought, once it is so much."""
        return await self.town.told(port.CARD, count)


@pytest.fixture
async def mall(town: Town) -> AsyncIterator[Mall]:
    tokenizer = CardTokenizer(town.line())
    yield Mall(town, town.rail(port.CARD), tokenizer)
    await tokenizer.close()


async def test_a_card_is_authenticated_charged_given_and_taken_back(mall: Mall) -> None:
    wanted = await mall.registered("good")
    for _ in range(2):
        await mall.charge(wanted)
    charged = port.collected((await mall.told(2))[1]["body"])
    back = port.encode(port.ReturnOrder(RETURN, charged.payment_id, Money(2_500, "MXN"), "MD06"))
    for _ in range(2):
        await mall.rail.send(port.RETURN_SEND, RETURN, back, NOBODY)
    await mall.town.act(f"/cards/{wanted.reference}/chargeback", amount="75.00", code="10.4")
    rows = await mall.told(4)
    assert [(row["company_id"], row["rail"], row["kind"]) for row in rows] == [
        (mall.town.house.ana, "card", kind)
        for kind in (port.CARD_AUTHENTICATED, port.COLLECTION_SETTLED, port.RETURN_FINAL, port.CARD_CHARGEBACK)
    ]
    said = port.card_authenticated(rows[0]["body"])
    assert (said.reference, said.status, said.challenge_url, said.eci, said.version) == (
        wanted.reference, "Y", None, "05", "2.2.0",
    )  # fmt: skip
    assert (charged.reference, charged.amount, charged.settled_at is not None) == (wanted.reference, wanted.amount, True)
    taken = port.card_chargeback(rows[3]["body"])
    assert (taken.payment_id, taken.amount, taken.code) == (charged.payment_id, Money(7_500, "MXN"), "10.4")
    final = await mall.rail.status_of(port.RETURN_SEND, RETURN)
    assert isinstance(final, NetworkMessage)
    assert port.return_final(final.body).settled
    too_much = port.encode(port.ReturnOrder(RETURN[:-1] + "b", charged.payment_id, Money(7_501, "MXN"), "MD06"))
    with pytest.raises(Permanent, match="MORE_THAN_PAID"):
        await mall.rail.send(port.RETURN_SEND, RETURN[:-1] + "b", too_much, NOBODY)


async def test_how_the_payer_was_authenticated_is_told_with_the_charge(mall: Mall) -> None:
    """The acquirer compares it with what it had told: eci, cryptogram, dsTransID and version of EMV 3-D Secure."""
    wanted = await mall.registered("good")
    said = port.card_authenticated((await mall.told(1))[0]["body"])
    assert said.three_ds is not None
    assert said.three_ds == port.ThreeDs("Y", "05", said.cryptogram, said.ds_transaction_id, "2.2.0")
    assert len(b64decode(said.cryptogram or "")) == 20
    for wrong in ("status", "eci", "cryptogram", "ds_transaction_id", "version"):
        with pytest.raises(Permanent, match="THREE_DS_DIFFERS"):
            await mall.charge(wanted, msgspec.structs.replace(said.three_ds, **{wrong: "x"}))
    await mall.charge(wanted, said.three_ds)
    assert (await mall.status_of(wanted)).kind == port.COLLECTION_SETTLED


async def test_what_is_asked_about_a_charge(mall: Mall) -> None:
    assert isinstance(await mall.rail.status_of(port.CARD_AUTHORIZE, port.charge_id(own_digits(7, 9))), Unknown)
    silent, declined = await mall.registered("silent", 1), await mall.registered("decline-57", 2)
    assert isinstance(await mall.status_of(silent), Unknown), "it was never ordered, and may be"
    assert isinstance(await mall.rail.status_of(port.COLLECTION_SEND, silent.reference), Pending)
    for one in (silent, declined):
        await mall.charge(one)
    found = await mall.status_of(silent)
    assert (found.kind, found.subject) == (port.COLLECTION_SETTLED, silent.reference)
    assert port.collected(found.body).amount == silent.amount
    found = await mall.status_of(declined)
    of = port.Facts(declined.amount, number=declined.number)
    assert port.collection_refused(found.body) == port.CollectionRefused(declined.reference, "57", of)


async def test_one_charge_whatever_is_lost(mall: Mall) -> None:
    for sequence, behaviour in enumerate(("lost-answer", "down", "timeout", "twice")):
        wanted = await mall.registered("good", sequence)
        await mall.town.act("/faults", operation="credit_card", behaviour=behaviour)
        for _ in range(3):
            try:
                await mall.charge(wanted)
            except Transient:
                continue
        async with (
            aiohttp.ClientSession(mall.town.url) as client,
            client.get(f"/cards?reference={wanted.reference}") as answered,
        ):
            (one,) = (await answered.json())["data"]
        assert one["status"] == "CAPTURED", behaviour
    taken = mall.town.network.store.rows("SELECT reference FROM item_payment WHERE partner = 'card'")
    assert len({row["reference"] for row in taken}) == len(taken) == 4


async def test_who_pays_is_asked_in_eight_ways(mall: Mall) -> None:
    plays = ("good", "attempted", "challenge", "decoupled", "not-authenticated", "unavailable", "rejected", "informational")
    wanted = [await mall.registered(one, sequence) for sequence, one in enumerate(plays)]
    skipped = await mall.registered("rejected", 50, skip_3ds=True)
    rows = await mall.told(9)
    said = {told.reference: told for told in (port.card_authenticated(row["body"]) for row in rows)}
    assert [said[one.reference].status for one in (*wanted, skipped)] == [*"YACDNURI", port.SKIPPED]
    assert str(said[wanted[2].reference].challenge_url).startswith("http://127.0.0.1:")
    for one in (wanted[2], wanted[4], wanted[6]):
        with pytest.raises(Permanent, match="NOT_AUTHENTICATED"):
            await mall.charge(one)
    await mall.town.act(f"/cards/{wanted[2].reference}/challenge", outcome="pass")
    assert port.card_authenticated((await mall.told(10))[9]["body"]).status == "Y"
    await mall.charge(wanted[2])
    await mall.rail.send(port.COLLECTION_CLOSE, "close:x", port.encode(port.CollectionClose(wanted[0].reference)), NOBODY)
    with pytest.raises(Permanent):
        await mall.charge(wanted[0])


TOKENS: list[tuple[str, dict[str, Any] | None, type[Exception]]] = [
    ("not-taken", None, Permanent), ("good", {"behaviour": "reject"}, Permanent), ("good", {"behaviour": "down"}, Transient),
]  # fmt: skip


async def test_cards_of_which_no_token_is_made(mall: Mall) -> None:
    for plays, fault, error in TOKENS:
        if fault is not None:
            await mall.town.act("/faults", operation="tokenizer", **fault)
        with pytest.raises(error) as told:
            await mall.token(plays)
        assert NUMBERS[plays] not in str(told.value)
    one, another = await mall.token(), await mall.token()
    assert one != another
    kept = [tuple(row) for row in mall.town.network.store.rows("SELECT * FROM card_token")]
    assert [(row[1:]) for row in kept] == 2 * [("good", "VISA", "1008", "12/49")]


async def test_a_day_at_the_acquirer(mall: Mall) -> None:
    wanted = await mall.registered("good")
    await mall.charge(wanted)
    await mall.town.act(f"/cards/{wanted.reference}/chargeback", amount="10.00")
    mall.town.move_clock(days=1)
    asked = statements(PARTNERS[port.CARD], mall.town.line())
    page = await asked.statement(brasilia_day(NOW), None)
    await asked.close()
    assert page is not None
    assert page.totals.adds_up
    assert [(line.kind, line.amount) for line in page.lines] == [
        (port.IN, Money(10_000, "MXN")), (port.CHARGEBACK, Money(1_000, "MXN")),
    ]  # fmt: skip
    assert [line.told.kind for line in page.lines] == [port.COLLECTION_SETTLED, port.CARD_CHARGEBACK]
