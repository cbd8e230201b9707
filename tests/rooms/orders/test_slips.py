"""Orders paid by slip, on real rows: what the partner that collects tells of them, in every order, and what time does."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from msgspec.structs import replace
from tests.cast import PLACE
from tests.in_one import in_one_test
from tests.rooms.lists import answered, ask

from lastro.core.commit import commit
from lastro.core.errors import Kind, NotYet, Problem, Refused
from lastro.core.money import Money
from lastro.core.runner import Done
from lastro.core.write import Row, Write
from lastro.orders import Expire
from lastro.orders.instruments.slip import SlipTerms
from lastro.rails import port
from lastro.rails.port import ALARMED, BOLETO, CollectionRefused, CollectionVoid, Person
from lastro.standards import boleto

from .collecting import ADDRESS, BENTO, announced, make, outbox, payment, reference, send, settled, states, told, wish
from .shop import Shop
from .test_arrivals import arrives


async def events(shop: Shop, made: dict[str, Any]) -> list[str]:
    return [one["event"] for one in await shop.news(UUID(made["id"]))]


# ── made ──


async def test_a_slip_says_the_same_wherever_it_is_read(shop: Shop) -> None:
    made = await make(shop, "BOLETO")
    slip = made["boleto"]
    terms = SlipTerms.of_slip(datetime.now(UTC))
    read = boleto.decode(slip["digitableLine"], near=datetime.now(UTC).date())
    assert (read.bank, read.amount_minor, read.due_date) == (PLACE.institution.compe, 12345, terms.due)
    assert boleto.barcode_of_line(slip["digitableLine"]) == slip["barcode"]
    assert (slip["dueDate"], slip["payableUntil"]) == (terms.due.isoformat(), terms.payable_until.isoformat())
    assert slip["pdfUrl"].startswith(f"{PLACE.public_url}/slip/")
    assert (made["status"], made["paymentMethod"], "pix" in made) == ("INITIAL", "BOLETO", False)
    ((kind, body),) = await shop.rows("SELECT kind, body FROM outbox WHERE rail = 'boleto'")
    order = port.collection_order(body)
    assert (kind, order.reference, order.code, order.number) == (
        port.COLLECTION_SEND,
        reference(made),
        slip["barcode"],
        "order-1",
    )
    assert (order.amount, order.due, order.payable_until) == (Money(12345, "BRL"), terms.due, terms.payable_until)
    assert order.payer == Person("Bento", "CPF", "52998224725", "Rua A, 10, Centro, São Paulo, SP, 01001000")
    shown = await answered(shop.cast, shop.ana.client, "read_order", id=made["id"])
    assert shown["boleto"] == slip
    (listed,) = (await answered(shop.cast, shop.ana.client, "list_orders", {"paymentMethod": "BOLETO"}))["data"]
    assert listed["boleto"] == slip


@pytest.mark.parametrize(
    ("made", "due", "until"),
    [
        ("2026-11-17T12:00:00Z", date(2026, 11, 23), date(2026, 11, 24)),  # Friday the 20th is a holiday
        ("2026-11-18T02:59:59Z", date(2026, 11, 23), date(2026, 11, 24)),  # in Brasilia it is still the 17th
        ("2026-11-21T12:00:00Z", date(2026, 11, 25), date(2026, 11, 26)),  # made on a Saturday
        ("2026-12-29T12:00:00Z", date(2027, 1, 4), date(2027, 1, 5)),
    ],
)
def test_the_terms_of_a_slip(made: str, due: date, until: date) -> None:
    terms = SlipTerms.of_slip(datetime.fromisoformat(made))
    assert (terms.due, terms.payable_until) == (due, until)
    assert terms.expires_at.isoformat() == f"{until + timedelta(days=1)}T02:59:59.999999+00:00"
    assert terms.ends_at > terms.expires_at + timedelta(days=2)


@in_one_test(
    ("changes", "problems"),
    [
        ({"amount": None}, [("order.amount", "REQUIRED")]),
        ({"amount": {"currency": "MXN", "value": "1.00"}}, [("order.amount.currency", "NOT_SUPPORTED")]),
        ({"amount": {"currency": "BRL", "value": "100000000.00"}}, [("order.amount.value", "OUT_OF_RANGE")]),
        ({"expiration": 600, "pixKey": "x"}, [("order.expiration", "NOT_ALLOWED"), ("order.pixKey", "NOT_ALLOWED")]),
        ({"bank": "x"}, [("order.bank", "NOT_ALLOWED")]),
        ({"financialPartner": "OPEN_PIX"}, [("order.financialPartner", "NOT_SUPPORTED")]),
        ({"paymentMethod": "ACME_PAY"}, [("order.paymentMethod", "NOT_SUPPORTED")]),
    ],
)
async def test_what_no_slip_may_say(shop: Shop, changes: dict[str, Any], problems: list[tuple[str, str]]) -> None:
    refused = await send(shop, wish("BOLETO", **changes))
    assert isinstance(refused, Refused)
    assert [(p.field, p.issue) for p in refused.problems if isinstance(p, Problem)] == problems
    assert await shop.column("SELECT 1 FROM orders") == []


async def test_a_slip_names_where_its_payer_lives(shop: Shop) -> None:
    body = wish("BOLETO")
    for address, fields in ((None, [""]), ({**ADDRESS, "city": None, "state": None}, [".state", ".city"])):
        there = address if address is None else {n: v for n, v in address.items() if v is not None}
        customer = {**BENTO, "address": there}
        refused = await send(shop, {**body, "customer": {n: v for n, v in customer.items() if v is not None}})
        assert isinstance(refused, Refused)
        told = [(p.field, p.issue) for p in refused.problems if isinstance(p, Problem)]
        assert told == [(f"customer.address{field}", "REQUIRED") for field in fields]
    refused = await send(shop, {"order": body["order"]})
    assert isinstance(refused, Refused)
    assert refused.kind is Kind.INVALID


# ── paid ──


async def test_its_fee_is_taken_of_it(shop: Shop) -> None:
    await shop.cast.set_fees(shop.ana.company_id, 200, method="BOLETO")
    assert await settled(shop, await make(shop, "BOLETO")) == "handled"
    assert await shop.money() == (12145, 0)


async def test_what_was_announced_and_settles_for_another_amount_goes_back(shop: Shop) -> None:
    made = await make(shop, "BOLETO")
    await announced(shop, made)
    assert await settled(shop, made, cents=12145) == "handled"
    assert await states(shop, made) == ("EXPIRED", ["RETURNING"])
    assert await shop.column("SELECT amount_minor FROM refunds") == [12145], "what came, not what was announced"


async def test_an_id_that_means_another_slip_is_for_people(shop: Shop) -> None:
    one, other = await make(shop, "BOLETO"), await make(shop, "BOLETO", externalId="slip-2")
    await announced(shop, one)
    news = replace(payment(one), reference=reference(other))
    assert await told(shop, one, port.COLLECTION_SETTLED, news) == ALARMED
    assert await states(shop, one) == ("PENDING", ["ACCEPTED"])
    assert await states(shop, other) == ("INITIAL", ["ACCEPTED"])


async def test_what_was_told_and_is_not_handled_yet_stands_in_the_way_of_an_end(shop: Shop) -> None:
    made, row = await make(shop, "BOLETO"), shop.cast.id()
    news, at = payment(made, settled=False), datetime.now(UTC)
    values = {"id": row, "rail": BOLETO, "kind": port.COLLECTION_ANNOUNCED, "network_id": str(row), "subject": reference(made),
              "body": port.encode(news), "received_at": at, "due_at": at}  # fmt: skip
    await commit(shop.cast.database, Write(shop.ana.company_id, rows=(Row("inbox", values),)))
    refused = await ask(shop.cast, shop.ana.client, "cancel_order", id=made["id"])
    assert isinstance(refused, Refused)
    assert refused.kind is Kind.CONFLICT
    await shop.rows("UPDATE orders SET ends_at = business_now() RETURNING 1")
    await shop.cast.runner.act(shop.ana.company_id, Expire(UUID(made["id"]), PLACE))
    assert (await states(shop, made))[0] == "INITIAL"
    sql = "UPDATE inbox SET due_at = NULL, done_at = received_at, outcome = 'ignored' WHERE id = $1 RETURNING 1"
    await shop.rows(sql, row)


async def test_a_payment_that_was_void_before_it_was_announced_is_not_waited_for(shop: Shop) -> None:
    made = await make(shop, "BOLETO")
    void = CollectionVoid(f"{made['id']}:P1", reference(made), "07")
    assert [await told(shop, made, port.COLLECTION_VOID, void), await announced(shop, made)] == ["ignored", "ignored"]
    assert await states(shop, made) == ("INITIAL", [])
    assert await announced(shop, made, "P2") == "handled", "another payment of the slip is"
    assert await states(shop, made) == ("PENDING", ["ACCEPTED"])


# ── by its Pix code at the same time ──


async def let_in(shop: Shop, made: dict[str, Any], rail: str = port.PIX) -> str:
    """A Pix by the slip's code is accepted, and has no end yet; its id. rail: BOOK from an account here."""
    (txid,) = await shop.column("SELECT txid FROM orders WHERE id = $1::text::uuid", made["id"])
    asked = await arrives(shop.cast, shop.ana, txid=txid, amount=Money(12345, "BRL"), accepted_at=datetime.now(UTC))
    assert await shop.told(port.PIX_ASK, asked, asked.end_to_end_id, rail) == "answered"
    return asked.end_to_end_id


