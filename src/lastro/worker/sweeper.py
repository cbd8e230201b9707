"""Which lanes have something due, by one statement for all of them.

Each lane could look for itself. But most of them find nothing most of the time, and sixty statements a second that find
nothing cost a worker and its database a twentieth of a core, day and night.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio

    from lastro.core.db import Database


class Sweeper:
    """Looks for all lanes that ask it to, and wakes those that have something to do."""

    def __init__(self, work: Database) -> None:
        self._work = work
        self._wakes: list[asyncio.Event] = []
        self._looks: list[str] = []

    def watch(self, wake: asyncio.Event, *due_sql: str) -> asyncio.Event:
        """Sets the event, which it gives back, whenever one of these SELECTs gives a row. $1 in them: how many at most.

        Each gives what is due by the order of its index, and keeps that order: as a mere question whether there is
        anything it would be planned to come upon something soon, in any order, and walk the table where nothing is due.
        """
        for sql in due_sql:
            self._wakes.append(wake)
            first = sql.replace("$1", "1")
            self._looks.append(f"SELECT {len(self._looks)} AS lane FROM ({first}) due")  # noqa: S608 a statement of our own
        return wake

    @property
    def sql(self) -> str:
        """All of them: the number of each lane that has something due."""
        return " UNION ALL ".join(self._looks)

    async def round(self) -> bool:
        """Looks once. DatabaseAway: try again later."""
        if self._looks:
            async with self._work.session() as session:
                rows = await session.fetch(self.sql)
            for row in rows:
                self._wakes[row["lane"]].set()
        return False  # whoever was woken looks again as long as there is something
