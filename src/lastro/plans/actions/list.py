"""Lists plans, and the lines of one."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lastro.api_kit.routes import render
from lastro.core.errors import Kind, Refused
from lastro.core.media import CSV, saved_as
from lastro.core.runner import Act, Done
from lastro.plans import store
from lastro.plans.rendering import Plans, lines_page, result_csv, row_of

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.api_kit.paging import Page, Part
    from lastro.core.db import Session
    from lastro.core.runner import RequestContext
    from lastro.plans.model import Plan, PlannedPayout


@dataclass(frozen=True)
class ListPlans(Act["Part[Plan]"]):
    """GET /order/v1/banking/payout-plans."""

    status: str | None
    page: Page

    async def read(self, session: Session, context: RequestContext) -> Part[Plan]:
        """Returns the page's plans, up to where no older one can come."""
        return await self.page.listed(
            lambda page: store.plans_in(session, context.company_id, self.status, page),
            lambda plan: plan.created_at,
            context.now,
        )

    async def call_out(self, known: Part[Plan], context: RequestContext) -> Part[Plan]:
        """Renders a large page in a thread."""
        return await known.rendered(self._render)

    def decide(self, known: Part[Plan], context: RequestContext) -> Done:
        """Shows the page."""
        return Done(None, known.body or self._render(known))

    def _render(self, known: Part[Plan]) -> bytes:
        return render(self.page.answer(Plans, known, row_of))


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
