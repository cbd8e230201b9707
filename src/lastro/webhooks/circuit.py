"""The rules of a circuit: pauses and probes of a silent endpoint. Pure.

Each endpoint of a company (scheme, host and port) has a circuit. While it is CLOSED, deliveries go. After several events
in a row without an answer it is OPEN: deliveries wait, and none of their attempts is used up. After a pause one delivery
goes as a probe (HALF_OPEN); its answer closes the circuit, its silence opens it for a longer pause.
"""

from collections.abc import Mapping
from datetime import timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from lastro.core.work_queue import LEASE_SECONDS
from lastro.webhooks.rules import LONGEST_WAIT, FailureKind


class Circuit(StrEnum):
    """The state of a circuit."""

    CLOSED = "CLOSED"
    OPEN = "OPEN"
    HALF_OPEN = "HALF_OPEN"


class Turn(StrEnum):
    """The triggers of a circuit."""

    TRIP = "trip"
    PROBE = "probe"
    ANSWER = "answer"
    SILENCE = "silence"
    NOTHING = "nothing to send"


# Every allowed move. A second probe from HALF_OPEN: the worker that made the first was killed.
TURNS: Final[Mapping[tuple[Circuit, Turn], Circuit]] = MappingProxyType(
    {
        (Circuit.CLOSED, Turn.TRIP): Circuit.OPEN,
        (Circuit.OPEN, Turn.PROBE): Circuit.HALF_OPEN,
        (Circuit.OPEN, Turn.ANSWER): Circuit.CLOSED,
        (Circuit.HALF_OPEN, Turn.ANSWER): Circuit.CLOSED,
        (Circuit.HALF_OPEN, Turn.SILENCE): Circuit.OPEN,
        (Circuit.HALF_OPEN, Turn.NOTHING): Circuit.OPEN,
        (Circuit.HALF_OPEN, Turn.PROBE): Circuit.HALF_OPEN,
    }
)

# So many different events in a row: an event has as many attempts, so that one alone, however bad, opens nothing.
TRIPS_AT: Final = 5

# After the circuit opened, and after each probe in vain. The last one is how long a receiver that is back waits at most.
PAUSES: Final = (
    timedelta(seconds=15), timedelta(seconds=30), timedelta(minutes=1), timedelta(minutes=2), timedelta(minutes=5),
)  # fmt: skip

# A probe that was not heard of for so long is lost with its worker.
PROBE_LASTS: Final = timedelta(seconds=LEASE_SECONDS)

# An attempt that has waited for so long is made all the same: like `Retry-After`, a circuit stretches an interval of the
# plan and no more, so that an event has its end in a time that can be told. The view held_deliveries says the same.
HELD_AT_MOST: Final = LONGEST_WAIT

# Said by what stands before the receiver: it, or what answers for it, is not there now (RFC 9110 §15.6.3 to §15.6.5).
_AWAY: Final = frozenset({502, 503, 504})
_UNANSWERED: Final = frozenset(
    {
        FailureKind.TIMEOUT, FailureKind.DNS_FAILURE, FailureKind.CONNECTION_REFUSED, FailureKind.CONNECTION_CLOSED,
        FailureKind.TLS_FAILURE, FailureKind.ADDRESS_REFUSED,
    }
)  # fmt: skip


def is_silent(kind: FailureKind | None, status_code: int) -> bool:
    """Tells whether an attempt shows that no endpoint is there.

    kind None: it was acknowledged. Any other answer, a 500 too, shows that one is, and is about the one event.
    """
    return kind in _UNANSWERED or (kind is FailureKind.BAD_STATUS and status_code in _AWAY)


def pause_after(failed_probes: int) -> timedelta:
    """Returns the pause of an open circuit (business time). failed_probes: 0 when it has just opened."""
    return PAUSES[min(failed_probes, len(PAUSES) - 1)]


def turned(circuit: Circuit, turn: Turn) -> Circuit:
    """Returns the state a turn leads to. KeyError: the table lacks the move."""
    return TURNS[circuit, turn]
