"""The texts of scheduled payments in the API's documentation: operations and events."""

from __future__ import annotations

from typing import Any

from lastro.api_kit.forms import money_refusals
from lastro.api_kit.paging import EXTERNAL_ID_REFUSALS, PAGE_REFUSALS, PERIOD_REFUSALS, STATUS_REFUSAL
from lastro.api_kit.routes import Doc
from lastro.core.errors import misread, not_found
from lastro.subscriptions.forms import RetryPayment, SchedulePayment
from lastro.subscriptions.payments import problems
from lastro.subscriptions.payments.notifications import PAYMENT_TOLD, PaymentNotification
from lastro.subscriptions.payments.refusals import ATTEMPT_FAILED, AttemptNotification
from lastro.subscriptions.payments.rendering import SubscriptionPayment, SubscriptionPayments
from lastro.webhooks import EventType

_ID, _PAYMENT_ID = "0196a4f0-7d2f-7b42-8e30-4a1b0c7d6e32", "0196a520-4be1-7d22-9a63-7d4e3fa09b65"
_ORDER_ID = "0196a520-4be1-7d23-8b74-8e5f40b1ac76"
_AT, _LATER = "2027-01-02T12:00:00.120945Z", "2027-01-04T12:40:11.501337Z"
_BRL = {"currency": "BRL", "value": "29.90"}
_ATTEMPT = {"kind": "AGND", "date": "2027-01-11", "status": "SCHEDULED", "endToEndId": "E9999902020270111030000000E058eP"}
_PAYMENT: dict[str, Any] = {
    "id": _PAYMENT_ID, "externalId": "2027-01", "subscriptionId": _ID, "orderId": _ORDER_ID, "status": "SCHEDULED",
    "dueDate": "2027-01-10", "adjustedDueDate": "2027-01-11", "amount": _BRL, "description": "Magazine, January",
    "autoRetry": True, "attempts": [_ATTEMPT], "retriesLeft": 3, "lastRetryDate": "2027-01-18", "createdAt": _AT,
    "updatedAt": _LATER,
}  # fmt: skip

_NO_SUBSCRIPTION = not_found("No subscription of your company has this id.")
_NO_PAYMENT = not_found(
    "Your company has no such subscription, or it has no payment of this id.",
    "Take both ids from the answer that made the payment, from a client of the same company.",
)
_SCHEDULE_REFUSALS = (
    _NO_SUBSCRIPTION,
    problems.NOT_CHARGEABLE, problems.EXTERNAL_ID_INVALID, problems.EXTERNAL_ID_DUPLICATE,
    problems.DUE_DATE_OUT_OF_RANGE, problems.DUE_DATE_CONFLICT, problems.AMOUNT_REQUIRED, problems.AMOUNT_MISMATCH,
    misread("amount.currency", "NOT_SUPPORTED", "Pix Automático is paid in reais.", "Give BRL."),
    *money_refusals("amount"),
    problems.AMOUNT_VALUE_OUT_OF_RANGE,
    misread("description", "INVALID", "It is blank or has control characters.", "Say in 1 to 140 characters what is paid."),
)  # fmt: skip
_BOTH = "The same operation is at `/order/v1/banking/subscriptions/…`, for who uses that prefix alone."

SCHEDULE = Doc(
    "Charge a cycle",
    "Schedules the charge of one cycle of an ACCEPTED subscription; nobody is asked again. `dueDate` says whose cycle it is,"
    " and each cycle is charged once. Where it falls on a weekend or a national bank holiday and the subscription lets it"
    " move, it is settled on the next business day, `adjustedDueDate`.\n\n"
    "- The payer's bank is told nine days before, at once where that is past, and tells the payer. On the day it collects"
    " between 00:00 and 08:00, and once more between 18:00 and 21:00 where there was too little in the account.\n"
    "- The payment has an order, which credits the subscription's account, has `externalId` as its code, and is told of at"
    " the subscription's `webhookUrl` when it is PAID: `ORDER-PAYIN.PAID` with `subscription.scheduledPayment`. The account"
    " bears the fee: the payer has agreed to the amount.\n"
    "- An amount above the maximum that the payer has set is refused when it is scheduled: the payment ends with AM02, and"
    " its cycle can be charged with another amount.\n"
    "- Each try that collects nothing is told at once by `SUBSCRIPTION-PAYMENT.ATTEMPT_FAILED`. What failed at a bank on the"
    " day is sent again inside the windows of that day, which is no retry.\n"
    "- After an unpaid day, a subscription with `allowChargeAfterDueDate` has three more tries within seven days of"
    " `dueDate` and before the next cycle: one, three and five days after it, or on days of your own with"
    " `autoRetry: false`.\n\n" + _BOTH,
    SchedulePayment, SubscriptionPayment, _SCHEDULE_REFUSALS,
    {"externalId": "2027-01", "dueDate": "2027-01-10", "amount": _BRL, "description": "Magazine, January"},
    {**_PAYMENT, "attempts": [{"kind": "AGND", "date": "2027-01-11", "status": "REQUESTED"}], "updatedAt": _AT},
)  # fmt: skip
READ_PAYMENT = Doc(
    "Read a scheduled payment",
    "The payment as it is now, with its attempts.\n\n" + _BOTH,
    None, SubscriptionPayment, (_NO_PAYMENT,), None, _PAYMENT,
)  # fmt: skip
LIST_PAYMENTS = Doc(
    "List scheduled payments",
    "The payments of a subscription, newest first. Ask for the next page with `cursor` = `nextCursor` and everything else"
    " unchanged, until `hasNext` is false. Oldest first, a page may have fewer rows than its `limit` and still have a next"
    " one: it ends before payments younger than two seconds.\n\n" + _BOTH,
    None, SubscriptionPayments,
    (
        _NO_SUBSCRIPTION,
        *PAGE_REFUSALS, *PERIOD_REFUSALS, STATUS_REFUSAL, *EXTERNAL_ID_REFUSALS,
    ),
    None, {"limit": 20, "sort": "desc", "hasNext": False, "data": [_PAYMENT]},
)  # fmt: skip
CANCEL_PAYMENT = Doc(
    "Cancel a scheduled payment",
    "Calls a SCHEDULED payment off, until 22:00 in Brasilia of the day before it is settled. Where the payer's bank may have"
    " been told of it, that bank is asked: the answer is 202, `cancelRequestedAt` says so, and its word decides. You are"
    " told by `SUBSCRIPTION-PAYMENT.CANCELED`, and its cycle can then be charged anew; where that bank says no the payment"
    " goes on, and a read of it has `cancelRejectedAt` and why.\n\n"
    + _BOTH,
    None, SubscriptionPayment,
    (
        _NO_PAYMENT, problems.NOT_CANCELABLE,
    ),
    None, {**_PAYMENT, "status": "CANCELED", "attempts": [], "retriesLeft": 0, "reason": "REQUESTED_BY_RECEIVER",
           "errorCode": "SLCR", "errorMessage": "SLCR: the receiver asked for it"},
)  # fmt: skip
RETRY_PAYMENT = Doc(
    "Try an unpaid payment again",
    "The next try of a PENDING payment that was made with `autoRetry: false`: on a day of yours, later than today, within"
    " seven days of `dueDate` and before the next cycle. Three such tries are allowed.\n\n" + _BOTH,
    RetryPayment, SubscriptionPayment,
    (
        _NO_PAYMENT, problems.NO_RETRY, problems.DATE_OUT_OF_RANGE,
    ),
    {"date": "2027-01-13"},
    {**_PAYMENT, "status": "PENDING", "autoRetry": False, "retriesLeft": 2, "attempts": [
        {**_ATTEMPT, "status": "EXPIRED", "errorCode": "EXPR",
         "errorMessage": "EXPR: the payer had too little in the account until the last window",
         "errorCure": "Ask the payer to have the amount in his account on the day of the next try."},
        {"kind": "NTAG", "date": "2027-01-13", "status": "REQUESTED"},
    ]},
)  # fmt: skip

