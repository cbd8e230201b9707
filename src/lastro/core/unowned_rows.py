"""Takes away reference rows that lead to nothing.

A crash between the two parts of a Write leaves them (core/commit.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import asyncpg

if TYPE_CHECKING:
    from collections.abc import Callable
    from uuid import UUID

    from lastro.core.db import Database

WAIT_SECONDS = 60.0  # between two looks that both saw it: a Write that had just put it is long over
# In each shard, of the companies that lie in it.
_UNOWNED = """
SELECT 'company_numbers' AS table, 'number' AS column, n.number::text AS name, n.company_id, NULL::uuid AS account_id
  FROM company_numbers n WHERE lies_here(n.company_id)
   AND NOT EXISTS (SELECT FROM companies c WHERE c.company_id = n.company_id AND c.number = n.number)
UNION ALL
SELECT 'account_numbers', 'number', n.number, n.company_id, n.account_id FROM account_numbers n WHERE lies_here(n.company_id)
   AND NOT EXISTS (SELECT FROM accounts a WHERE a.company_id = n.company_id AND a.id = n.account_id AND a.number = n.number)
UNION ALL
SELECT 'own_keys', 'key', o.key, o.company_id, o.account_id FROM own_keys o WHERE lies_here(o.company_id)
   AND NOT EXISTS (SELECT FROM pix_keys k WHERE k.company_id = o.company_id AND k.key = o.key
                      AND k.account_id = o.account_id AND k.status = 'ACTIVE')
UNION ALL
SELECT 'rails', 'rail', r.rail, r.company_id, NULL FROM rails r WHERE r.company_id IS NOT NULL AND lies_here(r.company_id)
   AND NOT EXISTS (SELECT FROM connections c WHERE c.company_id = r.company_id AND c.rail = r.rail)
"""
# Nothing but time keeps a key's row for a Write that is under way; the other tables' rows are referred to.
_CAME_BACK = """
SELECT k.key, k.company_id, k.account_id FROM pix_keys k
 WHERE k.status = 'ACTIVE' AND k.key = ANY ($1) AND NOT EXISTS (SELECT FROM own_keys o WHERE o.key = k.key)
"""
_PUT_BACK = "INSERT INTO own_keys (key, company_id, account_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING"


@dataclass(frozen=True, slots=True)
class Unowned:
    """A reference row whose company has nothing of this name."""

    table: str
    column: str
    name: str
    company_id: UUID
    account_id: UUID | None


class UnownedRows:
    """Looks for such rows, and remembers which it saw and since when.

    database: as lastro_app. reader: as a role that reads these tables of every company. clock: seconds, as they pass.
    """

    def __init__(self, database: Database, reader: Database, clock: Callable[[], float]) -> None:
        self._database = database
        self._reader = reader
        self._clock = clock
        self._seen: dict[Unowned, float] = {}
        self.taken_keys: list[str] = []  # by the last look

    @property
    def has_seen(self) -> bool:
        """True if the last look saw any."""
        return bool(self._seen)

    async def look(self) -> list[Unowned]:
        """Takes away what an earlier look saw WAIT_SECONDS ago or more; returns it."""
        await self._put_back()
        begun = self._clock()
        found = [Unowned(*row) for row in await self._reader.everywhere(_UNOWNED)]
        ended = self._clock()
        old = [row for row in found if begun - self._seen.get(row, begun) >= WAIT_SECONDS]
        self._seen = {row: self._seen.get(row, ended) for row in found}
        taken = [row for row in old if await self._take(row)]
        self.taken_keys = [row.name for row in taken if row.table == "own_keys"]
        return taken

    async def _take(self, row: Unowned) -> bool:
        """Returns false if it is referred to by now."""
        cast = "::text" if row.table == "company_numbers" else ""
        sql = f"DELETE FROM {row.table} WHERE {row.column}{cast} = $1 AND company_id = $2"  # noqa: S608 names of our own code
        try:
            async with self._database.session() as session:
                await session.fetch(sql, row.name, row.company_id)
        except asyncpg.ForeignKeyViolationError:
            return False
        return True

    async def _put_back(self) -> None:
        """Puts back keys that were taken too early. Their second part came just then."""
        if not self.taken_keys:
            return
        rows: list[Any] = await self._reader.everywhere(_CAME_BACK, self.taken_keys)
        for row in rows:
            async with self._database.session() as session:
                await session.fetch(_PUT_BACK, *row)
        self.taken_keys = []
