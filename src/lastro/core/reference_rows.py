"""Takes a Write apart: the rows of every server, those of a shard."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import asyncpg
from msgspec import structs

from lastro.core.errors import Stale, Taken
from lastro.core.session import unsharded

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Mapping
    from contextlib import AbstractAsyncContextManager
    from uuid import UUID

    from lastro.core.db import Database, Session
    from lastro.core.write import Freed, Row, Write

# What finds a company by what comes from outside: its number, an account's, a key, a bank's rail. Each with that column.
REFERENCE_TABLES = {"account_numbers": "number", "company_numbers": "number", "own_keys": "key", "rails": "rail"}
_LOCK = "SELECT pg_try_advisory_lock(hashtextextended($1, 0))"
_UNLOCK = "SELECT pg_advisory_unlock_all()"


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
        rest = structs.replace(
            write,
            rows=tuple(row for row in write.rows if row not in rows),
            freed=tuple(one for one in write.freed if one not in freed),
        )
        return cls(rest, rows, freed)

    def alone(self, database: Database) -> AbstractAsyncContextManager[Session]:
        """Lends a session that alone writes these names. Stale: another does at this moment."""
        written = [(row.table, row.values) for row in self.rows] + [(one.table, one.values) for one in self.freed]
        return alone(database, {(table, str(values[REFERENCE_TABLES[table]])) for table, values in written})

    async def put(self, session: Session) -> tuple[Row, ...]:
        """Puts the rows on every server; returns those that were not there. Taken: another has the name."""
        made = []
        for row in self.rows:
            values = {"company_id": self.write.company_id, **row.values}
            columns, places = ", ".join(values), ", ".join(f"${n}" for n in range(1, len(values) + 1))
            try:
                await session.fetch(
                    f"INSERT INTO {row.table} ({columns}) VALUES ({places})",  # noqa: S608 names of our own code
                    *values.values(),
                )
                made.append(row)
            except asyncpg.UniqueViolationError as clash:
                # A first try that was cut off has left it.
                if not await session.row(*_found(row.table, values)):
                    await remove(session, self.write.company_id, tuple(made))
                    raise Taken(unsharded(clash.constraint_name or "")) from clash
        return tuple(made)

    async def free(self, session: Session) -> None:
        """Removes from every server what leads to the company no longer."""
        for one in self.freed:
            await session.fetch(*_removal(one.table, {"company_id": self.write.company_id, **one.values}))


@asynccontextmanager
async def alone(database: Database, names: Iterable[tuple[str, str]]) -> AsyncIterator[Session]:
    """Lends a session that alone writes these names of tables. Stale: another does at this moment.

    So nothing that fails removes a row that another took for its own. The lock is the connection's, and goes with it. It
    is not waited for: the sessions of those who wait would be lacking elsewhere.
    """
    async with database.session() as session:
        try:
            for table, name in sorted(names):
                if not await session.value(_LOCK, f"{table} {name}"):
                    raise Stale("another writes the same name")
            yield session
        finally:
            if session.is_usable:
                await session.fetch(_UNLOCK)


async def remove(session: Session, company_id: UUID, rows: tuple[Row, ...]) -> None:
    """Takes rows back that were put for nothing."""
    for row in rows:
        await session.fetch(*_removal(row.table, {"company_id": company_id, **row.values}))


def _found(table: str, values: Mapping[str, Any]) -> tuple[Any, ...]:
    return f"SELECT 1 FROM {table} WHERE {_same(values)}", *values.values()  # noqa: S608 names of our own code


def _removal(table: str, values: Mapping[str, Any]) -> tuple[Any, ...]:
    return f"DELETE FROM {table} WHERE {_same(values)}", *values.values()  # noqa: S608 names of our own code


def _same(values: Mapping[str, Any]) -> str:
    return " AND ".join(f"{column} = ${n}" for n, column in enumerate(values, 1))
