"""The notifications of refunds to clients. Each is of its own beside the four of pay-ins (contract.md §6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from lastro.api_kit.rendering import Id, Money, words
from lastro.orders.actions.pay import key_used
from lastro.orders.notifications import PayInNotification, fields_of
from lastro.orders.refunds.rules import PAID_STATES
from lastro.webhooks import event_of

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.accounts import Account
    from lastro.core import money
    from lastro.core.runner import RequestContext
    from lastro.core.write import Event
    from lastro.orders.model import Installation, Order, Refund

# By event: in English for the client, in Portuguese for its customer (contract.md §10).
TEXTS = {
    "ORDER-PAYIN.REFUNDED": ("Order refunded", "Valor devolvido"),
    "ORDER-PAYIN.REFUND_ERROR": ("Refund failed: {error}", "Devolução não concluída"),
}


class RefundNotification(PayInNotification, frozen=True, kw_only=True):
    """Money was given back to an order's payer, or could not be."""

    event: Annotated[str, words(*TEXTS)]
    status: Annotated[str, words(*PAID_STATES, description="The order's.")]
    type: Literal["REFUND"]  # type: ignore[assignment]
    refund_id: Annotated[
        Id,
        msgspec.Meta(
            description="The `id` that the refund's create answered; of a chargeback an id of ours, of a dispute the"
            " `referenceId` of its refund request."
        ),
    ]
    refund_external_id: Annotated[
        str | None, msgspec.Meta(description="The refund's `externalId`; left out of a chargeback and of a dispute.")
    ] = None
    refund_amount: Annotated[Money, msgspec.Meta(description="Of this refund: what the order gives back by it.")]
    refunded_amount: Annotated[Money, msgspec.Meta(description="What the order has given back so far, this refund counted.")]


def refund_event(
    context: RequestContext, refund: Refund, order: Order, status: str, account: Account, place: Installation, *,
    total: money.Money, error: str | None = None,
) -> Event:  # fmt: skip
    """ORDER-PAYIN.REFUNDED, or REFUND_ERROR where there is an error. status, total: the order's after it."""
    event = "ORDER-PAYIN.REFUNDED" if error is None else "ORDER-PAYIN.REFUND_ERROR"
    message, customer_message = TEXTS[event]
    fields = fields_of(
        context, order, account, place, amount=order.refundable, payer=order.payer, end_to_end_id=order.end_to_end_id,
        paid_at=order.paid_at, paid_to_key=key_used(order, refund.payment.pix_key),
    )  # fmt: skip
    body = RefundNotification(
        **fields,
        event=event,
        status=status,
        type="REFUND",
        message=message.format(error=error),
        customer_message=customer_message,
        refund_id=str(refund.med_id or refund.id),
        refund_external_id=refund.external_id,
        refund_amount=Money.of(refund.of_order),
        refunded_amount=Money.of(total),
    )
    return event_of(context, event, order.id, order.notification_url, body)


def chargeback_event(
    context: RequestContext, chargeback_id: UUID, amount: money.Money, order: Order, status: str, account: Account,
    place: Installation, *, total: money.Money,
) -> Event:  # fmt: skip
    """ORDER-PAYIN.REFUNDED of what an issuer took back. amount: so much. status, total: the order's after it."""
    event = "ORDER-PAYIN.REFUNDED"
    message, customer_message = TEXTS[event]
    fields = fields_of(
        context, order, account, place, amount=order.refundable, payer=order.payer, end_to_end_id=order.end_to_end_id,
        paid_at=order.paid_at, paid_to_key=None,
    )  # fmt: skip
    body = RefundNotification(
        **fields,
        event=event,
        status=status,
        type="REFUND",
        message=message,
        customer_message=customer_message,
        refund_id=str(chargeback_id),
        refund_amount=Money.of(amount),
        refunded_amount=Money.of(total),
    )
    return event_of(context, event, order.id, order.notification_url, body)
