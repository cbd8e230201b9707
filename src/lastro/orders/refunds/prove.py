"""A refund that we took for failed has left: its statement proves it, and it is booked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lastro import ledger
from lastro.accounts import accounts_of
from lastro.api_kit.routes import render, stamp
from lastro.core.errors import OverQuota, Refused
from lastro.core.money import Money
from lastro.core.runner import Act, Done
from lastro.core.write import Quota, Write
from lastro.orders import postings
from lastro.orders.refunds.end import order_gives_back
from lastro.orders.refunds.problems import MORE_THAN_PAID, NAME_CONFLICT, NAME_UNKNOWN, NOT_PROVABLE, SETTLED_AT_OUT_OF_RANGE
from lastro.orders.refunds.store import QUOTA, by_return_id
from lastro.orders.states import REFUNDS
from lastro.orders.store import order_by_id
from lastro.rails.port import PIX, RETURN_FINAL, ReturnFinal, encode, proof

if TYPE_CHECKING:
    from datetime import datetime

    from lastro.accounts import Account
    from lastro.core.db import Session
    from lastro.core.errors import InsufficientFunds
    from lastro.core.runner import RequestContext, Verb
    from lastro.orders.model import Installation, Order, Refund


@dataclass(frozen=True, slots=True)
class ProveRefundContext:
    """A Pix refund, its order and the account's available money."""

    refund: Refund
    order: Order
    account: Account
    available: Money


@dataclass(frozen=True)
class Proved(Act["ProveRefundContext | str | None"]):
    """Books a failed Pix refund that a statement proves to have left. Only a client's refund (states.md 7).

    name: the id of the return, D….
    """

    name: str
    settled_at: datetime
    place: Installation

    async def read(self, session: Session, context: RequestContext) -> ProveRefundContext | str | None:
        """The refund with what ends with it; in its place what it is, where something else than a proof ends it."""
        refund = await by_return_id(session, context.company_id, self.name)
        if refund is None or refund.rail != PIX:
            return None
        if refund.order_id is None:
            return f"is {refund.id}, a return of our own accord: lastro unmatched pay-out books that it has left"
        if refund.med_id is not None:
            return "is of a dispute, which is settled with the directory"
        order = await order_by_id(session, context.company_id, refund.order_id)
        assert order is not None, "what was asked back is of an order"
        (account,) = await accounts_of(session, context.company_id, [order.account_id])
        (balance,) = await ledger.balances_of(session, context.company_id, [order.account_id], refund.amount.currency)
        return ProveRefundContext(refund, order, account, balance.available)

    def decide(self, known: ProveRefundContext | str | None, context: RequestContext) -> Done | Refused:
        """Makes the refund PAID with its order. The account owes its lack. The proof is kept with the network's messages."""
        if known is None:
            return NAME_UNKNOWN.refused()
        if isinstance(known, str):
            return NAME_CONFLICT.refused(why=known)
        refund, order = known.refund, known.order
        if not REFUNDS.allows(refund.state, "prove"):
            return NOT_PROVABLE.refused(state=refund.state)
        assert order.paid_at is not None, "what was refunded was paid"
        assert order.refundable is not None, "what was refunded has an amount"
        if not order.paid_at.replace(microsecond=0) <= self.settled_at <= context.now:  # statements know no smaller part
            return SETTLED_AT_OUT_OF_RANGE.refused(paid_at=stamp(order.paid_at))
        before = order.refunded or Money(0, refund.amount.currency)
        if before + refund.of_order > order.refundable:
            return MORE_THAN_PAID.refused()
        says = ReturnFinal(self.name, refund.payment.end_to_end_id, settled=True, settled_at=self.settled_at)
        heard = proof(context.chance.uuid(context.now), RETURN_FINAL, self.name, encode(says), context.now)
        write = Write(
            context.company_id, rows=(heard,),
            moves=(REFUNDS.move(refund, "prove", context.now, error_code=None, error_message=None),),
            transfers=postings.refund_proved(context, order.account_id, refund, known.available),
            quotas=(Quota(order.id, QUOTA, "", refund.of_order.minor, order.refundable.minor),),
        )  # fmt: skip
        write += order_gives_back(refund, order, known.account, self.place, context)
        return Done(write, render(self._shown(known)), refund.id)

    def on_insufficient_funds(self, short: InsufficientFunds) -> Refused | Verb[Any]:
        """Decides again, or refuses while another refund is on its way."""
        return MORE_THAN_PAID.refused() if isinstance(short, OverQuota) else self

    def _shown(self, known: ProveRefundContext) -> dict[str, Any]:
        refund, order = known.refund, known.order
        return {
            "id": str(refund.id), "status": "PAID", "returnId": refund.return_id, "orderId": str(order.id),
            "amount": str(refund.amount), "settledAt": self.settled_at,
        }  # fmt: skip
