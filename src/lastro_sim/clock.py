"""Two clocks in whole microseconds: machine time and business time.

Machine time is for leases and time-outs, business time for every date of a bank.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 86_400 * SECOND
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_OF_UTC = datetime(1970, 1, 1)  # noqa: DTZ001 its zone is said by the Z that is printed behind it
_MICROSECOND = timedelta(microseconds=1)
FURTHEST_OFFSET = 100 * 366 * DAY


class Clock:
    """Machine time, and business time shifted by an offset that lastro sets.

    machine: the microseconds of real time since 1970.
    """

    def __init__(self, machine: Callable[[], int], offset: int = 0) -> None:
        self.machine = machine
        self.offset = offset

    def business(self) -> int:
        """Returns the microseconds of business time since 1970."""
        return self.machine() + self.offset


def moment(microseconds: int) -> datetime:
    """Converts to a datetime in UTC."""
    return EPOCH + timedelta(microseconds=microseconds)


def counted(at: datetime) -> int:
    """Converts to microseconds; the reverse of moment."""
    return (at - EPOCH) // _MICROSECOND


def printed(microseconds: int) -> str:
    """Formats as ISO 8601 in UTC with microseconds and Z."""
    return f"{(_EPOCH_OF_UTC + timedelta(0, 0, microseconds)).isoformat(timespec='microseconds')}Z"


def printed_or_none(microseconds: int | None) -> str | None:
    """Formats an instant that may be None."""
    return None if microseconds is None else printed(microseconds)
