"""Queues requests per caller, so that no caller waits for another's many."""

from __future__ import annotations

import math
from collections import Counter, OrderedDict, deque
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Final, Generic, TypeAlias, TypeVar, cast
from uuid import UUID

if TYPE_CHECKING:
    from collections.abc import Iterable, KeysView, Mapping

    from lastro.config.load import Bounds

T = TypeVar("T")
K = TypeVar("K")
# A company, once a good token has named it, else the address that asks.
Who: TypeAlias = UUID | str


class _Unknown(Enum):
    YET = "yet"


_UNKNOWN: Final = _Unknown.YET
_BY_CHANCE = 3  # so many more than another one has by chance where many ask alike, in a line that is long enough
_LONG_ENOUGH = 8  # for each of these
_PACE_SECONDS = 0.25  # so long it is counted how many are served, before that says how fast they are
_RARELY = 8  # times lately
_NEARLY = 0.9  # of the time that one may wait
_LATELY_SECONDS = 0.5  # recent rejections are remembered for at least so long, and twice as long at most
_IN_TIME = 0.5  # of the time that one may wait is what the last of a line should need, so that hardly anybody is late


def has_far_less(mine: int, longest: int, by_chance: int = _BY_CHANCE) -> bool:
    """Tells whether mine is far shorter than the longest, beyond chance.

    With one more it has at most half; then one of the longest is evicted for it. To evict a waiter costs several times what
    an early rejection costs, and if all have about as many it helps nobody: of many equal callers the longest has three or
    four by chance, and others none.
    """
    return 2 * (mine + 1) + by_chance <= longest


def turn_of(who: Who) -> UUID | None:
    """Returns the turn of a caller: the company, or None, which all addresses share, since it is easy to have many."""
    return who if isinstance(who, UUID) else None


@dataclass(slots=True)
class _Waiting(Generic[T]):
    """The waiting requests of one caller: new ones, and those that come back."""

    new: deque[tuple[float, T]] = field(default_factory=deque)
    back: deque[T] = field(default_factory=deque)


def _fewest(keys: Iterable[K], counts: Mapping[K, int]) -> K:
    """Returns the first key with the lowest count."""
    found: K | None = None
    fewest = math.inf
    for key in keys:
        count = counts.get(key, 0)
        if not count:
            return key
        if count < fewest:
            found, fewest = key, count
    return cast("K", found)


class RecentRejections:
    """Counts recent rejections by turn.

    Of many equal callers some have far less in the queue by chance. To evict another for them costs as much as a third of a
    served request, and helps nobody: a moment later they are the ones evicted.
    """

    def __init__(self) -> None:
        self.turned_away: Counter[UUID | None] = Counter()
        self._before: Counter[UUID | None] = Counter()
        self._until = 0.0

    def is_beside(self, turn: UUID | None, other: UUID | None) -> bool:
        """Tells whether a turn is rejected rarely, or half as often. Then it sends less than the other, not by chance."""
        mine = self._lately(turn)
        return turn == other or mine < _RARELY or 2 * mine <= self._lately(other)

    def look(self, now: float) -> None:
        """Forgets what is older than two lengths of what counts as lately. now: monotonic seconds."""
        if now >= self._until:
            if now >= self._until + _LATELY_SECONDS:
                self.turned_away.clear()  # nobody has looked for long, since nobody waited
            self._before, self.turned_away = self.turned_away, self._before
            self.turned_away.clear()
            self._until = now + _LATELY_SECONDS

    def _lately(self, turn: UUID | None) -> int:
        return self.turned_away[turn] + self._before[turn]


