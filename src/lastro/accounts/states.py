"""The state machine of an account (states.md 8)."""

from lastro.core.machine import NOT_THERE, Machine

ACCOUNTS = Machine(
    "accounts",
    "status",
    {
        (NOT_THERE, "open"): "ACTIVE",
        ("ACTIVE", "block"): "INACTIVE",  # nothing new in or out
        ("INACTIVE", "unblock"): "ACTIVE",
        ("ACTIVE", "limit"): "ACTIVE",  # its limits have changed
        ("INACTIVE", "limit"): "INACTIVE",
        ("ACTIVE", "close"): "CLOSED",  # for ever
        ("INACTIVE", "close"): "CLOSED",
    },
)
