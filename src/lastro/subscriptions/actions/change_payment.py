"""Client requests to cancel or retry a scheduled payment. A retry follows an unpaid day."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lastro.api_kit.routes import NOT_FOUND, render
from lastro.core.runner import Act, Done, RequestContext
from lastro.core.write import Write
from lastro.rails.port import FIRST_ASK, ChargeCancelOrder, charge_cancel_message
from lastro.standards.calendar import brasilia_day
from lastro.subscriptions.actions.charge import tried_so
from lastro.subscriptions.actions.payment_ends import PaymentEndContext, ended, known_of, payment_move
from lastro.subscriptions.model import TIMING
from lastro.subscriptions.payments import store as payments_store
from lastro.subscriptions.payments.problems import NOT_CANCELABLE
from lastro.subscriptions.payments.rendering import payment_shown
from lastro.subscriptions.reasons import CANCELLED_BY_RECEIVER
from lastro.subscriptions.rules.charging import cancel_is_asked, cancel_refused
from lastro.subscriptions.rules.retrying import asked_retry, retry_refused

if TYPE_CHECKING:
    from datetime import date
    from uuid import UUID

    from lastro.core.db import Session
    from lastro.core.errors import Refused
    from lastro.orders import Installation
    from lastro.subscriptions.model import Attempt, Payment, Timing

_ACCEPTED = 202


async def _known(
    session: Session, context: RequestContext, subscription_id: UUID | None, payment_id: UUID | None
) -> PaymentEndContext | None:
    if subscription_id is None or payment_id is None:
        return None
    payment = await payments_store.payment_by_id(session, context.company_id, payment_id)
    if payment is None or payment.subscription_id != subscription_id:
        return None
    return await known_of(session, context.company_id, payment)


def _dropped(attempt: Attempt) -> Attempt:
    return replace(attempt, state="CANCELED", code=CANCELLED_BY_RECEIVER)


@dataclass(frozen=True)
class CancelPayment(Act["PaymentEndContext | None"]):
    """POST /public/v1/banking/subscriptions/{id}/payments/{paymentId}/cancel."""

    subscription_id: UUID | None
    payment_id: UUID | None
    place: Installation
    timing: Timing = TIMING

    async def read(self, session: Session, context: RequestContext) -> PaymentEndContext | None:
        """Reads the payment with its order and subscription."""
        return await _known(session, context, self.subscription_id, self.payment_id)

    def decide(self, known: PaymentEndContext | None, context: RequestContext) -> Done | Refused:
        """Cancels it at once, or asks the payer's bank. It asks if that bank may know of the charge."""
        if known is None:
            return NOT_FOUND
        refused = cancel_refused(known.payment, context.now, self.timing)
        if refused is not None:
            return refused
        if known.charge.is_being_paid:
            return NOT_CANCELABLE.refused(why="it is being settled")
        if cancel_is_asked(known.payment, is_unsent=known.charge.unsent is not None):
            return self._ask(known, context)
        write = ended(known.charge, known.subscription, "cancel", context, code=CANCELLED_BY_RECEIVER)
        after = replace(
            known.payment, state="CANCELED", code=CANCELLED_BY_RECEIVER, updated_at=context.now,
            attempts=tuple(_dropped(one) if one.is_open else one for one in known.payment.attempts),
        )  # fmt: skip
        return Done(write, self._body(known, after, context), after.id, keep="month")

    def _ask(self, known: PaymentEndContext, context: RequestContext) -> Done:
        attempt, txid = known.payment.open_attempt, known.charge.order.txid
        assert attempt is not None
        assert txid is not None
        order = ChargeCancelOrder.new(
            self.place.institution.ispb, attempt.message_id, known.subscription.provider_id, txid, CANCELLED_BY_RECEIVER,
            context.chance.bytes(24), known.subscription.rail,
        )  # fmt: skip
        move = payment_move(
            known.payment, "ask to cancel", context, due_at=None, cancel_message_id=order.message_id,
            cancel_asked_at=context.now, ask_at=context.now + FIRST_ASK, asked=0, cancel_refused_at=None,
            cancel_refusal=None,
        )  # fmt: skip
        row_id, rail = context.chance.uuid(context.now), known.subscription.rail
        message = charge_cancel_message(order, known.payment.id, row_id, context.now, rail)
        after = replace(
            known.payment, cancel_asked_at=context.now, cancel_refused_at=None, cancel_refusal=None, updated_at=context.now
        )  # fmt: skip
        body, write = self._body(known, after, context), Write(context.company_id, moves=(move,), messages=(message,))
        return Done(write, body, after.id, keep="month", status=_ACCEPTED)

    def _body(self, known: PaymentEndContext, after: Payment, context: RequestContext) -> bytes:
        return render(payment_shown(after, known.subscription.terms, brasilia_day(context.now), self.timing))


@dataclass(frozen=True)
class RetryPayment(Act["PaymentEndContext | None"]):
    """POST /public/v1/banking/subscriptions/{id}/payments/{paymentId}/retry."""

    subscription_id: UUID | None
    payment_id: UUID | None
    day: date
    place: Installation
    timing: Timing = TIMING

    async def read(self, session: Session, context: RequestContext) -> PaymentEndContext | None:
        """Reads the payment with its order and subscription."""
        return await _known(session, context, self.subscription_id, self.payment_id)

    def decide(self, known: PaymentEndContext | None, context: RequestContext) -> Done | Refused:
        """Makes the next attempt, or returns the reason that there is none."""
        if known is None:
            return NOT_FOUND
        payment = known.payment
        refused = retry_refused(payment, known.subscription, self.day, context.now, self.timing)
        if refused is not None:
            return refused
        new = asked_retry(payment, self.day, context.now)
        attempt, write = tried_so(payment, new, known.shown, known.charge.order, context, self.place, self.timing)
        after = replace(payment, attempts=(*payment.attempts, attempt), updated_at=context.now)
        write += Write(context.company_id, moves=(payment_move(payment, "retry", context, due_at=None),))
        body = render(payment_shown(after, known.subscription.terms, brasilia_day(context.now), self.timing))
        return Done(write, body, payment.id, keep="month")
