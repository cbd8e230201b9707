"""Orders paid in cash at a till, on real rows: what each network tells of a voucher, in every order, and what time does."""

import base64
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from tests.cast import PLACE
from tests.in_one import in_one_test
from tests.rooms.lists import answered, problems

from lastro.core.errors import Kind, Refused
from lastro.core.money import Money
from lastro.orders import CancelOrder, Expire
from lastro.orders.codes import grouped
from lastro.orders.instruments.voucher import FORMS
from lastro.rails import port
from lastro.rails.port import kind_of
from lastro.standards import bars, code128
from lastro.standards.cash_references import is_reference

from .collecting import announced, make, send, states, wish
from .shop import Shop
from .test_slip_served import served, text

METHODS = ("OXXO", "OXXOPAY", "PAYNET")


@pytest.fixture(params=METHODS)
def method(request: pytest.FixtureRequest) -> str:
    return str(request.param)


# ── made ──


async def test_a_voucher_says_the_same_wherever_it_is_read(shop: Shop, method: str) -> None:
    made = await make(shop, method)
    cash, rail = made["cash"], method.lower()
    assert is_reference(FORMS[kind_of(rail)], cash["reference"])
    assert base64.b64decode(cash["barcodeImageBase64"]) == bars.png(code128.widths(cash["reference"]), 40, 3)
    assert (made["status"], made["paymentMethod"], made["amount"]) == ("INITIAL", method, wish(method)["order"]["amount"])
    assert not made.keys() & {"pix", "boleto", "crypto", "spei", "deposit"}
    ends = datetime.fromisoformat(cash["expireDateTime"])
    assert timedelta(days=3) - timedelta(minutes=1) < ends - datetime.now(UTC) <= timedelta(days=3)
    assert cash["voucherUrl"] == f"{PLACE.public_url}/voucher/{made['orderToken']}.pdf"
    ((kind, body),) = await shop.rows("SELECT kind, body FROM outbox WHERE rail = $1", rail)
    order = port.collection_order(body)
    assert (kind, order.reference, order.number) == (port.COLLECTION_SEND, cash["reference"], "order-1")
    assert (order.amount, order.expires_at) == (Money(12345, "MXN"), ends)
    assert order.payer == port.Person("Lucía Ñuñez", "CURP", "NUXL900101MDFXXC09")
    shown = await answered(shop.cast, shop.ana.client, "read_order", id=made["id"])
    assert shown["cash"] == cash
    (listed,) = (await answered(shop.cast, shop.ana.client, "list_orders", {"paymentMethod": method}))["data"]
    assert listed["cash"] == cash


@in_one_test(
    ("changes", "wrong"),
    [
        ({"amount": None}, [("order.amount", "REQUIRED")]),
        ({"amount": {"currency": "BRL", "value": "20.00"}}, [("order.amount.currency", "NOT_SUPPORTED")]),
        ({"amount": {"currency": "MXN", "value": "9.99"}}, [("order.amount.value", "OUT_OF_RANGE")]),
        ({"amount": {"currency": "MXN", "value": "10000.01"}}, [("order.amount.value", "OUT_OF_RANGE")]),
        ({"expiration": 600, "pixKey": "x"}, [("order.expiration", "NOT_ALLOWED"), ("order.pixKey", "NOT_ALLOWED")]),
        ({"bank": "x"}, [("order.bank", "NOT_ALLOWED")]),
    ],
)
async def test_what_no_voucher_may_say(
    shop: Shop, method: str, changes: dict[str, Any], wrong: list[tuple[str, str]]
) -> None:
    assert problems(await send(shop, wish(method, **changes))) == wrong


async def test_the_bounds_themselves_are_taken(shop: Shop, method: str) -> None:
    for number, value in enumerate(("10.00", "10000.00")):
        made = await make(shop, method, externalId=f"bound-{number}", amount={"currency": "MXN", "value": value})
        assert made["amount"] == {"currency": "MXN", "value": value}


# ── time, and who asks for the end ──


async def test_what_nobody_paid_expires_a_minute_after_its_last_instant(shop: Shop, method: str) -> None:
    made = await make(shop, method)
    (ends_at,) = await shop.column("SELECT ends_at FROM orders WHERE id = $1::text::uuid", made["id"])
    assert ends_at - datetime.fromisoformat(made["cash"]["expireDateTime"]) == timedelta(seconds=60)
    await shop.rows("UPDATE outbox SET sends = 1 RETURNING 1")
    await shop.cast.runner.act(shop.ana.company_id, Expire(UUID(made["id"]), PLACE, before_its_time=True))
    assert await states(shop, made) == ("EXPIRED", [])
    kinds = await shop.column("SELECT kind FROM outbox ORDER BY created_at, id")
    assert kinds == [port.COLLECTION_SEND, port.COLLECTION_CLOSE]


async def test_what_ends_before_its_network_was_told_of_it_is_never_told(shop: Shop) -> None:
    made = await make(shop, "OXXO")
    await shop.cast.runner.act(shop.ana.company_id, Expire(UUID(made["id"]), PLACE, before_its_time=True))
    assert await states(shop, made) == ("EXPIRED", [])
    rows = await shop.rows("SELECT kind, outcome, due_at FROM outbox")
    assert [tuple(row) for row in rows] == [(port.COLLECTION_SEND, "withdrawn", None)]


async def test_announced_it_is_not_canceled(shop: Shop) -> None:
    made = await make(shop, "OXXO")
    await announced(shop, made)
    no = await shop.cast.runner.act(shop.ana.company_id, CancelOrder(UUID(made["id"]), PLACE))
    assert isinstance(no, Refused)
    assert no.kind is Kind.CONFLICT


# ── its page ──


async def test_the_page_to_print_is_served_to_who_knows_its_address(shop: Shop) -> None:
    made = await make(shop, "OXXOPAY")
    token = made["orderToken"]
    answer = await served(shop, f"{token}.pdf", "voucher")
    assert (answer.status, answer.content_type) == (200, b"application/pdf")
    assert {(b"cache-control", b"no-store"), (b"content-disposition", b'inline; filename="ficha.pdf"')} <= set(
        answer.headers
    )
    said = text(answer.body)
    for expected in (
        "Ficha de pago OXXO Pay",
        "$123.45 MXN",
        "Ana Flores Ltda",
        "Lucía Ñuñez",
        grouped(made["cash"]["reference"]),
    ):
        assert expected in said, expected
    await shop.cast.runner.act(shop.ana.company_id, CancelOrder(UUID(made["id"]), PLACE))
    assert "CANCELADO" in text((await served(shop, f"{token}.pdf", "voucher")).body)
    for name in (token, f"{token}.png", f"{token[:-1]}.pdf", "0" * 22 + ".pdf"):
        assert (await served(shop, name, "voucher")).status == 404, name
    assert (await served(shop, f"{token}.pdf", "slip")).status == 404
