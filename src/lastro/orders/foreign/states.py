"""The states of foreign payments."""

from lastro.core.machine import NOT_THERE, Machine

# There is no way by which the money is given back: it is not ours to send.
FOREIGN_PAYMENTS = Machine(
    "foreign_payments",
    "state",
    {
        (NOT_THERE, "find"): "FOUND",
        ("FOUND", "claim"): "CLAIMED",  # a person says which order of ours it pays
        ("FOUND", "close"): "CLOSED",  # a person says that it pays none
        ("CLOSED", "claim"): "CLAIMED",  # and was wrong
        ("FOUND", "doubt"): "FOUND",  # a person claimed it, and the bank says that it is not what the list has
        ("CLOSED", "doubt"): "CLOSED",
    },
)
