"""The context and moves of a scheduled payment. It moves with its order, and ends with its open attempt."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from lastro import orders
from lastro.core.write import Touch, Withdrawn, Write
from lastro.subscriptions import store
from lastro.subscriptions.payments import store as payments_store
from lastro.subscriptions.payments.notifications import payment_event
from lastro.subscriptions.reasons import CANCELLED_WITH_AUTHORIZATION, reason_of
from lastro.subscriptions.rules.charging import ends_with_subscription
from lastro.subscriptions.rules.moments import due_at
from lastro.subscriptions.states import ATTEMPTS, PAYMENTS

if TYPE_CHECKING:
    from collections.abc import Iterable
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.runner import RequestContext
    from lastro.core.write import Move
    from lastro.orders import Order
    from lastro.subscriptions.model import Payment, Subscription, SubscriptionShown, Timing

# In which states its order is while a payment is in one.
_STANDS_AS: Final = {
    "SCHEDULED": ("INITIAL",), "PENDING": ("PENDING",), "PAID": ("PAID", "PARTIAL_REFUNDED", "REFUNDED"),
    "CANCELED": ("CANCELED",), "EXPIRED": ("EXPIRED",), "ERROR": ("ERROR",),
}  # fmt: skip
# The trigger of its order for each trigger of a payment; the order stays as it is where there is none.
_OF_ORDER: Final = {
    "begin": "begin", "cancel": "cancel", "payer cancels": "cancel", "subscription ends": "cancel", "refuse": "fail",
    "expire": "expire",
}  # fmt: skip
# The ends of one payment alone, after which its cycle is free while its subscription goes on.
_FREES: Final = ("cancel", "payer cancels", "refuse")
# The columns of an open request to drop the charge, cleared.
_NOT_ASKED: Final = {"cancel_message_id": None, "cancel_asked_at": None, "ask_at": None}


@dataclass(frozen=True, slots=True)
class Charge:
    """A payment and its order.

    is_being_paid: a Pix for it was accepted, and has not ended. unsent: the outbox row of its open attempt's instruction,
    while nobody has tried to send that.
    """

    payment: Payment
    order: Order
    is_being_paid: bool = False
    unsent: UUID | None = None


@dataclass(frozen=True, slots=True)
class PaymentEndContext:
    """A payment, its order and its subscription."""

    charge: Charge
    shown: SubscriptionShown

    @property
    def payment(self) -> Payment:
        """The payment."""
        return self.charge.payment

    @property
    def subscription(self) -> Subscription:
        """The subscription."""
        return self.shown.subscription


async def charge_of(session: Session, company_id: UUID, payment: Payment) -> Charge:
    """Reads a payment with its order. Reads the payment again if the two have moved between the two readings."""
    order = await orders.order_by_id(session, company_id, payment.order_id)
    assert order is not None, "a payment has its order"
    if order.state not in _STANDS_AS[payment.state]:
        moved = await payments_store.payment_by_id(session, company_id, payment.id)
        assert moved is not None, "no payment goes away"
        return await charge_of(session, company_id, moved)
    is_being_paid = await orders.reservation(session, company_id, order.id) is not None
    attempt, unsent = payment.open_attempt, None
    if attempt is not None and attempt.state == "REQUESTED":
        unsent = await payments_store.unsent_instruction(session, company_id, attempt.id)
    return Charge(payment, order, is_being_paid, unsent)


async def known_of(session: Session, company_id: UUID, payment: Payment | None) -> PaymentEndContext | None:
    """Reads the payment's order and subscription; None for no payment."""
    if payment is None:
        return None
    shown = await store.shown_by_id(session, company_id, payment.subscription_id)
    assert shown is not None, "a payment has its subscription"
    return PaymentEndContext(await charge_of(session, company_id, payment), shown)


async def open_charges(session: Session, company_id: UUID, subscription_id: UUID) -> tuple[Charge, ...]:
    """The payments of a subscription that had not ended."""
    found = await payments_store.open_payments(session, company_id, subscription_id)
    return tuple([await charge_of(session, company_id, one) for one in found])


