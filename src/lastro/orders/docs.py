"""The API texts of the orders' operations and events."""

from __future__ import annotations

from typing import Any

from lastro.api_kit.forms import money_refusals
from lastro.api_kit.paging import EXTERNAL_ID_REFUSALS, PAGE_REFUSALS, PERIOD_REFUSALS, STATUS_REFUSAL
from lastro.api_kit.routes import Doc
from lastro.core.errors import Kind, Refusal, misread, not_found
from lastro.orders import problems
from lastro.orders.cards.docs import CARD_REFUSALS
from lastro.orders.forms import CreateOrder
from lastro.orders.notifications import TEXTS, PayInNotification
from lastro.orders.rendering import CreatedOrder, Order, Orders
from lastro.webhooks import EventType

_ID = "0196a4f0-6c1e-7a31-9d2f-3f0a9b6c5d21"
_ACCOUNT_ID = "0196a4ef-1d02-7e40-8b11-64c3f0de9a17"
_BRL = {"currency": "BRL", "value": "10.50"}
_NOTHING = {"currency": "BRL", "value": "0.00"}
_CREATED: dict[str, Any] = {
    "id": _ID, "externalId": "book-1", "code": "book-1", "status": "INITIAL", "paymentMethod": "PIX", "amount": _BRL,
    "description": "A book", "additionalInfo": "A book", "createdAt": "2026-01-31T12:00:00.120945Z",
    "pix": {
        "qrcodeImageUrl": "https://pay.example.com/qr/image/00001lVPPixWUxJY0ZrI0u.png",
        "qrcodeImageBase64": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABAQAAAAA3bvkkAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==",
        "qrcodeData": "00020101021226660014br.gov.bcb.pix2544pay.example.com/qr/v2/00001lVPPixWUxJY0ZrI0u520400005303986"
                      "540510.505802BR5917Ana Comercio Ltda6009SAO PAULO62070503***6304FE4C",
        "expireDateTime": "2026-02-01T12:00:00.120945Z",
        "conciliationId": "00001jPPPljQLKI4tD7o5QMJXwbF5OgI",
    },
    "fees": {"fixed": _NOTHING, "variable": _NOTHING, "additional": _NOTHING},
    "feeFix": _NOTHING, "feeVar": _NOTHING, "feeAdd": _NOTHING, "finalAmount": _BRL,
    "checkoutUrl": "https://pay.example.com/checkout/00001Rk7tq0vXb2LzYcN9a", "orderToken": "00001Rk7tq0vXb2LzYcN9a",
}  # fmt: skip
_PAYER = {
    "name": "Pessoa Pagadora", "document": {"type": "CPF", "number": "12345678909"},
    "bank": {"ispb": "99999020", "branch": "0001", "account": "123456", "accountType": "CHECKING_ACCOUNT"},
}  # fmt: skip
_PAID = {
    **_CREATED, "status": "PAID", "accountId": _ACCOUNT_ID, "updatedAt": "2026-01-31T12:03:10.871204Z",
    "paidAt": "2026-01-31T12:03:10.412000Z", "paidAmount": _BRL, "endToEndId": "E9999902020260131120300000E058eP",
    "payer": _PAYER,
}  # fmt: skip
_CANCELED = {
    **_CREATED, "status": "CANCELED", "accountId": _ACCOUNT_ID, "updatedAt": "2026-01-31T12:10:02.000417Z",
}  # fmt: skip

NO_ORDER = not_found("No order of your company has this id.")

