"""The states of an order's card payment."""

from lastro.core.machine import NOT_THERE, Machine

# A payment registered at the acquirer is authenticated: at once, or by a challenge that the payer has to pass. Only an
# AUTHENTICATED one was ordered to be charged, and only that can end as charged or declined.
CARD_PAYMENTS = Machine(
    "card_payments",
    "state",
    {
        (NOT_THERE, "create"): "CREATED",
        ("CREATED", "challenge"): "CHALLENGE_REQUIRED",
        ("CREATED", "authorize"): "AUTHENTICATED",
        ("CREATED", "fail"): "FAILED",
        ("CREATED", "time out"): "TIMEOUT",
        ("CREATED", "cancel"): "CANCELED",
        ("CHALLENGE_REQUIRED", "authorize"): "AUTHENTICATED",
        ("CHALLENGE_REQUIRED", "fail"): "FAILED",
        ("CHALLENGE_REQUIRED", "cancel"): "CANCELED",
        ("CHALLENGE_REQUIRED", "time out"): "TIMEOUT",
        ("AUTHENTICATED", "capture"): "CAPTURED",
        ("AUTHENTICATED", "fail"): "DECLINED",
    },
)
