"""Lists plans, and the lines of one."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lastro.api_kit.listing import ListRows
from lastro.api_kit.routes import render
from lastro.core.errors import Kind, Refused
from lastro.core.media import CSV, saved_as
from lastro.core.runner import Act, Done
from lastro.plans import store
from lastro.plans.rendering import Plans, lines_page, result_csv, row_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from lastro.api_kit.paging import Page
    from lastro.core.db import Session
    from lastro.core.runner import RequestContext
    from lastro.plans.model import Plan, PlannedPayout


@dataclass(frozen=True)
class ListPlans(ListRows):
    """GET /order/v1/banking/payout-plans."""

    status: str | None
    page: Page
    answer = Plans

    async def rows(self, session: Session, company_id: UUID, page: Page) -> Sequence[Plan]:
        """Reads the plans of a page."""
        return await store.plans_in(session, company_id, self.status, page)

    def shown(self, row: Plan, context: RequestContext) -> object:
        """Returns the plan as lists show it."""
        return row_of(row)


@dataclass(frozen=True, slots=True)
class LinesOfPlan:
    """A plan and some of its lines; and the answer, once rendered."""

    plan: Plan
    lines: list[PlannedPayout]
    body: bytes = b""


@dataclass(frozen=True)
class Lines(Act["LinesOfPlan | None"]):
    """GET /order/v1/banking/payout-plans/{id}/lines. after: the number of the last line shown before."""

    plan_id: UUID | None
    status: str | None
    after: int
    limit: int

    async def read(self, session: Session, context: RequestContext) -> LinesOfPlan | None:
        """Reads the lines behind `after`, and one more."""
        plan = await store.plan_of(session, context.company_id, self.plan_id)
        if plan is None:
            return None
        asks_for_none = self.status in ("INVALID", "REFUSED") and self.status != plan.unfit_is
        lines = [] if asks_for_none else await store.lines_of(
            session, context.company_id, plan.id, after=self.after, limit=self.limit + 1, status=self.status
        )  # fmt: skip
        return LinesOfPlan(plan, lines)

    async def call_out(self, known: LinesOfPlan | None, context: RequestContext) -> LinesOfPlan | None:
        """Renders the lines in a thread: there may be thousands."""
        if known is None:
            return None
        return replace(known, body=await asyncio.to_thread(lambda: render(lines_page(known.plan, known.lines, self.limit))))

    def decide(self, known: LinesOfPlan | None, context: RequestContext) -> Done | Refused:
        """Shows the page."""
        return Refused(Kind.NOT_FOUND) if known is None else Done(None, known.body)


@dataclass(frozen=True)
class Result(Act["LinesOfPlan | None"]):
    """GET /order/v1/banking/payout-plans/{id}/result."""

    plan_id: UUID | None

    async def read(self, session: Session, context: RequestContext) -> LinesOfPlan | None:
        """Reads the plan and all its lines, with their payouts."""
        plan = await store.plan_of(session, context.company_id, self.plan_id)
        return None if plan is None else LinesOfPlan(plan, await store.lines_of(session, context.company_id, plan.id))

    async def call_out(self, known: LinesOfPlan | None, context: RequestContext) -> LinesOfPlan | None:
        """Renders the file in a thread: there may be thousands of lines."""
        if known is None:
            return None
        return replace(known, body=await asyncio.to_thread(result_csv, known.plan, known.lines))

    def decide(self, known: LinesOfPlan | None, context: RequestContext) -> Done | Refused:
        """Returns the file."""
        if known is None:
            return Refused(Kind.NOT_FOUND)
        return Done(None, known.body, media=CSV, headers=(saved_as(f"plan-{known.plan.id}.csv"),))
