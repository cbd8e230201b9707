"""What a partner says of our reference is compared with what was registered: a difference is for people, nothing moves."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from msgspec.structs import replace

from lastro.core.money import Money
from lastro.rails import port
from lastro.rails.port import ALARMED, BOLETO

from . import cards, test_transfers
from .collecting import make, payment, reference, states
from .shop import Shop


async def facts(shop: Shop) -> dict[str, port.Facts]:
    (document,) = await shop.column("SELECT document_number FROM accounts WHERE id = $1", shop.ana.account_id)
    right = port.Facts(Money(12345, "BRL"), creditor=port.Side(document=document), number="order-1")
    return {
        "right": right, "amount": replace(right, amount=Money(8000, "BRL")), "number": replace(right, number="slip-0"),
        "creditor": replace(right, creditor=port.Side(document="11144477735")),
    }  # fmt: skip


async def said(shop: Shop, kind: str, news: Any) -> str:
    return await shop.told(kind, news, news.reference, BOLETO)


@pytest.mark.parametrize("difference", ["amount", "number", "creditor"])
async def test_a_slip_that_had_its_number_before(shop: Shop, difference: str) -> None:
    made, of = await make(shop, "BOLETO"), await facts(shop)
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
    made, early = await make(shop, "BOLETO"), datetime.now(UTC) - timedelta(minutes=2)
    news = replace(payment(made), paid_at=early)
    assert await said(shop, port.COLLECTION_SETTLED, news) == ALARMED
    assert (reference(made), await states(shop, made)) == (news.reference, ("INITIAL", []))


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


# By the partner's rail: how its order is made, and how much it asks for.
PARTNERS = {
    port.OXXO: Money(12345, "MXN"), port.OXXOPAY: Money(12345, "MXN"), port.PAYNET: Money(12345, "MXN"),
    port.SPEI: Money(10_000, "MXN"), port.DEPOSIT: Money(10_000, "BRL"), port.CRYPTO: Money(12345, "BRL"),
    port.CARD: Money(12345, "MXN"),
}  # fmt: skip


async def ordered(shop: Shop, rail: str) -> UUID:
    """An order that the partner has registered."""
    if rail == port.CARD:
        made = await cards.make(shop, cards.Acquirer())
    elif rail in (port.SPEI, port.DEPOSIT):
        more = {} if rail == port.SPEI else {"paymentMethod": "DEPOSIT", "amount": {"currency": "BRL", "value": "100.00"}}
        made = await test_transfers.make(shop, **more)
    else:
        made = await make(shop, "BINANCE_PAY" if rail == port.CRYPTO else rail.upper())
    return UUID(made["id"])


@pytest.mark.parametrize("difference", ["amount", "currency", "number", "creditor", "earlier"])
@pytest.mark.parametrize("rail", PARTNERS)
async def test_every_partners_word_is_compared(shop: Shop, rail: str, difference: str) -> None:
    """What had its reference before moves nothing, raises the alarm and leaves its trace."""
    order, asked = await ordered(shop, rail), PARTNERS[rail]
    ((reference, code),) = await shop.rows(
        "SELECT i.reference, o.external_id FROM instruments i JOIN orders o ON o.id = i.order_id WHERE o.id = $1", order
    )
    (document,) = await shop.column("SELECT document_number FROM accounts WHERE id = $1", shop.ana.account_id)
    right = port.Facts(asked, creditor=port.Side(document=document), number=code)
    of = {
        "amount": replace(right, amount=Money(asked.minor + 1, asked.currency)), "number": replace(right, number="other-1"),
        "currency": replace(right, amount=Money(asked.minor, "USD")), "earlier": right,
        "creditor": replace(right, creditor=port.Side(document="11144477735")),
    }[difference]  # fmt: skip
    at = datetime.now(UTC) - (timedelta(minutes=2) if difference == "earlier" else timedelta(0))
    paid = port.Collected(f"{order}:P1", reference, asked, at, at, None, of)
    words: list[tuple[str, Any]] = [
        (port.COLLECTION_ANNOUNCED, replace(paid, settled_at=None)), (port.COLLECTION_SETTLED, paid),
    ]  # fmt: skip
    if difference != "earlier":
        words += [
            (port.COLLECTION_VOID, port.CollectionVoid(paid.payment_id, reference, of=of)),
            (port.COLLECTION_REFUSED, port.CollectionRefused(reference, "TERM_OVER", of)),
        ]  # fmt: skip
        if rail == port.CARD:
            words += [(port.CARD_AUTHENTICATED, port.CardAuthenticated(reference, "Y", of=of))]
    before = await stands(shop, order)
    for kind, news in words:
        assert await shop.told(kind, news, reference, rail) == ALARMED, kind
        assert await stands(shop, order) == before
    assert await shop.column("SELECT count(*) FROM inbox WHERE outcome = 'alarmed'") == [len(words)]


async def stands(shop: Shop, order: UUID) -> list[Any]:
    """The order's state and version, and what was paid, booked and told."""
    return [
        *await shop.rows("SELECT status, version FROM orders WHERE id = $1", order),
        *await shop.column("SELECT count(*) FROM pix_payments"), *await shop.column("SELECT count(*) FROM transfers"),
        *await shop.column("SELECT count(*) FROM events"),
    ]  # fmt: skip