_NO_ACCOUNT = not_found(
    "`order.accountId` is no account of your company.",
    "Take an id of the account list, or leave it out: then the company's default account is credited.",
)
_CREATE_REFUSALS = (
    problems.METHOD_INVALID, problems.METHOD_NOT_SUPPORTED, problems.AMOUNT_REQUIRED, problems.PIX_KEY_NOT_ALLOWED,
    problems.ADDRESS_REQUIRED,
    *problems.ADDRESS_PART_REQUIRED.of(
        *(f"customer.address.{part}" for part in ("state", "city", "street", "neighborhood", "number", "postalCode"))),
    problems.BANK_INVALID, problems.AMOUNT_INVALID,
    misread("order.amount.currency", "NOT_SUPPORTED", "The method is not paid in this currency.",
            "Give BRL."),
    *money_refusals("order.amount"),
    problems.AMOUNT_OUT_OF_RANGE, problems.AMOUNT_NOT_ALLOWED, problems.EXTERNAL_ID_INVALID, problems.EXTERNAL_ID_DUPLICATE,
    problems.DESCRIPTION_INVALID, problems.EXPIRATION_NOT_ALLOWED, problems.BANK_NOT_ALLOWED,
    problems.DESCRIPTION_NOT_ALLOWED, problems.EXPIRATION_OUT_OF_RANGE, problems.ORDER_NOT_ALLOWED,
    problems.PIX_KEY_NOT_SUPPORTED, problems.DOCUMENT_TYPE_NOT_ALLOWED,
    problems.NOTIFICATION_URL_INVALID, problems.RETURN_URL_INVALID, problems.FINANCIAL_PARTNER_NOT_SUPPORTED,
    problems.ACCOUNT_ID_REQUIRED, problems.ACCOUNT_ID_NOT_ALLOWED, problems.PIX_KEY_INVALID, problems.PIX_KEY_MISMATCH,
    problems.PIX_KEY_REQUIRED, problems.CUSTOMER_REQUIRED, problems.CUSTOMER_NAME_INVALID,
    problems.DOCUMENT_NUMBER_INVALID, problems.EMAIL_INVALID, problems.IP_INVALID, *CARD_REFUSALS, _NO_ACCOUNT,
    Refusal(Kind.UNAVAILABLE, "", "",
            "The partner of a `<BRAND>_PAY` method did not give its rate, the tokenizer of cards its token, or the bank of a"
            " connection its code, in time.",
            "Send the same request again under the same key; nothing was made."),
)  # fmt: skip

CREATE = Doc(
    "Create an order",
    "Makes an order that a customer pays without seeing a screen of ours. For PIX it is a dynamic QR code that any bank in"
    " Brazil reads; its charge is served, signed, at the address that the code carries. For BOLETO it is a slip: its line of"
    " digits, its bar code, a PDF to print, and the same Pix code on it.\n\n"
    "- The account that is credited is `order.accountId`, else the one of `order.pixKey`, else the company's default.\n"
    "- Without `order.amount` the code is open and the payer types the amount; PIX alone.\n"
    "- Where the key is registered at a bank of yours (a connection), or `order.financialPartner` names that connection, the"
    " bank makes the code. The amount is then required, and the customer may be left out.\n"
    "- For SPEI (MXN) and DEPOSIT (BRL) it is an account number that no other order has, open for three days. Less than the"
    " amount makes the order PENDING, and several transfers together pay it; what is too much is given back, and so is what"
    " came of an order that expires.\n"
    "- A PIX order ends after `order.expiration` seconds (86,400 where nothing is said), paid or not, and you are told. A"
    " slip is due in three business days and taken until the day after; its order is PENDING once it was paid, PAID when"
    " the money settles, and EXPIRED three business days after its last day.\n"
    "- For `<BRAND>_PAY` it is a link and a code for the app of that brand, at a rate that is frozen for half an hour: paid"
    " exactly, or given back. The order is PENDING until the chain has confirmed it. `order.financialPartner` names the"
    " partner where there are several.\n"
    "- For CREDIT_CARD (MXN) it is a charge of the card in `order.paymentDetails`, whose payer may have to be sent to"
    " `threeDs.challengeUrl`; within 15 minutes it is PAID or ERROR. The number of a card is never stored, logged or"
    " compared: an equal request under the same key is the same one, whatever card it names.\n"
    "- `order.externalId` belongs to one open or paid order at a time.\n"
    "- `checkoutUrl` is a page where your customer sees how to pay and what became of it. Once the order has ended it leads"
    " back to `order.returnUrl`, with `orderToken` in its query.\n\n"
    "An `idempotency-key` makes it safe to send the same request again: the first answer comes back, byte for byte, for 30"
    " days.",
    CreateOrder, CreatedOrder, _CREATE_REFUSALS,
    {
        "order": {
            "externalId": "book-1", "paymentMethod": "PIX", "amount": _BRL, "description": "A book",
            "notificationUrl": "https://shop.example.com/hooks/lastro",
        },
        "customer": {
            "name": "Bento Braga", "entityType": "INDIVIDUAL", "document": {"type": "CPF", "number": "12345678909"},
            "email": "bento@example.com",
        },
    },
    _CREATED,
)  # fmt: skip
READ = Doc(
    "Read an order", "The order as it is now: what the create answered, and what has happened since.",
    None, Order, (NO_ORDER,), None, _PAID,
)  # fmt: skip
LIST = Doc(
    "List orders",
    "The orders of your company, newest first: those you made, the first charges of your subscriptions, and those that money"
    " made which came unasked. Filters are"
    " combined: an order must fit all of them. An `accountId` or `staticQrcodeId` that is not yours finds nothing.\n\n"
    "Each order is as the read by id shows it, but for `qrcodeImageBase64`: the picture is at `qrcodeImageUrl`.\n\n"
    "Ask for the next page with `cursor` = `nextCursor` and everything else unchanged, until `hasNext` is false. Oldest"
    " first, a page may have fewer rows than its `limit` and still have a next one: it ends before orders younger than two"
    " seconds.",
    None, Orders,
    (
        *PAGE_REFUSALS, *PERIOD_REFUSALS, STATUS_REFUSAL, *EXTERNAL_ID_REFUSALS,
        *problems.METHOD_INVALID.of("paymentMethod"),
    ),
    None,
    {
        "limit": 20, "sort": "desc", "nextCursor": _PAID["createdAt"], "hasNext": True,
        "data": [{**_PAID, "pix": {k: v for k, v in _CREATED["pix"].items() if k != "qrcodeImageBase64"}}],
    },
)  # fmt: skip
CANCEL = Doc(
    "Cancel an order",
    "Ends an order that nobody has paid: its code cannot be paid any more, and `ORDER-PAYIN.CANCELED` is sent.",
    None, Order,
    (NO_ORDER, problems.STATUS_CONFLICT),
    None, _CANCELED,
)  # fmt: skip

