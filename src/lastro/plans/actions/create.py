"""Creates a plan: stores its body, to be checked line by line."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lastro.api_kit.routes import render
from lastro.core.errors import Kind, Problem, Refused
from lastro.core.runner import Act, Done
from lastro.core.write import Relied, Row, Write
from lastro.plans import rules, store
from lastro.plans.model import Plan
from lastro.plans.rendering import taken_in
from lastro.plans.states import PLANS

if TYPE_CHECKING:
    from lastro.core.db import Session
    from lastro.core.runner import RequestContext


@dataclass(frozen=True, slots=True)
class CreatePlanContext:
    """A company's version and required approvals, and this plan's lines."""

    version: int
    needs: int
    lines: int


@dataclass(frozen=True)
class MakePlan(Act[CreatePlanContext]):
    """POST /order/v1/banking/payout-plans. body: as it came. lines: their number; None: not counted yet."""

    format: str
    body: bytes
    lines: int | None = None

    async def read(self, session: Session, context: RequestContext) -> CreatePlanContext:
        """Reads the company's settings for plans."""
        return CreatePlanContext(*await store.needed(session, context.company_id), self.lines or 0)

    async def call_out(self, known: CreatePlanContext, context: RequestContext) -> CreatePlanContext | Refused:
        """Counts the lines of a large body, in a thread. So no other request waits for it."""
        if self.lines is not None:
            return known
        counted = await asyncio.to_thread(rules.count_of, self.format, self.body)
        return Refused(Kind.INVALID, (counted,)) if isinstance(counted, Problem) else replace(known, lines=counted)

    def decide(self, known: CreatePlanContext, context: RequestContext) -> Done:
        """Makes the plan, VALIDATING; no money moves."""
        version, needs = known.version, known.needs
        assert context.caller.client_id is not None
        plan = Plan(
            context.chance.uuid(context.now), "VALIDATING", 1, self.format, known.lines, None, needs,
            context.caller.client_id, None, context.now, context.now,
        )  # fmt: skip
        values = {
            "id": plan.id, "format": plan.format, "lines": plan.lines, "approvals_needed": needs,
            "created_by": plan.created_by, "created_at": context.now, "updated_at": context.now, "due_at": context.now,
        }  # fmt: skip
        rows = (*PLANS.born(values, context.now), Row("payout_plan_bodies", {"id": plan.id, "body": self.body}))
        write = Write(context.company_id, relies=(Relied("companies", context.company_id, version),), rows=rows)
        return Done(write, render(taken_in(plan)), plan.id, keep="forever")
