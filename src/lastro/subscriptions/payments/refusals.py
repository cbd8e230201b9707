"""The notification of an attempt that collected nothing: the reason, its remedy, and the possible next steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, Literal

import msgspec

from lastro.api_kit.rendering import BrlMoney, Day, Id, Timestamp, words
from lastro.api_kit.routes import Answer, stamp
from lastro.subscriptions.model import PAYMENT_STATUSES
from lastro.subscriptions.payments.notifications import PaymentsSubscription
from lastro.subscriptions.payments.rendering import PaymentAttempt, attempt_shown
from lastro.subscriptions.rendering import NextStep, step_shown
from lastro.subscriptions.rules.next_actions import after_refusal
from lastro.webhooks import event_of

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.runner import RequestContext
    from lastro.core.write import Event
    from lastro.subscriptions.model import Payment, Subscription, Timing

ATTEMPT_FAILED: Final = "SUBSCRIPTION-PAYMENT.ATTEMPT_FAILED"


class TriedPayment(Answer, frozen=True, kw_only=True):
    """The scheduled payment, as it is after the try."""

    id: Id
    external_id: Annotated[str, msgspec.Meta(description="The payment's id in your system.")]
    status: Annotated[str, words(*PAYMENT_STATUSES)]
    subscription: PaymentsSubscription
    order_id: Annotated[Id, msgspec.Meta(description="The order that it is collected for.")]
    due_date: Day
    adjusted_due_date: Annotated[Day, msgspec.Meta(description="The day on which it is settled.")]
    amount: BrlMoney
    attempt: Annotated[PaymentAttempt, msgspec.Meta(description="The try that collected nothing.")]
    next_actions: Annotated[
        list[NextStep],
        msgspec.Meta(
            description="What may follow: the next try, or another charge of the same cycle; empty where nothing may."
        ),
    ]


class AttemptNotification(Answer, frozen=True, kw_only=True):
    """A try to collect a scheduled payment has ended without money."""

    event: Literal["SUBSCRIPTION-PAYMENT.ATTEMPT_FAILED"]
    occurred_at: Timestamp
    data: TriedPayment


def attempt_failed(
    context: RequestContext, payment: Payment, attempt_id: UUID, subscription: Subscription, timing: Timing
) -> Event:
    """Returns the event SUBSCRIPTION-PAYMENT.ATTEMPT_FAILED, sent to the subscription's own URL. payment: as it will be."""
    attempt = next(one for one in payment.attempts if one.id == attempt_id)
    body = AttemptNotification(
        event=ATTEMPT_FAILED,
        occurred_at=stamp(context.now),
        data=TriedPayment(
            id=str(payment.id), external_id=payment.external_id, status=payment.state,
            subscription=PaymentsSubscription(id=str(subscription.id), code=subscription.external_id),
            order_id=str(payment.order_id), due_date=payment.plan.due_on.isoformat(),
            adjusted_due_date=payment.plan.settles_on.isoformat(), amount=BrlMoney.of(payment.amount),
            attempt=attempt_shown(attempt),
            next_actions=[step_shown(one) for one in after_refusal(payment, subscription, context.now, timing)],
        ),
    )  # fmt: skip
    return event_of(context, body.event, payment.id, subscription.webhook_url, body)
