"""Takes away reference rows that lead to nothing.

A crash between the two parts of a Write leaves them (core/commit.py).
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import asyncpg

from lastro.core.errors import Stale
from lastro.core.reference_rows import REFERENCE_TABLES, alone

if TYPE_CHECKING:
    from collections.abc import Callable
    from uuid import UUID

    from lastro.core.db import Database

WAIT_SECONDS = 60.0  # between two looks that both saw it: a Write that had just put it is long over
# In each shard, of the companies that lie in it.
_UNOWNED = """
SELECT 'company_numbers' AS table, n.number::text AS name, n.company_id
  FROM company_numbers n WHERE lies_here(n.company_id)
   AND NOT EXISTS (SELECT FROM companies c WHERE c.company_id = n.company_id AND c.number = n.number)
UNION ALL
SELECT 'account_numbers', n.number, n.company_id FROM account_numbers n WHERE lies_here(n.company_id)
   AND NOT EXISTS (SELECT FROM accounts a WHERE a.company_id = n.company_id AND a.id = n.account_id AND a.number = n.number)
UNION ALL
SELECT 'own_keys', o.key, o.company_id FROM own_keys o WHERE lies_here(o.company_id)
   AND NOT EXISTS (SELECT FROM pix_keys k WHERE k.company_id = o.company_id AND k.key = o.key
                      AND k.account_id = o.account_id AND k.status = 'ACTIVE')
UNION ALL
SELECT 'rails', r.rail, r.company_id FROM rails r WHERE r.company_id IS NOT NULL AND lies_here(r.company_id)
   AND NOT EXISTS (SELECT FROM connections c WHERE c.company_id = r.company_id AND c.rail = r.rail)
"""
_STILL = f"SELECT 1 FROM ({_UNOWNED}) u WHERE u.table = $1 AND u.name = $2 AND u.company_id = $3"  # noqa: S608 of our own


@dataclass(frozen=True, slots=True)
class Unowned:
    """A reference row whose company has nothing of this name."""

    table: str
    name: str
    company_id: UUID


class UnownedRows:
    """Looks for such rows, and remembers which it saw and since when.

    database: as lastro_app. reader: as a role that reads these tables of every company. clock: seconds, as they pass.
    """

    def __init__(self, database: Database, reader: Database, clock: Callable[[], float]) -> None:
        self._database = database
        self._reader = reader
        self._clock = clock
        self._seen: dict[Unowned, float] = {}

    @property
    def has_seen(self) -> bool:
        """True if the last look saw any."""
        return bool(self._seen)

    async def look(self) -> list[Unowned]:
        """Takes away what an earlier look saw WAIT_SECONDS ago or more; returns it."""
        begun = self._clock()
        found = [Unowned(*row) for row in await self._reader.everywhere(_UNOWNED)]
        ended = self._clock()
        old = [row for row in found if begun - self._seen.get(row, begun) >= WAIT_SECONDS]
        self._seen = {row: self._seen.get(row, ended) for row in found}
        return [row for row in old if await self._take(row)]

    async def _take(self, row: Unowned) -> bool:
        """Returns false if somebody writes this name, or it leads somewhere."""
        column = REFERENCE_TABLES[row.table]
        cast = "::text" if row.table == "company_numbers" else ""
        sql = f"DELETE FROM {row.table} WHERE {column}{cast} = $1 AND company_id = $2"  # noqa: S608 names of our own code
        with suppress(Stale, asyncpg.ForeignKeyViolationError):
            async with alone(self._database, {(row.table, row.name)}) as session:
                if await self._reader.everywhere(_STILL, row.table, row.name, row.company_id):
                    await session.fetch(sql, row.name, row.company_id)
                    return True
        return False
