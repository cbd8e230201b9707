"""Limits concurrent requests, queues a few more and rejects the rest.

A rejected request is answered at once. Slots go to the company that has the fewest, so that a company that sends ten times
as much waits for itself.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Self
from uuid import UUID

import structlog

from lastro.core import concurrency_slot
from lastro.core.errors import Kind, Refused
from lastro.web.fair_queue import FairQueue, RecentRejections, turn_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from lastro.config.load import Bounds
    from lastro.web.fair_queue import Who

# Asked by those who watch: they must have an answer when nobody else has one.
WATCHED = frozenset({"/health", "/live", "/metrics"})
_SPREAD_SECONDS = 3  # a rejected client retries within 1 to 3 s, not all in the same one
_LOOK_SECONDS = 0.02  # so often it is looked who has waited too long


_log = structlog.get_logger(__name__)


class TurnedAway(Exception):  # noqa: N818 it says what became of it
    """No slot was free in time, and nothing was done. refused: the answer to the caller."""

    def __init__(self, refused: Refused) -> None:
        super().__init__(refused)
        self.refused = refused


class Admission:
    """The concurrency slots of one process.

    who: returns the caller of a request by its head alone. turned_away: rejections by kind.
    """

    def __init__(self, bounds: Bounds, monotonic: Callable[[], float], who: Callable[[Any], Who] = lambda _: "") -> None:
        self.bounds = bounds
        self.under_way: Counter[Who] = Counter()
        self._turns: Counter[UUID | None] = Counter()  # the same by whose turn it is
        self.taken = 0
        self.turned_away: Counter[Kind] = Counter()
        self.who = who
        self._monotonic = monotonic
        self._line: FairQueue[asyncio.Future[None]] = FairQueue(bounds)
        self._looking: asyncio.TimerHandle | None = None
        # Since the last look, for another's place: their bodies are on the way.
        self._let_in: Counter[UUID | None] = Counter()
        self._shut: dict[Who, Kind] = {}  # rejected since then, and again without another look
        self._crowd = RecentRejections()
        self._told, self._tell_at = 0, 0.0

    @property
    def waiting(self) -> int:
        """The number of requests that wait for a slot."""
        return self._line.length

    def admit(self, scope: Any) -> Refused | None:
        """Rejects a request by its head alone; None: it may begin. This is cheap, and so comes early."""
        now = self._monotonic()
        has_room = self._line.length < self._line.room(now) + max(0, self.bounds.at_once - self.taken)
        if has_room and not self._line.is_hurried(now):
            return None
        who = self.who(scope)
        turn = turn_of(who)
        if has_room:
            return self._away(who) if self._line.is_late(turn, now) else None
        if (kind := self._shut.get(who)) is not None:
            return self._away(who, kind)
        loser = self._line.loser(who, self._let_in[turn])
        if loser is not None and self._crowd.is_beside(turn, turn_of(loser)):
            self._let_in[turn] += 1
            return None
        kind = self._shut[who] = self._kind(who)
        self._look_later()
        return self._away(who, kind)

    def place(self, who: Who) -> RequestSlot:
        """Returns a slot for the length of an `async with`. TurnedAway: none is free."""
        return RequestSlot(self, who)

    async def take(self, who: Who) -> None:
        """Returns when one more of theirs is under way. TurnedAway: none was free in time."""
        if self.taken < self.bounds.at_once and self._line.is_empty:
            self._grant(who)
            return
        loser, now = None, self._monotonic()
        if self._line.length >= self._line.room(now) and (loser := self._line.loser(who)) is None:
            raise TurnedAway(self._away(who))
        granted = asyncio.get_running_loop().create_future()
        self._line.join(who, granted, now)
        if loser is not None:
            self._tell_away(loser, self._line.drop_oldest(loser))
        self._look_later()
        await self._granted(who, granted)

    async def take_again(self, who: Who) -> None:
        """Takes a slot again for a request that gave its own away.

        It goes before its caller's others, and is not rejected.
        """
        if self.taken < self.bounds.at_once:
            self._grant(who)
            return
        granted = asyncio.get_running_loop().create_future()
        self._line.come_back(who, granted)
        await self._granted(who, granted)

    def give_back(self, who: Who) -> None:
        """Gives a slot back."""
        turn = turn_of(who)
        self.taken -= 1
        self.under_way[who] -= 1
        if not self.under_way[who]:
            del self.under_way[who]
        self._turns[turn] -= 1
        if not self._turns[turn]:
            del self._turns[turn]
        self._go_on()

    async def _granted(self, who: Who, granted: asyncio.Future[None]) -> None:
        try:
            await granted
        except asyncio.CancelledError:
            if granted.done() and not granted.cancelled() and granted.exception() is None:
                self.give_back(who)
            else:
                self._line.drop(who, granted)
            raise

    def _grant(self, who: Who) -> None:
        self.taken += 1
        self.under_way[who] += 1
        self._turns[turn_of(who)] += 1

    def _go_on(self) -> None:
        """Gives what is free to who waits."""
        while self.taken < self.bounds.at_once:
            found = self._line.next(self.under_way, self._turns)
            if found is None:
                return
            who, granted = found
            if not granted.done():  # it has just hung up
                self._grant(who)
                granted.set_result(None)

    def _look_later(self) -> None:
        if self._looking is None:
            self._looking = asyncio.get_running_loop().call_later(_LOOK_SECONDS, self._look)

    def _look(self) -> None:
        self._looking = None
        self._let_in.clear()
        self._shut.clear()
        now = self._monotonic()
        for who, waiting in self._line.stale(now):
            self._tell_away(who, waiting)
        self._crowd.look(now)
        if self._line.length:
            self._look_later()

    def _tell_away(self, who: Who, waiting: asyncio.Future[None]) -> None:
        if not waiting.done():
            waiting.set_exception(TurnedAway(self._away(who)))

    def _tell(self) -> None:
        """Logs rejections, one line a second at most. A line for each would cost more than a rejection."""
        now = self._monotonic()
        if now >= self._tell_at:
            total = self.turned_away.total()
            _log.warning("requests.turned_away", count=total - self._told)
            self._told, self._tell_at = total, now + 1.0

    def _kind(self, who: Who) -> Kind:
        """Returns the kind of a rejection: 429 for a company above its fair share, 503 for a total that is too high."""
        return Kind.TOO_MANY if isinstance(who, UUID) and self._is_greedy(who) else Kind.UNAVAILABLE

    def _away(self, who: Who, kind: Kind | None = None) -> Refused:
        kind = kind or self._kind(who)
        self.turned_away[kind] += 1
        self._crowd.turned_away[turn_of(who)] += 1
        self._tell()
        return _refused(kind, 1 + self.turned_away.total() % _SPREAD_SECONDS)

    def _is_greedy(self, company: UUID) -> bool:
        """Tells whether a company exceeds its fair share beside others."""
        its_own, of_all = self._line.of(company) + self.under_way[company] + 1, self._line.length + self.taken + 1
        waiting, at_work = self._line.turns(), self._turns.keys()
        # At least so many there are, and most often that decides it; to count them costs more than to turn one away.
        if (sure := max(len(waiting), len(at_work))) > 1 and its_own * sure > of_all:
            return True
        everybody = len(waiting | at_work | {company})
        return everybody > 1 and its_own * everybody > of_all


class RequestSlot:
    """A request's slot, held inside the `with`. It is given back meanwhile if the request waits for others."""

    __slots__ = ("_admission", "_aside", "_has_ended", "_is_held", "_is_returning", "_who")

    def __init__(self, admission: Admission, who: Who) -> None:
        self._admission = admission
        self._who = who
        self._aside = 0  # the number of its tasks that wait for others
        self._is_held = self._is_returning = self._has_ended = False

    async def __aenter__(self) -> Self:
        await self._admission.take(self._who)
        self._is_held = True
        concurrency_slot.hold(self)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._has_ended = True
        self._let_go()

    def give_up(self) -> None:
        """Stops counting a waiting task that is cancelled."""
        self._aside -= 1

    def leave(self) -> None:
        """Frees the slot until each call has its come_back."""
        self._aside += 1
        self._let_go()

    async def come_back(self) -> None:
        """Takes a slot again once none of its tasks waits."""
        self._aside -= 1
        if self._aside or self._is_held or self._is_returning or self._has_ended:
            return
        self._is_returning = True
        try:
            await self._admission.take_again(self._who)
        finally:
            self._is_returning = False
        self._is_held = True
        if self.has_ended:
            self._let_go()

    @property
    def has_ended(self) -> bool:
        """True if the request is over. One of its tasks may still wait then."""
        return self._has_ended

    def _let_go(self) -> None:
        if self._is_held:
            self._is_held = False
            self._admission.give_back(self._who)


@lru_cache(maxsize=2 * _SPREAD_SECONDS)
def _refused(kind: Kind, seconds: int) -> Refused:
    return Refused(kind, retry_after_seconds=seconds)
