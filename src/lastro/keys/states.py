"""The state machines of a key and of a validation. A validation proves that an e-mail address or phone is its holder's."""

from lastro.core.machine import NOT_THERE, Machine

KEYS = Machine(
    "pix_keys",
    "status",
    {
        (NOT_THERE, "create"): "ACTIVE",
        ("ACTIVE", "delete"): "DELETED",
        ("ACTIVE", "close account"): "DELETED",
        # Another bank claims it: it still leads here, and cannot be deleted, until the claim has ended one way or the other.
        ("ACTIVE", "claim"): "ACTIVE",
        ("ACTIVE", "keep"): "ACTIVE",
        ("ACTIVE", "lose"): "DELETED",
    },
)
VALIDATIONS = Machine(
    "pix_key_validations",
    "status",
    {
        (NOT_THERE, "create"): "PENDING",
        ("PENDING", "resend"): "PENDING",
        ("PENDING", "prove"): "PENDING",
        ("PENDING", "mistake"): "PENDING",
        ("PENDING", "mistake last"): "EXPIRED",
        ("PENDING", "expire"): "EXPIRED",
        ("PENDING", "confirm"): "CONFIRMED",
        ("PENDING", "conflict"): "CONFLICT",
    },
)