async def ends(shop: Shop, end_to_end_id: str, code: str | None = None, rail: str = port.PIX) -> None:
    final = port.PixFinal(end_to_end_id, code is None, code, datetime.now(UTC) if code is None else None)
    assert await shop.told(port.PIX_FINAL, final, end_to_end_id, rail) == "handled"


@pytest.mark.parametrize("rail", [port.PIX, port.BOOK])
@pytest.mark.parametrize("code", ["AC03", None])
async def test_what_comes_beside_a_pix_without_an_end_waits_for_that(shop: Shop, code: str | None, rail: str) -> None:
    made = await make(shop, "BOLETO")
    by_pix = await let_in(shop, made, rail)
    refused = CollectionRefused(reference(made), "AB12")
    for say in (announced(shop, made), settled(shop, made), told(shop, made, port.COLLECTION_REFUSED, refused)):
        with pytest.raises(NotYet):
            await say
    await ends(shop, by_pix, code, rail)
    assert await announced(shop, made) == ("ignored" if code is None else "handled")
    assert await settled(shop, made) == "handled"
    assert await states(shop, made) == ("PAID", ["RETURNING" if code is None else "SETTLED"])
    assert await told(shop, made, port.COLLECTION_REFUSED, refused) == "ignored"


async def test_a_slip_that_is_refused_beside_a_pix_that_fails(shop: Shop) -> None:
    made = await make(shop, "BOLETO")
    await ends(shop, await let_in(shop, made), "AC03")
    assert await told(shop, made, port.COLLECTION_REFUSED, CollectionRefused(reference(made), "AB12")) == "handled"
    assert await states(shop, made) == ("ERROR", [])


