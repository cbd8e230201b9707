"""Limits callers' request rates with evenly filling buckets in memory.

Each process counts for itself, so that a caller of n processes has n times as much; a count in the database would cost every
request a write.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_REMEMBERED = 100_000  # callers; the one that was longest silent is forgotten first, and is then as if it had been silent

_ROUNDING_SECONDS = 1e-4  # the error of many sums; nobody has earned a request with it


@dataclass(frozen=True, slots=True)
class Taken:
    """The rest of a bucket after one request. limit: requests a minute. retry_after_seconds: set if it was one too many."""

    limit: int
    remaining: int
    reset_seconds: int
    retry_after_seconds: int | None = None

    def headers(self) -> tuple[tuple[bytes, bytes], ...]:
        """Returns the headers RateLimit-Limit, -Remaining and -Reset. Reset is seconds until all are there again."""
        return (
            (b"ratelimit-limit", b"%d" % self.limit),
            (b"ratelimit-remaining", b"%d" % self.remaining),
            (b"ratelimit-reset", b"%d" % self.reset_seconds),
        )


class Limits:
    """Rate limits of callers and companies.

    per_minute: the default of a caller. of_company: all callers of a company together, or as much as one of them has if that
    is more. monotonic: machine seconds.
    """

    def __init__(self, per_minute: int, monotonic: Callable[[], float], of_company: int = 0) -> None:
        self._per_minute = per_minute
        self._of_company = of_company
        self._monotonic = monotonic
        # The time at which a caller's bucket is full again: all that the generic cell rate algorithm has to know of it.
        self._full_at: OrderedDict[str, float] = OrderedDict()

    def take(self, caller: str, per_minute: int | None = None, within: str | None = None) -> Taken:
        """Counts one request of a caller.

        within: the company that it belongs to; its callers share a bucket of their own. A request that finds either bucket
        empty counts in neither; the result is the rest of the scarcer one.
        """
        limit, now = per_minute or self._per_minute, self._monotonic()
        buckets = [(f"client {caller}", limit)]
        if within is not None:
            buckets.append((f"company {within}", max(limit, self._of_company)))
        asked = [self._asked(name, of_minute, now) for name, of_minute in buckets]
        refused = [one for one, _ in asked if one.retry_after_seconds is not None]
        if refused:
            return max(refused, key=lambda one: one.retry_after_seconds or 0)
        for (name, _), (_, full_at) in zip(buckets, asked, strict=True):
            self._full_at[name] = full_at
            self._full_at.move_to_end(name)
        while len(self._full_at) > _REMEMBERED:
            self._full_at.popitem(last=False)
        return min((one for one, _ in asked), key=lambda one: one.remaining)

    def _asked(self, name: str, limit: int, now: float) -> tuple[Taken, float]:
        """Returns a bucket after one more request, and its time of full."""
        each = 60.0 / limit
        full_at = max(self._full_at.get(name, now), now) + each
        missing = full_at - now  # seconds until full: a minute of them is an empty bucket
        if missing > 60.0 + _ROUNDING_SECONDS:
            return Taken(limit, 0, _whole(missing - each), max(1, _whole(missing - 60.0))), full_at
        return Taken(limit, max(0, int((60.0 - missing) / each + 0.001)), _whole(missing)), full_at


def _whole(seconds: float) -> int:
    """Rounds seconds up."""
    return math.ceil(seconds - _ROUNDING_SECONDS)
