"""Which lanes have something due, by one statement for all of them.

Each lane could look for itself. But most of them find nothing most of the time, and sixty statements a second that find
nothing cost a worker and its database a twentieth of a core, day and night.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio

    from lastro.base.db import Database


class Outlook:
    """Looks for all lanes that ask it to, and wakes those that have something to do."""

    def __init__(self, work: Database) -> None:
        self._work = work
        self._wakes: list[asyncio.Event] = []
        self._looks: list[str] = []

    def watch(self, wake: asyncio.Event, *due_sql: str) -> asyncio.Event:
        """Sets the event, which it gives back, whenever one of these SELECTs gives a row. $1 in them: how many at most."""
        for sql in due_sql:
            self._wakes.append(wake)
            self._looks.append(f"SELECT {len(self._looks)} AS lane WHERE EXISTS ({sql.replace('$1', '1')})")
        return wake

    async def round(self) -> bool:
        """Looks once. DatabaseAway: try again later."""
        if self._looks:
            async with self._work.session() as session:
                rows = await session.fetch(" UNION ALL ".join(self._looks))
            for row in rows:
                self._wakes[row["lane"]].set()
        return False  # whoever was woken looks again as long as there is something
