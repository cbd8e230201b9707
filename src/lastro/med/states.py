"""What may happen to an object of a dispute (states.md 12).

The three objects of the directory share a table, so a trigger's first word says of which it is: recovery, notice or request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lastro.base.machine import NOT_THERE, Machine

if TYPE_CHECKING:
    from collections.abc import Mapping

RECOVERY: Final = "RECOVERY_VALUE"
NOTICE: Final = "INFRINGEMENT_NOTIFICATION"
REQUEST: Final = "REFUND_REQUEST"
OBJECT_TYPES = (RECOVERY, NOTICE, REQUEST)
PAYER: Final = "PAYER"
RECEIVER: Final = "RECEIVER"
ROLES = (PAYER, RECEIVER)

MED_OBJECTS = Machine(
    "med_objects",
    "status",
    {
        (NOT_THERE, "recovery contest"): "CREATED",
        ("CREATED", "recovery trace"): "TRACED",
        ("TRACED", "recovery notify"): "WAITING_ANALYSIS",
        ("WAITING_ANALYSIS", "recovery analyse"): "ANALYSED",
        ("WAITING_ANALYSIS", "recovery dismiss"): "COMPLETED",
        ("ANALYSED", "recovery order"): "WAITING_REFUND",
        ("WAITING_REFUND", "recovery complete"): "COMPLETED",
        ("CREATED", "recovery cancel"): "CANCELLED",
        ("TRACED", "recovery cancel"): "CANCELLED",
        ("WAITING_ANALYSIS", "recovery cancel"): "CANCELLED",
        ("ANALYSED", "recovery cancel"): "CANCELLED",
        # Money of it came back.
        ("WAITING_REFUND", "recovery credit"): "WAITING_REFUND",
        ("COMPLETED", "recovery credit"): "COMPLETED",
        (NOT_THERE, "notice open"): "OPEN",
        ("OPEN", "notice acknowledge"): "RECEIVED",
        ("RECEIVED", "notice decide"): "ANALYSED",
        ("OPEN", "notice cancel"): "CANCELLED",
        ("RECEIVED", "notice cancel"): "CANCELLED",
        # What it blocks goes over to the request for it, or is given free where none comes.
        ("ANALYSED", "notice hand over"): "ANALYSED",
        ("ANALYSED", "notice release"): "ANALYSED",
        (NOT_THERE, "request open"): "OPEN",
        ("OPEN", "request return"): "OPEN",  # the money is on its way
        ("OPEN", "request accept"): "ANALYSED",
        ("OPEN", "request reject"): "ANALYSED",
        ("OPEN", "request cancel"): "CANCELLED",
    },
)

STATUSES: Mapping[str, tuple[str, ...]] = {
    RECOVERY: ("CREATED", "TRACED", "WAITING_ANALYSIS", "ANALYSED", "WAITING_REFUND", "COMPLETED", "CANCELLED"),
    NOTICE: ("OPEN", "RECEIVED", "ANALYSED", "CANCELLED"),
    REQUEST: ("OPEN", "ANALYSED", "CANCELLED"),
}
# Nothing more is expected of who stands there; what is blocked of a notice may still wait for its request.
ENDED: Mapping[str, tuple[str, ...]] = {
    RECOVERY: ("COMPLETED", "CANCELLED"),
    NOTICE: ("ANALYSED", "CANCELLED"),
    REQUEST: ("ANALYSED", "CANCELLED"),
}
_WORD: Mapping[str, str] = {RECOVERY: "recovery", NOTICE: "notice", REQUEST: "request"}


def trigger_to(object_type: str, state: str, to: str) -> str | None:
    """What brings such an object from one state to another one; None: nothing does.

    A request's answer has two triggers, and the caller chooses by its result.
    """
    found = (t for (before, t), after in MED_OBJECTS.moves.items()
             if before == state and after == to and before != after and t.startswith(_WORD[object_type]))  # fmt: skip
    return next(found, None)


def way_to(object_type: str, status: str) -> tuple[str, ...]:
    """The triggers by which an object that is new to us came to its status, from its birth on."""
    born = next(t for (before, t) in MED_OBJECTS.moves if before == NOT_THERE and t.startswith(_WORD[object_type]))
    state, way = MED_OBJECTS.moves[NOT_THERE, born], [born]
    line = STATUSES[object_type]
    for after in line[1 : line.index(status) + 1] if status != "CANCELLED" else ("CANCELLED",):
        trigger = trigger_to(object_type, state, after)
        assert trigger is not None, "each status follows the one before it"
        way.append(trigger)
        state = after
    return tuple(way)
