"""A refund that was taken for failed and that a statement proves to have left: booked once, to the cent, and told."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec
import pytest
from tests.cast import PLACE

from lastro import ledger
from lastro.core.commit import commit
from lastro.core.errors import Kind, Problem, Refused
from lastro.core.runner import Done
from lastro.core.write import Write
from lastro.orders import ProvedRefund
from lastro.rails import port

from .shop import Shop
from .test_arrivals import arrives
from .test_stranded import refused_back


async def prove(shop: Shop, name: str, at: datetime | None = None, company: UUID | None = None) -> Done | Refused:
    verb = ProvedRefund(name, at or datetime.now(UTC) - timedelta(milliseconds=5), PLACE)
    done = await shop.cast.runner.act(company or shop.ana.company_id, verb)
    assert isinstance(done, Done | Refused)
    return done


async def no(shop: Shop, name: str, at: datetime | None = None) -> tuple[Kind, str, str]:
    """Why it is refused."""
    refused = await prove(shop, name, at)
    assert isinstance(refused, Refused)
    (problem,) = refused.problems
    assert isinstance(problem, Problem)
    return refused.kind, problem.field, problem.description


async def failed(shop: Shop, order_id: UUID, cents: int, code: str = port.NOT_TAKEN) -> dict[str, Any]:
    """A refund that ended with ERROR."""
    refund = await shop.back(order_id, cents)
    assert await shop.ends(refund, code) == "handled"
    return refund


async def booked(shop: Shop, refund: dict[str, Any]) -> list[tuple[str, str, int]]:
    sql = "SELECT kind, type, amount_minor FROM transfers WHERE reference_id = $1::text::uuid ORDER BY kind, type"
    return [tuple(row) for row in await shop.rows(sql, refund["id"])]


async def owes(shop: Shop) -> int:
    lost = ledger.loss(shop.ana.company_id, shop.ana.account_id, "BRL")
    sql = "SELECT coalesce(-sum(change_minor), 0)::bigint FROM ledger_sides WHERE ledger_account_id = $1"
    return int((await shop.column(sql, lost.id))[0])


@pytest.mark.parametrize("code", [port.NOT_TAKEN, "AC03"])
async def test_it_is_booked_and_told_once(shop: Shop, code: str) -> None:
    order_id = await shop.paid(1000)
    refund = await failed(shop, order_id, 400, code)
    assert (await shop.money(), await shop.stands(order_id)) == ((1000, 0), ("PAID", 0, ["ERROR"]))
    assert await shop.ends(refund) == port.ALARMED, "the network says that it has settled all the same"
    done = await prove(shop, refund["returnId"])
    assert isinstance(done, Done)
    shown = msgspec.json.decode(done.body)
    assert (shown["id"], shown["status"], shown["amount"]) == (refund["id"], "PAID", "4.00")
    assert (await shop.money(), await shop.stands(order_id)) == ((600, 0), ("PARTIAL_REFUNDED", 400, ["PAID"]))
    assert await booked(shop, refund) == [
        ("held", "PIX_REFUND", 400), ("moved", "PIX_REFUND_PROVED", 400), ("voided", "PIX_REFUND", 400),
    ]  # fmt: skip
    assert [one["event"] for one in await shop.news(order_id)] == [
        "ORDER-PAYIN.PAID", "ORDER-PAYIN.REFUND_ERROR", "ORDER-PAYIN.REFUNDED",
    ]  # fmt: skip
    (row,) = await shop.rows("SELECT error_code, error_message FROM refunds")
    assert tuple(row) == (None, None)
    assert await no(shop, refund["returnId"]) == (Kind.CONFLICT, "status", "the refund is PAID: nothing is to be proved")
    assert await shop.ends(refund) == "known", "now the network says what we know"
    assert await shop.ends(refund, "AC03") == port.ALARMED
    assert (await shop.refused(order_id, 601))[1] == (("amount", "LIMIT_EXCEEDED"),), "it counts again"


async def test_what_the_account_lacks_it_owes(shop: Shop) -> None:
    order_id, ana = await shop.paid(1000), shop.ana
    refund = await failed(shop, order_id, 1000)
    spent = shop.cast.transfer(ana.customer, ana.clearing, 700)
    await commit(shop.cast.database, Write(ana.company_id, transfers=(spent,)))
    assert isinstance(await prove(shop, refund["returnId"]), Done)
    assert (await shop.money(), await owes(shop)) == ((0, 0), 700)
    assert (await booked(shop, refund))[1:3] == [("moved", "PIX_REFUND_LACK", 700), ("moved", "PIX_REFUND_PROVED", 300)]
    assert await shop.stands(order_id) == ("REFUNDED", 1000, ["PAID"])


async def test_no_more_than_was_paid_is_given_back(shop: Shop) -> None:
    """What was asked anew meanwhile is on its way, or has left: a network gives no more back than came."""
    order_id = await shop.paid(1000)
    refund, lesser = await failed(shop, order_id, 1000), await failed(shop, order_id, 300)
    again = await shop.back(order_id, 700)
    says = Kind.CONFLICT, "amount", "with it more would be given back than was paid: another refund is in its place"
    assert await no(shop, refund["returnId"]) == says
    assert await shop.ends(again) == "handled"
    assert await no(shop, refund["returnId"]) == says
    assert await shop.stands(order_id) == ("PARTIAL_REFUNDED", 700, ["ERROR", "ERROR", "PAID"])
    assert isinstance(await prove(shop, lesser["returnId"]), Done), "both fit"
    assert (await shop.money(), await shop.stands(order_id)) == ((0, 0), ("REFUNDED", 1000, ["ERROR", "PAID", "PAID"]))


async def test_of_many_at_once_one_is_written(shop: Shop) -> None:
    order_id = await shop.paid(1000)
    refund = await failed(shop, order_id, 400)
    said = await asyncio.gather(*(prove(shop, refund["returnId"]) for _ in range(6)))
    assert [isinstance(one, Done) for one in said].count(True) == 1
    assert await shop.money() == (600, 0)


async def test_what_is_none_to_be_proved(shop: Shop) -> None:
    order_id = await shop.paid(1000)
    pending = await shop.back(order_id, 100)
    assert (await no(shop, pending["returnId"]))[2] == "the refund is PENDING: nothing is to be proved"
    unknown = (Kind.NOT_FOUND, "name", "is that of no Pix refund that we sent")
    assert await no(shop, "D9999901020261123130000001abcdef") == unknown
    refund = await failed(shop, order_id, 400)
    for wrong in (timedelta(days=-1), timedelta(days=1)):
        kind, field, _ = await no(shop, refund["returnId"], datetime.now(UTC) + wrong)
        assert (kind, field) == (Kind.INVALID, "settledAt")
    dora = await shop.cast.dora()
    refused = await prove(shop, refund["returnId"], company=dora.company_id)
    assert isinstance(refused, Refused)
    assert refused.kind is Kind.NOT_FOUND


async def test_of_a_partner_it_is_settled_with_the_partner(shop: Shop) -> None:
    await refused_back(shop)
    (name,) = await shop.column("SELECT return_id FROM refunds")
    assert (await no(shop, name))[0] is Kind.NOT_FOUND


async def test_a_return_of_our_own_accord_is_booked_by_the_other_command(shop: Shop) -> None:
    order_id = await shop.paid(1000)
    (txid,) = await shop.column("SELECT txid FROM orders WHERE id = $1", order_id)
    twice = await arrives(shop.cast, shop.ana, txid=txid, key=shop.ana.pix_key, settled_at=datetime.now(UTC))
    assert await shop.told(port.PIX_SETTLED, twice, twice.end_to_end_id) == "handled"
    ((refund_id, name),) = await shop.rows("SELECT id, return_id FROM refunds")
    final = port.ReturnFinal(name, twice.end_to_end_id, settled=False, code="AC03", settled_at=None)
    assert await shop.told(port.RETURN_FINAL, final, name) == "handled"
    kind, field, why = await no(shop, name)
    assert (kind, field) == (Kind.CONFLICT, "name")
    assert f"is {refund_id}, a return of our own accord: lastro unmatched pay-out" in why
