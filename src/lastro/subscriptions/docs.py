"""The texts of subscriptions in the API's documentation: operations and events."""

from __future__ import annotations

from typing import Any

from lastro.accounts import NO_ACCOUNT_ID
from lastro.api_kit.forms import money_refusals
from lastro.api_kit.paging import EXTERNAL_ID_REFUSALS, PAGE_REFUSALS, PERIOD_REFUSALS, STATUS_REFUSAL
from lastro.api_kit.routes import Doc
from lastro.core.errors import misread, not_found
from lastro.subscriptions import problems
from lastro.subscriptions.forms import CancelSubscription, CreateSubscription
from lastro.subscriptions.notifications import TOLD, SubscriptionNotification
from lastro.subscriptions.payments.docs import PAYMENT_EVENT_TYPES
from lastro.subscriptions.rendering import Cancellation, CreatedSubscription, FullSubscription, Subscriptions
from lastro.webhooks import EventType

_ID = "0196a4f0-7d2f-7b42-8e30-4a1b0c7d6e32"
_ORDER_ID = "0196a4f0-7d2f-7b43-9f41-5b2c1d8e7f43"
_ACCOUNT_ID = "0196a4ef-1d02-7e40-8b11-64c3f0de9a17"
_AT, _LATER = "2026-11-23T12:00:00.120945Z", "2026-11-23T12:40:11.501337Z"
_EXPIRES = "2026-11-24T12:00:00.120945Z"
_BRL = {"currency": "BRL", "value": "29.90"}
_PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABAQAAAAA3bvkkAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg=="
_TEXT = (
    "00020101021226660014br.gov.bcb.pix2544pay.example.com/qr/v2/00001lVPPixWUxJY0ZrI0u5204000053039865802BR5917Ana Comercio"
    " Ltda6009SAO PAULO62070503***80700014br.gov.bcb.pix2548pay.example.com/qr/v2/rec/00001bQ7rT2kLmN4pX9vZ36304E6A9"
)
_PROVIDER_ID = "RR999990102026112300001aBcDeF"
_CHARGE = {
    "orderId": _ORDER_ID, "expireDateTime": _EXPIRES, "conciliationId": "00001jPPPljQLKI4tD7o5QMJXwbF5OgI", "amount": _BRL,
    "leadsHere": True,
}  # fmt: skip
_DEBTOR = {"document": {"type": "CPF", "number": "12345678909"}, "name": "Bento Braga"}
_SHARED: dict[str, Any] = {
    "type": "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT", "allowChargeAfterDueDate": True, "allowAdjustToBusinessDay": True,
    "frequencyType": "MONTHLY", "startDate": "2027-01-10", "fixedAmount": _BRL, "debtor": _DEBTOR, "description": "Magazine",
    "webhookUrl": "https://shop.example.com/hooks/lastro", "externalId": "contract-12",
}  # fmt: skip
_LISTED: dict[str, Any] = {
    "id": _ID, "providerId": _PROVIDER_ID, "status": "PENDING_AUTHORIZATION", **_SHARED, "autoSchedule": False,
    "receiver": {
        "id": _ACCOUNT_ID, "fullName": "Ana Comercio Ltda", "document": {"type": "CNPJ", "number": "11222333000181"},
    },
    "createdAt": _AT, "updatedAt": _AT,
}  # fmt: skip
_CANCELLATION: dict[str, Any] = {
    "id": "0196a515-30ad-7c11-8b52-6c3d2e9f8a54", "idempotencyKey": "cancel-contract-12", "status": "ACCEPTED",
    "statusHistory": [{"status": "PENDING", "createdAt": _LATER}, {"status": "ACCEPTED", "createdAt": _LATER}],
    "reason": "REQUESTED_BY_RECEIVER", "requestedBy": {"document": {"type": "CNPJ", "number": "11222333000181"}},
    "createdAt": _LATER, "updatedAt": _LATER,
}  # fmt: skip


