"""The state machine of a claim (states.md 10); its statuses are the directory's."""

from typing import Final

from lastro.core.machine import NOT_THERE, Machine

PORTABILITY: Final = "PORTABILITY"
OWNERSHIP: Final = "CLAIM_OWNERSHIP"
TYPES = (PORTABILITY, OWNERSHIP)
CLAIMER: Final = "CLAIMER"
DONOR: Final = "DONOR"
ROLES = (CLAIMER, DONOR)

CLAIMS = Machine(
    "key_claims",
    "status",
    {
        (NOT_THERE, "open"): "OPEN",
        ("OPEN", "acknowledge"): "WAITING_RESOLUTION",
        ("WAITING_RESOLUTION", "confirm"): "CONFIRMED",
        ("CONFIRMED", "complete"): "COMPLETED",
        ("OPEN", "cancel"): "CANCELLED",
        ("WAITING_RESOLUTION", "cancel"): "CANCELLED",
        ("CONFIRMED", "cancel"): "CANCELLED",
    },
)

STATUSES = CLAIMS.states()
OPEN = ("OPEN", "WAITING_RESOLUTION", "CONFIRMED")
GONE = ("CONFIRMED", "COMPLETED")  # the donor has the key no longer
