"""The entries of accounts, made behind their transfers: of a company that was just active, and now and then of all.

A sweep, since who books waits for no entry: until it comes by, a statement and a past balance read the transfers themselves
(docs/decisions/statements.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro import ledger

if TYPE_CHECKING:
    from uuid import UUID

    from lastro.core.db import Database

EVERY_SECONDS = 1.0
ALL_EVERY_SECONDS = 15.0  # for what no hint named
# New bookings can be entered after two to three seconds: so often a company is looked at after a notification.
_LOOKS = 4
_CALLS = 10  # of one company in a row, so that one which is far behind lets others be entered
# One probe of an index for each company: that of its newest transfer.
_BEHIND = """
SELECT n.company_id FROM company_numbers n LEFT JOIN entry_cursors c ON c.company_id = n.company_id
 WHERE (SELECT t.created_at FROM transfers t WHERE t.company_id = n.company_id ORDER BY t.created_at DESC LIMIT 1)
       >= coalesce(c.entered_until, '-infinity')
    OR EXISTS (SELECT 1 FROM entries_behind b WHERE b.company_id = n.company_id)
"""


class Entering:
    """The sweep for entries. `seen` learns the active companies."""

    def __init__(self, database: Database, work: Database) -> None:
        self._database = database
        self._work = work
        self._looks: dict[UUID, int] = {}

    def seen(self, _topic: str, company_id: UUID | None) -> None:
        """Notes a company's commit."""
        if company_id is not None:
            self._looks[company_id] = _LOOKS

    async def active(self) -> bool:
        """Enters for companies that were active lately. Tells whether one is far behind."""
        is_behind = False
        for company_id in list(self._looks):
            if await self._enter(company_id):
                self._looks[company_id] = _LOOKS
                is_behind = True
            else:
                self._looks[company_id] -= 1
                if self._looks[company_id] <= 0:
                    del self._looks[company_id]
        return is_behind

    async def everywhere(self) -> bool:
        """Marks every company with missing entries as active; `active` goes on with it."""
        for row in await self._work.in_reach(_BEHIND):
            self._looks.setdefault(row["company_id"], _LOOKS)
        return False

    async def _enter(self, company_id: UUID) -> bool:
        async with self._database.session_for(company_id) as session:
            for _ in range(_CALLS):
                if await ledger.post_entries(session, company_id) < ledger.REACH:
                    return False
        return True