_NO_SUBSCRIPTION = not_found("No subscription of your company has this id.")
_AMOUNTS = tuple(
    refusal
    for field in ("fixedAmount", "maxAmountFloor", "initialCharge.amount")
    for refusal in (
        misread(f"{field}.currency", "NOT_SUPPORTED", "Pix Automático is paid in reais.", "Give BRL."),
        *money_refusals(field),
    )
)  # fmt: skip
_TOO_MUCH = "The amount is zero, negative or above 9,999,999,999.99."
_CREATE_REFUSALS = (
    NO_ACCOUNT_ID,
    problems.ACCOUNT_ID_NOT_ALLOWED, problems.EXTERNAL_ID_INVALID, problems.EXTERNAL_ID_DUPLICATE,
    problems.START_DATE_OUT_OF_RANGE, problems.END_DATE_OUT_OF_RANGE,
    *problems.AMOUNTS_EXCLUSIVE.of("fixedAmount", "maxAmountFloor"),
    *_AMOUNTS,
    misread("fixedAmount.value", "OUT_OF_RANGE", _TOO_MUCH, "Give an amount from 0.01 on."),
    misread("maxAmountFloor.value", "OUT_OF_RANGE", _TOO_MUCH, "Give an amount from 0.01 on."),
    problems.INITIAL_CHARGE_OUT_OF_RANGE, problems.AUTO_SCHEDULE_NOT_ALLOWED,
    *problems.DOCUMENT_NUMBER_INVALID.of("debtor.document.number", "payer.document.number"),
    *(misread(f"{who}.name", "INVALID", "The name is blank or has control characters.", "Give a name.")
      for who in ("debtor", "payer")),
    problems.WEBHOOK_URL_INVALID,
    misread("description", "INVALID", "It is blank or has control characters.", "Say in 1 to 140 characters what is paid."),
    problems.INITIAL_CHARGE_REQUIRED, problems.INITIAL_CHARGE_NOT_ALLOWED, problems.PIX_KEY_INVALID,
    problems.PIX_KEY_MISMATCH, problems.ACCOUNT_ID_NOT_SUPPORTED, problems.EXTERNAL_ID_NOT_ALLOWED,
    problems.START_DATE_NOT_ALLOWED, problems.FIXED_AMOUNT_NOT_ALLOWED, problems.DEBTOR_NOT_ALLOWED,
    problems.DESCRIPTION_NOT_ALLOWED, problems.PAYER_NOT_SUPPORTED, problems.PIX_KEY_NOT_ALLOWED,
    problems.SUBSCRIPTION_NOT_ALLOWED,
)  # fmt: skip

