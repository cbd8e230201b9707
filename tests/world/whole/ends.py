"""Where everything may be when nothing is left to do: the ends, and the stations at which a rule lets it stay."""

from collections.abc import Mapping

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
        ("statements", "state", "TAKEN"),
        ("statement_items", "state", "EXPLAINED BOOKED"),  # by what came later; no person has settled anything
    )
}
# Objects that a storm leaves where they are, and why that is no work left undone.
NEVER_AT_AN_END: Mapping[str, str] = {
    "foreign_payments": "found or claimed, it says what the bank's list has besides our orders",
    "accounts": "blocked or not, an account lasts; its closing is account_close_requests",
    "pix_keys": "a key lasts until it is deleted; what is asked of its directory is key_claims and pix_key_validations",
}
# The directory will never take what it was told of it: that is an error in the log, for people (docs/operations.md, outbox.refused).
_REFUSED = (
    "EXISTS (SELECT FROM outbox m WHERE m.company_id = o.company_id AND m.reference_id = o.id AND m.outcome = 'refused')"
)
# More was charged back than a refund had left: that is for people (docs/operations.md, inbox.contradicts), and what the
# statement says of it is no more than that.
_BEYOND = (
    "kind = 'CHARGEBACK' AND difference = 'UNHEARD' AND EXISTS (SELECT FROM inbox m WHERE m.company_id = o.company_id"
    " AND m.outcome = 'alarmed' AND m.network_id LIKE 'statement:%:' || o.line_id)"
)
# Where else an object may be at rest, and the condition (on its row o) under which it may.
EXPLAINED: Mapping[tuple[str, str], str] = {
    # The review by a person has no term (docs/guides/payouts.md): of what is, all of it together, above the line of its company.
    ("payouts", "ANALYSIS"): (
        "coalesce((SELECT b.amount_minor FROM payouts b WHERE b.company_id = o.company_id AND b.id = o.batch_id), o.amount_minor)"
        " > (SELECT c.review_above_minor FROM companies c WHERE c.company_id = o.company_id)"
    ),
    # What the analyst would not look at is left to people (docs/decisions/opening.md).
    ("account_requests", "ANALYSIS"): "analysis_reference IS NULL",
    ("key_claims", "OPEN"): _REFUSED,
    ("key_claims", "WAITING_RESOLUTION"): _REFUSED,
    ("statement_items", "OPEN"): _BEYOND,
    # Money that the network would not take back waits for people (docs/decisions/stranded-money.md).
    ("pix_payments", "STRANDED"): (
        "EXISTS (SELECT FROM refunds r WHERE r.company_id = o.company_id AND r.payment_id = o.id AND r.state = 'ERROR')"
    ),
}
