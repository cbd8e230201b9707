"""The events of a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from lastro.api_kit.rendering import Id, Timestamp, words
from lastro.api_kit.routes import Answer, stamp
from lastro.webhooks import event_of

if TYPE_CHECKING:
    from lastro.core.runner import RequestContext
    from lastro.core.write import Event
    from lastro.plans.model import Counts, Plan

TEXTS = {
    "INVALID": "Plan has lines that cannot be paid", "READY": "Plan is checked and waits for approval",
    "APPROVED": "Plan can be applied", "APPLIED": "Plan applied", "PARTIALLY_APPLIED": "Plan applied but for some lines",
    "FAILED": "Plan failed: none of its payouts could be made", "CANCELED": "Plan canceled", "EXPIRED": "Plan expired",
}  # fmt: skip


class PlanNotification(Answer, frozen=True, kw_only=True):
    """A plan of payouts has turned."""

    id: Id
    event: Annotated[str, words(*(f"PAYOUT-PLAN.{status}" for status in TEXTS))]
    status: Annotated[str, words(*TEXTS)]
    updated_at: Timestamp
    type: Literal["PAYOUT-PLAN"]
    message: Annotated[str, msgspec.Meta(description="In English, for you.")]
    hash: Annotated[str | None, msgspec.Meta(description="What approvals sign; left out while lines are being checked.")] = (
        None
    )
    lines: Annotated[int, msgspec.Meta(ge=1)]
    created: Annotated[int, msgspec.Meta(description="Payouts that were made of it.", ge=0)]
    unfit: Annotated[int, msgspec.Meta(description="Lines that no payout was made of, and why stands on each.", ge=0)]


def plan_event(context: RequestContext, plan: Plan, status: str, counts: Counts) -> Event:
    """PAYOUT-PLAN.<status>, told where the company has its events sent."""
    body = PlanNotification(
        id=str(plan.id), event=f"PAYOUT-PLAN.{status}", status=status, updated_at=stamp(context.now), type="PAYOUT-PLAN",
        message=TEXTS[status], hash=plan.hash, lines=plan.lines, created=counts.made, unfit=counts.unfit,
    )  # fmt: skip
    return event_of(context, body.event, plan.id, None, body)
