"""Cancels a payout before anything of it is sent."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lastro.api_kit.routes import render
from lastro.core.errors import Kind, Refused
from lastro.core.runner import Act, Done
from lastro.payouts import store
from lastro.payouts.actions.end import ended_whole
from lastro.payouts.problems import STATUS_CONFLICT
from lastro.payouts.rendering import in_full
from lastro.payouts.states import PAYOUTS

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.accounts import Institution
    from lastro.core.db import Session
    from lastro.core.runner import RequestContext
    from lastro.payouts.model import Payout


@dataclass(frozen=True)
class CancelPayout(Act["list[Payout]"]):
    """POST /order/v1/banking/order-payouts/{id}/cancel. Of a batch, the children never leased by a worker are canceled."""

    payout_id: UUID | None
    institution: Institution

    async def read(self, session: Session, context: RequestContext) -> list[Payout]:
        """Reads the payout, its children, and their messages' send counts."""
        return [] if self.payout_id is None else await store.whole(session, context.company_id, self.payout_id)

    def decide(self, known: list[Payout], context: RequestContext) -> Done | Refused:
        """Cancels it and frees its money. A message that a worker has leased cannot be called back."""
        if not known:
            return Refused(Kind.NOT_FOUND)
        first = known[0]
        if not PAYOUTS.allows(first.state, "cancel"):
            return _conflict(f"the payout is {first.state}")
        # A batch in review has sent nothing and has no child of another state: all of it is canceled at once.
        parts = known[1:] if first.is_batch and first.state != "ANALYSIS" else known
        free = [p for p in parts if PAYOUTS.allows(p.state, "cancel") and not p.sends]
        if not free:
            return _conflict("the payout is on its way")
        write = ended_whole(free, "cancel", "cancel", self.institution, context)
        done = {p.id: replace(p, state="CANCELED", updated_at=context.now) for p in free}
        after = [done.get(p.id, p) for p in known]
        return Done(write, render(in_full(after[0], after[1:])), first.id, keep="forever")


def _conflict(text: str) -> Refused:
    return STATUS_CONFLICT.refused(why=text)