def payments_ended(charges: Iterable[Charge], subscription: Subscription, context: RequestContext) -> Write:
    """Ends the unfinished payments of a subscription that becomes CANCELED (states.md 3).

    Does not touch a charge that is being collected today: it is CANCELED when its attempt ends unpaid. The payer's bank
    drops by itself what it had scheduled, because the authorization is gone.
    """
    write = Write(context.company_id)
    for one in charges:
        # An instruction that nobody has sent, such as one that waits for the evening's window, is withdrawn with its end.
        ends = one.unsent is not None or ends_with_subscription(one.payment, context.now)
        if ends and not one.is_being_paid:
            write += ended(one, subscription, "subscription ends", context, code=CANCELLED_WITH_AUTHORIZATION)
    return write


def ended(
    charge: Charge, subscription: Subscription, trigger: str, context: RequestContext, *, code: str | None,
    of_attempt: str = "cancel", attempt_code: str | None = None,
) -> Write:  # fmt: skip
    """Ends a payment without money, with its order, open attempt and notification.

    code: the reason, in the network's words. of_attempt: the attempt's trigger; attempt_code: its reason, if another.
    Withdraws its instruction, where nobody has tried to send it.
    """
    payment = charge.payment
    move = payment_move(payment, trigger, context, code=code, due_at=None, **_NOT_ASKED)
    after = replace(payment, state=move.to_state, code=code)
    error = None if code is None or _OF_ORDER[trigger] != "fail" else reason_of(code, "CHARGE").message
    write = Write(context.company_id, moves=(move,), events=(payment_event(context, after, subscription),))
    write += orders.with_payment(charge.order, _OF_ORDER[trigger], context, error)
    if charge.unsent is not None:
        write += Write(context.company_id, withdrawn=(Withdrawn(charge.unsent, 0, context.now),))
    if trigger in _FREES and subscription.state == "ACCEPTED":
        write += _looked_at_again(payment, subscription, context)
    return write + attempt_ended(payment, of_attempt, attempt_code or code, context)


def _looked_at_again(payment: Payment, subscription: Subscription, context: RequestContext) -> Write:
    """Makes the service check at once if it charges a freed cycle. A client's payment of that cycle has ended.

    A cycle that the service has charged, or passed over, itself is not charged again.
    """
    if not subscription.terms.is_automatic or payment.plan.cycle.number <= subscription.covered:
        return Write(context.company_id)
    touch = Touch("subscriptions", subscription.id, subscription.version, {"charge_at": context.now})
    return Write(context.company_id, touches=(touch,))


def attempt_ended(payment: Payment, trigger: str, code: str | None, context: RequestContext) -> Write:
    """The end of the attempt that is open, where there is one."""
    attempt = payment.open_attempt
    if attempt is None:
        return Write(context.company_id)
    move = ATTEMPTS.move(attempt, trigger, context.now, reason=code, code=code, ask_at=None)
    return Write(context.company_id, moves=(move,))


def time_of(payment: Payment, timing: Timing) -> tuple[Touch, ...]:
    """Sets the payment's due time, if the open attempt is unchanged.

    Else an unanswered charge's time would overwrite the one that the payer's bank has just set, and its day would never
    begin.
    """
    touches = [Touch("subscription_payments", payment.id, payment.version, {"due_at": due_at(payment, timing)})]
    if (one := payment.open_attempt) is not None:
        touches.append(Touch("payment_attempts", one.id, one.version, {"collects_on": one.day}))
    return tuple(touches)


def begun(charge: Charge, context: RequestContext, timing: Timing, *, attempts: Any = None) -> Write:
    """The day has come and the payer's bank has it: PENDING, with its order. attempts: as they will be."""
    payment = charge.payment
    after = replace(payment, state="PENDING", attempts=attempts or payment.attempts)
    move = payment_move(payment, "begin", context, due_at=due_at(after, timing))
    return Write(context.company_id, moves=(move,)) + orders.with_payment(charge.order, "begin", context)


def payment_move(payment: Payment, trigger: str, context: RequestContext, *, code: str | None = None, **sets: Any) -> Move:
    """A move of the payment alone; its code is kept with it where there is one. KeyError: the table lacks the move."""
    also = {} if code is None else {"code": code}
    return PAYMENTS.move(payment, trigger, context.now, reason=code, **also, **sets)
