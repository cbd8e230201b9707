"""The state machine of a plan of payouts."""

from lastro.core.machine import NOT_THERE, Machine

PLANS = Machine(
    "payout_plans",
    "status",
    {
        (NOT_THERE, "create"): "VALIDATING",
        ("VALIDATING", "fail"): "INVALID",  # at least one of its lines cannot be paid as it is
        ("VALIDATING", "pass"): "READY",
        ("VALIDATING", "pass unsigned"): "APPROVED",  # the company asks for no approval
        ("READY", "approve"): "READY",
        ("READY", "approve last"): "APPROVED",
        ("APPROVED", "approve"): "APPROVED",  # one more, after a revoked approval
        ("APPROVED", "apply"): "APPLYING",
        ("APPLYING", "finish"): "APPLIED",
        ("APPLYING", "finish in part"): "PARTIALLY_APPLIED",
        ("APPLYING", "finish in vain"): "FAILED",
        ("VALIDATING", "cancel"): "CANCELED",
        ("READY", "cancel"): "CANCELED",
        ("APPROVED", "cancel"): "CANCELED",
        ("APPLYING", "cancel"): "CANCELED",  # payouts already made stay
        ("READY", "expire"): "EXPIRED",
        ("APPROVED", "expire"): "EXPIRED",
    },
)
