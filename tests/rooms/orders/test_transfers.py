"""Orders paid by transfers of any amount, on real rows: parts, too much, in every order, and what time does to them."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.cast import PLACE
from tests.in_one import in_one_test
from tests.rooms.lists import ROUTES, answered, ask

from lastro import ledger
from lastro.api_kit.routes import Incoming
from lastro.core.errors import Kind, Problem, Refused
from lastro.core.money import Money
from lastro.core.runner import Reply
from lastro.orders import Expire
from lastro.orders.rules import MOST_PARTS
from lastro.rails import port
from lastro.rails.port import DEPOSIT, SPEI, Collected, Person
from lastro.standards import clabe, receiving_accounts

from . import collecting
from .collecting import made_of, wish
from .shop import Shop


async def send(shop: Shop, **order: Any) -> Reply | Refused:
    given_ = {"paymentMethod": "SPEI", "amount": {"currency": "MXN", "value": "100.00"}, **order}
    return await collecting.send(shop, wish(given_.pop("paymentMethod"), **given_))


async def make(shop: Shop, **order: Any) -> dict[str, Any]:
    return made_of(await send(shop, **order))


def payment(made: dict[str, Any], name: str, cents: int, *, minutes: float = 0) -> Collected:
    """minutes: how much later than now it settled."""
    at = datetime.now(UTC) + timedelta(minutes=minutes)
    if "spei" in made:
        number, currency = made["spei"]["clabe"], "MXN"
    else:
        number, currency = str(receiving_accounts.ReceivingAccount("991", "0001", made["deposit"]["accountNumber"])), "BRL"
    who = Person(f"Payer of {name}", "CURP", "BADD110313HCMLNS09")
    return Collected(f"{made['id'][-12:]}{name}", number, Money(cents, currency), at, at, who)


async def came(shop: Shop, made: dict[str, Any], name: str, cents: int, *, minutes: float = 0) -> str:
    news = payment(made, name, cents, minutes=minutes)
    return await shop.told(port.COLLECTION_SETTLED, news, news.reference, SPEI if "spei" in made else DEPOSIT)


async def stands(shop: Shop, made: dict[str, Any]) -> tuple[str, list[tuple[str, int]]]:
    """The order's status, and state and excess of each payment, as they came."""
    (status,) = await shop.column("SELECT status FROM orders WHERE id = $1::text::uuid", made["id"])
    rows = await shop.rows("SELECT state, excess_minor FROM pix_payments ORDER BY created_at, id")
    return status, [(row[0], row[1]) for row in rows]


async def credited(shop: Shop, currency: str = "MXN") -> tuple[int, int]:
    """What Ana's account has got, and what lies in suspense."""
    owns = ledger.customer(shop.ana.company_id, shop.ana.account_id, currency).id
    sql = "SELECT coalesce(sum(change_minor), 0)::bigint FROM ledger_sides WHERE ledger_account_id = $1"
    got, waits = [(await shop.column(sql, one))[0] for one in (owns, ledger.suspense(shop.ana.company_id, currency).id)]
    return got, waits


async def events(shop: Shop, made: dict[str, Any]) -> list[str]:
    return [one["event"] for one in await shop.news(UUID(made["id"]))]


async def expired(shop: Shop, made: dict[str, Any]) -> None:
    sql = "UPDATE orders SET ends_at = business_now() WHERE ends_at IS NOT NULL AND id = $1::text::uuid RETURNING 1"
    await shop.rows(sql, made["id"])
    await shop.cast.runner.act(shop.ana.company_id, Expire(UUID(made["id"]), PLACE))


async def returned(shop: Shop, code: str | None = None) -> None:
    """The network has given back whatever it was asked to, or will not."""
    for rail, return_id in await shop.rows("SELECT rail, return_id FROM refunds WHERE state = 'PENDING'"):
        final = port.ReturnFinal(return_id, "", code is None, code, datetime.now(UTC) if code is None else None)
        assert await shop.told(port.RETURN_FINAL, final, return_id, rail) == "handled"


# ── made ──


