"""Refunds that clients ask for, on real rows: together never above what was paid, ended by the network's word alone."""

import asyncio
from typing import Any
from uuid import UUID

import pytest
from msgspec import structs
from tests.in_one import in_one_test

from lastro import ledger
from lastro.core.commit import commit
from lastro.core.errors import Refused
from lastro.core.runner import Reply
from lastro.core.write import Write
from lastro.rails.port import ALARMED

from .shop import Shop


async def test_part_and_then_the_rest(shop: Shop) -> None:
    await shop.cast.set_fees(shop.ana.company_id, 50)
    order = await shop.paid(1000, fee_fixed_minor=50)
    await shop.cast.credit(shop.ana, 50)
    assert await shop.money() == (1000, 0)
    first = await shop.back(order, 400, external_id="back-1", description="Sorry", reason="Broken")
    assert first.pop("returnId").startswith("D12345678")
    assert first.pop("id"), first.pop("createdAt") == first.pop("updatedAt")
    assert {**first, "createdAt": 0, "updatedAt": 0} == {
        "orderId": str(order), "externalId": "back-1", "status": "PENDING", "amount": {"currency": "BRL", "value": "4.00"},
        "refundCode": "MD06", "networkRefundCode": "MD06", "refundReason": "Broken", "description": "Sorry", "createdAt": 0, "updatedAt": 0,
    }  # fmt: skip
    assert (await shop.money(), await shop.stands(order)) == ((600, 400), ("PAID", 0, ["PENDING"]))
    (return_id,) = await shop.column("SELECT return_id FROM refunds")
    assert await shop.ends({"returnId": return_id}) == "handled"
    assert (await shop.money(), await shop.stands(order)) == ((600, 0), ("PARTIAL_REFUNDED", 400, ["PAID"]))
    assert await shop.ends(await shop.back(order, 600)) == "handled"
    assert (await shop.money(), await shop.stands(order)) == ((0, 0), ("REFUNDED", 1000, ["PAID", "PAID"]))
    paid, part, rest = await shop.news(order)
    assert [e["event"] for e in (paid, part, rest)] == ["ORDER-PAYIN.PAID", *["ORDER-PAYIN.REFUNDED"] * 2]
    shown = [(e["status"], e["type"], e["refundAmount"]["value"], e["refundedAmount"]["value"]) for e in (part, rest)]
    assert shown == [("PARTIAL_REFUNDED", "REFUND", "4.00", "4.00"), ("REFUNDED", "REFUND", "6.00", "10.00")]
    said = ("id", "code", "paidAt", "endToEndId", "description", "amount", "ownerBank", "payer")
    assert {n: part[n] for n in said} == {n: paid[n] for n in said}
    assert (part["message"], part["customerMessage"]) == ("Order refunded", "Valor devolvido")


async def test_a_refused_one_leaves_all_as_it_was(shop: Shop) -> None:
    order = await shop.paid(1000)
    refund = await shop.back(order, 1000)
    assert await shop.refused(order, 1) == ("INVALID", (("amount", "LIMIT_EXCEEDED"),))
    assert await shop.ends(refund, "ED05") == "handled"
    assert (await shop.money(), await shop.stands(order)) == ((1000, 0), ("PAID", 0, ["ERROR"]))
    _, told = await shop.news(order)
    assert (told["event"], told["status"], told["refundId"]) == ("ORDER-PAYIN.REFUND_ERROR", "PAID", refund["id"])
    assert (told["message"], told["refundedAmount"]["value"]) == ("Refund failed: ED05: the settlement failed", "0.00")
    assert told["customerMessage"] == "Devolução não concluída"
    assert await shop.ends(await shop.back(order, 1000)) == "handled"
    assert await shop.stands(order) == ("REFUNDED", 1000, ["ERROR", "PAID"])


@pytest.mark.parametrize("first", [None, "XX99"])
async def test_a_second_end_changes_nothing(shop: Shop, first: str | None) -> None:
    order = await shop.paid(1000)
    refund = await shop.back(order, 300)
    await shop.ends(refund, first)
    before = await shop.money(), await shop.stands(order), await shop.news(order)
    assert await shop.ends(refund, first) == "known"
    assert await shop.ends(refund, None if first else "ED05") == ALARMED
    assert (await shop.money(), await shop.stands(order), await shop.news(order)) == before


async def test_fifty_at_once_are_never_more_than_was_paid(shop: Shop) -> None:
    order = await shop.paid(1000)
    await shop.cast.credit(shop.ana, 100_000)
    answers = await asyncio.gather(*(shop.ask(order, 90) for _ in range(50)))
    made = [a for a in answers if isinstance(a, Reply)]
    refused = [a for a in answers if isinstance(a, Refused)]
    assert (len(made), len(refused)) == (11, 39)
    assert {(p.field, p.issue) for a in refused for p in a.problems} == {("amount", "LIMIT_EXCEEDED")}
    assert (await shop.money(), await shop.column("SELECT used_minor FROM quotas")) == ((100_010, 990), [990])
    assert await shop.refused(order, 11) == ("INVALID", (("amount", "LIMIT_EXCEEDED"),))
    returns = await shop.column("SELECT return_id FROM refunds")
    await asyncio.gather(*(shop.ends({"returnId": r}) for r in returns[:5]))
    assert (await shop.stands(order))[:2] == ("PARTIAL_REFUNDED", 450)


