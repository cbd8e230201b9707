"""Settles money that could not be given back.

A till gives nothing back, or a bank refuses a return for good: the refund is ERROR, and no rule knows whose the money is.
It stays in suspense until people decide: into the account after all, or out of here. lastro's operator asks the client and
books the decision, once (docs/decisions/stranded-money.md).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from lastro.accounts import account_by_id
from lastro.api_kit.routes import NOT_FOUND, render
from lastro.core.runner import Act, Done
from lastro.core.write import Relied, Write
from lastro.orders import postings
from lastro.orders.refunds.problems import ACCOUNT_ID_NOT_ALLOWED, DECIDED_ALREADY
from lastro.orders.refunds.store import stranded_by_id
from lastro.orders.states import PIX_PAYMENTS, REFUNDS

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.accounts import Account
    from lastro.core.db import Session
    from lastro.core.errors import Refused
    from lastro.core.runner import RequestContext
    from lastro.orders.model import Refund

Way = Literal["credit", "pay out"]


@dataclass(frozen=True, slots=True)
class SettleReturnContext:
    """A return of ours and its money's account; None: nobody here has it."""

    refund: Refund
    account: Account | None


@dataclass(frozen=True)
class Settle(Act["SettleReturnContext | None"]):
    """Books what people have decided about stranded money, all of it.

    way: credit, SUSP→CUST of the account that it was sent to; pay out, SUSP→NET of its rail, as it was paid out elsewhere.
    reason and by: why and who, one line each, for the history. Refused once it is decided, also where two decide at once.
    """

    refund_id: UUID
    way: Way
    reason: str
    by: str

    async def read(self, session: Session, context: RequestContext) -> SettleReturnContext | None:
        """Reads the return, its payment, the account."""
        refund = await stranded_by_id(session, context.company_id, self.refund_id)
        if refund is None:
            return None
        return SettleReturnContext(refund, await account_by_id(session, context.company_id, refund.payment.account_id))

    def decide(self, known: SettleReturnContext | None, context: RequestContext) -> Done | Refused:
        """Moves return and payment, and books the transfer. An excess moves alone: its payment has paid the order."""
        if known is None:
            return NOT_FOUND
        refund, account = known.refund, known.account
        if not REFUNDS.allows(refund.state, self.way):
            return DECIDED_ALREADY.refused(state=refund.state)
        relies: tuple[Relied, ...] = ()
        if self.way == "credit":
            if account is None or not account.is_active:
                text = "nobody here has the account that it was sent to" if account is None else "the account is not active"
                return ACCOUNT_ID_NOT_ALLOWED.refused(why=text)
            relies = (Relied("accounts", account.id, account.version),)
            transfer = postings.credited_after_all(context, account.id, refund.id, refund.amount)
        else:
            transfer = postings.paid_out(context, refund.id, refund.amount, refund.rail)
        reason = f"by {self.by}: {self.reason}"
        moves = [REFUNDS.move(refund, self.way, context.now, reason=reason)]
        if refund.payment.state != "SETTLED":
            moves.append(PIX_PAYMENTS.move(refund.payment, self.way, context.now, reason=reason))
        write = Write(context.company_id, moves=tuple(moves), transfers=(transfer,), relies=relies)
        return Done(write, render(shown(refund, REFUNDS.after(refund.state, self.way), account)))


def shown(refund: Refund, state: str, account: Account | None) -> dict[str, Any]:
    """Shows unmatched money to lastro's operator. state: STRANDED, or the decision."""
    return {
        "id": str(refund.id), "state": state, "rail": refund.rail, "currency": refund.amount.currency,
        "amount": str(refund.amount), "paymentId": refund.payment.end_to_end_id, "returnId": refund.return_id,
        "account": None if account is None else account.number, "settledAt": refund.payment.settled_at,
    }  # fmt: skip
