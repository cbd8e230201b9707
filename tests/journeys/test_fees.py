"""What an order costs, from the operator who sets it to the cents that are booked, through a change at an instant to come."""

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from typing import Any

import pytest

from .play import Play, cents
from .test_clock import now
from .test_teds import operator

FEES = "/order/v1/banking/fees"


@pytest.fixture
async def company(play: Play) -> AsyncIterator[str]:
    """Ana's company, for which all is free again afterwards: the stage is shared."""
    number = str(await play.books.fetchval(
        "SELECT n.number FROM company_numbers n JOIN accounts a ON a.company_id = n.company_id WHERE a.id = $1::text::uuid",
        play.account["id"],
    ))  # fmt: skip
    yield number
    await play.rest()
    at = await now(play)
    for plan in await operator(play, "company", "fees", number):
        if datetime.fromisoformat(plan["from"]) > at:
            await operator(play, "company", "remove-fees", number, plan["id"])
    await operator(play, "company", "set-fees", number, "--method", "PIX")


async def paid(play: Play, order: dict[str, Any], settled: str, fee: str) -> None:
    """Pays an order: what its account gets, and what is kept."""
    before = await play.balance()
    read = await play.act("/phone/read", {"qrcodeData": order["pix"]["qrcodeData"]})
    assert (order["finalAmount"]["value"], read["amount"]) == (settled, settled)
    payment = await play.pay(order)
    await play.becomes(order, "PAID")
    kept, credited = cents(fee), cents(settled) - cents(fee)
    assert await play.balance() - before == credited
    moved = await play.moved(payment["endToEndId"])
    assert sorted(moved) == [("moved", "NET", "CUST", credited), ("moved", "NET", "FEE", kept)]
    assert (await play.told(order, "ORDER-PAYIN.PAID"))["amount"] == order["amount"]


async def test_what_is_set_is_what_is_paid_and_what_comes_takes_over(play: Play, company: str) -> None:
    later = (await now(play) + timedelta(hours=1)).isoformat().replace("+00:00", "Z")
    set_fees = ("company", "set-fees", company, "--method", "PIX")
    await operator(play, *set_fees, "--fixed", "0.30", "--percent", "1.5", "--payer", "CUSTOMER")
    await operator(play, *set_fees, "--additional", "1", "--payer", "RECEIVER", "--from", later)
    held, comes = (await play.call("GET", FEES)).json["data"]
    assert (held["feePayer"], held["variablePercent"], held["fixed"]["value"]) == ("CUSTOMER", "1.50", "0.30")
    assert (comes["feePayer"], comes["additional"]["value"], comes["validFrom"]) == ("RECEIVER", "1.00", held["validUntil"])
    first, kept_back = await play.order("10.50"), await play.order("10.50")
    await paid(play, first, "10.96", "0.46")  # 0.30 and 1.5 % of 10.50, which is 0.1575
    await play.advance(advance="PT1H")
    await paid(play, await play.order("10.50"), "10.50", "1.00")
    await paid(play, kept_back, "10.96", "0.46")  # what it was told when it was made
    (alone,) = (await play.call("GET", FEES)).json["data"]
    assert alone == comes
