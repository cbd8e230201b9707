"""Those who wait for a place, apart by who asks, so that nobody waits for another's many."""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar
from uuid import UUID

if TYPE_CHECKING:
    from collections.abc import Mapping

T = TypeVar("T")
# A company, once a good token has named it, else the address that asks.
Who: TypeAlias = UUID | str


@dataclass(frozen=True, slots=True)
class Bounds:
    """at_once: requests that are worked on at a time; waiting: that wait for it.

    patience_seconds: one waits so long at most, and hurried_seconds once somebody has always waited for as long as that:
    then it is no burst but too much, and who waits longer would be answered late for ever (controlled delay).
    """

    at_once: int = 32
    waiting: int = 64
    patience_seconds: float = 0.5
    hurried_seconds: float = 0.1


class Line(Generic[T]):
    """Those who wait, apart by who asks. All times are monotonic seconds.

    In a hurry the newest of each is served first: the oldest is the likeliest to be given up by its caller, or by us.
    """

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._of: OrderedDict[Who, deque[tuple[float, T]]] = OrderedDict()  # whoever was served last is last
        self._standing_since: float | None = None
        self.length = 0

    def join(self, who: Who, item: T, now: float) -> None:
        """One more waits."""
        self._of.setdefault(who, deque()).append((now, item))
        self.length += 1
        if self._standing_since is None:
            self._standing_since = now

    def is_hurried(self, now: float) -> bool:
        """Whether somebody has waited all the time for longer than a burst lasts."""
        return self._standing_since is not None and now - self._standing_since > self._bounds.patience_seconds

    def of(self, who: Who) -> int:
        """How many of one wait."""
        return len(self._of.get(who, ()))

    def callers(self) -> frozenset[Who]:
        """Of whom any wait."""
        return frozenset(self._of)

    def longest(self) -> Who | None:
        """Of whom the most wait; None: nobody waits."""
        return max(self._of, key=self.of, default=None)

    def next(self, under_way: Mapping[Who, int], now: float) -> tuple[Who, T] | None:
        """Takes one of whoever has the fewest under way; among equals, of whoever was served longest ago."""
        if not self._of:
            return None
        who = min(self._of, key=lambda each: under_way.get(each, 0))
        waiting = self._of[who]
        _, item = waiting.pop() if self.is_hurried(now) else waiting.popleft()
        self._of.move_to_end(who)
        self._shorter(who)
        return who, item

    def drop_oldest(self, who: Who) -> T:
        """Takes the one of them out that has waited longest."""
        _, item = self._of[who].popleft()
        self._shorter(who)
        return item

    def drop(self, who: Who, item: T) -> None:
        """Takes one out that waits no longer."""
        waiting = self._of.get(who, deque())
        for entry in waiting:
            if entry[1] == item:
                waiting.remove(entry)
                self._shorter(who)
                return

    def stale(self, now: float) -> list[tuple[Who, T]]:
        """Takes all out that have waited too long."""
        limit = self._bounds.hurried_seconds if self.is_hurried(now) else self._bounds.patience_seconds
        found = []
        for who in list(self._of):
            while who in self._of and now - self._of[who][0][0] > limit:
                found.append((who, self.drop_oldest(who)))
        return found

    def _shorter(self, who: Who) -> None:
        self.length -= 1
        if not self._of[who]:
            del self._of[who]
        if not self.length:
            self._standing_since = None
