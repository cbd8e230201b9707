"""Ends a refund as the network says. The order follows, the hold ends with it, and the client is notified."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.core.money import Money
from lastro.core.write import Quota, Write
from lastro.orders import postings
from lastro.orders.methods import is_in_parts
from lastro.orders.refunds.notifications import refund_event
from lastro.orders.refunds.reasons import message_of
from lastro.orders.refunds.rules import CALLED_OFF
from lastro.orders.refunds.store import PART_QUOTA, QUOTA
from lastro.orders.states import ORDERS, REFUNDS

if TYPE_CHECKING:
    from lastro.accounts import Account
    from lastro.core.runner import RequestContext
    from lastro.core.write import Event
    from lastro.orders.model import Installation, Order, Refund


def paid_back(refund: Refund, order: Order, account: Account, place: Installation, context: RequestContext) -> Write:
    """Makes the refund PAID, posts it, and books it on the order."""
    ended = Write(
        context.company_id,
        moves=(REFUNDS.move(refund, "confirm", context.now, ask_at=None),),
        transfers=(postings.refunded(context, order.account_id, refund, "posted"),),
    )
    return ended + order_gives_back(refund, order, account, place, context)


def order_gives_back(refund: Refund, order: Order, account: Account, place: Installation, context: RequestContext) -> Write:
    """Books a finished refund on its order, and tells the client.

    The part that came beside the order's payment does not count.
    """
    if not refund.of_order.minor:
        return Write(context.company_id)
    before = order.refunded or Money(0, refund.amount.currency)
    total = before + refund.of_order
    assert order.refundable is not None
    is_all = total.minor >= order.refundable.minor  # a chargeback may have taken the customer's fee too
    move = ORDERS.move(order, "refund rest" if is_all else "refund part", context.now, refunded_minor=total.minor)
    event = refund_event(context, refund, order, move.to_state, account, place, total=total)
    return Write(context.company_id, moves=(move,), events=(event,))


def not_paid_back(
    refund: Refund, order: Order, account: Account, code: str, place: Installation, context: RequestContext
) -> Write:
    """ERROR and given back to the account; it may be asked for again under another code. code: the network's, raw.

    Of a dispute no client has asked, and none is told: it hears how the dispute ends.
    """
    error = message_of(code)
    total = order.refunded or Money(0, refund.amount.currency)
    events: tuple[Event, ...] = ()
    if refund.med_id is None:
        events = (refund_event(context, refund, order, order.state, account, place, total=total, error=error),)
    return _ended(refund, order, "refuse", (code, error), context) + Write(context.company_id, events=events)


def withdrawn(refund: Refund, order: Order, context: RequestContext) -> Write:
    """Makes ERROR of a called-off return that was never sent."""
    return _ended(
        refund, order, "withdraw", (CALLED_OFF, f"{CALLED_OFF}: the dispute that wanted it was called off"), context
    )


def _ended(refund: Refund, order: Order, trigger: str, why: tuple[str, str], context: RequestContext) -> Write:
    """Ends a refund and frees its hold. Its amount may be asked back again. why: a code, and the sentence of it."""
    code, error = why
    move = REFUNDS.move(refund, trigger, context.now, reason=code, error_code=code, error_message=error, ask_at=None)
    freed = [Quota(order.id, QUOTA, "", -refund.of_order.minor)]
    if is_in_parts(order):
        freed.append(Quota(refund.payment.id, PART_QUOTA, "", -refund.amount.minor))
    return Write(
        context.company_id,
        moves=(move,),
        transfers=(postings.refunded(context, order.account_id, refund, "voided"),),
        quotas=tuple(freed),
    )