async def test_an_order_that_its_customer_pays_the_fee_of(shop: Shop) -> None:
    """What can be given back is the order's amount; the fee stays."""
    order = await shop.paid(1000, final_amount_minor=1050, fee_fixed_minor=50, fee_payer="CUSTOMER")
    assert await shop.refused(order, 1001) == ("INVALID", (("amount", "LIMIT_EXCEEDED"),))
    await shop.ends(await shop.back(order, 1000))
    assert (await shop.money(), await shop.stands(order)) == ((0, 0), ("REFUNDED", 1000, ["PAID"]))


@in_one_test(
    ("order", "cents", "expected"),
    [
        ({"days_ago": 89.9}, 1000, None),
        ({"days_ago": 90.1}, 1000, ("INVALID", (("orderId", "EXPIRED"),))),
        ({"days_ago": 90.1}, 1001, ("INVALID", (("orderId", "EXPIRED"), ("amount", "LIMIT_EXCEEDED")))),
        ({}, 1001, ("INVALID", (("amount", "LIMIT_EXCEEDED"),))),
    ],
)
async def test_what_may_be_given_back(shop: Shop, order: dict[str, Any], cents: int, expected: Any) -> None:
    order_id = await shop.paid(1000, **order)
    if expected is None:
        assert (await shop.back(order_id, cents))["status"] == "PENDING"
        return
    assert await shop.refused(order_id, cents) == expected
    assert await shop.stands(order_id) == ("PAID", 0, [])


async def test_all_that_is_in_the_way_of_one_kind_is_said_at_once(shop: Shop) -> None:
    paid, waiting = await shop.paid(1000), await shop.order()
    await shop.back(paid, 1, external_id="back-1")
    assert await shop.refused(waiting, 1) == ("CONFLICT", (("status", "CONFLICT"),))
    both = (("externalId", "DUPLICATE"), ("status", "CONFLICT"))
    assert await shop.refused(waiting, 1, external_id="back-1") == ("CONFLICT", both)
    assert await shop.refused(paid, 1, external_id="back-1") == ("CONFLICT", both[:1])
    again = await asyncio.gather(*(shop.ask(paid, 1, external_id="back-2") for _ in range(8)))
    assert sum(isinstance(a, Reply) for a in again) == 1
    assert {p.issue for a in again if isinstance(a, Refused) for p in a.problems} == {"DUPLICATE"}
    assert await shop.column("SELECT used_minor FROM quotas") == [2]


async def test_an_order_of_another_company_is_none(shop: Shop) -> None:
    order, dora = await shop.paid(1000), await shop.cast.dora()
    unknown = ("INVALID", (("orderId", "INVALID"),))
    assert await shop.refused(order, 1, by=dora.client) == await shop.refused(UUID(int=0), 1) == unknown
    await shop.back(order, 1, external_id="back-1")
    theirs = Shop(shop.cast, dora)
    assert (await theirs.back(await theirs.paid(500), 1, external_id="back-1"))["status"] == "PENDING"


async def test_the_account_must_have_it(shop: Shop) -> None:
    order = await shop.paid(1000)
    spent = shop.cast.transfer(shop.ana.customer, shop.ana.clearing, 601)
    await commit(shop.cast.database, Write(shop.ana.company_id, transfers=(spent,)))
    assert await shop.refused(order, 400) == ("INVALID", (("amount", "INSUFFICIENT_FUNDS"),))
    assert (await shop.stands(order), await shop.column("SELECT used_minor FROM quotas")) == (("PAID", 0, []), [])
    assert (await shop.back(order, 399))["status"] == "PENDING"


async def test_who_owes_gives_nothing_back(shop: Shop) -> None:
    order, ana = await shop.paid(1000), shop.ana
    lost = ledger.loss(ana.company_id, ana.account_id, "BRL")
    owed = shop.cast.transfer(lost, ana.clearing, 5000)
    await commit(shop.cast.database, Write(ana.company_id, transfers=(owed,)))
    assert await shop.refused(order, 1) == ("INVALID", (("orderId", "NOT_ALLOWED"),))
    paid = structs.replace(shop.cast.transfer(ana.clearing, lost, 5000))
    await commit(shop.cast.database, Write(ana.company_id, transfers=(paid,)))
    assert (await shop.back(order, 1))["status"] == "PENDING"


@pytest.mark.parametrize(("status", "problems"), [("INACTIVE", None), ("CLOSED", (("orderId", "NOT_ALLOWED"),))])
async def test_an_account_that_is_not_active(shop: Shop, status: str, problems: Any) -> None:
    """Refunds of a blocked account still run (states.md 8); a closed one has nothing."""
    order = await shop.paid(1000)
    await shop.cast.account_becomes(shop.ana.company_id, status)
    if problems is None:
        assert await shop.ends(await shop.back(order, 1000)) == "handled"
        assert await shop.stands(order) == ("REFUNDED", 1000, ["PAID"])
    else:
        assert await shop.refused(order, 1000) == ("INVALID", problems)


async def test_the_same_request_twice_is_one_refund(shop: Shop) -> None:
    order = await shop.paid(1000)
    answers = await asyncio.gather(*(shop.ask(order, 700, key="k", external_id="back-1") for _ in range(10)))
    assert len({a.body for a in answers if isinstance(a, Reply)}) == 1
    assert await shop.stands(order) == ("PAID", 0, ["PENDING"])
    assert await shop.column("SELECT keep FROM answers") == ["forever"]
