"""A plan is taken in: kept as it was sent, to be looked at line by line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.base.api import render
from lastro.base.run import Act, Done
from lastro.base.write import Relied, Row, Write
from lastro.plans import store
from lastro.plans.model import Plan
from lastro.plans.rendering import taken_in
from lastro.plans.states import PLANS

if TYPE_CHECKING:
    from lastro.base.db import Session
    from lastro.base.run import Door


@dataclass(frozen=True)
class Create(Act["tuple[int, int]"]):
    """POST /order/v1/banking/payout-plans. body: as it came, of so many lines."""

    format: str
    body: bytes
    lines: int

    async def read(self, session: Session, door: Door) -> tuple[int, int]:
        """How many clients have to sign it, at the company's version."""
        return await store.needed(session, door.company_id)

    def decide(self, known: tuple[int, int], door: Door) -> Done:
        """VALIDATING; nothing of it moves."""
        version, needs = known
        assert door.caller.client_id is not None
        plan = Plan(
            door.chance.uuid(door.now), "VALIDATING", 1, self.format, self.lines, None, needs, door.caller.client_id, None,
            door.now, door.now,
        )  # fmt: skip
        values = {
            "id": plan.id, "format": plan.format, "lines": plan.lines, "approvals_needed": needs,
            "created_by": plan.created_by, "created_at": door.now, "updated_at": door.now, "due_at": door.now,
        }  # fmt: skip
        rows = (*PLANS.born(values, door.now), Row("payout_plan_bodies", {"id": plan.id, "body": self.body}))
        write = Write(door.company_id, relies=(Relied("companies", door.company_id, version),), rows=rows)
        return Done(write, render(taken_in(plan)), plan.id, keep="forever")
