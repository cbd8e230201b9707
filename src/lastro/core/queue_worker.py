"""Works on a queue: claims a few rows of each company in turn, and runs each row in a task of its own."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias
from uuid import UUID

from lastro.core import trace, work_queue
from lastro.core.concurrency import TaskPool
from lastro.core.failpoints import failpoint

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable, Iterator

    from asyncpg import Record

    from lastro.core.db import Database
    from lastro.core.ids import Chance
    from lastro.core.notify import Bell

    # The work on a row under its lease; it settles the row, or gives it back, itself.
    Act: TypeAlias = Callable[[Record], Coroutine[None, None, None]]

_OF_ONE_COMPANY = 16  # rows taken at once, so that nobody waits long behind a company with a million


class Reservation:
    """A reservation of task slots in a queue's pool. size: the number of rows."""

    def __init__(self, crew: TaskPool, act: Act, size: int) -> None:
        self._crew = crew
        self._act = act
        self.size = size
        self.left = size

    def start(self, row: Record) -> None:
        """Starts a row that is counted and leased."""
        self.left -= 1
        self._crew.start_reserved(self._act(row))

    def take(self, rows: Iterable[Record]) -> None:
        """Starts rows that their INSERT has counted and leased already."""
        for place, row in enumerate(rows):
            if not place:
                failpoint("lane.claimed")
            self.start(row)


class QueueWorker:
    """Claims due rows and starts them, at most `at_once` at a time."""

    def __init__(
        self, queue: work_queue.Queue, database: Database, work: Database, chance: Chance, act: Act, *, at_once: int
    ) -> None:
        self._lane = queue
        self._database = database
        self._work = work
        self._chance = chance
        self._act = act
        self._crew = TaskPool(at_once)

    async def round(self, bell: Bell | None = None) -> bool:
        """Starts a few rows of each company that has some; whether to look again at once. DatabaseAway: try again later.

        bell: where it names companies, these alone are looked at, and named again where they may have more.
        """
        await self._crew.room()
        named = [] if bell is None else bell.take()
        companies = named or await work_queue.find(self._work, self._lane.find_sql)
        share = max(1, min(_OF_ONE_COMPANY, self._crew.free // max(1, len(companies))))
        started = False
        for company_id in companies:
            await self._crew.room()
            token = UUID(bytes=self._chance.bytes(16))
            with self.room(share) as room:
                rows = await work_queue.claim(self._database, self._lane, company_id, token, room.size)
                for row in rows:
                    room.start(row)
                    started = True
                if bell is not None and named and len(rows) == room.size:
                    bell.name(company_id)
        return started and not named

    @property
    def first_sql(self) -> str:
        """The statement that reads this queue's longest due rows, at most $1."""
        return self._lane.first_sql

    @property
    def free(self) -> int:
        """The number of rows that may be started now."""
        return self._crew.free

    @contextmanager
    def room(self, most: int) -> Iterator[Reservation]:
        """Reserves room for up to `most` rows before they are leased. A row that waits for room waits its lease out."""
        kept = Reservation(self._crew, self._traced, self._crew.reserve(most))
        try:
            yield kept
        finally:
            self._crew.give_back(kept.left)

    async def _traced(self, row: Record) -> None:
        trace.take_up(str(row[self._lane.key]), row["company_id"])
        await self._act(row)

    async def rest(self) -> None:
        """Returns when everything that was started has ended."""
        await self._crew.rest()

    async def drain(self) -> None:
        """Works until nothing is due."""
        while await self.round():
            await self.rest()
