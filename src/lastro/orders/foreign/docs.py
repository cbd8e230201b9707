"""The API texts of foreign payments' operations."""

from __future__ import annotations

from lastro.api_kit.paging import PAGE_REFUSALS, PERIOD_REFUSALS, STATUS_REFUSAL
from lastro.api_kit.routes import Doc
from lastro.core.errors import misread, not_found
from lastro.orders.foreign.rendering import ForeignPayment, ForeignPayments

_SHOWN = {
    "id": "0196a4f0-8b20-7c11-9e02-5b0e4c7f9a33", "status": "FOUND", "connection": "efi1",
    "endToEndId": "E12345678202601311200a1b2c3d4e5f", "txid": "7978c0c97ea847e78e8849634473c1f1",
    "pixKey": "loja@example.com", "amount": {"currency": "BRL", "value": "10.50"}, "paidAt": "2026-01-31T12:00:00.000000Z",
    "createdAt": "2026-01-31T12:00:20.120945Z", "updatedAt": "2026-01-31T12:00:20.120945Z",
}  # fmt: skip

READ = Doc(
    "Read a foreign payment",
    "A Pix at your own bank that no order of yours asked for: another system took it, or somebody typed your key.\n\n"
    "It is in your account at the bank. It moves nothing here, and is never given back.",
    None, ForeignPayment, (not_found("No foreign payment of your company has this id.", "Take an `id` of the list."),), None,
    _SHOWN,
)  # fmt: skip
LIST = Doc(
    "List foreign payments",
    "What your bank took that no order of yours asked for, newest first.\n\n"
    "- A person of yours may claim one for an open order of its amount, in the console. The order is then `PAID`, and"
    " `ORDER-PAYIN.PAID` is sent.\n"
    "- Your bank is asked first: one that was given back there, in whole or in part, pays nothing.\n"
    "- A payment with `OTHER_AMOUNT`, `OTHER_KEY` or `BEFORE_ORDER` has the txid of one of your orders, which asked for"
    " something else. The order is not paid by it: a person of yours claims it for another order, or closes it.\n"
    "- No client claims one: amount and time alone do not say whose a payment is.\n\n"
    "A `connection` that is not yours finds nothing, as an unknown one does.\n\n"
    "Ask for the next page with `cursor` = `nextCursor` and everything else unchanged, until `hasNext` is false. Oldest"
    " first, a page may have fewer rows than its `limit` and still have a next one: it ends before payments younger than"
    " two seconds.",
    None, ForeignPayments,
    (
        *PAGE_REFUSALS, *PERIOD_REFUSALS, STATUS_REFUSAL,
        misread("connection", "INVALID", "It is empty or has control characters.", "Give the name of a connection."),
        misread("connection", "TOO_LONG", "No connection's name has more than 16 characters.", "Give a shorter one."),
    ),
    None, {"limit": 20, "sort": "desc", "nextCursor": _SHOWN["createdAt"], "hasNext": True, "data": [_SHOWN]},
)  # fmt: skip
