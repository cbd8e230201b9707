"""How many requests a caller has: a bucket for each that fills evenly, in the memory of this process.

Each process counts for itself, so that a caller of n processes has n times as much; a count in the database would cost
every request a write.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_REMEMBERED = 100_000  # callers; the one that was longest silent is forgotten first, and is then as if it had been silent

_ROUNDING_SECONDS = 1e-4  # what many sums may be off by; nobody has earned a request with it


@dataclass(frozen=True, slots=True)
class Taken:
    """What one request leaves. limit: requests a minute. retry_after_seconds: it was one too many, come then."""

    limit: int
    remaining: int
    reset_seconds: int
    retry_after_seconds: int | None = None

    def headers(self) -> tuple[tuple[bytes, bytes], ...]:
        """RateLimit-Limit, -Remaining and -Reset (seconds until all are there again)."""
        return (
            (b"ratelimit-limit", b"%d" % self.limit),
            (b"ratelimit-remaining", b"%d" % self.remaining),
            (b"ratelimit-reset", b"%d" % self.reset_seconds),
        )


class Limits:
    """per_minute: what every caller has that has no number of its own. monotonic: machine seconds."""

    def __init__(self, per_minute: int, monotonic: Callable[[], float]) -> None:
        self._per_minute = per_minute
        self._monotonic = monotonic
        # When a caller's bucket is full again: the only thing that has to be known of it (the generic cell rate algorithm).
        self._full_at: OrderedDict[str, float] = OrderedDict()

    def take(self, caller: str, per_minute: int | None = None) -> Taken:
        """Counts one request of a caller."""
        limit = per_minute or self._per_minute
        now, each = self._monotonic(), 60.0 / limit
        full_at = max(self._full_at.get(caller, now), now) + each
        missing = full_at - now  # seconds until full: a minute of them is an empty bucket
        if missing > 60.0 + _ROUNDING_SECONDS:
            return Taken(limit, 0, _whole(missing - each), max(1, _whole(missing - 60.0)))
        self._full_at[caller] = full_at
        self._full_at.move_to_end(caller)
        if len(self._full_at) > _REMEMBERED:
            self._full_at.popitem(last=False)
        return Taken(limit, max(0, int((60.0 - missing) / each + 0.001)), _whole(missing))


def _whole(seconds: float) -> int:
    """Whole seconds, rounded up."""
    return math.ceil(seconds - _ROUNDING_SECONDS)
