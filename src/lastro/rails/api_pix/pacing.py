"""Rate limit of requests to a bank, which adapts to its 429."""

from __future__ import annotations

_MINUTE = 60.0
_BURST_SECONDS = 10.0  # what may come at once: so many seconds' worth
_LEAST_SHARE = 1 / 64
_SAME_SECONDS = 1.0  # answers that come together are one warning


class AdaptivePace:
    """A token bucket of so many requests a minute. It is halved by each 429, and doubles with every minute without one."""

    def __init__(self, a_minute: int) -> None:
        self._full = float(a_minute)
        self._share = 1.0
        self._changed = 0.0
        self._left = self._capacity
        self._at = 0.0

    @property
    def a_minute(self) -> float:
        """The present limit of requests a minute."""
        return self._full * self._share

    @property
    def _capacity(self) -> float:
        return max(1.0, self.a_minute / _MINUTE * _BURST_SECONDS)

    def take(self, now: float) -> float:
        """Takes a place, and returns the seconds until it may be used. now: seconds that only go forward."""
        self._grow(now)
        self._left = min(self._capacity, self._left + (now - self._at) * self.a_minute / _MINUTE)
        self._at = now
        self._left -= 1
        return max(0.0, -self._left / self.a_minute * _MINUTE)

    def give_back(self) -> None:
        """Returns a place that was not used."""
        self._left += 1

    def halve(self, now: float) -> None:
        """Slows down: the bank says that it was asked too often."""
        if self._share < 1.0 and now - self._changed < _SAME_SECONDS:
            return
        self._share = max(_LEAST_SHARE, self._share / 2)
        self._changed = now
        self._left = min(self._left, self._capacity)

    def _grow(self, now: float) -> None:
        while self._share < 1.0 and now - self._changed >= _MINUTE:
            self._share *= 2
            self._changed += _MINUTE
