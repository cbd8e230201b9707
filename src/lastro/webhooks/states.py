"""The delivery of an event as a table of states.

Unlike other objects it keeps no history rows: its attempts are its history. So nothing here is written by moves of a
Write; the engine and the resend take each new state from this table.
"""

from __future__ import annotations

from lastro.base.machine import NOT_THERE, Machine
from lastro.webhooks.rules import MOVES, EventStatus, Trigger

# How a delivery is born: its event is told to a URL. An event of the feed alone has no delivery.
TOLD = "told"

DELIVERIES = Machine(
    "deliveries",
    "status",
    {
        (NOT_THERE, TOLD): EventStatus.PENDING.value,
        **{(before.value, trigger.value): after.value for (before, trigger), after in MOVES.items()},
    },
)


def after(status: EventStatus, trigger: Trigger) -> EventStatus:
    """The state a trigger leads to. KeyError: the table lacks the move."""
    return EventStatus(DELIVERIES.moves[status.value, trigger.value])
