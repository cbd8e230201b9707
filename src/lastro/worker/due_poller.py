"""The poller of due rows: one statement that finds the queues with some.

Each queue could look for itself. But most of them find nothing most of the time, and sixty statements a second that find
nothing cost a worker and its database a twentieth of a core, day and night.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio

    from lastro.core.db import Database


class DuePoller:
    """Polls for all registered queues, and wakes those with due rows."""

    def __init__(self, work: Database) -> None:
        self._work = work
        self._wakes: list[asyncio.Event] = []
        self._looks: list[str] = []

    def watch(self, wake: asyncio.Event, *due_sql: str) -> asyncio.Event:
        """Sets and returns the event, whenever a SELECT gives a row.

        $1 in them: how many at most. Each gives due rows by the order of its index, and keeps that order: a mere EXISTS
        would be planned to come upon something soon, in any order, and walk the table where nothing is due.
        """
        for sql in due_sql:
            self._wakes.append(wake)
            first = sql.replace("$1", "1")
            self._looks.append(f"SELECT {len(self._looks)} AS lane FROM ({first}) due")  # noqa: S608 a statement of our own
        return wake

    @property
    def sql(self) -> str:
        """One statement for all: the number of each queue with due rows."""
        return " UNION ALL ".join(self._looks)

    async def round(self) -> bool:
        """Looks once. DatabaseAway: try again later."""
        if self._looks:
            for row in await self._work.in_reach(self.sql):
                self._wakes[row["lane"]].set()
        return False  # each woken queue polls again until it finds nothing
