"""The API texts of the refunds' operations and events."""

from __future__ import annotations

from typing import Any

from lastro.api_kit.forms import money_refusals
from lastro.api_kit.paging import EXTERNAL_ID_REFUSALS, PAGE_REFUSALS, PERIOD_REFUSALS, STATUS_REFUSAL
from lastro.api_kit.routes import Doc
from lastro.core.errors import misread, not_found
from lastro.orders.docs import NOTIFIED
from lastro.orders.refunds import problems
from lastro.orders.refunds.forms import CreateRefund
from lastro.orders.refunds.notifications import TEXTS, RefundNotification
from lastro.orders.refunds.rendering import Refund, Refunds
from lastro.webhooks import EventType

_ID = "0196a4f5-12c8-7f20-a3b4-5d6e7f809a1b"
_ORDER_ID = "0196a4f0-6c1e-7a31-9d2f-3f0a9b6c5d21"
_BRL = {"currency": "BRL", "value": "4.00"}
_ASKED: dict[str, Any] = {
    "orderId": _ORDER_ID, "externalId": "back-7", "amount": _BRL, "refundCode": "MD06", "refundReason": "Out of stock",
    "description": "Your book is gone",
}  # fmt: skip
_CREATED: dict[str, Any] = {
    "id": _ID, **_ASKED, "networkRefundCode": "MD06", "status": "PENDING", "returnId": "D9999901020260131121500001aBcDeF",
    "createdAt": "2026-01-31T12:15:00.120945Z", "updatedAt": "2026-01-31T12:15:00.120945Z",
}  # fmt: skip
_PAID = {**_CREATED, "status": "PAID", "updatedAt": "2026-01-31T12:15:01.871204Z"}

_NO_REFUND = not_found("No refund that your company asked for has this id.")


_CREATE_REFUSALS = (
    problems.ORDER_ID_INVALID, problems.ORDER_ID_EXPIRED, problems.ORDER_ID_NOT_SUPPORTED, problems.ORDER_ID_NOT_ALLOWED,
    problems.ORDER_ID_CONFLICT, problems.STATUS_CONFLICT, problems.EXTERNAL_ID_INVALID, problems.EXTERNAL_ID_DUPLICATE,
    problems.CURRENCY_NOT_SUPPORTED,
    *money_refusals("amount"),
    misread("amount.value", "OUT_OF_RANGE", "The amount is zero, negative or above 9,999,999,999.99.",
            "Give an amount between 0.01 and what is left of the order."),
    problems.AMOUNT_LIMIT_EXCEEDED,
    misread("amount", "INSUFFICIENT_FUNDS", "The order's account has less than that.",
            "Read its balance; the fee of the order is not given back, so that an account may have less than was paid."),
    problems.REFUND_CODE_INVALID, problems.REFUND_CODE_NOT_ALLOWED,
    misread("refundReason", "INVALID", "It is blank or has control characters.",
            "Give 1 to 140 characters, or leave it out."),
    misread("description", "INVALID", "It is blank or has control characters.",
            "Give 1 to 140 characters, or leave it out."),
)  # fmt: skip

CREATE = Doc(
    "Give money of an order back",
    "Gives part or all of a paid order back to who has paid it. The amount is held on the order's account and sent; the"
    " network answers in seconds. Then the refund is PAID, the order PARTIAL_REFUNDED or REFUNDED, and"
    " `ORDER-PAYIN.REFUNDED` is sent; or it is in ERROR, the account has its money again, and `ORDER-PAYIN.REFUND_ERROR` is"
    " sent.\n\n"
    "- At most 90 days after `paidAt`, as often as there is something left. However many are asked for at once, together"
    " they are never more than the order's `amount`; of an open one, than what was paid.\n"
    "- The fee of the order stays where it is, so that the account needs the whole amount.\n"
    "- An order whose account is blocked can be refunded all the same.\n\n"
    "An `idempotency-key` makes it safe to send the same request again: the first answer comes back, byte for byte,"
    " for ever.",
    CreateRefund, Refund, _CREATE_REFUSALS, _ASKED, _CREATED,
)  # fmt: skip
READ = Doc("Read a refund", "The refund as it is now.", None, Refund, (_NO_REFUND,), None, _PAID)
LIST = Doc(
    "List refunds",
    "The refunds that your company asked for, newest first. Filters are combined: a refund must fit all of them. An"
    " `orderId` that is not one of yours finds nothing.\n\n"
    "Ask for the next page with `cursor` = `nextCursor` and everything else unchanged, until `hasNext` is false. Oldest"
    " first, a page may have fewer rows than its `limit` and still have a next one: it ends before refunds younger than two"
    " seconds.",
    None, Refunds,
    (
        *PAGE_REFUSALS, *PERIOD_REFUSALS, STATUS_REFUSAL, *EXTERNAL_ID_REFUSALS,
    ),
    None,
    {"limit": 20, "sort": "desc", "nextCursor": _PAID["createdAt"], "hasNext": True, "data": [_PAID]},
)  # fmt: skip

_ABOUT = {
    "ORDER-PAYIN.REFUNDED": "The network has given the money back; `status` and `refundedAmount` are the order's after it.",
    "ORDER-PAYIN.REFUND_ERROR": "The network refuses the refund for good, and the account has its money again; `message`"
    " says why.",
}


def _example(event: str) -> dict[str, Any]:
    """Returns an example of a refund that ended in this way."""
    message, customer_message = TEXTS[event]
    was_paid = event == "ORDER-PAYIN.REFUNDED"
    return NOTIFIED | {
        "event": event, "status": "PARTIAL_REFUNDED" if was_paid else "PAID", "type": "REFUND",
        "updatedAt": _PAID["updatedAt"], "message": message.format(error="ED05: the settlement failed"),
        "customerMessage": customer_message, "refundId": _ID, "refundExternalId": "back-7", "refundAmount": _BRL,
        "refundedAmount": _BRL if was_paid else {"currency": "BRL", "value": "0.00"},
    }  # fmt: skip


EVENT_TYPES = tuple(
    EventType(
        event,
        message.partition(":")[0],
        _ABOUT[event],
        RefundNotification,
        {"event": event, "type": "REFUND"},
        _example(event),
    )
    for event, (message, _) in TEXTS.items()
)
