"""What every partner that collects whole amounts tells of an order, in every order: one contract for all methods."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from tests.cast import PLACE
from tests.rooms.lists import answered, problems

from lastro import ledger
from lastro.core.money import Money
from lastro.orders import Expire, GiveBack, RefundWish
from lastro.orders.methods import CASH
from lastro.rails import port
from lastro.rails.collecting.client import NO_RETURNS
from lastro.rails.port import CollectionRefused, CollectionVoid

from .collecting import LUCIA, announced, make, outbox, payment, rail_of, reference, settled, states, told
from .shop import Shop

_MISFITS = {"second": "PAID", "less": "INITIAL", "more": "INITIAL", "late": "EXPIRED", "canceled": "CANCELED"}


@pytest.fixture(params=["BOLETO", *CASH, "BINANCE_PAY"])
async def made(shop: Shop, request: pytest.FixtureRequest) -> dict[str, Any]:
    return await make(shop, str(request.param))


async def test_announced_it_waits_and_settled_it_is_paid(shop: Shop, made: dict[str, Any]) -> None:
    method, amount, order_id = made["paymentMethod"], made["amount"], UUID(made["id"])
    assert await announced(shop, made) == "handled"
    assert (await states(shop, made), await shop.money()) == (("PENDING", ["ACCEPTED"]), (0, 0))
    assert await announced(shop, made) == "known"
    assert await settled(shop, made) == "handled"
    assert await settled(shop, made) == "known"
    assert await states(shop, made) == ("PAID", ["SETTLED"])
    assert await shop.money() == (12345 if amount["currency"] == "BRL" else 0, 0)
    (event,) = await shop.news(order_id)
    assert (event["event"], event["endToEndId"], event["amount"]) == ("ORDER-PAYIN.PAID", None, amount)
    if method == "BOLETO":
        assert event["payer"]["name"] == "Carla"
    if method in CASH:
        assert event["payer"] == {"name": LUCIA["name"], "document": LUCIA["document"]}
    booked = await shop.rows("SELECT type, amount_minor, debit_id FROM transfers")
    net = ledger.clearing(shop.ana.company_id, rail_of(made), amount["currency"]).id
    assert [tuple(row) for row in booked] == [(f"{rail_of(made).upper()}_IN", 12345, net)]
    assert await outbox(shop, made) == [port.COLLECTION_SEND]
    refund = GiveBack(RefundWish(order_id, "back-1", Money(100, amount["currency"]), "MD06"), PLACE)
    no = await shop.cast.run(shop.ana.client, refund, operation="create_refund")
    assert problems(no) == [("orderId", "NOT_SUPPORTED")]


async def test_settled_unannounced_it_is_paid(shop: Shop, made: dict[str, Any]) -> None:
    assert [await settled(shop, made), await announced(shop, made)] == ["handled", "known"]
    assert await states(shop, made) == ("PAID", ["SETTLED"])


@pytest.mark.parametrize("why", _MISFITS)
async def test_what_does_not_fit_goes_back_whole_or_waits_for_people(shop: Shop, made: dict[str, Any], why: str) -> None:
    """No till gives money back: there the return is refused as soon as it is asked for, and people decide."""
    cents = {"less": 12344, "more": 12346}.get(why, 12345)
    if why == "second":
        await settled(shop, made)
    elif why == "late":
        await shop.cast.runner.act(shop.ana.company_id, Expire(UUID(made["id"]), PLACE, before_its_time=True))
    elif why == "canceled":
        await shop.rows("UPDATE outbox SET sends = 1 RETURNING 1")
        await answered(shop.cast, shop.ana.client, "cancel_order", id=made["id"])
        assert await outbox(shop, made) == [port.COLLECTION_SEND, port.COLLECTION_CLOSE]
    before, name = await shop.money(), payment(made, "P2").payment_id
    assert await settled(shop, made, "P2", cents) == "handled"
    assert (await shop.money(), (await states(shop, made))[1][-1]) == (before, "RETURNING")
    ((rail, state, minor, return_id),) = await shop.rows("SELECT rail, state, amount_minor, return_id FROM refunds")
    assert (rail, state, minor) == (rail_of(made), "PENDING", cents)
    (body,) = await shop.column("SELECT body FROM outbox WHERE kind = $1 AND network_id = $2", port.RETURN_SEND, return_id)
    assert port.return_order(body).end_to_end_id == name
    returns = made["paymentMethod"] not in CASH
    final = port.ReturnFinal(
        return_id, name, settled=returns, code=None if returns else NO_RETURNS, settled_at=datetime.now(UTC) if returns else None
    )  # fmt: skip
    assert await shop.told(port.RETURN_FINAL, final, return_id, rail) == "handled"
    order, payments = await states(shop, made)
    assert (order, payments[-1]) == (_MISFITS[why], "RETURNED" if returns else "STRANDED")
    (message,) = await shop.column("SELECT error_message FROM refunds")
    assert message == (None if returns else "NO_RETURNS: refused by the network")


async def test_a_void_payment_ends_its_order(shop: Shop, made: dict[str, Any]) -> None:
    await announced(shop, made)
    void, other = (CollectionVoid(f"{made['id']}:{name}", reference(made), "07") for name in ("P1", "P9"))
    assert await told(shop, made, port.COLLECTION_VOID, void) == "handled"
    assert await states(shop, made) == ("EXPIRED", ["FAILED"])
    assert [one["event"] for one in await shop.news(UUID(made["id"]))] == ["ORDER-PAYIN.EXPIRED"]
    assert await told(shop, made, port.COLLECTION_VOID, void) == "known"
    assert await told(shop, made, port.COLLECTION_VOID, other) == "ignored"
    assert await settled(shop, made) == "handled", "it came after all, and the order is over"
    assert await states(shop, made) == ("EXPIRED", ["RETURNING"])


async def test_what_its_partner_refuses_is_over(shop: Shop, made: dict[str, Any]) -> None:
    refused = CollectionRefused(reference(made), "AB12")
    assert await told(shop, made, port.COLLECTION_REFUSED, refused) == "handled"
    shown = await answered(shop.cast, shop.ana.client, "read_order", id=made["id"])
    assert (shown["status"], shown["errorMessage"]) == ("ERROR", "AB12: refused by the network")
    assert await told(shop, made, port.COLLECTION_REFUSED, refused) == "ignored"