CREATE = Doc(
    "Create a subscription",
    "Makes a QR code by which a payer authorizes recurring charges (Pix Automático), once, in the app of any bank in"
    " Brazil.\n\n"
    "- `AUTHORIZATION_QRCODE`: reading the code authorizes, and nothing is paid. It can be authorized until the end of"
    " `endDate`; without one, until you cancel it.\n"
    "- `AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT`: the payer pays `initialCharge` and authorizes in one act, both or neither,"
    " within 24 hours. The charge is an order, which credits `accountId`, has the subscription's `externalId` as its code"
    " and is told at `webhookUrl`. Only `payer` may pay it, where one is named.\n"
    "- With `fixedAmount` every charge is of it. With `maxAmountFloor` the payer may set a maximum for each charge, which is"
    " not below it. With neither he may set any.\n"
    "- What the network refuses at once is answered with `ERROR`: no order was made, so that `initialCharge` has no"
    " `orderId`, and `SUBSCRIPTION.ERROR` is sent. What it refuses afterwards, while nobody has authorized it, is in `ERROR`"
    " then, with the order of its first charge; both are told.\n"
    "- On an account whose Pix key is at a company's own bank, that bank makes the code, authorizes and collects."
    " Its silence gets 503, and the same request may be sent again.\n"
    "- What you have not had authorized in time is CANCELED by itself, and you are told.\n\n"
    "An `idempotency-key` makes it safe to send the same request again: the first answer comes back, byte for byte, for 30"
    " days.",
    CreateSubscription, CreatedSubscription, _CREATE_REFUSALS,
    {
        "accountId": _ACCOUNT_ID, **_SHARED, "payer": _DEBTOR,
        "initialCharge": {"pixKey": "0f4b6c1e-7a52-4d0e-9a3b-5c8d7e6f1a20", "amount": _BRL},
    },
    {
        "id": _ID, "status": "PENDING_AUTHORIZATION", "qrcodeImageBase64": _PNG, "qrcodeData": _TEXT,
        "initialCharge": _CHARGE, "providerId": _PROVIDER_ID, "externalId": "contract-12",
    },
)  # fmt: skip
READ = Doc(
    "Read a subscription",
    "The subscription as it is now, the statuses it took, its code, its first charge, its cancellations, its last 20"
    " scheduled payments, and what comes next.",
    None, FullSubscription, (_NO_SUBSCRIPTION,), None,
    {
        **_LISTED,
        "statusHistory": [{"status": "INITIAL", "createdAt": _AT}, {"status": "PENDING_AUTHORIZATION", "createdAt": _AT}],
        "qrcode": {"imageBase64": _PNG, "data": _TEXT}, "initialCharge": _CHARGE, "cancellations": [],
        "payments": [],
        "nextActions": [{"action": "AUTHORIZE", "by": "PAYER", "until": _EXPIRES}],
    },
)  # fmt: skip
LIST = Doc(
    "List subscriptions",
    "The subscriptions of your company, newest first. Filters are combined: a subscription must fit all of them. `startDate`"
    " and `endDate` are compared with the days of the subscription; `from` and `to` with `createdAt`. An `accountId` that is"
    " not one of yours finds nothing.\n\n"
    "Ask for the next page with `cursor` = `nextCursor` and everything else unchanged, until `hasNext` is false. Oldest"
    " first, a page may have fewer rows than its `limit` and still have a next one: it ends before subscriptions younger"
    " than two seconds.",
    None, Subscriptions,
    (
        *PAGE_REFUSALS, *PERIOD_REFUSALS,
        *problems.DATE_FILTER_INVALID.of("startDate", "endDate"),
        STATUS_REFUSAL, *EXTERNAL_ID_REFUSALS,
    ),
    None, {"limit": 20, "sort": "desc", "nextCursor": _AT, "hasNext": True, "data": [_LISTED]},
)  # fmt: skip
CANCEL = Doc(
    "Cancel a subscription",
    "Ends a subscription. One that nobody has authorized yet is CANCELED at once: its code can no longer be used, its first"
    " charge is canceled with it, and `SUBSCRIPTION.CANCELED` is sent, for a first charge `ORDER-PAYIN.CANCELED` too. For"
    " one that is ACCEPTED the payer's bank is asked: the record is PENDING until it answers. ACCEPTED, the subscription is"
    " CANCELED; REJECTED, or ERROR where the network would not take the question, it goes on, and `errorCode` says why. Send"
    " `{}` where there is no reason to give.",
    CancelSubscription, Cancellation,
    (_NO_SUBSCRIPTION, problems.STATUS_CONFLICT),
    {"reason": "REQUESTED_BY_RECEIVER"}, _CANCELLATION,
)  # fmt: skip

_ABOUT = {
    "ACCEPTED": "Its payer has authorized it, and has paid its first charge where it has one. From now on it is charged.",
    "REJECTED": "Its payer has said no. Its code can no longer be used; ask by a new subscription.",
    "CANCELED": "It has ended and will not be charged: you canceled it, or nobody authorized it in time (`reason`"
    " AUTHORIZATION_EXPIRED, a minute after the last instant).",
    "ERROR": "The network refuses it for good, as its create has answered, or afterwards. Nothing will be charged. Where its"
    " first charge has no order, there is no `initialCharge`.",
}
_MORE: dict[str, dict[str, Any]] = {
    "ACCEPTED": {
        "payer": {
            "document": {"type": "CPF", "number": "12345678909"},
            "bank": {"branchNumber": "0001", "accountNumber": "123456", "ispb": "99999020"}, "ibgeCode": "3550308",
        },
        "initialCharge": {"id": _ORDER_ID, "amount": _BRL, "endToEndId": "E9999902020261123124000000E058eP"},
    },
    "CANCELED": {"reason": "REQUESTED_BY_RECEIVER"},
}  # fmt: skip


def _example(status: str) -> dict[str, Any]:
    """One subscription, gone this way."""
    data = {"id": _ID, "externalId": "contract-12", "status": status, "initialCharge": {"id": _ORDER_ID, "amount": _BRL}}
    return {"event": f"SUBSCRIPTION.{status}", "occurredAt": _LATER, "data": data | _MORE.get(status, {})}


EVENT_TYPES = PAYMENT_EVENT_TYPES + tuple(
    EventType(
        f"SUBSCRIPTION.{status}", f"Subscription {status.lower()}" if status != "ERROR" else "Subscription failed",
        _ABOUT[status], SubscriptionNotification, {"event": f"SUBSCRIPTION.{status}", "data": {"status": status}},
        _example(status),
    )
    for status in TOLD
)  # fmt: skip
