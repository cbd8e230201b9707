"""The API texts of the static codes' operations."""

from __future__ import annotations

from typing import Any

from lastro.api_kit.forms import money_refusals
from lastro.api_kit.paging import PAGE_REFUSALS, PERIOD_REFUSALS
from lastro.api_kit.routes import Doc
from lastro.core.errors import misread, not_found
from lastro.orders import problems
from lastro.orders.static_codes.forms import CreateStaticCode
from lastro.orders.static_codes.rendering import StaticQrcode, StaticQrcodes

_ACCOUNT_ID = "0196a4ef-1d02-7e40-8b11-64c3f0de9a17"
_KEY = "6f1d2c1a-3b5e-4c7d-8e9f-0a1b2c3d4e5f"
_BRL = {"currency": "BRL", "value": "10.50"}
_LISTED: dict[str, Any] = {
    "id": "0196a4f0-7f10-7c2a-a1d4-5b0e4c7f9a33", "accountId": _ACCOUNT_ID, "pixKey": _KEY, "amount": _BRL,
    "description": "Mesa 5", "txid": "00001jPPPljQLKI4tD7o5QMJX",
    "qrcodeData": "00020126680014br.gov.bcb.pix01366f1d2c1a-3b5e-4c7d-8e9f-0a1b2c3d4e5f0206Mesa 5520400005303986540510.50"
                  "5802BR5917Ana Comercio Ltda6009SAO PAULO6229052500001jPPPljQLKI4tD7o5QMJX6304D659",
    "leadsHere": True, "createdAt": "2026-01-31T12:00:00.120945Z",
}  # fmt: skip
_CODE = {
    **_LISTED,
    "qrcodeImageBase64": "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABAQAAAAA3bvkkAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==",
}
_AMOUNT_REFUSALS = (
    misread("amount.currency", "NOT_SUPPORTED", "Pix is paid in BRL.", "Give BRL."),
    *money_refusals("amount"),
    misread("amount.value", "OUT_OF_RANGE", "The amount is zero, negative or above 9,999,999,999.99.",
            "Ask for an amount between 0.01 and 9,999,999,999.99."),
)  # fmt: skip

CREATE = Doc(
    "Print a static QR code",
    "Makes a code that is paid any number of times, by anybody: for a counter, a table, a leaflet. It carries the key and"
    " its amount itself; nobody has to fetch anything to pay it, and it cannot be taken back.\n\n"
    "- Each payment makes an order of its own: `PAID` at once, its `externalId` the endToEndId, its `staticQrcodeId` this"
    " code. `ORDER-PAYIN.PAID` is sent where your company has such events sent.\n"
    "- The account bears the fee, whoever bears it elsewhere: what is printed stays as it is.\n"
    "- With `amount`, another amount is refused when the payer's bank asks, and given back where it is already in.\n"
    "- It lives as long as its key leads to the account, which `leadsHere` says of each code that is read.",
    CreateStaticCode, StaticQrcode,
    (
        *_AMOUNT_REFUSALS, problems.ACCOUNT_ID_INVALID, *problems.ACCOUNT_ID_NOT_ALLOWED.of("accountId"),
        *problems.PIX_KEY_INVALID.of("pixKey"), *problems.PIX_KEY_MISMATCH.of("pixKey"),
        misread("description", "INVALID", "It is blank or has control characters.",
                "Say in 1 to 140 characters what is paid, or leave it out."),
    ),
    {"accountId": _ACCOUNT_ID, "pixKey": _KEY, "amount": _BRL, "description": "Mesa 5"},
    _CODE,
)  # fmt: skip
READ = Doc(
    "Read a static QR code",
    "The code as it was printed. What was paid to it: `GET /order/v2/transparent?staticQrcodeId=…`.",
    None, StaticQrcode,
    (
        not_found("No static QR code of your company has this id."),
    ),
    None, _CODE,
)  # fmt: skip
LIST = Doc(
    "List static QR codes",
    "The static QR codes of your company, newest first. An `accountId` that is not one of yours finds nothing.\n\n"
    "Each is as the read by id shows it, but for `qrcodeImageBase64`.\n\n"
    "Ask for the next page with `cursor` = `nextCursor` and everything else unchanged, until `hasNext` is false. Oldest"
    " first, a page may have fewer rows than its `limit` and still have a next one: it ends before codes younger than two"
    " seconds.",
    None, StaticQrcodes, (*PAGE_REFUSALS, *PERIOD_REFUSALS), None,
    {"limit": 20, "sort": "desc", "nextCursor": _LISTED["createdAt"], "hasNext": True, "data": [_LISTED]},
)  # fmt: skip
