"""The story of a plan on real rows: who made and signed it, how it ended, and where its ids lead."""

from uuid import UUID

import pytest
from tests.cast import Cast, Seller
from tests.rooms.plans.bureau import Bureau

from lastro.core.db import Database
from lastro.timeline import by_id, reading
from lastro.timeline.shapes import EventEntry, StateEntry


@pytest.fixture
async def bureau(cast: Cast, ana: Seller) -> Bureau:
    return await Bureau.open(cast, ana)


async def test_a_plan_is_told_and_its_payouts_by_themselves(bureau: Bureau, audit: Database) -> None:
    plan = await bureau.checked(bureau.differing(2))
    await bureau.approve(plan)
    await bureau.apply(plan)
    await bureau.work()
    ((company_id, root),) = await by_id.find(audit, plan["id"].upper())
    assert (company_id, root) == (bureau.ana.company_id, reading.Root("plan", UUID(plan["id"])))
    assert (root.id, root.thing) == (UUID(plan["id"]), "plan")
    async with bureau.cast.database.session(company_id) as session:
        told = await reading.tell(session, company_id, root)
    assert told is not None
    assert (told.id, told.object, told.is_whole) == (plan["id"], "plan", True)
    moves = [(e.object, e.trigger, e.to) for e in told.entries if isinstance(e, StateEntry)]
    assert moves == [
        ("plan", "create", "VALIDATING"), ("plan", "pass", "READY"), ("plan", "approve last", "APPROVED"),
        ("plan", "apply", "APPLYING"), ("plan", "finish", "APPLIED"),
    ]  # fmt: skip
    events = [e for e in told.entries if isinstance(e, EventEntry)]
    assert [e.type for e in events] == ["PAYOUT-PLAN.READY", "PAYOUT-PLAN.APPROVED", "PAYOUT-PLAN.APPLIED"]
    assert by_id.lines(told)[0] == f"plan {plan['id']}"
    for event in events:
        assert await by_id.find(audit, event.id) == [(company_id, root)]
    made = [line["payoutId"] for line in await bureau.lines(plan)]
    assert [await by_id.find(audit, one) for one in made] == [
        [(company_id, reading.Root("payout", UUID(one)))] for one in made
    ]


async def test_another_companys_plan_is_not_told(bureau: Bureau) -> None:
    plan, dora = await bureau.checked(bureau.differing(1)), await bureau.cast.dora()
    async with bureau.cast.database.session(dora.company_id) as session:
        assert await reading.tell(session, dora.company_id, reading.Root("plan", UUID(plan["id"]))) is None