_ABOUT = {
    "SCHEDULED": "A cycle will be charged: you, or the service with `autoSchedule`, have made a payment.",
    "CANCELED": "It will not be collected: you or the payer have called it off, or the subscription has ended (`reason`).",
    "EXPIRED": "It was not collected on its day, and no try is left or allowed. Its cycle stays taken.",
    "ERROR": "The network refuses it for good. Its cycle can be charged anew.",
}
_MORE: dict[str, dict[str, Any]] = {
    "CANCELED": {
        "reason": "REQUESTED_BY_PAYER", "errorCode": "SLBD", "errorMessage": "SLBD: the payer asked for it",
    },
    "EXPIRED": {
        "errorCode": "EXPR", "errorMessage": "EXPR: the payer had too little in the account until the last window",
    },
    "ERROR": {"errorCode": "AC05", "errorMessage": "AC05: the payer's account is closed"},
}  # fmt: skip


def _example(status: str) -> dict[str, Any]:
    """One payment, gone this way."""
    data = {
        "id": _PAYMENT_ID, "externalId": "2027-01", "status": status,
        "subscription": {"id": _ID, "code": "contract-12"}, "orderId": _ORDER_ID, "dueDate": "2027-01-10",
        "adjustedDueDate": "2027-01-11", "amount": _BRL,
    }  # fmt: skip
    return {"event": f"SUBSCRIPTION-PAYMENT.{status}", "occurredAt": _LATER, "data": data | _MORE.get(status, {})}


_ATTEMPT_FAILED = EventType(
    ATTEMPT_FAILED,
    "A try of a scheduled payment failed",
    "A try to collect it has ended without money: its bank refused to schedule it, failed, or found no money. `attempt` says"
    " why and what to do; `nextActions` says what may follow: the next try, or a charge of another amount or day in the same"
    " cycle, where that is free again. Where the payment has ended with it, that is told by an event of its own, too.",
    AttemptNotification, {"event": ATTEMPT_FAILED},
    {
        "event": ATTEMPT_FAILED, "occurredAt": _LATER,
        "data": {
            "id": _PAYMENT_ID, "externalId": "2027-01", "status": "ERROR",
            "subscription": {"id": _ID, "code": "contract-12"}, "orderId": _ORDER_ID, "dueDate": "2027-01-10",
            "adjustedDueDate": "2027-01-11", "amount": _BRL,
            "attempt": {
                "kind": "AGND", "date": "2027-01-11", "status": "REJECTED", "errorCode": "AM02",
                "errorMessage": "AM02: the amount is above the payer's maximum or limit",
                "errorCure": "Ask the payer to raise his maximum or his limit for Pix Automático, or schedule a smaller"
                " amount.",
            },
            "nextActions": [
                {"action": "SCHEDULE_PAYMENT", "by": "RECEIVER", "firstDueDate": "2027-01-07", "lastDueDate": "2027-02-04"}
            ],
        },
    },
)  # fmt: skip
PAYMENT_EVENT_TYPES = (_ATTEMPT_FAILED, *(
    EventType(
        f"SUBSCRIPTION-PAYMENT.{status}",
        f"Scheduled payment {status.lower()}" if status != "ERROR" else "Scheduled payment failed",
        _ABOUT[status], PaymentNotification, {"event": f"SUBSCRIPTION-PAYMENT.{status}", "data": {"status": status}},
        _example(status),
    )
    for status in PAYMENT_TOLD
))  # fmt: skip
