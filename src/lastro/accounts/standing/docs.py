"""The documentation of the event of a change of status."""

from lastro.accounts.standing.notifications import StatusNotification
from lastro.webhooks import EventType

_EVENT = "ACCOUNT.STATUS_CHANGED"
EVENT_TYPES = (
    EventType(
        _EVENT,
        "Account status changed",
        "An account was blocked (INACTIVE), unblocked (ACTIVE) or closed for ever (CLOSED). What each means for keys,"
        " orders, payouts and subscriptions is a table of the guide.",
        StatusNotification,
        {"event": _EVENT},
        {
            "accountId": "0196a4ef-1d02-7e40-8b11-64c3f0de9a17", "event": _EVENT,
            "occurredAt": "2026-01-31T12:00:00.000000Z", "status": "INACTIVE", "previousStatus": "ACTIVE",
            "reason": {"code": "COURT_ORDER", "description": "Order 0001234-56 of the second civil court"},
        },
    ),
)  # fmt: skip
