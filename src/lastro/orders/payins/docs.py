"""The API texts of the pay-ins' operations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lastro.api_kit.forms import money_refusals
from lastro.api_kit.paging import EXTERNAL_ID_REFUSALS
from lastro.api_kit.routes import Doc
from lastro.core.errors import misread, not_found
from lastro.orders import problems as orders
from lastro.orders.payins import problems
from lastro.orders.payins.forms import CreatePayIn
from lastro.orders.payins.rendering import CreatedPayIn, PayIn

_ACCOUNT_ID = "0196a4ef-1d02-7e40-8b11-64c3f0de9a17"
_BRL = {"currency": "BRL", "value": "10.50"}
_CREATED: dict[str, Any] = {
    "id": "0196a4f0-6c1e-7a31-9d2f-3f0a9b6c5d21", "status": "INITIAL",
    "qrcodeData": "00020101021226660014br.gov.bcb.pix2544pay.example.com/qr/v2/00001lVPPixWUxJY0ZrI0u520400005303986"
                  "540510.505802BR5917Ana Comercio Ltda6009SAO PAULO62070503***6304FE4C",
    "qrcodeImageBase64": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABAQAAAAA3bvkkAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==",
    "expireDateTime": "2026-02-01T12:00:00.120945Z", "conciliationId": "00001jPPPljQLKI4tD7o5QMJXwbF5OgI",
}  # fmt: skip
_PAID = {
    **_CREATED, "externalId": "book-1", "status": "PAID", "accountId": _ACCOUNT_ID, "paymentMethod": "PIX", "amount": _BRL,
    "description": "A book", "createdAt": "2026-01-31T12:00:00.120945Z", "updatedAt": "2026-01-31T12:03:10.871204Z",
    "paidAt": "2026-01-31T12:03:10.412000Z", "paidAmount": _BRL, "endToEndId": "E9999902020260131120300000E058eP",
    "payer": {"name": "Pessoa Pagadora", "document": {"type": "CPF", "number": "12345678909"}},
}  # fmt: skip
_CREATE_REFUSALS = (
    problems.EXTERNAL_ID_INVALID, problems.EXTERNAL_ID_DUPLICATE, orders.ACCOUNT_ID_INVALID,
    *orders.ACCOUNT_ID_NOT_ALLOWED.of("accountId"),
    *(replace(one, field="pixKey") for one in (orders.PIX_KEY_INVALID, orders.PIX_KEY_MISMATCH, orders.PIX_KEY_REQUIRED)),
    misread("amount.currency", "NOT_SUPPORTED", "Pix is paid in BRL.", "Give BRL."),
    *money_refusals("amount"),
    problems.AMOUNT_OUT_OF_RANGE,
    problems.PAYER_REQUIRED,
    misread("payer.name", "INVALID", "The name is blank or has control characters.", "Give a name."),
    problems.DOCUMENT_NUMBER_INVALID,
    misread("description", "INVALID", "It is blank or has control characters.",
            "Say in 1 to 140 characters what is paid, or leave it out."),
)  # fmt: skip

CREATE = Doc(
    "Create a pay-in",
    "Makes the same order as `PUT /order/v2/transparent` does for PIX, by fewer words: it has the same id, states and events"
    " there, and may be listed, canceled and given back there.\n\n"
    "- It has no notification URL of its own: its events go where your company has events of their type sent.\n"
    "- `payer` names the customer; anybody may pay. Without `payer` the customer is taken from who pays, where your company"
    " has a route for that.\n"
    "- `externalId` belongs to one open or paid order at a time, whichever door made it.\n\n"
    "An `idempotency-key` makes it safe to send the same request again: the first answer comes back, byte for byte, for 30"
    " days.",
    CreatePayIn, CreatedPayIn, _CREATE_REFUSALS,
    {
        "externalId": "book-1", "accountId": _ACCOUNT_ID, "paymentMethod": "PIX", "amount": _BRL, "description": "A book",
        "payer": {"name": "Bento Braga", "document": {"type": "CPF", "number": "12345678909"}},
    },
    _CREATED,
)  # fmt: skip
READ = Doc(
    "Read a pay-in",
    "The order as it is now: any order of your company, whichever door made it. In the path stands its `id`, or your"
    " `externalId`: then it is the newest order of this code. `?externalId=` beside it proves that both are of one order.",
    None, PayIn,
    (
        not_found("No order of your company has this id or code, or not the code of the query."),
        *EXTERNAL_ID_REFUSALS,
    ),
    None, _PAID,
)  # fmt: skip
FIND = Doc(
    "Find a pay-in by your code",
    "The newest order that you made with this `externalId`, by whichever door. A code may have had several orders, of which"
    " all but the newest ended without money; `GET /order/v2/transparent?externalId=…` lists them all.",
    None, PayIn,
    (
        not_found("You have made no order with this `externalId`.", "Look for another spelling."),
        problems.EXTERNAL_ID_REQUIRED,
        *EXTERNAL_ID_REFUSALS,
    ),
    None, _PAID,
)  # fmt: skip
