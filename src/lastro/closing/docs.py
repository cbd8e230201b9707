"""The texts of closings in the API's documentation."""

from __future__ import annotations

from lastro.accounts import NO_ACCOUNT
from lastro.api_kit.routes import Doc
from lastro.closing import problems
from lastro.closing.forms import ListCloses, RequestClose
from lastro.closing.rendering import Closing, Closings
from lastro.core.errors import misread, not_found

_ID = "0196a515-8e42-7d05-9c31-2b6f4e8a7d10"
_WHY = {"closeRequestReason": "We are moving to one account"}
_CREATED = {
    "id": _ID, "closeAccountRequestId": _ID, "accountId": "0196a4ef-1d02-7e40-8b11-64c3f0de9a17", "status": "REQUESTED",
    **_WHY, "createdAt": "2026-01-31T12:00:00.120945Z", "updatedAt": "2026-01-31T12:00:00.120945Z",
}  # fmt: skip

CLOSE = Doc(
    "Close an account",
    "Closes an account for ever, if it has nothing in any currency and nothing of it is unfinished. Then the account is"
    " CLOSED at once and `ACCOUNT.STATUS_CHANGED` is sent; its open orders and subscriptions are canceled and its keys"
    " deleted in the seconds after, until the request is COMPLETED. Else the request is REFUSED, `obstacles` says all that"
    " stands in the way, and nothing has changed: ask again once it is gone.\n\n"
    "- Of money: `AVAILABLE`, `HELD`, `BLOCKED`, and `OWED`, each with its amount.\n"
    "- Of what is unfinished, counted: `PAYOUTS`; `PLANS` that are being applied; `REFUNDS`; `PAYMENTS` that were let in and"
    " are not settled; `ORDERS` that are being paid; `SCHEDULED_PAYMENTS` of subscriptions; `DISPUTES`"
    " (MED) that are open.",
    RequestClose, Closing,
    (
        NO_ACCOUNT,
        problems.STATUS_CONFLICT,
        misread("closeRequestReason", "INVALID", "It is blank or has control characters.",
                "Give 1 to 140 characters."),
    ),
    _WHY, _CREATED,
)  # fmt: skip
READ = Doc(
    "Read a request to close an account",
    "The request as it is now.",
    None, Closing,
    (
        not_found("No request of your company has this id.",
                "Take the `id` that the request answered, from a client of the same company."),
    ),
    None, {**_CREATED, "status": "COMPLETED", "updatedAt": "2026-01-31T12:00:01.871204Z"},
)  # fmt: skip
LIST = Doc(
    "List requests to close accounts",
    "Your company's requests, newest first, with the field and status words of clients of other platforms: PENDING for"
    " REQUESTED, CONFIRMED for COMPLETED, CANCELLED for REFUSED.",
    ListCloses, Closings, (), {"skip": 0, "take": 20, "requireTotalCount": True},
    {
        "data": [
            {
                "id": _ID, "closeAccountRequestId": _ID, "accountId": _CREATED["accountId"], "status": "CONFIRMED", **_WHY,
                "createdAt": "2026-01-31T12:00:00.120945Z", "updatedAt": "2026-01-31T12:00:01.871204Z",
            },
        ],
        "totalCount": 1,
    },
)  # fmt: skip