async def test_each_order_has_an_account_number_of_its_own(shop: Shop) -> None:
    one, other = await make(shop), await make(shop, externalId="t-2")
    spei = one["spei"]
    read = clabe.read(spei["clabe"])
    assert read is not None
    assert (read.bank + read.plaza, spei["bankCode"], spei["beneficiary"]) == ("990180", "990", "Ana Flores Ltda")
    assert other["spei"]["clabe"] != spei["clabe"]
    assert (one["status"], "pix" in one, "deposit" in one) == ("INITIAL", False, False)
    (body, *_) = await shop.column("SELECT body FROM outbox WHERE rail = 'spei' ORDER BY created_at, id")
    told = port.collection_order(body)
    assert (told.reference, told.amount, told.number) == (spei["clabe"], Money(10000, "MXN"), "order-1")
    (terms,) = await shop.column("SELECT ends_at - expires_at FROM orders WHERE external_id = 'order-1'")
    assert terms == timedelta(seconds=60)
    assert told.expires_at is not None
    (made_at,) = await shop.column("SELECT created_at FROM orders WHERE external_id = 'order-1'")
    assert told.expires_at - made_at == timedelta(days=3)
    assert (await answered(shop.cast, shop.ana.client, "read_order", id=one["id"]))["spei"] == spei


async def test_a_deposit_goes_to_the_bank_that_was_chosen(shop: Shop) -> None:
    brl = {"paymentMethod": "DEPOSIT", "amount": {"currency": "BRL", "value": "100.00"}}
    for bank, branch, slug in ((None, "0001", "banco-um"), ("banco-dois", "0002", "banco-dois")):
        made = await make(shop, externalId=slug, bank=bank, **brl)
        assert (made["deposit"]["bank"], made["deposit"]["branchNumber"]) == (slug, branch)
        assert made["deposit"]["holder"] == "Ana Flores Ltda"
    (reference,) = await shop.column("SELECT reference FROM instruments WHERE details ->> 'bank' = 'banco-dois'")
    own = receiving_accounts.read(reference)
    assert own == ("992", "0002", made["deposit"]["accountNumber"])
    listed = await answered(shop.cast, shop.ana.client, "list_deposit_banks")
    assert [(bank["slug"], bank["default"]) for bank in listed["data"]] == [("banco-um", True), ("banco-dois", False)]


@in_one_test(
    ("changes", "problems"),
    [
        ({"amount": {"currency": "BRL", "value": "1.00"}}, [("order.amount.currency", "NOT_SUPPORTED")]),
        ({"amount": None}, [("order.amount", "REQUIRED")]),
        ({"bank": "banco-um"}, [("order.bank", "NOT_ALLOWED")]),
        (
            {"paymentMethod": "DEPOSIT", "amount": {"currency": "BRL", "value": "1.00"}, "bank": "x"},
            [("order.bank", "INVALID")],
        ),
    ],
)
async def test_what_no_transfer_order_may_say(shop: Shop, changes: dict[str, Any], problems: list[Any]) -> None:
    refused = await send(shop, **changes)
    assert isinstance(refused, Refused)
    assert [(p.field, p.issue) for p in refused.problems if isinstance(p, Problem)] == problems


# ── paid ──


@pytest.mark.parametrize("bearer", ["RECEIVER", "CUSTOMER"])
@pytest.mark.parametrize(
    ("parts", "held", "excess"),
    [
        ([10000], [], 0), ([2500, 7500], [2500], 0), ([9999, 1], [9999], 0), ([15000], [], 5000),
        ([4000, 4000, 4000], [4000, 8000], 2000),
    ],
)  # fmt: skip
async def test_parts_add_up_and_what_is_too_much_goes_back(
    shop: Shop, parts: list[int], held: list[int], excess: int, bearer: str
) -> None:
    await shop.cast.set_fees(shop.ana.company_id, 200, 100, payer=bearer, method="SPEI")
    value = "100.00" if bearer == "RECEIVER" else "97.03"  # with 2.00 and 1 % of it 100.00
    made = await make(shop, amount={"currency": "MXN", "value": value})
    assert made["finalAmount"]["value"] == "100.00"
    for place, waits in enumerate(held):
        assert await came(shop, made, f"P{place}", parts[place]) == "handled"
        assert (await stands(shop, made))[0] == "PENDING"
        assert await credited(shop) == (0, waits)
        assert await came(shop, made, f"P{place}", parts[place]) == "known", "told twice it is in once"
    assert await came(shop, made, "last", parts[-1]) == "handled"
    status, payments = await stands(shop, made)
    assert (status, {state for state, _ in payments}, sum(more for _, more in payments)) == ("PAID", {"SETTLED"}, excess)
    assert await credited(shop) == (9700 if bearer == "RECEIVER" else 9703, excess)
    (body,) = await shop.news(UUID(made["id"]))
    assert (body["event"], body["endToEndId"]) == ("ORDER-PAYIN.PAID", None)
    assert body["amount"] == {"currency": "MXN", "value": value}
    assert body["payer"]["name"] == "Payer of last"
    assert body["payer"]["document"] == {"type": "CURP", "number": "BADD110313HCMLNS09"}
    await returned(shop)
    assert (await stands(shop, made), (await credited(shop))[1]) == (("PAID", payments), 0)


