"""The states of a delivery and of an endpoint's circuit.

Unlike other objects they keep no history rows: a delivery's attempts are its history, and a circuit's moves are logged.
So nothing here is written by moves of a Write; the engine and the resend take each new state from these tables.
"""

from __future__ import annotations

from lastro.core.machine import NOT_THERE, Machine
from lastro.webhooks.circuit import TURNS, Circuit, Turn
from lastro.webhooks.rules import MOVES, EventStatus, Trigger

# A delivery begins as its event is told to a URL. An event of the feed alone has no delivery.
TOLD = "told"

DELIVERIES = Machine(
    "deliveries",
    "status",
    {
        (NOT_THERE, TOLD): EventStatus.PENDING.value,
        **{(before.value, trigger.value): after.value for (before, trigger), after in MOVES.items()},
    },
)

# An endpoint that has always answered has no row: it is CLOSED.
CIRCUITS = Machine(
    "webhook_circuits",
    "state",
    {
        (NOT_THERE, Turn.TRIP.value): TURNS[Circuit.CLOSED, Turn.TRIP].value,
        **{(before.value, turn.value): after.value for (before, turn), after in TURNS.items()},
    },
)


def after(status: EventStatus, trigger: Trigger) -> EventStatus:
    """Returns the state a trigger leads to. NoMove: the table lacks it."""
    return EventStatus(DELIVERIES.after(status.value, trigger.value))
