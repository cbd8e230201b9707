"""The documentation of operations and events of payouts."""

from __future__ import annotations

from typing import Any

from lastro.api_kit.forms import money_refusals
from lastro.api_kit.paging import EXTERNAL_ID_REFUSALS, PAGE_REFUSALS, PERIOD_REFUSALS, STATUS_REFUSAL
from lastro.api_kit.routes import Doc
from lastro.core.errors import Kind, Refusal, misread, not_found
from lastro.payouts import problems
from lastro.payouts.forms import CreatePayout
from lastro.payouts.notifications import RETRY, RETRY_TEXT, TEXTS, PayOutNotification
from lastro.payouts.rendering import CreatedPayout, FullPayout, Payouts
from lastro.webhooks import EventType

_ID = "0196a4f0-6c1e-7a31-9d2f-3f0a9b6c5d21"
_ACCOUNT_ID = "0196a4ef-1d02-7e40-8b11-64c3f0de9a17"
_CREATED: dict[str, Any] = {
    "id": _ID, "externalId": "salary-7", "status": "PENDING", "amount": "10.50", "currency": "BRL", "description": "Salary",
    "endToEndId": "E9999901020260131120000001aBcDeF",
}  # fmt: skip
_RECEIVER = {
    "name": "Fabio de Fora", "document": {"type": "CPF", "number": "24681357928"},
    "bank": {
        "ispb": "99999030", "name": "BANCO RECEBEDOR SIMULADO",
        "pix": {"type": "EMAIL", "key": "fabio@fora.example"},
    },
}  # fmt: skip
_FULL = {
    **_CREATED, "accountId": _ACCOUNT_ID, "paymentMethod": "PIX", "receiver": _RECEIVER,
    "createdAt": "2026-01-31T12:00:00.120945Z", "updatedAt": "2026-01-31T12:00:00.120945Z",
}  # fmt: skip
_PAID = {**_FULL, "status": "PAID", "paidAt": "2026-01-31T12:00:01.412000Z", "updatedAt": "2026-01-31T12:00:01.871204Z"}

NO_PAYOUT = not_found("No payout of your company has this id, or it is one transfer of a batch.")