class FairQueue(Generic[T]):
    """A fair queue of requests, by caller. All times are monotonic seconds.

    Each caller's are served in order. A request that comes back is served before new ones of the same caller; it never times
    out and does not count in `length`.
    """

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        # In both whoever was served last is last.
        self._turns: OrderedDict[UUID | None, OrderedDict[Who, _Waiting[T]]] = OrderedDict()
        self._standing_since: float | None = None
        self._pace = 0.0  # seconds from one that is served to the next, while others wait; 0: not known yet
        self._served, self._counted_since = 0, 0.0
        self._new: Counter[UUID | None] = Counter()  # waiting requests of each turn, so that a rejection counts nothing
        self._longest: UUID | _Unknown | None = _UNKNOWN
        self.length = 0

    @property
    def is_empty(self) -> bool:
        """True if no request waits or comes back."""
        return not self._turns

    def join(self, who: Who, item: T, now: float) -> None:
        """Adds a waiting request."""
        turn = turn_of(who)
        self._turns.setdefault(turn, OrderedDict()).setdefault(who, _Waiting()).new.append((now, item))
        self._new[turn] += 1
        if self._longest is not _UNKNOWN and self._weight(turn) > self._weight(self._longest):
            self._longest = turn
        self.length += 1
        if self._standing_since is None:
            self._standing_since = self._counted_since = now

    def come_back(self, who: Who, item: T) -> None:
        """Adds a request that comes back. Its turn, if it was empty, goes first among equals: half of its work is done."""
        turn, is_first = turn_of(who), turn_of(who) not in self._turns
        self._turns.setdefault(turn, OrderedDict()).setdefault(who, _Waiting()).back.append(item)
        if is_first:
            self._turns.move_to_end(turn, last=False)

    def is_hurried(self, now: float) -> bool:
        """Tells whether the queue has been occupied for longer than a burst."""
        return self._standing_since is not None and now - self._standing_since > self._bounds.patience_seconds

    def room(self, now: float) -> int:
        """Returns how many may wait: those who would be served in time.

        To evict a request that waited in vain costs several times what an early rejection costs: on a slow machine as many
        as wait on a fast one would be late, most of them, and more work goes into rejections than into answers.
        """
        limit = self._bounds.hurried_seconds if self.is_hurried(now) else self._bounds.patience_seconds
        if self._pace * self._bounds.waiting <= limit * _IN_TIME:
            return self._bounds.waiting
        return max(1, int(limit * _IN_TIME / self._pace))

    def is_late(self, turn: UUID | None, now: float) -> bool:
        """Tells whether one more of a company would time out. It may in a hurry, if all others keep asking: they take turns.

        The first of its own is served next and never late; nor are addresses, each of which has its own turn among all.
        """
        if turn is None:
            return False
        own = self._new.get(turn, 0)
        waits_seconds = (own + 1) * len(self._new) * self._pace
        return own > 0 and self.is_hurried(now) and waits_seconds > self._bounds.hurried_seconds * _NEARLY

    def of(self, who: Who) -> int:
        """Returns how many requests of a caller wait."""
        waiting = self._waiting(who)
        return 0 if waiting is None else len(waiting.new)

    def callers(self) -> frozenset[Who]:
        """Returns the callers with waiting or returning requests."""
        return frozenset(who for callers in self._turns.values() for who in callers)

    def turns(self) -> KeysView[UUID | None]:
        """Returns the turns in the queue: companies, and None for addresses."""
        return self._turns.keys()

    def loser(self, who: Who, coming: int = 0) -> Who | None:
        """Returns the caller whose oldest request yields to one of `who`.

        It applies if the queue is full; None: no caller has far more there. coming: how many of theirs were let in and are
        not in the queue yet. Addresses count together beside a company, and lose if they have as many; among themselves each
        counts by itself.
        """
        if not self.length:
            return None
        if self._longest is _UNKNOWN:
            self._longest = max(self._new, key=self._weight)
        longest, mine = self._longest, turn_of(who)
        by_chance = min(_BY_CHANCE, self.length // _LONG_ENOUGH)
        if mine != longest:
            has_less = has_far_less(self._new.get(mine, 0) + coming, self._new[longest], by_chance)
            return max(self._turns[longest], key=self.of) if has_less else None
        if mine is not None:
            return None  # nobody has more than itself
        most = max(self._turns[None], key=self.of)
        return most if has_far_less(self.of(who) + coming, self.of(most), by_chance) else None

    def next(self, under_way: Mapping[Who, int], at_work: Mapping[UUID | None, int]) -> tuple[Who, T] | None:
        """Takes a request of the caller with the fewest under way. Among equals it is the one served longest ago.

        at_work: the same as under_way, by turn.
        """
        if not self._turns:
            return None
        turn = _fewest(self._turns, at_work)
        callers = self._turns[turn]
        who = _fewest(callers, under_way)
        callers.move_to_end(who)
        self._turns.move_to_end(turn)
        self._served += 1
        waiting = callers[who]
        if waiting.back:
            item = waiting.back.popleft()
            self._tidy(who)
        else:
            _, item = waiting.new.popleft()
            self._shorter(who)
        return who, item

    def drop_oldest(self, who: Who) -> T:
        """Takes the one of them out that has waited longest."""
        _, item = self._turns[turn_of(who)][who].new.popleft()
        self._shorter(who)
        return item

    def drop(self, who: Who, item: T) -> None:
        """Takes one out that waits no longer."""
        waiting = self._waiting(who)
        if waiting is None:
            return
        if item in waiting.back:
            waiting.back.remove(item)
            self._tidy(who)
            return
        for entry in waiting.new:
            if entry[1] == item:
                waiting.new.remove(entry)
                self._shorter(who)
                return

    def stale(self, now: float) -> list[tuple[Who, T]]:
        """Removes and returns all that have waited too long.

        It is called often, and measures the pace too. In a hurry the callers that fill the queue get the shorter time: a
        company that has far less there would be served next, and gets the whole time. It then waits for a stall of the
        machine, not for a queue.
        """
        if self._standing_since is not None and now - self._counted_since >= _PACE_SECONDS:
            self._pace = (now - self._counted_since) / max(1, self._served)
            self._served, self._counted_since = 0, now
        is_hurried, found = self.is_hurried(now), []
        everybody = [each for callers in self._turns.values() for each in callers.items()]
        # All are judged before any is taken out: of whom the line was made is seen no longer then.
        crowding = [who for who, _ in everybody if is_hurried and not self._is_quiet(who)]
        for who, waiting in everybody:
            limit = self._bounds.hurried_seconds if who in crowding else self._bounds.patience_seconds
            while waiting.new and now - waiting.new[0][0] > limit:
                found.append((who, self.drop_oldest(who)))
        if is_hurried and self.length and not any(self.of(who) for who in crowding):
            self._standing_since = now  # nobody is left who made the hurry
        return found

    def _is_quiet(self, who: Who) -> bool:
        """Tells whether a waiting company would evict another's request here. It would if the queue were full."""
        return isinstance(who, UUID) and self.loser(who, -1) is not None

    def _weight(self, turn: UUID | None) -> tuple[int, bool]:
        """Returns the length of a turn, for comparison. Addresses come before a company that has as many."""
        return self._new[turn], turn is None

    def _waiting(self, who: Who) -> _Waiting[T] | None:
        callers = self._turns.get(turn_of(who))
        return None if callers is None else callers.get(who)

    def _shorter(self, who: Who) -> None:
        turn = turn_of(who)
        self._new[turn] -= 1
        if not self._new[turn]:
            del self._new[turn]
        if turn == self._longest:
            self._longest = _UNKNOWN
        self.length -= 1
        self._tidy(who)
        if not self.length:
            self._standing_since = None
            self._served, self._pace = 0, 0.0

    def _tidy(self, who: Who) -> None:
        callers = self._turns[turn_of(who)]
        if not callers[who].new and not callers[who].back:
            del callers[who]
        if not callers:
            del self._turns[turn_of(who)]
