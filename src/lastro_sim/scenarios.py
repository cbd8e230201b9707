"""Magic values: payers and amounts whose payments always end the same way, without ordering a fault first."""

from typing import Any

from . import amounts
from .bank import payers
from .clock import SECOND
from .directory import entries
from .faults import Fault

BY_AMOUNT: dict[int, tuple[Fault, str]] = {
    700_101: (Fault("reject", "ED05", 0), "settlement fails after the receiver's yes: REJECTED with ED05"),
    700_102: (Fault("timeout", None, 0), "the network times out after the receiver's yes: REJECTED with AB03"),
    700_103: (Fault("late", None, 0), "settles without asking the receiver, who hears of it by camt.054"),
    700_104: (Fault("twice", None, 0), "every message about it comes twice"),
    700_105: (Fault("lost-answer", None, 0), "the receiver's answer gets lost and he is asked again"),
    700_106: (Fault("slow", None, 3 * SECOND), "settlement takes three seconds"),
}
WHY_REFUSED = {
    "INSUFFICIENT_FUNDS": "the payer has no money: his bank refuses everything",
    "SUSPECTED_FRAUD": "the payer's bank holds his account for fraud: it refuses everything",
}
BY_STATUS = {
    "BLOCKED": "the directory refuses the look-up: EntryBlocked",
    "ACCOUNT_BLOCKED": "its account is blocked: a payment is refused with AC06",
    "ACCOUNT_CLOSED": "its account is closed: a payment is refused with AC07",
}


def for_amount(cents: int) -> Fault | None:
    """What always strikes a payment of this amount from the phone."""
    found = BY_AMOUNT.get(cents)
    return None if found is None else found[0]


def listed() -> list[dict[str, Any]]:
    """All magic values with what they do."""
    by_payer = [
        {"operation": "payin", "field": "payer", "value": payer.document, "outcome": WHY_REFUSED[payer.refused]}
        for payer in payers.CUSTOMERS
        if payer.refused is not None
    ]
    by_amount = [
        {"operation": "payin", "field": "amount", "value": amounts.printed(cents), "outcome": outcome}
        for cents, (_, outcome) in BY_AMOUNT.items()
    ]
    by_key = [
        {"operation": "payout", "field": "key", "value": entry.key, "outcome": BY_STATUS[entry.status]}
        for entry in entries.SEEDS
        if entry.status in BY_STATUS
    ]
    return by_payer + by_amount + by_key
