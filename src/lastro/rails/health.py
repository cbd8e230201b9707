"""A partner's health, derived from the results of sendings to it.

It is down after some failures in a row, and up again with the first success.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import structlog

if TYPE_CHECKING:
    from collections.abc import Callable

    from asyncpg import Record

    from lastro.core.db import Database
    from lastro.core.work_queue import Worked

FAILURES: Final = 5  # in a row, and
FOR_SECONDS: Final = 30.0  # from the first of them to the last: a partner that is started anew is not away
_SAY_AGAIN_SECONDS = 10.0  # another worker may have seen it away, and see no more of it
# Every server of a spread database has the row: so it is written only where it changes, with a time that was read before.
_STATE = "SELECT business_now() AS now, EXISTS (SELECT FROM partner_states WHERE rail = $1 AND is_down) AS is_down"
_BECAME = """
INSERT INTO partner_states AS s (rail, is_down, changed_at) VALUES ($1, true, $2)
ON CONFLICT (rail) DO UPDATE SET is_down = true, changed_at = excluded.changed_at WHERE NOT s.is_down RETURNING 1
"""
_IS_BACK = "UPDATE partner_states SET is_down = false, changed_at = $2 WHERE rail = $1 AND is_down RETURNING 1"
_UNSENT = frozenset({"held_back", "withdrawn"})
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Streak:
    """Failed sendings in a row. since: the end of the first of them, in seconds of any clock."""

    failures: int = 0
    since: float = 0.0

    def after(self, outcome: str, at: float) -> Streak:
        """Returns the streak after one more sending.

        outcome: as the outbox calls it; a row that was held back or withdrawn says nothing.
        """
        if outcome in _UNSENT:
            return self
        if outcome != "not_sent":
            return Streak()  # taken or refused: it is there
        return Streak(self.failures + 1, at if self.failures == 0 else self.since)

    def says(self, at: float) -> Literal["up", "down"] | None:
        """Returns the partner's state; None: nothing is known yet."""
        if self.failures == 0:
            return "up"
        return "down" if self.failures >= FAILURES and at - self.since >= FOR_SECONDS else None


class Health:
    """Hears the results of sendings to one partner, and stores each change.

    rail: the partner's. clock: seconds, never back.
    """

    def __init__(self, database: Database, rail: str, clock: Callable[[], float]) -> None:
        self._database = database
        self._rail = rail
        self._clock = clock
        self._streak = Streak()
        self._said: tuple[str, float] | None = None
        self._has_news = False
        self.bell = asyncio.Event()  # rung where there may be something to write down

    def on_worked(self, done: Worked) -> None:
        """Counts a sending that has ended."""
        if done.outcome not in _UNSENT:
            self._streak = self._streak.after(done.outcome, self._clock())
            self._has_news = True
            self.bell.set()

    async def write_down(self) -> bool:
        """Writes a changed state; False, since there is never more of it. DatabaseAway: it is tried again."""
        if not self._has_news:
            return False
        now = self._clock()
        says = self._streak.says(now)
        is_new = self._said is None or self._said[0] != says or now - self._said[1] >= _SAY_AGAIN_SECONDS
        if says is None or not is_new:
            self._has_news = False
            return False
        async with self._database.session() as session:
            state = await session.row(_STATE, self._rail)
            assert state is not None
            turned: list[Record] = []
            if state["is_down"] is (says == "up"):
                turned = await session.fetch(_BECAME if says == "down" else _IS_BACK, self._rail, state["now"])
        self._has_news, self._said = False, (says, now)
        if turned and says == "down":
            _log.error("partner.down", rail=self._rail, failures=self._streak.failures)
        elif turned:
            _log.info("partner.up", rail=self._rail)
        return False
