"""Takes a Write apart: the rows of every server, those of a shard."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import asyncpg

from lastro.core.errors import Taken
from lastro.core.session import unsharded

if TYPE_CHECKING:
    from collections.abc import Mapping
    from uuid import UUID

    from lastro.core.db import Database
    from lastro.core.write import Freed, Row, Write

# What finds a company by what comes from outside: its number, an account's, a key, a bank's rail.
REFERENCE_TABLES = frozenset({"account_numbers", "company_numbers", "own_keys", "rails"})


@dataclass(frozen=True, slots=True)
class Apart:
    """A Write in its parts. write: in the shard. rows: put on every server before it. freed: removed behind it."""

    write: Write
    rows: tuple[Row, ...]
    freed: tuple[Freed, ...]

    @classmethod
    def of(cls, write: Write) -> Apart | None:
        """Takes a Write apart; None: all of it is in the shard."""
        rows = tuple(row for row in write.rows if row.table in REFERENCE_TABLES)
        freed = tuple(one for one in write.freed if one.table in REFERENCE_TABLES)
        if not rows and not freed:
            return None
        rest = replace(
            write,
            rows=tuple(row for row in write.rows if row not in rows),
            freed=tuple(one for one in write.freed if one not in freed),
        )
        return cls(rest, rows, freed)

    async def put(self, database: Database) -> tuple[Row, ...]:
        """Puts the rows on every server; returns those that were not there. Taken: another has the name."""
        made = []
        for row in self.rows:
            values = {"company_id": self.write.company_id, **row.values}
            columns, places = ", ".join(values), ", ".join(f"${n}" for n in range(1, len(values) + 1))
            async with database.session() as session:
                try:
                    await session.fetch(
                        f"INSERT INTO {row.table} ({columns}) VALUES ({places})",  # noqa: S608 names of our own code
                        *values.values(),
                    )
                    made.append(row)
                except asyncpg.UniqueViolationError as clash:
                    # A first try that was cut off has left it.
                    if not await session.row(*_found(row.table, values)):
                        await remove(database, self.write.company_id, tuple(made))
                        raise Taken(unsharded(clash.constraint_name or "")) from clash
        return tuple(made)

    async def free(self, database: Database) -> None:
        """Removes from every server what leads to the company no longer."""
        async with database.session() as session:
            for one in self.freed:
                await session.fetch(*_removal(one.table, {"company_id": self.write.company_id, **one.values}))


async def remove(database: Database, company_id: UUID, rows: tuple[Row, ...]) -> None:
    """Takes rows back that were put for nothing."""
    async with database.session() as session:
        for row in rows:
            await session.fetch(*_removal(row.table, {"company_id": company_id, **row.values}))


def _found(table: str, values: Mapping[str, Any]) -> tuple[Any, ...]:
    return f"SELECT 1 FROM {table} WHERE {_same(values)}", *values.values()  # noqa: S608 names of our own code


def _removal(table: str, values: Mapping[str, Any]) -> tuple[Any, ...]:
    return f"DELETE FROM {table} WHERE {_same(values)}", *values.values()  # noqa: S608 names of our own code


def _same(values: Mapping[str, Any]) -> str:
    return " AND ".join(f"{column} = ${n}" for n, column in enumerate(values, 1))
