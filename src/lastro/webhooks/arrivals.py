"""Wakes callers that wait for the feed's next number. One query serves all that wait in this process."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from contextvars import Context
from typing import TYPE_CHECKING

import asyncpg
import structlog

from lastro.core.errors import DatabaseAway, Stale

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Mapping
    from uuid import UUID

LOOK_EVERY_SECONDS = 0.1
UNSEEN_SECONDS = 1.0  # after so long a caller looks by itself, where there is no shared look
_log = structlog.get_logger(__name__)


class Arrivals:
    """The callers that wait for the feed, and their shared look.

    latest: reads the last number of each of some companies; None: there is no shared look, and each caller looks by
    itself. It looks while a caller waits. Thousands of callers cost one statement ten times a second, and no connection.
    """

    def __init__(self, latest: Callable[[Collection[UUID]], Awaitable[Mapping[UUID, int]]] | None = None) -> None:
        self._latest = latest
        self._waiting: defaultdict[UUID, dict[asyncio.Future[None], int]] = defaultdict(dict)
        self._looking: asyncio.Task[None] | None = None
        self.has_ended = False

    def end(self) -> None:
        """Ends all waiting, as this process ends."""
        self.has_ended = True
        for arrived in [one for some in self._waiting.values() for one in some]:
            if not arrived.done():
                arrived.set_result(None)

    @property
    def waiting(self) -> int:
        """The number of waiting callers."""
        return sum(map(len, self._waiting.values()))

    async def later_than(self, company_id: UUID, after: int, seconds: float) -> None:
        """Waits until the company has a number above `after`. It waits so many seconds at most."""
        if self.has_ended:
            return
        if self._latest is None:
            await asyncio.sleep(min(seconds, UNSEEN_SECONDS))
            return
        arrived = asyncio.get_running_loop().create_future()
        self._waiting[company_id][arrived] = after
        if self._looking is None or self._looking.done():
            # For all callers, and not in the slot or the trace of the first.
            self._looking = asyncio.create_task(self._look(self._latest), context=Context())
        try:
            await asyncio.wait((arrived,), timeout=seconds)
        finally:
            del self._waiting[company_id][arrived]
            if not self._waiting[company_id]:
                del self._waiting[company_id]

    async def _look(self, latest: Callable[[Collection[UUID]], Awaitable[Mapping[UUID, int]]]) -> None:
        while self._waiting:
            try:
                numbers = await latest(list(self._waiting))
            except (DatabaseAway, Stale, asyncpg.PostgresError) as away:
                _log.warning("feed.not_seen", reason=str(away)[:200])
                numbers = {}
            for company_id, number in numbers.items():
                for arrived, after in self._waiting.get(company_id, {}).items():
                    if number > after and not arrived.done():
                        arrived.set_result(None)
            await asyncio.sleep(LOOK_EVERY_SECONDS)
