"""The state machine of a dispute's objects (states.md 12).

The three objects of the directory share a table, so a trigger's first word says of which it is: recovery, notice or request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lastro.core.machine import NOT_THERE, Machine

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
        # Nothing has to be traced (DICT 2.12.1, FundsRecovery): no TRACED is written that never was.
        ("CREATED", "recovery notify"): "WAITING_ANALYSIS",
        ("WAITING_ANALYSIS", "recovery analyse"): "ANALYSED",
        ("WAITING_ANALYSIS", "recovery dismiss"): "COMPLETED",
        ("ANALYSED", "recovery order"): "WAITING_REFUND",
        ("WAITING_REFUND", "recovery complete"): "COMPLETED",
        ("CREATED", "recovery cancel"): "CANCELLED",
        ("TRACED", "recovery cancel"): "CANCELLED",
        ("WAITING_ANALYSIS", "recovery cancel"): "CANCELLED",
        ("ANALYSED", "recovery cancel"): "CANCELLED",
        ("WAITING_REFUND", "recovery cancel"): "CANCELLED",
        # Money of it came back.
        ("WAITING_REFUND", "recovery credit"): "WAITING_REFUND",
        ("COMPLETED", "recovery credit"): "COMPLETED",
        ("CANCELLED", "recovery credit"): "CANCELLED",
        (NOT_THERE, "notice open"): "OPEN",
        # Later credits are blocked, too, where that is configured.
        ("OPEN", "notice top up"): "OPEN",
        ("RECEIVED", "notice top up"): "RECEIVED",
        ("OPEN", "notice acknowledge"): "RECEIVED",
        ("RECEIVED", "notice decide"): "ANALYSED",
        ("OPEN", "notice cancel"): "CANCELLED",
        ("RECEIVED", "notice cancel"): "CANCELLED",
        # A recovery that is given up takes its notices with it, "independente do estado" (DICT 2.12.1, cancelFundsRecovery).
        ("ANALYSED", "notice cancel"): "CANCELLED",
        # The account's holder has said something to it.
        ("OPEN", "notice defend"): "OPEN",
        ("RECEIVED", "notice defend"): "RECEIVED",
        ("OPEN", "notice attach"): "OPEN",
        ("RECEIVED", "notice attach"): "RECEIVED",
        # It is told once that the time for a defense is nearly over.
        ("OPEN", "notice remind"): "OPEN",
        ("RECEIVED", "notice remind"): "RECEIVED",
        # Its blocked money goes over to its request, whose message may come first, or is released if none comes.
        ("OPEN", "notice hand over"): "OPEN",
        ("RECEIVED", "notice hand over"): "RECEIVED",
        ("ANALYSED", "notice hand over"): "ANALYSED",
        ("ANALYSED", "notice release"): "ANALYSED",
        (NOT_THERE, "request open"): "OPEN",
        ("OPEN", "request return"): "OPEN",  # the money is on its way
        ("OPEN", "request undo"): "OPEN",  # a payment anew did not go: it is made again, or decided again
        ("OPEN", "request accept"): "ANALYSED",
        ("OPEN", "request reject"): "ANALYSED",
        ("OPEN", "request cancel"): "CANCELLED",
        # It gave back too little: later credits are blocked and given back, until that is filled, too late or called off.
        ("ANALYSED", "request watch"): "ANALYSED",
        ("ANALYSED", "request block later"): "ANALYSED",
        ("ANALYSED", "request return later"): "ANALYSED",
        ("ANALYSED", "request returned later"): "ANALYSED",
        ("ANALYSED", "request return later failed"): "ANALYSED",
        ("ANALYSED", "request watch over"): "ANALYSED",
    },
)

STATUSES: Mapping[str, tuple[str, ...]] = {
    RECOVERY: ("CREATED", "TRACED", "WAITING_ANALYSIS", "ANALYSED", "WAITING_REFUND", "COMPLETED", "CANCELLED"),
    NOTICE: ("OPEN", "RECEIVED", "ANALYSED", "CANCELLED"),
    REQUEST: ("OPEN", "ANALYSED", "CANCELLED"),
}
# The final statuses; the blocked money of a notice may still wait for its request.
ENDED: Mapping[str, tuple[str, ...]] = {
    RECOVERY: ("COMPLETED", "CANCELLED"),
    NOTICE: ("ANALYSED", "CANCELLED"),
    REQUEST: ("ANALYSED", "CANCELLED"),
}
UNDECIDED: Final = ("OPEN", "RECEIVED")  # of a notice
_WORD: Mapping[str, str] = {RECOVERY: "recovery", NOTICE: "notice", REQUEST: "request"}


def way_between(object_type: str, state: str, to: str, result: str | None = None) -> tuple[str, ...]:
    """Returns the fewest triggers from one status to another; empty: no way.

    result: the decision, if known: a recovery is COMPLETED without refunds only if nobody agreed, and a request is ANALYSED
    by either of two triggers.
    """
    return MED_OBJECTS.way(state, to, lambda trigger: _is_for(object_type, trigger, result))


def way_to(object_type: str, status: str, result: str | None = None) -> tuple[str, ...]:
    """Returns the triggers of a new object's status, from its birth on."""
    way = way_between(object_type, NOT_THERE, status, result)
    assert way, "every status is reached from birth"
    return way


def _is_for(object_type: str, trigger: str, result: str | None) -> bool:
    if trigger == "recovery dismiss":
        return object_type == RECOVERY and result != "AGREED"
    if trigger in ("request accept", "request reject"):
        return object_type == REQUEST and (trigger == "request reject") == (result == "REJECTED")
    return trigger.startswith(_WORD[object_type])