_WAYS = ("paymentData.pixKey", "paymentData.qrcodeData", "paymentData.bankAccount")
_BANK = ("paymentData.bankAccount.ispb", "paymentData.bankAccount.bankNumber")
_CREATE_REFUSALS = (
    problems.EXTERNAL_ID_INVALID, problems.EXTERNAL_ID_DUPLICATE, problems.DESCRIPTION_INVALID,
    problems.ACCOUNT_ID_INVALID, problems.ACCOUNT_ID_NOT_ALLOWED, problems.ACCOUNT_ID_NOT_SUPPORTED,
    misread("amount.currency", "NOT_SUPPORTED", "Pix and TED are paid in reais.", "Give BRL."),
    *money_refusals("amount"),
    misread("amount.value", "OUT_OF_RANGE", "The amount is zero, negative or above 9,999,999,999.99.",
            "Give an amount between 0.01 and 9,999,999,999.99."),
    misread("amount", "INSUFFICIENT_FUNDS", "The account has less than the amount and the fee.",
            "Read its balance; money that is held for other payouts does not count."),
    problems.AMOUNT_LIMIT_EXCEEDED,
    problems.AMOUNT_MISMATCH, problems.AMOUNT_DUPLICATE, problems.SCHEDULED_DATE_OUT_OF_RANGE, problems.RECEIVER_REQUIRED,
    misread("receiver.name", "INVALID", "The name is blank or has control characters.", "Give a name."),
    problems.DOCUMENT_MISMATCH, problems.DOCUMENT_NUMBER_INVALID, problems.PAYMENT_DATA_REQUIRED,
    *problems.WAYS_EXCLUSIVE.of(*_WAYS), *problems.WAY_NOT_ALLOWED.of(*_WAYS), problems.KEY_INVALID, problems.QR_INVALID,
    problems.QR_EXPIRED, problems.QR_NOT_SUPPORTED,
    problems.ISPB_REQUIRED, *problems.BANKS_EXCLUSIVE.of(*_BANK), problems.BANK_UNKNOWN, problems.BANK_NUMBER_INVALID,
    *problems.BANK_NOT_SUPPORTED.of(*_BANK), problems.ACCOUNT_TYPE_NOT_SUPPORTED, problems.ACCOUNT_NUMBER_INVALID,
    Refusal(Kind.TOO_MANY, "", "", "Too many keys were looked up, most likely unknown ones.",
            "Wait as long as `Retry-After` says; look no key up that was not found."),
    Refusal(Kind.UNAVAILABLE, "", "", "The directory, or the address that the QR carries, did not answer in time.",
            "Send the same request again under the same key; nothing was made."),
)  # fmt: skip
CREATE = Doc(
    "Create a payout",
    "Sends money from one of your accounts by PIX or TED. It answers at once with PENDING: the money is held, and the"
    " network is told afterwards. You are told of the end by `ORDER-PAYOUT.PAID`, `.ERROR` and the others.\n\n"
    "- `paymentData.pixKey` is looked up in the directory, `qrcodeData` may be static or dynamic, `bankAccount` is taken as"
    " it is. A TED goes to a `bankAccount` on business days from 06:30 to 17:00 of Brasilia; asked for outside, it waits.\n"
    "- Above the account's limit per transaction the payout is split into a `batch` of transfers, each with a life of its"
    " own; together they are the amount, to the cent.\n"
    "- A receiver who has an account here is paid inside, in a moment, at any hour.\n"
    "- `scheduledDate` has it sent when that day begins; the money is held then. A Pix whose account has too little, or no"
    " limit left, is tried again from 18:00 to 21:00 of Brasilia, and you are told by `ORDER-PAYOUT.RETRY_SCHEDULED`; after"
    " that it is ERROR. A TED is tried once. A key or QR is looked up again: where it leads"
    " elsewhere by then, the payout is ERROR with `errorCode` RECEIVER_CHANGED, where it cannot be paid, NOT_PAYABLE.\n"
    "- A Pix that waits too long before it can be sent goes with another `endToEndId`, which reading it shows.\n"
    "- Where the institution has your payouts above an amount looked at by a person, one above it is ANALYSIS: the money is"
    " held, and the network is told once it is approved. Refused, it is CANCELED with `errorCode` REVIEW_REFUSED.\n"
    "- An equal payout within ten minutes is made all the same, and `x-lastro-possible-duplicate` names the other one.\n\n"
    "The `idempotency-key` is kept for ever: the same request again answers the same payout, and pays nothing twice.",
    CreatePayout, CreatedPayout, _CREATE_REFUSALS,
    {
        "externalId": "salary-7", "accountId": _ACCOUNT_ID, "paymentMethod": "PIX",
        "paymentData": {"pixKey": "fabio@fora.example"}, "amount": {"currency": "BRL", "value": "10.50"},
        "description": "Salary",
    },
    _CREATED, ("x-lastro-possible-duplicate",),
)  # fmt: skip
READ = Doc(
    "Read a payout", "The payout as it is now with its receiver and its fee, a batch with each of its transfers.",
    None, FullPayout, (NO_PAYOUT,), None, _PAID,
)  # fmt: skip
LIST = Doc(
    "List payouts",
    "The payouts of your company, newest first; a batch is one row, without its transfers. Filters are combined: a payout"
    " must fit all of them. An `accountId` or `endToEndId` that is not one of yours finds nothing.\n\n"
    "Ask for the next page with `cursor` = `nextCursor` and everything else unchanged, until `hasNext` is false. Oldest"
    " first, a page may have fewer rows than its `limit` and still have a next one: it ends before payouts younger than two"
    " seconds.",
    None, Payouts,
    (
        *PAGE_REFUSALS, *PERIOD_REFUSALS, STATUS_REFUSAL, *EXTERNAL_ID_REFUSALS,
    ),
    None,
    {"limit": 20, "sort": "desc", "nextCursor": _PAID["createdAt"], "hasNext": True, "data": [_PAID]},
)  # fmt: skip
CANCEL = Doc(
    "Cancel a payout",
    "Takes a payout back that nothing was sent of: a TED that waits for the STR to open, a scheduled payout, one in"
    " ANALYSIS, or one that was made a moment ago. Of a batch every transfer is canceled that is not on its way.",
    None, FullPayout,
    (NO_PAYOUT, problems.STATUS_CONFLICT),
    None, {**_FULL, "status": "CANCELED"},
)  # fmt: skip

