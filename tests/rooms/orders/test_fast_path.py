"""Orders that a partner collects, made from memory in one round trip: what is remembered is never believed after a change."""

from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import count
from typing import Any

import msgspec
import pytest
from tests.cast import DORA, PLACE, Cast, Seller

from lastro import orders
from lastro.api_kit.routes import Incoming
from lastro.companies import Route, RouteOrders, business_now
from lastro.core.clock import BusinessClock
from lastro.core.errors import Kind, Refused
from lastro.core.runner import Reply, Runner
from lastro.orders.numbers import AT_ONCE, GOOD_FOR, Numbers
from lastro.rails.health import FAILURES
from lastro.rails.port import COLLECTING, PAYNET, PAYNET2

from .cards import BENITO, BROWSER, TYPED, Acquirer
from .shop import Shop
from .test_partners_away import Sendings

HERE = replace(PLACE, partners=frozenset(COLLECTING))
CURRENCIES = {"BOLETO": "BRL", "DEPOSIT": "BRL"}
METHODS = ("BOLETO", "DEPOSIT", "SPEI", "OXXO", "OXXOPAY", "PAYNET", "CREDIT_CARD")
SECOND = timedelta(seconds=1)


@dataclass
class Desk:
    """A process of its own: what it remembers, and time that stands still but for a microsecond each time it is looked at."""

    cast: Cast
    ana: Seller
    acquirer: Acquirer = field(default_factory=Acquirer)
    clock: BusinessClock = field(default_factory=lambda: BusinessClock(count(0, 1e-6).__next__))
    tokens: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.runner = Runner(self.cast.database, self.clock, self.cast.chance)
        self._route = next(r for r in orders.routes(HERE, None, self.acquirer) if r.operation == "create_order")
        self._codes = count()

    @property
    def remembered(self) -> int:
        """How many of its orders were made from memory."""
        return self.runner.remembered["act"]

    async def ask(self, method: str, seller: Seller | None = None, **order: Any) -> Reply | Refused:
        who = seller or self.ana
        given = {
            "externalId": f"fast-{next(self._codes)}", "paymentMethod": method, "description": "Flores",
            "amount": {"currency": CURRENCIES.get(method, "MXN"), "value": "123.45"},
            "notificationUrl": "https://shop.example.com/hook", "accountId": str(who.account_id), **order,
        }  # fmt: skip
        if method == "CREDIT_CARD" and "paymentDetails" not in order:
            given["paymentDetails"] = {"cardToken": await self.token(), "browser": BROWSER}
        body = {"order": given, "customer": BENITO}
        verb = self._route.parse(Incoming(who.company_id, {}, {}, msgspec.json.encode(body), body, None))
        assert not isinstance(verb, Refused), verb
        return await self.runner.run(who.client.call(), verb)

    async def make(self, method: str, **order: Any) -> dict[str, Any]:
        reply = await self.ask(method, **order)
        assert isinstance(reply, Reply), reply
        return dict(msgspec.json.decode(reply.body))

    async def token(self) -> str:
        """Of a card that Ana's company keeps."""
        if "card" not in self.tokens:
            made = await self.make("CREDIT_CARD", paymentDetails={"creditCard": TYPED, "browser": BROWSER})
            self.tokens["card"] = made["card"]["cardToken"]
        return self.tokens["card"]

    async def waits(self, passed: timedelta) -> None:
        """Time passes, and nothing is read meanwhile but the clock."""
        async with self.cast.database.session() as session:
            self.clock.learn(await business_now(session) + passed, self.clock.version)

    async def instruments(self) -> list[tuple[str, str]]:
        """Whose each order's is, and its reference, in the order in which they were made."""
        sql = (
            "SELECT i.rail, i.reference FROM orders o JOIN instruments i ON i.order_id = o.id"
            " JOIN outbox m ON m.reference_id = o.id AND m.rail = i.rail AND m.network_id = i.reference ORDER BY o.created_at"
        )
        return [(row[0], row[1]) for row in await Shop(self.cast, self.ana).rows(sql)]


@pytest.fixture
async def desk(cast: Cast, ana: Seller) -> Desk:
    return Desk(cast, ana)


@pytest.mark.parametrize("method", METHODS)
async def test_what_was_read_once_is_not_read_again(desk: Desk, method: str) -> None:
    made = [await desk.make(method) for _ in range(3)]
    assert desk.remembered == 2
    shown = [{**one, "id": "", "externalId": ""}.keys() for one in made]
    assert shown[0] == shown[1] == shown[2], "the answer is that of the long way"
    written = (await desk.instruments())[-3:]
    assert len(set(written)) == 3, "each has a number of its own, and its partner is told of it"


