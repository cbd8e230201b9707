"""Approves or refuses a payout in review; a person decides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lastro.api_kit.routes import NOT_FOUND, render
from lastro.core.runner import Act, Done
from lastro.core.write import Relied, Write
from lastro.payouts import store
from lastro.payouts.actions.end import REVIEW_REFUSED, ended_whole
from lastro.payouts.actions.send import renewed, sent
from lastro.payouts.problems import STATUS_CONFLICT
from lastro.payouts.states import PAYOUTS

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.accounts import Institution
    from lastro.core.db import Session
    from lastro.core.errors import Refused
    from lastro.core.runner import RequestContext
    from lastro.payouts.model import Payout


@dataclass(frozen=True)
class Approve(Act["list[Payout]"]):
    """Approves a payout in review, or a batch with all its transfers. See states.md 5. by: the person, for the history."""

    payout_id: UUID
    by: str
    institution: Institution

    async def read(self, session: Session, context: RequestContext) -> list[Payout]:
        """Reads the payout and its children."""
        return await store.whole(session, context.company_id, self.payout_id)

    def decide(self, known: list[Payout], context: RequestContext) -> Done | Refused:
        """Moves it to PENDING and sends its messages; holds and limits stay as they are."""
        refused = _refused(known, "approve")
        if refused is not None:
            return refused
        made, messages = sent(known, self.institution, context)
        moves = tuple(
            PAYOUTS.move(
                p, "approve", context.now, reason="; ".join(filter(None, (f"by {self.by}", renewed(p, one)))),
                message_id=one.message_id, ask_at=one.ask_at, send_until=one.send_until, end_to_end_id=one.end_to_end_id,
            )
            for p, one in zip(known, made, strict=True)
        )  # fmt: skip
        # The worker checks that the account may pay, and keeps the messages of a blocked one (states.md 8); the account's
        # data in the message must be current.
        relied = (Relied("accounts", known[0].account_id, known[0].account.version),)
        return Done(Write(context.company_id, relies=relied, moves=moves) + messages, _decided(known[0], "PENDING"))


@dataclass(frozen=True)
class Refuse(Act["list[Payout]"]):
    """Refuses a payout in review, or a batch with all its transfers.

    by, reason: for the history; clients learn only that it was refused in review.
    """

    payout_id: UUID
    by: str
    reason: str
    institution: Institution

    async def read(self, session: Session, context: RequestContext) -> list[Payout]:
        """Reads the payout and its children."""
        return await store.whole(session, context.company_id, self.payout_id)

    def decide(self, known: list[Payout], context: RequestContext) -> Done | Refused:
        """Cancels the payout: frees holds and limits, and tells the client."""
        refused = _refused(known, "reject")
        if refused is not None:
            return refused
        reason = f"by {self.by}: {self.reason}"
        write = ended_whole(known, "reject", "reject", self.institution, context, code=REVIEW_REFUSED, reason=reason)
        return Done(write, _decided(known[0], "CANCELED"))


def _refused(known: list[Payout], trigger: str) -> Refused | None:
    if not known:
        return NOT_FOUND
    if PAYOUTS.allows(known[0].state, trigger):
        return None
    text = f"is {known[0].state} and not ANALYSIS: there is nothing to decide"
    return STATUS_CONFLICT.refused(why=text)


def _decided(payout: Payout, status: str) -> bytes:
    """Renders the output of the command."""
    return render(
        {
            "id": str(payout.id), "externalId": payout.external_id, "status": status, "amount": str(payout.amount),
            "transfers": max(payout.children, 1),
        }
    )  # fmt: skip
