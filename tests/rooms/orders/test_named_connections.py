"""An order that names a connection: its company's own, another company's, and one that makes no new orders."""

import json
from datetime import UTC, datetime
from uuid import UUID

import pytest
from tests.rooms.lists import problems

from lastro import orders
from lastro.core.errors import Refused
from lastro.core.money import Money
from lastro.core.runner import Reply
from lastro.orders import CancelOrder, GiveBack, RefundWish
from lastro.rails import port

from .collecting import BENTO
from .test_connections import KEY, Connected, at_bank

__all__ = ["at_bank"]


async def test_the_connection_of_another_company_is_a_name_that_nobody_has(at_bank: Connected) -> None:
    at_bank.others = {"dorabank": orders.AtBank(at_bank.shop.ana.number + 1)}
    for order in ({}, {"pixKey": None}, {"pixKey": "nobody@example.com"}, {"amount": None}):
        for customer in (BENTO, None):
            theirs, nobodys = [
                await at_bank.send(customer, financialPartner=name, **order) for name in ("DORABANK", "NOBANK")
            ]
            assert isinstance(theirs, Refused)
            assert theirs == nobodys
            assert problems(theirs) == [("order.financialPartner", "NOT_SUPPORTED")]
            assert [one.description for one in theirs.problems] == ["no such partner is configured"]
    assert at_bank.bank.exchanges == []


async def test_a_connection_that_makes_no_new_orders_says_so(at_bank: Connected) -> None:
    at_bank.is_issuing = False
    for key in (KEY, None):
        refused = await at_bank.send(pixKey=key, financialPartner=at_bank.rail.upper())
        assert isinstance(refused, Refused)
        assert problems(refused) == [("order.financialPartner", "NOT_SUPPORTED")]
        assert "makes no new orders: its file has issuing = false" in refused.problems[0].description
    assert at_bank.bank.exchanges == []


# ── whose account events name ──


@pytest.mark.parametrize("ispb", ["60701190", "87654321", None])
async def test_an_event_names_the_bank_of_the_connection_and_never_our_institution(
    at_bank: Connected, ispb: str | None
) -> None:
    at_bank.ispb = ispb
    paid, canceled = await at_bank.make(), await at_bank.make(externalId="order-2")
    assert await at_bank.paid(paid) == "handled"
    cast, ana = at_bank.shop.cast, at_bank.shop.ana
    wish = RefundWish(UUID(paid["id"]), "refund-1", Money(100, "BRL"), "MD06")
    assert isinstance(await cast.run(ana.client, GiveBack(wish, at_bank.here), operation="create_refund", status=201), Reply)
    (return_id,) = await at_bank.shop.column("SELECT network_id FROM outbox")
    final = port.ReturnFinal(return_id, "", True, None, datetime.now(UTC))
    assert await at_bank.shop.told(port.RETURN_FINAL, final, return_id, at_bank.rail, at_bank.here) == "handled"
    await cast.runner.act(ana.company_id, CancelOrder(UUID(canceled["id"]), at_bank.here, at_bank.issuers))
    bodies = [json.loads(body) for body in await at_bank.shop.column("SELECT body FROM events ORDER BY created_at, id")]
    assert [body["event"] for body in bodies] == ["ORDER-PAYIN.PAID", "ORDER-PAYIN.REFUNDED", "ORDER-PAYIN.CANCELED"]
    known = {"60701190": {"ispb": "60701190", "name": "ITAÚ UNIBANCO S.A.", "code": "341"}, "87654321": {"ispb": "87654321"}}
    for body in bodies:
        assert body.get("ownerBank", {}).get("bank") == known.get(ispb or "")
        assert ("ownerBank" in body) == (ispb is not None)
    if ispb is not None:
        assert bodies[0]["ownerBank"]["pix"] == {"type": "EMAIL", "key": KEY}
