"""Plans are checked whole, approved by others, and made to payouts once each."""

from tests.rooms.payouts.office import FABIO
from tests.rooms.plans.bureau import BY_KEY, TO_FABIO, Bureau


async def test_a_plan_becomes_its_payouts(bureau: Bureau) -> None:
    plan = await bureau.checked(bureau.differing(3))
    assert (plan["status"], plan["progress"]) == ("READY", {"lines": 3, "checked": 3, "unfit": 0, "created": 0})
    assert await bureau.payouts() == 0
    await bureau.approve(plan)
    await bureau.apply(plan)
    await bureau.work()
    plan = await bureau.read(plan)
    assert (plan["status"], plan["progress"]["created"]) == ("APPLIED", 3)
    assert await bureau.payouts() == 3
    assert [line["status"] for line in await bureau.lines(plan)] == ["CREATED"] * 3


async def test_a_plan_says_what_it_comes_to(bureau: Bureau) -> None:
    """What a person signs: its total, fees, how many are paid, and the line that pays most with its receiver."""
    other = {"bankAccount": {**TO_FABIO["bankAccount"], "accountNumber": "300099"}}
    rows = [bureau.payout("10.50"), bureau.payout("99.01", paymentData=BY_KEY), bureau.payout("7.00", paymentData=other)]
    taken = await bureau.take(rows)
    assert "totals" not in taken, "no line is checked"
    await bureau.work()
    totals = (await bureau.read(taken))["totals"]
    assert (totals["payouts"], totals["transfers"], totals["receivers"]) == (3, 3, 2), "Fabio's key leads to his account"
    assert (totals["amount"]["value"], totals["fees"]["value"]) == ("116.51", "0.00")
    assert (totals["largest"]["line"], totals["largest"]["amount"]["value"]) == (2, "99.01")
    assert totals["largest"]["receiver"]["name"] == FABIO.name
    plan = await bureau.read(taken)
    signed = await bureau.approve(plan)
    assert signed["totals"] == {**totals, "largest": {k: v for k, v in totals["largest"].items() if k != "receiver"}}
