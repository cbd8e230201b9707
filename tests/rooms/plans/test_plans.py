"""Plans are checked whole, approved by others, and made to payouts once each."""

from tests.rooms.plans.bureau import Bureau


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
