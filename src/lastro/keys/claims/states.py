"""What may happen to a claim of a key (states.md 10); its statuses are the directory's."""

from typing import Final

from lastro.base.machine import NOT_THERE, Machine

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
_LINE = ("OPEN", "WAITING_RESOLUTION", "CONFIRMED", "COMPLETED")


def trigger_to(state: str, to: str) -> str | None:
    """What brings a claim from one status to another one; None: nothing does in one step."""
    found = (trigger for (before, trigger), after in CLAIMS.moves.items() if before == state and after == to)
    return next(found, None)


def way_to(status: str) -> tuple[str, ...]:
    """The triggers by which a claim that is new to us came to its status, from its birth on."""
    state, way = NOT_THERE, []
    for after in ("OPEN", "CANCELLED") if status == "CANCELLED" else _LINE[: _LINE.index(status) + 1]:
        trigger = trigger_to(state, after)
        assert trigger is not None, "each status follows the one before it"
        way.append(trigger)
        state = after
    return tuple(way)


def next_to(state: str, to: str) -> str:
    """The status that comes next on the way from one to another, where more than one step leads there."""
    if state not in OPEN or to not in _LINE or trigger_to(state, to) is not None or is_behind(to, state):
        return to
    return _LINE[_LINE.index(state) + 1]


def is_behind(status: str, state: str) -> bool:
    """Whether a claim that stands at `state` has been at this status, or has ended, so that the word is late."""
    if state not in OPEN:
        return True
    return status in _LINE and _LINE.index(status) <= _LINE.index(state)