NOTIFIED = {
    "id": _ID, "code": "book-1", "event": "ORDER-PAYIN.PAID", "status": "PAID",
    "paidAt": _PAID["paidAt"], "updatedAt": _PAID["updatedAt"], "endToEndId": _PAID["endToEndId"], "controlNumber": None,
    "type": "PAY-IN", "message": "Order paid", "customerMessage": "Pagamento recebido", "description": "A book",
    "amount": _BRL,
    "ownerBank": {
        "name": "Ana Comercio Ltda", "document": {"type": "CNPJ", "number": "11222333000181"},
        "bank": {
            "ispb": "99999010", "name": "LASTRO SANDBOX IP", "branch": "0001", "account": "000000019",
            "accountType": "PAYMENT_ACCOUNT", "code": "990",
        },
    },
    "payer": _PAYER,
}  # fmt: skip
_ABOUT = {
    "PAID": "The network has settled the payment, and the account is credited.",
    "EXPIRED": "The order's last instant passed without a payment. A bank's payment may reach us up to a minute late, so"
    " this comes a minute after it.",
    "CANCELED": "You canceled the order; it cannot be paid any more.",
    "ERROR": "A partner refuses the order for good; `message` says why.",
}


def _example(status: str) -> dict[str, Any]:
    """Returns an example of an order that ended in this way."""
    message, customer_message = TEXTS[status]
    ended = {
        "event": f"ORDER-PAYIN.{status}", "status": status, "customerMessage": customer_message,
        "message": message.format(error="SANDBOX: refused by the partner"),
    }  # fmt: skip
    if status == "PAID":
        return NOTIFIED | ended
    customer = {"name": "Bento Braga", "document": {"type": "CPF", "number": "12345678909"}}
    return NOTIFIED | ended | {"paidAt": None, "endToEndId": None, "payer": customer}


EVENT_TYPES = tuple(
    EventType(
        f"ORDER-PAYIN.{status}", message.partition(":")[0], _ABOUT[status], PayInNotification,
        {"event": f"ORDER-PAYIN.{status}", "status": status}, _example(status),
    )
    for status, (message, _) in TEXTS.items()
)  # fmt: skip
