"""Caches business time between two readings of the database's clock."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_GOOD_FOR_SECONDS = 1.0
_AGEING_AFTER_SECONDS = 0.8


class BusinessClock:
    """Caches one reading of business time for at most a second.

    The machine's monotonic clock carries the reading on. Each decision names the version of the database's clock, and a
    Write with another version is refused, so a step of the sandbox's clock is never missed.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._read_at = -1e9
        self._business: datetime | None = None
        self._is_read_again = False
        self.version = 0

    def learn(self, business: datetime, version: int) -> None:
        """Stores a reading just made.

        A reading that several made together counts from the first of them. So each of them decides at a time of its own.
        """
        if (business, version) == (self._business, self.version):
            return
        self._read_at, self._business, self.version = self._monotonic(), business, version
        self._is_read_again = False

    def is_to_be_read_again(self) -> bool:
        """Tells once for each reading that it needs a refresh. So a single request refreshes it."""
        if self._is_read_again or self._monotonic() - self._read_at < _AGEING_AFTER_SECONDS:
            return False
        self._is_read_again = True
        return True

    def now(self, good_for_seconds: float = _GOOD_FOR_SECONDS) -> datetime | None:
        """Returns business time; None if the last reading is too old."""
        passed = self._monotonic() - self._read_at
        if self._business is None or passed > good_for_seconds:
            return None
        return self._business + timedelta(seconds=passed)

    def forget(self) -> None:
        """Drops the reading after a refused Write."""
        self._business = None
