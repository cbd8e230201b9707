"""The documentation of the event of a settlement."""

from lastro.accounts.settlements.notifications import SettledNotification
from lastro.webhooks import EventType

_EVENT = "ACCOUNT.SETTLED"
_BANK = {
    "ispb": "99999010", "name": "LASTRO SANDBOX IP", "branch": "0001", "account": "000000019",
    "accountType": "PAYMENT_ACCOUNT", "code": "990",
}  # fmt: skip
EVENT_TYPES = (
    EventType(
        _EVENT,
        "Account settled",
        "Money of an account in another currency than BRL was paid out to its holder outside of this service, and has left"
        " the account's balance.",
        SettledNotification,
        {"event": _EVENT},
        {
            "event": _EVENT, "occurredAt": "2026-01-31T12:00:00.000000Z",
            "accountId": "0198c0de-0000-7000-8000-000000000001", "settlementId": "0198c0de-0000-7000-8000-000000000002",
            "amount": {"currency": "MXN", "value": "1500.00"},
            "reference": "TRANSFER-7",
            "ownerBank": {
                "name": "Ana Comercio Ltda", "document": {"type": "CNPJ", "number": "11222333000181"}, "bank": _BANK,
            },
        },
    ),
)  # fmt: skip
