"""Orders paid by crypto, on real rows: the rate is asked before anything is written, frozen, and paid exactly or given back."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
import pytest
from tests.in_one import in_one_test
from tests.rooms.lists import answered, problems

from lastro import ledger
from lastro.companies import Route, RouteOrders
from lastro.core.errors import Kind, Refused
from lastro.core.money import Money
from lastro.core.runner import Reply
from lastro.orders import Expire
from lastro.orders.actions.quoting import misfit
from lastro.rails import port
from lastro.rails.port import CRYPTO, CRYPTO2, Permanent, Quote, Transient
from lastro.standards.own_numbers import company_of_own_digits

from . import collecting
from .collecting import HALF_AN_HOUR, HERE, Market, asking, made_of, payment, states, told, wish
from .shop import Shop


@pytest.fixture
def market() -> Market:
    return Market()


async def send(shop: Shop, market: Market, second: Market | None = None, **order: Any) -> Reply | Refused:
    markets: dict[str, port.Quotes] = {CRYPTO: market} if second is None else {CRYPTO: market, CRYPTO2: second}
    return await collecting.send(shop, wish("BINANCE_PAY", **order), asking(markets))


async def make(shop: Shop, market: Market, **order: Any) -> dict[str, Any]:
    return made_of(await send(shop, market, **order))


# ── made ──


async def test_the_rate_is_asked_once_and_stays(shop: Shop, market: Market) -> None:
    await shop.cast.set_fees(shop.ana.company_id, 200, method="BINANCE_PAY", payer="CUSTOMER")
    made = await make(shop, market)
    (wish,) = market.asked
    assert (wish.brand, wish.amount, wish.description) == ("BINANCE", Money(12545, "BRL"), "Flores")
    assert (wish.receiver.name, company_of_own_digits(wish.reference)) == (shop.ana.holder.full_name, shop.ana.number)
    assert wish.valid_until - datetime.fromisoformat(made["createdAt"]) < HALF_AN_HOUR
    charge = made["crypto"]
    assert (charge["asset"], charge["assetAmount"], charge["rate"]) == ("USDT", "22.726017", "5.4321")
    assert (charge["deeplink"], charge["universalUrl"]) == ("binance://pay/1", f"https://app.example/{wish.reference}")
    assert (made["status"], made["finalAmount"]["value"], "pix" in made) == ("INITIAL", "125.45", False)
    ((expires, ends, txid, location),) = await shop.rows("SELECT expires_at, ends_at, txid, location_token FROM orders")
    assert (expires, ends - expires) == (datetime.fromisoformat(charge["rateValidUntil"]), timedelta(seconds=60))
    assert (txid, location) == (None, None), "no Pix pays it"
    ((kind, body),) = await shop.rows("SELECT kind, body FROM outbox WHERE rail = 'crypto'")
    opened = port.collection_order(body)
    assert (kind, opened.reference, opened.amount, opened.expires_at) == (
        port.COLLECTION_SEND, wish.reference, wish.amount, expires,
    )  # fmt: skip
    market.silent = Transient("asked again")
    assert (await answered(shop.cast, shop.ana.client, "read_order", id=made["id"]))["crypto"] == charge
    (listed,) = (await answered(shop.cast, shop.ana.client, "list_orders", {"paymentMethod": "BINANCE_PAY"}))["data"]
    assert listed["crypto"] == charge


@in_one_test(
    ("silent", "kind", "wrong"),
    [
        (Transient("no answer within 5 s"), Kind.UNAVAILABLE, []),
        (Permanent("RATE_NOT_GIVEN", "too little"), Kind.INVALID, [("order.amount.value", "NOT_ALLOWED")]),
    ],
)
async def test_without_a_rate_nothing_is_made(
    shop: Shop, market: Market, silent: Exception, kind: Kind, wrong: list[tuple[str, str]]
) -> None:
    market.silent = silent
    refused = await send(shop, market)
    assert isinstance(refused, Refused)
    assert (refused.kind, problems(refused), refused.retry_after_seconds) == (kind, wrong, None if wrong else 5)
    assert await shop.column("SELECT 1 FROM orders UNION ALL SELECT 1 FROM outbox UNION ALL SELECT 1 FROM parties") == []


async def test_no_rate_is_asked_for_a_code_that_is_taken(shop: Shop, market: Market) -> None:
    await make(shop, market)
    assert problems(await send(shop, market)) == [("order.externalId", "DUPLICATE")]
    assert len(market.asked) == 1


async def test_a_rate_is_asked_once_although_the_world_moves(shop: Shop, market: Market) -> None:
    moved = "UPDATE companies SET version = version + 1 WHERE company_id = $1 RETURNING 1"
    market.meanwhile = lambda: shop.rows(moved, shop.ana.company_id)
    made = await make(shop, market)
    ((reference,),) = await shop.rows("SELECT reference FROM instruments")
    assert ([wish.reference for wish in market.asked], made["status"]) == ([reference], "INITIAL")


async def test_a_rate_that_is_over_before_it_is_used_makes_nothing(shop: Shop, market: Market) -> None:
    market.holds_for = timedelta(seconds=-1)
    refused = await send(shop, market)
    assert isinstance(refused, Refused)
    assert (refused.kind, await shop.column("SELECT 1 FROM orders")) == (Kind.UNAVAILABLE, [])


@pytest.mark.parametrize(
    ("amount", "ends", "fits"),
    [(12345, 1, True), (12346, 1, False), (12344, 1, False), (12345, 0, False), (12345, -1, False)],
)
def test_what_an_order_can_rest_on(amount: int, ends: int, fits: bool) -> None:
    now = datetime(2026, 11, 20, 12, tzinfo=UTC)
    until = now + timedelta(microseconds=ends)
    quote = Quote("1", Money(amount, "BRL"), "USDT", "1", "1", until, "a://b", "https://b", "c")
    assert (misfit(quote, Money(12345, "BRL"), now) is None) is fits


@in_one_test(
    ("changes", "wrong"),
    [
        ({"amount": None}, [("order.amount", "REQUIRED")]),
        ({"amount": {"currency": "MXN", "value": "1.00"}}, [("order.amount.currency", "NOT_SUPPORTED")]),
        ({"expiration": 600, "bank": "x"}, [("order.expiration", "NOT_ALLOWED"), ("order.bank", "NOT_ALLOWED")]),
        ({"financialPartner": "OPEN_PIX"}, [("order.financialPartner", "NOT_SUPPORTED")]),
        ({"paymentMethod": "BITSO_PAY"}, [("order.paymentMethod", "NOT_SUPPORTED")]),
        ({"paymentMethod": "bitso_PAY"}, [("order.paymentMethod", "INVALID")]),
    ],
)
async def test_what_is_wrong_is_known_without_asking(
    shop: Shop, market: Market, changes: dict[str, Any], wrong: list[tuple[str, str]]
) -> None:
    assert problems(await send(shop, market, **changes)) == wrong
    assert (market.asked, await shop.column("SELECT 1 FROM orders")) == ([], [])


# ── which partner ──


@pytest.mark.parametrize(
    ("route", "named", "down", "asked", "rail"),
    [
        (None, None, "", (1, 0), CRYPTO),
        (None, None, CRYPTO, (1, 0), None),  # a fallback is chosen, or there is none
        (Route(CRYPTO2), None, "", (0, 1), CRYPTO2),
        (Route(CRYPTO2), None, CRYPTO2, (0, 1), None),
        (Route(CRYPTO2, CRYPTO), None, CRYPTO2, (1, 1), CRYPTO),
        (Route(CRYPTO2, CRYPTO), "CRYPTO2", CRYPTO2, (0, 1), None),
        (Route(CRYPTO2, CRYPTO), "CRYPTO", "", (1, 0), CRYPTO),
    ],
)
async def test_who_is_asked(
    shop: Shop, market: Market, route: Route | None, named: str | None, down: str, asked: tuple[int, int], rail: str | None
) -> None:
    second = Market()
    if route is not None:
        await shop.cast.act(shop.ana.company_id, RouteOrders("BINANCE_PAY", route))
    for name, one in ((CRYPTO, market), (CRYPTO2, second)):
        one.silent = Transient("away") if name == down else None
    reply = await send(shop, market, second, financialPartner=named)
    assert (len(market.asked), len(second.asked)) == asked
    assert isinstance(reply, Refused) is (rail is None)
    found = await shop.rows("SELECT i.rail, m.rail FROM instruments i JOIN outbox m ON m.reference_id = i.order_id")
    assert [tuple(row) for row in found] == ([] if rail is None else [(rail, rail)])


async def test_a_partner_that_says_no_has_answered(shop: Shop, market: Market) -> None:
    await shop.cast.act(shop.ana.company_id, RouteOrders("BINANCE_PAY", Route(CRYPTO, CRYPTO2)))
    market.silent, second = Permanent("RATE_NOT_GIVEN", "too little"), Market()
    assert problems(await send(shop, market, second)) == [("order.amount.value", "NOT_ALLOWED")]
    assert second.asked == []


async def test_a_route_is_of_its_method_and_ends(shop: Shop, market: Market) -> None:
    second = Market()
    for method, route in (("BITSO_PAY", Route(CRYPTO2)), ("BINANCE_PAY", Route(CRYPTO2)), ("BINANCE_PAY", None)):
        await shop.cast.act(shop.ana.company_id, RouteOrders(method, route))
    assert isinstance(await send(shop, market, second), Reply)
    assert (len(market.asked), len(second.asked)) == (1, 0)
    (kept,) = await shop.column("SELECT routes FROM companies WHERE company_id = $1", shop.ana.company_id)
    assert msgspec.json.decode(kept) == {"BITSO_PAY": {"partner": CRYPTO2, "fallback": None}}


async def test_what_the_second_partner_collects_is_paid_at_its_rail(shop: Shop, market: Market) -> None:
    reply = await send(shop, market, Market(), financialPartner="CRYPTO2")
    assert isinstance(reply, Reply)
    made = msgspec.json.decode(reply.body)
    news = payment(made)
    assert await shop.told(port.COLLECTION_SETTLED, news, news.reference, CRYPTO) == "handled", "whose it is, it has not"
    assert await shop.money() == (0, 0)
    news = payment(made, "P2")
    assert await shop.told(port.COLLECTION_SETTLED, news, news.reference, CRYPTO2) == "handled"
    shown = await answered(shop.cast, shop.ana.client, "read_order", id=made["id"])
    assert (shown["status"], shown["financialPartner"], await shop.money()) == ("PAID", "CRYPTO2", (12345, 0))
    net = ledger.clearing(shop.ana.company_id, CRYPTO2, "BRL").id
    assert await shop.column("SELECT sum(amount_minor)::bigint FROM transfers WHERE debit_id = $1", net) == [12345]


# ── paid ──


async def test_what_comes_after_its_rate_goes_back_whole(shop: Shop, market: Market) -> None:
    made = await make(shop, market)
    late = payment(made, later=HALF_AN_HOUR * 2)
    assert await told(shop, made, port.COLLECTION_SETTLED, late) == "handled"
    assert (await shop.money(), await states(shop, made)) == ((0, 0), ("INITIAL", ["RETURNING"]))
    ((return_id, minor),) = await shop.rows("SELECT return_id, amount_minor FROM refunds WHERE rail = 'crypto'")
    final = port.ReturnFinal(return_id, late.payment_id, settled=True, settled_at=datetime.now(UTC))
    assert (await shop.told(port.RETURN_FINAL, final, return_id, CRYPTO), minor) == ("handled", 12345)
    assert await states(shop, made) == ("INITIAL", ["RETURNED"])


async def test_it_ends_a_minute_after_its_rate(shop: Shop, market: Market) -> None:
    made = await make(shop, market)
    verb = Expire(UUID(made["id"]), HERE)
    for back, status in (("30 minutes", "INITIAL"), ("1 minute", "EXPIRED")):
        await shop.rows(
            f"UPDATE orders SET expires_at = expires_at - interval '{back}', ends_at = ends_at - interval '{back}' RETURNING 1"
        )
        await shop.cast.runner.act(shop.ana.company_id, verb)
        assert (await states(shop, made))[0] == status