async def test_money_for_an_account_that_is_not_active_goes_back(shop: Shop) -> None:
    made = await make(shop, "BOLETO")
    await announced(shop, made)
    await shop.cast.account_becomes(shop.ana.company_id, "INACTIVE")
    assert await settled(shop, made) == "handled"
    assert await states(shop, made) == ("EXPIRED", ["RETURNING"])
    await shop.cast.account_becomes(shop.ana.company_id, "ACTIVE")


# ── ended ──


@pytest.mark.parametrize("news", ["none", "announced"])
async def test_time_ends_it_three_business_days_after_its_last_day(shop: Shop, news: str) -> None:
    made = await make(shop, "BOLETO")
    if news == "announced":
        await announced(shop, made)
    sql = "UPDATE orders SET expires_at = expires_at - interval '9 days' RETURNING 1"
    await shop.rows(sql)
    await shop.cast.runner.act(shop.ana.company_id, Expire(UUID(made["id"]), PLACE))
    assert (await states(shop, made))[0] == ("PENDING" if news == "announced" else "INITIAL")
    await shop.rows("UPDATE orders SET ends_at = business_now() WHERE ends_at IS NOT NULL RETURNING 1")
    await shop.rows("UPDATE outbox SET sends = 1 RETURNING 1")
    done = await shop.cast.runner.act(shop.ana.company_id, Expire(UUID(made["id"]), PLACE))
    assert isinstance(done, Done)
    assert (await states(shop, made))[0] == ("PENDING" if news == "announced" else "EXPIRED")
    assert (port.COLLECTION_CLOSE in await outbox(shop, made)) is (news == "none")
