"""The notifications about a scheduled payment. Its order tells that it is PAID."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec

from lastro.api_kit.rendering import BrlMoney, Day, Id, Timestamp, words
from lastro.api_kit.routes import Answer, stamp
from lastro.subscriptions.payments.rendering import CANCEL_REASONS, canceled_because, message_of
from lastro.webhooks import event_of

if TYPE_CHECKING:
    from lastro.core.runner import RequestContext
    from lastro.core.write import Event
    from lastro.subscriptions.model import Payment, Subscription

PAYMENT_TOLD = ("SCHEDULED", "CANCELED", "EXPIRED", "ERROR")


class PaymentsSubscription(Answer, frozen=True, kw_only=True):
    """The subscription that is charged."""

    id: Id
    code: Annotated[str, msgspec.Meta(description="The subscription's `externalId`.")]


class NotifiedPayment(Answer, frozen=True, kw_only=True):
    """The scheduled payment, as it is now."""

    id: Id
    external_id: Annotated[str, msgspec.Meta(description="The payment's id in your system.")]
    status: Annotated[str, words(*PAYMENT_TOLD)]
    subscription: PaymentsSubscription
    order_id: Annotated[Id, msgspec.Meta(description="The order that it is collected for.")]
    due_date: Day
    adjusted_due_date: Annotated[Day, msgspec.Meta(description="The day on which it is settled.")]
    amount: BrlMoney
    reason: Annotated[str | None, words(*CANCEL_REASONS, description="Why it was canceled.")] = None
    error_code: Annotated[str | None, msgspec.Meta(description="Why it ended without money, as the network says.")] = None
    error_message: Annotated[str | None, msgspec.Meta(description="The same with an English sentence.")] = None


class PaymentNotification(Answer, frozen=True, kw_only=True):
    """A scheduled payment was made, or has ended without money."""

    event: Annotated[str, words(*(f"SUBSCRIPTION-PAYMENT.{status}" for status in PAYMENT_TOLD))]
    occurred_at: Timestamp
    data: NotifiedPayment


def payment_event(context: RequestContext, payment: Payment, subscription: Subscription) -> Event:
    """SUBSCRIPTION-PAYMENT.<its status>, told at the subscription's own URL. payment: as it will be."""
    body = PaymentNotification(
        event=f"SUBSCRIPTION-PAYMENT.{payment.state}",
        occurred_at=stamp(context.now),
        data=NotifiedPayment(
            id=str(payment.id), external_id=payment.external_id, status=payment.state,
            subscription=PaymentsSubscription(id=str(subscription.id), code=subscription.external_id),
            order_id=str(payment.order_id), due_date=payment.plan.due_on.isoformat(),
            adjusted_due_date=payment.plan.settles_on.isoformat(), amount=BrlMoney.of(payment.amount),
            reason=canceled_because(payment), error_code=payment.code, error_message=message_of(payment),
        ),
    )  # fmt: skip
    return event_of(context, body.event, payment.id, subscription.webhook_url, body)
