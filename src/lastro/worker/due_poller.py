"""The poller of due rows: a statement or two that find the queues with some.

Each queue could look for itself. But most of them find nothing most of the time, and sixty statements a second that find
nothing cost a worker and its database a twentieth of a core, day and night. Planning them costs more than running them, so
no statement is longer than what a session keeps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.core.db import LONGEST_KEPT
from lastro.core.work_queue import HELD_UNTIL, NOW

if TYPE_CHECKING:
    import asyncio

    from lastro.core.db import Database

# Each clock is read once a statement, and not once for each queue.
_CLOCKS = {NOW: "now", "(SELECT machine_now())": "machine", HELD_UNTIL: "held"}
_ONCE = f"WITH {', '.join(f'{name} AS MATERIALIZED {read}' for read, name in _CLOCKS.items())} "
_ALSO = " UNION ALL "


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
            for read, name in _CLOCKS.items():
                first = first.replace(read, f"(TABLE {name})")
            self._looks.append(f"SELECT {len(self._looks)} AS lane FROM ({first}) due")  # noqa: S608 a statement of our own
        return wake

    @property
    def statements(self) -> list[str]:
        """As few statements as a session keeps: the number of each queue with due rows."""
        made: list[str] = []
        for look in self._looks:
            if made and len(made[-1]) + len(_ALSO) + len(look) <= LONGEST_KEPT:
                made[-1] += _ALSO + look
            else:
                made.append(_ONCE + look)
        return made

    async def round(self) -> bool:
        """Looks once. DatabaseAway: try again later."""
        for sql in self.statements:
            for row in await self._work.in_reach(sql):
                self._wakes[row["lane"]].set()
        return False  # each woken queue polls again until it finds nothing
