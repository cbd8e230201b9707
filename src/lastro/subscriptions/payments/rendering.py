"""The JSON of a scheduled payment, as its client reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import msgspec

from lastro.api_kit.rendering import BrlMoney, Day, EndToEndId, Id, Paged, Timestamp, words
from lastro.api_kit.routes import Answer, stamp
from lastro.subscriptions.model import ATTEMPT_KINDS, ATTEMPT_STATUSES, PAYMENT_STATUSES
from lastro.subscriptions.reasons import (
    CANCELLED_BY_PAYER,
    CANCELLED_BY_RECEIVER,
    CANCELLED_WITH_AUTHORIZATION,
    reason_of,
    reason_of_attempt,
)
from lastro.subscriptions.rules.retrying import last_retry_day, retries_left

if TYPE_CHECKING:
    from datetime import date

    from lastro.subscriptions import model
    from lastro.subscriptions.model import SubscriptionTerms, Timing

_BECAUSE: Final = {
    CANCELLED_BY_RECEIVER: "REQUESTED_BY_RECEIVER", CANCELLED_BY_PAYER: "REQUESTED_BY_PAYER",
    CANCELLED_WITH_AUTHORIZATION: "SUBSCRIPTION_CANCELED",
}  # fmt: skip
CANCEL_REASONS: Final = (*_BECAUSE.values(), "OTHER")


class PaymentAttempt(Answer, frozen=True, kw_only=True):
    """A try to collect it on a day."""

    kind: Annotated[
        str,
        words(*ATTEMPT_KINDS, description="AGND: scheduled for its day. NTAG: a new try after the due date. RIFL: the same"
              " again, since something failed."),
    ]  # fmt: skip
    date: Annotated[Day, msgspec.Meta(description="The day, in Brasilia.")]
    status: Annotated[
        str,
        words(*ATTEMPT_STATUSES, description="REQUESTED: sent, and not answered. SCHEDULED: the payer's bank will collect."),
    ]
    end_to_end_id: EndToEndId | None = None
    error_code: Annotated[str | None, msgspec.Meta(description="Why it did not collect, as the network says.")] = None
    error_message: Annotated[str | None, msgspec.Meta(description="The same with an English sentence.")] = None
    error_cure: Annotated[str | None, msgspec.Meta(description="What to do about it.")] = None


class SubscriptionPayment(Answer, frozen=True, kw_only=True):
    """The charge of one cycle of a subscription."""

    id: Id
    external_id: Annotated[str, msgspec.Meta(description="The payment's id in your system.")]
    subscription_id: Id
    order_id: Annotated[Id, msgspec.Meta(description="The order that is PAID when it is settled.")]
    status: Annotated[str, words(*PAYMENT_STATUSES)]
    due_date: Annotated[Day, msgspec.Meta(description="It decides whose cycle the charge is.")]
    adjusted_due_date: Annotated[
        Day, msgspec.Meta(description="The day on which it is settled: the next business day, where `dueDate` may move.")
    ]
    amount: BrlMoney
    description: str | None = None
    auto_retry: Annotated[bool, msgspec.Meta(description="Whether the service itself tries again after an unpaid day.")]
    attempts: Annotated[list[PaymentAttempt], msgspec.Meta(description="Oldest first.")]
    retries_left: Annotated[int, msgspec.Meta(description="How many more tries there may still be after the due date.")]
    last_retry_date: Annotated[
        Day | None,
        msgspec.Meta(description="The last day of a try after the due date; left out where the subscription allows none."),
    ] = None
    cancel_requested_at: Annotated[
        Timestamp | None, msgspec.Meta(description="There while the payer's bank has not answered your cancellation.")
    ] = None
    cancel_rejected_at: Annotated[
        Timestamp | None, msgspec.Meta(description="When the payer's bank said no to it: the payment goes on.")
    ] = None
    cancel_error_code: Annotated[str | None, msgspec.Meta(description="Why it said no, as the network says.")] = None
    cancel_error_message: Annotated[str | None, msgspec.Meta(description="The same with an English sentence.")] = None
    reason: Annotated[str | None, words(*CANCEL_REASONS, description="Why it was canceled.")] = None
    error_code: Annotated[str | None, msgspec.Meta(description="Why it ended without money, as the network says.")] = None
    error_message: Annotated[str | None, msgspec.Meta(description="The same with an English sentence.")] = None
    created_at: Timestamp
    updated_at: Timestamp


class SubscriptionPayments(Paged, frozen=True, kw_only=True):
    """A page of scheduled payments."""

    data: list[SubscriptionPayment]


def payment_shown(payment: model.Payment, terms: SubscriptionTerms, today: date, timing: Timing) -> SubscriptionPayment:
    """A payment as it is shown. today: in Brasilia."""
    last = last_retry_day(payment.plan, timing)
    refusal = payment.cancel_refusal
    allows = terms.charges_after_due and last > payment.plan.settles_on
    return SubscriptionPayment(
        id=str(payment.id), external_id=payment.external_id, subscription_id=str(payment.subscription_id),
        order_id=str(payment.order_id), status=payment.state, due_date=payment.plan.due_on.isoformat(),
        adjusted_due_date=payment.plan.settles_on.isoformat(), amount=BrlMoney.of(payment.amount),
        description=payment.description, auto_retry=payment.retries_alone,
        attempts=[attempt_shown(one) for one in payment.attempts], retries_left=retries_left(payment, terms, today, timing),
        last_retry_date=last.isoformat() if allows else None,
        cancel_requested_at=None if payment.cancel_asked_at is None else stamp(payment.cancel_asked_at),
        cancel_rejected_at=None if payment.cancel_refused_at is None else stamp(payment.cancel_refused_at),
        cancel_error_code=refusal,
        cancel_error_message=None if refusal is None else reason_of(refusal, "CHARGE_CANCELLATION").message,
        reason=canceled_because(payment), error_code=payment.code, error_message=message_of(payment),
        created_at=stamp(payment.created_at), updated_at=stamp(payment.updated_at),
    )  # fmt: skip


def canceled_because(payment: model.Payment) -> str | None:
    """Returns our reason of a CANCELED payment; None for any other."""
    return None if payment.state != "CANCELED" else _BECAUSE.get(payment.code or "", "OTHER")


def message_of(payment: model.Payment) -> str | None:
    """The errorMessage of a payment that ended without money; None where the network gave no reason."""
    if payment.code is None:
        return None
    return reason_of(payment.code, "CHARGE_CANCELLATION" if payment.state == "CANCELED" else "CHARGE").message


def attempt_shown(one: model.Attempt) -> PaymentAttempt:
    """A try as it is shown."""
    reason = None if one.code is None else reason_of_attempt(one.code, one.state)
    return PaymentAttempt(
        kind=one.kind, date=one.day.isoformat(), status=one.state, end_to_end_id=one.end_to_end_id, error_code=one.code,
        error_message=None if reason is None else reason.message,
        error_cure=None if reason is None else reason.next_step,
    )  # fmt: skip
