"""Plans of payouts in every state that one can be in. What they make is for tomorrow, so that nothing is held for it."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

import msgspec
from tests.cast import INSTITUTION
from tests.rooms.laws.paying_out import BANK, RECEIVER

from lastro.banks import Banks
from lastro.core import work_queue
from lastro.core.runner import Reply
from lastro.payouts import Ways
from lastro.plans import LANE, Planner
from lastro.plans.actions.decide import Approve
from lastro.standards.calendar import brasilia_day

if TYPE_CHECKING:
    from tests.rooms.laws.world import World

_ENDS = ("validating", "invalid", "ready", "approved", "applying", "applied", "partly", "failed", "canceled", "expired")


async def play(world: World) -> None:
    """Each plan has three lines; that which is applied in part finds one of its codes taken, the failed one all."""
    for name in _ENDS:
        lines = [line(world, f"{name}-{n}", n) for n in range(1, 4)]
        if name == "invalid":
            lines[1]["amount"] = {"currency": "BRL", "value": "0"}
        made = await world.ask("create_payout_plan", None, {"payouts": lines}, key=f"plan {name}")
        world.names[f"plan_{name}"] = UUID(msgspec.json.decode(made.body)["id"])
        if name != "validating":
            await work(world)
        else:
            await _later(world, name)
    signer = await world.cast.add_client(world.ana.company_id, "signer")
    for name in ("approved", "applying", "applied", "partly", "failed"):
        plan_id = world.names[f"plan_{name}"]
        (digest,) = await world.column(f"SELECT hash FROM payout_plans WHERE id = '{plan_id}'")
        call: dict[str, Any] = {"operation": "approve_payout_plan", "permission": "payouts:write", "status": 201}
        reply = await world.cast.run(signer, Approve(plan_id, digest), key=f"sign {name}", **call)
        assert isinstance(reply, Reply), reply
    await world.ask("cancel_payout_plan", world.names["plan_canceled"], key="cancel plan")
    for name, taken in (("partly", (2,)), ("failed", (1, 2, 3))):
        for n in taken:
            await world.ask("create_payout", None, line(world, f"{name}-{n}", 50 + n), key=f"{name} {n}")
    for name in ("applied", "partly", "failed"):
        await world.ask("apply_payout_plan", world.names[f"plan_{name}"], key=f"apply {name}")
    await world.column(
        "UPDATE payout_plans SET expires_at = business_now(), due_at = business_now()"
        f" WHERE id = '{world.names['plan_expired']}' RETURNING 1"
    )
    await work(world)
    await world.ask("apply_payout_plan", world.names["plan_applying"], key="apply applying")
    await _later(world, "applying")


def line(world: World, code: str, number: int) -> dict[str, Any]:
    """The body of a create. number: makes its amount, so that no two are alike."""
    return {
        "externalId": f"planned-{code}", "accountId": str(world.ana.account_id), "paymentMethod": "PIX",
        "description": "Salary", "receiver": RECEIVER, "paymentData": {"bankAccount": BANK}, "allowDuplicate": True,
        "amount": {"currency": "BRL", "value": f"{number}.07"},
        "scheduledDate": (brasilia_day(world.now()) + timedelta(days=1)).isoformat(),
    }  # fmt: skip


async def work(world: World) -> None:
    """A worker looks at plans until none is due."""
    cast, company = world.cast, world.ana.company_id
    nobody: Any = None  # bank accounts need nobody to be asked
    planner = Planner(cast.database, cast.runner, Ways(INSTITUTION, nobody, nobody, Banks(sandbox=True)), 1000.0)
    while rows := await work_queue.claim(cast.database, LANE, company, cast.id(), 10):
        for row in rows:
            await planner.row(row)


async def _later(world: World, name: str) -> None:
    """No worker looks at it, and it is not overdue."""
    sql = (
        f"UPDATE payout_plans SET due_at = due_at + interval '1 day' WHERE id = '{world.names['plan_' + name]}' RETURNING 1"
    )
    assert await world.column(sql)