async def test_a_deposit_is_paid_in_reais(shop: Shop) -> None:
    made = await make(shop, paymentMethod="DEPOSIT", amount={"currency": "BRL", "value": "100.00"})
    assert [await came(shop, made, name, cents) for name, cents in (("A", 6000), ("B", 5000))] == ["handled"] * 2
    assert await stands(shop, made) == ("PAID", [("SETTLED", 0), ("SETTLED", 1000)])
    assert await credited(shop, "BRL") == (10000, 1000)


async def test_two_partners_may_give_two_payments_one_id(shop: Shop) -> None:
    """Each of them numbers its own: both are credited, each may go back, and each is known again."""
    brl = {"paymentMethod": "DEPOSIT", "amount": {"currency": "BRL", "value": "100.00"}}
    made = [await make(shop), await make(shop, externalId="t-2", **brl)]
    for rail, one in zip((SPEI, DEPOSIT), made, strict=True):
        news = msgspec.structs.replace(payment(one, "", 10001), payment_id="ONE-ID")
        outcomes = [await shop.told(port.COLLECTION_SETTLED, news, news.reference, rail) for _ in range(2)]
        assert outcomes == ["handled", "known"]
    assert (await credited(shop), await credited(shop, "BRL")) == ((10000, 1), (10000, 1))
    await returned(shop)
    assert await shop.column("SELECT rail FROM pix_payments WHERE end_to_end_id = 'ONE-ID' ORDER BY rail") == [DEPOSIT, SPEI]
    assert (await credited(shop), await credited(shop, "BRL")) == ((10000, 0), (10000, 0))


async def test_it_was_paid_when_the_last_of_its_money_settled(shop: Shop) -> None:
    """Whichever of it is told of last."""
    made = await make(shop)
    await came(shop, made, "late", 4000, minutes=9)
    await came(shop, made, "early", 6000, minutes=1)
    ((paid, late),) = await shop.rows("SELECT o.paid_at, max(p.settled_at) FROM orders o, pix_payments p GROUP BY o.paid_at")
    assert paid == late


async def test_two_parts_at_once_pay_it_once(shop: Shop) -> None:
    made = await make(shop)
    await asyncio.gather(*(came(shop, made, name, 5000) for name in "AB"))
    assert await stands(shop, made) == ("PAID", [("SETTLED", 0), ("SETTLED", 0)])
    assert await credited(shop) == (10000, 0)


async def test_an_excess_that_the_bank_does_not_take_back_stays_in_suspense(shop: Shop) -> None:
    made = await make(shop)
    await came(shop, made, "A", 10500)
    await returned(shop, "03")
    assert (await stands(shop, made), await credited(shop)) == (("PAID", [("SETTLED", 500)]), (10000, 500))
    assert await shop.column("SELECT state FROM refunds") == ["ERROR"]


@pytest.mark.parametrize("why", ["finished", "canceled", "late", "inactive", "too many parts"])
async def test_what_fits_nothing_goes_back_whole(shop: Shop, why: str) -> None:
    made, last, minutes = await make(shop), "RETURNING", 0.0
    if why == "finished":
        await came(shop, made, "A", 10000)
    elif why == "canceled":
        await answered(shop.cast, shop.ana.client, "cancel_order", id=made["id"])
    elif why == "late":
        minutes = 3 * 24 * 60 + 1
    elif why == "inactive":
        await shop.cast.account_becomes(shop.ana.company_id, "INACTIVE")
    else:
        for place in range(MOST_PARTS):
            await came(shop, made, f"P{place}", 1)
    before = (await stands(shop, made))[0], (await credited(shop))[0]
    assert await came(shop, made, "Z", 400, minutes=minutes) == "handled"
    status, payments = await stands(shop, made)
    assert ((status, (await credited(shop))[0]), payments[-1][0]) == (before, last)
    assert await shop.column("SELECT amount_minor FROM refunds") == [400]
    if why == "inactive":
        await shop.cast.account_becomes(shop.ana.company_id, "ACTIVE")
    if why == "too many parts":
        assert await came(shop, made, "rest", 10000 - MOST_PARTS) == "handled", "what pays it is always taken"
        assert (await stands(shop, made))[0] == "PAID"


# ── ended ──