_NOTIFIED = {
    "id": _ID, "code": "salary-7", "event": "ORDER-PAYOUT.PAID", "status": "PAID", "paidAt": _PAID["paidAt"],
    "updatedAt": _PAID["updatedAt"], "endToEndId": _CREATED["endToEndId"], "type": "PAY-OUT", "message": "Payout paid",
    "description": "Salary", "amount": {"currency": "BRL", "value": "10.50"},
    "ownerBank": {
        "name": "Ana Comercio Ltda", "document": {"type": "CNPJ", "number": "11222333000181"},
        "bank": {
            "ispb": "99999010", "name": "LASTRO SANDBOX IP", "branch": "0001", "account": "000000019",
            "accountType": "PAYMENT_ACCOUNT", "code": "990",
        },
    },
    "receiver": _RECEIVER,
}  # fmt: skip
_ABOUT = {
    "PAID": "The network has settled the payout. A TED is settled when the STR has carried it; the receiver's bank may still"
    " send it back.",
    "ERROR": "The network refused the payout for good, and the money is available again. `errorCode` has the network's"
    " word; NEVER_TAKEN where the network has another payment under its id, and statements prove that it never took this"
    " one.",
    "CANCELED": "The payout was taken back before anything was sent; or it was refused in a review, and then `errorCode` is"
    " REVIEW_REFUSED.",
    "EXPIRED": "The payout never arrived at its network, and the money is available again.",
    "REFUNDED": "The receiver has given all of it back, or his bank has sent a TED back; then `errorCode` says why.",
    "PARTIAL_REFUNDED": "The receiver has given some of it back; `returnedAmount` says how much so far.",
    "PARTIALLY_PAID": "Of a batch some transfers were paid and the others were not; `batch` says which, and how much was"
    " sent.",
}

_CODE, _ERROR = "AC07", "AC07: the receiver's account is closed"
_BATCH = {
    "id": _ID, "transactionsCount": 2, "paidCount": 1, "failedCount": 1, "pendingCount": 0, "paidAmount": "10.00",
    "pendingAmount": "0.00",
    "transactions": [
        {
            "id": "0196a4f0-6c1e-7a31-9d2f-3f0a9b6c5d22", "idempotencyKey": "salary-7", "sequence": 1, "amount": "10.00",
            "status": "PAID", "endToEndId": _CREATED["endToEndId"], "paidAt": _PAID["paidAt"],
        },
        {
            "id": "0196a4f0-6c1e-7a31-9d2f-3f0a9b6c5d23", "idempotencyKey": "salary-7-2", "sequence": 2, "amount": "0.50",
            "status": "ERROR", "endToEndId": "E9999901020260131120000002aBcDeF", "errorCode": _CODE, "errorMessage": _ERROR,
        },
    ],
}  # fmt: skip


def _example(status: str) -> dict[str, Any]:
    ended: dict[str, Any] = {"event": f"ORDER-PAYOUT.{status}", "status": status}
    ended["message"] = TEXTS[status].format(error=_ERROR)
    if status == "ERROR":
        ended["errorCode"] = _CODE
    if status == "PARTIALLY_PAID":
        ended["batch"] = _BATCH
    if status in ("ERROR", "CANCELED", "EXPIRED"):
        ended["paidAt"] = None
    if status in ("REFUNDED", "PARTIAL_REFUNDED"):
        ended["returnedAmount"] = {"currency": "BRL", "value": "10.50" if status == "REFUNDED" else "4.00"}
    return _NOTIFIED | ended


_SHORT = "INSUFFICIENT_FUNDS"
_RETRIED = EventType(
    f"ORDER-PAYOUT.{RETRY}", "Scheduled payout waits for funds",
    "When the day of a scheduled Pix began, its account had too little, or no limit left: `errorCode` says which. It is"
    " PENDING and tried again from `nextTryAt` on, each half hour and at 20:59 of Brasilia; then it is ERROR. Told once.",
    PayOutNotification, {"event": f"ORDER-PAYOUT.{RETRY}", "status": "PENDING"},
    _NOTIFIED | {
        "event": f"ORDER-PAYOUT.{RETRY}", "status": "PENDING", "paidAt": None, "errorCode": _SHORT,
        "nextTryAt": "2026-01-31T21:00:00.000000Z",
        "message": RETRY_TEXT.format(error=f"{_SHORT}: the account had too little when the payout was to begin"),
    },
)  # fmt: skip
EVENT_TYPES = (*(
    EventType(
        f"ORDER-PAYOUT.{status}", f"Payout {status.lower().replace('_', ' ')}", _ABOUT[status], PayOutNotification,
        {"event": f"ORDER-PAYOUT.{status}", "status": status}, _example(status),
    )
    for status in TEXTS
), _RETRIED)  # fmt: skip
