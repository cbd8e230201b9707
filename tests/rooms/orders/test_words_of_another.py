"""What a partner says of our reference is compared with what was registered: a difference is for people, nothing moves."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace
from tests.cast import Cast, Seller

from lastro.base.money import Money
from lastro.rails import port
from lastro.rails.port import ALARMED, BOLETO

from .shop import Shop
from .test_slips import make, number, payment, states

pytestmark = pytest.mark.anyio


@pytest.fixture
async def shop(cast: Cast, ana: Seller) -> Shop:
    return Shop(cast, ana)


async def facts(shop: Shop) -> dict[str, port.Facts]:
    (document,) = await shop.column("SELECT document_number FROM accounts WHERE id = $1", shop.ana.account_id)
    right = port.Facts(Money(12345, "BRL"), creditor=port.Side(document=document), number="slip-1")
    return {
        "right": right, "amount": replace(right, amount=Money(8000, "BRL")), "number": replace(right, number="slip-0"),
        "creditor": replace(right, creditor=port.Side(document="11144477735")),
    }  # fmt: skip


async def said(shop: Shop, kind: str, news: Any) -> str:
    return await shop.told(kind, news, news.reference, BOLETO)


@pytest.mark.parametrize("difference", ["amount", "number", "creditor"])
async def test_a_slip_that_had_its_number_before(shop: Shop, difference: str) -> None:
    made, of = await make(shop), await facts(shop)
    lost = replace(payment(made), of=of[difference])
    for kind, news in (
        (port.COLLECTION_ANNOUNCED, replace(lost, settled_at=None)), (port.COLLECTION_SETTLED, lost),
        (port.COLLECTION_VOID, port.CollectionVoid(lost.payment_id, lost.reference, of=of[difference])),
        (port.COLLECTION_REFUSED, port.CollectionRefused(lost.reference, "TERM_OVER", of[difference])),
    ):  # fmt: skip
        assert await said(shop, kind, news) == ALARMED
    assert await states(shop, made) == ("INITIAL", [])
    assert await shop.column("SELECT type FROM transfers") == []
    assert await said(shop, port.COLLECTION_SETTLED, replace(lost, of=of["right"])) == "handled"
    assert (await states(shop, made))[0] == "PAID"


async def test_what_was_paid_before_there_was_an_order(shop: Shop) -> None:
    made, early = await make(shop), datetime.now(UTC) - timedelta(minutes=2)
    news = replace(payment(made), paid_at=early)
    assert await said(shop, port.COLLECTION_SETTLED, news) == ALARMED
    assert (number(made), await states(shop, made)) == (news.reference, ("INITIAL", []))


@pytest.mark.parametrize("code", [None, "AC07"])
async def test_the_end_of_another_return(shop: Shop, code: str | None) -> None:
    order = await shop.paid(1000)
    refund = await shop.back(order, 400)
    (paid,) = await shop.column("SELECT end_to_end_id FROM pix_payments WHERE order_id = $1", order)
    at = datetime.now(UTC) if code is None else None
    right = port.ReturnFinal(refund["returnId"], paid, code is None, code, at, Money(400, "BRL"))
    others = [replace(right, amount=Money(401, "BRL")), replace(right, end_to_end_id="E" + "9" * 31)]
    if at is not None:
        others.append(replace(right, settled_at=at - timedelta(minutes=2)))
    for other in others:
        assert await shop.told(port.RETURN_FINAL, other, right.return_id) == ALARMED
        assert await shop.column("SELECT state FROM refunds") == ["PENDING"]
    assert await shop.told(port.RETURN_FINAL, right, right.return_id) == "handled"
