"""A rate limit of this process: so many requests in each minute."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress

_MINUTE = 60.0


class Pace:
    """A pacer of requests. a_minute: at most so many begin in any sixty seconds."""

    def __init__(self, a_minute: int) -> None:
        self._begun: deque[float] = deque(maxlen=a_minute)

    def left(self, now: float) -> float:
        """Returns the seconds until another request may begin; 0: it may now. now: seconds that only go forward."""
        if len(self._begun) < (self._begun.maxlen or 0):
            return 0.0
        return max(self._begun[0] + _MINUTE - now, 0.0)

    def count(self, now: float) -> None:
        """Counts a request that begins now."""
        self._begun.append(now)

    async def turn(self, stop: asyncio.Event) -> None:
        """Waits until the next request may begin, or until stop."""
        clock = asyncio.get_running_loop().time
        while (left := self.left(clock())) > 0 and not stop.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), left)
        self.count(clock())
