"""Orders paid in cash at a till, on real rows: what each network tells of a voucher, in every order, and what time does."""

import base64
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
import pytest
from tests.cast import PLACE
from tests.rooms.lists import ROUTES, answered

from lastro.api_kit.routes import Incoming
from lastro.core.errors import Kind, Problem, Refused
from lastro.core.money import Money
from lastro.core.runner import Reply
from lastro.orders import CancelOrder, Expire, GiveBack, RefundWish
from lastro.orders.codes import grouped
from lastro.orders.instruments.voucher import FORMS
from lastro.rails import port
from lastro.rails.collecting.client import NO_RETURNS
from lastro.rails.port import Collected, CollectionRefused, CollectionVoid
from lastro.standards import bars, code128
from lastro.standards.cash_references import is_reference

from .shop import Shop
from .test_slip_served import served, text

LUCIA = {"name": "Lucía Ñuñez", "entityType": "INDIVIDUAL", "email": "lucia@example.com",
         "document": {"type": "CURP", "number": "NUXL900101MDFXXC09"}}  # fmt: skip
METHODS = ("OXXO", "OXXOPAY", "PAYNET")


@pytest.fixture(params=METHODS)
def method(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def wish(method: str, **order: Any) -> dict[str, Any]:
    given = {
        "externalId": "voucher-1", "paymentMethod": method, "description": "Flores",
        "notificationUrl": "https://shop.example.com/hook", "amount": {"currency": "MXN", "value": "123.45"}, **order,
    }  # fmt: skip
    return {"order": {name: value for name, value in given.items() if value is not None}, "customer": LUCIA}


async def send(shop: Shop, body: dict[str, Any]) -> Reply | Refused:
    route = ROUTES["create_order"]
    verb = route.parse(Incoming(shop.ana.company_id, {}, {}, msgspec.json.encode(body), body, None))
    if isinstance(verb, Refused):
        return verb
    call = {"operation": "create_order", "permission": route.permission, "status": route.success}
    return await shop.cast.run(shop.ana.client, verb, **call)


async def make(shop: Shop, method: str, **order: Any) -> dict[str, Any]:
    reply = await send(shop, wish(method, **order))
    assert isinstance(reply, Reply), reply
    return dict(msgspec.json.decode(reply.body))


def payment(made: dict[str, Any], name: str = "P1", cents: int = 12345, *, settled: bool = True) -> Collected:
    at = datetime.now(UTC)
    return Collected(f"{made['id']}:{name}", made["cash"]["reference"], Money(cents, "MXN"), at, at if settled else None)


async def told(shop: Shop, made: dict[str, Any], kind: str, news: Any) -> str:
    return await shop.told(kind, news, news.reference, made["paymentMethod"].lower())


async def announced(shop: Shop, made: dict[str, Any], name: str = "P1") -> str:
    return await told(shop, made, port.COLLECTION_ANNOUNCED, payment(made, name, settled=False))


async def settled(shop: Shop, made: dict[str, Any], name: str = "P1", cents: int = 12345) -> str:
    return await told(shop, made, port.COLLECTION_SETTLED, payment(made, name, cents))


async def states(shop: Shop, made: dict[str, Any]) -> tuple[str, list[str]]:
    """The order's, and those of its voucher's payments."""
    (order,) = await shop.column("SELECT status FROM orders WHERE id = $1::text::uuid", made["id"])
    return order, await shop.column("SELECT state FROM pix_payments ORDER BY created_at, id")


async def refused(shop: Shop, method: str, **order: Any) -> list[tuple[str, str]]:
    no = await send(shop, wish(method, **order))
    assert isinstance(no, Refused), no
    return [(p.field, p.issue) for p in no.problems if isinstance(p, Problem)]


# ── made ──


async def test_a_voucher_says_the_same_wherever_it_is_read(shop: Shop, method: str) -> None:
    made = await make(shop, method)
    cash, rail = made["cash"], method.lower()
    assert is_reference(FORMS[rail], cash["reference"])
    assert base64.b64decode(cash["barcodeImageBase64"]) == bars.png(code128.widths(cash["reference"]), 40, 3)
    assert (made["status"], made["paymentMethod"], made["amount"]) == ("INITIAL", method, wish(method)["order"]["amount"])
    assert not made.keys() & {"pix", "boleto", "crypto", "spei", "deposit"}
    ends = datetime.fromisoformat(cash["expireDateTime"])
    assert timedelta(days=3) - timedelta(minutes=1) < ends - datetime.now(UTC) <= timedelta(days=3)
    assert cash["voucherUrl"] == f"{PLACE.public_url}/voucher/{made['orderToken']}.pdf"
    ((kind, body),) = await shop.rows("SELECT kind, body FROM outbox WHERE rail = $1", rail)
    order = port.collection_order(body)
    assert (kind, order.reference, order.number) == (port.COLLECTION_SEND, cash["reference"], "voucher-1")
    assert (order.amount, order.expires_at) == (Money(12345, "MXN"), ends)
    assert order.payer == port.Person("Lucía Ñuñez", "CURP", "NUXL900101MDFXXC09")
    shown = await answered(shop.cast, shop.ana.client, "read_order", id=made["id"])
    assert shown["cash"] == cash
    (listed,) = (await answered(shop.cast, shop.ana.client, "list_orders", {"paymentMethod": method}))["data"]
    assert listed["cash"] == cash


@pytest.mark.parametrize(
    ("changes", "problems"),
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
    shop: Shop, method: str, changes: dict[str, Any], problems: list[tuple[str, str]]
) -> None:
    assert await refused(shop, method, **changes) == problems


async def test_the_bounds_themselves_are_taken(shop: Shop, method: str) -> None:
    for number, value in enumerate(("10.00", "10000.00")):
        made = await make(shop, method, externalId=f"bound-{number}", amount={"currency": "MXN", "value": value})
        assert made["amount"] == {"currency": "MXN", "value": value}


# ── paid ──


async def test_announced_it_waits_and_settled_it_is_paid(shop: Shop, method: str) -> None:
    made = await make(shop, method)
    assert await announced(shop, made) == "handled"
    assert await states(shop, made) == ("PENDING", ["ACCEPTED"])
    assert await announced(shop, made) == "known"
    assert await settled(shop, made) == "handled"
    assert await settled(shop, made) == "known"
    assert await states(shop, made) == ("PAID", ["SETTLED"])
    (event,) = await shop.news(UUID(made["id"]))
    assert (event["event"], event["amount"]) == ("ORDER-PAYIN.PAID", {"currency": "MXN", "value": "123.45"})
    assert event["payer"] == {"name": "Lucía Ñuñez", "document": {"type": "CURP", "number": "NUXL900101MDFXXC09"}}
    assert event["endToEndId"] is None
    booked = await shop.rows("SELECT type, amount_minor FROM transfers ORDER BY created_at")
    assert [tuple(row) for row in booked] == [(f"{method}_IN", 12345)]
    refund = GiveBack(RefundWish(UUID(made["id"]), "back-1", Money(100, "MXN"), "MD06"), PLACE)
    no = await shop.cast.run(shop.ana.client, refund, operation="create_refund")
    assert isinstance(no, Refused)
    assert [(p.field, p.issue) for p in no.problems if isinstance(p, Problem)] == [("orderId", "NOT_SUPPORTED")]


async def test_settled_unannounced_it_is_paid(shop: Shop, method: str) -> None:
    made = await make(shop, method)
    assert await settled(shop, made) == "handled"
    assert await announced(shop, made) == "known"  # told late
    assert await states(shop, made) == ("PAID", ["SETTLED"])


async def test_a_void_payment_ends_its_order(shop: Shop) -> None:
    made = await make(shop, "OXXO")
    await announced(shop, made)
    void = CollectionVoid(f"{made['id']}:P1", made["cash"]["reference"], "NOT_SETTLED")
    assert await told(shop, made, port.COLLECTION_VOID, void) == "handled"
    assert await states(shop, made) == ("EXPIRED", ["FAILED"])


async def test_a_network_that_refuses_a_voucher_ends_its_order(shop: Shop, method: str) -> None:
    made = await make(shop, method)
    no = CollectionRefused(made["cash"]["reference"], "REGISTRATION_REFUSED")
    assert await told(shop, made, port.COLLECTION_REFUSED, no) == "handled"
    shown = await answered(shop.cast, shop.ana.client, "read_order", id=made["id"])
    assert (shown["status"], shown["errorMessage"]) == ("ERROR", "REGISTRATION_REFUSED: refused by the network")


# ── money that fits nothing ──


async def misfit(shop: Shop, made: dict[str, Any], case: str) -> str:
    """A payment that pays no order; the id by which the network knows it."""
    order_id, name, cents = UUID(made["id"]), "P1", 12345
    if case == "twice":
        await settled(shop, made)
        name = "P2"
    elif case == "other amount":
        cents = 12344
    elif case == "late":
        await shop.cast.runner.act(shop.ana.company_id, Expire(order_id, PLACE, before_its_time=True))
    else:
        await shop.cast.runner.act(shop.ana.company_id, CancelOrder(order_id, PLACE))
    assert await settled(shop, made, name, cents) == "handled"
    return f"{made['id']}:{name}"


@pytest.mark.parametrize(
    ("case", "ends"), [("twice", "PAID"), ("other amount", "INITIAL"), ("late", "EXPIRED"), ("canceled", "CANCELED")]
)
async def test_what_fits_nothing_stays_in_suspense(shop: Shop, case: str, ends: str) -> None:
    """No till gives money back: the return is refused as soon as it is asked for, and people decide."""
    made = await make(shop, "PAYNET")
    name = await misfit(shop, made, case)
    ((return_id, body),) = await shop.rows("SELECT network_id, body FROM outbox WHERE kind = $1", port.RETURN_SEND)
    assert port.return_order(body).end_to_end_id == name
    final = port.ReturnFinal(return_id, name, settled=False, code=NO_RETURNS, settled_at=None)
    assert await shop.told(port.RETURN_FINAL, final, return_id, "paynet") == "handled"
    order, payments = await states(shop, made)
    assert (order, payments[-1]) == (ends, "STRANDED")
    (message,) = await shop.column("SELECT error_message FROM refunds")
    assert message == "NO_RETURNS: refused by the network"


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
