"""Where everything may be when nothing is left to do: the ends, and the stations at which a rule lets it stay."""

from collections.abc import Callable, Mapping
from typing import Any

Read = Callable[[str, dict[str, Any]], tuple[str, str | None, dict[str, str]]]


def _by_id(operation: str, name: str = "id", parameter: str = "id") -> Read:
    """What was made is read under the name that the answer gave it."""

    def read(_: str, said: dict[str, Any]) -> tuple[str, str | None, dict[str, str]]:
        return operation, said.get(name), {parameter: said.get(name, "")}

    return read


def _payment(_: str, said: dict[str, Any]) -> tuple[str, str | None, dict[str, str]]:
    return "read_subscription_payment", said["id"], {"id": said["subscriptionId"], "paymentId": said["id"]}


def _claim(target: str, said: dict[str, Any]) -> tuple[str, str | None, dict[str, str]]:
    account = target.split("/accounts/")[1].split("/", maxsplit=1)[0]
    name = said.get("id") if "claimType" in said else None
    return "read_key_claim", name, {"accountId": account, "claimId": said.get("id", "")}


# How that which a write has made is read again.
READ_AGAIN: Mapping[str, Read] = {
    "create_order": _by_id("read_order"), "cancel_order": _by_id("read_order"),
    "create_order_payin": _by_id("read_order_payin"), "create_static_qrcode": _by_id("read_static_qrcode"),
    "create_refund": _by_id("read_refund"), "cancel_payout_plan": _by_id("read_payout_plan"), "create_payout": _by_id("read_payout"), "cancel_payout": _by_id("read_payout"),
    "create_payout_plan": _by_id("read_payout_plan"), "create_subscription": _by_id("read_subscription"),
    "create_subscription_payment": _payment, "create_subscription_payment_2": _payment,
    "contest_med": _by_id("read_med", "referenceId", "referenceId"),
    "open_account": _by_id("read_account_request", "accountRequestId"),
    "request_account_close": _by_id("read_account_close"), "create_key_claim": _claim, "confirm_key_claim": _claim,
}  # fmt: skip
# What a key comes of; one that was deleted meanwhile keeps its row.
KEYS_OF = frozenset({"create_key", "confirm_key"})
# Who was told so of what he has canceled finds it so ever after.
CALLED_OFF = frozenset({"CANCELED", "CANCELLED"})
# What of an answer may be another later, by operation.
STAYS: Mapping[str, tuple[str, ...]] = {"create_payout": ("endToEndId",), "cancel_payout": ("endToEndId",)}

# Tables of objects: the column of their state, and its ends.
STATES: Mapping[str, tuple[str, frozenset[str]]] = {
    table: (column, frozenset(final.split()))
    for table, column, final in (
        ("orders", "status", "PAID EXPIRED CANCELED ERROR REFUNDED PARTIAL_REFUNDED"),
        ("payouts", "status", "PAID PARTIALLY_PAID ERROR CANCELED EXPIRED REFUNDED PARTIAL_REFUNDED"),
        ("refunds", "state", "PAID ERROR CREDITED PAID_OUT"),
        ("pix_payments", "state", "SETTLED REFUSED FAILED RETURNED CREDITED PAID_OUT"),
        ("card_payments", "state", "CAPTURED DECLINED FAILED TIMEOUT CANCELED"),
        ("subscriptions", "status", "CANCELED REJECTED ERROR"),
        ("subscription_cancellations", "status", "ACCEPTED REJECTED ERROR"),
        ("subscription_payments", "status", "PAID CANCELED EXPIRED ERROR"),
        ("payment_attempts", "status", "PAID REJECTED EXPIRED CANCELED"),
        ("payout_plans", "status", "INVALID APPLIED PARTIALLY_APPLIED FAILED CANCELED EXPIRED"),
        ("med_objects", "status", "ANALYSED CANCELLED COMPLETED"),
        ("key_claims", "status", "COMPLETED CANCELLED"),
        ("pix_key_validations", "status", "CONFIRMED EXPIRED CONFLICT"),
        ("account_requests", "status", "APPROVED REPROVED"),
        ("account_close_requests", "status", "COMPLETED REFUSED"),
    )
}
# The directory will never take what it was told of it: that is an error in the log, for people (docs/operations.md, outbox.refused).
_REFUSED = (
    "EXISTS (SELECT FROM outbox m WHERE m.company_id = o.company_id AND m.reference_id = o.id AND m.outcome = 'refused')"
)
# Where else an object may be at rest, and the condition (on its row o) under which it may.
EXPLAINED: Mapping[tuple[str, str], str] = {
    # The review by a person has no term (docs/guides/payouts.md).
    ("payouts", "ANALYSIS"): "true",
    # What the analyst would not look at is left to people (docs/decisions/opening.md).
    ("account_requests", "ANALYSIS"): "analysis_reference IS NULL",
    ("key_claims", "OPEN"): _REFUSED,
    ("key_claims", "WAITING_RESOLUTION"): _REFUSED,
    # Money that cannot be given back waits for people (docs/decisions/stranded-money.md).
    ("pix_payments", "STRANDED"): "true",
}
