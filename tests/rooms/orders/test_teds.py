"""A TED that another bank sends: credited to the account that it names, told, and given back where it fits nobody."""

import os
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from tests.cast import ANA, BENTO
from tests.rooms.accounts.test_statements import walked

from lastro.core.money import Money
from lastro.orders.methods import METHODS
from lastro.rails import port
from lastro.rails.port import ALARMED, TED
from lastro.standards import ted_ids

from .shop import Shop


def ted(shop: Shop, **values: Any) -> port.TedArrival:
    return replace(
        port.TedArrival(
            control_number=f"STR20261127{int.from_bytes(os.urandom(3)):09d}", amount=Money(50_000, "BRL"), payer=BENTO,
            receiver_branch="1", receiver_account=shop.ana.account_number, receiver_document=ANA.document_number,
            settled_at=datetime.now(UTC),
        ),
        **values,
    )  # fmt: skip


async def told(shop: Shop, news: port.TedArrival) -> str:
    return await shop.told(port.TED_ARRIVED, news, news.control_number, TED)


async def back(shop: Shop) -> list[tuple[Any, ...]]:
    """Of each return its state, code and payment's state."""
    sql = (
        "SELECT r.state, r.reason_code, r.rail, p.state, r.return_id FROM refunds r"
        " JOIN pix_payments p ON p.company_id = r.company_id AND p.id = r.payment_id"
    )
    return [tuple(row) for row in await shop.rows(sql)]


async def test_it_is_credited_told_and_on_the_statement(shop: Shop) -> None:
    news = ted(shop, history="Aluguel de novembro")
    assert await told(shop, news) == "handled"
    assert await shop.money() == (50_000, 0)
    ((order_id, status, method, code, end_to_end_id),) = await shop.rows(
        "SELECT id, status, payment_method, external_id, end_to_end_id FROM orders"
    )
    assert (status, method, code, end_to_end_id) == ("PAID", "TED", news.control_number, None)
    (event,) = await shop.news(order_id)
    assert (event["event"], event["code"], event["controlNumber"], event["endToEndId"]) == (
        "ORDER-PAYIN.PAID", news.control_number, news.control_number, None,
    )  # fmt: skip
    assert (event["description"], event["amount"]["value"]) == ("Aluguel de novembro", "500.00")
    assert (event["payer"]["name"], event["payer"]["document"]["number"]) == (BENTO.name, BENTO.document_number)
    assert event["payer"]["bank"]["ispb"] == BENTO.ispb
    entries = await walked(shop.cast, shop.ana, sort="asc")
    assert [(one["type"], one["amount"]["value"]) for one in entries] == [("TED_IN", "500.00")]
    assert await back(shop) == []


async def test_told_twice_it_is_booked_once(shop: Shop) -> None:
    news = ted(shop)
    assert [await told(shop, news), await told(shop, news)] == ["handled", "known"]
    assert await told(shop, replace(news, amount=Money(50_001, "BRL"))) == ALARMED
    assert await told(shop, replace(news, receiver_account="000000000")) == ALARMED
    assert await shop.money() == (50_000, 0)


async def test_its_fee_is_that_of_the_day_on_which_it_settled(shop: Shop) -> None:
    await shop.cast.set_fees(shop.ana.company_id, 150, method="TED")
    assert await told(shop, ted(shop)) == "handled"
    assert await shop.money() == (49_850, 0)


@pytest.mark.parametrize(
    ("case", "code"),
    [
        ("account", port.ACCOUNT_INVALID), ("branch", port.ACCOUNT_INVALID), ("INACTIVE", port.ACCOUNT_INVALID),
        ("CLOSED", port.ACCOUNT_CLOSED), ("document", port.DOCUMENT_DIFFERS), ("nobody", port.DOCUMENT_DIFFERS),
    ],
)  # fmt: skip
async def test_what_fits_nobody_goes_back(shop: Shop, case: str, code: str) -> None:
    cases: dict[str, dict[str, Any]] = {
        "account": {"receiver_account": "999999999"}, "branch": {"receiver_branch": "0002"},
        "document": {"receiver_document": "52998224725"}, "nobody": {"receiver_document": None},
    }  # fmt: skip
    changed = cases.get(case, {})
    if case in ("INACTIVE", "CLOSED"):
        await shop.cast.account_becomes(shop.ana.company_id, case)
    news = ted(shop, **changed)
    assert await told(shop, news) == "handled"
    ((state, reason, rail, payment, name),) = await back(shop)
    assert (state, reason, rail, payment) == ("PENDING", code, TED, "RETURNING")
    assert ted_ids.company_of_control_number(name) == shop.ana.number
    ((kind, to, body),) = await shop.rows("SELECT kind, rail, body FROM outbox")
    order = port.return_order(body)
    assert (kind, to, order.end_to_end_id, order.amount, order.reason) == (
        port.RETURN_SEND, TED, news.control_number, news.amount, code,
    )  # fmt: skip
    final = port.ReturnFinal(name, news.control_number, settled=True, settled_at=datetime.now(UTC), amount=news.amount)
    other = replace(final, amount=Money(1, "BRL"))
    assert await shop.told(port.RETURN_FINAL, other, name, TED) == ALARMED
    assert await shop.told(port.RETURN_FINAL, final, name, TED) == "handled"
    assert [row[:4] for row in await back(shop)] == [("PAID", code, TED, "RETURNED")]
    assert await told(shop, news) == "known"
    assert await shop.rows("SELECT id FROM orders") == []


async def test_a_return_that_the_str_refuses_waits_for_people(shop: Shop) -> None:
    news = ted(shop, receiver_account="999999999")
    await told(shop, news)
    ((*_, name),) = await back(shop)
    final = port.ReturnFinal(name, news.control_number, settled=False, code="9")
    assert await shop.told(port.RETURN_FINAL, final, name, TED) == "handled"
    assert [row[:4] for row in await back(shop)] == [("ERROR", "2", TED, "STRANDED")]


def test_nobody_can_make_an_order_by_it() -> None:
    assert "TED" not in METHODS


async def test_its_order_is_not_given_back_by_a_client(shop: Shop) -> None:
    await told(shop, ted(shop))
    (order_id,) = await shop.column("SELECT id FROM orders")
    kind, problems = await shop.refused(order_id, 100)
    assert (kind, [issue for _, issue in problems]) == ("INVALID", ["NOT_SUPPORTED"])
    assert msgspec.json.encode(problems)
