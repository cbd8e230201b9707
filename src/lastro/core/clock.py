"""Business time as a process knows it between two looks at the database's clock."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_GOOD_FOR_SECONDS = 1.0
_AGEING_AFTER_SECONDS = 0.8


class BusinessClock:
    """Remembers one reading of business time and carries it on by the machine's monotonic clock for at most a second.

    What was decided with it names the version of the database's clock, and a Write of another version is refused, so a
    step of the sandbox's clock is never missed.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._read_at = -1e9
        self._business: datetime | None = None
        self._is_read_again = False
        self.version = 0

    def learn(self, business: datetime, version: int) -> None:
        """A reading just made."""
        self._read_at, self._business, self.version = self._monotonic(), business, version
        self._is_read_again = False

    def is_to_be_read_again(self) -> bool:
        """Whether the last reading grows old: said once of each, so that one request reads it anew and no other has to."""
        if self._is_read_again or self._monotonic() - self._read_at < _AGEING_AFTER_SECONDS:
            return False
        self._is_read_again = True
        return True

    def now(self, good_for_seconds: float = _GOOD_FOR_SECONDS) -> datetime | None:
        """Business time, or None when the last reading is too old to be carried on."""
        passed = self._monotonic() - self._read_at
        if self._business is None or passed > good_for_seconds:
            return None
        return self._business + timedelta(seconds=passed)

    def forget(self) -> None:
        """After a refused write: read again."""
        self._business = None