async def test_what_came_of_an_order_that_expires_goes_back(shop: Shop) -> None:
    made = await make(shop)
    for name, cents in (("A", 1000), ("B", 2000)):
        await came(shop, made, name, cents)
    refused = await ask(shop.cast, shop.ana.client, "cancel_order", id=made["id"])
    assert isinstance(refused, Refused)
    assert refused.kind is Kind.CONFLICT
    await expired(shop, made)
    assert await stands(shop, made) == ("EXPIRED", [("RETURNING", 0), ("RETURNING", 0)])
    assert await events(shop, made) == ["ORDER-PAYIN.EXPIRED"]
    await expired(shop, made)
    assert await credited(shop) == (0, 3000)
    await returned(shop)
    assert (await stands(shop, made))[1] == [("RETURNED", 0), ("RETURNED", 0)]
    assert await credited(shop) == (0, 0)
    assert await shop.column("SELECT amount_minor FROM refunds ORDER BY amount_minor") == [1000, 2000]


# ── given back ──


async def refund(shop: Shop, made: dict[str, Any], cents: int, code: str) -> Any:
    body = {"orderId": made["id"], "externalId": code, "amount": {"currency": "MXN", "value": str(Money(cents, "MXN"))},
            "refundCode": "MD06"}  # fmt: skip
    route = ROUTES["create_refund"]
    verb = route.parse(Incoming(shop.ana.company_id, {}, {}, msgspec.json.encode(body), body, None))
    assert not isinstance(verb, Refused), verb
    return await shop.cast.run(shop.ana.client, verb, operation="create_refund", permission=route.permission, status=201)


async def test_a_refund_gives_back_of_one_payment_the_newest_that_has_enough(shop: Shop) -> None:
    made = await make(shop)
    for name, cents in (("A", 6000), ("B", 1000), ("C", 4000)):  # of the last one 3000 pay it
        await came(shop, made, name, cents)
    await returned(shop)
    got: list[tuple[str, int] | str] = []
    for place, cents in enumerate((2000, 5000, 1001, 1000, 1000, 1000, 1)):
        reply = await refund(shop, made, cents, f"r-{place}")
        if isinstance(reply, Refused):
            got.append(",".join(f"{p.field} {p.issue}" for p in reply.problems if isinstance(p, Problem)))
            continue
        sql = "SELECT p.end_to_end_id, r.amount_minor FROM refunds r JOIN pix_payments p ON p.id = r.payment_id"
        ((name, minor),) = await shop.rows(f"{sql} WHERE r.external_id = $1", f"r-{place}")
        got.append((name[-1], minor))
    too_much = "amount LIMIT_EXCEEDED"
    assert got == [("C", 2000), ("A", 5000), too_much, ("C", 1000), ("B", 1000), ("A", 1000), too_much]
    await returned(shop)
    assert (await stands(shop, made))[0] == "REFUNDED"
    assert await credited(shop) == (0, 0)


async def test_refunds_at_once_never_take_more_than_a_payment_brought(shop: Shop) -> None:
    made = await make(shop)
    for name, cents in (("A", 5000), ("B", 5000)):
        await came(shop, made, name, cents)
    replies = await asyncio.gather(*(refund(shop, made, 3000, f"r-{n}") for n in range(3)))
    assert sum(isinstance(reply, Reply) for reply in replies) in (1, 2)
    sums = await shop.column("SELECT sum(amount_minor)::bigint FROM refunds GROUP BY payment_id")
    assert sums == [3000] * len(sums)
    await returned(shop, "06")
    assert await shop.column("SELECT sum(used_minor)::bigint FROM quotas") == [0]


# ── whatever comes ──


@given(st.lists(st.tuples(st.integers(1, 6000), st.booleans()), min_size=1, max_size=5), st.booleans())
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_every_cent_is_where_it_belongs(shop: Shop, parts: Sequence[tuple[int, bool]], ends: bool) -> None:
    """Of each part whether it is told twice. The laws hold after it as after every test."""
    made = await make(shop, externalId=str(shop.cast.id()))
    before, paid_by = await credited(shop), 0
    for place, (cents, twice) in enumerate(parts):
        for outcome in ("handled", "known")[: 1 + twice]:
            assert await came(shop, made, f"P{place}", cents) == outcome
        paid_by += cents if paid_by < 10000 else 0
    total = sum(cents for cents, _ in parts)
    (status,) = await shop.column("SELECT status FROM orders WHERE id = $1::text::uuid", made["id"])
    got, waits = await credited(shop)
    is_paid = paid_by >= 10000
    assert (status, got - before[0]) == (("PAID", 10000) if is_paid else ("PENDING", 0))
    assert waits - before[1] == (total - 10000 if is_paid else total)
    if ends:
        await expired(shop, made)
    await returned(shop)
    left = 0 if is_paid or ends else total
    assert await credited(shop) == (got, before[1] + left)