@pytest.mark.parametrize("method", METHODS)
async def test_a_fee_that_changed_is_what_the_next_order_costs(desk: Desk, method: str) -> None:
    async def fixed() -> str:
        return str((await desk.make(method))["fees"]["fixed"]["value"])

    assert [await fixed() for _ in range(2)] == ["0.00"] * 2
    await desk.cast.set_fees(desk.ana.company_id, 10, method=method)
    assert desk.remembered == 1
    assert [await fixed() for _ in range(2)] == ["0.10"] * 2
    assert desk.remembered == 2


@pytest.mark.parametrize("method", METHODS)
async def test_an_account_that_was_closed_takes_no_more(desk: Desk, method: str) -> None:
    await desk.make(method)
    await desk.make(method)
    before = await desk.instruments()
    await desk.cast.account_becomes(desk.ana.company_id, "CLOSED", desk.ana.account_id)
    refused = await desk.ask(method)
    assert isinstance(refused, Refused)
    assert [(p.field, p.issue) for p in refused.problems] == [("order.accountId", "NOT_ALLOWED")]
    assert await desk.instruments() == before


async def test_a_code_that_is_taken_is_refused_as_ever(desk: Desk) -> None:
    await desk.make("OXXO", externalId="same")
    refused = await desk.ask("OXXO", externalId="same")
    assert isinstance(refused, Refused)
    assert refused.kind is Kind.CONFLICT
    assert len(await desk.instruments()) == 1


async def test_a_route_that_changed_leads_the_next_order(desk: Desk) -> None:
    await desk.make("PAYNET")
    await desk.make("PAYNET")
    await desk.cast.act(desk.ana.company_id, RouteOrders("PAYNET", Route(PAYNET2)))
    await desk.make("PAYNET")
    await desk.make("PAYNET")
    assert [rail for rail, _ in await desk.instruments()] == [PAYNET, PAYNET, PAYNET2, PAYNET2]
    assert desk.remembered == 2


async def test_who_is_away_is_remembered_for_a_second(desk: Desk) -> None:
    """And by whichever order it was read."""
    await desk.cast.act(desk.ana.company_id, RouteOrders("PAYNET", Route(PAYNET, PAYNET2)))
    worker = Sendings(Shop(desk.cast, desk.ana), PAYNET)
    try:
        for _ in range(2):
            await desk.make("PAYNET")
        await worker.end("not_sent", FAILURES)
        await desk.make("PAYNET")
        assert desk.remembered == 2
        await desk.waits(2 * SECOND)
        await desk.make("PAYNET")
        assert desk.remembered == 2, "it is read again"
        await desk.make("PAYNET")
        assert desk.remembered == 3
    finally:
        await worker.end("sent")
    await desk.waits(2 * SECOND)
    await desk.make("OXXO")  # has read who is away
    await desk.make("PAYNET")
    assert desk.remembered == 4
    assert [rail for rail, _ in await desk.instruments()] == [PAYNET] * 3 + [PAYNET2] * 2 + ["oxxo", PAYNET]


async def test_without_a_fallback_nobody_asks_who_is_away(desk: Desk) -> None:
    await desk.make("PAYNET")
    await desk.waits(3 * SECOND)
    await desk.make("PAYNET")
    assert desk.remembered == 1


async def test_a_card_is_remembered_for_its_company_alone(desk: Desk) -> None:
    details = {"cardToken": await desk.token(), "browser": BROWSER}
    for _ in range(2):
        await desk.make("CREDIT_CARD", paymentDetails=details)
    assert desk.remembered == 1
    dora = await desk.cast.found("Dora", DORA)
    for _ in range(2):
        refused = await desk.ask("CREDIT_CARD", dora, paymentDetails=details)
        assert isinstance(refused, Refused)
        assert [p.field for p in refused.problems] == ["order.paymentDetails.cardToken"]


async def test_a_number_is_typed_to_the_acquirer_each_time(desk: Desk) -> None:
    for _ in range(3):
        await desk.make("CREDIT_CARD", paymentDetails={"creditCard": TYPED, "browser": BROWSER})
    assert (desk.remembered, len(desk.acquirer.told)) == (0, 3)


async def test_a_number_that_grew_old_is_never_used(desk: Desk) -> None:
    """Where the database has moved to another server meanwhile, somebody else may have been given it."""
    await desk.make("OXXO")
    await desk.make("OXXO")
    await desk.waits(GOOD_FOR + SECOND)
    await desk.make("OXXO")
    assert desk.remembered == 1


async def test_no_two_processes_share_a_number(cast: Cast) -> None:
    one, other = Numbers(), Numbers()
    async with cast.database.session() as session:
        now = await business_now(session)
        used = [await numbers.take(session, now) for _ in range(AT_ONCE) for numbers in (one, other)]
        assert len(set(used)) == 2 * AT_ONCE
        left = {number for number, _ in one.left}
        assert left, "a block was taken before the first was used up"
        again = [await one.take(session, now + GOOD_FOR + SECOND) for _ in range(3)]
    assert not {*used, *left}.intersection(again)
