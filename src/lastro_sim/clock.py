"""Two clocks in whole microseconds: machine time for leases and time-outs, business time for everything a bank dates."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 86_400 * SECOND
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FURTHEST_OFFSET = 100 * 366 * DAY


class Clock:
    """Machine time as it is, business time shifted by an offset that lastro sets."""

    def __init__(self, read_machine: Callable[[], datetime], offset: int = 0) -> None:
        self._read_machine = read_machine
        self.offset = offset

    def machine(self) -> int:
        """Microseconds of real time since 1970."""
        return (self._read_machine() - EPOCH) // timedelta(microseconds=1)

    def business(self) -> int:
        """Microseconds of business time since 1970."""
        return self.machine() + self.offset


def moment(microseconds: int) -> datetime:
    """The same instant as a datetime in UTC."""
    return EPOCH + timedelta(microseconds=microseconds)


def counted(at: datetime) -> int:
    """An instant as the store keeps it; the reverse of moment."""
    return (at - EPOCH) // timedelta(microseconds=1)


def printed(microseconds: int) -> str:
    """ISO 8601 in UTC with microseconds and Z, as every answer shows it."""
    return f"{moment(microseconds).isoformat(timespec='microseconds').removesuffix('+00:00')}Z"


def printed_or_none(microseconds: int | None) -> str | None:
    """The same for an instant that may not have come yet."""
    return None if microseconds is None else printed(microseconds)
